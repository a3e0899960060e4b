//! Mutations of corpus entries from a seeded generator. The same seed gives the same inputs.

use linkscent_core::rng::{Rng, SplitMix};

/// Longest input that a mutation makes, in bytes.
const LONGEST: usize = 32 << 10;
/// Changes made to one entry at most.
const MOST_CHANGES: usize = 6;
/// Numbers at which code tends to break, little-endian.
const EDGES: [u64; 10] = [
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    0x7FFF_FFFF,
    0xFFFF_FFFF,
    u64::MAX,
];

/// Makes inputs from the entries of a corpus.
pub struct Mutator<'a> {
    corpus: &'a [(String, Vec<u8>)],
    random: SplitMix,
}

impl<'a> Mutator<'a> {
    /// Begins with a corpus of at least one entry.
    pub fn new(corpus: &'a [(String, Vec<u8>)], seed: u64) -> Self {
        let random = SplitMix(seed);
        Self { corpus, random }
    }

    /// Returns the next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut data = self.entry().to_vec();
        for _ in 0..=self.below(MOST_CHANGES) {
            self.change(&mut data);
        }
        data.truncate(LONGEST);
        data
    }

    fn entry(&mut self) -> &'a [u8] {
        let number = self.below(self.corpus.len());
        &self.corpus[number].1
    }

    /// Draws a number below `end`; 0 if that is 0.
    fn below(&mut self, end: usize) -> usize {
        ((self.random.unit() * end as f64) as usize).min(end.saturating_sub(1))
    }

    fn change(&mut self, data: &mut Vec<u8>) {
        let at = self.below(data.len() + 1);
        match self.below(7) {
            0 => {
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << self.below(8);
                }
            }
            1 => {
                let byte = self.below(256) as u8;
                data.insert(at, byte);
            }
            2 => self.put_edge(data, at),
            3 => {
                let end = at + self.below((data.len() - at).min(64) + 1);
                data.drain(at..end);
            }
            4 => {
                // The same piece again and again: what grows with a square is found this way.
                let piece = self.piece(&data.clone(), 32);
                let times = 1 << self.below(7);
                self.put(data, at, &piece.repeat(times));
            }
            5 => {
                let other = self.entry();
                let piece = self.piece(other, 256);
                self.put(data, at, &piece);
            }
            _ => data.truncate(at),
        }
    }

    /// Draws a piece of some bytes.
    fn piece(&mut self, from: &[u8], longest: usize) -> Vec<u8> {
        let start = self.below(from.len() + 1);
        let length = self.below(longest.min(from.len() - start) + 1);
        from[start..start + length].to_vec()
    }

    fn put(&mut self, data: &mut Vec<u8>, at: usize, piece: &[u8]) {
        if self.below(2) == 0 {
            data.splice(at..at, piece.iter().copied());
        } else {
            let end = data.len().min(at + piece.len());
            data.splice(at..end, piece.iter().copied());
        }
    }

    fn put_edge(&mut self, data: &mut Vec<u8>, at: usize) {
        let bytes = EDGES[self.below(EDGES.len())].to_le_bytes();
        let width = 1 << self.below(4);
        let end = data.len().min(at + width);
        data.splice(at..end, bytes[..width].iter().copied());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_inputs_and_they_differ() {
        let corpus = vec![("one".to_owned(), b"some bytes to be changed".to_vec())];
        let inputs = |seed| -> Vec<Vec<u8>> {
            let mut mutator = Mutator::new(&corpus, seed);
            (0..50).map(|_| mutator.next_input()).collect()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        let mut different = inputs(1);
        different.sort();
        different.dedup();
        assert!(different.len() > 40, "only {}", different.len());
        let empty = vec![("none".to_owned(), Vec::new())];
        let mut mutator = Mutator::new(&empty, 3);
        assert!((0..200).all(|_| mutator.next_input().len() <= LONGEST));
    }
}

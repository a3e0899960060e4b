//! Binned values of links as bytes.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, known, saved};
use crate::codec;
use crate::strategies::BinnedValues;

#[derive(Serialize, Deserialize)]
struct SavedValues {
    /// Twice the number of a word, and one more of one in links; occurrences by bin.
    words: Vec<(u32, Vec<f64>)>,
    /// Links by bin.
    links: Vec<f64>,
    /// Values of the links of each bin, summed up.
    sums: [f64; 5],
}

impl Saved for BinnedValues {
    const LEARNER: &'static str = "reinforcement";

    fn encode(&self) -> Vec<u8> {
        let words = self.words.terms();
        let mut words: Vec<(u32, Vec<f64>)> = words
            .map(|(word, occurrences)| (word, occurrences.to_vec()))
            .collect();
        words.sort_unstable_by_key(|row| row.0);
        codec::encode(&SavedValues {
            words,
            links: self.words.documents().to_vec(),
            sums: self.sums,
        })
    }

    fn decode(bytes: &[u8], known_terms: usize) -> Result<Self, StateError> {
        let SavedValues { words, links, sums } = saved(bytes)?;
        for (word, _) in &words {
            known(word >> 1, known_terms)?;
        }
        Self::new(words, links, sums).ok_or(StateError::Content("a count or a value is none"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let row = |word: u32, count: f64| (word, vec![count, 0.0, 0.0, 0.0, 2.0]);
        let links = || vec![3.0, 0.0, 0.0, 0.0, 1.0];
        let sums = [0.0, 0.0, 0.0, 0.0, 1.5];
        let decoded = |words: Vec<(u32, Vec<f64>)>, links: Vec<f64>, sums: [f64; 5]| {
            let bytes = codec::encode(&SavedValues { words, links, sums });
            BinnedValues::decode(&bytes, 10)
        };
        let fine = decoded(vec![row(4, 1.0), row(19, 0.0)], links(), sums).unwrap();
        assert_eq!(BinnedValues::decode(&fine.encode(), 10), Ok(fine));
        for (words, links, sums) in [
            (vec![row(20, 1.0)], links(), sums),
            (vec![row(4, f64::NAN)], links(), sums),
            (vec![row(4, -1.0)], links(), sums),
            (vec![(4, vec![1.0; 4])], links(), sums),
            (vec![row(4, 1.0), row(4, 1.0)], links(), sums),
            (vec![row(4, 1.0)], vec![1.0; 6], sums),
            (vec![row(4, 1.0)], vec![f64::INFINITY; 5], sums),
            (vec![row(4, 1.0)], links(), [f64::NAN; 5]),
            (vec![row(4, 1.0)], links(), [-1.0; 5]),
        ] {
            let error = decoded(words, links, sums).unwrap_err();
            assert!(matches!(error, StateError::Content(_)), "{error}");
        }
    }
}

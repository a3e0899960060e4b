//! The model that is shipped, with its pieces of words: texts in, vectors out.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::encoder::{Encoder, Shape};
use crate::word_pieces::WordPieces;

const SHAPE: Shape = Shape {
    pieces: 30_522,
    positions: 512,
    hidden: 384,
    heads: 12,
    layers: 6,
    between: 1_536,
};
/// Tokens of a text that are read, with those that open and close it: what a page is about it
/// says at its beginning.
const TOKENS: usize = 82;
/// Tokens of texts that go through the model together: enough that reading its weights costs little
/// beside what is done with them.
const TOGETHER: usize = 512;
/// Characters that hold as many tokens in any usual text: more need not be given.
pub const CHARACTERS: usize = 600;
/// Texts whose vectors are kept, some 10 MB of them: a crawl that goes on and ends again has most of its
/// pages read before.
const MOST_KEPT: usize = 5_000;
/// The model's name.
pub const NAME: &str = "all-MiniLM-L6-v2";

/// See `weights/NOTICE`.
static WEIGHTS: &[u8] = include_bytes!("weights/weights.safetensors");
static VOCABULARY: &str = include_str!("weights/vocabulary.txt");

/// A vector of length 1 that says what a text says.
pub type Meant = Vec<f32>;

/// Says what texts mean.
pub struct SentenceModel {
    pieces: WordPieces,
    encoder: Encoder,
    read: Mutex<HashMap<String, Meant>>,
}

impl SentenceModel {
    /// The model that is compiled in. The first call unpacks it, in some 50 ms; it stays in memory
    /// then, some 55 MB.
    ///
    /// # Panics
    ///
    /// Where the program itself is damaged.
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<SentenceModel> = LazyLock::new(|| SentenceModel {
            pieces: WordPieces::read(VOCABULARY).expect("the program's own pieces"),
            encoder: Encoder::read(WEIGHTS, SHAPE).expect("the program's own weights"),
            read: Mutex::default(),
        });
        &SHIPPED
    }

    /// The vector of a text, the end of a long one cut off; `None` for a text without words.
    pub fn vector(&self, text: &str) -> Option<Meant> {
        self.vectors(&[text]).pop().flatten()
    }

    /// The same for each of many texts. Short ones together take a quarter of the time that they take
    /// one by one.
    pub fn vectors(&self, texts: &[&str]) -> Vec<Option<Meant>> {
        let lock = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut vectors: Vec<Option<Meant>> = {
            let read = lock();
            texts.iter().map(|text| read.get(*text).cloned()).collect()
        };
        let unread: Vec<usize> = (0..texts.len())
            .filter(|at| vectors[*at].is_none())
            .collect();
        let new: Vec<&str> = unread.iter().map(|at| texts[*at]).collect();
        let new = self.read_anew(&new);
        let mut read = lock();
        if read.len() + new.len() > MOST_KEPT {
            read.clear();
        }
        for (at, vector) in unread.into_iter().zip(new) {
            if let Some(vector) = &vector {
                read.insert(texts[at].to_owned(), vector.clone());
            }
            vectors[at] = vector;
        }
        vectors
    }

    fn read_anew(&self, texts: &[&str]) -> Vec<Option<Meant>> {
        let mut vectors = vec![None; texts.len()];
        let mut together: Vec<(usize, Vec<u32>)> = Vec::new();
        let mut count = 0;
        for (number, text) in texts.iter().enumerate() {
            if !text.contains(char::is_alphanumeric) {
                continue;
            }
            let tokens = self.pieces.tokens(text, TOKENS);
            count += tokens.len();
            together.push((number, tokens));
            if count >= TOGETHER {
                self.encode(&std::mem::take(&mut together), &mut vectors);
                count = 0;
            }
        }
        self.encode(&together, &mut vectors);
        vectors
    }

    fn encode(&self, texts: &[(usize, Vec<u32>)], vectors: &mut [Option<Meant>]) {
        let tokens: Vec<&[u32]> = texts.iter().map(|text| text.1.as_slice()).collect();
        // Tokens are the model's own, and as many as it takes.
        let encoded = self.encoder.encode(&tokens).unwrap_or_default();
        for ((number, _), vector) in texts.iter().zip(encoded) {
            if vector.iter().all(|number| number.is_finite()) {
                vectors[*number] = Some(vector);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How near two texts lie by the model's own weights of 32 bits.
    const ORIGINAL: [(&str, &str, f32); 5] = [
        ("medieval castles", "Windsor Castle", 0.6409),
        ("medieval castles", "Elizabeth II", 0.2345),
        ("How to bake bread", "Sourdough for beginners", 0.3440),
        ("How to bake bread", "The price of oil", 0.0901),
        (
            "Tide tables of Brittany",
            "When is low water at Saint-Malo?",
            0.1887,
        ),
    ];

    fn near(a: &str, b: &str) -> f32 {
        let model = SentenceModel::shipped();
        let (a, b) = (model.vector(a).unwrap(), model.vector(b).unwrap());
        a.iter().zip(&b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn it_is_what_its_notice_says() {
        use sha2::{Digest, Sha256};
        let notice = include_str!("weights/NOTICE");
        for bytes in [WEIGHTS, VOCABULARY.as_bytes()] {
            let digest = Sha256::digest(bytes);
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(notice.contains(&digest), "{digest}");
        }
    }

    #[test]
    fn it_says_what_the_original_says() {
        for (a, b, expected) in ORIGINAL {
            let own = near(a, b);
            assert!((own - expected).abs() < 0.01, "{a}, {b}: {own} {expected}");
        }
    }

    #[test]
    fn together_and_alone_are_the_same() {
        let model = SentenceModel::shipped();
        let long = "Towers and moats. ".repeat(200);
        let mut texts = vec!["Castles", "", "—", "A history of bread", long.as_str()];
        texts.extend(["Windsor Castle", "ab"].repeat(80));
        let together = model.vectors(&texts);
        assert_eq!(together.len(), texts.len());
        assert!(together[1].is_none() && together[2].is_none());
        for (text, together) in texts.iter().zip(&together) {
            let alone = model.read_anew(&[text]).pop().flatten();
            assert_eq!(alone.is_some(), together.is_some());
            let pairs = alone.iter().flatten().zip(together.iter().flatten());
            for (a, b) in pairs {
                assert!((a - b).abs() < 1e-4, "{text}");
            }
        }
    }
}

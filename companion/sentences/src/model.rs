//! The model that is known, with its tokenizer: a text in, a vector out.

use std::path::Path;

use crate::encoder::{Encoder, Shape};
use crate::files::{FileError, TOKENIZER, WEIGHTS};
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
/// Characters that hold as many tokens in any usual text: more need not be given.
pub const CHARACTERS: usize = 600;

/// Says what texts mean.
pub struct SentenceModel {
    pieces: WordPieces,
    encoder: Encoder,
}

impl SentenceModel {
    /// From the files in a folder. Takes about half a second.
    pub fn read(folder: &Path) -> Result<Self, FileError> {
        let unusable = |error: &dyn ToString| {
            let error = error.to_string();
            FileError::Content(folder.to_owned(), error)
        };
        let pieces = WordPieces::read(&TOKENIZER.read(folder)?);
        let encoder = Encoder::read(&WEIGHTS.read(folder)?, SHAPE);
        Ok(Self {
            pieces: pieces.map_err(|error| unusable(&error))?,
            encoder: encoder.map_err(|error| unusable(&error))?,
        })
    }

    /// A vector of length 1 for a text, the end of a long one cut off; `None` for a text
    /// without words.
    pub fn vector(&self, text: &str) -> Option<Vec<f32>> {
        if !text.contains(char::is_alphanumeric) {
            return None;
        }
        let tokens = self.pieces.tokens(text, TOKENS);
        let vector = self.encoder.encode(&tokens).ok()?;
        vector
            .iter()
            .all(|number| number.is_finite())
            .then_some(vector)
    }
}

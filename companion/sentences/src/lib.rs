//! What whole sentences mean, by a small transformer that runs on the processor: the
//! companion's second look at pages that it may show. The model's files are the person's to
//! bring; without them nothing here is used.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod encoder;
mod files;
mod gelu;
mod model;
#[cfg(test)]
mod tests;
mod word_pieces;

pub use files::{FileError, NAME, add, is_there};
pub use model::{CHARACTERS, SentenceModel};

//! What whole sentences mean, by a small transformer that runs on the processor: the companion's
//! second look at pages and links. Its weights are compiled in, eight bits a number.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod encoder;
mod gelu;
mod model;
mod softmax;
mod word_pieces;

pub use model::{CHARACTERS, Meant, NAME, SentenceModel};

//! Pages as bytes: WARC files, character sets, frozen webs to replay, archives of others,
//! files of sequences, and taxonomies that others keep. Nothing here fetches, and nothing knows
//! of topics or stores.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod charset;
pub mod citation;
pub mod export;
pub mod feeds;
pub mod frozen;
pub mod import;
pub mod invisible;
pub mod lists;
pub mod page;
pub mod sequences_file;
pub mod taxonomy;
pub mod warc;
mod whole_file;

pub use whole_file::write_whole;

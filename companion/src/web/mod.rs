//! Pages as bytes: WARC files, character sets, and frozen webs to replay.

pub mod charset;
pub mod frozen;
pub mod warc;

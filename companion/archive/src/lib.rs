//! Pages as bytes: WARC files, character sets, frozen webs to replay, and files of
//! sequences. Nothing here fetches, and nothing knows of topics or stores.

pub mod charset;
pub mod frozen;
pub mod page;
pub mod sequences_file;
pub mod warc;

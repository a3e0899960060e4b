//! Unpacking within bounds. What an archive says of its own sizes is never believed.

use std::io::Read;

use linkscent_core::budget::DOCUMENT;

use crate::{DocumentError, Kind};

/// Bytes that are unpacked of one document at most, in all its files.
pub const MOST_UNPACKED: usize = DOCUMENT.unpacked;

/// Unpacked bytes, and whether they break off.
pub(crate) struct Unpacked {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_cut: bool,
}

/// Reads to the end, at most `left` bytes. Of what breaks off, what could be read is kept.
pub(crate) fn read(kind: Kind, from: impl Read, left: usize) -> Result<Unpacked, DocumentError> {
    let mut bytes = Vec::new();
    let ended = from.take(left as u64 + 1).read_to_end(&mut bytes);
    if bytes.len() > left {
        return Err(DocumentError::Large(kind, MOST_UNPACKED));
    }
    match ended {
        Err(error) if bytes.is_empty() => Err(DocumentError::Broken(kind, error.to_string())),
        ended => Ok(Unpacked {
            bytes,
            is_cut: ended.is_err(),
        }),
    }
}

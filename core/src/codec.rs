//! Plain data as bytes and back: the one place that knows how they are laid out.
//!
//! What a learner or a model file keeps is written through here, so that another layout
//! could take this one's place. Bytes are read as hostile: sizes are capped before anything
//! is allocated, and nothing may stand behind what was read. Only what `stream` reads was written by
//! this very program.

mod shared;
mod stream;

pub(crate) use shared::{node, note, number_of, read_text, write_text};
pub use stream::{Loader, SaveError, Saver};

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::budget::MODEL;

/// Most bytes that are read or written at once.
pub const LARGEST: usize = MODEL.bytes;

/// Why bytes cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CodecError {
    /// They are no such data.
    #[error("it cannot be read: {0}")]
    Layout(String),
    /// Something stands behind the data.
    #[error("{0} bytes stand behind its end")]
    Behind(usize),
}

fn config() -> Configuration<LittleEndian, Varint, Limit<LARGEST>> {
    bincode::config::standard().with_limit::<LARGEST>()
}

/// The data as bytes.
///
/// # Panics
///
/// Never for structs, enums, lists, text and numbers, which are all that is kept.
pub fn encode<T: Serialize>(data: &T) -> Vec<u8> {
    bincode::serde::encode_to_vec(data, bincode::config::standard())
        .expect("plain data can always be written")
}

/// The data that these bytes hold, whole.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    let (data, rest) = decode_first(bytes)?;
    match rest.len() {
        0 => Ok(data),
        behind => Err(CodecError::Behind(behind)),
    }
}

/// The data that these bytes begin with, and the bytes behind it.
pub fn decode_first<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, &[u8]), CodecError> {
    let (data, length) = bincode::serde::decode_from_slice(bytes, config())
        .map_err(|error| CodecError::Layout(error.to_string()))?;
    let rest = bytes.get(length..).unwrap_or_default();
    Ok((data, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let data = (7_u32, "kidney".to_owned(), vec![(1.5_f64, -2_i64)]);
        let bytes = encode(&data);
        assert_eq!(decode(&bytes), Ok(data.clone()));
        let mut longer = bytes.clone();
        longer.extend([1, 2]);
        assert_eq!(
            decode::<(u32, String, Vec<(f64, i64)>)>(&longer),
            Err(CodecError::Behind(2))
        );
        let (first, rest) = decode_first::<(u32, String, Vec<(f64, i64)>)>(&longer).unwrap();
        assert_eq!((first, rest), (data, &[1, 2][..]));
        for length in 0..bytes.len() {
            assert!(decode::<(u32, String, Vec<(f64, i64)>)>(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn a_huge_length_allocates_nothing() {
        // A list that claims 2^60 numbers.
        let mut bytes = vec![253];
        bytes.extend((1_u64 << 60).to_le_bytes());
        assert!(matches!(
            decode::<Vec<u64>>(&bytes),
            Err(CodecError::Layout(_))
        ));
    }
}

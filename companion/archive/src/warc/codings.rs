//! Transfer and content codings of bodies undone, as far as they are there.
//!
//! Many programs keep a body as it is after its codings were undone, and the head as it came:
//! a body that does not begin as its head has it is taken for plain. Where nothing at its
//! beginning tells, as with deflate and brotli, it is if it cannot be undone and begins as
//! HTML does.

use std::io::{self, Read};

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use thiserror::Error;

use super::KeptExchange;

/// Codings one upon the other that are undone.
const MOST_CODINGS: usize = 4;
/// Logarithm of the bytes that zstd may look back in a body (RFC 8878 has 8 MB).
const ZSTD_WINDOW: u32 = 23;

/// Why codings cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum Coded {
    /// What comes out is larger than it may be.
    #[error("the body is too large")]
    TooLarge,
    /// It breaks off, or is not what it is said to be.
    #[error("the body cannot be unpacked")]
    Damaged,
}

/// A body without the codings its head tells of. What is unpacked is at most so many bytes; one
/// that is not packed is as long as it is.
pub(crate) fn undone(body: &[u8], head: &KeptExchange, most: u64) -> Result<Vec<u8>, Coded> {
    let is_chunked = named(head, "transfer-encoding").any(|coding| coding == "chunked");
    let mut plain = if is_chunked {
        without_chunks(body)?
    } else {
        body.to_vec()
    };
    let codings: Vec<String> = named(head, "content-encoding").collect();
    if codings.len() > MOST_CODINGS {
        return Err(Coded::Damaged);
    }
    for coding in codings.iter().rev() {
        if let Some(less) = without(coding, &plain, most)? {
            plain = less;
        }
    }
    Ok(plain)
}

/// Codings that the headers of a name list, in lower case and in the order they were applied.
fn named(head: &KeptExchange, name: &'static str) -> impl Iterator<Item = String> {
    let headers = head.exchange.headers.iter();
    let values = headers.filter(move |(each, _)| each.eq_ignore_ascii_case(name));
    values.flat_map(|(_, value)| {
        let value = String::from_utf8_lossy(value).to_ascii_lowercase();
        let codings = value.split(',').map(|coding| coding.trim().to_owned());
        codings
            .filter(|coding| !coding.is_empty())
            .collect::<Vec<_>>()
    })
}

/// A body without one coding; none if it does not have it.
fn without(coding: &str, body: &[u8], most: u64) -> Result<Option<Vec<u8>>, Coded> {
    let (is_gzip, is_zstd) = (
        body.starts_with(&[0x1F, 0x8B]),
        body.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]),
    );
    let plain = match coding {
        "gzip" | "x-gzip" if is_gzip => drained(MultiGzDecoder::new(body), most),
        "zstd" if is_zstd => {
            let decoder = zstd::Decoder::with_buffer(body).and_then(|mut decoder| {
                decoder.window_log_max(ZSTD_WINDOW)?;
                Ok(decoder)
            });
            drained(decoder.map_err(|_| Coded::Damaged)?, most)
        }
        // Some servers send it with zlib's head, as the standard has it, some without.
        "deflate" => match drained(ZlibDecoder::new(body), most) {
            Err(Coded::Damaged) => drained(DeflateDecoder::new(body), most),
            plain => plain,
        },
        "br" => drained(brotli_decompressor::Decompressor::new(body, 4 << 10), most),
        "gzip" | "x-gzip" | "zstd" | "identity" => return Ok(None),
        _ => Err(Coded::Damaged),
    };
    match plain {
        Err(Coded::Damaged) if body.trim_ascii_start().starts_with(b"<") => Ok(None),
        plain => plain.map(Some),
    }
}

fn drained(input: impl Read, most: u64) -> Result<Vec<u8>, Coded> {
    let mut plain = Vec::new();
    let read: io::Result<usize> = input.take(most.saturating_add(1)).read_to_end(&mut plain);
    if plain.len() as u64 > most {
        return Err(Coded::TooLarge);
    }
    read.map_err(|_| Coded::Damaged)?;
    Ok(plain)
}

fn without_chunks(body: &[u8]) -> Result<Vec<u8>, Coded> {
    let is_chunk = matches!(
        httparse::parse_chunk_size(body),
        Ok(httparse::Status::Complete(_))
    );
    if is_chunk {
        chunks(body).ok_or(Coded::Damaged)
    } else {
        Ok(body.to_vec())
    }
}

fn chunks(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    while let httparse::Status::Complete((start, length)) = httparse::parse_chunk_size(body).ok()? {
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        if length == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(body.get(start..end)?);
        body = body.get(end + 2..)?;
    }
    None
}

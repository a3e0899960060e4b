//! WARC 1.1, read and written.
//!
//! Written: one gzip member per record, so that any page can be read by its
//! offset; the exchange that brought a page as far as it is known, its request behind it. A
//! page that was read as HTML made from it (of a PDF, say) has that HTML behind both, as a
//! `conversion` record (WARC 1.1, section 6.7); the response names it, so that one that was
//! lost is missed.
//! Read: `.warc`, `.warc.gz` and `.warc.zst` front to back, from
//! anywhere, one record at a time, or one capture at a time ([`Captures`]): a response with its
//! request and its conversion. A file cut in the middle gives all whole
//! records and then an error that names the place. Digests are written, and not checked:
//! each member has a checksum of its own.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::charset;

mod blank;
mod capture;
pub(crate) mod codings;
mod exchange;
mod made;
mod reader;
mod record;
mod writer;

pub use blank::{blank_exchange, whole_until};
pub use capture::{Capture, Captures};
pub use exchange::{Exchange, Header, KeptExchange, Request, Version};
pub use made::are_records_of;
pub use reader::Reader;
pub(crate) use reader::unpacked;
pub use record::{As, records};
pub(crate) use record::{Made, Records, UNKNOWN, digest, known};
pub use writer::{Kept, Revisited, Writer};

/// Largest block read into memory, in bytes; larger records are passed over.
pub(crate) const LARGEST_BLOCK: u64 = 64 << 20;

/// Why a WARC file cannot be read (further).
#[derive(Debug, Error)]
pub enum WarcError {
    /// The file itself.
    #[error("{path}: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A record that was written at a place is not there, or damaged.
    #[error("{path}, at byte {offset}: {problem}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Where the record should begin.
        offset: u64,
        /// What is wrong.
        problem: String,
    },
    /// Something in it.
    #[error("{path}, record {record}: {problem}")]
    Record {
        /// Which file.
        path: PathBuf,
        /// Which record, from 1.
        record: u64,
        /// What is wrong.
        problem: String,
    },
}

/// One record.
#[derive(Debug, Default)]
pub struct Record {
    /// `WARC-Type`, in lower case.
    pub kind: String,
    /// `WARC-Target-URI`, angle brackets removed.
    pub target: String,
    /// `WARC-Date`, as written.
    pub date: String,
    /// `WARC-Record-ID`, as written.
    pub id: String,
    /// `WARC-Concurrent-To`, as written: the record of the same exchange that was first.
    pub concurrent_to: String,
    /// `WARC-IP-Address`, as written.
    pub ip: String,
    /// `WARC-Protocol`, as written.
    pub protocol: String,
    /// `WARC-Refers-To`, as written: the record that a conversion was made of.
    pub refers_to: String,
    /// `WARC-Refers-To-Target-URI`, angle brackets removed.
    pub refers_to_target: String,
    /// `WARC-Refers-To-Date`, as written.
    pub refers_to_date: String,
    /// `WARC-Payload-Digest`, as written.
    pub payload_digest: String,
    /// `Content-Type` of the block.
    pub content_type: String,
    /// Identifier of the conversion that a page of this program's needs, as written.
    pub conversion: String,
    /// Whether the block is larger than is read into memory (64 MiB) and was passed over.
    pub is_too_large: bool,
    /// The block.
    pub block: Vec<u8>,
}

/// An HTTP response kept in a record.
#[derive(Debug)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// When it was fetched, as WARC dates are written; empty if nobody knows.
    pub date: String,
    /// `Content-Type`, if there was one.
    pub content_type: Option<String>,
    /// `Location`, if there was one.
    pub location: Option<String>,
    /// `Content-Security-Policy`, if there was one.
    pub policy: Option<String>,
    /// Whether crawlers were asked to follow no link of it, see [`Exchange::asks_not_to_follow`].
    pub no_follow: bool,
    /// The body, content and transfer codings undone.
    pub body: Vec<u8>,
    /// HTML that was made of the body, if the page was read so.
    pub conversion: Option<String>,
}

impl From<KeptExchange> for Response {
    fn from(kept: KeptExchange) -> Self {
        Self {
            status: kept.status,
            content_type: kept.header("content-type"),
            location: kept.header("location"),
            policy: kept.header("content-security-policy"),
            no_follow: kept.exchange.asks_not_to_follow(),
            date: kept.date,
            body: kept.body,
            conversion: kept.conversion,
        }
    }
}

impl Response {
    /// The page as HTML text: what was made of the body, or the body itself.
    pub fn html(&self) -> Cow<'_, str> {
        match &self.conversion {
            Some(html) => Cow::Borrowed(html),
            None => Cow::Owned(charset::decode(&self.body, self.content_type.as_deref())),
        }
    }
}

impl Record {
    /// The HTTP response in the block; `None` if it holds none.
    pub fn response(&self) -> Option<Response> {
        self.exchange().map(Response::from)
    }

    /// The same with all that the record says of the exchange. A body whose codings cannot be
    /// undone, or only to more than 64 MiB, is left as it is.
    pub fn exchange(&self) -> Option<KeptExchange> {
        let (mut kept, start) = self.head()?;
        let body = &self.block[start..];
        kept.body = codings::undone(body, &kept, LARGEST_BLOCK).unwrap_or_else(|_| body.to_vec());
        Some(kept)
    }

    /// The same without the body, and where in the block that begins.
    pub(crate) fn head(&self) -> Option<(KeptExchange, usize)> {
        let (status, mut exchange, start) = exchange::read_response(&self.block, &self.protocol)?;
        exchange.ip = self.ip.parse().ok();
        let kept = KeptExchange {
            address: self.target.clone(),
            date: self.date.clone(),
            status,
            exchange,
            ..KeptExchange::default()
        };
        Some((kept, start))
    }
}

#[cfg(test)]
mod tests;

//! The index of a WARC file as CDXJ: a line for each response, sorted by address and time.
//!
//! It is one text. In an index of packed blocks readers look for a block by the address's key,
//! and those in browsers make another key of a path that ends in a slash than indexers do:
//! they would not find such pages.

use std::io;

use serde::Serialize;

use super::surt::surt;

/// The file that is indexed.
const RECORDS: &str = "data.warc.gz";

/// What is to be said of a response.
pub(super) struct Line<'a> {
    /// Its address.
    pub url: &'a str,
    /// When it was fetched, as WARC dates are written.
    pub date: &'a str,
    /// `Content-Type`, if there was one.
    pub mime: Option<String>,
    /// Status code.
    pub status: u16,
    /// The digest of its payload.
    pub digest: Option<&'a str>,
    /// Bytes of its record.
    pub length: u64,
    /// Where its record begins.
    pub offset: u64,
}

/// The same as it is written: all values are text.
#[derive(Serialize)]
struct Fields<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime: Option<&'a str>,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<&'a str>,
    length: String,
    offset: String,
    filename: &'a str,
}

/// Lines in no order yet.
#[derive(Default)]
pub(super) struct Index(Vec<String>);

impl Index {
    pub fn add(&mut self, line: &Line<'_>) -> io::Result<()> {
        let is_end = |sign: char| sign == ';' || sign.is_whitespace();
        let mime = line.mime.as_deref().map(|mime| {
            let mime = mime.split(is_end).next();
            mime.unwrap_or_default()
        });
        let fields = Fields {
            url: line.url,
            mime: mime.filter(|mime| !mime.is_empty()),
            status: format!("{:03}", line.status),
            digest: line.digest,
            length: line.length.to_string(),
            offset: line.offset.to_string(),
            filename: RECORDS,
        };
        let (key, time) = (surt(line.url), timestamp(line.date));
        let fields = serde_json::to_string(&fields)?;
        self.0.push(format!("{key} {time} {fields}\n"));
        Ok(())
    }

    /// The lines in their order.
    pub fn sorted(mut self) -> String {
        self.0.sort_unstable();
        self.0.concat()
    }
}

/// A date as 14 digits.
fn timestamp(date: &str) -> String {
    let digits = date.chars().filter(char::is_ascii_digit);
    digits.take(14).collect()
}

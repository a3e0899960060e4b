//! Captures: a response, or a note that one came again, with the request for it and the HTML
//! that was made of it, gathered from the records around it.
//!
//! The request stands before or behind, as other programs have it; the conversion behind.
//! What belongs to a response but stands behind another one is not found.

use super::exchange::{Request, read_request};
use super::{KeptExchange, Record, WarcError};
use crate::charset;

/// One capture.
#[derive(Debug, Default)]
pub struct Capture {
    /// The response, revisit or resource.
    pub record: Record,
    /// The request for it.
    pub request: Option<Request>,
    /// HTML that was made of it.
    pub conversion: Option<String>,
}

impl Capture {
    /// A record with nothing around it.
    pub(super) fn of(record: Record) -> Self {
        Self {
            record,
            ..Self::default()
        }
    }

    /// Takes a record that stands behind it, or gives it back if it is not its own.
    pub(super) fn takes(&mut self, next: Record) -> Option<Record> {
        if next.is_request_of(&self.record) {
            self.request = read_request(&next.block);
        } else if next.is_conversion_of(&self.record) {
            let html = charset::decode(&next.block, Some(&next.content_type));
            self.conversion = Some(html);
        } else {
            return Some(next);
        }
        None
    }

    /// Whether the page is not whole without a conversion, and that is not there.
    pub fn lacks_conversion(&self) -> bool {
        self.conversion.is_none() && !self.record.conversion.is_empty()
    }

    /// The exchange; none if there is no HTTP response in it, or not all that it needs.
    pub fn exchange(self) -> Option<KeptExchange> {
        self.whole().ok()
    }

    /// The same, or what is wrong with it.
    pub(super) fn whole(self) -> Result<KeptExchange, String> {
        if self.lacks_conversion() {
            return Err("what was made of the page is not there, or damaged".to_owned());
        }
        let kept = self.record.exchange();
        let mut kept = kept.ok_or("it holds no HTTP response")?;
        kept.exchange.request = self.request;
        kept.conversion = self.conversion;
        Ok(kept)
    }
}

impl Record {
    /// Whether it holds the request that a response answered.
    fn is_request_of(&self, response: &Self) -> bool {
        let names =
            |one: &Self, other: &Self| !other.id.is_empty() && one.concurrent_to == other.id;
        self.kind == "request"
            && self.target == response.target
            && (names(self, response) || names(response, self))
    }

    /// Whether it holds HTML that was made of a response; of the one it needs, if it names it.
    fn is_conversion_of(&self, response: &Self) -> bool {
        let is_named = response.conversion.is_empty() || response.conversion == self.id;
        self.kind == "conversion"
            && self
                .content_type
                .to_ascii_lowercase()
                .starts_with("text/html")
            && self.target == response.target
            && !response.id.is_empty()
            && self.refers_to == response.id
            && !self.is_too_large
            && is_named
    }
}

/// Gives the captures of a file in their order. Where the file breaks off, the last capture
/// before the break comes first, then the error, then nothing.
pub struct Captures<Records> {
    records: Records,
    /// A request whose response is to come.
    asked: Option<Record>,
    /// A capture behind which more may stand.
    held: Option<Capture>,
    /// What is to be said when nothing is held any more.
    broken: Option<WarcError>,
}

impl<Records> Captures<Records> {
    /// Gathers the captures of records that come in their order.
    pub(super) fn of(records: Records) -> Self {
        Self {
            records,
            asked: None,
            held: None,
            broken: None,
        }
    }

    /// The capture that begins with a record, and the one that was held until then.
    fn begin(&mut self, record: Record) -> Option<Capture> {
        let mut capture = Capture::of(record);
        if let Some(asked) = self.asked.take() {
            capture.takes(asked);
        }
        self.held.replace(capture)
    }
}

impl<Records: Iterator<Item = Result<Record, WarcError>>> Iterator for Captures<Records> {
    type Item = Result<Capture, WarcError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.broken.take() {
            return Some(Err(error));
        }
        loop {
            let record = match self.records.next() {
                None => return self.held.take().map(Ok),
                Some(Ok(record)) => record,
                Some(Err(error)) => {
                    let Some(held) = self.held.take() else {
                        return Some(Err(error));
                    };
                    self.broken = Some(error);
                    return Some(Ok(held));
                }
            };
            match &*record.kind {
                "response" | "revisit" | "resource" => {
                    if let Some(whole) = self.begin(record) {
                        return Some(Ok(whole));
                    }
                }
                "request" | "conversion" => {
                    let left = match &mut self.held {
                        Some(held) => held.takes(record),
                        None => Some(record),
                    };
                    self.asked = left
                        .filter(|left| left.kind == "request")
                        .or(self.asked.take());
                }
                _ => {}
            }
        }
    }
}

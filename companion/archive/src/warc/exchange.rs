//! What was said between a server and whoever fetched a page: heads as they were sent and
//! received, and how they are written into a record.
//!
//! Bodies are kept with content and transfer codings undone. So that every reader
//! understands a record, the headers that speak of codings, and a length that is no longer
//! true, stand under other names, as other archives have it. What no header may hold is
//! taken out of values; headers with impossible names, and those that are too many or too
//! long, are left out, and it is said how many they were.

use std::borrow::Cow;
use std::net::IpAddr;

use linkscent_core::dom::asks_not_to_follow;
use serde::{Deserialize, Serialize};

use super::Kept;
use crate::charset;

/// Headers written of one head.
const MOST_HEADERS: usize = 256;
/// Bytes written of one head.
const LONGEST_HEAD: usize = 64 << 10;
/// Headers read of one head.
const MOST_READ: usize = 512;
/// What stands before the name of a header that would no longer be true.
const ORIGINAL: &str = "X-Archive-Orig-";
/// How many headers were left out.
const OMITTED: &str = "X-Archive-Omitted-Headers";

/// A header: its name, and its value as bytes.
pub type Header = (String, Vec<u8>);

/// A version of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    /// 1.0
    Http10,
    /// 1.1
    Http11,
    /// 2
    Http2,
    /// 3
    Http3,
}

impl Version {
    const ALL: [Self; 4] = [Self::Http10, Self::Http11, Self::Http2, Self::Http3];

    /// As `WARC-Protocol` names it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Http10 => "http/1.0",
            Self::Http11 => "http/1.1",
            Self::Http2 => "h2",
            Self::Http3 => "h3",
        }
    }

    /// The version that is called so.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }

    /// As the first line of a head has it: later versions are written as 1.1, since
    /// they have no text of their own.
    fn of_line(version: Option<Self>) -> &'static str {
        match version {
            Some(Self::Http10) => "HTTP/1.0",
            _ => "HTTP/1.1",
        }
    }
}

/// A request as it was sent. It has no body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Its method.
    pub method: String,
    /// What it asks for: path and query.
    pub target: String,
    /// Its headers in their order.
    pub headers: Vec<Header>,
}

/// What is known of how a page came, besides its status and body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The version that was spoken.
    pub version: Option<Version>,
    /// What the status line says after the status; empty for what is usual.
    pub reason: String,
    /// The response's headers in their order.
    pub headers: Vec<Header>,
    /// The request it answers.
    pub request: Option<Request>,
    /// The address it came from; none if a proxy stood between.
    pub ip: Option<IpAddr>,
}

impl Exchange {
    /// Whether a header `X-Robots-Tag` asks crawlers, or this one by its name, to follow no link.
    pub fn asks_not_to_follow(&self) -> bool {
        let headers = self.headers.iter();
        let mut tags = headers.filter(|(name, _)| name.eq_ignore_ascii_case("x-robots-tag"));
        tags.any(|(_, value)| asks_this_crawler(&String::from_utf8_lossy(value)))
    }
}

/// Rules that have a value behind a colon; what else stands before one names a crawler, for which
/// the rules from there on are.
const WITH_VALUE: [&str; 4] = [
    "unavailable_after",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
];

fn asks_this_crawler(tag: &str) -> bool {
    let mut is_for_this = true;
    tag.split(',').any(|rule| {
        let mut asked = rule;
        if let Some((name, rest)) = rule.split_once(':') {
            let name = name.trim();
            if WITH_VALUE
                .iter()
                .any(|rule| name.eq_ignore_ascii_case(rule))
            {
                return false;
            }
            is_for_this = name.eq_ignore_ascii_case("linkscent");
            asked = rest;
        }
        is_for_this && asks_not_to_follow(asked)
    })
}

/// A kept page as its records tell of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptExchange {
    /// Its address.
    pub address: String,
    /// When it was fetched, as WARC dates are written.
    pub date: String,
    /// Status code.
    pub status: u16,
    /// The heads. Where only a status, a media type and a length were kept, they are the
    /// headers, and there is no request.
    pub exchange: Exchange,
    /// The body, codings undone.
    pub body: Vec<u8>,
    /// HTML that was made of the body, if the page was read so.
    pub conversion: Option<String>,
}

impl KeptExchange {
    /// The same, to be written.
    pub fn kept(&self) -> Kept<'_> {
        Kept {
            address: &self.address,
            status: self.status,
            content_type: None,
            body: &self.body,
            date: &self.date,
            exchange: Some(&self.exchange),
            conversion: self.conversion.as_deref(),
        }
    }

    /// The page as HTML text: what was made of the body, or the body itself.
    pub fn html(&self) -> Cow<'_, str> {
        match &self.conversion {
            Some(html) => Cow::Borrowed(html),
            None => Cow::Owned(charset::decode(
                &self.body,
                self.header("content-type").as_deref(),
            )),
        }
    }

    /// The first value of a header.
    pub fn header(&self, name: &str) -> Option<String> {
        let mut headers = self.exchange.headers.iter();
        let found = headers.find(|(each, _)| each.eq_ignore_ascii_case(name));
        found.map(|(_, value)| String::from_utf8_lossy(value).into_owned())
    }
}

/// The head of a page's response, with the empty line at its end. `location` is added if the
/// page has none.
pub(super) fn response_head(page: &Kept<'_>, location: Option<&str>) -> Vec<u8> {
    let length = page.body.len().to_string();
    let exchange = page.exchange;
    let version = Version::of_line(exchange.and_then(|exchange| exchange.version));
    let said = exchange.map_or("", |exchange| &*exchange.reason);
    let usual = http::StatusCode::from_u16(page.status).ok();
    let usual = usual.and_then(|status| status.canonical_reason());
    let reason = match said {
        "" => usual.unwrap_or_default(),
        said => said,
    };
    let mut head = Head::new(&format!("{version} {:03} {reason}", page.status));
    let Some(exchange) = exchange else {
        if let Some(content_type) = page.content_type {
            head.add("Content-Type", content_type.as_bytes());
        }
        if let Some(location) = location {
            head.add("Location", location.as_bytes());
        }
        head.add("Content-Length", length.as_bytes());
        return head.end();
    };
    let has = |name: &str| {
        let mut headers = exchange.headers.iter();
        headers.any(|(each, _)| each.eq_ignore_ascii_case(name))
    };
    // What every reader needs is not what a head grows too long for.
    head.keep_back(&[
        "Content-Length",
        &length,
        "Location",
        location.unwrap_or_default(),
    ]);
    let mut length_is_written = false;
    for (name, value) in &exchange.headers {
        let is_length = name.eq_ignore_ascii_case("content-length");
        let is_true = is_length && value == length.as_bytes() && !length_is_written;
        let is_coding = name.eq_ignore_ascii_case("content-encoding")
            || name.eq_ignore_ascii_case("transfer-encoding");
        if is_true {
            length_is_written = head.add(name, value);
        } else if is_coding || is_length {
            head.add(&format!("{ORIGINAL}{name}"), value);
        } else {
            head.add(name, value);
        }
    }
    head.give_back();
    if let Some(location) = location.filter(|_| !has("location")) {
        head.add("Location", location.as_bytes());
    }
    if !length_is_written {
        head.add("Content-Length", length.as_bytes());
    }
    head.end()
}

/// The head of a request.
pub(super) fn request_head(request: &Request, version: Option<Version>) -> Vec<u8> {
    // The line has three parts, whatever they are made of.
    let method = request.method.replace(|sign| !is_token_sign(sign), "");
    let ends = |sign: char| sign.is_whitespace() || sign.is_control();
    let target = request.target.replace(ends, "%20");
    let version = Version::of_line(version);
    let mut head = Head::new(&format!("{method} {target} {version}"));
    for (name, value) in &request.headers {
        head.add(name, value);
    }
    head.end()
}

/// A head that is written, never longer than it may be.
struct Head {
    bytes: Vec<u8>,
    headers: usize,
    omitted: usize,
    /// Bytes that are not to be used yet.
    kept_back: usize,
}

impl Head {
    fn new(line: &str) -> Self {
        let mut bytes = plain(line.as_bytes());
        bytes.truncate(LONGEST_HEAD / 2);
        bytes.extend_from_slice(b"\r\n");
        Self {
            bytes,
            headers: 0,
            omitted: 0,
            kept_back: 0,
        }
    }

    fn keep_back(&mut self, texts: &[&str]) {
        self.kept_back = texts.iter().map(|text| text.len() + 4).sum();
    }

    fn give_back(&mut self) {
        self.kept_back = 0;
        self.headers = self.headers.min(MOST_HEADERS - 2);
    }

    /// Adds a header; whether it could be.
    fn add(&mut self, name: &str, value: &[u8]) -> bool {
        let length = self.bytes.len() + name.len() + value.len() + 4 + self.kept_back;
        if !is_token(name) || self.headers == MOST_HEADERS || length > LONGEST_HEAD {
            self.omitted += 1;
            return false;
        }
        self.headers += 1;
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(b": ");
        self.bytes.extend_from_slice(plain(value).trim_ascii());
        self.bytes.extend_from_slice(b"\r\n");
        true
    }

    fn end(mut self) -> Vec<u8> {
        if self.omitted > 0 {
            let line = format!("{OMITTED}: {}\r\n", self.omitted);
            self.bytes.extend_from_slice(line.as_bytes());
        }
        self.bytes.extend_from_slice(b"\r\n");
        self.bytes
    }
}

/// A value without what would end it, or what no header may hold.
pub(super) fn plain(value: &[u8]) -> Vec<u8> {
    let allowed = |byte: &u8| if byte.is_ascii_control() { b' ' } else { *byte };
    value.iter().map(allowed).collect()
}

/// Whether it can be the name of a header.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_token_sign)
}

fn is_token_sign(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(sign)
}

/// The head of a response that begins a block, and where its body begins.
pub(super) fn read_response(block: &[u8], protocol: &str) -> Option<(u16, Exchange, usize)> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_READ];
    let mut parsed = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(start) = parsed.parse(block).ok()? else {
        return None;
    };
    let exchange = Exchange {
        version: Version::named(protocol),
        reason: parsed.reason.unwrap_or_default().to_owned(),
        headers: owned(parsed.headers),
        ..Exchange::default()
    };
    Some((parsed.code?, exchange, start))
}

/// The request in a block.
pub(super) fn read_request(block: &[u8]) -> Option<Request> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_READ];
    let mut parsed = httparse::Request::new(&mut headers);
    parsed.parse(block).ok()?.is_complete().then_some(())?;
    Some(Request {
        method: parsed.method?.to_owned(),
        target: parsed.path?.to_owned(),
        headers: owned(parsed.headers),
    })
}

fn owned(headers: &[httparse::Header<'_>]) -> Vec<Header> {
    let headers = headers.iter();
    headers
        .map(|header| (header.name.to_owned(), header.value.to_vec()))
        .collect()
}

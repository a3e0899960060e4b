//! Records put together: one gzip member each, so that any can be read by its offset, with the
//! digests, dates and identifiers by which archives check and connect them.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::exchange::{plain, request_head, response_head};
use super::{Kept, LARGEST_BLOCK, Revisited};

/// What is written where nobody knows when a page was fetched.
pub(crate) const UNKNOWN: &str = "1970-01-01T00:00:00Z";
const SOFTWARE: &str = concat!("linkscent/", env!("CARGO_PKG_VERSION"));
const STANDARD: &str =
    "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";
/// The field of a response that names the conversion it needs. No field of the standard leads
/// that way; readers pass over those they do not know.
pub(super) const CONVERSION: &str = "Linkscent-Conversion";
const PROFILES: &str = "http://netpreserve.org/warc/1.1/revisit";

/// Makes the records of one file.
#[derive(Default)]
pub(crate) struct Records {
    /// Identifier of the record that describes the others.
    info: Option<String>,
}

/// Records of one page, as they are written one after the other.
pub(crate) struct Made {
    /// Their bytes.
    pub bytes: Vec<u8>,
    /// How many of them are the first record's: the response or the revisit.
    pub first: usize,
    /// The date in them.
    pub date: String,
    /// The digest of the payload; none if the server sent none.
    pub digest: Option<String>,
}

/// The records of a page for whatever file they are appended to: they name none that describes them, so
/// it is the one before them. See [`Writer::append`](super::Writer::append).
pub fn records(page: &Kept<'_>, kind: As<'_>) -> io::Result<Vec<u8>> {
    Ok(Records::default().page(page, kind)?.bytes)
}

/// What a response is.
#[derive(Debug, Clone, Copy)]
pub enum As<'a> {
    /// One with the body.
    Page,
    /// One that leads elsewhere.
    Redirect(&'a str),
    /// One that was there before.
    Revisit(&'a Revisited<'a>),
}

impl Records {
    /// Whether the record that describes the others was made.
    pub fn has_info(&self) -> bool {
        self.info.is_some()
    }

    /// The record that describes those that are made after it. `date` is now; `about` are
    /// more fields.
    pub fn info(&mut self, date: &str, about: &[(&str, &str)]) -> io::Result<Vec<u8>> {
        let mut block = Fields::default();
        block.add("software", SOFTWARE);
        block.add("format", "WARC File Format 1.1");
        block.add("conformsTo", STANDARD);
        block.add("robots", "obey");
        for (name, value) in about {
            block.add(name, value);
        }
        let id = new_id();
        let mut fields = Fields::of("warcinfo", &id, &known(date));
        fields.add("WARC-Block-Digest", &digest(&block.0));
        fields.add("Content-Type", "application/warc-fields");
        self.info = Some(id);
        member(fields, &block.0)
    }

    /// The records of a page.
    pub fn page(&self, page: &Kept<'_>, kind: As<'_>) -> io::Result<Made> {
        let (id, date) = (new_id(), known(page.date));
        let without_body = Kept { body: &[], ..*page };
        let (name, block, payload) = match kind {
            As::Page => {
                let mut block = response_head(page, None);
                block.extend_from_slice(page.body);
                ("response", block, Some(digest(page.body)))
            }
            As::Redirect(to) => {
                let head = response_head(&without_body, Some(to));
                ("response", head, Some(digest(b"")))
            }
            // Its head speaks of the body that came, and is not written again.
            As::Revisit(Revisited::SamePayload { .. }) => {
                let head = response_head(page, None);
                ("revisit", head, Some(digest(page.body)))
            }
            As::Revisit(Revisited::NotModified { .. }) => {
                ("revisit", response_head(&without_body, None), None)
            }
        };
        let conversion = page.conversion.filter(|_| matches!(kind, As::Page));
        let conversion = conversion.map(|html| (new_id(), html));
        let mut fields = self.fields(name, &id, &date, page);
        if let Some((conversion, _)) = &conversion {
            fields.add(CONVERSION, conversion);
        }
        if let As::Revisit(revisited) = kind {
            revisited.say(&mut fields);
        }
        if let Some(payload) = &payload {
            fields.add("WARC-Payload-Digest", payload);
        }
        fields.add("WARC-Block-Digest", &digest(&block));
        fields.add("Content-Type", "application/http;msgtype=response");
        let mut bytes = member(fields, &block)?;
        let first = bytes.len();
        let exchange = page.exchange;
        if let Some((exchange, request)) = exchange.and_then(|it| Some((it, it.request.as_ref()?)))
        {
            let block = request_head(request, exchange.version);
            let mut fields = self.fields("request", &new_id(), &date, page);
            fields.add("WARC-Concurrent-To", &id);
            fields.add("WARC-Block-Digest", &digest(&block));
            fields.add("Content-Type", "application/http;msgtype=request");
            bytes.extend(member(fields, &block)?);
        }
        if let Some((conversion, html)) = conversion {
            bytes.extend(self.conversion(&conversion, html, &id, &date, page)?);
        }
        Ok(Made {
            bytes,
            first,
            date,
            digest: payload,
        })
    }

    /// The record of what was made of the response of that identifier.
    fn conversion(
        &self,
        id: &str,
        html: &str,
        of: &str,
        date: &str,
        page: &Kept<'_>,
    ) -> io::Result<Vec<u8>> {
        if html.len() as u64 > LARGEST_BLOCK {
            return Err(io::Error::other("what was made of the page is too large"));
        }
        let mut fields = self.of_page("conversion", id, date, page);
        fields.add("WARC-Refers-To", of);
        // The block is the payload.
        let digest = digest(html.as_bytes());
        fields.add("WARC-Payload-Digest", &digest);
        fields.add("WARC-Block-Digest", &digest);
        fields.add("Content-Type", "text/html; charset=utf-8");
        member(fields, html.as_bytes())
    }

    /// What the records of a page have in common.
    fn of_page(&self, kind: &str, id: &str, date: &str, page: &Kept<'_>) -> Fields {
        let mut fields = Fields::of(kind, id, date);
        fields.add("WARC-Target-URI", page.address);
        if let Some(info) = &self.info {
            fields.add("WARC-Warcinfo-ID", info);
        }
        fields
    }

    /// The same of those that went over the network.
    fn fields(&self, kind: &str, id: &str, date: &str, page: &Kept<'_>) -> Fields {
        let mut fields = self.of_page(kind, id, date, page);
        if let Some(ip) = page.exchange.and_then(|exchange| exchange.ip) {
            fields.add("WARC-IP-Address", &ip.to_string());
        }
        if let Some(version) = page.exchange.and_then(|exchange| exchange.version) {
            fields.add("WARC-Protocol", version.name());
        }
        fields
    }
}

impl Revisited<'_> {
    fn say(&self, fields: &mut Fields) {
        let (profile, (address, date)) = match self {
            Self::SamePayload { address, date } => ("identical-payload-digest", (address, date)),
            Self::NotModified { address, date } => ("server-not-modified", (address, date)),
        };
        fields.add("WARC-Profile", &format!("{PROFILES}/{profile}"));
        fields.add("WARC-Refers-To-Target-URI", address);
        fields.add("WARC-Refers-To-Date", &known(date));
        if matches!(self, Self::SamePayload { .. }) {
            fields.add("WARC-Truncated", "length");
        }
    }
}

/// Named fields, a line each.
#[derive(Default)]
struct Fields(Vec<u8>);

impl Fields {
    fn of(kind: &str, id: &str, date: &str) -> Self {
        let mut fields = Self(b"WARC/1.1\r\n".to_vec());
        fields.add("WARC-Type", kind);
        fields.add("WARC-Record-ID", id);
        fields.add("WARC-Date", date);
        fields
    }

    /// Adds one. No value ends its line.
    fn add(&mut self, name: &str, value: &str) {
        self.0.extend_from_slice(name.as_bytes());
        self.0.extend_from_slice(b": ");
        self.0.extend_from_slice(&plain(value.as_bytes()));
        self.0.extend_from_slice(b"\r\n");
    }
}

fn member(mut fields: Fields, block: &[u8]) -> io::Result<Vec<u8>> {
    fields.add("Content-Length", &block.len().to_string());
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    member.write_all(&fields.0)?;
    member.write_all(b"\r\n")?;
    member.write_all(block)?;
    member.write_all(b"\r\n\r\n")?;
    member.finish()
}

fn new_id() -> String {
    format!("<urn:uuid:{}>", uuid::Uuid::new_v4())
}

/// As archives write a SHA-256.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("sha256:{:x}", Sha256::digest(bytes))
}

/// A date if it is one as they are written in WARC files, or the one that says that nobody
/// knows.
pub(crate) fn known(date: &str) -> String {
    let is_like = |sign: (char, char)| match sign {
        ('0', sign) => sign.is_ascii_digit(),
        (wanted, sign) => sign == wanted,
    };
    let (until_seconds, rest) = date.split_at_checked(19).unwrap_or_default();
    let mut signs = "0000-00-00T00:00:00".chars().zip(until_seconds.chars());
    let has_end = rest.strip_suffix('Z').is_some_and(|fraction| {
        let digits = fraction.strip_prefix('.');
        let are_digits = digits.is_some_and(|digits| {
            (1..=9).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
        });
        fraction.is_empty() || are_digits
    });
    let is_date = until_seconds.len() == 19 && signs.all(is_like) && has_end;
    if is_date { date } else { UNKNOWN }.to_owned()
}

//! Documents that are no HTML, read as if they were: PDF and office documents in a process of
//! their own, which they cannot take down with more than themselves; feeds, sitemaps and text here,
//! but for large and packed ones.

use std::path::PathBuf;
use std::time::Duration;

use linkscent_core::address::Address;
use linkscent_core::budget::DOCUMENT;
use linkscent_documents::apart::Apart;
use linkscent_documents::{DocumentError, Kind, kind, to_html};

/// What the process that reads is called with.
pub const READ_DOCUMENT: &str = "read-document";
/// What a document may take to be read.
const TIME: Duration = DOCUMENT.time;
const MEMORY: u64 = DOCUMENT.memory as u64;
/// Bytes from which a text is read apart, too: what it takes to read it is given back whole.
const LARGE: usize = 1 << 20;
const GZIP: &[u8] = b"\x1f\x8b";
/// Content types of what may be read, besides HTML. What it is for certain is told by its bytes.
const TYPES: [&str; 15] = [
    "application/atom+xml",
    "application/pdf",
    "application/rdf+xml",
    "application/rss+xml",
    "application/vnd.oasis.opendocument.presentation",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/x-pdf",
    "application/xml",
    "text/markdown",
    "text/plain",
    "text/rss+xml",
    "text/x-markdown",
    "text/xml",
];
/// Content types of anything: what is sent so is read if its address ends like a document.
const ANY: [&str; 5] = [
    "application/gzip",
    "application/octet-stream",
    "application/x-gzip",
    "application/zip",
    "binary/octet-stream",
];
const ENDINGS: [&str; 6] = [".pdf", ".docx", ".pptx", ".odt", ".odp", ".xml.gz"];

/// Reads documents.
#[derive(Debug, Clone, Default)]
pub struct DocumentReader {
    /// This program, which reads if it is called with [`READ_DOCUMENT`]; where there is none, what
    /// would be read in a process of its own is not read.
    program: Option<PathBuf>,
}

impl DocumentReader {
    /// By the program that runs.
    pub fn of_this_program() -> Self {
        Self {
            program: std::env::current_exe().ok(),
        }
    }

    /// Whether a body of this content type, from there, may be a document.
    pub fn may_read(content_type: &str, address: &Address) -> bool {
        let essence = content_type.split(';').next().unwrap_or_default();
        let essence = essence.trim().to_ascii_lowercase();
        if TYPES.contains(&&*essence) {
            return true;
        }
        let path = address.path_and_query().split('?').next();
        let path = path.unwrap_or_default().to_ascii_lowercase();
        ANY.contains(&&*essence) && ENDINGS.iter().any(|ending| path.ends_with(ending))
    }

    /// Whether a body is a document, by its type and its first bytes.
    pub fn is_document(content_type: Option<&str>, body: &[u8]) -> bool {
        kind(content_type, body).is_some()
    }

    /// A body as HTML; `None` if it is no document. Blocks.
    pub fn read(
        &self,
        content_type: Option<&str>,
        body: &[u8],
    ) -> Result<Option<String>, DocumentError> {
        let Some(kind) = kind(content_type, body) else {
            return Ok(None);
        };
        let is_large = body.len() >= LARGE || body.starts_with(GZIP);
        let is_text = matches!(kind, Kind::Feed | Kind::Sitemap | Kind::Text);
        if is_text && (!is_large || self.program.is_none()) {
            return to_html(kind, body, content_type).map(Some);
        }
        let Some(program) = &self.program else {
            return Ok(None);
        };
        let apart = Apart {
            program: program.clone(),
            args: vec![READ_DOCUMENT.to_owned()],
            time: TIME,
            memory: MEMORY,
        };
        apart.to_html(kind, content_type, body).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_and_texts_are_read_and_pages_and_pictures_are_not() {
        let may_read = |kind: &str, address: &str| {
            DocumentReader::may_read(kind, &Address::parse(address).unwrap())
        };
        assert!(may_read("Application/PDF; x=y", "http://a.test/"));
        assert!(!may_read("image/png", "http://a.test/x.pdf"));
        let anything = "application/octet-stream";
        assert!(may_read(anything, "http://a.test/x.DOCX?a=b"));
        assert!(!may_read(anything, "http://a.test/setup?file=x.pdf"));
        let reader = DocumentReader::default();
        let read = |kind: &str, body: &str| reader.read(Some(kind), body.as_bytes()).unwrap();
        let feed = "<rss version=\"2.0\"><channel><title>Bees</title><item><title>Hive</title><link>http://a.test/1</link></item></channel></rss>";
        let html = read("text/html", feed).unwrap();
        assert!(html.contains("href=\"http://a.test/1\""), "{html}");
        assert!(
            read("text/plain", "Bees\n\nhttp://a.test/")
                .unwrap()
                .contains("<a")
        );
        assert!(read("text/html", "<p>text").is_none());
        assert!(
            read("application/pdf", "%PDF-1.7").is_none(),
            "nobody reads it here"
        );
        assert!(read("application/octet-stream", "\u{0}\u{1}").is_none());
        let is_document =
            |kind: &str, body: &str| DocumentReader::is_document(Some(kind), body.as_bytes());
        assert!(is_document("text/html", feed) && is_document("application/pdf", "%PDF-1.7"));
        assert!(!is_document("text/html", "<p>text"));
    }
}

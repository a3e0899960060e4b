//! What a body is: by how it begins where that is certain, by its content type where it is not.

use std::fmt;
use std::io::Read;

use crate::markup;

/// Bytes in which a PDF must begin and the first element of XML must stand.
const WINDOW: usize = 4_096;

/// The kinds of documents that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// RSS or Atom.
    Feed,
    /// Addresses of a site's pages, or of more sitemaps; also compressed by gzip.
    Sitemap,
    /// Plain text or Markdown.
    Text,
    /// PDF.
    Pdf,
    /// Text of Word (`.docx`).
    Word,
    /// Slides of `PowerPoint` (`.pptx`).
    Slides,
    /// Text or slides of `OpenDocument` (`.odt`, `.odp`).
    OpenDocument,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Feed => "feed",
            Self::Sitemap => "sitemap",
            Self::Text => "text",
            Self::Pdf => "PDF",
            Self::Word => "Word document",
            Self::Slides => "PowerPoint document",
            Self::OpenDocument => "OpenDocument",
        })
    }
}

/// What a body is, by its content type and how it begins; `None` if it is none of these (HTML
/// included). Servers say `text/html` of feeds and `application/octet-stream` of anything: what
/// the bytes say for certain counts for more.
pub fn kind(content_type: Option<&str>, body: &[u8]) -> Option<Kind> {
    let content_type = content_type.unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    if is_pdf(&essence, body) {
        return Some(Kind::Pdf);
    }
    if body.starts_with(b"PK\x03\x04") {
        return of_package(&essence, body);
    }
    if body.starts_with(b"\x1f\x8b") {
        let mut start = Vec::new();
        let unpacked = flate2::read::MultiGzDecoder::new(body).take(WINDOW as u64);
        // What breaks off later is still known by its start.
        let _ = { unpacked }.read_to_end(&mut start);
        return of_xml(&start, None).filter(|kind| *kind == Kind::Sitemap);
    }
    let start = &body[..body.len().min(WINDOW)];
    let found = of_xml(start, Some(content_type));
    let is_text = matches!(
        &*essence,
        "text/plain" | "text/markdown" | "text/x-markdown"
    );
    found.or_else(|| (is_text && !is_binary(start)).then_some(Kind::Text))
}

fn is_pdf(essence: &str, body: &[u8]) -> bool {
    let window = &body[..body.len().min(WINDOW)];
    let sign = b"%PDF-";
    match essence {
        // Readers of PDF pass over what stands before.
        "application/pdf" | "application/x-pdf" | "application/octet-stream" | "" => {
            window.windows(sign.len()).any(|bytes| bytes == sign)
        }
        _ => window.trim_ascii_start().starts_with(sign),
    }
}

/// Documents in an archive, by the names of its files: these are never compressed.
fn of_package(essence: &str, body: &[u8]) -> Option<Kind> {
    // The first file of an OpenDocument is its type, as it is.
    let beginning = &body[..body.len().min(WINDOW)];
    let has = |bytes: &[u8], name: &str| memchr::memmem::find(bytes, name.as_bytes()).is_some();
    let open = "application/vnd.oasis.opendocument.";
    let is_open = |form: &str| {
        let name = format!("{open}{form}");
        essence.starts_with(&name) || has(beginning, &format!("mimetype{name}"))
    };
    if is_open("text") || is_open("presentation") {
        Some(Kind::OpenDocument)
    } else if has(body, "word/document.xml") {
        Some(Kind::Word)
    } else if has(body, "ppt/presentation.xml") {
        Some(Kind::Slides)
    } else if essence.ends_with("wordprocessingml.document") {
        Some(Kind::Word)
    } else if essence.ends_with("presentationml.presentation") {
        Some(Kind::Slides)
    } else {
        None
    }
}

/// Documents in XML, by their first element.
fn of_xml(start: &[u8], content_type: Option<&str>) -> Option<Kind> {
    let text = markup::decode(start, content_type);
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    // What may stand before the first element: declarations, comments, instructions.
    loop {
        let end = if rest.starts_with("<!--") {
            "-->"
        } else if rest.starts_with("<?") {
            "?>"
        } else if rest.starts_with("<!") {
            ">"
        } else {
            break;
        };
        rest = rest.split_once(end)?.1.trim_start();
    }
    let rest = rest.strip_prefix('<')?;
    let end = |letter: char| letter.is_whitespace() || matches!(letter, '>' | '/');
    let name = rest.split(end).next().unwrap_or_default();
    match name.rsplit(':').next().unwrap_or_default() {
        "rss" | "feed" => Some(Kind::Feed),
        // RSS 1.0; other graphs are none.
        "RDF" => rest.contains("purl.org/rss/").then_some(Kind::Feed),
        "urlset" | "sitemapindex" => Some(Kind::Sitemap),
        _ => None,
    }
}

/// Whether bytes are of no text, as browsers tell (MIME Sniffing, 7.2).
fn is_binary(start: &[u8]) -> bool {
    let is_wide = [&b"\xfe\xff"[..], b"\xff\xfe"]
        .iter()
        .any(|mark| start.starts_with(mark));
    let is_strange = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    !is_wide && start.iter().any(is_strange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_known_by_their_bytes_and_then_by_their_type() {
        let packed = |text: &str| {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut packer, text.as_bytes()).unwrap();
            packer.finish().unwrap()
        };
        let wide: Vec<u8> = "\u{feff}<?xml version='1.0' encoding='UTF-16'?><rss>"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let open = b"PK\x03\x04xxmimetypeapplication/vnd.oasis.opendocument.textPK";
        let cases: [(&str, &[u8], Option<Kind>); 26] = [
            ("application/pdf", b"\n%PDF-1.4", Some(Kind::Pdf)),
            ("application/octet-stream", b"\0\0%PDF-1.4", Some(Kind::Pdf)),
            ("text/plain", b"%PDF-1.4", Some(Kind::Pdf)),
            ("text/html", b"<p>of %PDF-1.4", None),
            ("application/pdf", b"<html>Not found", None),
            (
                "text/html",
                b"<?xml version='1.0'?>\n<!-- x > y --><rss version='2.0'>",
                Some(Kind::Feed),
            ),
            (
                "application/xml; charset=utf-8",
                b"\xef\xbb\xbf<feed xmlns='x'>",
                Some(Kind::Feed),
            ),
            (
                "text/xml",
                b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>",
                Some(Kind::Feed),
            ),
            ("text/xml", b"<rdf:RDF xmlns='http://other/'>", None),
            ("text/xml", b"<!DOCTYPE rss><rss>", Some(Kind::Feed)),
            ("", &wide, Some(Kind::Feed)),
            ("text/xml", b"<urlset>", Some(Kind::Sitemap)),
            (
                "text/xml",
                b"<s:sitemapindex xmlns:s='x'>",
                Some(Kind::Sitemap),
            ),
            ("text/xml", b"<svg>", None),
            ("text/html", b"<!doctype html><html><feed>", None),
            ("application/gzip", &packed("<urlset>"), Some(Kind::Sitemap)),
            ("application/gzip", &packed("<html>"), None),
            ("text/plain; charset=x", b"hello", Some(Kind::Text)),
            ("Text/Markdown", b"# hello", Some(Kind::Text)),
            ("text/plain", b"\x7fELF\0\0", None),
            ("text/plain", b"\xff\xfeh\0i\0", Some(Kind::Text)),
            ("text/css", b"a {}", None),
            ("", b"hello", None),
            ("application/zip", open, Some(Kind::OpenDocument)),
            (
                "application/octet-stream",
                b"PK\x03\x04...word/document.xml",
                Some(Kind::Word),
            ),
            ("application/zip", b"PK\x03\x04...some.txt", None),
        ];
        for (content_type, body, expected) in cases {
            let shown = String::from_utf8_lossy(body);
            assert_eq!(
                kind(Some(content_type), body),
                expected,
                "{content_type} {shown}"
            );
        }
        assert_eq!(kind(None, b""), None);
        assert_eq!(kind(None, b"%PDF-2.0"), Some(Kind::Pdf));
    }
}

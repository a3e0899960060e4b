//! Documents made by other programs, or by hand where those make none, read the way a page is
//! read: by the parser that gets the HTML.

mod feeds;
mod hostile;
mod office;
mod pdf;
mod sitemaps;

use linkscent_core::dom::{Document, html};

use crate::{Kind, kind, to_html};

/// What the parser of pages makes of a document, which must be of a kind by its bytes alone.
fn read(expected: Kind, body: &[u8]) -> Document {
    let shown = || String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned();
    assert_eq!(kind(None, body), Some(expected), "{}", shown());
    let page = to_html(expected, body, None).unwrap_or_else(|error| panic!("{error}: {}", shown()));
    html::parse(&page)
}

/// A page's links as `words -> address`.
fn links(page: &Document) -> Vec<String> {
    let words = |link: &linkscent_core::dom::Link| -> String {
        let leaves = page.leaves().skip(link.leaves.first as usize);
        let count = link.leaves.end - link.leaves.first;
        leaves.take(count as usize).collect()
    };
    let links = page.links.iter();
    links
        .map(|link| format!("{} -> {}", words(link), link.href))
        .collect()
}

/// A page's text, leaf by leaf.
fn leaves(page: &Document) -> Vec<&str> {
    let leaves = page.leaves().map(str::trim);
    leaves.filter(|leaf| !leaf.is_empty()).collect()
}

/// Why a page does not say all, if it says so.
fn cut(html: &str) -> Option<&str> {
    let rest = html.split_once("<meta name=\"cut\" content=\"")?.1;
    rest.split('"').next()
}

/// Packs bytes by gzip.
fn packed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

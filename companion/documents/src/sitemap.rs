//! Sitemaps (sitemaps.org, 0.9) and indexes of them, plain or compressed by gzip: a link for each
//! address, with the date of its last change. A sitemap says nothing of its pages, so a link's
//! words are those at the end of its address.
//!
//! Priorities, frequencies and extensions (pictures, news, languages) are left out.

use linkscent_core::address::Address;
use percent_encoding::percent_decode_str;

use crate::html::{Page, Piece};
use crate::unpack::{self, MOST_UNPACKED};
use crate::xml::{Part, Xml, ended};
use crate::{DocumentError, Kind, markup};

pub(crate) fn to_html(body: &[u8], content_type: Option<&str>) -> Result<String, DocumentError> {
    let mut page = Page::default();
    let (text, is_cut) = if body.starts_with(b"\x1f\x8b") {
        let packed = flate2::read::MultiGzDecoder::new(body);
        let unpacked = unpack::read(Kind::Sitemap, packed, MOST_UNPACKED)?;
        // What the server says is said of what is packed.
        (markup::decode(&unpacked.bytes, None), unpacked.is_cut)
    } else {
        (markup::decode(body, content_type), false)
    };
    let mut read = read(&mut Xml::new(&text), &mut page);
    if is_cut && read.is_ok() {
        read = Err("its compression breaks off".to_owned());
    }
    ended(Kind::Sitemap, page, read)
}

fn read(xml: &mut Xml<'_>, page: &mut Page) -> Result<(), String> {
    page.title("Sitemap");
    let mut open: Vec<String> = Vec::new();
    let (mut address, mut changed) = (String::new(), String::new());
    while let Some(part) = xml.next()? {
        match part {
            Part::Open(element) => {
                let around = open.last().map_or("", String::as_str);
                let is_entry = matches!(around, "url" | "sitemap");
                match &*element.name {
                    // Extensions have elements of these names, too.
                    "loc" if is_entry && address.is_empty() => address = xml.text()?,
                    "lastmod" if is_entry => changed = xml.text()?,
                    _ => open.push(element.name),
                }
            }
            Part::Close => {
                if matches!(open.pop().as_deref(), Some("url" | "sitemap")) {
                    write(address.trim(), changed.trim(), page);
                    (address, changed) = (String::new(), String::new());
                }
            }
            Part::Text(_) => {}
        }
        if page.is_full() {
            break;
        }
    }
    Ok(())
}

fn write(address: &str, changed: &str, page: &mut Page) {
    let mut pieces = vec![Piece::link(words(address), address)];
    if !changed.is_empty() {
        pieces.push(Piece::text(format!(" {changed}")));
    }
    if !address.is_empty() {
        page.paragraph(&pieces);
    }
}

/// The words at the end of an address: of the last part of its path that has any, without the
/// ending of a file's name; of its host, if there is no path.
fn words(address: &str) -> String {
    let Ok(page) = Address::parse(address) else {
        return address.to_owned();
    };
    let path = page.path_and_query().split(['?', '#']).next();
    let decoded = percent_decode_str(path.unwrap_or_default()).decode_utf8_lossy();
    let last = decoded.rsplit('/').find_map(|part| {
        let part = match part.rsplit_once('.') {
            Some((name, ending)) if (1..=5).contains(&ending.len()) => name,
            _ => part,
        };
        let words: Vec<&str> = part
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let is_said = words.iter().any(|word| word.contains(char::is_alphabetic));
        is_said.then(|| words.join(" "))
    });
    last.unwrap_or_else(|| page.host().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_at_the_end_of_an_address() {
        let cases = [
            ("http://a.test/news/The-first_day.html?x=y", "The first day"),
            ("http://a.test/caf%C3%A9/2024/", "café"),
            ("http://a.test/", "a.test"),
            ("http://a.test/12345", "a.test"),
            ("http://a.test/v1.2-notes", "v1 2 notes"),
            ("no address", "no address"),
        ];
        for (address, expected) in cases {
            assert_eq!(words(address), expected, "{address}");
        }
    }
}

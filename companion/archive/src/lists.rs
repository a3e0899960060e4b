//! Lists of pages that other programs keep: bookmarks, outlines (OPML), feeds (RSS, Atom),
//! sitemaps, references (RIS, BibTeX, CSL JSON), tables (CSV). Of each the addresses of its pages
//! are read, in order, each once; what is none is passed over.
//!
//! Which format it is is told by how it begins. Feeds and outlines of feeds name the feeds too:
//! those are passed over where a page is named beside them.

use std::borrow::Cow;
use std::collections::HashSet;

use linkscent_core::address::Address;
use linkscent_core::dom::{MOST_LINKS, html};
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;
use thiserror::Error;

/// Bytes of a list at most.
pub const LARGEST: usize = 32 << 20;
/// Pages of a list that are read.
pub const MOST: usize = 100_000;

/// Why a list cannot be read.
#[derive(Debug, Error)]
pub enum ListError {
    /// It is too large.
    #[error("a list has at most {LARGEST} bytes, and this has {0}")]
    Large(usize),
    /// It names more pages than are read.
    #[error("a list of this kind names at most {0} pages")]
    Long(usize),
    /// It is broken.
    #[error("the list is broken {place}: {problem}")]
    Broken {
        /// Where.
        place: String,
        /// How.
        problem: String,
    },
}

/// The pages that a list names; `None` if it is no format of these, but plain text.
pub fn read(text: &str) -> Result<Option<Vec<Address>>, ListError> {
    if text.len() > LARGEST {
        return Err(ListError::Large(text.len()));
    }
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let beginning: String = text
        .chars()
        .take(300)
        .collect::<String>()
        .to_ascii_lowercase();
    let is_html = [
        "<!doctype netscape",
        "<!doctype html",
        "<html",
        "<dl",
        "<title",
        "<meta",
    ];
    let found = if is_html.iter().any(|start| beginning.starts_with(start)) {
        of_html(text)?
    } else if text.starts_with('<') {
        of_xml(text)?
    } else if text.starts_with(['[', '{']) {
        of_json(text)?
    } else if beginning.starts_with("ty  - ") {
        of_lines(text, "UR  - ")
    } else if text.starts_with('@') && text.contains('{') {
        of_bibtex(text)
    } else if is_table(text) {
        of_table(text)
    } else {
        return Ok(None);
    };
    let mut pages: Vec<Address> = Vec::new();
    let mut seen = HashSet::new();
    for address in found {
        let Ok(page) = Address::parse(address.trim()) else {
            continue;
        };
        if seen.insert(page.clone()) {
            if pages.len() == MOST {
                return Err(ListError::Long(MOST));
            }
            pages.push(page);
        }
    }
    Ok(Some(pages))
}

/// The links of a page of HTML, which may be cut off before so many as are read of others.
fn of_html(text: &str) -> Result<Vec<String>, ListError> {
    let document = html::parse(text);
    if document.truncated {
        return Err(ListError::Long(MOST_LINKS));
    }
    Ok(document.links.into_iter().map(|link| link.href).collect())
}

/// Outlines, feeds and sitemaps.
fn of_xml(text: &str) -> Result<Vec<String>, ListError> {
    let mut reader = Reader::from_str(text);
    let mut found = Vec::new();
    // Names of the elements around, and what the innermost says.
    let mut open: Vec<String> = Vec::new();
    let mut said = String::new();
    loop {
        let event = reader.read_event().map_err(|error| ListError::Broken {
            place: format!("at byte {}", reader.error_position()),
            problem: error.to_string(),
        })?;
        match event {
            Event::Eof => break,
            Event::Start(element) => {
                let name = element.local_name().as_ref().to_ascii_lowercase();
                found.extend(of_element(&name, &element));
                open.push(name);
                said.clear();
            }
            Event::Empty(element) => {
                let name = element.local_name().as_ref().to_ascii_lowercase();
                found.extend(of_element(&name, &element));
            }
            Event::End(_) => {
                let name = open.pop().unwrap_or_default();
                let around = open.last().map_or("", String::as_str);
                let is_page = match &*name {
                    "loc" => around == "url",
                    "link" => around == "item",
                    _ => false,
                };
                let page = std::mem::take(&mut said);
                found.extend(is_page.then_some(page));
            }
            Event::Text(text) => said.push_str(&text),
            Event::CData(text) => said.push_str(&text),
            Event::GeneralRef(name) => {
                if let Ok(Some(sign)) = name.resolve_char_ref() {
                    said.push(sign);
                } else {
                    let sign = quick_xml::escape::resolve_predefined_entity(&name);
                    said.push_str(sign.unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// The page that an element names in its attributes: an entry of an outline, a link of a feed's
/// entry.
fn of_element(name: &str, element: &quick_xml::events::BytesStart<'_>) -> Option<String> {
    let value = |wanted: &str| {
        let attributes = element.attributes().flatten();
        let mut values =
            attributes.filter(|one| one.key.local_name().as_ref().eq_ignore_ascii_case(wanted));
        let said = values.next()?.value.into_owned();
        let plain = quick_xml::escape::unescape(&said).map(Cow::into_owned);
        Some(plain.unwrap_or(said))
    };
    match name {
        "outline" => value("url")
            .or_else(|| value("htmlurl"))
            .or_else(|| value("xmlurl")),
        "link" => value("href").filter(|_| value("rel").is_none_or(|rel| rel == "alternate")),
        _ => None,
    }
}

/// References in JSON, or lines of JSON: whatever stands under a name of an address.
fn of_json(text: &str) -> Result<Vec<String>, ListError> {
    let mut found = Vec::new();
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    for value in values {
        let value = value.map_err(|error| ListError::Broken {
            place: format!("in line {}", error.line()),
            problem: error.to_string(),
        })?;
        of_value(&value, &mut found);
    }
    Ok(found)
}

fn of_value(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| of_value(value, found)),
        Value::Object(object) => {
            for (name, value) in object {
                let is_address = ["url", "address", "href", "uri"];
                match value {
                    Value::String(text) if is_address.contains(&&*name.to_ascii_lowercase()) => {
                        found.push(text.clone());
                    }
                    Value::Array(_) | Value::Object(_) => of_value(value, found),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn of_lines(text: &str, tag: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(tag));
    lines.map(str::to_owned).collect()
}

/// What stands in fields `url` of references.
fn of_bibtex(text: &str) -> Vec<String> {
    let fields = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let is_address = name.trim().eq_ignore_ascii_case("url");
        is_address.then(|| {
            value
                .trim()
                .trim_end_matches(',')
                .trim_matches(['{', '}', '"'])
        })
    });
    fields.map(str::to_owned).collect()
}

/// Whether it is a table: its first line names columns, one of which is of addresses.
fn is_table(text: &str) -> bool {
    let head = text.lines().next().unwrap_or_default().to_ascii_lowercase();
    let mut columns = head
        .split([',', ';', '\t'])
        .map(|name| name.trim().trim_matches('"'));
    head.contains([',', ';', '\t']) && columns.any(is_column)
}

fn is_column(name: &str) -> bool {
    matches!(name, "url" | "address" | "link" | "href" | "uri")
}

fn of_table(text: &str) -> Vec<String> {
    let head = text.lines().next().unwrap_or_default();
    let parts = [',', ';', '\t'];
    let parting = parts
        .into_iter()
        .max_by_key(|part| head.matches(*part).count());
    let rows = rows(text, parting.unwrap_or(','));
    let mut rows = rows.into_iter();
    let place = rows.next().and_then(|head| {
        head.iter()
            .position(|name| is_column(&name.trim().to_ascii_lowercase()))
    });
    let Some(place) = place else {
        return Vec::new();
    };
    rows.filter_map(|row| row.get(place).cloned()).collect()
}

/// The cells of a table (RFC 4180).
fn rows(text: &str, parting: char) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if is_quoted && signs.peek() == Some(&'"') => {
                cell.push('"');
                signs.next();
            }
            '"' if is_quoted || cell.is_empty() => is_quoted = !is_quoted,
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !is_quoted => {}
            sign if sign == parting && !is_quoted => row.push(std::mem::take(&mut cell)),
            sign => cell.push(sign),
        }
    }
    row.push(cell);
    rows.push(row);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(text: &str) -> Vec<String> {
        let pages = read(text)
            .unwrap()
            .unwrap_or_else(|| panic!("plain: {text}"));
        pages.iter().map(ToString::to_string).collect()
    }

    const A: &str = "http://a.test/x?a=1&b=2";
    const B: &str = "http://b.test/";

    #[test]
    fn each_format_gives_its_pages_once_and_in_order() {
        let bookmarks = "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF=\"http://a.test/x?a=1&amp;b=2\">A</A><DT><A HREF=\"javascript:x\">no</A><DT><A HREF=\"http://b.test\">B</A><DT><A HREF=\"http://b.test/\">B</A></DL>";
        let outline = "<?xml version=\"1.0\"?><opml version=\"2.0\"><body><outline text=\"s\"><outline text=\"a\" url=\"http://a.test/x?a=1&amp;b=2\"/><outline type=\"rss\" xmlUrl=\"http://b.test/feed\" htmlUrl=\"http://b.test/\"/></outline></body></opml>";
        let rss = "<rss version=\"2.0\"><channel><link>http://feed.test/</link><item><title>x</title><link>http://a.test/x?a=1&amp;b=2</link></item><item><link><![CDATA[http://b.test/]]></link></item></channel></rss>";
        let atom = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><link rel=\"self\" href=\"http://feed.test/\"/><entry><link href=\"http://a.test/x?a=1&amp;b=2\"/></entry><entry><link rel=\"alternate\" href=\"http://b.test/\"/></entry></feed>";
        let sitemap = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>http://a.test/x?a=1&amp;b=2</loc></url><url><loc> http://b.test/ </loc></url></urlset>";
        let ris = "TY  - ELEC\r\nTI  - x\r\nUR  - http://a.test/x?a=1&b=2\r\nER  - \r\nTY  - JOUR\r\nUR  - http://b.test/\r\nER  - \r\n";
        let bibtex = "@online{a,\n  title = {A},\n  url = {http://a.test/x?a=1&b=2},\n}\n@misc{b,\n URL = \"http://b.test/\"\n}";
        let csl = "[{\"URL\": \"http://a.test/x?a=1&b=2\", \"title\": \"http://not.test/\"}, {\"author\": [], \"URL\": \"http://b.test/\"}]";
        let lines =
            "{\"address\": \"http://a.test/x?a=1&b=2\"}\n{\"address\": \"http://b.test/\"}\n";
        let table = "title,url\r\n\"A, \"\"a\"\"\nb\",\"http://a.test/x?a=1&b=2\"\r\nB,http://b.test/\r\n,\r\n";
        let numbered = "<rss><channel><item><link>http://a.test/x?a=1&#038;b=2</link></item><item><link>http://b.test/</link></item></channel></rss>";
        let stray = "title,url\nPipe 5\" wide,http://a.test/x?a=1&b=2\nB,http://b.test/\n";
        for text in [
            numbered, stray, bookmarks, outline, rss, atom, sitemap, ris, bibtex, csl, lines, table,
        ] {
            assert_eq!(pages(text), [A, B], "{text}");
            assert_eq!(pages(&format!("\u{feff}\n{text}")), [A, B], "{text}");
        }
    }

    #[test]
    fn plain_text_is_none_of_them_and_what_is_broken_says_where() {
        for text in [
            "",
            "http://a.test/\nhttp://b.test/\n",
            "some words, and more",
            "TY - x",
        ] {
            assert!(read(text).unwrap().is_none(), "{text}");
        }
        let said = |text: &str| read(text).unwrap_err().to_string();
        assert!(
            said("<opml><body></opml>").contains("at byte"),
            "{}",
            said("<opml><body></opml>")
        );
        assert!(said("[{\"URL\": 1},\n oops]").contains("in line 2"));
        assert!(said(&" ".repeat(LARGEST + 1)).contains("at most"));
        let many: String = (0..=MOST).map(|n| format!("http://a.test/{n}\n")).collect();
        assert!(said(&format!("url,x\n{many}")).contains("at most 100000"));
    }

    #[test]
    fn hostile_lists_end() {
        let deep = "<a>".repeat(100_000);
        let _ = read(&deep);
        let nested = "[".repeat(100_000);
        assert!(read(&nested).is_err());
        let entities = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><rss><channel><item><link>&b;</link></item></channel></rss>";
        assert!(pages(entities).is_empty());
    }
}

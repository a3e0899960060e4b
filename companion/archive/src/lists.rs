//! Lists of pages that other programs keep: bookmarks, outlines (OPML), feeds (RSS, Atom),
//! sitemaps, references (RIS, BibTeX, CSL JSON), tables (CSV), or a line for each page. Of each the
//! addresses of its pages are read, in order, each once; what is none is passed over.
//!
//! The beginning of a list tells its format. Feeds and outlines of feeds name the feeds too: those
//! are passed over where a page is named beside them.
//!
//! A list may come from anybody, so it is read in a stream: nothing of it is kept but the addresses,
//! within the limits of [`LIST`].

mod html;
mod json;
mod pages;
mod table;
mod xml;

use linkscent_core::address::{Address, AddressError};
use linkscent_core::budget::{Budget, LIST, OverBudget};
use thiserror::Error;

use pages::Pages;

/// Why a list cannot be read.
#[derive(Debug, Error)]
pub enum ListError {
    /// It exceeds a limit.
    #[error("the list is too large: {0}")]
    OverBudget(#[from] OverBudget),
    /// It is broken.
    #[error("the list is broken {place}: {problem}")]
    Broken {
        /// Where.
        place: String,
        /// How.
        problem: String,
    },
    /// A line of a plain list is no address.
    #[error("Line {number}: {problem}")]
    Line {
        /// Number of the line, from 1.
        number: usize,
        /// Why it is none.
        problem: AddressError,
    },
}

/// The pages that a list names. A text of no other format is a plain list: an address a line, where
/// empty lines and lines that begin with `#` are passed over.
pub fn addresses(text: &str) -> Result<Vec<Address>, ListError> {
    addresses_within(LIST, text)
}

fn addresses_within(budget: Budget, text: &str) -> Result<Vec<Address>, ListError> {
    match read_within(budget, text)? {
        Some(pages) => Ok(pages),
        None => of_plain_lines(budget, text),
    }
}

/// The pages that a list names; `None` if it is plain text.
pub fn read(text: &str) -> Result<Option<Vec<Address>>, ListError> {
    read_within(LIST, text)
}

fn read_within(budget: Budget, text: &str) -> Result<Option<Vec<Address>>, ListError> {
    budget.check_bytes(text.len())?;
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
    let mut pages = Pages::within(budget);
    if is_html.iter().any(|start| beginning.starts_with(start)) {
        html::read(text, &mut pages)?;
    } else if text.starts_with('<') {
        xml::read(text, &mut pages)?;
    } else if text.starts_with(['[', '{']) {
        json::read(text, &mut pages)?;
    } else if beginning.starts_with("ty  - ") {
        of_lines(text, "UR  - ", &mut pages)?;
    } else if text.starts_with('@') && text.contains('{') {
        of_bibtex(text, &mut pages)?;
    } else if let Some(table) = table::Table::of(text) {
        table.read(&mut pages)?;
    } else {
        return Ok(None);
    }
    Ok(Some(pages.into_addresses()))
}

fn of_plain_lines(budget: Budget, text: &str) -> Result<Vec<Address>, ListError> {
    let mut pages = Pages::within(budget);
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let page = Address::parse(line);
        pages.keep(page.map_err(|problem| ListError::Line { number, problem })?)?;
    }
    Ok(pages.into_addresses())
}

/// What stands behind a tag in references.
fn of_lines(text: &str, tag: &str, pages: &mut Pages) -> Result<(), ListError> {
    for line in text.lines() {
        if let Some(address) = line.trim_start().strip_prefix(tag) {
            pages.add(address)?;
        }
    }
    Ok(())
}

/// What stands in fields `url` of references.
fn of_bibtex(text: &str, pages: &mut Pages) -> Result<(), ListError> {
    for line in text.lines() {
        let Some((name, value)) = line.split_once('=') else {
            continue;
        };
        if name.trim().eq_ignore_ascii_case("url") {
            let value = value.trim().trim_end_matches(',');
            pages.add(value.trim_matches(['{', '}', '"']))?;
        }
    }
    Ok(())
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
        assert!(said(&" ".repeat(LIST.bytes + 1)).contains("at most"));
    }

    #[test]
    fn a_plain_list_has_an_address_a_line() {
        let read = |text: &str| addresses(text).map(|pages| pages.len());
        assert_eq!(
            read("http://a.test/\n\n# a comment\n  http://b.test\n").unwrap(),
            2
        );
        let wrong = read("http://a.test/\nno address").unwrap_err().to_string();
        assert!(wrong.starts_with("Line 2: "), "{wrong}");
    }

    /// Lists of every format with so many pages.
    fn long(pages: usize) -> Vec<String> {
        let each = |line: &dyn Fn(usize) -> String| (0..pages).map(line).collect::<String>();
        vec![
            format!("<html>{}", each(&|n| format!("<a href=http://a.test/{n}>"))),
            format!(
                "<opml>{}</opml>",
                each(&|n| format!("<outline url='http://a.test/{n}'/>"))
            ),
            each(&|n| format!("{{\"url\":\"http://a.test/{n}\"}}\n")),
            format!(
                "TY  - ELEC\n{}",
                each(&|n| format!("UR  - http://a.test/{n}\n"))
            ),
            format!(
                "@a{{\n{}",
                each(&|n| format!("url={{http://a.test/{n}}}\n"))
            ),
            format!("url,x\n{}", each(&|n| format!("http://a.test/{n}\n"))),
            each(&|n| format!("http://a.test/{n}\n")),
        ]
    }

    #[test]
    fn a_list_of_any_format_may_be_so_long_and_no_longer() {
        let few = Budget { items: 100, ..LIST };
        for text in long(few.items) {
            let pages = addresses_within(few, &text).map(|pages| pages.len());
            assert_eq!(pages.unwrap(), few.items, "{}", &text[..60]);
        }
        for text in long(few.items + 1) {
            let said = addresses_within(few, &text).unwrap_err().to_string();
            assert!(said.contains("at most 100 pages"), "{said}");
        }
        let again = "url,x\n".to_owned() + &"http://a.test/\n".repeat(401);
        let said = addresses_within(few, &again).unwrap_err().to_string();
        assert!(said.contains("400 addresses, repeated"), "{said}");
        let small = Budget {
            memory: 10_000,
            ..few
        };
        let long: String = (0..50)
            .map(|n| format!("http://a.test/{n}{}\n", "x".repeat(200)))
            .collect();
        let said = addresses_within(small, &long).unwrap_err().to_string();
        assert!(said.contains("10000 bytes of memory"), "{said}");
    }

    #[test]
    fn hostile_lists_end() {
        let deep = "<a>".repeat(100_000);
        let said = read(&deep).unwrap_err().to_string();
        assert!(said.contains("at most 128 levels"), "{said}");
        let nested = "[".repeat(100_000);
        assert!(read(&nested).is_err());
        // No reader keeps what is no address, however much of it there is.
        let commas = "url,title\n".to_owned() + &",".repeat(1 << 18);
        assert!(pages(&commas).is_empty());
        let numbers = format!("[{}1]", "1,".repeat(1 << 18));
        assert!(pages(&numbers).is_empty());
        let quote = format!("url,x\n\"{}", "a".repeat(1 << 18));
        assert!(pages(&quote).is_empty());
        // Attributes are not compared with all before them.
        let attributes: String = (0..50_000).map(|n| format!("a{n}='' ")).collect();
        let many = format!("<opml><outline {attributes} url='http://a.test/'/></opml>");
        assert!(pages(&many).is_empty());
        let entities = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><rss><channel><item><link>&b;</link></item></channel></rss>";
        assert!(pages(entities).is_empty());
    }
}

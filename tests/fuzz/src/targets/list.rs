//! Lists of pages that other programs keep.
//!
//! Promises: each page is named once, is canonical and comes from the text; a list that is written
//! out as lines of JSON is read back the same; an error is short.

use std::collections::HashSet;

use linkscent_archive::lists::read;
use linkscent_core::address::Address;
use linkscent_core::budget::LIST;

use super::Seeds;

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let pages = match read(&text) {
        Ok(Some(pages)) => pages,
        Ok(None) => return,
        Err(error) => {
            assert!(error.to_string().len() < 2_000, "an error repeats the list");
            return;
        }
    };
    assert!(pages.len() <= LIST.items);
    let different: HashSet<&str> = pages.iter().map(Address::as_str).collect();
    assert_eq!(different.len(), pages.len(), "a page is named twice");
    for page in pages.iter().take(10) {
        super::address::check(page, "");
    }
    // Each page takes at least the letters of a scheme.
    assert!(pages.len() * 4 <= text.len());
    let lines = pages.iter().map(|page| {
        let line = serde_json::json!({ "title": "x", "address": page.as_str() });
        format!("{line}\n")
    });
    let lines: String = lines.collect();
    if !pages.is_empty() {
        let again = read(&lines).expect("lines of JSON are a list");
        assert_eq!(again, Some(pages));
    }
}

pub fn seeds() -> Seeds {
    let case = |text: &str| text.as_bytes().to_vec();
    vec![
        (
            "bookmarks",
            case(
                "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><H3>f</H3><DL><DT><A HREF=\"http://a.test/x?a=1&amp;b=2\">A</A><DT><A HREF=\"javascript:x\">n</A></DL></DL>",
            ),
        ),
        (
            "outline",
            case(
                "<?xml version=\"1.0\"?><opml version=\"2.0\"><body><outline text=\"s\"><outline text=\"a\" url=\"http://a.test/x?a=1&amp;b=2\"/><outline type=\"rss\" xmlUrl=\"http://b.test/feed\" htmlUrl=\"http://b.test/\"/></outline></body></opml>",
            ),
        ),
        (
            "rss",
            case(
                "<rss version=\"2.0\"><channel><link>http://f.test/</link><item><title>x</title><link>http://a.test/x?a=1&#038;b=2</link></item><item><link><![CDATA[http://b.test/]]></link></item></channel></rss>",
            ),
        ),
        (
            "atom",
            case(
                "<feed xmlns=\"http://www.w3.org/2005/Atom\"><link rel=\"self\" href=\"http://f.test/\"/><entry><link rel=\"alternate\" href=\"http://b.test/\"/></entry></feed>",
            ),
        ),
        (
            "sitemap",
            case(
                "\u{feff}<urlset><url><loc> http://b.test/&lt; </loc></url><sitemap><loc>http://c.test/</loc></sitemap></urlset>",
            ),
        ),
        (
            "ris",
            case("TY  - ELEC\r\nTI  - x\r\nUR  - http://a.test/x?a=1&b=2\r\nER  - \r\n"),
        ),
        (
            "bibtex",
            case(
                "@online{a,\n  title = {A},\n  url = {http://a.test/x?a=1&b=2},\n}\n@misc{b,\n URL = \"http://b.test/\"\n}",
            ),
        ),
        (
            "csl",
            case(
                "[{\"URL\": \"http://a.test/x\", \"title\": \"n\"}, {\"author\": [{\"url\": [\"http://c.test\"]}], \"URL\": \"http://b.test/\"}]",
            ),
        ),
        (
            "lines",
            case("{\"address\": \"http://a.test/\"}\n{\"href\": \"http://b.test/\"}\n"),
        ),
        (
            "table",
            case(
                "title;url\r\n\"A; \"\"a\"\"\nb\";\"http://a.test/x?a=1&b=2\"\r\nPipe 5\" wide;http://b.test/\r\n;\r\n",
            ),
        ),
    ]
}

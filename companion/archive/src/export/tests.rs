//! Every format read back by a reader that others wrote.

use std::io::Read as _;
use std::sync::{Arc, Mutex};

use linkscent_core::address::Address;

use super::*;

mod archives;

/// What is written, to be read back.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const ABOUT: About<'_> = About {
    name: "Castles <&>",
    now: "2026-02-03T04:05:06Z",
};

/// A page like others, and one whose author means harm.
fn entries() -> Vec<Entry> {
    let plain = Entry {
        topic: "castles".to_owned(),
        address: "http://a.test/bodiam?x=1&y=2".to_owned(),
        title: "Bodiam Castle, a moat & more".to_owned(),
        site: "a.test".to_owned(),
        language: "en".to_owned(),
        probability: 0.75,
        mark: Some(true),
        tags: vec!["to-read".to_owned(), "south".to_owned()],
        note: "Go there.\n# Soon".to_owned(),
        snippet: "Its moat is wide.".to_owned(),
        reason: "“moat” is in your target".to_owned(),
        path: vec!["http://a.test/".to_owned()],
        read: "2026-01-02T03:04:05Z".to_owned(),
        citation: Citation {
            authors: vec!["Curzon, George".to_owned(), "A. Guide".to_owned()],
            date: "1926-05".to_owned(),
            site: "Castles of Sussex".to_owned(),
            ..Citation::default()
        },
        text: vec![
            "Its moat is wide.".to_owned(),
            "1. Built in 1385.".to_owned(),
        ],
        ..Entry::default()
    };
    let hostile = Entry {
        address: "http://b.test/{x}%7D".to_owned(),
        title: "=HYPERLINK(\"http://evil.test\") <script>alert(1)</script> \u{202e}\u{7}\\end{x} ]]>\n# h"
            .to_owned(),
        snippet: "@article{x, \"quoted\" & 'so'\r\nER  - ".to_owned(),
        reason: "+1".to_owned(),
        text: vec!["<img src=x onerror=alert(1)> [a](javascript:x) # no `code`".to_owned()],
        path: vec!["http://a.test/".to_owned(), "http://a.test/bodiam?x=1&y=2".to_owned()],
        citation: Citation {
            authors: vec!["} and {Evil".to_owned()],
            journal: "Journal\u{0} of % things".to_owned(),
            ..Citation::default()
        },
        mark: None,
        note: "=1+1 <b>".to_owned(),
        ..plain.clone()
    };
    vec![plain, hostile]
}

fn written(name: &str) -> Vec<u8> {
    let kept = Kept::default();
    let format = Format::named(name).unwrap();
    let mut export = (format.begin)(Box::new(kept.clone()), &ABOUT);
    export.begin().unwrap();
    for entry in entries() {
        export.page(&entry).unwrap();
    }
    export.finish().unwrap();
    drop(export);
    kept.0.lock().unwrap().clone()
}

fn text(name: &str) -> String {
    String::from_utf8(written(name)).unwrap()
}

#[test]
fn formats_have_names_of_their_own_and_an_empty_list_is_whole() {
    let names: std::collections::HashSet<_> = FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(names.len(), FORMATS.len());
    assert!(Format::named("odd").is_none());
    for format in FORMATS {
        let kept = Kept::default();
        let mut export = (format.begin)(Box::new(kept.clone()), &ABOUT);
        export.begin().unwrap();
        export.finish().unwrap();
        drop(export);
        if format.has_records {
            continue; // no text
        }
        let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        match format.name {
            "atom" | "opml" | "gexf" => drop(roxmltree::Document::parse(&text).unwrap()),
            "csl" => assert!(
                serde_json::from_str::<Vec<serde_json::Value>>(&text)
                    .unwrap()
                    .is_empty()
            ),
            _ => {}
        }
    }
}

#[test]
fn a_table_has_no_formulas() {
    let text = text("csv");
    let mut rows = ::csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let header = rows.headers().unwrap().clone();
    let rows: Vec<::csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    let cell = |row: usize, name: &str| {
        let place = header.iter().position(|column| column == name).unwrap();
        rows[row][place].to_owned()
    };
    assert_eq!(cell(0, "title"), "Bodiam Castle, a moat & more");
    assert_eq!(cell(0, "authors"), "Curzon, George; A. Guide");
    assert_eq!(cell(0, "mark"), "target");
    assert!(cell(1, "title").starts_with("'=HYPERLINK(\"http://evil.test\") <script>"));
    assert_eq!(cell(1, "reason"), "'+1");
    assert_eq!(cell(0, "tags"), "to-read south");
    assert_eq!(cell(0, "note"), "Go there. # Soon");
    assert_eq!(cell(1, "note"), "'=1+1 <b>");
    let signs = ['=', '+', '-', '@'];
    assert!(rows.iter().flatten().all(|cell| !cell.starts_with(signs)));
}

#[test]
fn lines_of_json_have_everything() {
    let text = text("jsonl");
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["title"], entries()[1].title);
    assert_eq!(lines[0]["text"][1], "1. Built in 1385.");
    assert_eq!(lines[0]["citation"]["date"], "1926-05");
}

#[test]
fn notes_have_front_matter_and_nothing_but_text() {
    let bytes = written("md");
    let mut archive = tar::Archive::new(&bytes[..]);
    let mut notes = Vec::new();
    for file in archive.entries().unwrap() {
        let mut file = file.unwrap();
        let name = file.path().unwrap().display().to_string();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        notes.push((name, text));
    }
    assert_eq!(notes[0].0, "Bodiam Castle a moat more.md");
    let text = &notes[0].1;
    assert!(
        text.starts_with("---\ntitle: \"Bodiam Castle, a moat & more\"\nurl: "),
        "{text}"
    );
    assert!(
        text.contains("\ntags: [\"to-read\", \"south\"]\n"),
        "{text}"
    );
    assert!(
        text.contains(
            "\n---\n\n# Bodiam Castle, a moat &amp; more\n\n> Go there.\n> \\# Soon\n\nIts moat"
        ),
        "{text}"
    );
    assert!(text.contains("\n1\\. Built in 1385.\n"), "{text}");
    let (name, text) = &notes[1];
    assert!(!name.contains(['/', '<', '\\', ':']), "{name}");
    assert!(
        !text.contains("<script>") || text.find("<script>") < text.rfind("---\n"),
        "{text}"
    );
    assert!(
        text.contains("&lt;img src=x") && text.contains("\\[a\\](javascript:x)"),
        "{text}"
    );
}

#[test]
fn bibtex_is_read_by_another_parser() {
    let text = text("bibtex");
    let entries = biblatex::Bibliography::parse(&text).unwrap();
    assert_eq!(entries.len(), 2);
    let first = entries.get("curzon1926bodiam").unwrap();
    let title = |entry: &biblatex::Entry| {
        let chunks = entry.title().unwrap();
        chunks
            .iter()
            .map(|chunk| chunk.v.get().to_owned())
            .collect::<String>()
    };
    assert_eq!(title(first), "Bodiam Castle, a moat & more");
    assert_eq!(first.author().unwrap().len(), 2);
    assert_eq!(first.url().unwrap(), "http://a.test/bodiam?x=1&y=2");
    let other = entries
        .iter()
        .find(|entry| entry.key != "curzon1926bodiam")
        .unwrap();
    assert!(title(other).contains("=HYPERLINK"), "{}", title(other));
    assert_eq!(other.author().unwrap().len(), 1);
    assert_eq!(other.url().unwrap(), "http://b.test/%7Bx%7D%7D");
}

#[test]
fn ris_is_a_tag_a_line_and_ends_each_page_once() {
    let text = text("ris");
    let lines: Vec<&str> = text.lines().collect();
    let is_tag = |line: &&str| {
        let bytes = line.as_bytes();
        bytes.len() >= 6
            && bytes[..2].iter().all(u8::is_ascii_alphanumeric)
            && &line[2..6] == "  - "
    };
    assert!(lines.iter().all(is_tag), "{text}");
    let ends = lines.iter().filter(|line| line.starts_with("ER"));
    assert_eq!(ends.count(), 2);
    assert!(
        text.contains(
            "AU  - Curzon, George\r\nAU  - A. Guide\r\nPY  - 1926\r\nDA  - 1926/05//\r\n"
        )
    );
    assert!(text.contains("TY  - JOUR\r\n") && text.contains("TY  - ELEC\r\n"));
}

#[test]
fn csl_has_names_in_their_parts() {
    let items: serde_json::Value = serde_json::from_str(&text("csl")).unwrap();
    assert_eq!(items[0]["type"], "webpage");
    assert_eq!(items[0]["author"][0]["family"], "Curzon");
    assert_eq!(items[0]["author"][1]["literal"], "A. Guide");
    assert_eq!(
        items[0]["issued"]["date-parts"],
        serde_json::json!([[1926, 5]])
    );
    assert_eq!(
        items[0]["accessed"]["date-parts"],
        serde_json::json!([[2026, 1, 2]])
    );
    assert_eq!(items[1]["type"], "article-journal");
}

#[test]
fn outline_feed_and_bookmarks_are_read_by_others() {
    let outline = ::opml::OPML::from_str(&text("opml")).unwrap();
    let pages: usize = outline
        .body
        .outlines
        .iter()
        .map(|site| site.outlines.len())
        .sum();
    assert_eq!((outline.body.outlines.len(), pages), (1, 2));
    assert_eq!(
        outline.body.outlines[0].outlines[0].url.as_deref(),
        Some("http://a.test/bodiam?x=1&y=2")
    );

    let feed = atom_syndication::Feed::read_from(&written("atom")[..]).unwrap();
    assert_eq!(feed.title.value, "Castles <&>");
    assert_eq!(feed.entries.len(), 2);
    assert_eq!(
        feed.entries[0].links[0].href,
        "http://a.test/bodiam?x=1&y=2"
    );
    assert_ne!(feed.entries[0].id, feed.entries[1].id);

    let html = text("bookmarks");
    assert!(html.starts_with("<!DOCTYPE NETSCAPE-Bookmark-file-1>"));
    let page = linkscent_core::dom::html::parse(&html);
    let links: Vec<&str> = page.links.iter().map(|link| &*link.href).collect();
    assert_eq!(
        links,
        ["http://a.test/bodiam?x=1&y=2", "http://b.test/{x}%7D"]
    );
    assert!(!html.contains("<script>"));
}

/// What is written here is read here too.
#[test]
fn lists_come_back() {
    let wanted = ["http://a.test/bodiam?x=1&y=2", "http://b.test/%7Bx%7D%7D"];
    for name in [
        "ris",
        "bibtex",
        "csl",
        "opml",
        "atom",
        "bookmarks",
        "csv",
        "jsonl",
    ] {
        let pages = crate::lists::read(&text(name)).unwrap().unwrap();
        let pages: Vec<&str> = pages.iter().map(Address::as_str).collect();
        assert_eq!(pages, wanted, "{name}");
    }
}

#[test]
fn the_graph_has_every_way() {
    let text = text("gexf");
    let graph = roxmltree::Document::parse(&text).unwrap();
    let count = |name| {
        graph
            .descendants()
            .filter(|node| node.has_tag_name(("http://gexf.net/1.3", name)))
            .count()
    };
    assert_eq!((count("node"), count("edge")), (3, 2));
}

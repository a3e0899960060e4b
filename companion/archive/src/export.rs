//! Pages of a library as other programs take them: lists, notes, references, feeds, graphs, and
//! archives of the pages themselves. A format is a file here and a row of [`FORMATS`].
//!
//! What pages say is data in every format: nothing of it is a formula, markup or a command in
//! what is written.

mod atom;
mod bookmarks;
mod csv;
mod graph;
mod jsonl;
mod notes;
mod opml;
mod records;
mod references;
mod wacz;

use std::io::{self, Write};

use serde::Serialize;

use crate::citation::Citation;
use crate::invisible::without_invisible;
use crate::warc::KeptExchange;

/// A page of the library.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Entry {
    /// Name of the topic.
    pub topic: String,
    /// Its address.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Its host.
    pub site: String,
    /// The language it is in, by code.
    pub language: String,
    /// How likely it is what is looked for, 0..=1.
    pub probability: f64,
    /// What the person said of it: target (true) or not; none if nothing.
    pub mark: Option<bool>,
    /// What the person put it under.
    pub tags: Vec<String>,
    /// What the person wrote about it.
    pub note: String,
    /// Sentences that speak for it.
    pub snippet: String,
    /// Why its link was followed.
    pub reason: String,
    /// Pages from a start to it, the start first.
    pub path: Vec<String>,
    /// When the crawl that read it began, as `2026-01-02T03:04:05Z`.
    pub read: String,
    /// What it says of itself for those who cite it.
    pub citation: Citation,
    /// What it says, passage by passage.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// The page itself as it was kept, for formats that have records; none if it cannot be read.
    #[serde(skip)]
    pub kept: Option<KeptExchange>,
    /// The redirects that led to it, as they were kept, the first one first; for formats that have
    /// records.
    #[serde(skip)]
    pub redirects: Vec<KeptExchange>,
}

/// What is said of all pages together.
#[derive(Debug, Clone, Copy, Default)]
pub struct About<'a> {
    /// What the list is called.
    pub name: &'a str,
    /// When it is written, as `2026-01-02T03:04:05Z`.
    pub now: &'a str,
}

/// Begins, takes pages one by one, and ends.
pub trait Export {
    /// Writes what comes before the first page.
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Writes a page.
    fn page(&mut self, entry: &Entry) -> io::Result<()>;

    /// Writes what comes after the last page.
    fn finish(&mut self) -> io::Result<()>;
}

/// Where a format is written to.
pub type Out = Box<dyn Write + Send>;
/// A format that is to be written.
pub type AnyExport = Box<dyn Export + Send>;
/// Makes one.
pub type Begin = fn(out: Out, about: &About<'_>) -> AnyExport;

/// A format.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// What it is asked for by.
    pub name: &'static str,
    /// What it is, for people.
    pub said: &'static str,
    /// How its files end.
    pub ending: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// Whether it has the pages' whole text.
    pub has_text: bool,
    /// Whether it has the pages themselves, as they were kept.
    pub has_records: bool,
    /// Whether files of it may be cut between two pages: each part is a file of its own.
    pub is_cut: bool,
    /// Makes ready to write.
    pub begin: Begin,
}

/// All of them.
pub const FORMATS: [Format; 13] = [
    row(
        "csv",
        "table, for spreadsheets",
        "csv",
        "text/csv; charset=utf-8",
        csv::begin,
    ),
    row(
        "jsonl",
        "lines of JSON, with the text",
        "jsonl",
        "application/jsonl",
        jsonl::begin,
    )
    .with_text(),
    row(
        "md",
        "notes in Markdown, with the text",
        "tar",
        "application/x-tar",
        notes::begin,
    )
    .with_text(),
    row(
        "ris",
        "references, RIS",
        "ris",
        "application/x-research-info-systems",
        references::ris,
    ),
    row(
        "bibtex",
        "references, BibTeX",
        "bib",
        "application/x-bibtex; charset=utf-8",
        references::bibtex,
    ),
    row(
        "csl",
        "references, CSL JSON",
        "json",
        "application/vnd.citationstyles.csl+json",
        references::csl,
    ),
    row(
        "opml",
        "outline, OPML",
        "opml",
        "text/x-opml; charset=utf-8",
        opml::begin,
    ),
    row(
        "atom",
        "feed, Atom",
        "atom",
        "application/atom+xml",
        atom::begin,
    ),
    row(
        "bookmarks",
        "bookmarks for browsers",
        "html",
        "text/html; charset=utf-8",
        bookmarks::begin,
    ),
    row(
        "gexf",
        "graph of the ways there, GEXF",
        "gexf",
        "application/gexf+xml",
        graph::begin,
    ),
    row(
        "urls",
        "addresses, one a line",
        "txt",
        "text/plain; charset=utf-8",
        addresses,
    ),
    row(
        "warc",
        "the pages themselves, for archives, WARC",
        "warc.gz",
        "application/warc",
        records::begin,
    )
    .with_records()
    .in_parts(),
    row(
        "wacz",
        "the pages themselves, to be looked at and passed on, WACZ",
        "wacz",
        "application/wacz",
        wacz::begin,
    )
    .with_records(),
];

const fn row(
    name: &'static str,
    said: &'static str,
    ending: &'static str,
    media: &'static str,
    begin: Begin,
) -> Format {
    Format {
        name,
        said,
        ending,
        media,
        has_text: false,
        has_records: false,
        is_cut: false,
        begin,
    }
}

impl Format {
    const fn with_text(mut self) -> Self {
        self.has_text = true;
        self
    }

    const fn with_records(mut self) -> Self {
        self.has_records = true;
        self
    }

    const fn in_parts(mut self) -> Self {
        self.is_cut = true;
        self
    }

    /// By its name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }
}

/// Addresses, one a line.
struct Addresses(Out);

fn addresses(out: Out, _: &About<'_>) -> AnyExport {
    Box::new(Addresses(out))
}

impl Export for Addresses {
    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        writeln!(self.0, "{}", one_line(&entry.address))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A text without what ends a line, and without signs that steer a terminal or turn the
/// direction of what follows.
fn one_line(text: &str) -> String {
    let visible = without_invisible(text);
    let plain = visible.chars().map(|sign| match sign {
        sign if sign.is_control() || sign == '\u{2028}' || sign == '\u{2029}' => ' ',
        sign => sign,
    });
    linkscent_core::text::fold_space(&plain.collect::<String>())
}

/// The same for XML, which has no place for some signs at all.
fn xml(text: &str) -> String {
    let plain = one_line(text);
    let allowed = plain
        .chars()
        .filter(|sign| !matches!(sign, '\u{fffe}' | '\u{ffff}') && u32::from(*sign) >= 0x20);
    quick_xml::escape::escape(allowed.collect::<String>()).into_owned()
}

#[cfg(test)]
mod tests;

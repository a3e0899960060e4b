//! A page as the learners see it, made from a document in one pass.

mod packed;
mod words;

use std::sync::OnceLock;

use crate::address::{Address, Base};
use crate::content::Content;
use crate::dom::{Document, Form, Heading, LeafRange};
use crate::text::{Language, shorten};

pub use packed::PackedError;
pub use words::PageWords;

/// Words below which a page's Guiraud index is not computed.
const FEW_WORDS: usize = 100;
/// Guiraud's index of a page that says the same few words over and over: of 85,000 pages
/// of people a hundred have less, such as tables.
pub const LOW_GUIRAUD_INDEX: f64 = 3.2;
/// Links of a page that are looked at, the first of it: as many as a sitemap may have.
const MOST_LINKS: usize = 50_000;
/// Characters of a title at most, besides the sign that something is left out.
const LONGEST_TITLE: usize = 200;
/// Characters of body text shown as a page's snippet.
const SNIPPET: usize = 240;

/// One fetched (or read) page.
#[derive(Debug, Clone)]
pub struct Page {
    /// Where it was found, after redirects.
    pub address: Address,
    /// The language that most of its words were read in.
    pub language: Language,
    /// Its links to other pages, in document order. Links to the page itself
    /// and to what is no web page are left out; a target may occur repeatedly.
    pub outlinks: Vec<Outlink>,
    document: Document,
    words: PageWords,
    content: OnceLock<Content>,
}

/// A link to another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlink {
    /// Where it leads.
    pub target: Address,
    /// The leaves inside the link element.
    pub leaves: LeafRange,
    /// Its place among all links of the document: what a browser calls the
    /// link by.
    pub place: usize,
}

impl Page {
    /// Reads the page at `address` from its document.
    pub fn new(address: Address, mut document: Document) -> Self {
        let (words, language) = PageWords::read(&mut document);
        let outlinks = read_outlinks(&address, &document);
        Self {
            address,
            language,
            outlinks,
            document,
            words,
            content: OnceLock::new(),
        }
    }

    /// What it says, as far as it takes to tell whether that is new. Made when it is first asked for,
    /// which takes about a tenth of the time of reading the page.
    pub fn content(&self) -> &Content {
        self.content
            .get_or_init(|| Content::of(&self.document, self.outlinks.len()))
    }

    /// Distinct words by the root of all its words; `None` where there are too few
    /// for that to mean something.
    pub fn guiraud_index(&self) -> Option<f64> {
        let all = self.words.header.len() + self.words.body.len();
        (all >= FEW_WORDS).then(|| self.words.terms.len() as f64 / (all as f64).sqrt())
    }

    /// Whether it says the same few words over and over, as pages do that are made to
    /// be found ([`LOW_GUIRAUD_INDEX`]).
    pub fn is_stuffed(&self) -> bool {
        self.guiraud_index()
            .is_some_and(|guiraud_index| guiraud_index < LOW_GUIRAUD_INDEX)
    }

    /// Its title, or where it has none the first heading, or the address: 201 characters at most.
    pub fn title(&self) -> String {
        let document = &self.document;
        if !document.title.is_empty() {
            return shorten(&document.title, LONGEST_TITLE);
        }
        document
            .headings
            .iter()
            .map(|heading| document.text_of(heading.leaves))
            .find(|text| !text.is_empty())
            .map_or_else(
                || shorten(&self.address.to_string(), LONGEST_TITLE),
                |text| shorten(&text, LONGEST_TITLE),
            )
    }

    /// What the page says of itself, or the beginning of its first long text.
    pub fn snippet(&self) -> String {
        let document = &self.document;
        if document.description.chars().count() >= 40 {
            return shorten(&document.description, SNIPPET);
        }
        let mut text = String::new();
        for leaf in document.leaves().filter(|leaf| leaf.len() >= 40) {
            text.push_str(leaf);
            text.push(' ');
            if text.len() >= SNIPPET * 2 {
                break;
            }
        }
        shorten(&crate::text::fold_space(&text), SNIPPET)
    }

    /// Text of a link as a person reads it.
    pub fn anchor_text(&self, outlink: &Outlink) -> String {
        shorten(&self.document.text_of(outlink.leaves), 120)
    }

    /// The page's terms, leaf by leaf.
    pub fn words(&self) -> &PageWords {
        &self.words
    }

    /// Its `most` commonest words with their counts, the commonest first.
    pub fn heaviest_words(&self, most: usize) -> Vec<(String, u32)> {
        let words = self.words();
        let mut counts = vec![0; words.terms.len()];
        for position in words.all() {
            counts[position as usize] += 1;
        }
        let mut words: Vec<(String, u32)> = words.terms.iter().cloned().zip(counts).collect();
        words.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.truncate(most);
        words
    }

    /// Its headings in document order.
    pub fn headings(&self) -> &[Heading] {
        &self.document.headings
    }

    /// Its forms in document order.
    pub fn forms(&self) -> &[Form] {
        &self.document.forms
    }

    /// The document it was made from.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Takes in that the answer with it asks crawlers to follow none of its links.
    pub fn ask_not_to_follow(&mut self) {
        self.document.no_follow = true;
    }
}

fn read_outlinks(address: &Address, document: &Document) -> Vec<Outlink> {
    let base = match &document.base {
        Some(href) => Base::with_href(address, href),
        None => Base::of(address),
    };
    document
        .links
        .iter()
        .take(MOST_LINKS)
        .enumerate()
        .filter_map(|(place, link)| {
            let target = base.join(link.href.trim()).ok()?;
            (target != *address).then_some(Outlink {
                target,
                leaves: link.leaves,
                place,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Builder;

    fn page() -> Page {
        let mut builder = Builder::new();
        builder.title("Kidney clinic");
        builder.leaf("About dialysis:");
        builder.leaf("our centres");
        for href in ["/centres", "#top", "mailto:x@y.z", "http://b.org/"] {
            builder.link(href, LeafRange { first: 1, end: 2 });
        }
        let address = Address::parse("http://a.org/start").unwrap();
        Page::new(address, builder.finish().unwrap())
    }

    #[test]
    fn outlinks_lead_to_other_pages() {
        let targets: Vec<String> = page()
            .outlinks
            .iter()
            .map(|link| format!("{} {}", link.place, link.target))
            .collect();
        assert_eq!(targets, ["0 http://a.org/centres", "3 http://b.org/"]);
    }

    #[test]
    fn words_are_kept_leaf_by_leaf() {
        let page = page();
        let words = page.words();
        let read = |positions: &[u32]| -> Vec<&str> {
            positions
                .iter()
                .map(|&position| words.terms[position as usize].as_str())
                .collect()
        };
        assert_eq!(read(&words.header), ["kidney", "clinic"]);
        assert_eq!(read(words.leaf(0)), ["dialysi"]);
        assert_eq!(read(words.leaf(1)), ["centr"]);
        assert_eq!(words.all().count(), 4);
    }
}

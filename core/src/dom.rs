//! A page's leaves, and what lies over them (\[A\] 2.2.1, methods 1.1).
//!
//! The leaves of the body are numbered from left to right: every text node
//! that holds more than white space, and every other element without children
//! (an image's leaf holds its `alt` text). Links, headings and forms are
//! ranges of leaves. Nothing inside `head`, `script`, `style`, `noscript`,
//! `template`, `iframe` and `object` is a leaf.
//!
//! A [`Document`] comes out of one [`Builder`], whoever feeds it: the HTML
//! parser (`html`), or the extension with what it walked in the live DOM. Both
//! feeders find the leaves by the rules above; the builder bounds and checks
//! what they say.

#[cfg(feature = "html")]
pub mod html;
mod main_text;
mod outline;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::budget::ANSWER;

/// Separates leaves in a snapshot; cannot occur in a leaf.
pub const LEAF_SEPARATOR: char = '\u{1}';
/// Most leaves kept of one page; the rest is cut off.
pub const MOST_LEAVES: usize = 200_000;
/// Most links kept of one page.
pub const MOST_LINKS: usize = ANSWER.items;
/// Most forms kept of one page, and most fields of one form.
pub const MOST_FORMS: usize = 200;
/// Most bytes of leaf text kept of one page.
pub const MOST_TEXT: usize = 8 << 20;

/// Consecutive leaves `first..end`; empty when an element holds no leaf, and
/// then `first` is the number of the next leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LeafRange {
    /// Number of the first leaf inside.
    pub first: u32,
    /// One more than the number of the last leaf inside.
    pub end: u32,
}

/// Signed distance, in leaves, of a leaf from a link: negative before it, 0
/// inside, positive behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DomOffset(pub i32);

impl LeafRange {
    /// Offset of leaf number `leaf` from this range (\[A\] 2.2.1).
    pub fn offset_of(self, leaf: u32) -> DomOffset {
        let (leaf, first, end) = (i64::from(leaf), i64::from(self.first), i64::from(self.end));
        DomOffset(if leaf < first {
            (leaf - first) as i32
        } else if leaf < end {
            0
        } else {
            (leaf - (end - 1)) as i32
        })
    }
}

/// An `<a href>` or `<area href>` element.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// As written in the page.
    pub href: String,
    /// The leaves inside the element.
    pub leaves: LeafRange,
}

/// An `<h1>` to `<h6>` element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The leaves inside the element.
    pub leaves: LeafRange,
}

/// A `<form>` element with the fields it owns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// The `action` attribute as written.
    pub action: String,
    /// The `method` attribute, in lower case; `get` where there is none.
    pub method: String,
    /// Its `name`, `id` and `class` attributes, joined by spaces.
    pub naming: String,
    /// Its fields in document order.
    pub fields: Vec<Field>,
    /// The leaves inside the element and, where its fields stand elsewhere (a
    /// form begun inside a table), those up to its last field.
    pub leaves: LeafRange,
}

/// An `<input>`, `<select>`, `<textarea>` or `<button>` of a form. Carries no
/// value that a person entered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Field {
    /// The input's type, or `select`, `textarea`, `button`; in lower case.
    pub kind: String,
    /// Its `name`, `id`, `class` and `placeholder` attributes, joined by spaces.
    pub naming: String,
    /// What a button says: its `value` attribute or its text. Else empty.
    pub label: String,
    /// Number of a select's options. Else 0.
    pub options: u32,
}

/// What the learners need of a page's tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Document {
    /// Text of the first `<title>`, white space folded.
    pub title: String,
    /// The description meta element's content, white space folded.
    pub description: String,
    /// The root element's `lang` attribute.
    pub language: Option<String>,
    /// The first `<base href>` as written.
    pub base: Option<String>,
    /// Links in document order.
    pub links: Vec<Link>,
    /// Headings in document order.
    pub headings: Vec<Heading>,
    /// Forms in document order.
    pub forms: Vec<Form>,
    /// Whether something was cut off: a limit above was reached.
    pub truncated: bool,
    /// Whether it asks crawlers to follow none of its links.
    pub no_follow: bool,
    text: String,
    ends: Vec<u32>,
}

/// Whether `nofollow` is among what a page asks of crawlers, as meta elements and the header
/// `X-Robots-Tag` have it: rules between commas, some of which have a value behind a colon.
pub fn asks_not_to_follow(asked: &str) -> bool {
    let rules = asked.split(',').filter(|rule| !rule.contains(':'));
    let mut words = rules.flat_map(str::split_whitespace);
    words.any(|word| word.eq_ignore_ascii_case("nofollow") || word.eq_ignore_ascii_case("none"))
}

impl Document {
    /// Number of leaves.
    pub fn leaf_count(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Text of one leaf as it stands in the page; empty for a leaf without
    /// text.
    pub fn leaf(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[number] as usize]
    }

    /// All leaves in order.
    pub fn leaves(&self) -> impl Iterator<Item = &str> {
        (0..self.leaf_count()).map(|number| self.leaf(number))
    }

    /// Text of a range of leaves, joined by single spaces and folded.
    pub fn text_of(&self, range: LeafRange) -> String {
        let mut joined = String::new();
        for number in range.first..range.end.min(self.leaf_count()) {
            joined.push_str(self.leaf(number));
            joined.push(' ');
        }
        crate::text::fold_space(&joined)
    }

    /// All leaf texts run together, without a separator: enough to tell the
    /// language.
    pub fn raw_text(&self) -> &str {
        &self.text
    }

    /// An error unless what was read back from bytes can be a document: no more of anything than a builder
    /// takes, leaves that end where characters do, one behind the other, and ranges of them.
    pub fn check(&self) -> Result<(), BuildError> {
        let mut before = 0;
        for (index, &end) in self.ends.iter().enumerate() {
            if end < before || !self.text.is_char_boundary(end as usize) {
                return Err(BuildError::Leaf(index));
            }
            before = end;
        }
        if before as usize != self.text.len() {
            return Err(BuildError::Leaf(self.ends.len()));
        }
        let fields = self.forms.iter().map(|form| form.fields.len()).max();
        for (what, found, most) in [
            ("leaves", self.ends.len(), MOST_LEAVES),
            ("bytes of text", self.text.len(), MOST_TEXT),
            ("links", self.links.len(), MOST_LINKS),
            ("headings", self.headings.len(), MOST_LINKS),
            ("forms", self.forms.len(), MOST_FORMS),
            ("fields", fields.unwrap_or_default(), MOST_FORMS),
        ] {
            if found > most {
                return Err(BuildError::TooMany { what, found, most });
            }
        }
        let leaves = self.leaf_count();
        let links = self.links.iter().map(|link| link.leaves);
        check("link", links, leaves)?;
        let headings = self.headings.iter().map(|heading| heading.leaves);
        check("heading", headings, leaves)?;
        let forms = self.forms.iter().map(|form| form.leaves);
        check("form", forms, leaves)
    }
}

/// What a feeder said that cannot be true of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BuildError {
    /// A range that ends before it starts or beyond the last leaf.
    #[error("{what} number {index} covers leaves {first}..{end}, but the page has {leaves}")]
    Range {
        /// `link`, `heading` or `form`.
        what: &'static str,
        /// Position in document order.
        index: usize,
        /// Start as given.
        first: u32,
        /// End as given.
        end: u32,
        /// Leaves the page has.
        leaves: u32,
    },
    /// More of something than there may be.
    #[error("it has {found} {what}, and may have {most}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A leaf that ends before it begins, amid a character or beyond the text; or text behind the last
    /// one.
    #[error("leaf number {0} does not end where it can")]
    Leaf(usize),
}

/// Puts a [`Document`] together. Links and headings may be given before their
/// leaves; [`Builder::finish`] checks them all.
#[derive(Debug, Default)]
pub struct Builder {
    document: Document,
    /// Bytes of the references of all links.
    href_bytes: usize,
    /// Whether a link was left out, so that no later one takes its place.
    is_full_of_links: bool,
}

impl Builder {
    /// A builder for an empty page.
    ///
    /// ```
    /// use linkscent_core::dom::{Builder, LeafRange};
    ///
    /// let mut builder = Builder::new();
    /// builder.title("Bees");
    /// builder.leaf("Where they live:");
    /// builder.leaf("the hive");
    /// builder.link("/hive", LeafRange { first: 1, end: 2 });
    /// let document = builder.finish()?;
    /// assert_eq!(document.text_of(document.links[0].leaves), "the hive");
    /// # Ok::<(), linkscent_core::dom::BuildError>(())
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title.
    pub fn title(&mut self, text: &str) {
        self.document.title = crate::text::fold_space(text);
    }

    /// Sets the description.
    pub fn description(&mut self, text: &str) {
        self.document.description = crate::text::fold_space(text);
    }

    /// Takes in what the document asks of crawlers: the content of a meta element named `robots`,
    /// or as this program.
    pub fn robots(&mut self, content: &str) {
        self.document.no_follow |= asks_not_to_follow(content);
    }

    /// Sets the declared language.
    pub fn language(&mut self, tag: &str) {
        self.document.language = Some(tag.to_owned());
    }

    /// Sets the base reference.
    pub fn base(&mut self, href: &str) {
        self.document.base = Some(href.to_owned());
    }

    /// Number of the next leaf.
    pub fn next_leaf(&self) -> u32 {
        self.document.leaf_count()
    }

    /// Adds a leaf. Beyond [`MOST_LEAVES`] or [`MOST_TEXT`] it is left out and
    /// the document marked as truncated.
    pub fn leaf(&mut self, text: &str) {
        let document = &mut self.document;
        if document.ends.len() >= MOST_LEAVES || document.text.len() + text.len() > MOST_TEXT {
            document.truncated = true;
            return;
        }
        if text.contains(LEAF_SEPARATOR) {
            document.text.push_str(&text.replace(LEAF_SEPARATOR, " "));
        } else {
            document.text.push_str(text);
        }
        document.ends.push(document.text.len() as u32);
    }

    /// Adds a link; returns its place for [`Self::close_link`]. Beyond [`MOST_LINKS`], or
    /// [`MOST_TEXT`] bytes of references, it and all behind it are left out and the document is
    /// marked as truncated: a parser that repairs a page repeats a link again and again.
    pub fn link(&mut self, href: &str, leaves: LeafRange) -> Option<usize> {
        let is_over = self.document.links.len() >= MOST_LINKS
            || self.href_bytes.saturating_add(href.len()) > MOST_TEXT;
        self.is_full_of_links |= is_over;
        if self.is_full_of_links {
            self.document.truncated = true;
            return None;
        }
        self.href_bytes += href.len();
        self.document.links.push(Link {
            href: href.to_owned(),
            leaves,
        });
        Some(self.document.links.len() - 1)
    }

    /// Says where a link that was added at its opening ends.
    pub fn close_link(&mut self, place: usize) {
        self.document.links[place].leaves.end = self.next_leaf();
    }

    /// Adds a heading; returns its place for [`Self::close_heading`].
    pub fn heading(&mut self, level: u8, leaves: LeafRange) -> Option<usize> {
        if self.document.headings.len() >= MOST_LINKS {
            self.document.truncated = true;
            return None;
        }
        self.document.headings.push(Heading { level, leaves });
        Some(self.document.headings.len() - 1)
    }

    /// Says where a heading that was added at its opening ends.
    pub fn close_heading(&mut self, place: usize) {
        self.document.headings[place].leaves.end = self.next_leaf();
    }

    /// Adds a form.
    pub fn form(&mut self, mut form: Form) {
        if self.document.forms.len() >= MOST_FORMS {
            self.document.truncated = true;
            return;
        }
        if form.fields.len() > MOST_FORMS {
            form.fields.truncate(MOST_FORMS);
            self.document.truncated = true;
        }
        self.document.forms.push(form);
    }

    /// Says that the feeder left something out.
    pub fn cut_off(&mut self) {
        self.document.truncated = true;
    }

    /// The finished document, or what is wrong with it.
    pub fn finish(mut self) -> Result<Document, BuildError> {
        let leaves = self.document.leaf_count();
        if self.document.truncated {
            for link in &mut self.document.links {
                link.leaves = clamp(link.leaves, leaves);
            }
            for heading in &mut self.document.headings {
                heading.leaves = clamp(heading.leaves, leaves);
            }
            for form in &mut self.document.forms {
                form.leaves = clamp(form.leaves, leaves);
            }
        }
        self.document.check()?;
        Ok(self.document)
    }
}

fn clamp(range: LeafRange, leaves: u32) -> LeafRange {
    LeafRange {
        first: range.first.min(leaves),
        end: range.end.min(leaves),
    }
}

fn check(
    what: &'static str,
    ranges: impl Iterator<Item = LeafRange>,
    leaves: u32,
) -> Result<(), BuildError> {
    for (index, range) in ranges.enumerate() {
        if range.first > range.end || range.end > leaves {
            return Err(BuildError::Range {
                what,
                index,
                first: range.first,
                end: range.end,
                leaves,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_leaves_from_the_nearer_end() {
        let link = LeafRange { first: 3, end: 5 };
        let offsets: Vec<i32> = (0..8).map(|leaf| link.offset_of(leaf).0).collect();
        assert_eq!(offsets, [-3, -2, -1, 0, 0, 1, 2, 3]);
        let empty = LeafRange { first: 2, end: 2 };
        let offsets: Vec<i32> = (0..4).map(|leaf| empty.offset_of(leaf).0).collect();
        assert_eq!(offsets, [-2, -1, 1, 2]);
    }

    #[test]
    fn ranges_beyond_the_leaves_are_refused() {
        let mut builder = Builder::new();
        builder.leaf("one");
        builder.link("a", LeafRange { first: 0, end: 2 });
        assert!(matches!(
            builder.finish(),
            Err(BuildError::Range { what: "link", .. })
        ));
    }

    #[test]
    fn the_leaf_separator_never_gets_in() {
        let mut builder = Builder::new();
        builder.leaf("one\u{1}two");
        assert_eq!(builder.finish().unwrap().leaf(0), "one two");
    }

    #[test]
    fn a_page_beyond_the_limits_is_cut_not_refused() {
        let mut builder = Builder::new();
        for _ in 0..=MOST_LEAVES {
            builder.leaf("x");
        }
        let end = MOST_LEAVES as u32 + 1;
        builder.link(
            "a",
            LeafRange {
                first: end - 1,
                end,
            },
        );
        let document = builder.finish().unwrap();
        assert!(document.truncated);
        assert_eq!(document.leaf_count() as usize, MOST_LEAVES);
    }
}

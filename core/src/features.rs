//! What learners count: a page's terms with their weights, and a link's
//! context, the multiset of `<t,d>` (\[A\] 2.2.2).
//!
//! Both name terms by the topic model's vocabulary, so they can be kept, compared
//! and explained long after the page is gone.

use std::fmt;

use rustc_hash::FxHashMap;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::dom::{DomOffset, LeafRange};
use crate::page::Page;
use crate::text::{TermId, Vocabulary};

/// Farthest leaf from a link, on either side, whose words belong to the
/// link's context: \[A\]'s `dmax`.
pub const WINDOW: i32 = 5;
/// Terms kept of a page that was seen.
pub const HEAVIEST_TERMS: usize = 64;
/// Most `<t,d>` kept of one link.
pub const LARGEST_CONTEXT: usize = 200;
/// Room that most need.
const USUAL_CONTEXT: usize = 48;

/// Term counts of one page, ordered by term.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageTerms(Vec<(TermId, u32)>);

impl PageTerms {
    /// From terms in any order, repeats included.
    pub fn counted(terms: impl IntoIterator<Item = TermId>) -> Self {
        let mut counts: FxHashMap<TermId, u32> = FxHashMap::default();
        for term in terms {
            *counts.entry(term).or_default() += 1;
        }
        let mut rows: Vec<(TermId, u32)> = counts.into_iter().collect();
        rows.sort_unstable();
        Self(rows)
    }

    /// From (term, count) rows in any order, each term once. Room for more is given back: they are
    /// kept of many pages.
    pub fn from_rows(mut rows: Vec<(TermId, u32)>) -> Self {
        rows.sort_unstable();
        rows.shrink_to_fit();
        Self(rows)
    }

    /// (term, count), ordered by term.
    pub fn rows(&self) -> &[(TermId, u32)] {
        &self.0
    }

    /// (term, damped frequency `1 + ln(count)`), ordered by term.
    pub fn damped(&self) -> Vec<(TermId, f32)> {
        self.0
            .iter()
            .map(|&(term, count)| (term, 1.0 + (count as f32).ln()))
            .collect()
    }

    /// Those with numbers below a bound.
    #[must_use]
    pub fn below(&self, bound: usize) -> Self {
        let end = self.0.partition_point(|row| (row.0.0 as usize) < bound);
        Self(self.0[..end].to_vec())
    }

    /// The `most` terms with the highest counts; of equal ones those with the
    /// lower id, which the topic model met first.
    pub fn heaviest(&self, most: usize) -> Self {
        let mut rows = self.0.clone();
        rows.sort_unstable_by_key(|&(term, count)| (std::cmp::Reverse(count), term));
        rows.truncate(most);
        Self::from_rows(rows)
    }

    /// Cosine of the angle between two term-frequency vectors, 0..=1; 0 if one
    /// is empty (\[C\] 3.4).
    pub fn cosine(&self, other: &Self) -> f64 {
        let norm = |terms: &Self| {
            let squares = terms.0.iter().map(|&(_, count)| f64::from(count).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let norms = norm(self) * norm(other);
        if norms == 0.0 {
            0.0
        } else {
            // Rounding may bring it a little above.
            (self.dot(other) / norms).min(1.0)
        }
    }

    fn dot(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.0.as_slice(), other.0.as_slice());
        let mut sum = 0.0;
        while let ([(left, x), ..], [(right, y), ..]) = (a, b) {
            if left == right {
                sum += f64::from(*x) * f64::from(*y);
            }
            if left <= right {
                a = &a[1..];
            }
            if right <= left {
                b = &b[1..];
            }
        }
        sum
    }

    /// Whether the term occurs.
    pub fn contains(&self, term: TermId) -> bool {
        self.0.binary_search_by_key(&term, |row| row.0).is_ok()
    }
}

/// A term at a DOM offset, `<t,d>`, in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OffsetTerm(u32);

impl OffsetTerm {
    const OFFSET_BITS: u32 = 5;
    const BIAS: i32 = 15;
    /// Where a word at an offset would have its offset.
    const WHOLE_PAGE: u32 = 31;

    /// `offset` within -15..=15.
    pub fn new(term: TermId, offset: DomOffset) -> Self {
        let offset = (offset.0 + Self::BIAS).clamp(0, 30) as u32;
        Self((term.0 << Self::OFFSET_BITS) | offset)
    }

    /// A term that says something of the whole page with the link.
    pub fn of_page(term: TermId) -> Self {
        Self((term.0 << Self::OFFSET_BITS) | Self::WHOLE_PAGE)
    }

    /// Whether it is one of [`Self::of_page`]; its offset is then 16.
    pub fn is_of_page(self) -> bool {
        self.0 & ((1 << Self::OFFSET_BITS) - 1) == Self::WHOLE_PAGE
    }

    /// The term.
    pub fn term(self) -> TermId {
        TermId(self.0 >> Self::OFFSET_BITS)
    }

    /// Where it stands, seen from the link.
    pub fn offset(self) -> DomOffset {
        let offset = self.0 & ((1 << Self::OFFSET_BITS) - 1);
        DomOffset(offset as i32 - Self::BIAS)
    }

    /// As one number, for storing.
    pub fn to_bits(self) -> u32 {
        self.0
    }

    /// Back from [`Self::to_bits`].
    pub fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// A link's context: the `<t,d>` around it, ordered, repeats included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkContext(Box<[OffsetTerm]>);

/// Millions of them are saved with a crawl: each is written at once.
impl Serialize for LinkContext {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let bytes = self.0.iter().flat_map(|feature| feature.0.to_le_bytes());
        let mut all = Vec::with_capacity(4 * self.0.len());
        all.extend(bytes);
        to.serialize_bytes(&all)
    }
}

impl<'de> Deserialize<'de> for LinkContext {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = LinkContext;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("features of four bytes each")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<LinkContext, E> {
                let (features, rest) = bytes.as_chunks();
                if !rest.is_empty() {
                    return Err(E::invalid_length(bytes.len(), &self));
                }
                let features = features.iter().map(|&bytes| u32::from_le_bytes(bytes));
                Ok(LinkContext(features.map(OffsetTerm).collect()))
            }
        }
        from.deserialize_byte_buf(Bytes)
    }
}

impl LinkContext {
    /// From `<t,d>` in any order.
    pub fn new(mut features: Vec<OffsetTerm>) -> Self {
        features.sort_unstable();
        Self(features.into_boxed_slice())
    }

    /// The same with more features; there is nothing to do where there are none.
    #[must_use]
    pub fn with(self, more: &[OffsetTerm]) -> Self {
        if more.is_empty() {
            return self;
        }
        let mut features = self.0.into_vec();
        features.extend_from_slice(more);
        Self::new(features)
    }

    /// The `<t,d>`, ordered, repeats included.
    pub fn features(&self) -> &[OffsetTerm] {
        &self.0
    }

    /// Each distinct `<t,d>` once, with its count.
    pub fn counts(&self) -> impl Iterator<Item = (OffsetTerm, u32)> {
        self.0
            .chunk_by(|a, b| a == b)
            .map(|run| (run[0], run.len() as u32))
    }
}

/// Reads features off one page; its terms are looked up once.
pub struct FeatureReader<'a> {
    page: &'a Page,
    ids: Vec<Option<TermId>>,
}

impl<'a> FeatureReader<'a> {
    /// Prepares a page, adding its new terms to `vocabulary`. Terms that a
    /// full vocabulary no longer takes are left out of all features.
    pub fn new(page: &'a Page, vocabulary: &mut Vocabulary) -> Self {
        let words = page.words();
        let rows = words.terms.iter().zip(&words.surfaces);
        let ids = rows
            .map(|(term, surface)| vocabulary.intern(term, surface))
            .collect();
        Self { page, ids }
    }

    /// Counts of all terms of the page.
    pub fn terms(&self) -> PageTerms {
        let all = self.page.words().all();
        PageTerms::counted(all.filter_map(|term| self.ids[term as usize]))
    }

    /// The context of a link over `leaves`: every term at most [`WINDOW`]
    /// leaves away. Where there are too many, those nearest to the link stay.
    pub fn context(&self, leaves: LeafRange) -> LinkContext {
        let mut features = Vec::with_capacity(USUAL_CONTEXT);
        features.extend(self.near(leaves, WINDOW as u32).take(LARGEST_CONTEXT));
        LinkContext::new(features)
    }

    /// The whole context of a link as far as `window` leaves away, at most 15 (\[A\]'s
    /// `dmax`), however many terms that are: for experiments.
    pub fn context_within(&self, leaves: LeafRange, window: u32) -> LinkContext {
        LinkContext::new(self.near(leaves, window).collect())
    }

    /// The terms at most so many leaves away from a link, nearest leaves first.
    fn near(&self, leaves: LeafRange, window: u32) -> impl Iterator<Item = OffsetTerm> + '_ {
        let last_leaf = self.page.document().leaf_count();
        let inside = leaves.first..leaves.end;
        let around = (1..=window).flat_map(move |step| {
            let before = leaves.first.checked_sub(step);
            let behind = leaves.end.checked_add(step - 1);
            before.into_iter().chain(behind)
        });
        let near = inside.chain(around).filter(move |&leaf| leaf < last_leaf);
        near.flat_map(move |leaf| {
            let offset = leaves.offset_of(leaf);
            let terms = self.page.words().leaf(leaf).iter();
            let ids = terms.filter_map(|&term| self.ids[term as usize]);
            ids.map(move |id| OffsetTerm::new(id, offset))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::dom::Builder;

    #[test]
    fn an_offset_term_is_its_parts() {
        for offset in -15..=15 {
            let term = TermId((1 << 26) - 1);
            let both = OffsetTerm::new(term, DomOffset(offset));
            assert_eq!((both.term(), both.offset()), (term, DomOffset(offset)));
            assert!(!both.is_of_page());
        }
        let of_page = OffsetTerm::of_page(TermId(7));
        assert!(of_page.is_of_page());
        assert_eq!(
            (of_page.term(), of_page.offset()),
            (TermId(7), DomOffset(16))
        );
    }

    #[test]
    fn a_context_holds_the_window_and_no_more() {
        let mut builder = Builder::new();
        for leaf in 0..14 {
            builder.leaf(&format!("word{leaf}"));
        }
        let address = Address::parse("http://a.org/").unwrap();
        let page = Page::new(address, builder.finish().unwrap());
        let mut vocabulary = Vocabulary::default();
        let reader = FeatureReader::new(&page, &mut vocabulary);
        let context = reader.context(LeafRange { first: 7, end: 8 });
        let mut offsets: Vec<(String, i32)> = context
            .counts()
            .map(|(feature, _)| {
                let term = vocabulary.term(feature.term()).to_owned();
                (term, feature.offset().0)
            })
            .collect();
        offsets.sort_by_key(|row| row.1);
        let expected: Vec<(String, i32)> = (2..=12).map(|n| (format!("word{n}"), n - 7)).collect();
        assert_eq!(offsets, expected);
    }

    #[test]
    fn a_context_is_cut_for_crawls_and_whole_for_experiments() {
        let mut builder = Builder::new();
        builder.leaf("link");
        builder.leaf(&(0..300).map(|n| format!("word{n} ")).collect::<String>());
        builder.leaf("kidney");
        let address = Address::parse("http://a.org/").unwrap();
        let page = Page::new(address, builder.finish().unwrap());
        let mut vocabulary = Vocabulary::default();
        let reader = FeatureReader::new(&page, &mut vocabulary);
        let leaves = LeafRange { first: 0, end: 1 };
        assert_eq!(reader.context(leaves).features().len(), LARGEST_CONTEXT);
        assert_eq!(reader.context_within(leaves, 2).features().len(), 302);
        assert_eq!(reader.context_within(leaves, 1).features().len(), 301);
    }

    #[test]
    fn cosine_of_term_vectors() {
        let terms = |rows: &[(u32, u32)]| {
            PageTerms::from_rows(rows.iter().map(|&(t, n)| (TermId(t), n)).collect())
        };
        let page = terms(&[(1, 3), (2, 4)]);
        assert!((page.cosine(&page) - 1.0).abs() < 1e-12);
        assert!((page.cosine(&terms(&[(2, 1), (9, 1)])) - 4.0 / (5.0 * 2f64.sqrt())).abs() < 1e-12);
        assert_eq!(page.cosine(&terms(&[])), 0.0);
        assert_eq!(page.heaviest(1), terms(&[(2, 4)]));
    }
}

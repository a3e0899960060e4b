//! What is observed on the way to a page before it is fetched: the page with the link, and
//! the link. Of \[C\] table 1 there are the edges, the text, words of title, description and
//! headings, and both anchors. The description is held against all words of a target, since
//! no target's own is kept; tokens of addresses stand each for itself, and not for "one of
//! the targets' keywords"; words of `alt` are those of any leaf.
//!
//! Table 1 gives a page's features to the page itself; a crawler must judge a
//! link before its page is there, so here an observation joins what is known at
//! that moment: cosine to the targets, words of title, description and
//! headings and URL tokens of the page with the link; words of the link, of the
//! link that led to its page, and tokens of the URL it points to. The critic's
//! relevance, the words near the link, and how like the targets' words a link's are, are
//! ours. The last say the same of every topic, so what is learned from the paths to one
//! target holds for another.

use rustc_hash::FxHashMap;

use super::likeness::likeness;
use crate::address::Address;
use crate::critics;
use crate::features::{LinkContext, PageTerms};
use crate::models::Feature;
use crate::page::Page;
use crate::web_graph::{Judgment, WebGraph};

/// Words of titles and headings read of one page.
const MOST_WORDS: usize = 60;
/// Bins of equal width that values fall into, besides that for 0.
const BINS: f64 = 12.0;
const BIN_NAMES: [&str; 13] = [
    " = 0",
    " in 1/12",
    " in 2/12",
    " in 3/12",
    " in 4/12",
    " in 5/12",
    " in 6/12",
    " in 7/12",
    " in 8/12",
    " in 9/12",
    " in 10/12",
    " in 11/12",
    " in 12/12",
];

/// Which features are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureGroups {
    /// Words of pages and links.
    pub words: bool,
    /// All others: cosines, relevance, URL tokens.
    pub rest: bool,
    /// How like the targets' words those of a link are, and the page it stands on.
    pub likeness: bool,
}

impl FeatureGroups {
    /// All features.
    pub const ALL: Self = Self {
        words: true,
        rest: true,
        likeness: true,
    };
    /// What tells best where there is enough of the topic's own to learn from: likeness to
    /// the targets that are known already then only distracts.
    pub const OF_ONE_TOPIC: Self = Self {
        words: true,
        rest: true,
        likeness: false,
    };
    /// What means the same whatever the topic.
    pub const OF_ANY_TOPIC: Self = Self {
        words: false,
        rest: false,
        likeness: true,
    };
}

/// The words that a page shows first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageText {
    /// Of title and description.
    pub title: Vec<String>,
    /// Of headings.
    pub headings: Vec<String>,
}

impl PageText {
    /// Of a page that is there.
    pub fn of(page: &Page) -> Self {
        let words = page.words();
        let named = |terms: &mut dyn Iterator<Item = &u32>| -> Vec<String> {
            let names = terms.map(|&term| words.terms[term as usize].clone());
            names.take(MOST_WORDS).collect()
        };
        let headings = page.headings().iter();
        let leaves = headings.flat_map(|heading| heading.leaves.first..heading.leaves.end);
        Self {
            title: named(&mut words.header.iter()),
            headings: named(&mut leaves.flat_map(|leaf| words.leaf(leaf))),
        }
    }
}

/// Name of a feature <-> its number.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FeatureIndex {
    ids: FxHashMap<Box<str>, u32>,
    names: Vec<Box<str>>,
}

impl FeatureIndex {
    /// From names in the order of their numbers. `None` if one stands twice.
    pub fn from_names(names: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut feature_index = Self::default();
        for name in names {
            let next = feature_index.names.len();
            (feature_index.intern(&name) as usize == next).then_some(())?;
        }
        Some(feature_index)
    }

    /// Number of features.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The number of a feature, given out now if it is new.
    pub fn intern(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.ids.insert(name.into(), id);
        self.names.push(name.into());
        id
    }

    /// The number of a feature, if it has one.
    pub fn id(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    /// The name of a feature.
    pub fn name(&self, id: u32) -> &str {
        self.names.get(id as usize).map_or("", |name| name)
    }

    /// All names, by number.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }
}

/// Numbers of features by name: growing while training, fixed afterwards.
pub trait Lookup {
    /// The number, if there is one.
    fn number(&mut self, name: &str) -> Option<u32>;
}

impl Lookup for &mut FeatureIndex {
    fn number(&mut self, name: &str) -> Option<u32> {
        Some(self.intern(name))
    }
}

impl Lookup for &FeatureIndex {
    fn number(&mut self, name: &str) -> Option<u32> {
        self.id(name)
    }
}

/// Collects features of one observation.
struct Collector<L> {
    lookup: L,
    name: String,
    features: Vec<Feature>,
}

impl<L: Lookup> Collector<L> {
    fn new(lookup: L) -> Self {
        Self {
            lookup,
            name: String::new(),
            features: Vec::new(),
        }
    }

    fn number(&mut self, kind: &str, word: &str) -> Option<u32> {
        self.name.clear();
        self.name.push_str(kind);
        self.name.push_str(word);
        self.lookup.number(&self.name)
    }

    fn value(&mut self, kind: &str, value: f64) {
        if let Some(id) = self.number(kind, "") {
            self.features.push((id, value as f32));
        }
    }

    /// Every distinct word once; together they have length 1, so that long
    /// texts do not speak louder.
    fn words<'a>(&mut self, kind: &str, words: impl Iterator<Item = &'a str>) {
        let mut ids = Vec::new();
        let mut seen = 0.0;
        for word in words.filter(|word| !word.is_empty()) {
            seen += 1.0;
            ids.extend(self.number(kind, word));
        }
        ids.sort_unstable();
        ids.dedup();
        let value = 1.0 / f32::max(seen, 1.0).sqrt();
        self.features.extend(ids.into_iter().map(|id| (id, value)));
    }
}

impl<L: Lookup> Collector<L> {
    /// A value of 0..=1, by itself and as the bin it falls into: 0 has its own.
    fn binned(&mut self, kind: &str, value: f64) {
        let value = value.clamp(0.0, 1.0);
        let bin = if value > 0.0 {
            1 + ((value * BINS) as usize).min(BINS as usize - 1)
        } else {
            0
        };
        if value > 0.0 {
            self.value(kind, value);
        }
        if let Some(id) = self.number(kind, BIN_NAMES[bin]) {
            self.features.push((id, 1.0));
        }
    }

    /// What the critic says of a page, and the words of its address.
    fn judged(&mut self, address: &Address, judgment: Judgment) {
        self.value("page: relevance", judgment.relevance.value());
        self.value("page: similarity", judgment.similarity);
        let tokens = address.words();
        self.words("page's address: ", tokens.iter().map(String::as_str));
    }
}

/// Features of the page with the link.
pub fn page_features(
    address: &Address,
    text: &PageText,
    judgment: Judgment,
    graph: &WebGraph,
    groups: FeatureGroups,
    lookup: impl Lookup,
) -> Vec<Feature> {
    let mut found = Collector::new(lookup);
    if groups.rest {
        found.judged(address, judgment);
        let ids = text.title.iter();
        let ids = ids.filter_map(|word| graph.vocabulary.id(word));
        let header = critics::similarity(&PageTerms::counted(ids), graph);
        found.value("page: similarity of title and description", header);
    }
    if groups.likeness {
        found.binned("page like a target", judgment.similarity);
    }
    if groups.words {
        let words = text.title.iter().chain(&text.headings).take(MOST_WORDS);
        found.words("page: ", words.map(String::as_str));
    }
    found.features
}

/// Features of a page with a link of which only address and judgment are left.
pub fn known_features(
    address: &Address,
    judgment: Judgment,
    groups: FeatureGroups,
    lookup: impl Lookup,
) -> Vec<Feature> {
    let mut found = Collector::new(lookup);
    if groups.rest {
        found.judged(address, judgment);
    }
    if groups.likeness {
        found.binned("page like a target", judgment.similarity);
    }
    found.features
}

/// Features of a link: by its words and those near it, and by where it points.
pub fn link_features(
    context: &LinkContext,
    target: &Address,
    graph: &WebGraph,
    groups: FeatureGroups,
    lookup: impl Lookup,
) -> Vec<Feature> {
    let vocabulary = &graph.vocabulary;
    let mut found = Collector::new(lookup);
    found.value("any link", 1.0);
    if groups.likeness {
        for (name, value) in likeness(context, target, graph).named() {
            found.binned(name, value);
        }
    }
    if groups.rest {
        let tokens = target.words();
        found.words("link's address: ", tokens.iter().map(String::as_str));
    }
    if groups.words {
        let words = |inside: bool| {
            let features = context.counts().map(|row| row.0);
            let here = features.filter(move |word| (word.offset().0 == 0) == inside);
            here.filter(|word| !word.is_of_page())
                .map(|word| vocabulary.term(word.term()))
        };
        found.words("link: ", words(true));
        found.words("near the link: ", words(false));
    }
    found.features
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Builder, DomOffset, LeafRange};
    use crate::features::OffsetTerm;

    #[test]
    fn groups_are_read_by_themselves_and_unknown_features_left_out() {
        let mut builder = Builder::new();
        builder.title("Kidney clinic");
        builder.leaf("About dialysis");
        builder.heading(1, LeafRange { first: 0, end: 1 });
        let address = Address::parse("http://a.org/health/index").unwrap();
        let page = Page::new(address, builder.finish().unwrap());
        let graph = WebGraph::default();
        let mut feature_index = FeatureIndex::default();
        let read = |groups: FeatureGroups, feature_index: &mut FeatureIndex| {
            let (at, text) = (&page.address, PageText::of(&page));
            page_features(
                at,
                &text,
                Judgment::default(),
                &graph,
                groups,
                feature_index,
            )
            .len()
        };
        let words = FeatureGroups {
            words: true,
            rest: false,
            likeness: false,
        };
        let rest = FeatureGroups {
            words: false,
            rest: true,
            likeness: true,
        };
        let (some, others) = (
            read(words, &mut feature_index),
            read(rest, &mut feature_index),
        );
        assert!(some >= 3 && others >= 5, "{some} {others}");
        assert_eq!(read(FeatureGroups::ALL, &mut feature_index), some + others);
        assert!(feature_index.id("page: dialysi").is_some());
        let known = FeatureIndex::from_names(["page: kidney".to_owned()]).unwrap();
        let found = page_features(
            &page.address,
            &PageText::of(&page),
            Judgment::default(),
            &graph,
            FeatureGroups::ALL,
            &known,
        );
        assert_eq!(found.len(), 1);
        assert!(FeatureIndex::from_names(["a".to_owned(), "a".to_owned()]).is_none());
    }

    #[test]
    fn a_link_speaks_by_its_words_and_its_address() {
        let mut graph = WebGraph::default();
        let vocabulary = &mut graph.vocabulary;
        let (inside, near) = (
            vocabulary.intern("dialysi", "dialysis").unwrap(),
            vocabulary.intern("clinic", "clinic").unwrap(),
        );
        let context = LinkContext::new(vec![
            OffsetTerm::new(inside, DomOffset(0)),
            OffsetTerm::new(near, DomOffset(-2)),
        ]);
        let target = Address::parse("http://b.org/kidney-care").unwrap();
        let mut feature_index = FeatureIndex::default();
        link_features(
            &context,
            &target,
            &graph,
            FeatureGroups::ALL,
            &mut feature_index,
        );
        for name in [
            "any link",
            "link: dialysi",
            "near the link: clinic",
            "link's address: kidney",
        ] {
            assert!(feature_index.id(name).is_some(), "{name}");
        }
    }
}

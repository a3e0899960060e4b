//! What the links of a page say, and what they are compared with.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::super::share;
use super::mean_of_nearest;
use crate::dom::LeafRange;
use crate::features::HEAVIEST_TERMS;
use crate::meaning::Gist;
use crate::page::Page;
use crate::text::{address_terms, terms, words};
use crate::web_graph::WebGraph;

/// Leaves on either side of a link that count as next to it, and words read of each.
const NEAR: u32 = 2;
const WORDS_OF_A_LEAF: usize = 40;
/// What any word weighs, besides the length of its vector.
const LEAST_WEIGHT: f64 = 0.1;

/// The topic, as texts are compared with it.
pub(super) struct Topic {
    /// Of the name and what was said of it.
    name: Gist,
    /// Of what was said that it is not.
    unwanted: Vec<Gist>,
    targets: Vec<Gist>,
    /// The name's words: their places, and what they weigh.
    places: FxHashMap<String, usize>,
    weights: Vec<f64>,
}

impl Topic {
    pub(super) fn of(graph: &WebGraph) -> Self {
        let of_text = |text| Gist::of_text(text).unit();
        let mut name = Gist::default();
        for text in graph.wanted() {
            name += &of_text(text);
        }
        let targets = graph.targets().map(|page| {
            let heaviest = page.terms.heaviest(HEAVIEST_TERMS);
            Gist::of_page(&heaviest, &graph.vocabulary).unit()
        });
        let mut topic = Self {
            name: name.unit(),
            unwanted: graph.unwanted().map(of_text).collect(),
            targets: targets.collect(),
            places: FxHashMap::default(),
            weights: Vec::new(),
        };
        let language = graph.topic_meaning.language();
        for word in words(&graph.topic_name) {
            for term in terms(word, language) {
                topic.places.entry(term).or_insert_with(|| {
                    topic.weights.push(weight_of(&Gist::of_text(word)));
                    topic.weights.len() - 1
                });
            }
        }
        topic
    }

    /// Cosine to the topic's name and what was said of it, less by what a phrase is nearer that
    /// it is not.
    pub(super) fn to_name(&self, said: &Said) -> f64 {
        let near = said.direction.dot(&self.name);
        let others = self
            .unwanted
            .iter()
            .map(|phrase| said.direction.dot(phrase));
        let beyond = others
            .map(|other| (other - near).max(0.0))
            .fold(0.0, f32::max);
        f64::from(near - beyond)
    }

    /// Mean cosine to the two nearest targets.
    pub(super) fn to_targets(&self, said: &Said) -> f64 {
        let cosines = self.targets.iter();
        mean_of_nearest(cosines.map(|target| f64::from(said.direction.dot(target))))
    }

    /// Share of the name's words that are in a text, by weight.
    pub(super) fn share_of_name(&self, said: &Said) -> f64 {
        let there = self.weights.iter().zip(&said.has_of_name);
        let there = there.filter(|row| *row.1).map(|row| *row.0).sum();
        share(there, self.weights.iter().sum())
    }

    fn word(&self, term: &str, spelled: &str) -> Word {
        let gist = Gist::of_word(spelled);
        Word {
            weight: weight_of(&gist),
            gist,
            place: self.places.get(term).copied(),
        }
    }
}

fn weight_of(gist: &Gist) -> f64 {
    LEAST_WEIGHT + f64::from(gist.length())
}

/// A word of a page or an address.
struct Word {
    gist: Gist,
    weight: f64,
    /// Its place among the name's words.
    place: Option<usize>,
}

/// A text.
#[derive(Default)]
pub(super) struct Said {
    direction: Gist,
    has_of_name: Vec<bool>,
    weight: f64,
    weight_of_name: f64,
    words: usize,
}

impl Said {
    fn of<'w>(words: impl Iterator<Item = &'w Word>, topic: &Topic) -> Self {
        let mut said = Self {
            has_of_name: vec![false; topic.weights.len()],
            ..Self::default()
        };
        for word in words {
            said.direction += &word.gist;
            said.weight += word.weight;
            said.words += 1;
            if let Some(place) = word.place {
                said.weight_of_name += word.weight;
                said.has_of_name[place] = true;
            }
        }
        said.direction = said.direction.unit();
        said
    }

    /// Share of its words that are of the name, by weight.
    pub(super) fn share_of_name_words(&self) -> f64 {
        share(self.weight_of_name, self.weight)
    }

    pub(super) fn words(&self) -> usize {
        self.words
    }
}

/// The texts of a page.
pub(super) struct Texts<'a> {
    page: &'a Page,
    /// By the positions of the page's words.
    words: Vec<Word>,
}

impl<'a> Texts<'a> {
    pub(super) fn of(page: &'a Page, topic: &Topic) -> Self {
        let words = page.words();
        let words = words.terms.iter().zip(&words.surfaces);
        let words = words
            .map(|(term, surface)| topic.word(term, &surface.to_lowercase()))
            .collect();
        Self { page, words }
    }

    /// The page's title and description.
    pub(super) fn title(&self, topic: &Topic) -> Said {
        let positions = self.page.words().header.iter();
        Said::of(positions.map(|&at| &self.words[at as usize]), topic)
    }

    /// A link's own text, its address, the text next to it and the heading above it.
    pub(super) fn of_link(&self, topic: &Topic, outlink: usize) -> [Said; 4] {
        let leaves = self.page.outlinks[outlink].leaves;
        let before = leaves.first.saturating_sub(NEAR)..leaves.first;
        let behind = leaves.end..leaves.end.saturating_add(NEAR);
        [
            self.leaves(Some(leaves.first..leaves.end), topic),
            self.address(outlink, topic),
            self.leaves([before, behind], topic),
            self.leaves(self.heading(leaves), topic),
        ]
    }

    fn leaves(&self, ranges: impl IntoIterator<Item = Range<u32>>, topic: &Topic) -> Said {
        let count = self.page.document().leaf_count();
        let leaves = ranges.into_iter().flatten().filter(|leaf| *leaf < count);
        let words = leaves.flat_map(|leaf| {
            let positions = self.page.words().leaf(leaf).iter().take(WORDS_OF_A_LEAF);
            positions.map(|&at| &self.words[at as usize])
        });
        Said::of(words, topic)
    }

    fn heading(&self, leaves: LeafRange) -> Option<Range<u32>> {
        let headings = self.page.headings();
        let above = headings.partition_point(|heading| heading.leaves.end <= leaves.first);
        let heading = headings[above.checked_sub(1)?].leaves;
        Some(heading.first..heading.end)
    }

    /// The words of an address, but for those of the page's own host.
    fn address(&self, outlink: usize, topic: &Topic) -> Said {
        let target = &self.page.outlinks[outlink].target;
        let host = self.page.address.host();
        let mut words = target.words();
        words.retain(|word| target.host() != host || !host.contains(word.as_str()));
        let words = words.iter().filter_map(|word| {
            let term = address_terms(std::slice::from_ref(word)).pop()?;
            Some(topic.word(&term, word))
        });
        let words: Vec<Word> = words.collect();
        Said::of(words.iter(), topic)
    }
}

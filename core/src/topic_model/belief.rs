//! What the topic model takes the topic for, to be shown to the person and corrected by marks.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::TopicModel;
use crate::address::Address;
use crate::confidence::Confidence;
use crate::critics;
use crate::features::HEAVIEST_TERMS;
use crate::meaning::Meaning;
use crate::text::TermId;
use crate::web_graph::{KnownPage, Mark, WebGraph};

/// Words and pages that are named.
const MOST_WORDS: usize = 15;
const MOST_TYPICAL: usize = 5;

/// What the topic is taken for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Belief {
    /// Words of its targets that speak most for it and mean much the same as they do, as they
    /// stand on pages, the strongest first.
    pub words: Vec<String>,
    /// The targets by subtopics; empty if they are all of one that has no name.
    pub subtopics: Vec<Subtopic>,
    /// Pages seen and not marked that are likeliest of it, the likeliest first.
    pub typical: Vec<(Address, Confidence)>,
}

/// Targets of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subtopic {
    /// What the person calls it; empty where it was found.
    pub name: String,
    /// Its targets.
    pub pages: Vec<Address>,
}

impl TopicModel {
    /// What it takes the topic for now.
    pub fn belief(&self) -> Belief {
        Belief {
            words: telling_words(self),
            subtopics: subtopics(&self.graph),
            typical: typical_pages(self),
        }
    }
}

fn telling_words(topic_model: &TopicModel) -> Vec<String> {
    let graph = &topic_model.graph;
    let mut weights: FxHashMap<TermId, f64> = FxHashMap::default();
    for target in graph.targets() {
        let damped = target.terms.heaviest(HEAVIEST_TERMS).damped();
        for (term, weight) in damped {
            let speaks = topic_model.critic.word_weight(term).max(0.0) * closeness(graph, term);
            *weights.entry(term).or_default() += f64::from(weight) * speaks;
        }
    }
    let mut words: Vec<(TermId, f64)> = weights.into_iter().collect();
    words.retain(|row| row.1 > 0.0);
    words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    words.truncate(MOST_WORDS);
    let words = words.into_iter();
    words
        .map(|row| graph.vocabulary.surface(row.0).to_owned())
        .collect()
}

/// Of a word to the targets, 0..=1.
fn closeness(graph: &WebGraph, term: TermId) -> f64 {
    let vocabulary = &graph.vocabulary;
    let word = Meaning::of_terms([(term, 1.0)], vocabulary).unit();
    graph.topic_meaning.to_words(&word).max(0.0)
}

fn subtopics(graph: &WebGraph) -> Vec<Subtopic> {
    let mut subtopics: BTreeMap<usize, Subtopic> = BTreeMap::new();
    let marks = graph.marks.iter();
    let targets = marks.filter(|(_, page)| page.mark == Mark::Target);
    let subtopics_of = graph.topic_meaning.subtopics_of_targets();
    for ((address, _), number) in targets.zip(subtopics_of) {
        let subtopic = subtopics.entry(number).or_default();
        subtopic.pages.push(address.clone());
        if let Some(name) = graph.subtopics.get(address) {
            subtopic.name.clone_from(name);
        }
    }
    let subtopics: Vec<Subtopic> = subtopics.into_values().collect();
    match &subtopics[..] {
        [only] if only.name.is_empty() => Vec::new(),
        _ => subtopics,
    }
}

fn typical_pages(topic_model: &TopicModel) -> Vec<(Address, Confidence)> {
    let graph = &topic_model.graph;
    let pages = graph.pages();
    let unmarked = pages.filter(|page| graph.mark(&page.address).is_none());
    let mut good: Vec<&KnownPage> = unmarked
        .filter(|page| page.judgment.relevance.is_high())
        .collect();
    let relevance = |page: &KnownPage| page.judgment.relevance.value();
    good.sort_by(|a, b| {
        let by_relevance = relevance(b).total_cmp(&relevance(a));
        by_relevance.then_with(|| a.address.cmp(&b.address))
    });
    good.truncate(MOST_TYPICAL);
    let good = good.into_iter();
    good.map(|page| {
        let probability = critics::probability(topic_model.critic.name(), page.judgment.relevance);
        (page.address.clone(), Confidence::of(probability))
    })
    .collect()
}

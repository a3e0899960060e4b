//! Context-focused crawling (Diligenti and others 2000; \[C\]'s rival): naive Bayes
//! tells in which layer around the targets a page lies, over the words that are
//! typical of the layers, and the links of a page wait in the queue of its
//! layer; nearer layers are served first.
//!
//! A page that fits no layer well goes to the last queue.

use rustc_hash::{FxHashMap, FxHashSet};

use super::recent::Recent;
use super::{
    Candidate, Event, Explanation, Known, Learned, LinkScore, Priority, Profile, Strategy,
    StrategyState,
};
use crate::features::PageTerms;
use crate::hops::{Layers, STATES, TrainingWeb};
use crate::models::MultinomialBayes;
use crate::text::TermId;

/// Words that stand for a layer.
const WORDS: usize = 40;
/// Probability of its best layer under which a page belongs to none.
const LEAST: f64 = 0.5;
/// Words that a page counts as: naive Bayes is too sure of long ones.
const LENGTH: f64 = 20.0;

/// A naive Bayes classifier of layers around the targets, and the layer of each page passed.
#[derive(Debug, Clone)]
pub struct ContextGraph {
    bayes: MultinomialBayes<TermId>,
    words: FxHashSet<TermId>,
    /// Layer of every page that was fetched, and how likely it is.
    layers: Recent<(usize, f64)>,
}

impl ContextGraph {
    /// Learns the layers around the targets of a web that was seen.
    pub fn train(web: &TrainingWeb) -> Self {
        let Layers(layers) = web.layers();
        let words = typical_words(web, &layers);
        let mut bayes = MultinomialBayes::new(STATES);
        for (page, layer) in layers.iter().enumerate() {
            if let Some(layer) = layer {
                bayes.learn(*layer, rows(web.terms(page), &words));
            }
        }
        Self {
            bayes,
            words,
            layers: Recent::default(),
        }
    }

    /// Back from what the classifier was taught.
    pub(super) fn of(bayes: MultinomialBayes<TermId>) -> Self {
        Self {
            words: bayes.terms().map(|row| row.0).collect(),
            bayes,
            layers: Recent::default(),
        }
    }

    /// The classifier.
    pub(super) fn bayes(&self) -> &MultinomialBayes<TermId> {
        &self.bayes
    }

    fn layer(&self, terms: &PageTerms) -> (usize, f64) {
        let mut rows = rows(terms, &self.words);
        let all: f64 = rows.iter().map(|row| row.1).sum();
        for row in &mut rows {
            row.1 *= LENGTH / all;
        }
        let posteriors = self.bayes.log_posteriors(&rows);
        let best = posteriors
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1));
        match best.map(|(layer, log)| (layer, log.exp())) {
            Some((layer, probability)) if probability >= LEAST => (layer, probability),
            Some((_, probability)) => (STATES, probability),
            None => (STATES, 0.0),
        }
    }

    fn place(&self, link: &Candidate) -> (usize, f64) {
        let page = link.source().and_then(|source| self.layers.get(source));
        page.copied().unwrap_or((STATES, 0.0))
    }
}

fn rows(terms: &PageTerms, words: &FxHashSet<TermId>) -> Vec<(TermId, f64)> {
    let damped = terms.damped().into_iter();
    damped
        .filter(|row| words.contains(&row.0))
        .map(|(term, weight)| (term, f64::from(weight)))
        .collect()
}

/// The words with the highest tf-idf in each layer.
fn typical_words(web: &TrainingWeb, layers: &[Option<usize>]) -> FxHashSet<TermId> {
    let mut documents: FxHashMap<TermId, f64> = FxHashMap::default();
    for page in 0..web.len() {
        for &(term, _) in web.terms(page).rows() {
            *documents.entry(term).or_default() += 1.0;
        }
    }
    let mut words = FxHashSet::default();
    for layer in 0..STATES {
        let mut weights: FxHashMap<TermId, f64> = FxHashMap::default();
        for page in (0..web.len()).filter(|&page| layers[page] == Some(layer)) {
            for (term, weight) in web.terms(page).damped() {
                let idf = (web.len() as f64 / documents[&term]).ln();
                *weights.entry(term).or_default() += f64::from(weight) * idf;
            }
        }
        let mut ranked: Vec<(TermId, f64)> = weights.into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words.extend(ranked.into_iter().take(WORDS).map(|row| row.0));
    }
    words
}

impl Strategy for ContextGraph {
    fn profile(&self) -> Profile {
        Profile::new("context-graph")
    }

    fn score(&self, links: &[Candidate], _: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            let (layer, probability) = self.place(link);
            LinkScore::Follow(Priority::new(layer as u8, probability))
        };
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, _: Known<'_>) -> Learned {
        let Event::Page(passing) = event else {
            return Learned::Nothing;
        };
        let layer = self.layer(passing.terms);
        self.layers.keep(passing.page.address.clone(), layer);
        Learned::Nothing
    }

    fn explain(&self, link: &Candidate, _: Known<'_>) -> Explanation {
        let (layer, probability) = self.place(link);
        let label = if layer < STATES {
            format!("probability that its page lies in layer {layer}")
        } else {
            "its page fits no layer; probability of the best".to_owned()
        };
        Explanation::given(label, probability)
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(self)
    }
}

//! A context graph's classifier as bytes, without the layers of pages passed: a crawl that
//! goes on meets its pages again in its log.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, known, saved};
use crate::codec;
use crate::hops::STATES;
use crate::models::MultinomialBayes;
use crate::strategies::ContextGraph;
use crate::text::TermId;

#[derive(Serialize, Deserialize)]
struct SavedContextGraph {
    /// Pages by layer.
    documents: Vec<f64>,
    /// Terms with their occurrences by layer, ordered by term.
    terms: Vec<(u32, Vec<f64>)>,
}

impl Saved for ContextGraph {
    const LEARNER: &'static str = "context-graph";

    fn encode(&self) -> Vec<u8> {
        let bayes = self.bayes();
        let terms = bayes.terms();
        let mut terms: Vec<(u32, Vec<f64>)> = terms
            .map(|(term, counts)| (term.0, counts.to_vec()))
            .collect();
        terms.sort_unstable_by_key(|row| row.0);
        let documents = bayes.documents().to_vec();
        codec::encode(&SavedContextGraph { documents, terms })
    }

    fn decode(bytes: &[u8], known_terms: usize) -> Result<Self, StateError> {
        let read: SavedContextGraph = saved(bytes)?;
        let mut terms: Vec<(TermId, Vec<f64>)> = Vec::new();
        for (term, counts) in read.terms {
            terms.push((known(term, known_terms)?, counts));
        }
        let bayes = MultinomialBayes::new(STATES).taught(terms, read.documents);
        let bayes = bayes.ok_or(StateError::Content("counts are none, or not one a layer"))?;
        Ok(Self::of(bayes))
    }
}

//! The targets critic (\[C\] 3.4): a page is as good as its cosine to the
//! nearest target, `r = max_d cos(u,d)`, on term-frequency vectors.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::Critic;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::features::PageTerms;
use crate::text::TermId;
use crate::web_graph::{Judgment, Relevance, WebGraph};

/// Similarity from which a page is itself a target; \[C\] uses 0.5 to 0.8.
const GAMMA: f64 = 0.5;

/// Judges pages by their similarity to the targets.
#[derive(Default, Serialize, Deserialize)]
pub struct Targets {
    /// Share of the targets in which a term occurs.
    shares: FxHashMap<TermId, f64>,
}

/// Cosine of the page to the nearest target; 0 where there is none.
pub fn similarity(terms: &PageTerms, known: &WebGraph) -> f64 {
    known
        .targets()
        .map(|target| target.terms.cosine(terms))
        .fold(0.0, f64::max)
}

impl Critic for Targets {
    fn name(&self) -> &'static str {
        "targets"
    }

    fn judge_terms(&self, terms: &PageTerms, known: &WebGraph) -> Option<Judgment> {
        let similarity = similarity(terms, known);
        Some(Judgment {
            relevance: Relevance::new(similarity),
            log_odds: 0.0,
            similarity,
            is_target: similarity >= GAMMA,
        })
    }

    /// A word of every target speaks with log-odds 2; a cosine has no log-odds
    /// of its own.
    fn word_weight(&self, term: TermId) -> f64 {
        2.0 * self.shares.get(&term).copied().unwrap_or(0.0)
    }

    fn refresh(&mut self, known: &WebGraph) {
        self.shares.clear();
        let targets = known.targets().count() as f64;
        for target in known.targets() {
            for &(term, _) in target.terms.rows() {
                *self.shares.entry(term).or_default() += 1.0 / targets;
            }
        }
    }

    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(self)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        *self = from.take()?;
        Ok(())
    }
}

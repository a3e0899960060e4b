//! A model of hop distances as bytes.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, address, saved};
use crate::codec;
use crate::hops::{FeatureGroups, FeatureIndex, LINK_LIKENESS, STATES};
use crate::models::{ChainKind, ChainModel, ChainWeights, Inference, Scores};
use crate::strategies::{HopChain, PassedPage};

#[derive(Serialize, Deserialize)]
pub(crate) struct SavedHopChain {
    is_memm: bool,
    with_steps: bool,
    weights: Vec<f64>,
    /// Features, by number.
    names: Vec<String>,
    words: bool,
    rest: bool,
    by_best_path: bool,
    passed: Vec<SavedPage>,
}

#[derive(Serialize, Deserialize)]
struct SavedPage {
    address: String,
    belief: Vec<f64>,
    nodes: Vec<f64>,
    steps: Vec<f64>,
}

impl SavedHopChain {
    fn of(chain: &HopChain) -> Self {
        let weights = &chain.model().weights;
        let passed = chain.passed().map(|page| SavedPage {
            address: page.address.to_string(),
            belief: page.belief,
            nodes: page.scores.nodes,
            steps: page.scores.steps,
        });
        Self {
            is_memm: chain.model().kind == ChainKind::Memm,
            with_steps: weights.with_steps(),
            weights: weights.values().to_vec(),
            names: chain.feature_index().names().map(str::to_owned).collect(),
            words: chain.groups().words,
            rest: chain.groups().rest,
            by_best_path: chain.inference() == Inference::Viterbi,
            passed: passed.collect(),
        }
    }

    pub(crate) fn into_chain(self) -> Result<HopChain, StateError> {
        let weights = ChainWeights::from_values(STATES, self.with_steps, self.weights)
            .ok_or(StateError::Content("weights do not fit or are no numbers"))?;
        let feature_index = FeatureIndex::from_names(self.names)
            .ok_or(StateError::Content("a feature stands in it twice"))?;
        let kind = if self.is_memm {
            ChainKind::Memm
        } else {
            ChainKind::Crf
        };
        let model = ChainModel { kind, weights };
        let groups = FeatureGroups {
            words: self.words,
            rest: self.rest,
            likeness: feature_index.id(LINK_LIKENESS).is_some(),
        };
        let inference = if self.by_best_path {
            Inference::Viterbi
        } else {
            Inference::Marginal
        };
        let mut chain = HopChain::new(model, feature_index, groups, inference);
        for page in self.passed {
            chain.pass(page.into_page()?);
        }
        Ok(chain)
    }
}

impl SavedPage {
    fn into_page(self) -> Result<PassedPage, StateError> {
        let lengths = [self.belief.len(), self.nodes.len(), self.steps.len()];
        let mut numbers = self.belief.iter().chain(&self.nodes).chain(&self.steps);
        if lengths != [STATES, STATES, STATES * STATES] || !numbers.all(|value| value.is_finite()) {
            return Err(StateError::Content("a belief is none"));
        }
        Ok(PassedPage {
            address: address(&self.address)?,
            belief: self.belief,
            scores: Scores {
                nodes: self.nodes,
                steps: self.steps,
            },
        })
    }
}

impl Saved for HopChain {
    const LEARNER: &'static str = "hop-distance";

    fn encode(&self) -> Vec<u8> {
        codec::encode(&SavedHopChain::of(self))
    }

    fn decode(bytes: &[u8], _known_terms: usize) -> Result<Self, StateError> {
        saved::<SavedHopChain>(bytes)?.into_chain()
    }
}

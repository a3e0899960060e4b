//! The two models of \[C\] that weigh features of what is seen: MEMM (3.2) and CRF (3.3).
//!
//! Both add up the same weights ([`ChainWeights`]); they differ in what they normalise:
//! each state given the one before, or whole sequences of states.

use super::chain_weights::{ChainWeights, Potentials, Prior, Scores};
use super::lbfgs::{Ended, Iteration, Stopping};
use super::sequences::{Feature, Sequences};
use super::{crf, memm};

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainKind {
    /// Conditional random field.
    Crf,
    /// Maximum-entropy Markov model.
    Memm,
}

impl ChainKind {
    /// What it is called in topics and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crf => "crf",
            Self::Memm => "memm",
        }
    }
}

/// How a belief is carried on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inference {
    /// Over all paths (\[C\] eq. 19).
    #[default]
    Marginal,
    /// By the best path (\[C\] eq. 24).
    Viterbi,
}

/// A model of sequences of states, given what was observed at each position.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainModel {
    /// Which of them.
    pub kind: ChainKind,
    /// What it has learned.
    pub weights: ChainWeights,
}

impl ChainModel {
    /// Trains, starting from these weights: zeros, or those of an earlier model.
    /// `on_iteration` hears of every iteration.
    pub fn train(
        kind: ChainKind,
        start: ChainWeights,
        sequences: &Sequences,
        prior: Prior,
        stopping: Stopping,
        on_iteration: impl FnMut(Iteration),
    ) -> (Self, Ended) {
        let loss = match kind {
            ChainKind::Crf => crf::loss,
            ChainKind::Memm => memm::loss,
        };
        let (weights, ended) = start.trained(sequences, prior, stopping, loss, on_iteration);
        (Self { kind, weights }, ended)
    }

    /// Log-potentials of the chain over these observations.
    pub fn potentials(&self, observations: &[&[Feature]]) -> Potentials {
        match self.kind {
            ChainKind::Crf => self.weights.potentials(observations),
            ChainKind::Memm => memm::potentials(&self.weights, observations),
        }
    }

    /// The next position's belief from that of the position before, both as probabilities
    /// that sum to 1: the belief while crawling. `before` is empty at the start.
    pub fn forward_step(
        &self,
        before: &[f64],
        observation: &[Feature],
        inference: Inference,
    ) -> Vec<f64> {
        self.forward(before, &self.weights.scores(observation), inference)
    }

    /// The same from the scores of the observation.
    pub fn forward(&self, before: &[f64], scores: &Scores, inference: Inference) -> Vec<f64> {
        let best_only = inference == Inference::Viterbi;
        match self.kind {
            ChainKind::Crf => crf::forward(&self.weights, before, scores, best_only),
            ChainKind::Memm => memm::forward(&self.weights, before, scores, best_only),
        }
    }
}

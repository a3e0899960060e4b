//! The weights of MEMM and CRF: both add up the same features (\[C\] table 1,
//! eq. 13, 26) and differ in what they normalise.
//!
//! A weight for every step from state to state, `L1(i,j)`; for every feature
//! of an observation one for each state, the feature conjoined with `L2(j)`;
//! and, if wanted, one for each step, the feature conjoined with `L1(i,j)`.

use serde::{Deserialize, Serialize};

use super::chain::{Chain, Steps};
use super::lbfgs::{self, Ended, Iteration, Stopping};
use super::sequences::{Feature, Sequences};

/// The weights, at their features and states.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainWeights {
    states: usize,
    with_steps: bool,
    /// `k * k` for the steps, then a block a feature: `k` for the states and,
    /// if wanted, `k * k` for the steps.
    values: Vec<f64>,
}

/// Minus the log-likelihood of sequences under the weights; writes its gradient.
/// Weights that the mask leaves out have no slope.
pub(super) type Loss = fn(&ChainWeights, &Sequences, Prior, Option<&[bool]>, &mut [f64]) -> f64;

/// What weights are trained with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// Variance of the Gaussian that every weight is thought to come from.
    pub variance: f64,
    /// Whether only those weights are trained whose feature and state occur
    /// together in the training sequences; the others stay 0.
    pub observed_only: bool,
}

impl Default for Prior {
    fn default() -> Self {
        Self {
            variance: 1.0,
            observed_only: false,
        }
    }
}

impl ChainWeights {
    /// All zero, for so many states and features.
    pub fn new(states: usize, features: usize, with_steps: bool) -> Self {
        let mut weights = Self {
            states,
            with_steps,
            values: Vec::new(),
        };
        weights.values = vec![0.0; states * states + features * weights.block()];
        weights
    }

    /// Back from [`Self::values`]. `None` if they do not fit together or are not
    /// finite.
    pub fn from_values(states: usize, with_steps: bool, values: Vec<f64>) -> Option<Self> {
        let weights = Self {
            states,
            with_steps,
            values,
        };
        let rest = weights.values.len().checked_sub(states * states)?;
        let fits = states > 0 && rest.is_multiple_of(weights.block());
        (fits && weights.values.iter().all(|value| value.is_finite())).then_some(weights)
    }

    /// The same with room for more features; new ones weigh nothing.
    pub fn grow(&mut self, features: usize) {
        let length = self.states * self.states + features * self.block();
        if length > self.values.len() {
            self.values.resize(length, 0.0);
        }
    }

    /// The same with these features only, numbered again in their order.
    #[must_use]
    pub fn with_features(&self, features: &[u32]) -> Self {
        let steps = self.states * self.states;
        let mut values = self.values[..steps].to_vec();
        for &feature in features {
            let start = steps + feature as usize * self.block();
            values.extend_from_slice(&self.values[start..start + self.block()]);
        }
        Self {
            values,
            ..self.clone()
        }
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        (self.values.len() - self.states * self.states) / self.block()
    }

    /// Whether features are conjoined with steps too.
    pub fn with_steps(&self) -> bool {
        self.with_steps
    }

    /// All weights: steps first, then a block a feature.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    fn block(&self) -> usize {
        if self.with_steps {
            self.states + self.states * self.states
        } else {
            self.states
        }
    }

    /// Weight of a step.
    pub fn step(&self, from: usize, to: usize) -> f64 {
        self.values[from * self.states + to]
    }

    /// Weights of a feature by state; nothing for one that was never trained.
    pub fn by_state(&self, feature: u32) -> &[f64] {
        let start = self.states * self.states + feature as usize * self.block();
        self.values.get(start..start + self.states).unwrap_or(&[])
    }

    /// Weights of a feature by step, `k * k`; nothing if there are none.
    fn by_step(&self, feature: u32) -> &[f64] {
        let start = self.states * self.states + feature as usize * self.block() + self.states;
        let end = if self.with_steps {
            start + self.states * self.states
        } else {
            start
        };
        self.values.get(start..end).unwrap_or(&[])
    }

    /// Adds the scores of the states at an observation to `scores`.
    pub fn add_node_scores(&self, observation: &[Feature], scores: &mut [f64]) {
        for &(feature, value) in observation {
            for (score, weight) in scores.iter_mut().zip(self.by_state(feature)) {
                *score += f64::from(value) * weight;
            }
        }
    }

    /// Adds the scores of the steps into an observation to `scores`, `k * k`.
    pub fn add_step_scores(&self, observation: &[Feature], scores: &mut [f64]) {
        for (score, weight) in scores.iter_mut().zip(&self.values) {
            *score += weight;
        }
        if self.with_steps {
            for &(feature, value) in observation {
                for (score, weight) in scores.iter_mut().zip(self.by_step(feature)) {
                    *score += f64::from(value) * weight;
                }
            }
        }
    }

    /// Adds `factor[state] * value` of every feature to its place in a gradient.
    pub(super) fn add_node_gradient(
        &self,
        observation: &[Feature],
        factors: &[f64],
        gradient: &mut [f64],
    ) {
        let (first, block) = (self.states * self.states, self.block());
        for &(feature, value) in observation {
            let start = first + feature as usize * block;
            for (slot, factor) in gradient[start..][..self.states].iter_mut().zip(factors) {
                *slot += f64::from(value) * factor;
            }
        }
    }

    /// The same for steps, `k * k`.
    pub(super) fn add_step_gradient(
        &self,
        observation: &[Feature],
        factors: &[f64],
        gradient: &mut [f64],
    ) {
        let size = self.states * self.states;
        for (slot, factor) in gradient[..size].iter_mut().zip(factors) {
            *slot += factor;
        }
        if !self.with_steps {
            return;
        }
        let block = self.block();
        for &(feature, value) in observation {
            let start = size + feature as usize * block + self.states;
            for (slot, factor) in gradient[start..][..size].iter_mut().zip(factors) {
                *slot += f64::from(value) * factor;
            }
        }
    }

    /// Scores of the states at an observation and of the steps into it.
    pub fn scores(&self, observation: &[Feature]) -> Scores {
        let k = self.states;
        let mut scores = Scores {
            nodes: vec![0.0; k],
            steps: vec![0.0; k * k],
        };
        self.add_node_scores(observation, &mut scores.nodes);
        self.add_step_scores(observation, &mut scores.steps);
        scores
    }

    /// The same with more features in the observation.
    #[must_use]
    pub fn more_scores(&self, mut scores: Scores, more: &[Feature]) -> Scores {
        self.add_node_scores(more, &mut scores.nodes);
        if self.with_steps {
            for &(feature, value) in more {
                for (score, weight) in scores.steps.iter_mut().zip(self.by_step(feature)) {
                    *score += f64::from(value) * weight;
                }
            }
        }
        scores
    }

    /// Log-potentials of observations in a row, as a CRF adds them up.
    pub fn potentials(&self, observations: &[&[Feature]]) -> Potentials {
        let k = self.states;
        let mut nodes = vec![0.0; observations.len() * k];
        let mut steps = vec![0.0; observations.len().saturating_sub(1) * k * k];
        for (at, observation) in observations.iter().enumerate() {
            self.add_node_scores(observation, &mut nodes[at * k..][..k]);
            if at > 0 {
                self.add_step_scores(observation, &mut steps[(at - 1) * k * k..][..k * k]);
            }
        }
        Potentials {
            states: k,
            nodes,
            steps,
        }
    }

    /// Trains them, as a model that has this loss (\[C\] eq. 16, 33): from where
    /// they are, with room for all features of the sequences.
    pub(super) fn trained(
        mut self,
        sequences: &Sequences,
        prior: Prior,
        stopping: Stopping,
        loss: Loss,
        on_iteration: impl FnMut(Iteration),
    ) -> (Self, Ended) {
        self.grow(sequences.feature_count());
        let mask = prior.observed_only.then(|| self.observed(sequences));
        let first = self.values.clone();
        let function = |values: &[f64], gradient: &mut [f64]| {
            self.values.copy_from_slice(values);
            loss(&self, sequences, prior, mask.as_deref(), gradient)
        };
        let (values, ended) = lbfgs::minimise(first, stopping, function, on_iteration);
        self.values = values;
        (self, ended)
    }

    /// Which weights' feature and state occur together in the sequences.
    pub(super) fn observed(&self, sequences: &Sequences) -> Vec<bool> {
        let mut counts = vec![0.0; self.values.len()];
        let k = self.states;
        for positions in sequences.iter() {
            let first = positions.start;
            for at in positions {
                let (state, observation) = (sequences.state(at), sequences.observation(at));
                let present: Vec<Feature> = observation.iter().map(|row| (row.0, 1.0)).collect();
                let mut factors = vec![0.0; k];
                factors[state] = 1.0;
                self.add_node_gradient(&present, &factors, &mut counts);
                if at > first {
                    let mut factors = vec![0.0; k * k];
                    factors[sequences.state(at - 1) * k + state] = 1.0;
                    self.add_step_gradient(&present, &factors, &mut counts);
                }
            }
        }
        counts.into_iter().map(|count| count > 0.0).collect()
    }
}

/// What an observation adds up to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// By state.
    pub nodes: Vec<f64>,
    /// By step, row = from: `k * k`.
    pub steps: Vec<f64>,
}

/// A chain's log-potentials, owned.
#[derive(Debug, Clone, PartialEq)]
pub struct Potentials {
    states: usize,
    nodes: Vec<f64>,
    steps: Vec<f64>,
}

impl Potentials {
    /// As a chain.
    pub fn chain(&self) -> Chain<'_> {
        Chain {
            states: self.states,
            nodes: &self.nodes,
            steps: Steps::Each(&self.steps),
        }
    }

    pub(super) fn from_parts(states: usize, nodes: Vec<f64>, steps: Vec<f64>) -> Self {
        Self {
            states,
            nodes,
            steps,
        }
    }
}

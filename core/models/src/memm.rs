//! Maximum-entropy Markov model (\[C\] 3.2, eq. 13-17): the distribution of each
//! state, given the state before and the observation, normalised by itself.
//!
//! The weights are those of a CRF; the step from nothing to the first state has
//! no weight of its own.

use super::chain_weights::{ChainWeights, Potentials, Prior, Scores};
use super::crf::{add_prior, probabilities};
use super::sequences::{Feature, Sequences};

/// `P(state | state before, observation)`; `before` is `None` at the start.
fn next(weights: &ChainWeights, before: Option<usize>, observation: &[Feature]) -> Vec<f64> {
    probabilities(&scores(weights, before, observation))
}

/// Log-potentials of the chain over these observations: log-probabilities, so that all
/// paths sum to 1.
pub(super) fn potentials(weights: &ChainWeights, observations: &[&[Feature]]) -> Potentials {
    let k = weights.states();
    let mut nodes = vec![0.0; observations.len() * k];
    let mut steps = Vec::new();
    for (at, observation) in observations.iter().enumerate() {
        if at == 0 {
            let first = next(weights, None, observation);
            for (value, probability) in nodes[..k].iter_mut().zip(first) {
                *value = probability.ln();
            }
            continue;
        }
        for from in 0..k {
            let next = next(weights, Some(from), observation);
            steps.extend(next.into_iter().map(f64::ln));
        }
    }
    Potentials::from_parts(k, nodes, steps)
}

/// The next position's belief from that of the position before, by the scores of its
/// observation.
pub(super) fn forward(
    weights: &ChainWeights,
    before: &[f64],
    scores: &Scores,
    best_only: bool,
) -> Vec<f64> {
    let k = weights.states();
    if before.len() != k {
        return probabilities(&scores.nodes);
    }
    let mut belief = vec![0.0_f64; k];
    for (from, probability_before) in before.iter().enumerate() {
        let steps = scores.steps[from * k..][..k].iter();
        let sums: Vec<f64> = steps.zip(&scores.nodes).map(|(a, b)| a + b).collect();
        for (slot, probability) in belief.iter_mut().zip(probabilities(&sums)) {
            let path = probability_before * probability;
            *slot = if best_only {
                slot.max(path)
            } else {
                *slot + path
            };
        }
    }
    let all: f64 = belief.iter().sum();
    if all > 0.0 {
        for probability in &mut belief {
            *probability /= all;
        }
    }
    belief
}

fn scores(weights: &ChainWeights, before: Option<usize>, observation: &[Feature]) -> Vec<f64> {
    let k = weights.states();
    let mut scores = vec![0.0; k];
    weights.add_node_scores(observation, &mut scores);
    if let Some(from) = before {
        let mut steps = vec![0.0; k * k];
        weights.add_step_scores(observation, &mut steps);
        for (score, step) in scores.iter_mut().zip(&steps[from * k..]) {
            *score += step;
        }
    }
    scores
}

/// Minus the log-likelihood, the prior among it, and its gradient. Weights that
/// `mask` leaves out have no slope.
pub fn loss(
    weights: &ChainWeights,
    sequences: &Sequences,
    prior: Prior,
    mask: Option<&[bool]>,
    gradient: &mut [f64],
) -> f64 {
    gradient.fill(0.0);
    let k = weights.states();
    let mut loss = 0.0;
    for positions in sequences.iter() {
        let first = positions.start;
        for at in positions {
            let before = (at > first).then(|| sequences.state(at - 1));
            let (observation, state) = (sequences.observation(at), sequences.state(at));
            let mut factors = probabilities(&scores(weights, before, observation));
            loss -= factors[state].max(f64::MIN_POSITIVE).ln();
            factors[state] -= 1.0;
            weights.add_node_gradient(observation, &factors, gradient);
            if let Some(from) = before {
                let mut steps = vec![0.0; k * k];
                steps[from * k..][..k].copy_from_slice(&factors);
                weights.add_step_gradient(observation, &steps, gradient);
            }
        }
    }
    loss + add_prior(weights, prior, mask, gradient)
}

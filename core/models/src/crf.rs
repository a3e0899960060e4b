//! Linear-chain conditional random field (\[C\] 3.3, eq. 26-36): one distribution
//! over whole sequences of states, given the observations.
//!
//! Its chain is that of [`ChainWeights::potentials`]. Training maximises the likelihood
//! with a Gaussian prior by L-BFGS. The prior's share of the derivative is `weight / variance` for that one weight.

use super::chain::{Chain, Marginals, Steps};
use super::chain_weights::{ChainWeights, Prior, Scores};
use super::sequences::Sequences;

/// The next position's forward values from those of the position before, by the scores
/// of its observation.
pub(super) fn forward(
    weights: &ChainWeights,
    before: &[f64],
    scores: &Scores,
    best_only: bool,
) -> Vec<f64> {
    let k = weights.states();
    let mut sums = scores.nodes.clone();
    if before.len() == k {
        for (to, sum) in sums.iter_mut().enumerate() {
            let paths = before.iter().enumerate();
            let paths =
                paths.map(|(from, probability)| probability.ln() + scores.steps[from * k + to]);
            *sum += if best_only {
                paths.fold(f64::NEG_INFINITY, f64::max)
            } else {
                super::chain::log_sum_exp(paths)
            };
        }
    }
    probabilities(&sums)
}

/// `exp` of the scores, made to sum to 1.
pub(super) fn probabilities(scores: &[f64]) -> Vec<f64> {
    let all = super::chain::log_sum_exp(scores.iter().copied());
    scores.iter().map(|score| (score - all).exp()).collect()
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
    let mut loss = 0.0;
    for positions in sequences.iter() {
        loss += sequence_loss(weights, sequences, positions, gradient);
    }
    loss + add_prior(weights, prior, mask, gradient)
}

fn sequence_loss(
    weights: &ChainWeights,
    sequences: &Sequences,
    positions: std::ops::Range<usize>,
    gradient: &mut [f64],
) -> f64 {
    let k = weights.states();
    let first = positions.start;
    let mut nodes = vec![0.0; positions.len() * k];
    for at in positions.clone() {
        let scores = &mut nodes[(at - first) * k..][..k];
        weights.add_node_scores(sequences.observation(at), scores);
    }
    let mut each = Vec::new();
    if weights.with_steps() {
        each.resize((positions.len() - 1) * k * k, 0.0);
        for at in positions.clone().skip(1) {
            let scores = &mut each[(at - first - 1) * k * k..][..k * k];
            weights.add_step_scores(sequences.observation(at), scores);
        }
    }
    let chain = Chain {
        states: k,
        nodes: &nodes,
        steps: if weights.with_steps() {
            Steps::Each(&each)
        } else {
            Steps::Same(&weights.values()[..k * k])
        },
    };
    let Marginals {
        log_sum,
        nodes: mut expected,
        mut steps,
    } = chain.marginals();
    let states: Vec<usize> = positions.clone().map(|at| sequences.state(at)).collect();
    let loss = log_sum - chain.log_potential(&states);
    for at in positions.clone() {
        let place = at - first;
        let factors = &mut expected[place * k..][..k];
        factors[states[place]] -= 1.0;
        weights.add_node_gradient(sequences.observation(at), factors, gradient);
        if place > 0 {
            let factors = &mut steps[(place - 1) * k * k..][..k * k];
            factors[states[place - 1] * k + states[place]] -= 1.0;
            weights.add_step_gradient(sequences.observation(at), factors, gradient);
        }
    }
    loss
}

/// The prior's share of the loss; adds its share of the gradient and takes the
/// slopes of masked weights away.
pub(super) fn add_prior(
    weights: &ChainWeights,
    prior: Prior,
    mask: Option<&[bool]>,
    gradient: &mut [f64],
) -> f64 {
    let mut squares = 0.0;
    for (slope, weight) in gradient.iter_mut().zip(weights.values()) {
        *slope += weight / prior.variance;
        squares += weight * weight;
    }
    for (slope, is_trained) in gradient.iter_mut().zip(mask.into_iter().flatten()) {
        if !is_trained {
            *slope = 0.0;
        }
    }
    squares / (2.0 * prior.variance)
}

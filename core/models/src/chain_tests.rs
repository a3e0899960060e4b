//! MEMM and CRF against finite differences and enumeration.

use super::chain::{Steps, log_sum_exp};
use super::chain_model::{ChainKind, ChainModel, Inference};
use super::chain_weights::{ChainWeights, Loss, Prior};
use super::crf;
use super::lbfgs::Stopping;
use super::memm;
use super::sequences::{Feature, Sequences};
use crate::rng::{Rng, SplitMix};

const STATES: usize = 3;
const FEATURES: usize = 7;

fn sequences(seed: u64, count: usize) -> Sequences {
    let mut rng = SplitMix(seed);
    let mut number = |below: usize| (rng.unit() * below as f64) as usize;
    let mut sequences = Sequences::default();
    for _ in 0..count {
        let length = 1 + number(4);
        let positions: Vec<(Vec<Feature>, u8)> = (0..length)
            .map(|_| {
                let state = number(STATES);
                let features = (0..3).map(|n| {
                    // One feature tells the state, two do not.
                    let feature = if n == 0 { state } else { number(FEATURES) };
                    (feature as u32, 0.5 + number(3) as f32)
                });
                (features.collect(), state as u8)
            })
            .collect();
        sequences.push(positions);
    }
    sequences
}

fn weights(with_steps: bool, seed: u64) -> ChainWeights {
    let empty = ChainWeights::new(STATES, FEATURES, with_steps);
    let mut rng = SplitMix(seed);
    let values = empty.values().iter().map(|_| rng.unit() - 0.5).collect();
    ChainWeights::from_values(STATES, with_steps, values).unwrap()
}

#[test]
fn gradients_equal_finite_differences() {
    let sequences = sequences(5, 12);
    let prior = Prior {
        variance: 2.0,
        ..Prior::default()
    };
    for loss in [crf::loss as Loss, memm::loss] {
        for with_steps in [false, true] {
            let weights = weights(with_steps, 6);
            let mut gradient = vec![0.0; weights.values().len()];
            loss(&weights, &sequences, prior, None, &mut gradient);
            let mut ignored = gradient.clone();
            for (place, slope) in gradient.iter().enumerate() {
                let mut at = |change: f64| {
                    let mut values = weights.values().to_vec();
                    values[place] += change;
                    let moved = ChainWeights::from_values(STATES, with_steps, values).unwrap();
                    loss(&moved, &sequences, prior, None, &mut ignored)
                };
                let step = 1e-4;
                // Fourth order, so that the difference itself is exact enough.
                let by_difference = (8.0 * (at(step) - at(-step)) - at(2.0 * step)
                    + at(-2.0 * step))
                    / (12.0 * step);
                assert!(
                    (by_difference - slope).abs() < 1e-6,
                    "{place}: {by_difference} {slope}"
                );
            }
        }
    }
}

#[test]
fn the_loss_of_a_crf_is_that_of_all_paths() {
    let sequences = sequences(5, 1);
    let weights = weights(true, 6);
    let positions = sequences.iter().next().unwrap();
    let observations: Vec<&[Feature]> = positions
        .clone()
        .map(|at| sequences.observation(at))
        .collect();
    let potentials = weights.potentials(&observations);
    let chain = potentials.chain();
    let n = observations.len();
    let paths = (0..STATES.pow(n as u32)).map(|mut code| -> Vec<usize> {
        (0..n)
            .map(|_| {
                let digit = code % STATES;
                code /= STATES;
                digit
            })
            .collect()
    });
    let sums: Vec<f64> = paths.map(|path| chain.log_potential(&path)).collect();
    let truth: Vec<usize> = positions.map(|at| sequences.state(at)).collect();
    let by_hand = log_sum_exp(sums.iter().copied()) - chain.log_potential(&truth);
    let flat = Prior {
        variance: f64::INFINITY,
        ..Prior::default()
    };
    let mut gradient = vec![0.0; weights.values().len()];
    let loss = crf::loss(&weights, &sequences, flat, None, &mut gradient);
    assert!((loss - by_hand).abs() < 1e-9, "{loss} {by_hand}");
    let whole: f64 = chain
        .n_best(usize::MAX)
        .iter()
        .map(|path| path.log_potential.exp())
        .sum();
    assert!((whole.ln() - chain.marginals().log_sum).abs() < 1e-9);
}

#[test]
fn a_memm_gives_probabilities() {
    let memm = ChainModel {
        kind: ChainKind::Memm,
        weights: weights(true, 6),
    };
    let sequences = sequences(5, 20);
    for positions in sequences.iter() {
        let observations: Vec<&[Feature]> = positions
            .clone()
            .map(|at| sequences.observation(at))
            .collect();
        let potentials = memm.potentials(&observations);
        let found = potentials.chain().marginals();
        assert!(found.log_sum.abs() < 1e-9, "all paths sum to 1");
        // The forward steps are the marginals of a chain that ends there.
        let mut belief = Vec::new();
        for observation in &observations {
            belief = memm.forward_step(&belief, observation, Inference::Marginal);
            assert!((belief.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        let last = &found.nodes[found.nodes.len() - STATES..];
        let apart = belief.iter().zip(last).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-9);
    }
}

#[test]
fn the_forward_steps_of_a_crf_are_marginals_at_the_end() {
    let crf = ChainModel {
        kind: ChainKind::Crf,
        weights: weights(true, 6),
    };
    let sequences = sequences(5, 20);
    for positions in sequences.iter() {
        let observations: Vec<&[Feature]> = positions
            .clone()
            .map(|at| sequences.observation(at))
            .collect();
        let potentials = crf.potentials(&observations);
        let chain = potentials.chain();
        assert!(matches!(chain.steps, Steps::Each(_)));
        let last = chain
            .marginals()
            .nodes
            .split_off((observations.len() - 1) * STATES);
        let (mut belief, mut best) = (Vec::new(), Vec::new());
        for observation in &observations {
            belief = crf.forward_step(&belief, observation, Inference::Marginal);
            best = crf.forward_step(&best, observation, Inference::Viterbi);
        }
        let apart = belief.iter().zip(&last).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-9);
        let end = *chain.viterbi().states.last().unwrap();
        assert!(
            best.iter()
                .all(|probability| *probability <= best[end] + 1e-12)
        );
    }
}

#[test]
fn training_learns_warm_starts_and_keeps_unseen_weights_at_zero() {
    let (train, test) = (sequences(1, 400), sequences(2, 100));
    let stopping = Stopping::default();
    let prior = Prior {
        variance: 10.0,
        observed_only: true,
    };
    let accuracy = |path: &dyn Fn(&[&[Feature]]) -> Vec<usize>| -> f64 {
        let (mut right, mut all) = (0.0, 0.0);
        for positions in test.iter() {
            let observations: Vec<&[Feature]> =
                positions.clone().map(|at| test.observation(at)).collect();
            for (at, state) in positions.zip(path(&observations)) {
                right += f64::from(u8::from(test.state(at) == state));
                all += 1.0;
            }
        }
        right / all
    };
    let empty = || ChainWeights::new(STATES, 0, false);
    let mut iterations = 0;
    let (crf, _) = ChainModel::train(ChainKind::Crf, empty(), &train, prior, stopping, |_| {
        iterations += 1;
    });
    let (memm, _) = ChainModel::train(ChainKind::Memm, empty(), &train, prior, stopping, |_| {});
    let by_crf = accuracy(&|seen| crf.potentials(seen).chain().viterbi().states);
    let by_memm = accuracy(&|seen| memm.potentials(seen).chain().viterbi().states);
    assert!(by_crf > 0.7 && by_memm > 0.7, "{by_crf} {by_memm}");
    // From where it ended there is next to nothing left to do.
    let mut again = 0;
    ChainModel::train(
        ChainKind::Crf,
        crf.weights.clone(),
        &train,
        prior,
        stopping,
        |_| again += 1,
    );
    assert!(again * 2 < iterations, "{again} after {iterations}");
    // A feature that never met a state has no weight for it.
    let mut few = Sequences::default();
    few.push([(vec![(0, 1.0)], 0), (vec![(1, 1.0)], 1)]);
    let (crf, _) = ChainModel::train(ChainKind::Crf, empty(), &few, prior, stopping, |_| {});
    assert_eq!(crf.weights.by_state(0)[1..], [0.0, 0.0]);
    assert!(crf.weights.by_state(0)[0] > 0.0 && crf.weights.step(0, 1) > 0.0);
}

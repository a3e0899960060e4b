//! A linear support vector machine with squared hinge loss, trained by dual
//! coordinate descent (Hsieh et al. 2008), with a bias that is a feature of its
//! own as in LIBLINEAR.
//!
//! Minimises `|w|²/2 + sum C max(0, 1 - y w·x)²`, where `C` may differ between
//! the two classes. Each pass takes the instances in another random order, and those
//! that stay beyond the margin are left out until the rest is settled (their sections 3.1, 3.2).

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::rng::{Rng, SplitMix};

/// Passes over the instances at most.
const PASSES: usize = 1000;
/// Passes end when the greatest and the least gradient are no farther apart than this.
const PRECISE: f64 = 1e-5;
/// The same rows give the same machine.
const SEED: u64 = 1;

/// A linear support vector machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LinearSvm {
    weights: FxHashMap<u32, f64>,
    bias: f64,
}

impl LinearSvm {
    /// Trains on rows of distinct features with their values. `costs` is `C` of
    /// instances that are not good, and of those that are.
    pub fn train(rows: &[(&[(u32, f64)], bool)], costs: [f64; 2]) -> Self {
        let mut descent = Descent::new(rows, costs);
        descent.run(&mut SplitMix(SEED));
        descent.machine()
    }

    /// One with these weights, each feature once.
    pub fn from_weights(bias: f64, weights: impl IntoIterator<Item = (u32, f64)>) -> Self {
        Self {
            weights: weights.into_iter().collect(),
            bias,
        }
    }

    /// Greater than 0 for what it takes to be good; 1 at the margin.
    pub fn margin(&self, row: &[(u32, f64)]) -> f64 {
        let weighed = row.iter().map(|&(feature, x)| x * self.weight(feature));
        weighed.sum::<f64>() + self.bias
    }

    /// A feature's weight.
    pub fn weight(&self, feature: u32) -> f64 {
        self.weights.get(&feature).copied().unwrap_or(0.0)
    }

    /// The bias.
    pub fn bias(&self) -> f64 {
        self.bias
    }
}

/// A row as the descent goes over it.
struct Instance {
    /// Places among the weights, with values.
    cells: Vec<(usize, f64)>,
    /// 1 for what is good, else -1.
    sign: f64,
    /// What squared hinge loss adds to the curvature.
    diagonal: f64,
    /// The whole curvature.
    curvature: f64,
    /// Its dual variable, at least 0.
    multiplier: f64,
}

/// Weights and dual variables on their way to the minimum.
struct Descent {
    instances: Vec<Instance>,
    /// The feature at each place.
    features: Vec<u32>,
    weights: Vec<f64>,
    bias: f64,
}

/// The greatest and the least of the projected gradients of a pass: both 0 at the minimum.
struct Slopes {
    most: f64,
    least: f64,
}

impl Slopes {
    const NONE: Self = Self {
        most: f64::NEG_INFINITY,
        least: f64::INFINITY,
    };

    fn apart(&self) -> f64 {
        self.most - self.least
    }
}

impl Descent {
    fn new(rows: &[(&[(u32, f64)], bool)], costs: [f64; 2]) -> Self {
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        let mut features = Vec::new();
        let mut instance = |&(row, is_good): &(&[(u32, f64)], bool)| {
            let cell = |&(feature, value): &(u32, f64)| {
                let place = *places.entry(feature).or_insert_with(|| {
                    features.push(feature);
                    features.len() - 1
                });
                (place, value)
            };
            let cells: Vec<(usize, f64)> = row.iter().map(cell).collect();
            let diagonal = 0.5 / costs[usize::from(is_good)];
            let squared = 1.0 + cells.iter().map(|cell| cell.1 * cell.1).sum::<f64>();
            Instance {
                cells,
                sign: if is_good { 1.0 } else { -1.0 },
                diagonal,
                curvature: squared + diagonal,
                multiplier: 0.0,
            }
        };
        let instances = rows.iter().map(&mut instance).collect();
        Self {
            instances,
            weights: vec![0.0; features.len()],
            features,
            bias: 0.0,
        }
    }

    fn run(&mut self, rng: &mut impl Rng) {
        let mut active: Vec<usize> = (0..self.instances.len()).collect();
        let mut leaves_out_above = f64::INFINITY;
        for _ in 0..PASSES {
            let slopes = self.pass(&mut active, leaves_out_above, rng);
            if slopes.apart() > PRECISE {
                leaves_out_above = if slopes.most > 0.0 {
                    slopes.most
                } else {
                    f64::INFINITY
                };
            } else if active.len() == self.instances.len() {
                break;
            } else {
                // Those that were left out may have to move after all.
                active = (0..self.instances.len()).collect();
                leaves_out_above = f64::INFINITY;
            }
        }
    }

    /// Goes over the active instances in random order. Those at 0 that would go down
    /// more steeply than `leaves_out_above` are active no more.
    fn pass(
        &mut self,
        active: &mut Vec<usize>,
        leaves_out_above: f64,
        rng: &mut impl Rng,
    ) -> Slopes {
        let mut slopes = Slopes::NONE;
        let mut turn = 0;
        while turn < active.len() {
            let drawn = turn + (rng.unit() * (active.len() - turn) as f64) as usize;
            active.swap(turn, drawn);
            let instance = &mut self.instances[active[turn]];
            let weighed = instance
                .cells
                .iter()
                .map(|&(place, x)| x * self.weights[place]);
            let margin = weighed.sum::<f64>() + self.bias;
            let gradient = instance.sign * margin - 1.0 + instance.diagonal * instance.multiplier;
            let mut projected = gradient;
            if instance.multiplier == 0.0 {
                if gradient > leaves_out_above {
                    active.swap_remove(turn);
                    continue;
                }
                projected = gradient.min(0.0);
            }
            slopes.most = slopes.most.max(projected);
            slopes.least = slopes.least.min(projected);
            if projected != 0.0 {
                let before = instance.multiplier;
                instance.multiplier = (before - gradient / instance.curvature).max(0.0);
                let by = instance.sign * (instance.multiplier - before);
                self.bias += by;
                for &(place, value) in &instance.cells {
                    self.weights[place] += by * value;
                }
            }
            turn += 1;
        }
        slopes
    }

    fn machine(self) -> LinearSvm {
        let weights = self.features.into_iter().zip(self.weights);
        LinearSvm::from_weights(self.bias, weights.filter(|weight| weight.1 != 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_equals_scikit_learns_linear_svc() {
        // LinearSVC(loss="squared_hinge", C=c, tol=1e-10, max_iter=1000000) on the
        // same rows, class_weight {0: 1, 1: 2} in the second case.
        let rows: [&[(u32, f64)]; 6] = [
            &[(0, 1.0), (1, 2.0)],
            &[(0, 2.0), (2, 1.0)],
            &[(0, 1.5), (1, -1.0), (2, 0.5)],
            &[(1, 1.0), (2, -1.0)],
            &[(0, -1.0), (1, 0.5)],
            &[(0, -0.5), (2, -2.0)],
        ];
        let labels = [true, true, false, false, false, true];
        let rows: Vec<_> = rows.into_iter().zip(labels).collect();
        let cases = [
            ([1.0, 1.0], [0.551_909, 0.302_602, -0.417_315], -0.467_416),
            ([0.3, 0.6], [0.474_043, 0.221_933, -0.365_664], -0.142_509),
        ];
        for (costs, weights, bias) in cases {
            let svm = LinearSvm::train(&rows, costs);
            for (feature, expected) in (0..).zip(weights) {
                let found = svm.weight(feature);
                assert!((found - expected).abs() < 1e-5, "{found} {expected}");
            }
            assert!((svm.bias() - bias).abs() < 1e-5);
        }
    }

    /// What is minimised.
    fn loss(svm: &LinearSvm, rows: &[(&[(u32, f64)], bool)], cost: f64) -> f64 {
        let squares = svm.weights.values().map(|weight| weight * weight);
        let norm = squares.sum::<f64>() + svm.bias * svm.bias;
        let hinge = rows.iter().map(|&(row, is_good)| {
            let sign = if is_good { 1.0 } else { -1.0 };
            (1.0 - sign * svm.margin(row)).max(0.0).powi(2)
        });
        norm / 2.0 + cost * hinge.sum::<f64>()
    }

    /// Rows of a few of 40 features; labels hang on two of them, mostly.
    fn drawn(seed: u64) -> Vec<(Vec<(u32, f64)>, bool)> {
        let mut rng = SplitMix(seed);
        let mut row = || {
            let mut row: Vec<(u32, f64)> = (0..8)
                .map(|_| ((rng.unit() * 40.0) as u32, rng.unit()))
                .collect();
            row.sort_by_key(|cell| cell.0);
            row.dedup_by_key(|cell| cell.0);
            let is_good = rng.unit() < 0.3;
            if rng.unit() < 0.9 {
                row.push((if is_good { 40 } else { 41 }, 3.0));
            }
            (row, is_good)
        };
        (0..200).map(|_| row()).collect()
    }

    #[test]
    fn no_step_from_where_it_ends_leads_lower_also_where_rows_are_left_out() {
        for seed in 0..40 {
            let rows = drawn(seed);
            let rows: Vec<(&[(u32, f64)], bool)> = rows
                .iter()
                .map(|(row, is_good)| (row.as_slice(), *is_good))
                .collect();
            let svm = LinearSvm::train(&rows, [10.0, 10.0]);
            let least = loss(&svm, &rows, 10.0);
            for feature in 0..42 {
                for by in [-0.001, 0.001] {
                    let mut moved = svm.clone();
                    *moved.weights.entry(feature).or_default() += by;
                    assert!(loss(&moved, &rows, 10.0) > least, "{seed}: {feature}");
                }
            }
            for by in [-0.001, 0.001] {
                let mut moved = svm.clone();
                moved.bias += by;
                assert!(loss(&moved, &rows, 10.0) > least, "{seed}");
            }
        }
    }
}

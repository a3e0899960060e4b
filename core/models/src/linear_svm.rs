//! A linear support vector machine with squared hinge loss, trained by dual
//! coordinate descent (Hsieh et al. 2008), with a bias that is a feature of its
//! own as in LIBLINEAR.
//!
//! Minimises `|w|²/2 + sum C max(0, 1 - y w·x)²`, where `C` may differ between
//! the two classes.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Passes over all instances at most.
const PASSES: usize = 1000;
/// Passes end when no instance is farther than this from what it should be.
const PRECISE: f64 = 1e-6;

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
        let mut svm = Self::default();
        let mut alphas = vec![0.0; rows.len()];
        for _ in 0..PASSES {
            let mut farthest: f64 = 0.0;
            for ((row, is_good), multiplier) in rows.iter().zip(&mut alphas) {
                let sign = if *is_good { 1.0 } else { -1.0 };
                let diagonal = 0.5 / costs[usize::from(*is_good)];
                let gradient = sign * svm.margin(row) - 1.0 + diagonal * *multiplier;
                let projected = if *multiplier == 0.0 {
                    gradient.min(0.0)
                } else {
                    gradient
                };
                farthest = farthest.max(projected.abs());
                if projected == 0.0 {
                    continue;
                }
                let squared = 1.0 + row.iter().map(|cell| cell.1 * cell.1).sum::<f64>();
                let before = *multiplier;
                *multiplier = (before - gradient / (squared + diagonal)).max(0.0);
                svm.step(row, sign * (*multiplier - before));
            }
            if farthest < PRECISE {
                break;
            }
        }
        svm
    }

    /// One with these weights, each feature once.
    pub fn from_weights(bias: f64, weights: impl IntoIterator<Item = (u32, f64)>) -> Self {
        Self {
            weights: weights.into_iter().collect(),
            bias,
        }
    }

    fn step(&mut self, row: &[(u32, f64)], by: f64) {
        self.bias += by;
        for &(feature, value) in row {
            *self.weights.entry(feature).or_default() += by * value;
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
}

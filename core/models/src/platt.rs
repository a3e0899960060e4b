//! Platt's scaling: a logistic curve from a score to a probability, fitted to
//! scores of held-out examples (methods 2.1).
//!
//! Newton's method on the log-loss, with targets drawn in from 0 and 1 as Platt
//! does, so that few or perfectly parted examples give no infinite slope.

/// `P(good | score) = 1 / (1 + exp(-(slope * score + offset)))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Platt {
    /// Log-odds a unit of the score.
    pub slope: f64,
    /// Log-odds at score 0.
    pub offset: f64,
}

const STEPS: usize = 100;
/// Keeps the slope finite where the scores part the classes.
const RIDGE: f64 = 1e-6;

impl Platt {
    /// Fits the curve to (score, whether it was good).
    pub fn fit(examples: &[(f64, bool)]) -> Self {
        let good = examples.iter().filter(|row| row.1).count() as f64;
        let other = examples.len() as f64 - good;
        let target = |is_good: bool| {
            if is_good {
                (good + 1.0) / (good + 2.0)
            } else {
                1.0 / (other + 2.0)
            }
        };
        let mut curve = Self {
            slope: 0.0,
            offset: ((good + 1.0) / (other + 1.0)).ln(),
        };
        let mut loss = curve.loss(examples, target);
        for _ in 0..STEPS {
            let step = curve.newton_step(examples, target);
            let Some((better, found)) = curve.shortened(step, loss, examples, target) else {
                break;
            };
            let gained = loss - found;
            (curve, loss) = (better, found);
            if gained < 1e-12 * examples.len() as f64 {
                break;
            }
        }
        curve
    }

    /// The probability at a score.
    pub fn probability(self, score: f64) -> f64 {
        1.0 / (1.0 + (-(self.slope * score + self.offset)).exp())
    }

    fn loss(self, examples: &[(f64, bool)], target: impl Fn(bool) -> f64) -> f64 {
        let terms = examples.iter().map(|&(score, is_good)| {
            let log_odds = self.slope * score + self.offset;
            // ln(1 + e^x) - t x, without overflow.
            log_odds.max(0.0) + (-log_odds.abs()).exp().ln_1p() - target(is_good) * log_odds
        });
        terms.sum::<f64>() + RIDGE * self.slope * self.slope
    }

    fn newton_step(self, examples: &[(f64, bool)], target: impl Fn(bool) -> f64) -> (f64, f64) {
        let mut gradient = (2.0 * RIDGE * self.slope, 0.0);
        let (mut a, mut b, mut c) = (2.0 * RIDGE, 0.0, RIDGE);
        for &(score, is_good) in examples {
            let p = self.probability(score);
            let (error, weight) = (p - target(is_good), p * (1.0 - p));
            gradient.0 += error * score;
            gradient.1 += error;
            a += weight * score * score;
            b += weight * score;
            c += weight;
        }
        let determinant = (a * c - b * b).max(f64::MIN_POSITIVE);
        (
            (c * gradient.0 - b * gradient.1) / determinant,
            (a * gradient.1 - b * gradient.0) / determinant,
        )
    }

    /// The step, halved until the loss falls; `None` if it never does.
    fn shortened(
        self,
        step: (f64, f64),
        loss: f64,
        examples: &[(f64, bool)],
        target: impl Fn(bool) -> f64 + Copy,
    ) -> Option<(Self, f64)> {
        let mut length = 1.0;
        for _ in 0..30 {
            let tried = Self {
                slope: self.slope - length * step.0,
                offset: self.offset - length * step.1,
            };
            let found = tried.loss(examples, target);
            if found < loss {
                return Some((tried, found));
            }
            length /= 2.0;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradient is zero at the minimum, by finite differences.
    #[test]
    fn the_loss_is_least_where_the_fit_ends() {
        let examples: Vec<(f64, bool)> = (0..40)
            .map(|n| (f64::from(n) / 10.0, n * n % 7 > 2 || n > 30))
            .collect();
        let curve = Platt::fit(&examples);
        let good = examples.iter().filter(|row| row.1).count() as f64;
        let target = |is_good: bool| {
            if is_good {
                (good + 1.0) / (good + 2.0)
            } else {
                1.0 / (42.0 - good)
            }
        };
        let at = |slope: f64, offset: f64| Platt { slope, offset }.loss(&examples, target);
        let h = 1e-5;
        let by_slope = at(curve.slope + h, curve.offset) - at(curve.slope - h, curve.offset);
        let by_offset = at(curve.slope, curve.offset + h) - at(curve.slope, curve.offset - h);
        assert!(by_slope.abs() / (2.0 * h) < 1e-5 && by_offset.abs() / (2.0 * h) < 1e-5);
    }

    #[test]
    fn parted_and_missing_classes_stay_finite() {
        let parted = Platt::fit(&[(-1.0, false), (-2.0, false), (1.0, true), (2.0, true)]);
        assert!(parted.slope.is_finite() && parted.slope > 0.0);
        assert!(parted.probability(2.0) > 0.5 && parted.probability(-2.0) < 0.5);
        let one_class = Platt::fit(&[(1.0, true), (2.0, true)]);
        assert!(one_class.probability(1.5).is_finite());
        assert!(Platt::fit(&[]).probability(0.0).is_finite());
    }
}

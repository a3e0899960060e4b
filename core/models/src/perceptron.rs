//! The linear perceptron, averaged: \[A\]'s rejected rival of naive Bayes (2.3).

use rustc_hash::FxHashMap;

/// Weights of a perceptron, averaged over all its steps: less a matter of which
/// instance came last.
#[derive(Debug, Clone, Default)]
pub struct Perceptron {
    weights: FxHashMap<u32, Weight>,
    bias: Weight,
    steps: f64,
}

/// A weight, and the sum of its changes, each times the step it came at.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    now: f64,
    moved: f64,
}

impl Weight {
    fn change(&mut self, by: f64, step: f64) {
        self.now += by;
        self.moved += by * step;
    }

    /// Its mean over the moments before each step.
    fn average(self, steps: f64) -> f64 {
        self.now - self.moved / steps.max(1.0)
    }
}

impl Perceptron {
    /// Learns one instance: distinct features with their values, and its class.
    pub fn learn(&mut self, features: &[(u32, f64)], is_good: bool) {
        self.steps += 1.0;
        let now = |feature: u32| self.weights.get(&feature).map_or(0.0, |weight| weight.now);
        let sum: f64 = features.iter().map(|&(feature, x)| x * now(feature)).sum();
        let sign = if is_good { 1.0 } else { -1.0 };
        if sign * (sum + self.bias.now) > 0.0 {
            return;
        }
        for &(feature, x) in features {
            let weight = self.weights.entry(feature).or_default();
            weight.change(sign * x, self.steps);
        }
        self.bias.change(sign, self.steps);
    }

    /// Greater than 0 for what it takes to be good.
    pub fn margin(&self, features: &[(u32, f64)]) -> f64 {
        let average = |feature: u32| {
            let weight = self.weights.get(&feature).copied();
            weight.unwrap_or_default().average(self.steps)
        };
        let sum: f64 = features
            .iter()
            .map(|&(feature, x)| x * average(feature))
            .sum();
        sum + self.bias.average(self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_parts_what_a_line_parts() {
        let instances: Vec<(Vec<(u32, f64)>, bool)> = (0..60)
            .map(|n| {
                let x = f64::from(n % 10) - 4.5;
                (vec![(1, x), (2, f64::from(n % 3))], x > 0.0)
            })
            .collect();
        let mut perceptron = Perceptron::default();
        for _ in 0..50 {
            for (features, is_good) in &instances {
                perceptron.learn(features, *is_good);
            }
        }
        for (features, is_good) in &instances {
            assert_eq!(perceptron.margin(features) > 0.0, *is_good, "{features:?}");
        }
    }

    /// The average over all steps, step by step.
    #[test]
    fn the_average_is_that_of_all_steps() {
        let mut perceptron = Perceptron::default();
        let (mut weight, mut sum) = (0.0, 0.0);
        for n in 0..20 {
            let (x, is_good) = (f64::from(n % 4) - 1.0, n % 3 == 0);
            let before = perceptron.weights.get(&1).map_or(0.0, |weight| weight.now);
            assert_eq!(before, weight);
            // The weight in force during this step counts towards the average.
            sum += weight;
            perceptron.learn(&[(1, x)], is_good);
            weight = perceptron.weights.get(&1).map_or(0.0, |weight| weight.now);
        }
        let average = perceptron.weights[&1].average(perceptron.steps);
        assert!((average - sum / 20.0).abs() < 1e-12, "{average}");
    }
}

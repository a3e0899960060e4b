//! Two-class multinomial naive Bayes, learned one instance at a time
//! (\[A\] eq. 1-2).
//!
//! The counts are \[A\]'s. The estimate of a feature's rate is smoothed
//! differently: Laplace's rule in eq. 1 favours the rarer class on features
//! that neither class has, so here both classes are mixed, with one common
//! weight, with a background rate that the caller may tilt by what it knows
//! beforehand. Without evidence the log ratio is then just that prior.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Evidence, in feature occurrences of the poorer class, at which counts and
/// background weigh the same.
const HALF_TRUST: f64 = 50.0;
/// The background's share never sinks below this.
const LEAST_BACKGROUND: f64 = 0.02;

/// How often a feature occurred with each class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct FeatureCount {
    /// Occurrences in instances of the high class.
    pub high: f32,
    /// Occurrences in instances of the low class.
    pub low: f32,
}

/// The sufficient statistics of a two-class naive Bayes learner.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TwoClassCounts {
    features: FxHashMap<u32, FeatureCount>,
    occurrences: [f64; 2],
    instances: [u32; 2],
}

impl TwoClassCounts {
    /// Counts one instance: distinct features with their counts, and its class.
    pub fn add(&mut self, features: impl IntoIterator<Item = (u32, u32)>, high: bool) {
        self.instances[usize::from(high)] += 1;
        for (feature, count) in features {
            let entry = self.features.entry(feature).or_default();
            let count = count as f32;
            if high {
                entry.high += count;
            } else {
                entry.low += count;
            }
            self.occurrences[usize::from(high)] += f64::from(count);
        }
    }

    /// What is known of a feature.
    pub fn feature(&self, feature: u32) -> FeatureCount {
        self.features.get(&feature).copied().unwrap_or_default()
    }

    /// Instances counted: (high, low).
    pub fn instances(&self) -> (u32, u32) {
        (self.instances[1], self.instances[0])
    }

    /// The same with only the `most` features that were seen most often.
    #[must_use]
    pub fn trimmed(mut self, most: usize) -> Self {
        if self.features.len() > most {
            let mut seen: Vec<(u32, FeatureCount)> = self.features.drain().collect();
            let times = |row: &(u32, FeatureCount)| row.1.high + row.1.low;
            seen.sort_by(|a, b| times(b).total_cmp(&times(a)).then(a.0.cmp(&b.0)));
            seen.truncate(most);
            self.features.extend(seen);
        }
        self
    }

    /// `ln(P(feature|high) / P(feature|low))`. `prior` is the log ratio
    /// expected before any evidence; it is also the result without any.
    pub fn log_ratio(&self, feature: u32, prior: f64) -> f64 {
        let FeatureCount { high, low } = self.feature(feature);
        if high + low == 0.0 {
            return prior;
        }
        let [low_total, high_total] = self.occurrences;
        let evidence = high_total.min(low_total);
        let background = (HALF_TRUST / (HALF_TRUST + evidence)).max(LEAST_BACKGROUND);
        let total = high_total + low_total;
        let overall = (f64::from(high + low) + 1.0) / (total + self.features.len() as f64 + 1.0);
        let tilt = (prior / 2.0).exp();
        let rate = |count: f32, total: f64, tilt: f64| {
            let seen = if total > 0.0 {
                f64::from(count) / total
            } else {
                0.0
            };
            (1.0 - background) * seen + background * overall * tilt
        };
        (rate(high, high_total, tilt) / rate(low, low_total, 1.0 / tilt)).ln()
    }

    /// `ln(P(feature|high) / P(feature|low))` by Laplace's rule, \[A\] eq. 1. The vocabulary
    /// `T` is what was counted: a feature that was not has no rate, and says nothing.
    pub fn laplace_log_ratio(&self, feature: u32) -> f64 {
        let Some(&FeatureCount { high, low }) = self.features.get(&feature) else {
            return 0.0;
        };
        let features = self.features.len() as f64;
        let [low_total, high_total] = self.occurrences;
        let rate = |count: f32, total: f64| (1.0 + f64::from(count)) / (features + total);
        (rate(high, high_total) / rate(low, low_total)).ln()
    }

    /// `ln(Pr(high) / Pr(low))` before any feature is looked at: the fractions of instances
    /// of either class, \[A\] 2.3. Infinite where a class has none; 0 if neither has.
    pub fn prior_log_ratio(&self) -> f64 {
        match self.instances {
            [0, 0] => 0.0,
            [low, high] => (f64::from(high) / f64::from(low)).ln(),
        }
    }

    /// Whether instances of both classes were counted: else every instance belongs to the
    /// one class there is.
    pub fn knows_both(&self) -> bool {
        self.instances.iter().all(|&instances| instances > 0)
    }

    /// Number of distinct features.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.instances == [0, 0]
    }

    /// All feature counts in order of their feature, and the instances of the
    /// high and of the low class.
    pub fn rows(&self) -> (Vec<(u32, FeatureCount)>, (u32, u32)) {
        let mut rows: Vec<_> = self.features.iter().map(|(&f, &c)| (f, c)).collect();
        rows.sort_unstable_by_key(|row| row.0);
        (rows, self.instances())
    }

    /// Back from [`Self::rows`]. `None` if a count is negative or not finite.
    pub fn from_rows(
        rows: impl IntoIterator<Item = (u32, FeatureCount)>,
        (high, low): (u32, u32),
    ) -> Option<Self> {
        let mut counts = Self {
            instances: [low, high],
            ..Self::default()
        };
        for (feature, count) in rows {
            let fine = |value: f32| value.is_finite() && value >= 0.0;
            if !fine(count.high) || !fine(count.low) {
                return None;
            }
            counts.occurrences[1] += f64::from(count.high);
            counts.occurrences[0] += f64::from(count.low);
            counts.features.insert(feature, count);
        }
        Some(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned() -> TwoClassCounts {
        let mut counts = TwoClassCounts::default();
        for _ in 0..50 {
            counts.add([(1, 2), (3, 1)], true);
        }
        for _ in 0..500 {
            counts.add([(2, 2), (3, 1)], false);
        }
        counts
    }

    #[test]
    fn without_evidence_the_prior_speaks() {
        let counts = TwoClassCounts::default();
        for prior in [-2.0, 0.0, 1.5] {
            assert!((counts.log_ratio(7, prior) - prior).abs() < 1e-9);
        }
    }

    #[test]
    fn evidence_speaks_and_unseen_features_favour_neither_class() {
        let counts = learned();
        assert!(counts.log_ratio(1, 0.0) > 1.0);
        assert!(counts.log_ratio(2, 0.0) < -0.5);
        assert!(counts.log_ratio(3, 0.0).abs() < 0.01);
        assert!(counts.log_ratio(99, 0.0).abs() < 1e-9);
        assert!(counts.log_ratio(1, -1.0) < counts.log_ratio(1, 0.0));
    }

    /// \[A\] eq. 1-2: three features, 4 + 1 occurrences in two high instances, 1 + 3 in six
    /// low ones.
    #[test]
    fn rates_and_priors_are_those_of_the_paper() {
        let mut counts = TwoClassCounts::default();
        assert_eq!(
            (counts.prior_log_ratio(), counts.knows_both()),
            (0.0, false)
        );
        counts.add([(1, 3)], true);
        counts.add([(1, 1), (2, 1)], true);
        assert_eq!(counts.prior_log_ratio(), f64::INFINITY);
        counts.add([(2, 1), (3, 3)], false);
        for _ in 0..5 {
            counts.add([], false);
        }
        assert!(counts.knows_both());
        let prior = (2.0_f64 / 8.0) / (6.0 / 8.0);
        assert!((counts.prior_log_ratio() - prior.ln()).abs() < 1e-12);
        let high = [(1.0 + 4.0) / (3.0 + 5.0), (1.0 + 1.0) / 8.0, 1.0 / 8.0];
        let low = [1.0 / (3.0 + 4.0), (1.0 + 1.0) / 7.0, (1.0 + 3.0) / 7.0];
        for ((feature, high), low) in (1..).zip(high).zip(low) {
            let found = counts.laplace_log_ratio(feature);
            assert!((found - f64::ln(high / low)).abs() < 1e-12, "{feature}");
        }
        assert_eq!(counts.laplace_log_ratio(99), 0.0);
    }

    #[test]
    fn rows_bring_everything_back() {
        let counts = learned();
        let (rows, instances) = counts.rows();
        let back = TwoClassCounts::from_rows(rows, instances).unwrap();
        assert_eq!(back, counts);
        let broken = FeatureCount {
            high: f32::NAN,
            low: 0.0,
        };
        assert!(TwoClassCounts::from_rows([(1, broken)], (1, 0)).is_none());
    }
}

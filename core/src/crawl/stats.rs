//! A crawl in numbers.

use serde::{Deserialize, Serialize};

use crate::web_graph::Judgment;

/// Points of the harvest curve kept at most; it is thinned beyond.
const MOST_POINTS: usize = 400;

/// What a crawl has brought so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrawlStats {
    /// Pages fetched.
    pub pages: u64,
    /// Pages fetched that count for the harvest: all but the examples.
    pub scored: u64,
    /// Of these, pages that are what is looked for.
    pub relevant: u64,
    /// Requests that brought no page: errors, refusals, redirects, duplicates.
    pub other: u64,
    relevance_sum: f64,
    curve: Vec<(u64, u64)>,
    stride: u64,
}

impl Default for CrawlStats {
    fn default() -> Self {
        Self {
            pages: 0,
            scored: 0,
            relevant: 0,
            other: 0,
            relevance_sum: 0.0,
            curve: Vec::new(),
            stride: 1,
        }
    }
}

impl CrawlStats {
    /// Counts a page; examples are not scored.
    pub fn page(&mut self, judgment: Judgment, scored: bool) {
        self.pages += 1;
        if !scored {
            return;
        }
        self.scored += 1;
        self.relevant += u64::from(judgment.is_target);
        self.relevance_sum += judgment.relevance.value();
        if self.scored.is_multiple_of(self.stride) {
            self.curve.push((self.scored, self.relevant));
        }
        if self.curve.len() > MOST_POINTS {
            self.stride *= 2;
            let stride = self.stride;
            self.curve
                .retain(|(scored, _)| scored.is_multiple_of(stride));
        }
    }

    /// Share of the scored pages that are what is looked for, 0..=1.
    pub fn harvest(&self) -> f64 {
        ratio(self.relevant as f64, self.scored)
    }

    /// Mean relevance of the scored pages, 0..=1: \[A\]'s harvest rate.
    pub fn mean_relevance(&self) -> f64 {
        ratio(self.relevance_sum, self.scored)
    }

    /// (pages scored, relevant among them), thinned to a few hundred points.
    pub fn curve(&self) -> &[(u64, u64)] {
        &self.curve
    }
}

fn ratio(part: f64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web_graph::Relevance;

    #[test]
    fn the_curve_stays_short_and_ends_true() {
        let mut stats = CrawlStats::default();
        for n in 0..100_000u64 {
            let judgment = Judgment {
                is_target: n % 4 == 0,
                relevance: Relevance::new(0.5),
                ..Judgment::default()
            };
            stats.page(judgment, true);
        }
        stats.page(Judgment::default(), false);
        assert_eq!((stats.pages, stats.scored), (100_001, 100_000));
        assert!((stats.harvest() - 0.25).abs() < 1e-9);
        assert!((stats.mean_relevance() - 0.5).abs() < 1e-9);
        assert!(stats.curve().len() <= MOST_POINTS);
        let &(scored, relevant) = stats.curve().last().unwrap();
        assert_eq!(relevant, scored.div_ceil(4));
    }
}

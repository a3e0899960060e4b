//! How often events came together with what is looked for, and the interest ratios that
//! follow (methods 3.2).

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::text::TermId;

/// Pages by which every ratio is drawn towards 1.
pub(super) const SMOOTHING: f64 = 5.0;
/// Standard deviations that a word has to deviate by.
const NOISE: f64 = 2.0;
/// Words and tokens counted at most; later ones are not learned.
const MOST_EVENTS: usize = 500_000;

/// How often an event was seen, and how often the page then was what is looked
/// for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Pages with the event.
    pub seen: f64,
    /// Those of them that were what is looked for.
    pub held: f64,
}

impl Counts {
    pub(super) fn add(&mut self, holds: bool) {
        self.seen += 1.0;
        self.held += f64::from(u8::from(holds));
    }

    /// The interest ratio `P(C | E) / P(C)`, drawn towards 1; `base_rate` is `P(C)`.
    pub fn ratio(self, base_rate: f64) -> f64 {
        let rate = (self.held + SMOOTHING * base_rate) / (self.seen + SMOOTHING);
        rate / base_rate
    }

    /// Whether event and condition come together more or less often than chance
    /// explains, of `pages` pages.
    pub(super) fn deviates(self, base_rate: f64, pages: f64) -> bool {
        let expected = base_rate * self.seen / pages;
        let deviation = (expected * (1.0 - expected) / pages).sqrt();
        (self.held / pages - expected).abs() > NOISE * deviation
    }
}

/// What it knows from one crawl to the next.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IntelligentCounts {
    /// By word of the page with the link.
    pub words: FxHashMap<TermId, Counts>,
    /// By token of the URL.
    pub tokens: FxHashMap<Box<str>, Counts>,
    /// By whether the page with the link was what is looked for.
    pub links: [Counts; 2],
    /// All pages.
    pub all: Counts,
}

impl IntelligentCounts {
    /// `P(C)`; half a page is taken to have held, so that it is never 0.
    pub fn base_rate(&self) -> f64 {
        (self.all.held + 0.5) / (self.all.seen + 1.0)
    }

    /// The same with only the `most` words and tokens that were seen most often.
    #[must_use]
    pub fn trimmed(mut self, most: usize) -> Self {
        seen_most(&mut self.words, most);
        seen_most(&mut self.tokens, most);
        self
    }

    pub(super) fn add_word(&mut self, word: TermId, holds: bool) {
        if self.words.len() < MOST_EVENTS || self.words.contains_key(&word) {
            self.words.entry(word).or_default().add(holds);
        }
    }

    pub(super) fn add_token(&mut self, token: &str, holds: bool) {
        if self.tokens.len() < MOST_EVENTS || self.tokens.contains_key(token) {
            self.tokens.entry(token.into()).or_default().add(holds);
        }
    }
}

fn seen_most<E: Ord + std::hash::Hash>(events: &mut FxHashMap<E, Counts>, most: usize) {
    if events.len() <= most {
        return;
    }
    let mut rows: Vec<(E, Counts)> = events.drain().collect();
    rows.sort_by(|a, b| b.1.seen.total_cmp(&a.1.seen).then_with(|| a.0.cmp(&b.0)));
    rows.truncate(most);
    events.extend(rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_by_hand() {
        let counts = Counts {
            seen: 15.0,
            held: 10.0,
        };
        // (10 + 5 * 0.2) / (15 + 5) = 0.55, against 0.2.
        assert!((counts.ratio(0.2) - 0.55 / 0.2).abs() < 1e-12);
        assert!(
            (Counts::default().ratio(0.3) - 1.0).abs() < 1e-12,
            "nothing seen, nothing said"
        );
        // Of 100 pages 20 held; the event came 15 times. Expected 0.03, found
        // 0.10, two deviations are 0.034.
        assert!(counts.deviates(0.2, 100.0));
        let base_rate = Counts {
            seen: 15.0,
            held: 4.0,
        };
        assert!(!base_rate.deviates(0.2, 100.0));
    }
}

//! What a page's words say: naive Bayes between the targets and everything else
//! (\[A\] 2.1), made to start from one to five targets and no negative.
//!
//! The rest of the web is what was seen and not marked: the vocabulary's
//! collection counts, pages marked as "not this", and a thin uniform model
//! below, by which a word that was never seen elsewhere is taken as rare. A
//! page's score is the mean log-odds of its words, so its length does not
//! matter. For those who know a topic by its words alone ([`NamedTopic`]) the score becomes a
//! relevance by a logistic curve laid between what
//! the other pages score and what each target scores when it is left out
//! itself; an only target cannot be, and its kind are taken to lie an eighth of the way.
//! The other pages are those that a first curve takes for no targets, not those that
//! were judged so when they were seen: what was judged under a mark would outlive it.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::critics::NamedTopic;
use crate::features::{HEAVIEST_TERMS, PageTerms};
use crate::text::TermId;
use crate::web_graph::{Mark, MarkedPage, WebGraph};

/// Every target counts as a text of this many words.
const TARGET_LENGTH: f64 = 100.0;
/// Words of the rest's model mixed into the topic's.
const SMOOTHING: f64 = 100.0;
/// Words the uniform model is worth, and how many words it knows.
const UNIFORM_LENGTH: f64 = 200.0;
const UNIFORM_WORDS: f64 = 20_000.0;
/// How many times a page marked as "not this" counts among the rest.
const NOT_TARGET_WEIGHT: f64 = 5.0;
/// Targets left out one by one to find the curve; more take too long.
const MOST_LEFT_OUT: usize = 12;
/// How often unmarked pages that look like targets are set aside to find the curve.
const LOOKS: usize = 2;
/// Where between the others' mean score (0) and the targets' (1) a page is as
/// likely good as not.
const MIDDLE: f64 = 0.5;
/// Where others of its kind lie between the others' mean score (0) and the score of
/// an only target (1), which cannot be left out to see; farther up as long as few
/// others were seen, for then words that stand everywhere still look like its own.
const ALONE: f64 = 0.125;
const ALONE_AT_FIRST: f64 = 0.5;
const FEW_OTHERS: f64 = 10.0;
/// Log-odds at the targets' mean score.
const LOG_ODDS_OF_TARGETS: f64 = 3.0;

/// Log-odds of single words.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct WordWeights {
    /// Of the words of marked pages.
    words: FxHashMap<TermId, f32>,
    /// Of any other word.
    other: f32,
}

/// A logistic curve over the score.
#[derive(Debug, Clone, Default)]
struct Curve {
    middle: f64,
    slope: f64,
}

impl WordWeights {
    /// From all marked pages but the target numbered `left_out`.
    pub(super) fn learn(known: &WebGraph, left_out: Option<usize>) -> Self {
        let mut topic: FxHashMap<TermId, f64> = FxHashMap::default();
        let mut rest: FxHashMap<TermId, f64> = FxHashMap::default();
        let mut rest_total = known.vocabulary.occurrences_seen() + UNIFORM_LENGTH;
        let mut targets = 0.0;
        let mut number = 0;
        for (address, page) in &known.marks {
            let damped = page.terms.damped();
            let total: f32 = damped.iter().map(|row| row.1).sum();
            if page.mark == Mark::Target && known.page(address).is_some_and(|page| page.counted) {
                // Seen before it was marked: its words are not the rest's.
                for &(term, weight) in &damped {
                    *rest.entry(term).or_default() -= f64::from(weight);
                }
            }
            match page.mark {
                Mark::Target => {
                    number += 1;
                    if left_out == Some(number - 1) {
                        continue;
                    }
                    targets += 1.0;
                    for (term, weight) in damped {
                        *topic.entry(term).or_default() +=
                            TARGET_LENGTH * f64::from(weight / total);
                    }
                }
                Mark::NotTarget => {
                    for (term, weight) in damped {
                        topic.entry(term).or_default();
                        *rest.entry(term).or_default() += NOT_TARGET_WEIGHT * f64::from(weight);
                    }
                    rest_total += NOT_TARGET_WEIGHT * f64::from(total);
                }
            }
        }
        let topic_total = targets * TARGET_LENGTH + SMOOTHING;
        let words = topic
            .into_iter()
            .map(|(term, mass)| {
                let seen = f64::from(known.vocabulary.occurrences(term))
                    + rest.get(&term).copied().unwrap_or(0.0);
                let elsewhere = seen.max(0.0) + UNIFORM_LENGTH / UNIFORM_WORDS;
                let rate = elsewhere / rest_total;
                let log_odds = ((mass + SMOOTHING * rate) / (topic_total * rate)).ln();
                (term, log_odds as f32)
            })
            .collect();
        Self {
            words,
            other: (SMOOTHING / topic_total).ln() as f32,
        }
    }

    fn of(&self, term: TermId) -> f32 {
        self.words.get(&term).copied().unwrap_or(self.other)
    }

    /// Log-odds of a word of a marked page; none of any other.
    pub(super) fn known(&self, term: TermId) -> Option<f64> {
        self.words.get(&term).copied().map(f64::from)
    }

    /// Log-odds of any other word.
    pub(super) fn other(&self) -> f64 {
        f64::from(self.other)
    }

    /// What the words alone would say of pages elsewhere, without the pages they were learned
    /// from.
    pub(super) fn frozen(&self, known: &WebGraph) -> NamedTopic {
        let curve = Curve::learn(known, self);
        let words = self.words.iter();
        let words = words.map(|(&term, &weight)| (known.vocabulary.term(term).to_owned(), weight));
        NamedTopic {
            words: words.collect(),
            other: self.other,
            middle: curve.middle,
            slope: curve.slope,
            forms: None,
        }
    }

    /// Mean log-odds of a page's heaviest words, each damped by its frequency.
    pub(super) fn score(&self, terms: &PageTerms) -> f64 {
        let damped = terms.heaviest(HEAVIEST_TERMS).damped();
        let total: f32 = damped.iter().map(|row| row.1).sum();
        if total == 0.0 {
            return f64::from(self.other);
        }
        let sum: f32 = damped.iter().map(|&(t, weight)| weight * self.of(t)).sum();
        f64::from(sum / total)
    }
}

impl Curve {
    /// From the pages that were seen and the targets.
    fn learn(known: &WebGraph, weights: &WordWeights) -> Self {
        let targets: Vec<&MarkedPage> = known.targets().collect();
        let mut others: Vec<f64> = known.unmarked().map(|terms| weights.score(terms)).collect();
        let left_out: Vec<f64> = match targets[..] {
            [_] => Vec::new(),
            _ => weights_left_out(known)
                .map(|(weights, target)| weights.score(&target.terms))
                .collect(),
        };
        let curve_above = |others: &[f64]| {
            let low = mean(others).unwrap_or_else(|| f64::from(weights.other));
            let high = match targets[..] {
                [only] => {
                    let few = 1.0 / (1.0 + others.len() as f64 / FEW_OTHERS);
                    let share = ALONE + few * (ALONE_AT_FIRST - ALONE);
                    low + share * (weights.score(&only.terms) - low)
                }
                _ => mean(&left_out).unwrap_or(low),
            };
            Self::between(low, high)
        };
        let mut curve = curve_above(&others);
        for _ in 0..LOOKS {
            others.retain(|&score| score < curve.middle);
            curve = curve_above(&others);
        }
        curve
    }

    /// Laid between what the others score and what the topic's pages score.
    fn between(low: f64, high: f64) -> Self {
        let span = (high - low).max(0.05);
        Self {
            middle: low + MIDDLE * span,
            slope: LOG_ODDS_OF_TARGETS / (span * (1.0 - MIDDLE)),
        }
    }
}

/// Every target, as far as there is time, with what is learned without it.
pub(super) fn weights_left_out(
    known: &WebGraph,
) -> impl Iterator<Item = (WordWeights, &MarkedPage)> {
    let targets = known.targets().take(MOST_LEFT_OUT).enumerate();
    targets.map(|(number, target)| (WordWeights::learn(known, Some(number)), target))
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

//! A topic against the rest, trained on pages of both ([A] 2.1): multinomial
//! naive Bayes, its score per token so that long pages do not saturate it, and
//! a curve from score to relevance fitted to held-out pages.
//!
//! Needs a training set; where a person brings one to five pages and nothing
//! else, [`super::Topic`] judges. A taxonomy of many classes is not here.

use crate::features::PageTerms;
use crate::models::{MultinomialBayes, Platt};
use crate::text::TermId;
use crate::web_graph::Relevance;

/// Parts of which each is held out once to fit the curve.
const FOLDS: usize = 5;

/// See the module.
#[derive(Debug, Clone)]
pub struct TrainedTopic {
    bayes: MultinomialBayes,
    curve: Platt,
    /// Held-out pages by what they are (rows) and were said to be (columns):
    /// not of the topic, of the topic.
    pub confusion: [[u32; 2]; 2],
}

/// What it says of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Calibrated relevance.
    pub relevance: Relevance,
    /// Log-odds per token, raw.
    pub log_odds: f64,
}

fn rows(terms: &PageTerms) -> impl Iterator<Item = (TermId, f64)> {
    let rows = terms.rows().iter();
    rows.map(|&(term, count)| (term, f64::from(count)))
}

fn score(bayes: &MultinomialBayes, terms: &PageTerms) -> f64 {
    let (mut sum, mut tokens) = (0.0, 0.0);
    for (term, count) in rows(terms) {
        sum += count * (bayes.log_rate(term, 1) - bayes.log_rate(term, 0));
        tokens += count;
    }
    if tokens == 0.0 { 0.0 } else { sum / tokens }
}

impl TrainedTopic {
    /// Trains on pages of the topic and on others. The order of the pages
    /// decides which are held out together.
    pub fn train(positives: &[PageTerms], negatives: &[PageTerms]) -> Self {
        let pages: Vec<(&PageTerms, bool, usize)> = [(negatives, false), (positives, true)]
            .into_iter()
            .flat_map(|(pages, is_good)| {
                let numbered = pages.iter().enumerate();
                numbered.map(move |(place, page)| (page, is_good, place % FOLDS))
            })
            .collect();
        let without = |left_out: Option<usize>| {
            let mut bayes = MultinomialBayes::new(2);
            for &(page, is_good, fold) in &pages {
                if Some(fold) != left_out {
                    bayes.learn(usize::from(is_good), rows(page));
                }
            }
            bayes
        };
        let mut held_out = Vec::new();
        for left_out in 0..FOLDS {
            let bayes = without(Some(left_out));
            let tested = pages.iter().filter(|page| page.2 == left_out);
            held_out.extend(tested.map(|&(page, is_good, _)| (score(&bayes, page), is_good)));
        }
        let curve = Platt::fit(&held_out);
        let mut confusion = [[0; 2]; 2];
        for &(score, is_good) in &held_out {
            let said = curve.probability(score) >= 0.5;
            confusion[usize::from(is_good)][usize::from(said)] += 1;
        }
        Self {
            bayes: without(None),
            curve,
            confusion,
        }
    }

    /// Judges a page.
    pub fn judge(&self, terms: &PageTerms) -> Verdict {
        let log_odds = score(&self.bayes, terms);
        Verdict {
            relevance: Relevance::new(self.curve.probability(log_odds)),
            log_odds,
        }
    }

    /// Every word it was taught, with its log-odds and how often it occurred in
    /// pages of the topic.
    pub fn word_weights(&self) -> Vec<(TermId, f64, f64)> {
        let rows = self.bayes.terms();
        rows.map(|(term, counts)| {
            let log_odds = self.bayes.log_rate(term, 1) - self.bayes.log_rate(term, 0);
            (term, log_odds, counts[1])
        })
        .collect()
    }

    /// Share of held-out pages that were judged rightly.
    pub fn accuracy(&self) -> f64 {
        let [[right_no, _], [_, right_yes]] = self.confusion;
        let all: u32 = self.confusion.iter().flatten().sum();
        f64::from(right_no + right_yes) / f64::from(all.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(first: u32, number: u32) -> PageTerms {
        PageTerms::from_rows(
            (0..6)
                .map(|n| (TermId(first + (n * number) % 9), 1 + n))
                .collect::<std::collections::BTreeMap<_, _>>()
                .into_iter()
                .collect(),
        )
    }

    #[test]
    fn it_tells_pages_apart_and_knows_how_well() {
        let of = |first: u32| -> Vec<PageTerms> { (1..30).map(|n| page(first, n)).collect() };
        let topic = TrainedTopic::train(&of(0), &of(5));
        assert!(topic.accuracy() > 0.9, "{:?}", topic.confusion);
        let (good, other) = (topic.judge(&page(0, 31)), topic.judge(&page(5, 31)));
        assert!(good.relevance.value() > 0.5 && other.relevance.value() < 0.5);
        assert!(good.log_odds > 0.0 && other.log_odds < 0.0);
        let empty = topic.judge(&PageTerms::default());
        assert!(empty.relevance.value().is_finite());
    }
}

//! The critic that a training set makes (\[A\] 2.1): multinomial naive Bayes over
//! the classes of a taxonomy, some of which are the topic, or simply over the
//! topic and the rest.
//!
//! Posteriors of naive Bayes saturate on long pages, so every page counts as if
//! it had [`LENGTH`] words; relevance is the sum over the focus classes,
//! `Pr(c*|u)`, as log-odds, laid on a curve that is fitted to held-out pages.
//! The raw number and the calibrated one are kept apart.
//!
//! Needs a training set; where a person brings one to five pages and nothing
//! else, [`super::Topic`] judges.

use crate::features::PageTerms;
use crate::models::{MultinomialBayes, Platt};
use crate::text::TermId;
use crate::web_graph::Relevance;

/// Parts of which each is held out once to fit the curve.
const FOLDS: usize = 5;
/// Words of all classes together that every class is mixed with. Laplace's rule
/// takes a word that few classes have for one of the smallest class.
pub(super) const BACKGROUND: f64 = 300.0;
/// Words that a page counts as.
const LENGTH: f64 = 100.0;

/// A class with its training pages.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingClass {
    /// Its name, such as `Top/Science/Bees`.
    pub name: String,
    /// Whether it is (part of) the topic.
    pub is_focus: bool,
    /// Its pages. Their order decides which are held out together.
    pub pages: Vec<PageTerms>,
}

/// A topic of a taxonomy: classes of pages, those of the topic among them.
#[derive(Debug, Clone)]
pub struct TrainedTopic {
    bayes: MultinomialBayes<TermId>,
    curve: Platt,
    classes: Vec<(String, bool)>,
    /// Held-out pages by their class (rows) and the likeliest class (columns).
    pub confusion: Vec<Vec<u32>>,
    /// Held-out pages by what they are (rows) and were said to be (columns):
    /// not of the topic, of the topic.
    pub topic_confusion: [[u32; 2]; 2],
}

/// What it says of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Calibrated relevance.
    pub relevance: Relevance,
    /// Log-odds of the topic per token, raw.
    pub log_odds: f64,
}

/// A page's terms as if it had [`LENGTH`] of them.
fn rows(terms: &PageTerms) -> Vec<(TermId, f64)> {
    let all: f64 = terms.rows().iter().map(|row| f64::from(row.1)).sum();
    let share = LENGTH / all.max(1.0);
    let rows = terms.rows().iter();
    rows.map(|&(term, count)| (term, f64::from(count) * share))
        .collect()
}

fn learned<'a>(
    classes: usize,
    pages: impl Iterator<Item = (&'a PageTerms, usize)>,
) -> MultinomialBayes<TermId> {
    let mut bayes = MultinomialBayes::with_background(classes, BACKGROUND);
    for (page, class) in pages {
        let rows = page.rows().iter();
        bayes.learn(class, rows.map(|&(term, count)| (term, f64::from(count))));
    }
    bayes
}

/// Log-odds of the topic by log-posteriors of the classes.
fn topic_log_odds(posteriors: &[f64], classes: &[(String, bool)]) -> f64 {
    let sum = |focus: bool| {
        let of = posteriors.iter().zip(classes);
        let of = of.filter(|(_, class)| class.1 == focus).map(|row| *row.0);
        let of: Vec<f64> = of.collect();
        let highest = of.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        highest
            + of.iter()
                .map(|value| (value - highest).exp())
                .sum::<f64>()
                .ln()
    };
    let (focus, rest) = (sum(true), sum(false));
    let log_odds = focus - rest;
    if log_odds.is_nan() {
        0.0
    } else {
        log_odds.clamp(-1e6, 1e6)
    }
}

fn likeliest(posteriors: &[f64]) -> usize {
    let numbered = posteriors.iter().enumerate();
    let best = numbered.max_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(0, |row| row.0)
}

impl TrainedTopic {
    /// Trains on the classes of a taxonomy; some are the focus, some are not.
    pub fn train(classes: &[TrainingClass]) -> Self {
        let names: Vec<(String, bool)> = classes
            .iter()
            .map(|class| (class.name.clone(), class.is_focus))
            .collect();
        let pages: Vec<(&PageTerms, usize, usize)> = classes
            .iter()
            .enumerate()
            .flat_map(|(number, class)| {
                let placed = class.pages.iter().enumerate();
                placed.map(move |(place, page)| (page, number, place % FOLDS))
            })
            .collect();
        let mut held_out = Vec::new();
        let mut confusion = vec![vec![0; names.len()]; names.len()];
        for left_out in 0..FOLDS {
            let taught = pages.iter().filter(|page| page.2 != left_out);
            let bayes = learned(names.len(), taught.map(|&(page, class, _)| (page, class)));
            for &(page, class, _) in pages.iter().filter(|page| page.2 == left_out) {
                let posteriors = bayes.log_posteriors(&rows(page));
                confusion[class][likeliest(&posteriors)] += 1;
                held_out.push((topic_log_odds(&posteriors, &names) / LENGTH, names[class].1));
            }
        }
        let curve = Platt::fit(&held_out);
        let mut topic_confusion = [[0; 2]; 2];
        for &(score, is_good) in &held_out {
            let said = curve.probability(score) >= 0.5;
            topic_confusion[usize::from(is_good)][usize::from(said)] += 1;
        }
        let all = pages.iter().map(|&(page, class, _)| (page, class));
        Self {
            bayes: learned(names.len(), all),
            curve,
            classes: names,
            confusion,
            topic_confusion,
        }
    }

    /// Trains on pages of the topic and on others.
    pub fn train_two(positives: Vec<PageTerms>, negatives: Vec<PageTerms>) -> Self {
        let class = |name: &str, is_focus, pages| TrainingClass {
            name: name.to_owned(),
            is_focus,
            pages,
        };
        Self::train(&[
            class("the topic", true, positives),
            class("the rest", false, negatives),
        ])
    }

    /// Judges a page.
    pub fn judge(&self, terms: &PageTerms) -> Verdict {
        let posteriors = self.bayes.log_posteriors(&rows(terms));
        let log_odds = topic_log_odds(&posteriors, &self.classes) / LENGTH;
        Verdict {
            relevance: Relevance::new(self.curve.probability(log_odds)),
            log_odds,
        }
    }

    /// Names of the classes, and whether they are the topic's.
    pub fn classes(&self) -> &[(String, bool)] {
        &self.classes
    }

    /// The classes' probabilities, in the order of [`Self::classes`]; they sum
    /// to 1.
    pub fn class_probabilities(&self, terms: &PageTerms) -> Vec<f64> {
        let posteriors = self.bayes.log_posteriors(&rows(terms));
        posteriors.into_iter().map(f64::exp).collect()
    }

    /// Every word it was taught, with its log-odds of the focus classes taken
    /// together and how often it occurred in pages of the topic.
    pub fn word_weights(&self) -> Vec<(TermId, f64, f64)> {
        let in_focus = |focus: bool, counts: &[f64]| -> f64 {
            let counts = counts.iter().zip(&self.classes);
            let of_kind = counts.filter(|(_, class)| class.1 == focus);
            of_kind.map(|row| row.0).sum()
        };
        let mut totals = [0.0; 2];
        for (_, counts) in self.bayes.terms() {
            totals[0] += in_focus(false, counts);
            totals[1] += in_focus(true, counts);
        }
        let rows = self.bayes.terms();
        rows.map(|(term, counts)| {
            let [rest, focus] = [false, true].map(|focus| in_focus(focus, counts));
            let overall = BACKGROUND * (rest + focus) / (totals[0] + totals[1]);
            let rate = |count: f64, total: f64| (count + overall) / (total + BACKGROUND);
            let log_odds = (rate(focus, totals[1]) / rate(rest, totals[0])).ln();
            (term, log_odds, focus)
        })
        .collect()
    }

    /// Share of held-out pages that were rightly said to be of the topic or
    /// not.
    pub fn accuracy(&self) -> f64 {
        let [[right_no, _], [_, right_yes]] = self.topic_confusion;
        let all: u32 = self.topic_confusion.iter().flatten().sum();
        f64::from(right_no + right_yes) / f64::from(all.max(1))
    }

    /// Share of held-out pages whose likeliest class was their own.
    pub fn class_accuracy(&self) -> f64 {
        let right: u32 = (0..self.classes.len())
            .map(|class| self.confusion[class][class])
            .sum();
        let all: u32 = self.confusion.iter().flatten().sum();
        f64::from(right) / f64::from(all.max(1))
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

    fn pages(first: u32) -> Vec<PageTerms> {
        (1..30).map(|n| page(first, n)).collect()
    }

    #[test]
    fn it_tells_pages_apart_and_knows_how_well() {
        let topic = TrainedTopic::train_two(pages(0), pages(5));
        assert!(topic.accuracy() > 0.9, "{:?}", topic.confusion);
        let (good, other) = (topic.judge(&page(0, 31)), topic.judge(&page(5, 31)));
        assert!(good.relevance.value() > 0.5 && other.relevance.value() < 0.5);
        assert!(good.log_odds > 0.0 && other.log_odds < 0.0);
        let empty = topic.judge(&PageTerms::default());
        assert!(empty.relevance.value().is_finite());
    }

    #[test]
    fn of_many_classes_several_may_be_the_topic() {
        let class = |name: &str, is_focus, first| TrainingClass {
            name: name.to_owned(),
            is_focus,
            pages: pages(first),
        };
        let classes = [
            class("Top/Bees/Wild", true, 0),
            class("Top/Bees/Honey", true, 20),
            class("Top/Trains", false, 40),
            class("Top/Ships", false, 60),
        ];
        let topic = TrainedTopic::train(&classes);
        assert!(topic.class_accuracy() > 0.95, "{:?}", topic.confusion);
        for (first, is_good) in [(0, true), (20, true), (40, false), (60, false)] {
            let page = page(first, 31);
            let judged = topic.judge(&page);
            assert_eq!(judged.relevance.is_high(), is_good, "{first}");
            let shares = topic.class_probabilities(&page);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(shares[first as usize / 20] > 0.9, "{shares:?}");
        }
    }
}

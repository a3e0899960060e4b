//! Multinomial naive Bayes over any number of classes (\[A\] 2.1, eq. 1-2), with
//! Laplace's smoothing or with every class mixed with all classes together.
//!
//! Terms that no class was taught count for nothing.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The counts of each class, over features of type `F`. Classes are numbered from 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MultinomialBayes<F: Eq + Hash> {
    /// Occurrences of a term by class.
    terms: FxHashMap<F, Vec<f64>>,
    occurrences: Vec<f64>,
    documents: Vec<f64>,
    smoothing: Smoothing,
}

/// How a class without a term still gets a rate for it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Smoothing {
    /// Every term occurs once more in every class (\[A\] eq. 1).
    Laplace,
    /// So many terms are added to every class, drawn as from all classes.
    Background(f64),
}

impl<F: Copy + Eq + Hash> MultinomialBayes<F> {
    /// One that was taught nothing, of so many classes.
    pub fn new(classes: usize) -> Self {
        Self {
            terms: FxHashMap::default(),
            occurrences: vec![0.0; classes],
            documents: vec![0.0; classes],
            smoothing: Smoothing::Laplace,
        }
    }

    /// The same with another smoothing than Laplace's: every class is mixed with
    /// so many terms of all classes together.
    pub fn with_background(classes: usize, terms: f64) -> Self {
        Self {
            smoothing: Smoothing::Background(terms),
            ..Self::new(classes)
        }
    }

    /// Number of classes.
    pub fn classes(&self) -> usize {
        self.documents.len()
    }

    /// The same with what was learned before: terms with their occurrences by class, and
    /// documents by class. `None` if a number is none, or there are others than the
    /// classes.
    pub fn taught(
        mut self,
        terms: impl IntoIterator<Item = (F, Vec<f64>)>,
        documents: Vec<f64>,
    ) -> Option<Self> {
        let classes = self.classes();
        let are_counts = |counts: &[f64]| {
            let mut counts = counts.iter();
            counts.len() == classes && counts.all(|count| count.is_finite() && *count >= 0.0)
        };
        if !are_counts(&documents) {
            return None;
        }
        self.documents = documents;
        for (term, counts) in terms {
            // A term that never occurred has no rate.
            if !are_counts(&counts) || counts.iter().sum::<f64>() <= 0.0 {
                return None;
            }
            for (all, count) in self.occurrences.iter_mut().zip(&counts) {
                *all += count;
            }
            if self.terms.insert(term, counts).is_some() {
                return None;
            }
        }
        Some(self)
    }

    /// Documents learned, by class.
    pub fn documents(&self) -> &[f64] {
        &self.documents
    }

    /// Number of terms that were taught.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether no term was taught.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether a term was taught.
    pub fn knows(&self, term: F) -> bool {
        self.terms.contains_key(&term)
    }

    /// Learns one document of a class.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn learn(&mut self, class: usize, rows: impl IntoIterator<Item = (F, f64)>) {
        let classes = self.classes();
        self.documents[class] += 1.0;
        for (term, count) in rows {
            self.terms.entry(term).or_insert_with(|| vec![0.0; classes])[class] += count;
            self.occurrences[class] += count;
        }
    }

    /// `ln P(term | class)`; the same for all classes where the term is new.
    pub fn log_rate(&self, term: F, class: usize) -> f64 {
        match self.terms.get(&term) {
            Some(counts) => {
                let (pseudocount, pseudocount_sum) = self.pseudocount(counts);
                ((counts[class] + pseudocount) / (self.occurrences[class] + pseudocount_sum)).ln()
            }
            None => 0.0,
        }
    }

    /// What smoothing adds to every class's count of a term, and of all terms.
    fn pseudocount(&self, counts: &[f64]) -> (f64, f64) {
        match self.smoothing {
            Smoothing::Laplace => (1.0, self.terms.len() as f64),
            Smoothing::Background(terms) => {
                let here: f64 = counts.iter().sum();
                let everywhere: f64 = self.occurrences.iter().sum();
                (terms * here / everywhere, terms)
            }
        }
    }

    /// The terms that were taught, with their occurrences by class, in no order.
    pub fn terms(&self) -> impl Iterator<Item = (F, &[f64])> {
        let rows = self.terms.iter();
        rows.map(|(&term, counts)| (term, counts.as_slice()))
    }

    /// Log-posteriors of the classes, of a document of these terms; they sum to
    /// 1 as probabilities. A class without documents cannot be.
    pub fn log_posteriors(&self, rows: &[(F, f64)]) -> Vec<f64> {
        let documents: f64 = self.documents.iter().sum();
        let priors = self.documents.iter();
        let mut joint: Vec<f64> = priors.map(|count| (count / documents).ln()).collect();
        for (term, times) in rows {
            let Some(counts) = self.terms.get(term) else {
                continue;
            };
            let (pseudocount, pseudocount_sum) = self.pseudocount(counts);
            let classes = counts.iter().zip(&self.occurrences);
            for (sum, (count, all)) in joint.iter_mut().zip(classes) {
                *sum += times * ((count + pseudocount) / (all + pseudocount_sum)).ln();
            }
        }
        let highest = joint.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let sum: f64 = joint.iter().map(|value| (value - highest).exp()).sum();
        let all = highest + sum.ln();
        joint.into_iter().map(|value| value - all).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(counts: &[u32]) -> Vec<(u32, f64)> {
        let rows = counts.iter().zip(0..).filter(|(count, _)| **count > 0);
        rows.map(|(&count, term)| (term, f64::from(count)))
            .collect()
    }

    #[test]
    fn mixed_with_all_classes_rates_still_sum_to_one() {
        let mut bayes = MultinomialBayes::with_background(2, 50.0);
        bayes.learn(0, rows(&[3, 0, 1]));
        bayes.learn(1, rows(&[0, 40, 9]));
        for class in 0..2 {
            let all: f64 = (0..3).map(|term| bayes.log_rate(term, class).exp()).sum();
            assert!((all - 1.0).abs() < 1e-12);
        }
        assert!(bayes.log_rate(0, 0) > bayes.log_rate(0, 1));
    }

    /// What scikit-learn's `MultinomialNB(alpha=1)` says of the same counts.
    #[test]
    fn posteriors_are_those_of_scikit_learn() {
        let mut bayes = MultinomialBayes::new(3);
        let documents: [(usize, [u32; 5]); 5] = [
            (0, [3, 0, 1, 0, 2]),
            (0, [1, 2, 0, 0, 0]),
            (1, [0, 0, 4, 1, 0]),
            (2, [0, 1, 0, 5, 1]),
            (2, [2, 0, 0, 0, 3]),
        ];
        for (class, counts) in documents {
            bayes.learn(class, rows(&counts));
        }
        let cases: [([u32; 5], [f64; 3]); 4] = [
            (
                [1, 0, 0, 0, 1],
                [
                    0.573_547_740_076_367_2,
                    0.037_471_785_684_989_29,
                    0.388_980_474_238_643_3,
                ],
            ),
            (
                [0, 0, 2, 2, 0],
                [
                    0.018_811_275_752_698_71,
                    0.903_317_461_644_59,
                    0.077_871_262_602_711_28,
                ],
            ),
            ([0; 5], [0.4, 0.2, 0.4]),
            (
                [10, 3, 0, 7, 1],
                [
                    0.065_913_810_259_089_25,
                    6.246_835_626_639_881e-6,
                    0.934_079_942_905_282_1,
                ],
            ),
        ];
        for (counts, expected) in cases {
            let found = bayes.log_posteriors(&rows(&counts));
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found.exp() - expected).abs() < 1e-9,
                    "{counts:?}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn what_was_taught_comes_back_and_what_makes_no_sense_does_not() {
        let mut bayes = MultinomialBayes::with_background(2, 50.0);
        bayes.learn(0, rows(&[3, 0, 1]));
        bayes.learn(1, rows(&[0, 40, 9]));
        let terms: Vec<(u32, Vec<f64>)> = bayes
            .terms()
            .map(|(term, counts)| (term, counts.to_vec()))
            .collect();
        let empty = || MultinomialBayes::with_background(2, 50.0);
        let again = empty().taught(terms.clone(), bayes.documents().to_vec());
        assert_eq!(again, Some(bayes));
        let refused = |terms: Vec<(u32, Vec<f64>)>, documents: Vec<f64>| {
            empty().taught(terms, documents).is_none()
        };
        assert!(refused(terms.clone(), vec![1.0]));
        assert!(refused(terms.clone(), vec![1.0, f64::INFINITY]));
        assert!(refused(vec![(1, vec![1.0])], vec![1.0, 1.0]));
        assert!(refused(vec![(1, vec![1.0, -1.0])], vec![1.0, 1.0]));
        assert!(refused(vec![(1, vec![0.0, 0.0])], vec![1.0, 1.0]));
        assert!(refused(vec![(1, vec![1.0, 0.0]); 2], vec![1.0, 1.0]));
    }

    #[test]
    fn a_word_nobody_taught_says_nothing() {
        let mut bayes = MultinomialBayes::new(2);
        bayes.learn(0, rows(&[1, 0]));
        bayes.learn(1, rows(&[0, 1]));
        let before = bayes.log_posteriors(&rows(&[1, 0]));
        let mut with_new = rows(&[1, 0]);
        with_new.push((99, 7.0));
        assert_eq!(bayes.log_posteriors(&with_new), before);
    }
}

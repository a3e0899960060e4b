//! The critic that a taxonomy makes (\[A\] 2.1, methods 2.1): some of its nodes are good,
//! and a page is as good as it is likely to be of a class that is good or stands below one,
//! `R(u) = sum of Pr(c|u) over good c`.
//!
//! A page is a target if its likeliest class is good: hard focus, for strategies that go by
//! targets; those that go by relevance have soft focus. A class that the person corrected
//! wins over both, and the page is learned from. Takes no account of which classes stand
//! near each other in the tree.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::taxonomy::{Rates, Taxonomy, is_under, likeliest};
use super::trained::BACKGROUND;
use super::{Critic, targets};
use crate::address::Address;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::features::{HEAVIEST_TERMS, PageTerms};
use crate::models::MultinomialBayes;
use crate::page::Page;
use crate::predicate::{PredicateError, quoted, read_quoted};
use crate::text::TermId;
use crate::web_graph::{CorrectedPage, Judgment, Relevance, WebGraph};

/// What it is called by, before its good nodes.
pub const BY_CLASS: &str = "taxonomy";
/// How often the words of a page count whose class the person corrected: they correct few.
const CORRECTED_WEIGHT: f64 = 5.0;
/// Probability from which on a class of a page is named.
const LEAST_SHARE: f64 = 0.05;

/// How a critic by classes is written: `taxonomy "Science/Bees" "Hives"`.
pub fn by_class(good: &[String]) -> String {
    let nodes = good.iter().map(|node| format!(" {}", quoted(node)));
    format!("{BY_CLASS}{}", nodes.collect::<String>())
}

/// The good nodes of a critic by classes; `None` if the text describes another critic.
pub fn good_nodes(text: &str) -> Option<Result<Vec<String>, PredicateError>> {
    let rest = text.trim().strip_prefix(BY_CLASS)?;
    if rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_') {
        return None;
    }
    let letters: Vec<char> = rest.chars().collect();
    let (mut at, mut nodes) = (0, Vec::new());
    while at < letters.len() {
        if letters[at].is_whitespace() {
            at += 1;
            continue;
        }
        match read_quoted(&letters[at..], BY_CLASS.len() + at + 1) {
            Ok((node, length)) => {
                nodes.push(node);
                at += length;
            }
            Err(error) => return Some(Err(error)),
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    Some(Ok(nodes))
}

/// Judges pages by the classes they are likely to be of.
pub struct ByClass {
    written: String,
    taxonomy: Arc<Taxonomy>,
    good: Vec<String>,
    /// By number of the class.
    is_good: Vec<bool>,
    bayes: MultinomialBayes<u32>,
    /// Words that only corrected pages have, numbered behind those of the taxonomy.
    more_words: FxHashMap<Box<str>, u32>,
    /// The corrections that `bayes` learned from.
    corrected: BTreeMap<Address, CorrectedPage>,
    /// Log-odds of a good class, by number of the word.
    log_odds: FxHashMap<u32, f32>,
    weights: FxHashMap<TermId, f32>,
}

impl ByClass {
    /// A critic by the good nodes of a taxonomy. Nodes that it does not have hold no class.
    pub fn new(good: Vec<String>, taxonomy: Arc<Taxonomy>) -> Self {
        let is_good = |class: &String| good.iter().any(|node| is_under(class, node));
        let mut critic = Self {
            written: by_class(&good),
            is_good: taxonomy.classes().iter().map(is_good).collect(),
            bayes: taxonomy.taught(|_| true),
            taxonomy,
            good,
            more_words: FxHashMap::default(),
            corrected: BTreeMap::new(),
            log_odds: FxHashMap::default(),
            weights: FxHashMap::default(),
        };
        critic.weigh_words();
        critic
    }

    /// Log-probabilities of the classes; `None` for a page that has no words.
    fn posteriors(&self, terms: &PageTerms, known: &WebGraph) -> Option<Vec<f64>> {
        let heaviest = terms.heaviest(HEAVIEST_TERMS);
        if heaviest.rows().is_empty() || self.bayes.is_empty() {
            return None;
        }
        let rows = heaviest.rows().iter().map(|&(term, count)| {
            // A word that nobody was taught counts for the page's length alone.
            let word = self.number(known.vocabulary.term(term));
            (word.unwrap_or(u32::MAX), count)
        });
        let rows: Vec<(u32, u32)> = rows.collect();
        Some(Rates::of(&self.bayes, &rows).log_posteriors(self.taxonomy.length()))
    }

    fn number(&self, word: &str) -> Option<u32> {
        let words = self.taxonomy.words();
        let found = words.binary_search_by(|known| known.as_str().cmp(word));
        let found = found.ok().map(|place| place as u32);
        found.or_else(|| self.more_words.get(word).copied())
    }

    /// Learns from the corrected pages, if they are others than before.
    fn learn_corrections(&mut self, known: &WebGraph) {
        if self.corrected == known.corrected {
            return;
        }
        self.corrected.clone_from(&known.corrected);
        self.bayes = self.taxonomy.taught(|_| true);
        self.more_words.clear();
        for page in known.corrected.values() {
            let classes = self.taxonomy.classes();
            let Ok(class) = classes.binary_search(&page.class) else {
                continue; // of a taxonomy that was here before
            };
            let mut rows = Vec::new();
            let heaviest = page.terms.heaviest(HEAVIEST_TERMS);
            for &(term, count) in heaviest.rows() {
                let word = known.vocabulary.term(term);
                let next = (self.taxonomy.words().len() + self.more_words.len()) as u32;
                let number = self.number(word).unwrap_or_else(|| {
                    self.more_words.insert(word.into(), next);
                    next
                });
                rows.push((number, CORRECTED_WEIGHT * f64::from(count)));
            }
            self.bayes.learn(class, rows);
        }
        self.weigh_words();
    }

    /// What single words say for the good classes taken together.
    fn weigh_words(&mut self) {
        let of_kind = |is_good: bool, counts: &[f64]| -> f64 {
            let counts = counts.iter().zip(&self.is_good);
            counts
                .filter(|row| *row.1 == is_good)
                .map(|row| row.0)
                .sum()
        };
        let mut totals = [0.0; 2];
        for (_, counts) in self.bayes.terms() {
            totals[0] += of_kind(false, counts);
            totals[1] += of_kind(true, counts);
        }
        let rows = self.bayes.terms().map(|(word, counts)| {
            let [rest, good] = [false, true].map(|is_good| of_kind(is_good, counts));
            let overall = BACKGROUND * (rest + good) / (totals[0] + totals[1]);
            let rate = |count: f64, total: f64| (count + overall) / (total + BACKGROUND);
            let log_odds = (rate(good, totals[1]) / rate(rest, totals[0])).ln();
            (word, log_odds as f32)
        });
        self.log_odds = rows.collect();
    }

    fn is_good_class(&self, class: &str) -> bool {
        self.good.iter().any(|node| is_under(class, node))
    }
}

impl Critic for ByClass {
    fn name(&self) -> &str {
        &self.written
    }

    fn judge_terms(&self, terms: &PageTerms, known: &WebGraph) -> Option<Judgment> {
        let similarity = targets::similarity(terms, known);
        let Some(posteriors) = self.posteriors(terms, known) else {
            return Some(Judgment::default());
        };
        let sum = |is_good: bool| -> f64 {
            let classes = posteriors.iter().zip(&self.is_good);
            let of_kind = classes.filter(|row| *row.1 == is_good);
            of_kind.map(|row| row.0.exp()).sum()
        };
        let (good, rest) = (sum(true), sum(false));
        let log_odds = (good.max(f64::MIN_POSITIVE) / rest.max(f64::MIN_POSITIVE)).ln();
        Some(Judgment {
            relevance: Relevance::new(good),
            log_odds: log_odds / self.taxonomy.length(),
            similarity,
            is_target: likeliest(&posteriors).is_some_and(|class| self.is_good[class]),
        })
    }

    fn corrected(&self, page: &Address, known: &WebGraph) -> Option<Judgment> {
        let is_good = self.is_good_class(&known.corrected.get(page)?.class);
        Some(Judgment {
            relevance: Relevance::new(f64::from(u8::from(is_good))),
            is_target: is_good,
            ..Judgment::default()
        })
    }

    fn taxonomy(&self) -> Option<&Arc<Taxonomy>> {
        Some(&self.taxonomy)
    }

    fn classes(
        &self,
        page: &Page,
        terms: &PageTerms,
        known: &WebGraph,
        _: Judgment,
    ) -> Vec<(String, f64)> {
        if let Some(corrected) = known.corrected.get(&page.address) {
            return vec![(corrected.class.clone(), 1.0)];
        }
        let shares = self.posteriors(terms, known).unwrap_or_default();
        let shares = shares.into_iter().map(f64::exp);
        let named = self.taxonomy.classes().iter().cloned().zip(shares);
        let mut named: Vec<(String, f64)> = named.filter(|row| row.1 >= LEAST_SHARE).collect();
        named.sort_by(|a, b| b.1.total_cmp(&a.1));
        named
    }

    fn word_weight(&self, term: TermId) -> f64 {
        f64::from(self.weights.get(&term).copied().unwrap_or(0.0))
    }

    fn refresh(&mut self, known: &WebGraph) {
        self.learn_corrections(known);
        let own = self.taxonomy.words().iter().map(String::as_str).zip(0..);
        let more = self
            .more_words
            .iter()
            .map(|(word, &number)| (&**word, number));
        self.weights = own
            .chain(more)
            .filter_map(|(word, number)| {
                let weight = *self.log_odds.get(&number)?;
                Some((known.vocabulary.id(word)?, weight))
            })
            .collect();
    }

    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.bayes)?;
        to.put(&self.more_words)?;
        to.put(&self.corrected)?;
        to.put(&self.log_odds)?;
        to.put(&self.weights)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.bayes = from.take()?;
        self.more_words = from.take()?;
        self.corrected = from.take()?;
        self.log_odds = from.take()?;
        self.weights = from.take()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;

//! A taxonomy: classes with pages that stand for them, and what class a page is of (\[A\]
//! 2.1, methods 2.1).
//!
//! Multinomial naive Bayes over all classes that have pages (eq. 1-2). Its posteriors
//! saturate on long pages, so every page counts as if it had the same number of words; that
//! number is the one by which pages that are held out are foretold best. The classes'
//! probabilities are calibrated thus, whichever of them are the topic.
//!
//! Knows no vocabulary: a taxonomy goes along with the critic that asks for it, wherever
//! that goes. Which classes are good is not said here, see [`super::ByClass`].

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use thiserror::Error;

use super::trained::BACKGROUND;
use crate::address::Address;
use crate::features::HEAVIEST_TERMS;
use crate::models::MultinomialBayes;

/// Classes that a taxonomy may have.
pub const MOST_CLASSES: usize = 200;
/// Pages that may stand for its classes.
pub const MOST_EXAMPLES: usize = 2_000;
/// Words kept of a page that stands for a class.
pub const EXAMPLE_WORDS: usize = HEAVIEST_TERMS;
/// Words kept; those that the fewest pages have go first.
const MOST_WORDS: usize = 20_000;
/// Parts of which each is held out once.
const FOLDS: usize = 5;
/// Numbers of words that are tried: 1 to 512, each by half more than the one before.
const LENGTHS: i32 = 16;
const LENGTH_STEP: f64 = 1.5;
/// Words that a page counts as where no page can be held out.
const USUAL_LENGTH: f64 = 20.0;

/// A page that stands for a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Where it is, if that is known.
    pub address: Option<Address>,
    /// Number of its class.
    pub class: u16,
    /// Numbers of its words, with their counts.
    pub words: Vec<(u32, u32)>,
}

/// A page of a class, with its words as they are.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassPage {
    /// Where it is, if that is known.
    pub address: Option<Address>,
    /// Its words with their counts, the commonest first.
    pub words: Vec<(String, u32)>,
}

/// Classes with pages that stand for them.
#[derive(Debug, Clone, PartialEq)]
pub struct Taxonomy {
    /// Paths such as `Top/Science/Bees`, by their letters.
    classes: Vec<String>,
    /// By their letters.
    words: Vec<String>,
    examples: Vec<Example>,
    /// Words that a page counts as.
    length: f64,
}

/// How well classes are told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeldOut {
    /// Pages that were held out.
    pub pages: u32,
    /// Those whose likeliest class was their own.
    pub right: u32,
}

/// Why classes make no taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TaxonomyError {
    /// One class cannot be told from others.
    #[error("a taxonomy needs two classes with pages, and here is {0}")]
    TooFewClasses(usize),
    /// Too many classes.
    #[error("{0} classes are more than the {MOST_CLASSES} that are told apart: join some")]
    TooManyClasses(usize),
    /// Too many pages.
    #[error("{0} pages are more than the {MOST_EXAMPLES} that are kept: take fewer of each class")]
    TooManyPages(usize),
    /// Its parts contradict each other.
    #[error("{0}")]
    Content(&'static str),
}

/// Whether a node is another one or stands below it.
pub fn is_under(node: &str, above: &str) -> bool {
    node.strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl Taxonomy {
    /// A taxonomy of classes by their paths; classes without pages, and pages without words,
    /// are left out. Also how well its classes are told apart.
    pub fn of(classes: BTreeMap<String, Vec<ClassPage>>) -> Result<(Self, HeldOut), TaxonomyError> {
        let classes: Vec<(String, Vec<ClassPage>)> = classes
            .into_iter()
            .map(|(name, mut pages)| {
                for page in &mut pages {
                    page.words.truncate(EXAMPLE_WORDS);
                }
                pages.retain(|page| !page.words.is_empty());
                (name, pages)
            })
            .filter(|class| !class.1.is_empty())
            .collect();
        let words = commonest(classes.iter().flat_map(|class| &class.1));
        let mut examples = Vec::new();
        for (class, (_, pages)) in (0..).zip(&classes) {
            for page in pages {
                let known = page.words.iter().filter_map(|(word, count)| {
                    let number = words.binary_search(word).ok()?;
                    Some((number as u32, *count))
                });
                examples.push(Example {
                    address: page.address.clone(),
                    class,
                    words: known.collect(),
                });
            }
        }
        let names = classes.into_iter().map(|class| class.0).collect();
        let mut taxonomy = Self::from_parts(names, words, examples, USUAL_LENGTH)?;
        let (length, held_out) = taxonomy.fit_length();
        taxonomy.length = length;
        Ok((taxonomy, held_out))
    }

    /// A taxonomy from its parts, which may come from anywhere.
    pub fn from_parts(
        classes: Vec<String>,
        words: Vec<String>,
        examples: Vec<Example>,
        length: f64,
    ) -> Result<Self, TaxonomyError> {
        let is_sorted = |list: &[String]| list.is_sorted_by(|a, b| a < b);
        match classes.len() {
            too_few @ (0 | 1) => return Err(TaxonomyError::TooFewClasses(too_few)),
            too_many if too_many > MOST_CLASSES => {
                return Err(TaxonomyError::TooManyClasses(too_many));
            }
            _ => {}
        }
        if examples.len() > MOST_EXAMPLES {
            return Err(TaxonomyError::TooManyPages(examples.len()));
        }
        if !is_sorted(&classes) || !is_sorted(&words) || words.len() > MOST_WORDS {
            return Err(TaxonomyError::Content("its names are not in order"));
        }
        if !(length.is_finite() && length > 0.0) {
            return Err(TaxonomyError::Content("a page's length is no number"));
        }
        let is_known = |example: &Example| {
            let mut numbers = example.words.iter();
            usize::from(example.class) < classes.len()
                && example.words.len() <= EXAMPLE_WORDS
                && numbers.all(|&(word, count)| (word as usize) < words.len() && count > 0)
        };
        if !examples.iter().all(is_known) {
            return Err(TaxonomyError::Content("a page names what it does not have"));
        }
        Ok(Self {
            classes,
            words,
            examples,
            length,
        })
    }

    /// Paths of the classes, by their letters.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Whether a page can be of this class: it has pages of its own.
    pub fn has_class(&self, path: &str) -> bool {
        let known = self
            .classes
            .binary_search_by(|class| class.as_str().cmp(path));
        known.is_ok()
    }

    /// The words, by their letters.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The pages that stand for classes.
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }

    /// Words that a page counts as.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Every node, classes and what stands above them, by its path; with the pages of the
    /// node and of all below it.
    pub fn nodes(&self) -> BTreeMap<&str, u32> {
        let mut nodes = BTreeMap::new();
        for name in &self.classes {
            for node in self_and_above(name) {
                nodes.entry(node).or_insert(0);
            }
        }
        for example in &self.examples {
            for node in self_and_above(&self.classes[usize::from(example.class)]) {
                *nodes.entry(node).or_insert(0) += 1;
            }
        }
        nodes
    }

    /// The same without pages of which `is_gone` says so, and without the words that only
    /// they had.
    #[must_use]
    pub fn without(&self, is_gone: impl Fn(&Address) -> bool) -> Self {
        let stays = |example: &&Example| !example.address.as_ref().is_some_and(&is_gone);
        let kept: Vec<&Example> = self.examples.iter().filter(stays).collect();
        let used = kept.iter().flat_map(|example| &example.words);
        let used: BTreeSet<u32> = used.map(|row| row.0).collect();
        let numbers: FxHashMap<u32, u32> = used.iter().copied().zip(0..).collect();
        let words = used.iter().map(|&word| self.words[word as usize].clone());
        let examples = kept.into_iter().map(|example| Example {
            words: example
                .words
                .iter()
                .map(|&(word, count)| (numbers[&word], count))
                .collect(),
            ..example.clone()
        });
        Self {
            classes: self.classes.clone(),
            words: words.collect(),
            examples: examples.collect(),
            length: self.length,
        }
    }

    /// Whether a page stands for a class of which `is_gone` says so.
    pub fn mentions(&self, is_gone: impl Fn(&Address) -> bool) -> bool {
        let mut pages = self.examples.iter().flat_map(|page| &page.address);
        pages.any(is_gone)
    }

    /// What the examples teach that `is_taught` takes, by their number.
    pub(super) fn taught(&self, is_taught: impl Fn(usize) -> bool) -> MultinomialBayes<u32> {
        let mut bayes = MultinomialBayes::with_background(self.classes.len(), BACKGROUND);
        for (number, example) in self.examples.iter().enumerate() {
            if is_taught(number) {
                let rows = example.words.iter();
                let rows = rows.map(|&(word, count)| (word, f64::from(count)));
                bayes.learn(usize::from(example.class), rows);
            }
        }
        bayes
    }

    /// The length by which classes of held-out pages are foretold best, and how well.
    fn fit_length(&self) -> (f64, HeldOut) {
        let mut seen = vec![0; self.classes.len()];
        let folds: Vec<usize> = self
            .examples
            .iter()
            .map(|example| {
                let place = &mut seen[usize::from(example.class)];
                *place += 1;
                (*place - 1) % FOLDS
            })
            .collect();
        let mut rows: Vec<(usize, Rates)> = Vec::new();
        for left_out in 0..FOLDS {
            let bayes = self.taught(|number| folds[number] != left_out);
            for (example, &fold) in self.examples.iter().zip(&folds) {
                let class = usize::from(example.class);
                if fold == left_out && bayes.documents()[class] > 0.0 {
                    rows.push((class, Rates::of(&bayes, &example.words)));
                }
            }
        }
        let loss = |length: f64| -> f64 {
            let said = rows.iter();
            said.map(|(class, rates)| -rates.log_posteriors(length)[*class])
                .sum()
        };
        let lengths = (0..LENGTHS).map(|step| LENGTH_STEP.powi(step));
        let tried = lengths.map(|length| (loss(length), length));
        let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
        let length = best.map_or(USUAL_LENGTH, |row| row.1);
        if rows.is_empty() {
            return (USUAL_LENGTH, HeldOut::default());
        }
        let is_right =
            |row: &&(usize, Rates)| likeliest(&row.1.log_posteriors(length)) == Some(row.0);
        let held_out = HeldOut {
            pages: rows.len() as u32,
            right: rows.iter().filter(is_right).count() as u32,
        };
        (length, held_out)
    }
}

/// The words of pages, those that the most pages have, by their letters.
fn commonest<'a>(pages: impl Iterator<Item = &'a ClassPage>) -> Vec<String> {
    let mut pages_with: BTreeMap<&str, u32> = BTreeMap::new();
    for (word, _) in pages.flat_map(|page| &page.words) {
        *pages_with.entry(word).or_default() += 1;
    }
    let mut words: Vec<(&str, u32)> = pages_with.into_iter().collect();
    words.sort_by_key(|row| std::cmp::Reverse(row.1));
    words.truncate(MOST_WORDS);
    let mut words: Vec<String> = words.into_iter().map(|row| row.0.to_owned()).collect();
    words.sort_unstable();
    words
}

/// A path and those above it.
fn self_and_above(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(end, _)| end);
    ends.chain([path.len()]).map(|end| &path[..end])
}

/// Number of the class that is likeliest, the first of equals; `None` if there is none.
pub(super) fn likeliest(posteriors: &[f64]) -> Option<usize> {
    let numbered = posteriors.iter().enumerate().rev();
    numbered.max_by(|a, b| a.1.total_cmp(b.1)).map(|row| row.0)
}

/// What a page's words say of the classes, for any number of words that it counts as.
pub(super) struct Rates {
    priors: Vec<f64>,
    /// Mean log-rates of its words.
    means: Vec<f64>,
}

impl Rates {
    pub(super) fn of(bayes: &MultinomialBayes<u32>, words: &[(u32, u32)]) -> Self {
        let all: f64 = words.iter().map(|row| f64::from(row.1)).sum();
        let shares: Vec<(u32, f64)> = words
            .iter()
            .map(|&(word, count)| (word, f64::from(count) / all.max(1.0)))
            .collect();
        let documents: f64 = bayes.documents().iter().sum();
        let priors = bayes.documents().iter();
        let priors: Vec<f64> = priors.map(|count| (count / documents).ln()).collect();
        let said = bayes.log_posteriors(&shares);
        // Up to what all classes have in common.
        let means = said.iter().zip(&priors);
        let means = means.map(|(said, prior)| if prior.is_finite() { said - prior } else { 0.0 });
        Self {
            means: means.collect(),
            priors,
        }
    }

    /// Log-probabilities of the classes for a page that counts as so many words.
    pub(super) fn log_posteriors(&self, length: f64) -> Vec<f64> {
        let joint = self.priors.iter().zip(&self.means);
        let joint: Vec<f64> = joint.map(|(prior, mean)| prior + length * mean).collect();
        let highest = joint.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let sum: f64 = joint.iter().map(|value| (value - highest).exp()).sum();
        let all = highest + sum.ln();
        joint.into_iter().map(|value| value - all).collect()
    }
}

#[cfg(test)]
mod tests;

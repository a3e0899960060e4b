//! Whether a searchable form belongs to what is looked for, by its words (\[D\] 3.4,
//! the domain-specific form classifier): a linear support vector machine over
//! words weighed by how rare they are.
//!
//! Where \[D\] reads only the form, the commonest words of its page are read too,
//! at half weight: the search box of a site often says no more than "Search".

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::address::cut_words;
use crate::dom::Form;
use crate::models::LinearSvm;
use crate::page::Page;
use crate::text::{Language, terms};

/// Words kept of one form.
const MOST_WORDS: usize = 400;
/// The commonest words of its page that are read.
const AROUND: usize = 60;
/// What a word of the page weighs beside one of the form.
const AROUND_WEIGHT: f64 = 0.5;
/// Letters of an attribute that are read.
const LONGEST_NAMING: usize = 300;
/// `C` of all examples of a class together.
const COST: f64 = 10.0;

/// The distinct words of a form, and the commonest ones of its page that are not
/// among them; both in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormWords {
    own: Vec<String>,
    around: Vec<String>,
}

impl FormWords {
    /// Words of the leaves inside the form, of its fields' attributes and
    /// buttons, and of the title and description of its page.
    pub fn of(page: &Page, form: &Form) -> Self {
        let read = page.words();
        let mut words = BTreeSet::new();
        let mut add = |word: String| {
            if words.len() < MOST_WORDS {
                words.insert(word);
            }
        };
        let leaves = form.leaves.first..form.leaves.end.min(page.document().leaf_count());
        let inside = leaves.flat_map(|leaf| read.leaf(leaf));
        for &position in read.header.iter().chain(inside) {
            add(read.terms[position as usize].clone());
        }
        for field in &form.fields {
            let naming: String = field.naming.chars().take(LONGEST_NAMING).collect();
            let mut cut = Vec::new();
            cut_words(&naming, &mut cut);
            terms(&cut.join(" "), page.language)
                .into_iter()
                .for_each(&mut add);
            let label: String = field.label.chars().take(LONGEST_NAMING).collect();
            terms(&label, page.language).into_iter().for_each(&mut add);
        }
        Self::new(words, commonest(page))
    }

    /// From words in any order.
    pub fn new(
        own: impl IntoIterator<Item = String>,
        around: impl IntoIterator<Item = String>,
    ) -> Self {
        let own: BTreeSet<String> = own.into_iter().take(MOST_WORDS).collect();
        let around = around.into_iter().take(AROUND);
        let around: BTreeSet<String> = around.filter(|word| !own.contains(word)).collect();
        Self {
            own: own.into_iter().collect(),
            around: around.into_iter().collect(),
        }
    }

    /// The terms of a text, as if it were all of a form.
    pub fn of_text(text: &str, language: Language) -> Self {
        Self::new(terms(text, language), [])
    }

    /// The form's own words.
    pub fn own(&self) -> &[String] {
        &self.own
    }

    /// Words of its page.
    pub fn around(&self) -> &[String] {
        &self.around
    }

    /// All words with their weights.
    pub fn weighed(&self) -> impl Iterator<Item = (&str, f64)> {
        let own = self.own.iter().map(|word| (word.as_str(), 1.0));
        let around = self.around.iter();
        own.chain(around.map(|word| (word.as_str(), AROUND_WEIGHT)))
    }
}

/// The commonest words of a page; of equal ones those that come first.
fn commonest(page: &Page) -> Vec<String> {
    let words = page.words();
    let mut counts: Vec<(u32, usize)> = (0..words.terms.len()).map(|place| (0, place)).collect();
    for position in words.all() {
        counts[position as usize].0 += 1;
    }
    counts.sort_unstable_by_key(|&(count, place)| (Reverse(count), place));
    let heaviest = counts.into_iter().take(AROUND);
    heaviest.map(|row| words.terms[row.1].clone()).collect()
}

/// A linear classifier: does a form lead to a database of the topic?
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FormDomain {
    svm: LinearSvm,
    /// Word -> its number and weight.
    words: FxHashMap<String, (u32, f64)>,
}

impl FormDomain {
    /// Trains on forms that are of the domain, and on others. Both classes weigh
    /// the same, however many there are of each.
    pub fn train(examples: &[(&FormWords, bool)]) -> Self {
        let mut forms_with: FxHashMap<&str, u32> = FxHashMap::default();
        for (word, _) in examples.iter().flat_map(|example| example.0.weighed()) {
            *forms_with.entry(word).or_default() += 1;
        }
        let mut names: Vec<(&str, u32)> = forms_with.into_iter().collect();
        names.sort_unstable();
        let all = examples.len() as f64;
        let weight = |forms: u32| ((all + 1.0) / (f64::from(forms) + 1.0)).ln() + 1.0;
        let numbered = names.into_iter().zip(0..);
        let mut domain = Self {
            svm: LinearSvm::default(),
            words: numbered
                .map(|((word, forms), number)| (word.to_owned(), (number, weight(forms))))
                .collect(),
        };
        let rows: Vec<Vec<(u32, f64)>> = examples
            .iter()
            .map(|example| domain.row(example.0))
            .collect();
        let labelled: Vec<(&[(u32, f64)], bool)> = rows
            .iter()
            .zip(examples)
            .map(|(row, example)| (row.as_slice(), example.1))
            .collect();
        let good = examples.iter().filter(|example| example.1).count();
        let cost = |count: usize| COST * all / (2.0 * count.max(1) as f64);
        domain.svm = LinearSvm::train(&labelled, [cost(examples.len() - good), cost(good)]);
        domain
    }

    /// Its bias, and its words in order, each with how rare it is and what it weighs.
    pub fn rows(&self) -> (f64, Vec<(String, f64, f64)>) {
        let rows = self.words.iter();
        let mut rows: Vec<(String, f64, f64)> = rows
            .map(|(word, &(number, rarity))| (word.clone(), rarity, self.svm.weight(number)))
            .collect();
        rows.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        (self.svm.bias(), rows)
    }

    /// Back from [`Self::rows`]; `None` if a number is none or a word is there twice.
    pub fn from_rows(bias: f64, rows: Vec<(String, f64, f64)>) -> Option<Self> {
        let are_sound = rows
            .iter()
            .all(|(_, rarity, weight)| rarity.is_finite() && *rarity > 0.0 && weight.is_finite());
        let weights = (0..).zip(rows.iter().map(|row| row.2));
        let svm = LinearSvm::from_weights(bias, weights.filter(|row| row.1 != 0.0));
        let all = rows.len();
        let words: FxHashMap<String, (u32, f64)> = (0..)
            .zip(rows)
            .map(|(number, (word, rarity, _))| (word, (number, rarity)))
            .collect();
        (bias.is_finite() && are_sound && words.len() == all).then_some(Self { svm, words })
    }

    /// A form's known words, weighed, of length 1.
    fn row(&self, form: &FormWords) -> Vec<(u32, f64)> {
        let known = form.weighed().filter_map(|(word, weight)| {
            let &(number, rarity) = self.words.get(word)?;
            Some((number, rarity * weight))
        });
        let mut row: Vec<(u32, f64)> = known.collect();
        let length = row.iter().map(|cell| cell.1 * cell.1).sum::<f64>().sqrt();
        for cell in &mut row {
            cell.1 /= length;
        }
        row
    }

    /// Greater than 0 for a form of the domain; 1 at the margin.
    pub fn margin(&self, form: &FormWords) -> f64 {
        self.svm.margin(&self.row(form))
    }

    /// The same as a share, 0..=1: a half where the margin is 0.
    pub fn probability(&self, form: &FormWords) -> f64 {
        1.0 / (1.0 + (-2.0 * self.margin(form)).exp())
    }

    /// What a word speaks for the domain; 0 where it is unknown.
    pub fn weight(&self, word: &str) -> f64 {
        let known = self.words.get(word);
        known.map_or(0.0, |&(number, weight)| self.svm.weight(number) * weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_domains_apart() {
        let read = |text: &str| FormWords::of_text(text, Language::English);
        let flights: Vec<FormWords> = [
            "Find flights departure airport arrival return date passengers",
            "Airline tickets from to depart adults children",
            "Cheap airfare departure city destination passengers search",
        ]
        .map(read)
        .into();
        let books: Vec<FormWords> = [
            "Search the library catalog title author ISBN",
            "Find books author publisher keyword search",
            "Catalogue author subject title",
            "Bookshop: ISBN, title, author, binding",
        ]
        .map(read)
        .into();
        let examples = flights.iter().map(|form| (form, true));
        let examples: Vec<_> = examples
            .chain(books.iter().map(|form| (form, false)))
            .collect();
        let domain = FormDomain::train(&examples);
        assert!(domain.probability(&read("Departure airport and passengers")) > 0.5);
        assert!(domain.probability(&read("Author or title")) < 0.5);
        assert!(domain.weight("passeng") > 0.0 && domain.weight("author") < 0.0);
        let nothing = domain.probability(&FormWords::default());
        assert!(nothing.is_finite());
    }
}

//! Whether a searchable form belongs to what is looked for, by the words in it
//! and those of its page's title ([D] 3.4, the domain-specific form classifier): a
//! linear support vector machine over words weighed by how rare they are.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::address::cut_words;
use crate::dom::Form;
use crate::models::LinearSvm;
use crate::page::Page;
use crate::text::{Language, terms};

/// Words kept of one form.
const MOST_WORDS: usize = 400;
/// Letters of an attribute that are read.
const LONGEST_NAMING: usize = 300;
/// `C` of all examples of a class together.
const COST: f64 = 10.0;

/// The distinct words of a form, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FormWords(Vec<String>);

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
        Self(words.into_iter().collect())
    }

    /// From words in any order.
    pub fn from_words(words: impl IntoIterator<Item = String>) -> Self {
        let words: BTreeSet<String> = words.into_iter().take(MOST_WORDS).collect();
        Self(words.into_iter().collect())
    }

    /// The terms of a text, as if it were all of a form.
    pub fn of_text(text: &str, language: Language) -> Self {
        Self::from_words(terms(text, language))
    }

    /// The words, in order.
    pub fn words(&self) -> &[String] {
        &self.0
    }
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct FormDomain {
    svm: LinearSvm,
    /// Word -> its number and weight.
    words: FxHashMap<String, (u32, f64)>,
}

impl FormDomain {
    /// Trains on forms that are of the domain, and on others. Both classes weigh
    /// the same, however many there are of each.
    pub fn train(lessons: &[(&FormWords, bool)]) -> Self {
        let mut forms_with: FxHashMap<&str, u32> = FxHashMap::default();
        for word in lessons.iter().flat_map(|lesson| lesson.0.words()) {
            *forms_with.entry(word).or_default() += 1;
        }
        let mut names: Vec<(&str, u32)> = forms_with.into_iter().collect();
        names.sort_unstable();
        let all = lessons.len() as f64;
        let weight = |forms: u32| ((all + 1.0) / (f64::from(forms) + 1.0)).ln() + 1.0;
        let numbered = names.into_iter().zip(0..);
        let mut domain = Self {
            svm: LinearSvm::default(),
            words: numbered
                .map(|((word, forms), number)| (word.to_owned(), (number, weight(forms))))
                .collect(),
        };
        let rows: Vec<Vec<(u32, f64)>> =
            lessons.iter().map(|lesson| domain.row(lesson.0)).collect();
        let labelled: Vec<(&[(u32, f64)], bool)> = rows
            .iter()
            .zip(lessons)
            .map(|(row, lesson)| (row.as_slice(), lesson.1))
            .collect();
        let good = lessons.iter().filter(|lesson| lesson.1).count();
        let cost = |count: usize| COST * all / (2.0 * count.max(1) as f64);
        domain.svm = LinearSvm::train(&labelled, [cost(lessons.len() - good), cost(good)]);
        domain
    }

    /// A form's known words, weighed, of length 1.
    fn row(&self, form: &FormWords) -> Vec<(u32, f64)> {
        let known = form.words().iter().filter_map(|word| self.words.get(word));
        let mut row: Vec<(u32, f64)> = known.copied().collect();
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
    pub fn share(&self, form: &FormWords) -> f64 {
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
        let lessons = flights.iter().map(|form| (form, true));
        let lessons: Vec<_> = lessons
            .chain(books.iter().map(|form| (form, false)))
            .collect();
        let domain = FormDomain::train(&lessons);
        assert!(domain.share(&read("Departure airport and passengers")) > 0.5);
        assert!(domain.share(&read("Author or title")) < 0.5);
        assert!(domain.weight("passeng") > 0.0 && domain.weight("author") < 0.0);
        let nothing = domain.share(&FormWords::default());
        assert!(nothing.is_finite());
    }
}

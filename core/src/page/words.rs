//! The terms of a page, leaf by leaf, each passage read in its own language.

use serde::{Deserialize, Serialize};

use crate::dom::Document;
use crate::text::{Language, TermReader, runs_of};

/// The terms of a page in the order of its leaves. Positions index
/// [`PageWords::terms`], which is local to the page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageWords {
    /// Distinct terms.
    pub terms: Vec<String>,
    /// Each term in the spelling in which the page has it first.
    pub surfaces: Vec<String>,
    /// Positions of the terms of the title and the description.
    pub header: Vec<u32>,
    pub(super) body: Vec<u32>,
    /// Where each leaf's terms end in `body`.
    pub(super) ends: Vec<u32>,
}

impl PageWords {
    /// Positions of the terms of one leaf.
    pub fn leaf(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.body[start as usize..self.ends[number] as usize]
    }

    /// Positions of all terms: header, then body.
    pub fn all(&self) -> impl Iterator<Item = u32> {
        self.header.iter().chain(&self.body).copied()
    }

    /// Reads a document; with the language that most of it is in.
    pub(super) fn read(document: &mut Document) -> (Self, Language) {
        let first = Language::detect(document.raw_text(), document.language.as_deref());
        let runs = runs_of(first, document.leaves());
        let language = most_of(document, &runs);
        let mut reader = TermReader::new(language);
        let mut words = Self::default();
        reader.read(&document.title, |term| words.header.push(term));
        reader.read(&document.description, |term| words.header.push(term));
        let mut first = 0;
        for (end, spoken) in runs {
            reader.turn_to(spoken);
            for leaf in first..end {
                reader.read(document.leaf(leaf), |term| words.body.push(term));
                words.ends.push(words.body.len() as u32);
            }
            first = end;
        }
        document.truncated |= reader.is_full();
        (words.terms, words.surfaces) = reader.into_terms();
        (words, language)
    }
}

/// The language in which most letters are.
fn most_of(document: &Document, runs: &[(u32, Language)]) -> Language {
    let mut letters: Vec<(Language, usize)> = Vec::new();
    let mut first = 0;
    for &(end, spoken) in runs {
        let length = (first..end)
            .map(|leaf| document.leaf(leaf).len())
            .sum::<usize>();
        first = end;
        match letters.iter_mut().find(|row| row.0 == spoken) {
            Some(row) => row.1 += length,
            None => letters.push((spoken, length)),
        }
    }
    let most = letters.iter().rev().max_by_key(|row| row.1);
    most.map_or_else(Language::default, |row| row.0)
}

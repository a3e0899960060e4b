//! In which language a person looks for something. The few words of a name do not tell it, but the
//! pages that were marked or read do.
//!
//! Pages are known by their terms. Those whose spelling is known tell the language by the stemmer
//! that makes these terms of them: languages without a stemmer are not told, nor are those of pages of
//! which terms alone were sent, before a page with these words was read.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::WebGraph;
use crate::features::PageTerms;
use crate::text::{Language, TermReader};

/// Targets, or pages read last, by which it is told.
const MOST_ASKED: usize = 5;
/// Words of a page by which its language is told: those that stand there most often.
const TELLING: usize = 64;
/// A page of which English explains this share of the words that tell a language is in English.
const NEARLY_ALL: f64 = 0.9;

impl WebGraph {
    /// The language in which the topic's name and phrases are to be read: the one that more of the
    /// targets are in than in any other, or, without targets, more of the pages read last; English
    /// where that cannot be told.
    pub fn language_of_topic(&self) -> Language {
        let targets: Vec<&PageTerms> = self.targets().map(|page| &page.terms).collect();
        let asked = if targets.is_empty() {
            self.unmarked().take(MOST_ASKED).collect()
        } else {
            targets
        };
        let mut counts: BTreeMap<Language, usize> = BTreeMap::new();
        for terms in asked.into_iter().take(MOST_ASKED) {
            if let Some(language) = self.language_of(terms) {
                *counts.entry(language).or_default() += 1;
            }
        }
        let counts = counts.into_iter();
        let most = counts.max_by_key(|&(language, count)| (count, Reverse(language)));
        most.map_or(Language::English, |(language, _)| language)
    }

    /// The language in which the most words of a page, as they are spelled, come to be the terms that
    /// they are; none where no word is known that a stemmer changed.
    fn language_of(&self, terms: &PageTerms) -> Option<Language> {
        let heaviest = terms.heaviest(TELLING);
        let words = heaviest.rows().iter().map(|&(term, _)| {
            let spelled = self.vocabulary.surface(term);
            (spelled, self.vocabulary.term(term))
        });
        let words: Vec<(&str, &str)> = words.filter(|(spelled, term)| spelled != term).collect();
        if words.is_empty() {
            return None;
        }
        let in_english = explained(&words, Language::English);
        if in_english as f64 >= NEARLY_ALL * words.len() as f64 {
            return Some(Language::English);
        }
        let all = Language::stemmed().map(|language| (explained(&words, language), language));
        let best = all.max_by_key(|&(count, language)| (count, Reverse(language)));
        best.map(|(_, language)| language)
    }
}

/// How many words, each as it is spelled and as a term, come to be those terms in a language.
fn explained(words: &[(&str, &str)], language: Language) -> usize {
    let mut reader = TermReader::new(language);
    let mut read: Vec<(u32, &str)> = Vec::new();
    for (spelled, term) in words {
        reader.read(spelled, |position| read.push((position, term)));
    }
    let (terms, _) = reader.into_terms();
    let is_that = |&&(position, term): &&(u32, &str)| terms[position as usize] == term;
    read.iter().filter(is_that).count()
}

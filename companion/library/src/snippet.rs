//! What of a page speaks for it: its passage that says most of what was asked, as whole sentences,
//! with the words marked. Each passage is read in its own language, as the index has it.

use std::collections::{BTreeSet, HashMap};

use linkscent_core::text::{Language, for_each_segment, runs_of, shorten, terms};
use unicode_segmentation::UnicodeSegmentation;

use crate::query::Query;

/// Characters of a snippet, about.
const LENGTH: usize = 280;
/// Characters from which on a passage is running text.
const RUNNING: usize = 60;
/// Terms that say enough: of sentences with so many, running text comes before captions and links.
const ENOUGH: usize = 3;

/// A sentence of whose words no more than one in so many is new says what was said.
const AGAIN: usize = 4;

/// A piece of a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it says.
    pub text: String,
    /// Whether it is a word that was asked for.
    pub is_match: bool,
}

/// A sentence of a page.
struct Sentence<'a> {
    text: &'a str,
    /// The number of its passage, and the language of that.
    passage: usize,
    language: Language,
    /// Whether that is running text.
    is_running: bool,
}

impl<'a> Sentence<'a> {
    /// All sentences of a page in this language.
    fn all(passages: &'a [String], language: Language) -> Vec<Self> {
        let runs = runs_of(language, passages.iter().map(String::as_str));
        let (mut runs, mut all) = (runs.into_iter().peekable(), Vec::new());
        for (passage, text) in passages.iter().enumerate() {
            while runs.next_if(|(end, _)| *end as usize <= passage).is_some() {}
            let language = runs.peek().map_or(language, |run| run.1);
            all.extend(text.unicode_sentences().map(|text_of| Self {
                text: text_of,
                passage,
                language,
                is_running: text.len() >= RUNNING,
            }));
        }
        all
    }

    fn terms(&self) -> BTreeSet<String> {
        terms(self.text, self.language).into_iter().collect()
    }
}

/// The sentences of a page in this language that say most of what is asked; where none does, those
/// with which its running text begins.
pub fn snippet(passages: &[String], asked: &Query, language: Language) -> Vec<Piece> {
    let sentences = Sentence::all(passages, language);
    let mut wanted: HashMap<Language, BTreeSet<String>> = HashMap::new();
    for sentence in &sentences {
        let language = sentence.language;
        wanted
            .entry(language)
            .or_insert_with(|| asked.terms(language));
    }
    let worth = |sentence: &Sentence<'_>| {
        let said = sentence.terms();
        let count = said.intersection(&wanted[&sentence.language]).count();
        (count.min(ENOUGH), sentence.is_running, count)
    };
    let mut best: Option<((usize, bool, usize), usize)> = None;
    for (place, sentence) in sentences.iter().enumerate() {
        let worth = worth(sentence);
        if best.is_none_or(|(other, _)| worth > other) {
            best = Some((worth, place));
        }
    }
    let Some((_, first)) = best else {
        return Vec::new();
    };
    let (mut text, mut told) = (String::new(), BTreeSet::new());
    for sentence in &sentences[first..] {
        let is_other = sentence.passage != sentences[first].passage;
        let is_enough = text.chars().count() + sentence.text.chars().count() > LENGTH;
        if !text.is_empty() && (is_other || is_enough) {
            break;
        }
        // What stands beside a picture often says again what the picture is called.
        let said = sentence.terms();
        let new = said.difference(&told).count();
        if text.is_empty() || AGAIN * new > said.len() {
            text.push_str(sentence.text);
        }
        told.extend(said);
    }
    let language = sentences[first].language;
    let text = shorten(text.trim_end(), LENGTH * 3 / 2);
    marked(&text, &wanted[&language], language)
}

/// A text in pieces, those apart that are words asked for.
fn marked(text: &str, wanted: &BTreeSet<String>, language: Language) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for_each_segment(text, |word| {
        let mut said = terms(word, language).into_iter();
        let is_match = said.any(|term| wanted.contains(&term));
        match pieces.last_mut() {
            Some(last) if last.is_match == is_match => last.text.push_str(word),
            _ => pieces.push(Piece {
                text: word.to_owned(),
                is_match,
            }),
        }
    });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(passages: &[&str], wanted: &str) -> String {
        let passages: Vec<String> = passages.iter().map(|text| (*text).to_owned()).collect();
        let asked = Query::read(wanted).unwrap();
        let pieces = snippet(&passages, &asked, Language::English).into_iter();
        let pieces = pieces.map(|piece| {
            if piece.is_match {
                format!("[{}]", piece.text)
            } else {
                piece.text
            }
        });
        pieces.collect()
    }

    #[test]
    fn whole_sentences_that_say_most_are_shown_with_their_words_marked() {
        let passages = [
            "Castles",
            "Home",
            "Windsor lies on the Thames, west of London. Its castles and towers were built of \
             stone. A tower of wood stood there before.",
        ];
        assert_eq!(
            said(&passages, "stone tower"),
            "Its castles and [towers] were built of [stone]. A [tower] of wood stood there before."
        );
        assert_eq!(
            said(&passages, "castle"),
            "Its [castles] and towers were built of stone. A tower of wood stood there before."
        );
        // A caption may say as many words as there are; running text that says three is better.
        let passages = [
            "A castle with a tower, a moat and walls",
            "Of the castle a tower and parts of the walls are left; the rest was carried away.",
            "Tower, moat",
        ];
        assert!(said(&passages, "castle tower moat walls").starts_with("Of the"));
        assert!(said(&passages, "tower moat").starts_with("A castle"));
        // What is said twice is shown once.
        let passages = [
            "The castle of Leeds from the north. Painted on a day in May. Enlarge the castle of Leeds from the north.",
        ];
        assert_eq!(
            said(&passages, "castle"),
            "The [castle] of Leeds from the north. Painted on a day in May."
        );
        // Without a word of the query, running text is shown.
        let passages = [
            "Castles",
            "Windsor lies on the Thames, west of London, in the county of Berkshire.",
        ];
        assert!(said(&passages, "railway").starts_with("Windsor lies"));
        assert_eq!(said(&[], "castle"), "");
        assert_eq!(said(&["Home"], ""), "Home");
    }

    #[test]
    fn a_passage_in_another_language_is_searched_and_marked_in_that() {
        let english = "The castles of the valley are shown in this old book, which was printed for \
                       the guests of the town and is kept in the library on the first floor, where \
                       whoever wants to read it may ask for it at the desk in the afternoon.";
        let german = "Die Burgen am Fluss wurden von den Grafen gebaut, die in der Stadt lebten und \
                      das Land bis zu den Bergen besaßen. Von den Türmen, die noch stehen, sieht \
                      man weit über das Tal und auf die Dächer der alten Häuser hinab.";
        let passages = [english, german];
        let found = said(&passages, "Türme Haus");
        assert!(found.starts_with("Von den [Türmen],"), "{found}");
        assert!(found.contains("der alten [Häuser]"), "{found}");
    }
}

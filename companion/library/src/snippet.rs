//! What of a page speaks for it: its passage that says most of what was asked, as whole sentences,
//! with the words marked.

use std::collections::BTreeSet;

use linkscent_core::text::{Language, for_each_segment, shorten, terms};
use unicode_segmentation::UnicodeSegmentation;

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

/// The sentences of a page that say most of these terms; where none does, those with which its
/// running text begins.
pub fn snippet(passages: &[String], wanted: &BTreeSet<String>, language: Language) -> Vec<Piece> {
    let sentences = passages.iter().enumerate().flat_map(|(passage, text)| {
        let sentences = text.unicode_sentences();
        sentences.map(move |sentence| (passage, text.len() >= RUNNING, sentence))
    });
    let sentences: Vec<(usize, bool, &str)> = sentences.collect();
    let worth = |&(_, is_running, sentence): &(usize, bool, &str)| {
        let said: BTreeSet<String> = terms(sentence, language).into_iter().collect();
        let count = said.intersection(wanted).count();
        (count.min(ENOUGH), is_running, count)
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
    for (passage, _, sentence) in &sentences[first..] {
        let is_other = *passage != sentences[first].0;
        let is_enough = text.chars().count() + sentence.chars().count() > LENGTH;
        if !text.is_empty() && (is_other || is_enough) {
            break;
        }
        // What stands beside a picture often says again what the picture is called.
        let said: BTreeSet<String> = terms(sentence, language).into_iter().collect();
        let new = said.difference(&told).count();
        if text.is_empty() || AGAIN * new > said.len() {
            text.push_str(sentence);
        }
        told.extend(said);
    }
    marked(&shorten(text.trim_end(), LENGTH * 3 / 2), wanted, language)
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
        let wanted = terms(wanted, Language::English).into_iter().collect();
        let pieces = snippet(&passages, &wanted, Language::English).into_iter();
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
}

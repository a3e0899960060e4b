//! Words of pages and of queries, as the index has them.

use linkscent_core::text::{Language, TermReader};
use tantivy::tokenizer::{PreTokenizedString, Token};

/// Words of one page that are indexed at most.
const MOST_WORDS: usize = 100_000;

/// A text of a page as the index takes it: its terms with their places, and no copy of the text.
/// `runs` are the languages of its passages ([`linkscent_core::text::runs_of`]).
pub(crate) fn tokens(passages: &[&str], runs: &[(u32, Language)]) -> PreTokenizedString {
    let mut reader = TermReader::new(runs.first().map_or_else(Language::default, |run| run.1));
    let mut positions = Vec::new();
    let mut runs = runs.iter().peekable();
    for (passage, number) in passages.iter().zip(0..) {
        while runs.next_if(|(end, _)| *end <= number).is_some() {}
        if let Some((_, spoken)) = runs.peek() {
            reader.turn_to(*spoken);
        }
        reader.read(passage, |term| positions.push(term));
        if positions.len() >= MOST_WORDS {
            break;
        }
    }
    let (terms, _) = reader.into_terms();
    let token = |(position, term): (usize, &u32)| Token {
        position,
        text: terms[*term as usize].clone(),
        ..Token::default()
    };
    PreTokenizedString {
        text: String::new(),
        tokens: positions.iter().enumerate().map(token).collect(),
    }
}

//! Words of pages and of queries, as the index has them.

use linkscent_core::text::{Language, TermReader};
use tantivy::tokenizer::{PreTokenizedString, Token};

/// Words of one page that are indexed at most.
const MOST_WORDS: usize = 100_000;

/// A text of a page in a language as the index takes it: its terms with their places, and no copy of
/// the text. Passages in another language are read in that.
pub(crate) fn tokens(passages: &[&str], language: Language) -> PreTokenizedString {
    let mut reader = TermReader::new(language);
    let mut positions = Vec::new();
    for passage in passages {
        reader.turn_to(language.of_passage(passage));
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

//! Texts as pieces of words, as BERT takes them: small letters without accents, cut at spaces and at
//! every mark of punctuation; each word in the longest pieces that are known (`WordPiece`, Schuster and
//! Nakajima 2012). Names of special tokens in a text are words like others.

use std::collections::HashMap;

use thiserror::Error;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// A longer word is not known.
const LONGEST_WORD: usize = 100;
/// Stands before a piece that does not begin a word.
const INNER: &str = "##";

/// A token that every text needs is not among the pieces.
#[derive(Debug, Error)]
#[error("there is no token {0}")]
pub(crate) struct MissingToken(&'static str);

/// See the module.
pub(crate) struct WordPieces {
    pieces: HashMap<&'static str, u32>,
    unknown: u32,
    opening: u32,
    closing: u32,
}

impl WordPieces {
    /// From the pieces, each on a line of its own.
    pub(crate) fn read(vocabulary: &'static str) -> Result<Self, MissingToken> {
        let pieces: HashMap<&str, u32> = vocabulary.lines().zip(0..).collect();
        let token = |name| pieces.get(name).copied().ok_or(MissingToken(name));
        Ok(Self {
            unknown: token("[UNK]")?,
            opening: token("[CLS]")?,
            closing: token("[SEP]")?,
            pieces,
        })
    }

    /// The tokens of a text, with the one that opens it and the one that closes it; `most` at most.
    pub(crate) fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let mut tokens = vec![self.opening];
        for word in words(text) {
            self.add(&word, &mut tokens);
            if tokens.len() >= most {
                break;
            }
        }
        tokens.truncate(most.saturating_sub(1));
        tokens.push(self.closing);
        tokens
    }

    fn add(&self, word: &str, tokens: &mut Vec<u32>) {
        let known = tokens.len();
        if word.chars().count() > LONGEST_WORD {
            tokens.push(self.unknown);
            return;
        }
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            let ends = rest
                .char_indices()
                .map(|(at, letter)| at + letter.len_utf8());
            let longest = ends.rev().find_map(|end| {
                piece.clear();
                if rest.len() < word.len() {
                    piece.push_str(INNER);
                }
                piece.push_str(&rest[..end]);
                self.pieces.get(piece.as_str()).map(|token| (*token, end))
            });
            let Some((token, end)) = longest else {
                tokens.truncate(known);
                tokens.push(self.unknown);
                return;
            };
            tokens.push(token);
            rest = &rest[end..];
        }
    }
}

/// The words of a text and its marks of punctuation, in small letters.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let spaced = text.chars().flat_map(spaced).nfd();
    let plain = spaced
        .filter(|letter| !is_accent(*letter))
        .flat_map(char::to_lowercase);
    for letter in plain {
        if letter.is_whitespace() || is_punctuation(letter) {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if !letter.is_whitespace() {
                words.push(letter.to_string());
            }
        } else {
            word.push(letter);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A letter without what controls the text, with space around where each letter is a word.
fn spaced(letter: char) -> impl Iterator<Item = char> {
    let letters: [Option<char>; 3] = match letter {
        '\0' | '\u{FFFD}' => [None; 3],
        '\t' | '\n' | '\r' => [None, Some(' '), None],
        letter if controls(letter) => [None; 3],
        letter if letter.is_whitespace() => [None, Some(' '), None],
        letter if is_ideograph(letter) => [Some(' '), Some(letter), Some(' ')],
        letter => [None, Some(letter), None],
    };
    letters.into_iter().flatten()
}

fn controls(letter: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    matches!(get_general_category(letter), Control | Format | PrivateUse)
}

fn is_accent(letter: char) -> bool {
    get_general_category(letter) == GeneralCategory::NonspacingMark
}

fn is_punctuation(letter: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    letter.is_ascii_punctuation()
        || matches!(
            get_general_category(letter),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
}

/// Letters of Chinese and of what is written by the same.
fn is_ideograph(letter: char) -> bool {
    matches!(
        letter,
        '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{2A6DF}'
            | '\u{2A700}'..='\u{2CEAF}'
            | '\u{2F800}'..='\u{2FA1F}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOCABULARY: &str =
        "[UNK]\n[CLS]\n[SEP]\ncastle\n##s\nun\n##afford\n##able\n!\ncafe\n中\na\n##b\n-\n";

    fn pieces() -> WordPieces {
        WordPieces::read(VOCABULARY).unwrap()
    }

    fn split(text: &str) -> Vec<&'static str> {
        let tokens = pieces().tokens(text, 80);
        let pieces: Vec<&str> = VOCABULARY.lines().collect();
        let names: Vec<&str> = tokens.iter().map(|token| pieces[*token as usize]).collect();
        assert_eq!((names[0], names[names.len() - 1]), ("[CLS]", "[SEP]"));
        names[1..names.len() - 1].to_vec()
    }

    #[test]
    fn words_come_in_the_longest_pieces_that_are_known() {
        assert_eq!(split("Castles"), ["castle", "##s"]);
        assert_eq!(
            split("unaffordable castle!"),
            ["un", "##afford", "##able", "castle", "!"]
        );
        assert_eq!(split("castlex a"), ["[UNK]", "a"], "a word is known or not");
        assert_eq!(split(""), [""; 0]);
        assert_eq!(split(&"a".repeat(LONGEST_WORD + 1)), ["[UNK]"]);
    }

    #[test]
    fn accents_controls_and_spaces_do_not_matter() {
        assert_eq!(split("CAFÉ\u{200B}\t cafe\u{301}\0"), ["cafe", "cafe"]);
        assert_eq!(split("a\u{A0}a\u{3000}ab"), ["a", "a", "a", "##b"]);
        assert_eq!(split("a中a"), ["a", "中", "a"]);
        assert_eq!(split("a-a—a"), ["a", "-", "a", "[UNK]", "a"]);
        // What a page says makes no special token.
        assert_eq!(split("[SEP]"), ["[UNK]"; 3]);
    }

    #[test]
    fn a_long_text_is_cut_off_and_still_closed() {
        let tokens = pieces().tokens(&"castles ".repeat(1_000), 8);
        assert_eq!(tokens, [1, 3, 4, 3, 4, 3, 4, 2]);
    }

    #[test]
    fn pieces_without_a_token_that_is_needed_are_refused() {
        assert!(WordPieces::read("").is_err());
        let refused = WordPieces::read("[UNK]\n[CLS]\n").err().unwrap();
        assert!(refused.to_string().contains("[SEP]"), "{refused}");
    }
}

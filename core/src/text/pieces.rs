//! A word cut into pieces that the table of vectors knows: greedily, the longest
//! piece first, as the tokenizer does that the table was made with (`WordPiece`).

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The pieces in the order of their rows, one a line, sorted; `##` leads those that go
/// on with a word.
static TEXT: &str = include_str!("pieces.txt");

/// The row of each piece.
static ROWS: LazyLock<FxHashMap<&'static str, u16>> =
    LazyLock::new(|| TEXT.lines().zip(0..).collect());

/// Bytes of the longest piece.
static LONGEST: LazyLock<usize> = LazyLock::new(|| TEXT.lines().map(str::len).max().unwrap_or(0));

/// Most pieces that are kept of one word.
pub const MOST_PIECES: usize = 4;

/// Rows of the table that a word is made of; none for a word that it cannot be cut into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pieces {
    rows: [u16; MOST_PIECES],
    len: u8,
}

impl Pieces {
    /// Of a word in lower case. A word of more than [`MOST_PIECES`] is more likely a name
    /// or a code than a word: it has none.
    pub fn of(word: &str) -> Self {
        if word.is_ascii() {
            return Self::cut(word);
        }
        let plain: String = word.nfd().filter(|&c| !is_combining_mark(c)).collect();
        Self::cut(&plain)
    }

    fn cut(word: &str) -> Self {
        let mut pieces = Self::default();
        let mut rest = word;
        let mut tried = String::with_capacity(word.len() + 2);
        while !rest.is_empty() {
            let Some((row, end)) = longest(rest, rest.len() < word.len(), &mut tried) else {
                return Self::default();
            };
            if usize::from(pieces.len) == MOST_PIECES {
                return Self::default();
            }
            pieces.rows[usize::from(pieces.len)] = row;
            pieces.len += 1;
            rest = &rest[end..];
        }
        pieces
    }

    /// Their rows, in the order of the word.
    pub fn rows(&self) -> &[u16] {
        &self.rows[..usize::from(self.len)]
    }
}

/// The longest piece that `rest` begins with, and where it ends.
fn longest(rest: &str, goes_on: bool, tried: &mut String) -> Option<(u16, usize)> {
    tried.clear();
    if goes_on {
        tried.push_str("##");
    }
    let before = tried.len();
    let most = LONGEST.saturating_sub(before).min(rest.len());
    tried.push_str(&rest[..rest.floor_char_boundary(most)]);
    while tried.len() > before {
        if let Some(row) = ROWS.get(tried.as_str()) {
            return Some((*row, tried.len() - before));
        }
        tried.pop();
    }
    None
}

/// Pieces in the table.
#[cfg(test)]
pub(crate) fn count() -> usize {
    ROWS.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(word: &str) -> Vec<&'static str> {
        let pieces = Pieces::of(word);
        let rows = pieces.rows().iter();
        let lines: Vec<&str> = TEXT.lines().collect();
        rows.map(|&row| lines[usize::from(row)]).collect()
    }

    #[test]
    fn words_are_cut_as_the_tokenizer_cuts_them() {
        // As the reference tokenizer has them.
        assert_eq!(cut("castle"), ["castle"]);
        assert_eq!(cut("embeddings"), ["em", "##bed", "##ding", "##s"]);
        assert_eq!(cut("dialysis"), ["dial", "##ysis"]);
        assert_eq!(cut("café"), ["cafe"]);
    }

    #[test]
    fn what_is_no_word_has_no_pieces() {
        for word in ["", "\u{1}7", "🦀", "qxzvkjwqpyyqzzkw"] {
            assert!(
                Pieces::of(word).rows().is_empty(),
                "{word}: {:?}",
                cut(word)
            );
        }
    }

    /// As the longest pieces are: a word that is one of them, and one that begins with it.
    #[test]
    fn the_longest_pieces_are_found() {
        let longest = TEXT.lines().max_by_key(|piece| piece.len()).unwrap();
        let word = longest.trim_start_matches('#');
        for (word, first) in [(word.to_owned(), word), (format!("{word}s"), word)] {
            let row = *ROWS.get(first).unwrap();
            assert_eq!(Pieces::of(&word).rows()[0], row, "{word}");
        }
    }

    #[test]
    fn the_pieces_are_sorted() {
        assert!(TEXT.lines().is_sorted_by(|a, b| a < b));
        // None is lost for want of numbers, or because it stands there twice.
        assert_eq!(TEXT.lines().count(), ROWS.len());
    }
}

//! A word cut into pieces that the table of vectors knows: greedily, the longest
//! piece first, as the tokenizer does that the table was made with (`WordPiece`).

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The pieces in the order of their rows, one a line, sorted; `##` leads those that go
/// on with a word.
static TEXT: &str = include_str!("pieces.txt");

static SORTED: LazyLock<Vec<&'static str>> = LazyLock::new(|| TEXT.lines().collect());

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
    let ends = rest.char_indices().map(|(start, c)| start + c.len_utf8());
    let ends: Vec<usize> = ends.collect();
    ends.into_iter().rev().find_map(|end| {
        tried.clear();
        if goes_on {
            tried.push_str("##");
        }
        tried.push_str(&rest[..end]);
        let row = SORTED.binary_search(&tried.as_str()).ok()?;
        Some((u16::try_from(row).ok()?, end))
    })
}

/// Pieces in the table.
#[cfg(test)]
pub(crate) fn count() -> usize {
    SORTED.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(word: &str) -> Vec<&'static str> {
        let pieces = Pieces::of(word);
        let rows = pieces.rows().iter();
        rows.map(|&row| SORTED[usize::from(row)]).collect()
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

    #[test]
    fn the_pieces_are_sorted() {
        assert!(SORTED.is_sorted_by(|a, b| a < b));
        assert!(u16::try_from(SORTED.len()).is_ok());
    }
}

//! What a short text says: the text of a link, a heading, the name of a topic.
//!
//! A table of its own has a vector of [`LENGTH`] numbers of four bits for each piece of a word. It
//! was trained so that the sums of the vectors of short texts lie as the sentence model has those
//! texts (`gist/distil.py`): a word's vector is as long as the word matters to a text, and
//! what the model knows of names and of phrases is in it as far as words can carry it. Word order is
//! left out, and so is every language but English, as far as its words are not the same.

use super::Vector;
use crate::features::PageTerms;
use crate::text::{Pieces, Vocabulary};

/// Numbers in a vector.
const LENGTH: usize = 256;
/// Bytes of a row of the table: a scale, then the numbers, two in a byte.
const ROW: usize = 4 + LENGTH / 2;
/// Four bits hold -8 to 7, written from 0 on.
const ZERO: f32 = 8.0;

static TABLE: &[u8] = include_bytes!("gist/vectors.bin");

/// A sum of the vectors of words, as short texts use them.
pub type Gist = Vector<LENGTH>;

impl Gist {
    /// Adds a word with a weight: the mean of its pieces.
    pub fn add(&mut self, pieces: &Pieces, weight: f32) {
        self.add_pieces((pieces, weight), (TABLE, ROW), |numbers| {
            let numbers = numbers.iter().flat_map(|both| [both & 15, both >> 4]);
            numbers.map(|number| f32::from(number) - ZERO)
        });
    }

    /// Of a word in lower case.
    pub fn of_word(word: &str) -> Self {
        let mut gist = Self::default();
        gist.add(&Pieces::of(word), 1.0);
        gist
    }

    /// Of a short text in the spelling of a person.
    ///
    /// ```
    /// use linkscent_core::meaning::Gist;
    ///
    /// let near = |one: &str, other: &str| Gist::of_text(one).unit().dot(&Gist::of_text(other).unit());
    /// let kidneys = "Living with a failing kidney";
    /// assert!(near(kidneys, "Dialysis at home") > near(kidneys, "Houses for sale"));
    /// ```
    pub fn of_text(text: &str) -> Self {
        let mut gist = Self::default();
        for word in crate::text::plain_words(text) {
            gist.add(&Pieces::of(&word), 1.0);
        }
        gist
    }

    /// Of a page's words, each damped by its frequency.
    pub fn of_page(terms: &PageTerms, vocabulary: &Vocabulary) -> Self {
        let mut gist = Self::default();
        for (term, weight) in terms.damped() {
            gist.add(&vocabulary.pieces(term), weight);
        }
        gist
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_row_for_each_piece() {
        assert_eq!(TABLE.len(), ROW * crate::text::pieces::count());
    }

    #[test]
    fn short_texts_that_say_the_same_lie_together() {
        let near = |a: &str, b: &str| Gist::of_text(a).unit().dot(&Gist::of_text(b).unit());
        assert!(near("Castles of Wales", "castles of Wales") > 0.999);
        for (text, alike, other) in [
            (
                "medieval castles",
                "Fortresses of the Middle Ages",
                "Cheap flights",
            ),
            (
                "Treating kidney failure",
                "Dialysis and transplants",
                "Castles of Wales",
            ),
            ("jazz musicians", "saxophone players", "Printer drivers"),
        ] {
            let (alike, other) = (near(text, alike), near(text, other));
            assert!(alike > other + 0.2, "{text}: {alike} {other}");
        }
    }

    #[test]
    fn what_has_no_vector_has_no_direction() {
        for text in ["", "🦀", "\u{1} \u{0}"] {
            assert_eq!(Gist::of_text(text).unit(), Gist::default(), "{text:?}");
        }
    }
}

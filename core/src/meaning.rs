//! What words mean, as far as a table of vectors tells: words that are used alike have
//! vectors that point the same way.
//!
//! The table has a vector of [`DIMENSIONS`] numbers for each of some 30,000 pieces of words,
//! distilled once from a free sentence model (`table/make.py`); common pieces have short
//! vectors. It is compiled in, so that browser and companion agree. Word order and context
//! are left out, and so is every language but English, as far as its words are not the same.

mod gist;
mod link;
mod topic;
mod vector;

pub use gist::Gist;
pub use link::LinkMeaning;
pub use topic::{Told, ToldTarget, TopicMeaning};
pub use vector::Vector;

use crate::features::{HEAVIEST_TERMS, PageTerms};
use crate::text::{Pieces, TermId, Vocabulary};

/// Numbers in a vector.
pub const DIMENSIONS: usize = 64;
/// Bytes of a row of the table: the scale in front of the numbers.
const ROW: usize = 4 + DIMENSIONS;

/// Words on fewer than all pages but one in so many count in full.
const FRAME: f32 = 3.0;

/// A sentence model, as a program has it that can run one: gives texts their vectors, all at once,
/// each as long as the others; none to a text without words.
pub type VectorsOf<'a> = dyn Fn(&[&str]) -> Vec<Option<Vec<f32>>> + 'a;

static TABLE: &[u8] = include_bytes!("meaning/table/vectors.bin");

/// A sum of the vectors of words.
pub type Meaning = Vector<DIMENSIONS>;

impl Meaning {
    /// Adds a word so many times: the mean of its pieces.
    pub fn add(&mut self, pieces: &Pieces, weight: f32) {
        self.add_pieces((pieces, weight), (TABLE, ROW), |numbers| {
            numbers.iter().map(|number| f32::from(number.cast_signed()))
        });
    }

    /// Of a text of terms, each so many times.
    pub fn of_terms(
        terms: impl IntoIterator<Item = (TermId, f32)>,
        vocabulary: &Vocabulary,
    ) -> Self {
        let mut meaning = Self::default();
        for (term, weight) in terms {
            meaning.add(&vocabulary.pieces(term), weight);
        }
        meaning
    }

    /// Of a page: its heaviest words, each damped by its frequency. Words that stand on nearly
    /// all pages seen, such as those of menus, count little.
    pub fn of_page(terms: &PageTerms, vocabulary: &Vocabulary) -> Self {
        let seen = vocabulary.documents_seen().max(1) as f32;
        // Of a single page all words stand on all pages.
        let pages = seen + 1.0 / (seen * seen);
        let heaviest = terms.heaviest(HEAVIEST_TERMS).damped().into_iter();
        let weighed = heaviest.map(|(term, weight)| {
            let elsewhere = 1.0 - vocabulary.document_count(term) as f32 / pages;
            (term, weight * (FRAME * elsewhere).clamp(0.0, 1.0))
        });
        Self::of_terms(weighed, vocabulary)
    }

    /// Of a short text in the spelling of a person.
    ///
    /// ```
    /// use linkscent_core::meaning::Meaning;
    ///
    /// let near = |one: &str, other: &str| {
    ///     Meaning::of_text(one).unit().dot(&Meaning::of_text(other).unit())
    /// };
    /// assert!(near("castle", "fortress") > near("castle", "kidney"));
    /// ```
    pub fn of_text(text: &str) -> Self {
        let mut meaning = Self::default();
        for word in crate::text::plain_words(text) {
            meaning.add(&Pieces::of(&word), 1.0);
        }
        meaning
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
    fn words_that_are_used_alike_point_the_same_way() {
        let near = |a: &str, b: &str| Meaning::of_text(a).unit().dot(&Meaning::of_text(b).unit());
        assert!(near("castle", "castle") > 0.999);
        for (word, alike, other) in [
            ("castle", "fortress", "kidney"),
            ("kidneys", "liver", "castle"),
            ("painter", "sculptor", "volcano"),
            ("volcano", "lava", "painter"),
        ] {
            let (alike, other) = (near(word, alike), near(word, other));
            assert!(alike > other + 0.2, "{word}: {alike} {other}");
        }
    }

    #[test]
    fn a_common_word_weighs_little() {
        let length = |word| {
            let meaning = Meaning::of_text(word);
            meaning.dot(&meaning).sqrt()
        };
        assert!(length("time") < 0.5 * length("fortress"));
    }

    #[test]
    fn what_has_no_vector_has_no_direction() {
        for text in ["", "🦀", "\u{1} \u{0}"] {
            assert_eq!(
                Meaning::of_text(text).unit(),
                Meaning::default(),
                "{text:?}"
            );
        }
    }
}

//! Stemming that never panics.
//!
//! `rust-stemmers` does the work. Its Greek algorithm replaces a stale range when
//! a word is nothing but the stem `ισα` and certain endings, and panics; a panic
//! ends a WebAssembly module for good, so such words never reach it. They are
//! stemmed by `frostem`, which is generated from a later version of the same
//! algorithms; so is whatever makes `rust-stemmers` panic in ways not known
//! today, where panics can be caught (not in WebAssembly).

use std::panic::{AssertUnwindSafe, catch_unwind};

use rust_stemmers::Stemmer as Snowball;

use super::Language;

/// What every Greek word begins with, without accents, on which `rust-stemmers`
/// panics: its steps only cut or append at the end before the stale range is used.
const STALE_RANGE: &str = "ισαισ";

/// A stemmer for one language.
pub struct Stemmer {
    language: Language,
    /// None where `rust-stemmers` lacks the language.
    snowball: Option<Snowball>,
    /// None where the language has no stemmer: its words are left as they are.
    substitute: Option<frostem::Stemmer>,
}

impl Stemmer {
    /// A stemmer for words in `language`.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            snowball: language.snowball().map(Snowball::create),
            substitute: language.algorithm().map(frostem::Stemmer::new),
        }
    }

    /// The stem of a word in lower case.
    pub fn stem(&self, word: &str) -> String {
        let stemmed = match &self.snowball {
            Some(snowball) if !self.is_known_to_panic(word) => stem_or_panic(snowball, word),
            _ => None,
        };
        stemmed.unwrap_or_else(|| match &self.substitute {
            Some(substitute) => substitute.stem(word).into_owned(),
            None => word.to_owned(),
        })
    }

    fn is_known_to_panic(&self, word: &str) -> bool {
        self.language == Language::Greek && has_stale_range(word)
    }
}

/// `None` where the algorithm panicked and that could be caught.
fn stem_or_panic(snowball: &Snowball, word: &str) -> Option<String> {
    let stem = || snowball.stem(word).into_owned();
    if cfg!(panic = "unwind") {
        catch_unwind(AssertUnwindSafe(stem)).ok()
    } else {
        Some(stem())
    }
}

/// Whether a Greek word begins with [`STALE_RANGE`], accents and case aside.
fn has_stale_range(word: &str) -> bool {
    let mut letters = word.chars().map(|letter| match letter {
        'Ά' | 'Α' | 'ά' => 'α',
        'Ί' | 'Ι' | 'Ϊ' | 'ΐ' | 'ί' | 'ϊ' => 'ι',
        'Σ' | 'ς' => 'σ',
        other => other,
    });
    STALE_RANGE
        .chars()
        .all(|letter| letters.next() == Some(letter))
}

#[cfg(test)]
mod tests {
    use rust_stemmers::Algorithm;

    use super::*;
    use crate::strategies::{Rng, SplitMix};

    /// Endings that the Greek algorithm knows.
    const ENDINGS: [&str; 12] = [
        "ισα",
        "ισαμε",
        "ισανε",
        "ισατε",
        "ισε",
        "ισαν",
        "ισεσ",
        "ιζα",
        "ωθηκα",
        "ατα",
        "ουμε",
        "",
    ];

    #[test]
    fn greek_words_that_break_the_algorithm_have_stems() {
        let greek = Stemmer::new(Language::Greek);
        for first in ENDINGS {
            for second in ENDINGS {
                for stem in ["ισα", "ίσα", "ΐσά", "ΙΣΑ", "ϊσα"] {
                    greek.stem(&format!("{stem}{first}{second}"));
                }
            }
        }
        assert_eq!(greek.stem("ισαισα"), "ισα");
    }

    #[test]
    fn other_words_are_stemmed_as_ever() {
        let cases = [
            (
                Language::Greek,
                Algorithm::Greek,
                "παιδιά σπίτια ισα ισαμε λύσαμε",
            ),
            (
                Language::English,
                Algorithm::English,
                "kidneys dialysis running",
            ),
            (Language::German, Algorithm::German, "häuser gärten"),
            (Language::Dutch, Algorithm::Dutch, "huizen lichamelijk"),
        ];
        for (language, algorithm, words) in cases {
            let (ours, theirs) = (Stemmer::new(language), Snowball::create(algorithm));
            for word in words.split(' ') {
                assert_eq!(ours.stem(word), theirs.stem(word), "{word}");
            }
        }
    }

    #[test]
    fn no_word_of_any_language_panics() {
        let letters: Vec<char> = "aeiouàéïöüßñçæøåășțőğıışbcdfghjklmnpqrstvwxyz\
            αεηιουωάέήίόύώϊςσλμνκτπρθφάбвгдеёийклмнопрстуыьэюяابتثجحخدذرزسشصضطظعغفقكلمنهويةى\
            पानीकहेंअतिथि்தமிழ்நாடுகள்אבגדהוזשייִדישհայերենն東京ไทย0'’"
            .chars()
            .collect();
        let mut rng = SplitMix(7);
        for language in Language::all() {
            let stemmer = Stemmer::new(language);
            for _ in 0..4_000 {
                let length = (rng.unit() * 12.0) as usize;
                let place = |rng: &mut SplitMix| (rng.unit() * letters.len() as f64) as usize;
                let word: String = (0..length).map(|_| letters[place(&mut rng)]).collect();
                stemmer.stem(&word);
            }
        }
    }
}

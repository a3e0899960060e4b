//! Which language a text is in, and what that means for its words.
//!
//! Only languages with a Snowball stemmer are told apart; every other text is
//! treated as English, whose stemmer leaves foreign words nearly untouched.

use std::sync::OnceLock;

use rust_stemmers::Algorithm;
use rustc_hash::FxHashSet;
use whatlang::Lang;

/// A language with a Snowball stemmer and a stop-word list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[allow(missing_docs)] // the names say it
pub enum Language {
    #[default]
    English,
    Arabic,
    Danish,
    Dutch,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Turkish,
}

/// Language, its ISO 639-1 code, the detector's name for it, its stemmer.
const TABLE: [(Language, &str, Lang, Algorithm); 17] = [
    (Language::English, "en", Lang::Eng, Algorithm::English),
    (Language::Arabic, "ar", Lang::Ara, Algorithm::Arabic),
    (Language::Danish, "da", Lang::Dan, Algorithm::Danish),
    (Language::Dutch, "nl", Lang::Nld, Algorithm::Dutch),
    (Language::Finnish, "fi", Lang::Fin, Algorithm::Finnish),
    (Language::French, "fr", Lang::Fra, Algorithm::French),
    (Language::German, "de", Lang::Deu, Algorithm::German),
    (Language::Greek, "el", Lang::Ell, Algorithm::Greek),
    (Language::Hungarian, "hu", Lang::Hun, Algorithm::Hungarian),
    (Language::Italian, "it", Lang::Ita, Algorithm::Italian),
    (Language::Norwegian, "no", Lang::Nob, Algorithm::Norwegian),
    (Language::Portuguese, "pt", Lang::Por, Algorithm::Portuguese),
    (Language::Romanian, "ro", Lang::Ron, Algorithm::Romanian),
    (Language::Russian, "ru", Lang::Rus, Algorithm::Russian),
    (Language::Spanish, "es", Lang::Spa, Algorithm::Spanish),
    (Language::Swedish, "sv", Lang::Swe, Algorithm::Swedish),
    (Language::Turkish, "tr", Lang::Tur, Algorithm::Turkish),
];

/// Fewest characters on which the detector is believed.
const ENOUGH_TEXT: usize = 60;
/// Characters shown to the detector; more brings nothing and costs time.
const SAMPLE: usize = 600;

impl Language {
    /// The language of a page: what the text itself says where the detector is
    /// sure, else what the page declares (`lang` attribute), else English.
    pub fn detect(text: &str, declared: Option<&str>) -> Self {
        let sample_end = text
            .char_indices()
            .nth(SAMPLE)
            .map_or(text.len(), |(end, _)| end);
        let sample = &text[..sample_end];
        let declared = declared.and_then(Self::from_code);
        if sample.len() < ENOUGH_TEXT {
            return declared.unwrap_or_default();
        }
        whatlang::detect(sample)
            .filter(whatlang::Info::is_reliable)
            .map(|info| info.lang())
            .and_then(|found| TABLE.iter().find(|row| row.2 == found))
            .map(|row| row.0)
            .or(declared)
            .unwrap_or_default()
    }

    /// From a language tag such as `de` or `pt-BR`; `None` if there is no
    /// stemmer for it.
    pub fn from_code(tag: &str) -> Option<Self> {
        let code = tag.trim().split(['-', '_']).next()?.to_ascii_lowercase();
        TABLE.iter().find(|row| row.1 == code).map(|row| row.0)
    }

    /// ISO 639-1 code.
    pub fn code(self) -> &'static str {
        self.row().1
    }

    /// Whether `word`, in lower case, says nothing about a topic.
    pub fn is_stop_word(self, word: &str) -> bool {
        static SETS: OnceLock<Vec<FxHashSet<&'static str>>> = OnceLock::new();
        let sets = SETS.get_or_init(|| {
            TABLE
                .iter()
                .map(|row| stop_words::get(row.1).iter().copied().collect())
                .collect()
        });
        sets[self as usize].contains(word)
    }

    pub(super) fn algorithm(self) -> Algorithm {
        self.row().3
    }

    fn row(self) -> &'static (Self, &'static str, Lang, Algorithm) {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert!(!row.0.is_stop_word("linkscent"));
        }
    }

    #[test]
    fn text_beats_declaration_when_there_is_enough_of_it() {
        let german = "Der Hund läuft über die Straße und die Katze schläft auf dem warmen Dach.";
        assert_eq!(Language::detect(german, Some("en")), Language::German);
        assert_eq!(Language::detect("Hallo", Some("de-AT")), Language::German);
        assert_eq!(Language::detect("Hallo", Some("tlh")), Language::English);
        assert_eq!(Language::detect("", None), Language::English);
    }
}

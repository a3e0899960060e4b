//! Which language a text is in, and what that means for its words.
//!
//! Only languages with a stemmer are told apart; every other text is treated as
//! English, whose stemmer leaves foreign words nearly untouched.

use std::sync::OnceLock;

use frostem::Algorithm;
use rust_stemmers::Algorithm as Snowball;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use whatlang::{Lang, Script};

/// A language with a stemmer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
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
    Armenian,
    Basque,
    Catalan,
    Czech,
    Esperanto,
    Estonian,
    Hindi,
    Indonesian,
    Irish,
    Lithuanian,
    Nepali,
    Persian,
    Polish,
    Serbian,
    Tamil,
    Ukrainian,
    Yiddish,
}

/// What is known of a language.
struct Row {
    language: Language,
    /// ISO 639-1.
    code: &'static str,
    /// The detector's name for it, where it knows the language.
    detected: Option<Lang>,
    /// Its algorithm in `rust-stemmers`, where that has one.
    snowball: Option<Snowball>,
    /// Its algorithm in `frostem`.
    algorithm: Algorithm,
}

impl Row {
    /// Whether the detector is believed. Of short English texts it sometimes says
    /// that they are in one of the smaller languages in Latin script: these it has
    /// to agree on with the page.
    fn is_believed(&self, script: Script, declared: Option<Language>) -> bool {
        let agrees = match declared {
            Some(declared) => declared == self.language,
            None => script != Script::Latin,
        };
        self.snowball.is_some() || agrees
    }
}

const fn row(
    language: Language,
    code: &'static str,
    detected: Option<Lang>,
    snowball: Option<Snowball>,
    algorithm: Algorithm,
) -> Row {
    Row {
        language,
        code,
        detected,
        snowball,
        algorithm,
    }
}

#[rustfmt::skip]
const TABLE: [Row; 34] = [
    row(Language::English, "en", Some(Lang::Eng), Some(Snowball::English), Algorithm::English),
    row(Language::Arabic, "ar", Some(Lang::Ara), Some(Snowball::Arabic), Algorithm::Arabic),
    row(Language::Danish, "da", Some(Lang::Dan), Some(Snowball::Danish), Algorithm::Danish),
    row(Language::Dutch, "nl", Some(Lang::Nld), Some(Snowball::Dutch), Algorithm::DutchPorter),
    row(Language::Finnish, "fi", Some(Lang::Fin), Some(Snowball::Finnish), Algorithm::Finnish),
    row(Language::French, "fr", Some(Lang::Fra), Some(Snowball::French), Algorithm::French),
    row(Language::German, "de", Some(Lang::Deu), Some(Snowball::German), Algorithm::German),
    row(Language::Greek, "el", Some(Lang::Ell), Some(Snowball::Greek), Algorithm::Greek),
    row(Language::Hungarian, "hu", Some(Lang::Hun), Some(Snowball::Hungarian), Algorithm::Hungarian),
    row(Language::Italian, "it", Some(Lang::Ita), Some(Snowball::Italian), Algorithm::Italian),
    row(Language::Norwegian, "no", Some(Lang::Nob), Some(Snowball::Norwegian), Algorithm::Norwegian),
    row(Language::Portuguese, "pt", Some(Lang::Por), Some(Snowball::Portuguese), Algorithm::Portuguese),
    row(Language::Romanian, "ro", Some(Lang::Ron), Some(Snowball::Romanian), Algorithm::Romanian),
    row(Language::Russian, "ru", Some(Lang::Rus), Some(Snowball::Russian), Algorithm::Russian),
    row(Language::Spanish, "es", Some(Lang::Spa), Some(Snowball::Spanish), Algorithm::Spanish),
    row(Language::Swedish, "sv", Some(Lang::Swe), Some(Snowball::Swedish), Algorithm::Swedish),
    row(Language::Turkish, "tr", Some(Lang::Tur), Some(Snowball::Turkish), Algorithm::Turkish),
    row(Language::Armenian, "hy", Some(Lang::Hye), None, Algorithm::Armenian),
    row(Language::Basque, "eu", None, None, Algorithm::Basque),
    row(Language::Catalan, "ca", Some(Lang::Cat), None, Algorithm::Catalan),
    row(Language::Czech, "cs", Some(Lang::Ces), None, Algorithm::Czech),
    row(Language::Esperanto, "eo", Some(Lang::Epo), None, Algorithm::Esperanto),
    row(Language::Estonian, "et", Some(Lang::Est), None, Algorithm::Estonian),
    row(Language::Hindi, "hi", Some(Lang::Hin), None, Algorithm::Hindi),
    row(Language::Indonesian, "id", Some(Lang::Ind), None, Algorithm::Indonesian),
    row(Language::Irish, "ga", None, None, Algorithm::Irish),
    row(Language::Lithuanian, "lt", Some(Lang::Lit), None, Algorithm::Lithuanian),
    row(Language::Nepali, "ne", Some(Lang::Nep), None, Algorithm::Nepali),
    row(Language::Persian, "fa", Some(Lang::Pes), None, Algorithm::Persian),
    row(Language::Polish, "pl", Some(Lang::Pol), None, Algorithm::Polish),
    row(Language::Serbian, "sr", Some(Lang::Srp), None, Algorithm::Serbian),
    row(Language::Tamil, "ta", Some(Lang::Tam), Some(Snowball::Tamil), Algorithm::Tamil),
    row(Language::Ukrainian, "uk", Some(Lang::Ukr), None, Algorithm::Ukrainian),
    row(Language::Yiddish, "yi", Some(Lang::Yid), None, Algorithm::Yiddish),
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
            .and_then(|info| {
                let row = TABLE.iter().find(|row| row.detected == Some(info.lang()))?;
                row.is_believed(info.script(), declared)
                    .then_some(row.language)
            })
            .or(declared)
            .unwrap_or_default()
    }

    /// From a language tag such as `de` or `pt-BR`; `None` if there is no
    /// stemmer for it.
    pub fn from_code(tag: &str) -> Option<Self> {
        let code = tag.trim().split(['-', '_']).next()?.to_ascii_lowercase();
        let row = TABLE.iter().find(|row| row.code == code);
        row.map(|row| row.language)
    }

    /// ISO 639-1 code.
    pub fn code(self) -> &'static str {
        self.row().code
    }

    /// Whether `word`, in lower case, says nothing about a topic.
    pub fn is_stop_word(self, word: &str) -> bool {
        static SETS: OnceLock<Vec<FxHashSet<&'static str>>> = OnceLock::new();
        let sets = SETS.get_or_init(|| {
            TABLE
                .iter()
                .map(|row| {
                    let words = stop_words::lookup(row.code).unwrap_or_default();
                    words.iter().copied().collect()
                })
                .collect()
        });
        sets[self as usize].contains(word)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.language)
    }

    pub(super) fn snowball(self) -> Option<Snowball> {
        self.row().snowball
    }

    pub(super) fn algorithm(self) -> Algorithm {
        self.row().algorithm
    }

    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (index, row) in TABLE.iter().enumerate() {
            assert_eq!(row.language as usize, index);
            assert!(!row.language.is_stop_word("linkscent"));
        }
    }

    #[test]
    fn text_beats_declaration_when_there_is_enough_of_it() {
        let german = "Der Hund läuft über die Straße und die Katze schläft auf dem warmen Dach.";
        assert_eq!(Language::detect(german, Some("en")), Language::German);
        assert_eq!(Language::detect("Hallo", Some("de-AT")), Language::German);
        assert_eq!(Language::detect("Hallo", Some("tlh")), Language::English);
        assert_eq!(Language::detect("", None), Language::English);
        let polish = "Pies biegnie przez ulicę, a kot śpi na ciepłym dachu i nie chce się obudzić.";
        assert_eq!(Language::detect(polish, Some("pl")), Language::Polish);
        assert_eq!(Language::detect(polish, Some("en")), Language::English);
        assert_eq!(Language::detect(polish, None), Language::English);
    }
}

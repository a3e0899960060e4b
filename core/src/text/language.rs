//! Which language a text is in, and what that means for its words.
//!
//! Languages are told apart that have a stemmer or that the detector knows. A text in any other is
//! treated as English, whose stemmer leaves foreign words nearly untouched.

use std::sync::OnceLock;

use frostem::Algorithm;
use rust_stemmers::Algorithm as Snowball;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use whatlang::{Lang, Script};

use super::words::is_spaceless;

/// A language. More come in behind the last: what was saved has them by their number.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
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
    Chinese,
    Japanese,
    Korean,
    Thai,
    Vietnamese,
    Hebrew,
    Bulgarian,
    Belarusian,
    Macedonian,
    Croatian,
    Slovak,
    Slovenian,
    Latvian,
    Welsh,
    Galician,
    Latin,
    Afrikaans,
    Georgian,
    Amharic,
    Azerbaijani,
    Uzbek,
    Turkmen,
    Urdu,
    Bengali,
    Marathi,
    Gujarati,
    Punjabi,
    Odia,
    Telugu,
    Kannada,
    Malayalam,
    Sinhala,
    Burmese,
    Khmer,
    Lao,
    Tagalog,
    Javanese,
    Akan,
    Shona,
    Zulu,
    Sesotho,
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
    /// Its algorithm in `frostem`, where that has one.
    algorithm: Option<Algorithm>,
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
    algorithm: Option<Algorithm>,
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
const TABLE: [Row; 75] = [
    row(Language::English, "en", Some(Lang::Eng), Some(Snowball::English), Some(Algorithm::English)),
    row(Language::Arabic, "ar", Some(Lang::Ara), Some(Snowball::Arabic), Some(Algorithm::Arabic)),
    row(Language::Danish, "da", Some(Lang::Dan), Some(Snowball::Danish), Some(Algorithm::Danish)),
    row(Language::Dutch, "nl", Some(Lang::Nld), Some(Snowball::Dutch), Some(Algorithm::DutchPorter)),
    row(Language::Finnish, "fi", Some(Lang::Fin), Some(Snowball::Finnish), Some(Algorithm::Finnish)),
    row(Language::French, "fr", Some(Lang::Fra), Some(Snowball::French), Some(Algorithm::French)),
    row(Language::German, "de", Some(Lang::Deu), Some(Snowball::German), Some(Algorithm::German)),
    row(Language::Greek, "el", Some(Lang::Ell), Some(Snowball::Greek), Some(Algorithm::Greek)),
    row(Language::Hungarian, "hu", Some(Lang::Hun), Some(Snowball::Hungarian), Some(Algorithm::Hungarian)),
    row(Language::Italian, "it", Some(Lang::Ita), Some(Snowball::Italian), Some(Algorithm::Italian)),
    row(Language::Norwegian, "no", Some(Lang::Nob), Some(Snowball::Norwegian), Some(Algorithm::Norwegian)),
    row(Language::Portuguese, "pt", Some(Lang::Por), Some(Snowball::Portuguese), Some(Algorithm::Portuguese)),
    row(Language::Romanian, "ro", Some(Lang::Ron), Some(Snowball::Romanian), Some(Algorithm::Romanian)),
    row(Language::Russian, "ru", Some(Lang::Rus), Some(Snowball::Russian), Some(Algorithm::Russian)),
    row(Language::Spanish, "es", Some(Lang::Spa), Some(Snowball::Spanish), Some(Algorithm::Spanish)),
    row(Language::Swedish, "sv", Some(Lang::Swe), Some(Snowball::Swedish), Some(Algorithm::Swedish)),
    row(Language::Turkish, "tr", Some(Lang::Tur), Some(Snowball::Turkish), Some(Algorithm::Turkish)),
    row(Language::Armenian, "hy", Some(Lang::Hye), None, Some(Algorithm::Armenian)),
    row(Language::Basque, "eu", None, None, Some(Algorithm::Basque)),
    row(Language::Catalan, "ca", Some(Lang::Cat), None, Some(Algorithm::Catalan)),
    row(Language::Czech, "cs", Some(Lang::Ces), None, Some(Algorithm::Czech)),
    row(Language::Esperanto, "eo", Some(Lang::Epo), None, Some(Algorithm::Esperanto)),
    row(Language::Estonian, "et", Some(Lang::Est), None, Some(Algorithm::Estonian)),
    row(Language::Hindi, "hi", Some(Lang::Hin), None, Some(Algorithm::Hindi)),
    row(Language::Indonesian, "id", Some(Lang::Ind), None, Some(Algorithm::Indonesian)),
    row(Language::Irish, "ga", None, None, Some(Algorithm::Irish)),
    row(Language::Lithuanian, "lt", Some(Lang::Lit), None, Some(Algorithm::Lithuanian)),
    row(Language::Nepali, "ne", Some(Lang::Nep), None, Some(Algorithm::Nepali)),
    row(Language::Persian, "fa", Some(Lang::Pes), None, Some(Algorithm::Persian)),
    row(Language::Polish, "pl", Some(Lang::Pol), None, Some(Algorithm::Polish)),
    row(Language::Serbian, "sr", Some(Lang::Srp), None, Some(Algorithm::Serbian)),
    row(Language::Tamil, "ta", Some(Lang::Tam), Some(Snowball::Tamil), Some(Algorithm::Tamil)),
    row(Language::Ukrainian, "uk", Some(Lang::Ukr), None, Some(Algorithm::Ukrainian)),
    row(Language::Yiddish, "yi", Some(Lang::Yid), None, Some(Algorithm::Yiddish)),
    row(Language::Chinese, "zh", Some(Lang::Cmn), None, None),
    row(Language::Japanese, "ja", Some(Lang::Jpn), None, None),
    row(Language::Korean, "ko", Some(Lang::Kor), None, None),
    row(Language::Thai, "th", Some(Lang::Tha), None, None),
    row(Language::Vietnamese, "vi", Some(Lang::Vie), None, None),
    row(Language::Hebrew, "he", Some(Lang::Heb), None, None),
    row(Language::Bulgarian, "bg", Some(Lang::Bul), None, None),
    row(Language::Belarusian, "be", Some(Lang::Bel), None, None),
    row(Language::Macedonian, "mk", Some(Lang::Mkd), None, None),
    row(Language::Croatian, "hr", Some(Lang::Hrv), None, None),
    row(Language::Slovak, "sk", Some(Lang::Slk), None, None),
    row(Language::Slovenian, "sl", Some(Lang::Slv), None, None),
    row(Language::Latvian, "lv", Some(Lang::Lav), None, None),
    row(Language::Welsh, "cy", Some(Lang::Cym), None, None),
    row(Language::Galician, "gl", None, None, None),
    row(Language::Latin, "la", Some(Lang::Lat), None, None),
    row(Language::Afrikaans, "af", Some(Lang::Afr), None, None),
    row(Language::Georgian, "ka", Some(Lang::Kat), None, None),
    row(Language::Amharic, "am", Some(Lang::Amh), None, None),
    row(Language::Azerbaijani, "az", Some(Lang::Aze), None, None),
    row(Language::Uzbek, "uz", Some(Lang::Uzb), None, None),
    row(Language::Turkmen, "tk", Some(Lang::Tuk), None, None),
    row(Language::Urdu, "ur", Some(Lang::Urd), None, None),
    row(Language::Bengali, "bn", Some(Lang::Ben), None, None),
    row(Language::Marathi, "mr", Some(Lang::Mar), None, None),
    row(Language::Gujarati, "gu", Some(Lang::Guj), None, None),
    row(Language::Punjabi, "pa", Some(Lang::Pan), None, None),
    row(Language::Odia, "or", Some(Lang::Ori), None, None),
    row(Language::Telugu, "te", Some(Lang::Tel), None, None),
    row(Language::Kannada, "kn", Some(Lang::Kan), None, None),
    row(Language::Malayalam, "ml", Some(Lang::Mal), None, None),
    row(Language::Sinhala, "si", Some(Lang::Sin), None, None),
    row(Language::Burmese, "my", Some(Lang::Mya), None, None),
    row(Language::Khmer, "km", Some(Lang::Khm), None, None),
    row(Language::Lao, "lo", None, None, None),
    row(Language::Tagalog, "tl", Some(Lang::Tgl), None, None),
    row(Language::Javanese, "jv", Some(Lang::Jav), None, None),
    row(Language::Akan, "ak", Some(Lang::Aka), None, None),
    row(Language::Shona, "sn", Some(Lang::Sna), None, None),
    row(Language::Zulu, "zu", Some(Lang::Zul), None, None),
    row(Language::Sesotho, "st", None, None, Some(Algorithm::Sesotho)),
];

/// Latin letters for each letter of a script without spaces, which says as much as several of them.
const LATIN_BESIDE: usize = 3;
/// Fewest characters on which the detector is believed.
const ENOUGH_TEXT: usize = 60;
/// Characters shown to the detector; more brings nothing and costs time.
const SAMPLE: usize = 600;

impl Language {
    /// The language of a page: what the text itself says where the detector is
    /// sure, else what the page declares (`lang` attribute), else English.
    ///
    /// ```
    /// use linkscent_core::text::Language;
    ///
    /// let text = "Die Biene sammelt Nektar, aus dem im Stock der Honig wird, und bestäubt dabei die Blüten.";
    /// assert_eq!(Language::detect(text, None).code(), "de");
    /// assert_eq!(Language::detect("Honig", Some("de")).code(), "de");
    /// ```
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
        Self::sure(sample, declared)
            .or(declared)
            .unwrap_or_default()
    }

    /// The language of a text where the detector is sure of it, and is believed.
    ///
    /// Among letters of scripts without spaces those of names and commands in Latin script do not
    /// count, unless there are far more of them.
    pub(super) fn sure(text: &str, declared: Option<Self>) -> Option<Self> {
        let far = text.chars().filter(|&letter| is_spaceless(letter)).count();
        let latin = text.chars().filter(char::is_ascii_alphabetic).count();
        let without: String;
        let text = if far > 0 && LATIN_BESIDE * far >= latin {
            without = text.replace(|letter: char| letter.is_ascii_alphabetic(), "");
            &without
        } else {
            text
        };
        let info = whatlang::detect(text).filter(whatlang::Info::is_reliable)?;
        let row = TABLE.iter().find(|row| row.detected == Some(info.lang()))?;
        let is_believed = row.is_believed(info.script(), declared);
        is_believed.then_some(row.language)
    }

    /// Those whose words have stems.
    pub fn stemmed() -> impl Iterator<Item = Self> {
        let has_stems = |row: &&Row| row.snowball.is_some() || row.algorithm.is_some();
        TABLE.iter().filter(has_stems).map(|row| row.language)
    }

    /// From a language tag such as `de` or `pt-BR`; `None` if it is not among
    /// these.
    pub fn from_code(tag: &str) -> Option<Self> {
        let code = tag.trim().split(['-', '_']).next()?.to_ascii_lowercase();
        let code = match code.as_str() {
            "nb" | "nn" => "no",
            "iw" => "he",
            "fil" => "tl",
            code => code,
        };
        let row = TABLE.iter().find(|row| row.code == code);
        row.map(|row| row.language)
    }

    /// ISO 639-1 code.
    pub fn code(self) -> &'static str {
        self.row().code
    }

    /// Whether `word`, in lower case, says nothing about a topic.
    pub fn is_stop_word(self, word: &str) -> bool {
        self.stop_words().contains(word)
    }

    /// Whether any are known.
    pub(super) fn has_stop_words(self) -> bool {
        !self.stop_words().is_empty()
    }

    fn stop_words(self) -> &'static FxHashSet<&'static str> {
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
        &sets[self as usize]
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.language)
    }

    pub(super) fn snowball(self) -> Option<Snowball> {
        self.row().snowball
    }

    pub(super) fn algorithm(self) -> Option<Algorithm> {
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

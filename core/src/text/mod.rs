//! Words: from raw text to terms (methods 1.2).
//!
//! A text is cut into Unicode words, normalised (NFKC, lower case), rid of its
//! language's stop words and stemmed. What comes out is called a *term*.
//! Lower-casing stands in for full case folding: the two differ for a handful
//! of letters that the stemmers do not treat alike either.

mod language;
pub(crate) mod pieces;
mod stemmer;
mod vocabulary;

pub use language::Language;
pub use pieces::{MOST_PIECES, Pieces};
pub use vocabulary::{LARGEST_VOCABULARY, TermId, TermRow, Vocabulary};

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use stemmer::Stemmer;

/// Most distinct words of one page that become terms; a dictionary has as many.
pub const MOST_WORDS: usize = 100_000;
/// Longest word, in bytes after normalisation, that becomes a term. Longer
/// runs are hashes, keys and base64, not words.
const LONGEST_WORD: usize = 40;

/// Turns the words of one page into terms, remembering each distinct word, so
/// that a word is normalised and stemmed once a page.
pub struct TermReader {
    language: Language,
    stemmer: Stemmer,
    /// Raw word -> position in `terms`, or `None` for words that are dropped.
    seen: FxHashMap<String, Option<u32>>,
    /// Term -> its position in `terms`.
    positions: FxHashMap<String, u32>,
    terms: Vec<String>,
    /// Each term as it was first written, in lower case.
    surfaces: Vec<String>,
}

impl TermReader {
    /// A reader for text in `language`.
    pub fn new(language: Language) -> Self {
        Self {
            language,
            stemmer: Stemmer::new(language),
            seen: FxHashMap::default(),
            positions: FxHashMap::default(),
            terms: Vec::new(),
            surfaces: Vec::new(),
        }
    }

    /// Calls `each` with the position (see [`Self::into_terms`]) of every term
    /// of `text`, in order of appearance, repeats included.
    pub fn read(&mut self, text: &str, mut each: impl FnMut(u32)) {
        for word in text.unicode_words() {
            if let Some(&known) = self.seen.get(word) {
                if let Some(position) = known {
                    each(position);
                }
                continue;
            }
            if self.is_full() {
                continue;
            }
            let position = self.position_of(word);
            self.seen.insert(word.to_owned(), position);
            if let Some(position) = position {
                each(position);
            }
        }
    }

    /// Whether words are passed over that were not met before: [`MOST_WORDS`] were.
    pub fn is_full(&self) -> bool {
        self.seen.len() >= MOST_WORDS
    }

    /// The distinct terms read so far and the spelling in which each was met
    /// first; positions index into both lists.
    pub fn into_terms(self) -> (Vec<String>, Vec<String>) {
        (self.terms, self.surfaces)
    }

    fn position_of(&mut self, word: &str) -> Option<u32> {
        let plain = normalise(word);
        let characters = plain.chars().count();
        let lone_ideograph = characters == 1 && !plain.is_ascii();
        if plain.len() > LONGEST_WORD || (characters < 2 && !lone_ideograph) {
            return None;
        }
        if self.language.is_stop_word(&plain) {
            return None;
        }
        let term = self.stemmer.stem(&plain);
        let next = self.terms.len() as u32;
        let position = *self.positions.entry(term.clone()).or_insert(next);
        if position == next {
            self.terms.push(term);
            self.surfaces.push(plain);
        }
        Some(position)
    }
}

/// The terms of a short text, such as a query or a title, in order.
pub fn terms(text: &str, language: Language) -> Vec<String> {
    let mut reader = TermReader::new(language);
    let mut positions = Vec::new();
    reader.read(text, |position| positions.push(position));
    let (terms, _) = reader.into_terms();
    positions
        .into_iter()
        .map(|position| terms[position as usize].clone())
        .collect()
}

/// The words of a short text, in lower case, without English stop words.
pub fn plain_words(text: &str) -> Vec<String> {
    let words = text.unicode_words().map(normalise);
    words
        .filter(|word| word.len() <= LONGEST_WORD && !Language::English.is_stop_word(word))
        .collect()
}

/// The distinct terms of an address's words, in their order. Addresses say nothing of their
/// language: they are read as English.
pub fn address_terms(words: &[String]) -> Vec<String> {
    static ENGLISH: OnceLock<Stemmer> = OnceLock::new();
    let stemmer = ENGLISH.get_or_init(|| Stemmer::new(Language::English));
    let is_told = |word: &&String| {
        (word.chars().nth(1).is_some() || !word.is_ascii())
            && word.len() <= LONGEST_WORD
            && !Language::English.is_stop_word(word)
    };
    let told = words.iter().filter(is_told);
    let mut terms: Vec<String> = told.map(|word| stemmer.stem(word)).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

fn normalise(word: &str) -> String {
    if word.is_ascii() {
        word.to_ascii_lowercase()
    } else {
        word.nfkc().collect::<String>().to_lowercase()
    }
}

/// White space folded to single spaces, ends trimmed: how titles, snippets and
/// anchor texts are shown.
pub fn fold_space(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// The first `limit` characters of `text`, cut at a word where one ends in the
/// last third, with an ellipsis where something was left out.
pub fn shorten(text: &str, limit: usize) -> String {
    let Some((cut, _)) = text.char_indices().nth(limit) else {
        return text.to_owned();
    };
    let kept = &text[..cut];
    let end = kept
        .rfind(char::is_whitespace)
        .filter(|&space| space > cut * 2 / 3)
        .unwrap_or(cut);
    format!("{}…", kept[..end].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_normalised_stopped_and_stemmed() {
        let cases = [
            ("The Kidneys and dialysis", vec!["kidney", "dialysi"]),
            ("x y 42 tax-payer", vec!["42", "tax", "payer"]),
            ("ﬁshing FISHED", vec!["fish", "fish"]),
            ("", vec![]),
        ];
        for (text, expected) in cases {
            assert_eq!(terms(text, Language::English), expected, "{text:?}");
        }
    }

    #[test]
    fn words_of_addresses_are_stemmed_and_each_is_there_once() {
        let words = [
            "libraries",
            "library",
            "the",
            "x",
            "searching",
            "search",
            "本",
        ];
        let found = address_terms(&words.map(str::to_owned));
        assert_eq!(found, ["librari", "search", "本"]);
        assert!(address_terms(&["x".repeat(LONGEST_WORD + 1)]).is_empty());
    }

    #[test]
    fn other_languages_use_their_own_stemmer_and_stop_words() {
        assert_eq!(
            terms("die Häuser und die Gärten", Language::German),
            ["haus", "gart"]
        );
    }

    #[test]
    fn a_page_of_ideographs_has_terms() {
        assert!(!terms("情報検索", Language::English).is_empty());
    }

    #[test]
    fn overlong_words_are_dropped() {
        assert!(terms(&"a".repeat(41), Language::English).is_empty());
    }

    #[test]
    fn shorten_cuts_at_a_word() {
        assert_eq!(shorten("alpha beta gamma", 12), "alpha beta…");
        assert_eq!(shorten("alpha", 12), "alpha");
        assert_eq!(shorten("ααααααααα", 4), "αααα…");
    }
}

//! Words: from raw text to terms (methods 1.2).
//!
//! A text is cut into its words, normalised (NFKC, lower case), rid of its
//! language's stop words and stemmed. What comes out is called a *term*.
//! Lower-casing stands in for full case folding: the two differ for a handful
//! of letters that the stemmers do not treat alike either.

mod hidden;
mod language;
mod passages;
pub(crate) mod pieces;
mod stemmer;
mod vocabulary;
mod words;

pub use hidden::{is_hidden, plain_line};
pub use language::Language;
pub use passages::runs_of;
pub use pieces::{MOST_PIECES, Pieces};
pub use vocabulary::{LARGEST_VOCABULARY, TermId, TermRow, Vocabulary};
pub use words::{for_each_segment, for_each_word, words};

use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization;

use stemmer::Stemmer;

/// Most distinct words of one page that become terms; a dictionary has as many.
pub const MOST_WORDS: usize = 100_000;
/// Longest word, in letters after normalisation, that becomes a term. Longer
/// runs are hashes, keys and base64, not words.
const LONGEST_WORD: usize = 40;

/// Turns the words of one page into terms, remembering each distinct word, so
/// that a word is normalised and stemmed once a page and language.
pub struct TermReader {
    /// The language that is read, and those that were before.
    language: InLanguage,
    others: Vec<InLanguage>,
    /// Distinct words met in all languages.
    met: usize,
    /// Term -> its position in `terms`.
    positions: FxHashMap<String, u32>,
    terms: Vec<String>,
    /// Each term as it was first written, in lower case.
    surfaces: Vec<String>,
}

/// Words of one language.
struct InLanguage {
    language: Language,
    stemmer: Stemmer,
    /// Raw word -> position of its term, or `None` for words that are dropped.
    seen: FxHashMap<String, Option<u32>>,
}

impl InLanguage {
    fn new(language: Language) -> Self {
        Self {
            language,
            stemmer: Stemmer::new(language),
            seen: FxHashMap::default(),
        }
    }

    /// The term of a word, and the word in lower case; `None` for what is dropped.
    fn term_of(&self, word: &str) -> Option<(String, String)> {
        let plain = normalise(word);
        let characters = plain.chars().count();
        let lone_ideograph = characters == 1 && !plain.is_ascii();
        if characters > LONGEST_WORD || (characters < 2 && !lone_ideograph) {
            return None;
        }
        let is_told = !self.language.is_stop_word(&plain);
        is_told.then(|| (self.stemmer.stem(&plain), plain))
    }
}

impl TermReader {
    /// A reader for text in `language`.
    pub fn new(language: Language) -> Self {
        Self {
            language: InLanguage::new(language),
            others: Vec::new(),
            met: 0,
            positions: FxHashMap::default(),
            terms: Vec::new(),
            surfaces: Vec::new(),
        }
    }

    /// What is read from now on is in another language.
    pub fn turn_to(&mut self, language: Language) {
        if self.language.language == language {
            return;
        }
        let known = self.others.iter().position(|one| one.language == language);
        let turned = match known {
            Some(place) => self.others.swap_remove(place),
            None => InLanguage::new(language),
        };
        self.others
            .push(std::mem::replace(&mut self.language, turned));
    }

    /// Calls `each` with the position (see [`Self::into_terms`]) of every term
    /// of `text`, in order of appearance, repeats included.
    pub fn read(&mut self, text: &str, mut each: impl FnMut(u32)) {
        for_each_word(text, |word| {
            let known = self.language.seen.get(word).copied();
            if let Some(position) = known.unwrap_or_else(|| self.meet(word)) {
                each(position);
            }
        });
    }

    /// Whether words are passed over that were not met before: [`MOST_WORDS`] were.
    pub fn is_full(&self) -> bool {
        self.met >= MOST_WORDS
    }

    /// The distinct terms read so far and the spelling in which each was met
    /// first; positions index into both lists.
    pub fn into_terms(self) -> (Vec<String>, Vec<String>) {
        (self.terms, self.surfaces)
    }

    /// Takes in a word that was not met before in this language.
    fn meet(&mut self, word: &str) -> Option<u32> {
        if self.is_full() {
            return None;
        }
        let term = self.language.term_of(word);
        let position = term.map(|(term, plain)| self.position_of(term, plain));
        self.language.seen.insert(word.to_owned(), position);
        self.met += 1;
        position
    }

    fn position_of(&mut self, term: String, plain: String) -> u32 {
        let next = self.terms.len() as u32;
        let position = *self.positions.entry(term.clone()).or_insert(next);
        if position == next {
            self.terms.push(term);
            self.surfaces.push(plain);
        }
        position
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
    let words = words(text).into_iter().map(normalise);
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

//! A text cut into its words. Where scripts put spaces between words, that is what the Unicode
//! standard says of word boundaries (annex 29); it has nothing to say of Chinese, Japanese, Thai,
//! Lao, Khmer and Burmese, whose words are found in a dictionary.
//!
//! `icu_segmenter` looks there, in the companion and in the browser alike. `Intl.Segmenter` of
//! browsers is not asked: of the words that it finds in Japanese an eighth are others than those of
//! `icu_segmenter`, of those in Thai a sixth or, in a browser with a neural network for it, a third;
//! and what a model has learned in one program it has to find again in the other.

use std::sync::LazyLock;

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use unicode_segmentation::UnicodeSegmentation;

static DICTIONARY: LazyLock<WordSegmenterBorrowed<'static>> =
    LazyLock::new(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));

/// The first byte of every letter from U+0800 on, and so of all in scripts without spaces.
const FAR: u8 = 0xE0;
/// Letters of a run that are looked up together; a longer one is cut there.
const LONGEST_RUN: usize = 2_000;

/// Calls `each` with the words of `text`, in their order.
pub fn for_each_word<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    if text.bytes().all(|byte| byte < FAR) {
        text.unicode_words().for_each(each);
        return;
    }
    for_each_segment(text, |segment| {
        if segment.contains(char::is_alphanumeric) {
            each(segment);
        }
    });
}

/// The words of a text, in their order.
pub fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for_each_word(text, |word| words.push(word));
    words
}

/// Calls `each` with the words of `text` and with what stands between them: all of it together is
/// the text.
pub fn for_each_segment<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    for run in runs(text) {
        if run.chars().next().is_some_and(is_spaceless) {
            let mut start = 0;
            for end in DICTIONARY.segment_str(run).skip(1) {
                each(&run[start..end]);
                start = end;
            }
        } else {
            run.split_word_bounds().for_each(&mut each);
        }
    }
}

/// Runs of scripts with spaces and of those without, one behind the other.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_without = is_spaceless(rest.chars().next()?);
        let ends = |&(count, (_, letter)): &(usize, (usize, char))| {
            is_spaceless(letter) != is_without || is_without && count == LONGEST_RUN
        };
        let end = rest.char_indices().enumerate().find(ends);
        let (run, left) = rest.split_at(end.map_or(rest.len(), |(_, (at, _))| at));
        rest = left;
        Some(run)
    })
}

/// Whether a letter is of a script that puts no spaces between words.
pub(super) fn is_spaceless(letter: char) -> bool {
    matches!(letter,
        '\u{E01}'..='\u{EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' // Burmese
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9F}' | '\u{20000}'..='\u{3FFFF}' // Chinese, Japanese
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_without_spaces_are_cut_into_words() {
        let cases = [
            ("城市图书馆的历史。", "城市 图书 馆 的 历史"),
            ("圖書館 2026年", "圖書館 2026 年"),
            (
                "図書館でコンピュータを使う",
                "図書館 で コンピュータ を 使う",
            ),
            ("ห้องสมุดประชาชน", "ห้อง สมุด ประชาชน"),
            ("Linuxの本", "Linux の 本"),
            ("도서관에서 책을", "도서관에서 책을"),
            ("", ""),
            ("«Größe» l'eau", "Größe l'eau"),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    /// Whatever the text, nothing of it is lost between the segments, and words are some of them.
    #[test]
    fn segments_are_the_whole_text() {
        let long = "图书馆".repeat(LONGEST_RUN);
        for text in [
            "a b",
            "我在图书馆 (library) 里。",
            "ก\u{E49}\u{301}x\u{3099}が",
            "々〇\u{FF9F}\u{2A6D6}",
            &long,
        ] {
            let mut segments = Vec::new();
            for_each_segment(text, |segment| segments.push(segment));
            assert_eq!(segments.concat(), text);
            assert!(segments.iter().all(|segment| !segment.is_empty()));
            let mut rest = segments.iter();
            assert!(words(text).iter().all(|word| rest.any(|one| one == word)));
        }
    }

    #[test]
    fn where_there_are_spaces_words_are_those_of_the_standard() {
        for text in [
            "can't 3.14 e.g. – “naïve” a_b",
            "Ελλάδα №5 हिन्दी भाषा",
            "שָׁלוֹם 한국어",
        ] {
            let standard: Vec<&str> = text.unicode_words().collect();
            assert_eq!(words(text), standard);
        }
    }
}

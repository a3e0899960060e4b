//! Passages in another language than their page: a quotation, a page in two languages, an article in
//! Japanese under a menu in English. Each is read by its own stemmer and stop words.
//!
//! A passage is only believed to be in another language where two things say so: it has hardly any
//! of the stop words of its page's language, and the detector is sure of another, whose stop words
//! it does have. Short texts and names, of which menus consist, are in the language of their page.

use super::Language;
use super::words::for_each_word;

/// Bytes of a passage at least: fewer do not tell their language.
const SHORTEST_PASSAGE: usize = 200;
/// Words of a passage that are looked at.
const LOOKED_AT: usize = 60;
/// Passages of a page that the detector is asked about; the rest are in the language of the one before.
const MOST_DETECTED: usize = 100;
/// One word in so many at least is a stop word of the language that a text is in.
const ONE_IN: usize = 10;

impl Language {
    /// The language of a passage of a page in this one.
    fn of_passage(self, passage: &str) -> Self {
        if passage.len() < SHORTEST_PASSAGE || self.speaks(passage) {
            return self;
        }
        let sure = Self::sure(shown(passage), None);
        sure.filter(|other| other.speaks(passage)).unwrap_or(self)
    }

    /// Whether a text has its stop words. Where none are known, its detector alone counts.
    fn speaks(self, text: &str) -> bool {
        if !self.has_stop_words() {
            return Self::sure(shown(text), None) == Some(self);
        }
        let (mut words, mut stop_words) = (0, 0);
        for_each_word(shown(text), |word| {
            words += 1;
            stop_words += usize::from(self.is_stop_word(&super::normalise(word)));
        });
        ONE_IN * stop_words >= words
    }
}

/// The beginning of a text, of about [`LOOKED_AT`] words.
fn shown(text: &str) -> &str {
    let end = text.char_indices().nth(6 * LOOKED_AT);
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The language of each leaf or passage of a page, in runs: where a run ends, and its language. Leaves
/// are taken together until they are as long as it takes to tell.
pub fn runs_of<'a>(
    language: Language,
    leaves: impl Iterator<Item = &'a str>,
) -> Vec<(u32, Language)> {
    let mut runs: Vec<(u32, Language)> = Vec::new();
    let (mut passage, mut end, mut left) = (String::new(), 0, MOST_DETECTED);
    let mut close = |end: u32, passage: &str| {
        let last = runs.last().map_or(language, |run| run.1);
        let speaks = |one: &Language| one.has_stop_words() && one.speaks(passage);
        let spoken = if passage.len() < SHORTEST_PASSAGE {
            language
        } else if let Some(spoken) = [language, last].into_iter().find(speaks) {
            spoken
        } else if left > 0 {
            left -= 1;
            language.of_passage(passage)
        } else {
            last
        };
        match runs.last_mut() {
            Some(run) if run.1 == spoken => run.0 = end,
            _ => runs.push((end, spoken)),
        }
    };
    for leaf in leaves {
        passage.push_str(leaf);
        passage.push(' ');
        end += 1;
        if passage.len() >= SHORTEST_PASSAGE {
            close(end, &passage);
            passage.clear();
        }
    }
    close(end, &passage);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: &str = "The library keeps the letters of the poet and of those who knew her, \
        and whoever wants to read them may ask at the desk on the first floor, where they are \
        brought from the vault within an hour of the request being made.";
    const GERMAN: &str = "Die Bibliothek bewahrt die Briefe der Dichterin und derer auf, die sie \
        kannten, und wer sie lesen will, kann am Schalter im ersten Stock danach fragen, wohin sie \
        innerhalb einer Stunde aus dem Magazin gebracht werden.";
    const JAPANESE: &str = "図書館には詩人の手紙と、彼女を知っていた人々の手紙が保管されています。\
        読みたい人は一階の受付で申し込むことができ、一時間以内に書庫から運ばれてきます。\
        館内では写真を撮ることもできます。";

    #[test]
    fn a_passage_is_read_in_its_own_language() {
        use Language::{English, German, Japanese};
        for page in [English, German, Japanese] {
            assert_eq!(page.of_passage(ENGLISH), English);
            assert_eq!(page.of_passage(GERMAN), German);
            assert_eq!(page.of_passage(JAPANESE), Japanese);
        }
        let names =
            "Home About Contact Bibliotheca Hertziana Wien München Leipzig Hamburg ".repeat(4);
        for short in ["Die Bibliothek ist im ersten Stock.", "図書館", &names] {
            assert_eq!(English.of_passage(short), English, "{short}");
        }
    }

    #[test]
    fn leaves_join_into_runs_of_a_language() {
        let leaves = ["Home", ENGLISH, ENGLISH, GERMAN, GERMAN, "Impressum"];
        let runs = runs_of(Language::English, leaves.into_iter());
        let expected = [
            (3, Language::English),
            (5, Language::German),
            (6, Language::English),
        ];
        assert_eq!(runs, expected);
        assert_eq!(
            runs_of(Language::German, std::iter::empty()),
            [(0, Language::German)]
        );
        // Behind more names than the detector is asked about, stop words still tell.
        let names = "Wien Hamburg Roma Napoli Praha Brno Kraków Wrocław ".repeat(5);
        let mut leaves = vec![names.as_str(); 2 * MOST_DETECTED];
        leaves.extend([ENGLISH, names.as_str()]);
        let runs = runs_of(Language::English, leaves.into_iter());
        let all = 2 * MOST_DETECTED as u32 + 2;
        assert_eq!(runs.last(), Some(&(all, Language::English)));
    }
}

//! What a person types into a search field.
//!
//! All words have to be met; `"words in quotes"` next to each other; `-word` not at all. `word*`
//! stands for all that begin so, `word~` for those that are spelled much the same;
//! `title:word` asks the title, `site:host` and `lang:code` where the page lies and what
//! language it is in. `tag:name`, `is:relevant`, `kind:name`, `found:2026-11` and `topic:name` ask
//! for what is known elsewhere of the page: see [`Query::conditions`].

use std::collections::BTreeSet;

use linkscent_core::budget::{OverBudget, QUERY};
use linkscent_core::text::{Language, terms};
use tantivy::Term;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, Occur, PhraseQuery, Query as Asked, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use super::Fields;
use super::expansion::Expansion;

/// A word of the title counts so much more.
const TITLE: f32 = 2.0;
/// Most parts with `*` or `~` in one query: each of them stands for many words of the index.
const MOST_EXPANDED: usize = 8;
/// Fields that the index knows nothing of.
const KNOWN_ELSEWHERE: [&str; 5] = ["tag", "is", "kind", "found", "topic"];

/// A query, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    is_not: bool,
    only_title: bool,
    what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum What {
    Word(String),
    Phrase(String),
    Beginning(String),
    Similar(String),
    Site(String),
    Language(String),
    Label(&'static str, String),
}

/// Something that has to be known elsewhere of a page, or must not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// `tag`, `is`, `kind`, `found` or `topic`.
    pub field: &'static str,
    /// In lower case.
    pub value: String,
    /// Whether it must not hold.
    pub is_not: bool,
}

impl Query {
    /// Reads what was typed. What is no sign of this language is a word. Fails only if it is longer
    /// than [`QUERY`] allows, or has more than eight parts with `*` or `~`.
    pub fn read(text: &str) -> Result<Self, OverBudget> {
        QUERY.check_bytes(text.len())?;
        let mut parts: Vec<Part> = Vec::new();
        let (mut words, mut expanded) = (0, 0);
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (part, left) = read_part(rest);
            rest = left.trim_start();
            let Some(part) = part else {
                continue;
            };
            words += part.typed().split_whitespace().count().max(1);
            QUERY.check_items(words)?;
            expanded += usize::from(part.is_expanded());
            if expanded > MOST_EXPANDED {
                return Err(OverBudget::Items {
                    input: QUERY.input,
                    most: MOST_EXPANDED,
                    item: "words that end in * or ~",
                });
            }
            parts.push(part);
        }
        Ok(Self { parts })
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The terms of its words in a language: what is marked in snippets.
    pub fn terms(&self, language: Language) -> BTreeSet<String> {
        terms(&self.words(), language).into_iter().collect()
    }

    /// Its words as they were typed.
    pub(crate) fn words(&self) -> String {
        let wanted = self.parts.iter().filter(|part| !part.is_not);
        let words = wanted.filter_map(|part| match &part.what {
            What::Word(text) | What::Phrase(text) | What::Beginning(text) | What::Similar(text) => {
                Some(text.as_str())
            }
            What::Site(_) | What::Language(_) | What::Label(..) => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// What is asked for that the index knows nothing of: whoever searches lets no page stand
    /// of which it does not hold.
    pub fn conditions(&self) -> Vec<Condition> {
        let conditions = self.parts.iter().filter_map(|part| match &part.what {
            What::Label(field, value) => Some(Condition {
                field,
                value: value.clone(),
                is_not: part.is_not,
            }),
            _ => None,
        });
        conditions.collect()
    }

    /// As the index is asked; with `any`, pages that have only some of the words are found too.
    /// Fails if its words are more terms than [`QUERY`] allows, as in a long text without spaces.
    pub(crate) fn asked(
        &self,
        fields: &Fields,
        languages: &[Language],
        any: bool,
    ) -> Result<Box<dyn Asked>, OverBudget> {
        let words = self.words();
        for language in languages {
            QUERY.check_items(terms(&words, *language).len())?;
        }
        let mut all: Vec<(Occur, Box<dyn Asked>)> = Vec::new();
        let mut some: Vec<(Occur, Box<dyn Asked>)> = Vec::new();
        // Words that only join others in one of the languages need not be met beside others.
        let joins = |part: &Part| match &part.what {
            What::Word(word) => languages.iter().any(|one| terms(word, *one).is_empty()),
            _ => false,
        };
        let is_met = |part: &Part| !matches!(part.what, What::Label(..));
        let has_others = self
            .parts
            .iter()
            .any(|part| !part.is_not && is_met(part) && !joins(part));
        let mut beside: Vec<(Occur, Box<dyn Asked>)> = Vec::new();
        for part in &self.parts {
            if has_others && !part.is_not && joins(part) {
                let asked = part.asked(fields, languages);
                beside.extend(asked.map(|asked| (Occur::Should, asked)));
                continue;
            }
            let Some(asked) = part.asked(fields, languages) else {
                continue;
            };
            let is_word = matches!(part.what, What::Word(_));
            if part.is_not {
                all.push((Occur::MustNot, asked));
            } else if any && is_word {
                some.push((Occur::Should, asked));
            } else {
                all.push((Occur::Must, asked));
            }
        }
        if !some.is_empty() {
            all.push((Occur::Must, Box::new(BooleanQuery::new(some))));
        }
        if all.iter().all(|(occur, _)| *occur == Occur::MustNot) {
            all.push((Occur::Must, Box::new(AllQuery)));
        }
        all.extend(beside);
        Ok(Box::new(BooleanQuery::new(all)))
    }
}

impl Part {
    /// Its text as it was typed.
    fn typed(&self) -> &str {
        match &self.what {
            What::Word(text)
            | What::Phrase(text)
            | What::Beginning(text)
            | What::Similar(text)
            | What::Site(text)
            | What::Language(text)
            | What::Label(_, text) => text,
        }
    }

    /// Whether it stands for all words that look much like it.
    fn is_expanded(&self) -> bool {
        matches!(self.what, What::Beginning(_) | What::Similar(_))
    }

    fn asked(&self, fields: &Fields, languages: &[Language]) -> Option<Box<dyn Asked>> {
        let exact = |field: Field, text: &str| -> Box<dyn Asked> {
            let term = Term::from_field_text(field, text);
            Box::new(TermQuery::new(term, IndexRecordOption::Basic))
        };
        match &self.what {
            What::Site(host) => return Some(exact(fields.site, host)),
            What::Language(code) => return Some(exact(fields.language, code)),
            What::Label(..) => return None,
            _ => {}
        }
        let mut ways: Vec<Box<dyn Asked>> = Vec::new();
        for (field, weight) in [(fields.title_words, TITLE), (fields.words, 1.0)] {
            if self.only_title && field == fields.words {
                continue;
            }
            for asked in self.in_field(field, languages) {
                ways.push(Box::new(BoostQuery::new(asked, weight)));
            }
        }
        (!ways.is_empty()).then(|| -> Box<dyn Asked> { Box::new(BooleanQuery::union(ways)) })
    }

    /// Its words in each language that makes another term of them.
    fn in_field(&self, field: Field, languages: &[Language]) -> Vec<Box<dyn Asked>> {
        let term = |text: &str| Term::from_field_text(field, text);
        let (What::Word(text) | What::Phrase(text) | What::Beginning(text) | What::Similar(text)) =
            &self.what
        else {
            return Vec::new();
        };
        if let What::Beginning(text) = &self.what {
            let plain: String = text.to_lowercase();
            let letters = plain.chars().filter(|letter| letter.is_alphanumeric());
            let beginning: String = letters.collect();
            let mut ways: Vec<Box<dyn Asked>> =
                vec![Box::new(Expansion::beginning(field, &beginning))];
            // The word itself may be another as a term: “castle” is there as “castl”.
            for word in languages.iter().flat_map(|one| terms(text, *one)) {
                let exact = TermQuery::new(term(&word), IndexRecordOption::Basic);
                ways.push(Box::new(exact));
            }
            return ways;
        }
        let readings: BTreeSet<Vec<String>> = languages
            .iter()
            .map(|language| terms(text, *language))
            .filter(|terms| !terms.is_empty())
            .collect();
        let asked = readings.into_iter().map(|words| -> Box<dyn Asked> {
            match &words[..] {
                [word] if matches!(self.what, What::Similar(_)) => {
                    let distance = if word.chars().count() < 5 { 1 } else { 2 };
                    Box::new(Expansion::similar(field, word, distance))
                }
                [word] => Box::new(TermQuery::new(
                    term(word),
                    IndexRecordOption::WithFreqsAndPositions,
                )),
                // A word that is several terms, as in Chinese, stands for them in this order.
                words => Box::new(PhraseQuery::new(
                    words.iter().map(|word| term(word)).collect(),
                )),
            }
        });
        asked.collect()
    }
}

/// The first part of a text, if it is one, and what is left.
fn read_part(text: &str) -> (Option<Part>, &str) {
    let (is_not, text) = match text.strip_prefix('-') {
        Some(rest) if rest.starts_with(|sign: char| !sign.is_whitespace()) => (true, rest),
        _ => (false, text),
    };
    let (only_title, text) = match text.strip_prefix("title:") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let part = |what| Part {
        is_not,
        only_title,
        what,
    };
    if let Some((field, rest)) = label_field(text) {
        let (value, left) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        return (Some(part(What::Label(field, value.to_lowercase()))), left);
    }
    if let Some(rest) = text.strip_prefix('"') {
        let (phrase, left) = rest.split_once('"').unwrap_or((rest, ""));
        let what = (!phrase.trim().is_empty()).then(|| What::Phrase(phrase.to_owned()));
        return (what.map(part), left);
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, left) = text.split_at(end);
    let field = |name: &str| word.strip_prefix(name).filter(|value| !value.is_empty());
    let what = if let Some(host) = field("site:") {
        What::Site(host.to_lowercase())
    } else if let Some(code) = field("lang:") {
        What::Language(code.to_lowercase())
    } else if let Some(beginning) = word.strip_suffix('*').filter(|word| word.len() > 1) {
        What::Beginning(beginning.to_owned())
    } else if let Some(similar) = word.strip_suffix('~').filter(|word| !word.is_empty()) {
        What::Similar(similar.to_owned())
    } else {
        What::Word(word.to_owned())
    };
    ((!word.is_empty()).then(|| part(what)), left)
}

/// The field of [`KNOWN_ELSEWHERE`] that a text begins with, and what comes behind its colon, if
/// something does.
fn label_field(text: &str) -> Option<(&'static str, &str)> {
    KNOWN_ELSEWHERE.iter().find_map(|field| {
        let rest = text.strip_prefix(field)?.strip_prefix(':')?;
        let is_there = !rest.is_empty() && !rest.starts_with(char::is_whitespace);
        is_there.then_some((*field, rest))
    })
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    const SIGNS: [&str; 16] = [
        "castle", "\"", "-", "title:", "site:", "lang:", "tag:", "is:", "*", "~", " ", "\t", ":",
        "ä", "透析", "--",
    ];

    /// A part as a person would type it.
    fn typed(part: &Part) -> String {
        let what = match &part.what {
            What::Word(text) => text.clone(),
            What::Phrase(text) => format!("\"{text}\""),
            What::Beginning(text) => format!("{text}*"),
            What::Similar(text) => format!("{text}~"),
            What::Site(host) => format!("site:{host}"),
            What::Language(code) => format!("lang:{code}"),
            What::Label(field, value) if value.contains('"') => format!("{field}:{value}"),
            What::Label(field, value) => format!("{field}:\"{value}\""),
        };
        let not = if part.is_not { "-" } else { "" };
        let title = if part.only_title { "title:" } else { "" };
        format!("{not}{title}{what}")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16 * ProptestConfig::default().cases))]

        #[test]
        fn what_was_read_reads_the_same_when_it_is_typed_again(
            signs in vec(prop_oneof![6 => select(&SIGNS[..]).prop_map(str::to_owned), 1 => any::<String>()], 0..14),
        ) {
            let Ok(query) = Query::read(&signs.concat()) else {
                return Ok(());
            };
            let again: Vec<String> = query.parts.iter().map(typed).collect();
            prop_assert_eq!(Query::read(&again.join(" ")), Ok(query));
        }
    }

    fn parts(text: &str) -> Vec<String> {
        let query = Query::read(text).unwrap();
        let said = query.parts.iter().map(|part| {
            let not = if part.is_not { "not " } else { "" };
            let title = if part.only_title { "title " } else { "" };
            format!("{not}{title}{:?}", part.what)
        });
        said.collect()
    }

    #[test]
    fn a_query_is_read_as_it_is_typed() {
        assert_eq!(
            parts(r#"castle "stone keep" -hotel title:moat site:A.test lang:de fort* casle~"#),
            [
                r#"Word("castle")"#,
                r#"Phrase("stone keep")"#,
                r#"not Word("hotel")"#,
                r#"title Word("moat")"#,
                r#"Site("a.test")"#,
                r#"Language("de")"#,
                r#"Beginning("fort")"#,
                r#"Similar("casle")"#,
            ]
        );
        assert_eq!(
            parts(r#"-"of stone" "left open"#),
            [r#"not Phrase("of stone")"#, r#"Phrase("left open")"#,]
        );
        assert_eq!(
            parts(r#"  - "" * ~ site: "#),
            [
                r#"Word("-")"#,
                r#"Word("*")"#,
                r#"Word("~")"#,
                r#"Word("site:")"#,
            ]
        );
        assert!(Query::read("   ").unwrap().is_empty());
    }

    #[test]
    fn what_is_known_elsewhere_is_told_apart() {
        let query =
            Query::read(r#"moat tag:To-Read -is:new kind:"Round towers" found:2026-11 tag:"#)
                .unwrap();
        let conditions = query.conditions();
        let said = conditions.iter().map(|condition| {
            let not = if condition.is_not { "-" } else { "" };
            format!("{not}{}={}", condition.field, condition.value)
        });
        let said: Vec<String> = said.collect();
        assert_eq!(
            said,
            [
                "tag=to-read",
                "-is=new",
                "kind=round towers",
                "found=2026-11"
            ]
        );
        assert_eq!(query.words(), "moat tag:");
    }

    #[test]
    fn a_query_is_refused_beyond_its_limits() {
        let refused = |text: &str| Query::read(text).unwrap_err().to_string();
        let most = QUERY.items;
        assert_eq!(Query::read(&"a ".repeat(most)).unwrap().parts.len(), most);
        assert!(Query::read(&format!("\"{}\"", "a ".repeat(most))).is_ok());
        for text in [
            "a ".repeat(most + 1),
            format!("\"{}\"", "a ".repeat(most + 1)),
            format!("tag:\"{}\"", "a ".repeat(most + 1)),
            format!("{}\"{}\"", "b ".repeat(most), "a"),
            "\"\" ".repeat(most) + &"-b ".repeat(most + 1),
        ] {
            assert!(refused(&text).contains("at most 100 words"), "{text}");
        }
        assert!(Query::read(&"ab* cd~ ".repeat(4)).is_ok());
        assert!(refused(&"ab* ".repeat(9)).contains("at most 8 words that end in * or ~"));
        assert!(Query::read(&"k".repeat(QUERY.bytes)).is_ok());
        assert!(refused(&"k".repeat(QUERY.bytes + 1)).contains("at most 4096 bytes"));
        let begun = std::time::Instant::now();
        let bomb = format!("\"{}\"", "kidney ".repeat(280_000));
        assert!(refused(&bomb).contains("at most 4096 bytes"));
        assert!(begun.elapsed() < std::time::Duration::from_secs(1));
    }
}

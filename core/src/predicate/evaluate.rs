//! Whether a predicate holds of a page, condition by condition, and where.

use super::{Condition, NumberOf, Predicate, TextOf, TextTest};
use crate::address::Address;
use crate::forms::{FormKinds, FormWords};
use crate::page::Page;

/// Bytes of a text, from its beginning, that a regular expression looks at.
pub(super) const LONGEST_SEARCHED: usize = 256 << 10;
/// Letters shown around what was found.
const SHOWN: usize = 30;

/// How likely a form of a domain is one.
const WANTED: f64 = 0.5;

/// A page, with what is known around it.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// The page.
    pub page: &'a Page,
    /// Pages known to link to it.
    pub linked_from: &'a [Address],
    /// How relevant it is to topics.
    pub relevances: &'a dyn Relevances,
}

/// Who knows how relevant a page is to topics.
pub trait Relevances {
    /// To the topic of that name, or to the one that was marked; `None` if there
    /// is none.
    fn relevance(&self, page: &Page, topic: Option<&str>) -> Option<f64>;

    /// How likely a searchable form with these words leads to a database that the topic looks
    /// for, 0..=1; `None` if there is no such topic.
    fn form(&self, words: &FormWords, topic: Option<&str>) -> Option<f64>;
}

/// One who knows of no topic.
impl Relevances for () {
    fn relevance(&self, _: &Page, _: Option<&str>) -> Option<f64> {
        None
    }

    fn form(&self, _: &FormWords, _: Option<&str>) -> Option<f64> {
        None
    }
}

/// Whether a predicate or a part of it held.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The condition as it is written, or `and`, `or`, `not`.
    pub label: String,
    /// Whether it held.
    pub holds: bool,
    /// Where, or what was found instead.
    pub place: String,
    /// The parts it follows from.
    pub parts: Vec<Finding>,
}

impl Predicate {
    /// Whether it holds.
    pub fn holds(&self, seen: Seen<'_>) -> bool {
        match self {
            Self::And(parts) => parts.iter().all(|part| part.holds(seen)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(seen)),
            Self::Not(part) => !part.holds(seen),
            Self::Condition(condition) => condition.find(seen).0,
        }
    }

    /// Whether it holds, and why; every condition is looked at.
    pub fn explain(&self, seen: Seen<'_>) -> Finding {
        let joined = |label: &str, parts: &[Self], holds: fn(&[Finding]) -> bool| {
            let parts: Vec<Finding> = parts.iter().map(|part| part.explain(seen)).collect();
            Finding {
                label: label.to_owned(),
                holds: holds(&parts),
                place: String::new(),
                parts,
            }
        };
        match self {
            Self::And(parts) => joined("and", parts, |parts| parts.iter().all(|part| part.holds)),
            Self::Or(parts) => joined("or", parts, |parts| parts.iter().any(|part| part.holds)),
            Self::Not(part) => {
                let part = std::slice::from_ref(&**part);
                joined("not", part, |parts| !parts.iter().any(|part| part.holds))
            }
            Self::Condition(condition) => {
                let (holds, place) = condition.find(seen);
                Finding {
                    label: condition.to_string(),
                    holds,
                    place,
                    parts: Vec::new(),
                }
            }
        }
    }
}

impl Condition {
    /// Whether it holds, and where or instead of what.
    fn find(&self, seen: Seen<'_>) -> (bool, String) {
        let page = seen.page;
        match self {
            Self::Text(TextOf::Url, test) => test.find(page.address.as_str()),
            Self::Text(TextOf::Host, test) => test.find(page.address.host()),
            Self::Text(TextOf::Path, test) => test.find(page.address.path_and_query()),
            Self::Text(TextOf::Title, test) => test.find(&page.title()),
            Self::Text(TextOf::Text, test) => {
                let leaves: Vec<&str> = page.document().leaves().collect();
                test.find(&leaves.join(" "))
            }
            Self::Number(number, comparison, wanted) => {
                let found = match number {
                    NumberOf::Size => page
                        .document()
                        .leaves()
                        .map(|leaf| leaf.chars().count())
                        .sum(),
                    NumberOf::Links => page.outlinks.len(),
                    NumberOf::Backlinks => seen.linked_from.len(),
                } as u64;
                (comparison.holds(found, *wanted), found.to_string())
            }
            Self::Language(code) => {
                let found = page.language.code();
                (found == code, found.to_owned())
            }
            Self::LinksTo(pattern) => {
                let targets = page.outlinks.iter().map(|link| &link.target);
                first(targets.map(Address::as_str), &pattern.regex)
            }
            Self::LinkedFrom(pattern) => {
                let sources = seen.linked_from.iter();
                first(sources.map(Address::as_str), &pattern.regex)
            }
            Self::Topic(name, comparison, wanted) => {
                match seen.relevances.relevance(page, name.as_deref()) {
                    Some(found) => (comparison.holds(found, *wanted), format!("{found:.3}")),
                    None => (false, "there is no such topic".to_owned()),
                }
            }
            Self::Form(kind) => {
                let kinds = FormKinds::shipped();
                let mut forms = page.forms().iter().zip(1..);
                let found = forms.find(|(form, _)| kinds.judge(form).kind == *kind);
                let place = found.map(|(form, number)| format!("form {number}, {}", form.action));
                (place.is_some(), place.unwrap_or_default())
            }
            Self::FormAbout(topic) => find_form(seen, topic.as_deref()),
        }
    }
}

/// The searchable form of a page that likeliest leads to a database of a topic.
fn find_form(seen: Seen<'_>, topic: Option<&str>) -> (bool, String) {
    let kinds = FormKinds::shipped();
    let numbered = seen.page.forms().iter().zip(1..);
    let searchable = numbered.filter(|(form, _)| kinds.judge(form).is_searchable());
    let mut best: Option<(f64, String)> = None;
    for (form, number) in searchable {
        let words = FormWords::of(seen.page, form);
        let Some(share) = seen.relevances.form(&words, topic) else {
            return (false, "there is no such topic".to_owned());
        };
        if best.as_ref().is_none_or(|best| share > best.0) {
            let place = format!("form {number}, {}, at {share:.3}", form.action);
            best = Some((share, place));
        }
    }
    let (share, place) = best.unwrap_or_default();
    (share >= WANTED, place)
}

/// The part of a text that a regular expression looks at.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST_SEARCHED)]
}

fn first<'a>(
    mut texts: impl Iterator<Item = &'a str>,
    regex: &regex_lite::Regex,
) -> (bool, String) {
    let found = texts.find(|text| regex.is_match(text));
    (found.is_some(), found.unwrap_or_default().to_owned())
}

impl TextTest {
    fn find(&self, text: &str) -> (bool, String) {
        let whole = || shown(text, 0, text.len());
        match self {
            Self::Has(words) => match position_of(text, words) {
                Some((start, end)) => (true, shown(text, start, end)),
                None => (false, String::new()),
            },
            Self::Is(wanted) => (text.to_lowercase() == wanted.to_lowercase(), whole()),
            Self::Glob(pattern) => (pattern.regex.is_match(text), whole()),
            Self::Regex(pattern) => match pattern.regex.find(beginning(text)) {
                Some(found) => (true, shown(text, found.start(), found.end())),
                None => (false, String::new()),
            },
        }
    }
}

/// Where whole words stand in a text, in bytes; letters and digits make words,
/// whatever stands between.
fn position_of(text: &str, words: &str) -> Option<(usize, usize)> {
    let wanted: Vec<String> = pieces(words).map(|row| row.2.to_lowercase()).collect();
    if wanted.is_empty() {
        return None;
    }
    let found: Vec<(usize, usize, &str)> = pieces(text).collect();
    let place = found.windows(wanted.len()).find(|window| {
        let same = window.iter().zip(&wanted);
        same.into_iter()
            .all(|(piece, word)| piece.2.to_lowercase() == *word)
    })?;
    Some((place[0].0, place[wanted.len() - 1].1))
}

/// Words with where they start and end.
fn pieces(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(|word| {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (start, start + word.len(), word)
    })
}

/// A part of a text with a little around it.
fn shown(text: &str, start: usize, end: usize) -> String {
    let before = text[..start].char_indices().rev().nth(SHOWN - 1);
    let from = before.map_or(0, |row| row.0);
    let behind = text[end..].char_indices().nth(SHOWN);
    let to = behind.map_or(text.len(), |row| end + row.0);
    let (head, tail) = (from > 0, to < text.len());
    let part = crate::text::shorten(&crate::text::fold_space(&text[from..to]), 200);
    format!(
        "{}{part}{}",
        if head { "…" } else { "" },
        if tail { "…" } else { "" }
    )
}

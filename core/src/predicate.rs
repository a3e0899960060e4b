//! What a person wants as a condition on pages, in any combination (\[B\],
//! methods 2.3).
//!
//! ```text
//! title has "bees" and not (host is "shop.test" or links > 200)
//! ```
//!
//! Conditions:
//! - `url`, `host`, `path`, `title`, `text`, each with `has "words"` (whole words
//!   in this order), `is "..."`, `glob "*.test/*"` or `regex "..."`; upper and
//!   lower case are the same but in `regex`;
//! - `language is "en"`;
//! - `size` (characters of text), `links` (links to other pages) and `backlinks` (known
//!   pages that link there) with `<`, `<=`, `=`, `>=` or `>` and a number;
//! - `links to "glob"` and `linked from "glob"`, on addresses;
//! - `topic >= 0.5`, the relevance of the page to the topic that was marked, and
//!   `topic "bees" >= 0.7`, that to a topic of another name;
//! - `form is "search"`, a form of that [kind](FormKind) stands on the page;
//! - `form about "jobs"`, a searchable form stands on the page whose database is one that the
//!   topic of that name looks for, and `form wanted`, one that this topic looks for: as the
//!   forms tell that were marked for the topic, or, where none was, the words of its pages.
//!
//! `linked from` and `backlinks` ask all pages read so far that link there, up to
//! [`MOST_BACKLINKS`](crate::web_graph::MOST_BACKLINKS) of them.
//!
//! They are joined by `and`, `or`, `not` and parentheses; `not` binds closest,
//! then `and`.

mod evaluate;
mod parser;

use std::fmt;

use regex_lite::Regex;

use crate::forms::FormKind;
use crate::text::Language;

pub use evaluate::{Finding, Relevances, Seen};
pub use parser::PredicateError;
pub(crate) use parser::quoted as read_quoted;

/// A condition, or several joined. What [`Display`](fmt::Display) writes is read
/// back as the same.
///
/// ```
/// use linkscent_core::predicate::Predicate;
///
/// let predicate: Predicate = r#"title has "bees" and not host is "shop.test""#.parse()?;
/// assert_eq!(predicate.conditions().len(), 2);
/// assert_eq!(predicate.to_string().parse(), Ok(predicate));
/// # Ok::<(), linkscent_core::predicate::PredicateError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// All of them.
    And(Vec<Predicate>),
    /// One of them.
    Or(Vec<Predicate>),
    /// Not this.
    Not(Box<Predicate>),
    /// A single condition.
    Condition(Condition),
}

/// A single condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// On a text of the page.
    Text(TextOf, TextTest),
    /// On a number.
    Number(NumberOf, Comparison, u64),
    /// The language's code.
    Language(String),
    /// A link leads to an address like this.
    LinksTo(Pattern),
    /// A link leads here from an address like this.
    LinkedFrom(Pattern),
    /// The relevance to a topic, the marked one if it has no name, 0..=1.
    Topic(Option<String>, Comparison, f64),
    /// A form of this kind stands on the page.
    Form(FormKind),
    /// A searchable form of the domain of a topic stands on the page, of the marked one if it
    /// has no name.
    FormAbout(Option<String>),
}

/// The texts of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextOf {
    /// Its whole address.
    Url,
    /// Its host.
    Host,
    /// Path and query.
    Path,
    /// Its title.
    Title,
    /// Its body.
    Text,
}

/// What is asked of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum TextTest {
    /// Whole words, in this order.
    Has(String),
    /// Just this.
    Is(String),
    /// A pattern with `*` and `?` for the whole text.
    Glob(Pattern),
    /// A regular expression, anywhere in the text.
    Regex(Pattern),
}

/// The numbers of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberOf {
    /// Characters of its text.
    Size,
    /// Links to other pages.
    Links,
    /// Known pages that link to it.
    Backlinks,
}

/// How a number is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
}

/// A pattern as written, and ready to be used.
#[derive(Debug, Clone)]
pub struct Pattern {
    written: String,
    regex: Regex,
}

/// Most bytes of a compiled pattern. With [`evaluate::LONGEST_SEARCHED`] it bounds the time that one
/// takes on a page.
const LARGEST_REGEX: usize = 256 << 10;

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Pattern {
    /// A pattern with `*` for anything and `?` for one letter.
    fn glob(written: &str) -> Option<Self> {
        let mut regex = String::from("(?is)^");
        for letter in written.chars() {
            match letter {
                '*' => regex.push_str(".*"),
                '?' => regex.push('.'),
                other => regex.push_str(&regex_lite::escape(other.encode_utf8(&mut [0; 4]))),
            }
        }
        regex.push('$');
        Self::new(written, &regex)
    }

    fn regex(written: &str) -> Option<Self> {
        Self::new(written, written)
    }

    fn new(written: &str, regex: &str) -> Option<Self> {
        let regex = regex_lite::RegexBuilder::new(regex)
            .size_limit(LARGEST_REGEX)
            .build()
            .ok()?;
        Some(Self {
            written: written.to_owned(),
            regex,
        })
    }
}

const TEXTS: [(&str, TextOf); 5] = [
    ("url", TextOf::Url),
    ("host", TextOf::Host),
    ("path", TextOf::Path),
    ("title", TextOf::Title),
    ("text", TextOf::Text),
];
const NUMBERS: [(&str, NumberOf); 3] = [
    ("size", NumberOf::Size),
    ("links", NumberOf::Links),
    ("backlinks", NumberOf::Backlinks),
];
const COMPARISONS: [(&str, Comparison); 5] = [
    ("<=", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
    ("=", Comparison::Equal),
];

fn name_of<T: PartialEq + Copy>(table: &[(&'static str, T)], wanted: T) -> &'static str {
    let row = table.iter().find(|row| row.1 == wanted);
    row.map_or("", |row| row.0)
}

/// A text in quotes, as [`read_quoted`] reads it.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text, test) => {
                let (word, value) = match test {
                    TextTest::Has(words) => ("has", words),
                    TextTest::Is(text) => ("is", text),
                    TextTest::Glob(pattern) => ("glob", &pattern.written),
                    TextTest::Regex(pattern) => ("regex", &pattern.written),
                };
                write!(f, "{} {word} {}", name_of(&TEXTS, *text), quoted(value))
            }
            Self::Number(number, comparison, value) => {
                let (number, comparison) = (
                    name_of(&NUMBERS, *number),
                    name_of(&COMPARISONS, *comparison),
                );
                write!(f, "{number} {comparison} {value}")
            }
            Self::Language(code) => write!(f, "language is {}", quoted(code)),
            Self::LinksTo(pattern) => write!(f, "links to {}", quoted(&pattern.written)),
            Self::LinkedFrom(pattern) => write!(f, "linked from {}", quoted(&pattern.written)),
            Self::Topic(name, comparison, value) => {
                write!(f, "topic ")?;
                if let Some(name) = name {
                    write!(f, "{} ", quoted(name))?;
                }
                write!(f, "{} {value}", name_of(&COMPARISONS, *comparison))
            }
            Self::Form(kind) => write!(f, "form is {}", quoted(kind.name())),
            Self::FormAbout(Some(topic)) => write!(f, "form about {}", quoted(topic)),
            Self::FormAbout(None) => f.write_str("form wanted"),
        }
    }
}

impl Comparison {
    fn holds<T: PartialOrd>(self, found: T, wanted: T) -> bool {
        match self {
            Self::Less => found < wanted,
            Self::AtMost => found <= wanted,
            Self::Equal => found == wanted,
            Self::AtLeast => found >= wanted,
            Self::Greater => found > wanted,
        }
    }
}

impl Predicate {
    /// Every condition in it.
    pub fn conditions(&self) -> Vec<&Condition> {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().flat_map(Self::conditions).collect(),
            Self::Not(part) => part.conditions(),
            Self::Condition(condition) => vec![condition],
        }
    }

    /// Whether it asks which pages link to a page.
    pub fn asks_for_backlinks(&self) -> bool {
        let asks = |condition: &&Condition| {
            matches!(
                condition,
                Condition::LinkedFrom(_) | Condition::Number(NumberOf::Backlinks, ..)
            )
        };
        self.conditions().iter().any(asks)
    }

    /// A language that it asks for and no page is ever said to be in.
    pub fn unknown_language(&self) -> Option<&str> {
        let conditions = self.conditions().into_iter();
        let mut languages = conditions.filter_map(|condition| match condition {
            Condition::Language(code) => Some(code.as_str()),
            _ => None,
        });
        languages.find(|code| Language::from_code(code).is_none())
    }

    /// Names of the topics it asks for.
    pub fn topics(&self) -> Vec<&str> {
        let conditions = self.conditions().into_iter();
        conditions
            .filter_map(|condition| match condition {
                Condition::Topic(name, ..) | Condition::FormAbout(name) => name.as_deref(),
                _ => None,
            })
            .collect()
    }
}

/// Parts in parentheses where they would else be read otherwise.
fn joined(f: &mut fmt::Formatter<'_>, parts: &[Predicate], word: &str) -> fmt::Result {
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            write!(f, " {word} ")?;
        }
        if matches!(part, Predicate::And(_) | Predicate::Or(_)) {
            write!(f, "({part})")?;
        } else {
            write!(f, "{part}")?;
        }
    }
    Ok(())
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::And(parts) => joined(f, parts, "and"),
            Self::Or(parts) => joined(f, parts, "or"),
            Self::Not(part) if matches!(**part, Self::Condition(_)) => write!(f, "not {part}"),
            Self::Not(part) => write!(f, "not ({part})"),
            Self::Condition(condition) => write!(f, "{condition}"),
        }
    }
}

#[cfg(test)]
mod tests;

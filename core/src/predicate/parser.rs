//! Reads predicates. What is wrong is named with its place, and where a word is
//! nearly another one, that one is suggested.

use std::str::FromStr;

use thiserror::Error;

use super::{
    COMPARISONS, Comparison, Condition, NUMBERS, NumberOf, Pattern, Predicate, TEXTS, TextOf,
    TextTest,
};
use crate::budget::PREDICATE;
use crate::forms::FormKind;
use crate::text::Language;

/// Most regular expressions in one predicate: each may take some hundred kilobytes.
const MOST_REGEXES: usize = 16;
const CONDITIONS: [&str; 12] = [
    "url",
    "host",
    "path",
    "title",
    "text",
    "size",
    "links",
    "linked",
    "backlinks",
    "language",
    "topic",
    "form",
];

/// What is wrong with a predicate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("character {position}: {message}")]
pub struct PredicateError {
    /// Where, in characters from 1.
    pub position: usize,
    /// What.
    pub message: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Number(u64),
    Share(f64),
    Comparison(Comparison),
    Open,
    Close,
}

impl Token {
    fn shown(&self) -> String {
        match self {
            Self::Word(word) => format!("“{word}”"),
            Self::Text(text) => format!("the text “{text}”"),
            Self::Number(number) => number.to_string(),
            Self::Share(number) => number.to_string(),
            Self::Comparison(_) => "a comparison".to_owned(),
            Self::Open => "“(”".to_owned(),
            Self::Close => "“)”".to_owned(),
        }
    }
}

type Parsed<T> = Result<T, PredicateError>;

fn wrong<T>(position: usize, message: impl Into<String>) -> Parsed<T> {
    Err(PredicateError {
        position,
        message: message.into(),
    })
}

/// Tokens with their places.
fn tokens(text: &str) -> Parsed<Vec<(usize, Token)>> {
    let longest = PREDICATE.items;
    if text.chars().nth(longest).is_some() {
        return wrong(longest, format!("longer than {longest} characters"));
    }
    let letters: Vec<char> = text.chars().collect();
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < letters.len() {
        let place = at + 1;
        let letter = letters[at];
        let rest = &letters[at..];
        if letter.is_whitespace() {
            at += 1;
        } else if letter == '(' || letter == ')' {
            tokens.push((
                place,
                if letter == '(' {
                    Token::Open
                } else {
                    Token::Close
                },
            ));
            at += 1;
        } else if letter == '"' {
            let (text, length) = quoted(rest, place)?;
            tokens.push((place, Token::Text(text)));
            at += length;
        } else if letter.is_ascii_digit() {
            let is_in_number = |l: &&char| l.is_ascii_digit() || **l == '.';
            let digits: String = rest.iter().take_while(is_in_number).collect();
            at += digits.len();
            let token = if digits.contains('.') {
                digits.parse().ok().map(Token::Share)
            } else {
                digits.parse().ok().map(Token::Number)
            };
            match token {
                Some(token) => tokens.push((place, token)),
                None => return wrong(place, format!("{digits} is no number, or too large a one")),
            }
        } else if letter.is_alphabetic() {
            let word: String = rest.iter().take_while(|l| l.is_alphanumeric()).collect();
            at += word.chars().count();
            tokens.push((place, Token::Word(word.to_lowercase())));
        } else {
            let start: String = rest.iter().take(2).collect();
            let found = COMPARISONS.iter().find(|row| start.starts_with(row.0));
            let Some((sign, comparison)) = found else {
                return wrong(place, format!("“{letter}” means nothing here"));
            };
            tokens.push((place, Token::Comparison(*comparison)));
            at += sign.len();
        }
    }
    Ok(tokens)
}

/// A text in quotes, with `\"` and `\\` in it, and its length with the quotes.
pub(crate) fn quoted(letters: &[char], place: usize) -> Parsed<(String, usize)> {
    if letters.first() != Some(&'"') {
        return wrong(place, "a text in quotes is wanted here");
    }
    let mut text = String::new();
    let mut at = 1;
    while let Some(&letter) = letters.get(at) {
        match letter {
            '"' => return Ok((text, at + 1)),
            '\\' if matches!(letters.get(at + 1), Some('"' | '\\')) => {
                text.push(letters[at + 1]);
                at += 1;
            }
            other => text.push(other),
        }
        at += 1;
    }
    wrong(place, "this text has no closing quote")
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    end: usize,
}

impl FromStr for Predicate {
    type Err = PredicateError;

    fn from_str(text: &str) -> Parsed<Self> {
        let mut parser = Parser {
            tokens: tokens(text)?,
            at: 0,
            end: text.chars().count() + 1,
        };
        let is_regex =
            |row: &&(usize, Token)| matches!(&row.1, Token::Word(word) if word == "regex");
        if let Some((place, _)) = parser.tokens.iter().filter(is_regex).nth(MOST_REGEXES) {
            return wrong(
                *place,
                format!("more than {MOST_REGEXES} regular expressions"),
            );
        }
        let predicate = parser.either(0)?;
        match parser.next() {
            None => Ok(predicate),
            Some((place, token)) => {
                let shown = token.shown();
                wrong(place, format!("“and” or “or” is wanted before {shown}"))
            }
        }
    }
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|row| &row.1)
    }

    fn next(&mut self) -> Option<(usize, Token)> {
        let row = self.tokens.get(self.at).cloned();
        self.at += usize::from(row.is_some());
        row
    }

    fn place(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |row| row.0)
    }

    fn takes(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(next)) if next == word);
        self.at += usize::from(found);
        found
    }

    fn either(&mut self, depth: usize) -> Parsed<Predicate> {
        let mut parts = vec![self.all(depth)?];
        while self.takes("or") {
            parts.push(self.all(depth)?);
        }
        Ok(single_or(parts, Predicate::Or))
    }

    fn all(&mut self, depth: usize) -> Parsed<Predicate> {
        let mut parts = vec![self.one(depth)?];
        while self.takes("and") {
            parts.push(self.one(depth)?);
        }
        Ok(single_or(parts, Predicate::And))
    }

    fn one(&mut self, depth: usize) -> Parsed<Predicate> {
        let place = self.place();
        let deepest = PREDICATE.depth;
        if depth > deepest {
            return wrong(place, format!("more than {deepest} levels of parentheses"));
        }
        if self.takes("not") {
            return Ok(Predicate::Not(Box::new(self.one(depth + 1)?)));
        }
        match self.next() {
            Some((_, Token::Open)) => {
                let inner = self.either(depth + 1)?;
                match self.next() {
                    Some((_, Token::Close)) => Ok(inner),
                    _ => wrong(place, "this parenthesis is never closed"),
                }
            }
            Some((_, Token::Word(word))) => self.condition(&word, place).map(Predicate::Condition),
            Some((_, token)) => {
                let shown = token.shown();
                wrong(place, format!("a condition is wanted, not {shown}"))
            }
            None => wrong(place, "a condition is wanted here"),
        }
    }

    fn condition(&mut self, word: &str, place: usize) -> Parsed<Condition> {
        if let Some((_, text)) = TEXTS.iter().find(|row| row.0 == word) {
            return self.text_test(*text);
        }
        match word {
            "language" => {
                self.word(&["is"])?;
                let (_, text) = self.text()?;
                let known = Language::from_code(&text).map(|language| language.code().to_owned());
                Ok(Condition::Language(
                    known.unwrap_or_else(|| text.to_lowercase()),
                ))
            }
            "links" if self.takes("to") => self.pattern().map(Condition::LinksTo),
            "linked" => {
                self.word(&["from"])?;
                self.pattern().map(Condition::LinkedFrom)
            }
            "topic" => self.topic(),
            "form" => match self.word(&["is", "about", "wanted"])? {
                "wanted" => Ok(Condition::FormAbout(None)),
                "about" => Ok(Condition::FormAbout(Some(self.text()?.1))),
                _ => self.form_kind(),
            },
            _ => match NUMBERS.iter().find(|row| row.0 == word) {
                Some((_, number)) => self.comparison(*number),
                None => wrong(place, unknown(word, &CONDITIONS)),
            },
        }
    }

    fn form_kind(&mut self) -> Parsed<Condition> {
        let (place, name) = self.text()?;
        match FormKind::named(&name.to_lowercase()) {
            Some(kind) => Ok(Condition::Form(kind)),
            None => wrong(place, unknown(&name, &FormKind::ALL.map(|kind| kind.1))),
        }
    }

    fn text_test(&mut self, text: TextOf) -> Parsed<Condition> {
        let test = self.word(&["has", "is", "glob", "regex"])?;
        let (place, value) = self.text()?;
        let test = match test {
            "has" => TextTest::Has(value),
            "is" => TextTest::Is(value),
            "glob" => match Pattern::glob(&value) {
                Some(pattern) => TextTest::Glob(pattern),
                None => return wrong(place, "this pattern is too long"),
            },
            _ => match Pattern::regex(&value) {
                Some(pattern) => TextTest::Regex(pattern),
                None => return wrong(place, "this is no regular expression, or too large a one"),
            },
        };
        Ok(Condition::Text(text, test))
    }

    fn topic(&mut self) -> Parsed<Condition> {
        let name = match self.peek() {
            Some(Token::Text(_)) => Some(self.text()?.1),
            _ => None,
        };
        let comparison = self.sign()?;
        let place = self.place();
        let share = match self.next() {
            Some((_, Token::Share(share))) => share,
            Some((_, Token::Number(number))) => number as f64,
            _ => return wrong(place, "a number from 0 to 1 is wanted here"),
        };
        if share > 1.0 {
            return wrong(place, "relevance goes from 0 to 1");
        }
        Ok(Condition::Topic(name, comparison, share))
    }

    fn sign(&mut self) -> Parsed<Comparison> {
        let place = self.place();
        match self.next() {
            Some((_, Token::Comparison(comparison))) => Ok(comparison),
            _ => wrong(place, "<, <=, =, >= or > is wanted here"),
        }
    }

    fn comparison(&mut self, number: NumberOf) -> Parsed<Condition> {
        let comparison = self.sign()?;
        let place = self.place();
        match self.next() {
            Some((_, Token::Number(value))) => Ok(Condition::Number(number, comparison, value)),
            _ => wrong(place, "a number is wanted here"),
        }
    }

    fn pattern(&mut self) -> Parsed<Pattern> {
        let (place, text) = self.text()?;
        Pattern::glob(&text).map_or_else(|| wrong(place, "this pattern is too long"), Ok)
    }

    fn text(&mut self) -> Parsed<(usize, String)> {
        let place = self.place();
        match self.next() {
            Some((_, Token::Text(text))) => Ok((place, text)),
            _ => wrong(place, "a text in quotes is wanted here"),
        }
    }

    /// One of these words.
    fn word(&mut self, wanted: &[&'static str]) -> Parsed<&'static str> {
        let place = self.place();
        let list = wanted.join(", ");
        match self.next() {
            Some((_, Token::Word(word))) => {
                let found = wanted.iter().find(|known| **known == word);
                found.map_or_else(|| wrong(place, unknown(&word, wanted)), |known| Ok(*known))
            }
            _ => wrong(place, format!("one of {list} is wanted here")),
        }
    }
}

fn single_or(mut parts: Vec<Predicate>, join: fn(Vec<Predicate>) -> Predicate) -> Predicate {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            join(parts)
        }
        None => join(parts),
    }
}

fn unknown(word: &str, known: &[&str]) -> String {
    let nearest = known.iter().min_by_key(|known| edits(word, known));
    match nearest.filter(|nearest| edits(word, nearest) <= 2) {
        Some(nearest) => format!("“{word}” is unknown; is “{nearest}” meant?"),
        None => format!("“{word}” is unknown; there are {}", known.join(", ")),
    }
}

/// Letters to be added, left out or changed to make one word of the other
/// (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (line, letter) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = line + 1;
        for (column, other) in b.iter().enumerate() {
            let changed = before + usize::from(letter != *other);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

//! What a form looks like, as numbers by name: how many fields of which kind,
//! and the words in its attributes and on its buttons (\[D\] 3.4, methods 2.4).
//!
//! Structure alone leaves one form in seven misjudged; the words of attributes,
//! which programmers choose and people never see, halve that.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::address::cut_words;
use crate::dom::{Field, Form};

/// Kinds of fields that are counted by their own name; others count as text, as
/// browsers treat them.
const KINDS: [&str; 19] = [
    "button", "checkbox", "date", "email", "file", "hidden", "image", "number", "password",
    "radio", "range", "reset", "search", "select", "submit", "tel", "text", "textarea", "url",
];
/// Kinds of fields to write a line in.
const BOXES: [&str; 6] = ["email", "number", "search", "tel", "text", "url"];
/// Letters of an attribute that are read.
const LONGEST_NAMING: usize = 300;
/// Words kept of each place of one form.
const MOST_WORDS: usize = 200;

/// Letters from which on a word of a question is looked for inside words too:
/// `search` in `searchform`.
const LONG_WORD: usize = 4;
/// Where words of attributes stand; `any` is all of them.
const PLACES: [&str; 6] = ["any", "field", "hidden", "button", "form", "action"];

/// A form as numbers, asked for by name:
/// - `count KIND`: fields of a kind; `count seen`: those that are seen, `count
///   boxes`: those to write a line in, `count options`: options of all its lists;
/// - `method post`;
/// - `PLACE WORD`: whether the word stands in a field's, a hidden field's, a
///   button's, the form's own or any of these attributes, or in its action.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FormShape {
    numbers: FxHashMap<String, f32>,
    /// By place, but for `any`.
    words: [BTreeSet<String>; PLACES.len() - 1],
}

impl FormShape {
    /// Reads a form.
    pub fn of(form: &Form) -> Self {
        let mut shape = Self::default();
        if form.method == "post" {
            shape.add("method post", 1.0);
        }
        for field in &form.fields {
            shape.read_field(field);
        }
        shape.note("form", &form.naming);
        let path = form.action.split(['?', '#']).next().unwrap_or_default();
        shape.note("action", path.rsplit("//").next().unwrap_or_default());
        shape
    }

    fn read_field(&mut self, field: &Field) {
        let known = KINDS.iter().find(|kind| **kind == field.kind);
        let kind = known.copied().unwrap_or("text");
        self.add(&format!("count {kind}"), 1.0);
        if kind != "hidden" {
            self.add("count seen", 1.0);
        }
        if BOXES.contains(&kind) {
            self.add("count boxes", 1.0);
        }
        if field.options > 0 {
            self.add("count options", field.options as f32);
        }
        match kind {
            "hidden" => self.note("hidden", &field.naming),
            "submit" | "button" | "image" | "reset" => {
                self.note("button", &field.label);
                self.note("button", &field.naming);
            }
            _ => self.note("field", &field.naming),
        }
    }

    fn add(&mut self, name: &str, by: f32) {
        *self.numbers.entry(name.to_owned()).or_default() += by;
    }

    /// Notes the words of an attribute.
    fn note(&mut self, place: &str, text: &str) {
        let end = text.char_indices().nth(LONGEST_NAMING);
        let mut found = Vec::new();
        cut_words(&text[..end.map_or(text.len(), |row| row.0)], &mut found);
        let place = PLACES.iter().position(|known| *known == place).unwrap_or(1);
        let words = &mut self.words[place - 1];
        let room = MOST_WORDS.saturating_sub(words.len());
        words.extend(found.into_iter().take(room));
    }

    /// A feature's value by its name; 0 for a name that is none.
    pub fn get(&self, name: &str) -> f32 {
        let (place, wanted) = name.split_once(' ').unwrap_or((name, ""));
        let has = |words: &BTreeSet<String>| {
            words.contains(wanted)
                || (wanted.len() >= LONG_WORD && words.iter().any(|word| word.contains(wanted)))
        };
        let held = match PLACES.iter().position(|known| *known == place) {
            Some(0) => self.words.iter().any(has),
            Some(place) => has(&self.words[place - 1]),
            None => return self.numbers.get(name).copied().unwrap_or(0.0),
        };
        f32::from(u8::from(held))
    }

    /// Names of features that are not 0. Words that only stand inside others are
    /// not named.
    pub fn names(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.numbers.keys().cloned().collect();
        for (words, place) in self.words.iter().zip(&PLACES[1..]) {
            for word in words {
                names.insert(format!("{place} {word}"));
                names.insert(format!("any {word}"));
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::LeafRange;

    #[test]
    fn fields_are_counted_and_attributes_read() {
        let field = |kind: &str, naming: &str, label: &str, options| Field {
            kind: kind.to_owned(),
            naming: naming.to_owned(),
            label: label.to_owned(),
            options,
        };
        let form = Form {
            action: "https://a.test/cgi/doSearch.php?x=hidden".to_owned(),
            method: "post".to_owned(),
            naming: "mainForm".to_owned(),
            fields: vec![
                field("search", "q Your words", "", 0),
                field("color", "tint", "", 0),
                field("select", "section", "", 7),
                field("submit", "go", "Find it", 0),
            ],
            leaves: LeafRange { first: 0, end: 0 },
        };
        let shape = FormShape::of(&form);
        let names: Vec<String> = shape.names().into_iter().collect();
        let names: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| !name.starts_with("any "))
            .collect();
        assert_eq!(
            names,
            [
                "action a",
                "action cgi",
                "action do",
                "action php",
                "action search",
                "action test",
                "button find",
                "button go",
                "button it",
                "count boxes",
                "count options",
                "count search",
                "count seen",
                "count select",
                "count submit",
                "count text",
                "field q",
                "field section",
                "field tint",
                "field words",
                "field your",
                "form form",
                "form main",
                "method post",
            ]
        );
        let asked = [
            "count options",
            "field tion",
            "any tion",
            "field doing",
            "any go",
        ];
        let values = asked.map(|name| shape.get(name));
        assert_eq!(values, [7.0, 1.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn a_monstrous_form_stays_small() {
        let field = Field {
            naming: "word ".repeat(100_000),
            ..Field::default()
        };
        let many = (0..200).map(|n| Field {
            naming: (0..50).map(|m| format!("w{n}x{m} ")).collect(),
            ..field.clone()
        });
        let form = Form {
            action: "//".repeat(100_000),
            method: "get".to_owned(),
            naming: String::new(),
            fields: many.collect(),
            leaves: LeafRange { first: 0, end: 0 },
        };
        assert!(FormShape::of(&form).names().len() <= 10 * MOST_WORDS);
    }
}

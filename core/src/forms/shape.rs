//! What a form looks like, as numbers by name: how many fields of which kind,
//! and the words in its attributes and on its buttons ([D] 3.4, METHODS 1.4).
//!
//! Structure alone leaves one form in seven misjudged; the words of attributes,
//! which programmers choose and people never see, halve that.

use rustc_hash::FxHashMap;

use crate::address::cut_words;
use crate::dom::{Field, Form};

/// Kinds of fields that are counted by their own name; others count as text, as
/// browsers treat them.
const KINDS: [&str; 19] = [
    "button", "checkbox", "date", "email", "file", "hidden", "image", "number", "password",
    "radio", "range", "reset", "search", "select", "submit", "tel", "text", "textarea", "url",
];
/// Letters of an attribute that are read.
const LONGEST_NAMING: usize = 300;
/// Words of attributes kept of one form.
const MOST_WORDS: usize = 500;

/// A form's features by name; what is not named is 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FormShape(FxHashMap<String, f32>);

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
        shape.mark("form", &form.naming);
        let path = form.action.split(['?', '#']).next().unwrap_or_default();
        shape.mark("action", path.rsplit("//").next().unwrap_or_default());
        shape
    }

    fn read_field(&mut self, field: &Field) {
        let known = KINDS.iter().find(|kind| **kind == field.kind);
        let kind = known.copied().unwrap_or("text");
        self.add(&format!("count {kind}"), 1.0);
        if kind != "hidden" {
            self.add("count seen", 1.0);
        }
        if field.options > 0 {
            self.add("count options", field.options as f32);
        }
        match kind {
            "hidden" => self.mark("hidden", &field.naming),
            "submit" | "button" | "image" | "reset" => {
                self.mark("button", &field.label);
                self.mark("button", &field.naming);
            }
            _ => self.mark("field", &field.naming),
        }
    }

    /// Notes the words of an attribute.
    fn mark(&mut self, place: &str, text: &str) {
        let end = text.char_indices().nth(LONGEST_NAMING);
        let mut words = Vec::new();
        cut_words(&text[..end.map_or(text.len(), |row| row.0)], &mut words);
        for word in words {
            if self.0.len() < MOST_WORDS {
                self.0.insert(format!("{place} {word}"), 1.0);
            }
        }
    }

    fn add(&mut self, name: &str, by: f32) {
        *self.0.entry(name.to_owned()).or_default() += by;
    }

    /// A feature's value.
    pub fn get(&self, name: &str) -> f32 {
        self.0.get(name).copied().unwrap_or(0.0)
    }

    /// The features that are not 0, ordered by name.
    pub fn rows(&self) -> Vec<(&str, f32)> {
        let rows = self.0.iter().map(|(name, value)| (name.as_str(), *value));
        let mut rows: Vec<(&str, f32)> = rows.collect();
        rows.sort_unstable_by_key(|row| row.0);
        rows
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
        let names: Vec<&str> = shape.rows().iter().map(|row| row.0).collect();
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
        assert_eq!(
            (shape.get("count options"), shape.get("field x")),
            (7.0, 0.0)
        );
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
        assert!(FormShape::of(&form).rows().len() <= MOST_WORDS + KINDS.len() + 3);
    }
}

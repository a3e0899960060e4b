//! Notes in Markdown, a file a page, as programs for notes read them: front matter in YAML, then
//! the text. All files are in one archive (tar).

use std::collections::HashMap;
use std::io;

use super::{About, Entry, Out, Takeout, Taking, one_line};

/// Characters of a file's name.
const LONGEST_NAME: usize = 80;

struct Notes {
    files: tar::Builder<Out>,
    /// How often each was met, in lower case.
    names: HashMap<String, usize>,
}

pub(super) fn begin(out: Out, _: &About<'_>) -> Taking {
    Box::new(Notes {
        files: tar::Builder::new(out),
        names: HashMap::new(),
    })
}

impl Takeout for Notes {
    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let name = self.name_of(entry);
        let text = note(entry);
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        self.files.append_data(&mut header, name, text.as_bytes())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.files.finish()?;
        self.files.get_mut().flush()
    }
}

impl Notes {
    /// A name for a page's file that no other has.
    fn name_of(&mut self, entry: &Entry) -> String {
        let letters = one_line(&entry.title)
            .chars()
            .map(|letter| {
                if letter.is_alphanumeric() {
                    letter
                } else {
                    ' '
                }
            })
            .collect::<String>();
        let words: String = letters.split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = words.chars().take(LONGEST_NAME).collect();
        let plain = if short.trim().is_empty() {
            "page"
        } else {
            short.trim()
        };
        let met = self.names.entry(plain.to_lowercase()).or_default();
        *met += 1;
        if *met == 1 {
            format!("{plain}.md")
        } else {
            // A title that ends in a number is no other's second note.
            format!("{plain} ({met}).md")
        }
    }
}

/// A page as a note.
pub(super) fn note(entry: &Entry) -> String {
    let mut text = String::from("---\n");
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("{name}: {}\n", quoted(value)));
        }
    };
    field("title", &entry.title);
    field("url", &entry.address);
    field("site", &entry.site);
    field("language", &entry.language);
    field("topic", &entry.topic);
    field("author", &entry.citation.authors.join("; "));
    field("date", &entry.citation.date);
    field("read", &entry.read);
    text.push_str(&format!("probability: {:.3}\n", entry.probability));
    match entry.mark {
        Some(true) => text.push_str("mark: target\n"),
        Some(false) => text.push_str("mark: not\n"),
        None => {}
    }
    if !entry.tags.is_empty() {
        let tags: Vec<String> = entry.tags.iter().map(|tag| quoted(tag)).collect();
        text.push_str(&format!("tags: [{}]\n", tags.join(", ")));
    }
    text.push_str("---\n\n");
    text.push_str(&format!("# {}\n", plain(&entry.title)));
    for (line, place) in entry.note.lines().zip(0..) {
        text.push_str(if place == 0 { "\n> " } else { "> " });
        text.push_str(&format!("{}\n", plain(line)));
    }
    for passage in &entry.text {
        text.push_str(&format!("\n{}\n", plain(passage)));
    }
    text
}

/// A string of YAML, which reads JSON's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(one_line(text)).to_string()
}

/// A text that is nothing but text in Markdown.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for (place, sign) in one_line(text).chars().enumerate() {
        let begins_block =
            place == 0 && matches!(sign, '#' | '-' | '+' | '>' | '=' | '~' | '|' | ':');
        if begins_block || matches!(sign, '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '$') {
            plain.push('\\');
        }
        match sign {
            '<' => plain.push_str("&lt;"),
            '&' => plain.push_str("&amp;"),
            sign => plain.push(sign),
        }
    }
    // A number with a point begins a list.
    let digits = plain.chars().take_while(char::is_ascii_digit).count();
    if digits > 0 && plain[digits..].starts_with(['.', ')']) {
        plain.insert(digits, '\\');
    }
    plain
}

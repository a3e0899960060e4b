//! Notes in Markdown, a file a page, as programs for notes read them: front matter in YAML, then
//! the text. All files are in one archive (tar).

use std::collections::HashMap;
use std::io;

use super::{About, AnyExport, Entry, Export, Out, one_line};

/// Characters and bytes of a file's name: file systems take 255 bytes.
const LONGEST_NAME: usize = 80;
const LONGEST_NAME_BYTES: usize = 200;

struct Notes {
    files: tar::Builder<Out>,
    /// How often each was met, in lower case.
    names: HashMap<String, usize>,
}

pub(super) fn begin(out: Out, _: &About<'_>) -> AnyExport {
    Box::new(Notes {
        files: tar::Builder::new(out),
        names: HashMap::new(),
    })
}

impl Export for Notes {
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
    /// A name for a page's file that no other has, and that every system takes.
    fn name_of(&mut self, entry: &Entry) -> String {
        let plain = file_name(&entry.title);
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

/// The words of a title as the name of a file, without its ending.
fn file_name(title: &str) -> String {
    let letters = one_line(title);
    let letters = letters.chars().map(|letter| {
        if letter.is_alphanumeric() {
            letter
        } else {
            ' '
        }
    });
    let letters: String = letters.collect();
    let words = letters.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(LONGEST_NAME).collect();
    let short = short[..short.floor_char_boundary(LONGEST_NAME_BYTES)].trim();
    if short.is_empty() {
        "page".to_owned()
    } else if is_device(short) {
        format!("page {short}")
    } else {
        short.to_owned()
    }
}

/// Whether Windows takes a name for a device, whatever its ending.
fn is_device(name: &str) -> bool {
    let name = name.to_uppercase();
    let numbered = |device: &str| {
        let number = name.strip_prefix(device);
        number.is_some_and(|number| {
            let mut digits = number.chars();
            let is_digit = |digit: char| digit.is_ascii_digit() || "¹²³".contains(digit);
            digits.next().is_some_and(is_digit) && digits.next().is_none()
        })
    };
    let devices = ["CON", "PRN", "AUX", "NUL", "CLOCK", "CONIN", "CONOUT"];
    devices.contains(&&*name) || numbered("COM") || numbered("LPT")
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

/// A string of YAML, which reads JSON's. Programs for notes look for links in it, and add-ons for code of
/// templates: their signs are parted.
fn quoted(text: &str) -> String {
    let mut text = one_line(text);
    for (signs, parted) in [
        ("[[", "[ ["),
        ("]]", "] ]"),
        ("<%", "< %"),
        ("%>", "% >"),
        ("{{", "{ {"),
        ("}}", "} }"),
    ] {
        text = text.replace(signs, parted);
    }
    serde_json::Value::from(text).to_string()
}

/// A text that is nothing but text in Markdown, and in what Obsidian and Logseq add to it: tags,
/// properties, comments, highlights, names of blocks, queries.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let text = one_line(text);
    let mut signs = text.chars().peekable();
    let mut before = None;
    while let Some(sign) = signs.next() {
        let next = signs.peek().copied();
        let is_doubled = next == Some(sign) || before == Some(sign);
        let is_first = before.is_none();
        let begins_block = is_first
            && matches!(
                sign,
                '#' | '-' | '+' | '>' | '=' | '~' | '|' | ':' | '%' | '^'
            );
        let is_active = match sign {
            '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '$' => true,
            // Of a property, a comment, a highlight, a query, a reference to a block.
            ':' | '%' | '=' | '~' | '{' | '}' | '(' | ')' => is_doubled,
            // Of a tag, of a block's name.
            '#' | '^' => next.is_some_and(|next| !next.is_whitespace()),
            _ => false,
        };
        before = Some(sign);
        match sign {
            '<' => plain.push_str("&lt;"),
            '&' => plain.push_str("&amp;"),
            // No program looks for these behind the name of a sign; behind a backslash some do.
            '#' if is_active => plain.push_str("&num;"),
            '^' if is_active => plain.push_str("&Hat;"),
            '%' if is_active => plain.push_str("&percnt;"),
            ':' if is_active => plain.push_str("&colon;"),
            sign => {
                if begins_block || is_active {
                    plain.push('\\');
                }
                plain.push(sign);
            }
        }
    }
    // A number with a point begins a list.
    let digits = plain.chars().take_while(char::is_ascii_digit).count();
    if digits > 0 && plain[digits..].starts_with(['.', ')']) {
        plain.insert(digits, '\\');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_has_a_name_that_every_system_takes() {
        for title in [
            "CON",
            "con",
            "Prn",
            "aux.",
            "NUL ",
            "COM1",
            "com9",
            "lpt0",
            "COM¹",
            "LPT³",
            "CONIN$",
            "conout$",
            "Clock$",
            "NUL\u{200b}",
        ] {
            let name = file_name(title);
            assert!(name.starts_with("page "), "{title}: {name}");
        }
        assert_eq!(file_name("Console"), "Console");
        assert_eq!(file_name("COM10"), "COM10");
        assert_eq!(file_name("a. . "), "a");
        assert_eq!(file_name("../..\\a:b"), "a b");
        assert_eq!(file_name(" . "), "page");
        assert!(file_name(&"𠀀".repeat(100)).len() <= LONGEST_NAME_BYTES);
    }

    #[test]
    fn what_programs_for_notes_would_act_on_is_text() {
        for (text, active) in [
            ("key:: value", "::"),
            ("a key:: value", "::"),
            ("[k:: v]", "::"),
            ("a #tag", "#tag"),
            ("#tag", "#tag"),
            ("%%hidden%%", "%%"),
            ("==light==", "=="),
            ("~~struck~~", "~~"),
            ("the end ^block", "^block"),
            ("{{query (and [[a]])}}", "{{"),
            ("((62f5d2b8))", "(("),
            ("[[a page]]", "[["),
            ("![[a page]]", "[["),
            ("<% code %>", "<%"),
        ] {
            let plain = plain(text);
            // A backslash before each sign of it parts them.
            assert!(!plain.contains(active), "{text}: {plain}");
        }
        assert_eq!(
            plain("C# guide: 5 % off (a = b)"),
            "C# guide: 5 % off (a = b)"
        );
        assert_eq!(quoted("[[a]]"), "\"[ [a] ]\"");
        assert_eq!(
            quoted("<% code %> {{query}}"),
            "\"< % code % > { {query} }\""
        );
    }
}

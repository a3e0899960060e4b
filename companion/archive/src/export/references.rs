//! References for those who cite: RIS, BibTeX, CSL JSON.

use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::{About, AnyExport, Entry, Export, Out, one_line};
use crate::citation::Date;

struct Ris(Out);

pub(super) fn ris(out: Out, _: &About<'_>) -> AnyExport {
    Box::new(Ris(out))
}

impl Export for Ris {
    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let cited = &entry.citation;
        let mut line = |tag: &str, value: &str| {
            let value = one_line(value);
            if value.is_empty() && tag != "ER" {
                return Ok(());
            }
            write!(self.0, "{tag}  - {value}\r\n")
        };
        line(
            "TY",
            if cited.journal.is_empty() {
                "ELEC"
            } else {
                "JOUR"
            },
        )?;
        line("TI", &entry.title)?;
        for author in &cited.authors {
            line("AU", author)?;
        }
        if let Some(date) = Date::read(&cited.date) {
            line("PY", &date.year.to_string())?;
            line("DA", &date.with_slashes())?;
        }
        line(
            "T2",
            if cited.journal.is_empty() {
                &cited.site
            } else {
                &cited.journal
            },
        )?;
        line("PB", &cited.publisher)?;
        line("DO", &cited.doi)?;
        line("UR", &entry.address)?;
        line(
            "Y2",
            &entry.read.get(..10).unwrap_or_default().replace('-', "/"),
        )?;
        line("LA", &entry.language)?;
        line(
            "AB",
            if cited.description.is_empty() {
                &entry.snippet
            } else {
                &cited.description
            },
        )?;
        line("KW", &entry.topic)?;
        for tag in &entry.tags {
            line("KW", tag)?;
        }
        line("N1", &entry.note)?;
        line("ER", "")
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

struct Bibtex {
    out: Out,
    /// How often each was met.
    keys: HashMap<String, usize>,
}

pub(super) fn bibtex(out: Out, _: &About<'_>) -> AnyExport {
    let keys = HashMap::new();
    Box::new(Bibtex { out, keys })
}

impl Export for Bibtex {
    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let cited = &entry.citation;
        let kind = if cited.journal.is_empty() {
            "online"
        } else {
            "article"
        };
        let key = self.key_of(entry);
        write!(
            self.out,
            "@{kind}{{{key},\n  title = {{{}}}",
            tex(&entry.title)
        )?;
        let authors: Vec<String> = cited
            .authors
            .iter()
            .map(|name| format!("{{{}}}", tex(name)))
            .collect();
        let date = Date::read(&cited.date).map(Date::with_dashes);
        let fields = [
            ("author", authors.join(" and ")),
            ("date", date.unwrap_or_default()),
            ("journaltitle", tex(&cited.journal)),
            ("organization", tex(&cited.site)),
            ("publisher", tex(&cited.publisher)),
            ("doi", tex(&cited.doi)),
            ("url", address(&entry.address)),
            (
                "urldate",
                entry.read.get(..10).unwrap_or_default().to_owned(),
            ),
            ("abstract", tex(&cited.description)),
            ("keywords", tex(&entry.topic)),
        ];
        for (name, value) in fields.iter().filter(|field| !field.1.is_empty()) {
            write!(self.out, ",\n  {name} = {{{value}}}")?;
        }
        write!(self.out, "\n}}\n\n")
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Bibtex {
    /// Who wrote it, when, and its first word; with a letter more where that is taken.
    fn key_of(&mut self, entry: &Entry) -> String {
        let ascii = |text: &str| -> String {
            let letters = text.chars().filter(char::is_ascii_alphanumeric);
            letters.take(20).collect::<String>().to_lowercase()
        };
        let by = entry
            .citation
            .authors
            .first()
            .map_or(&*entry.site, |author| {
                author.split([',', ' ']).next().unwrap_or_default()
            });
        let year =
            Date::read(&entry.citation.date).map_or(String::new(), |date| date.year.to_string());
        let title = entry.title.split_whitespace().map(ascii);
        let word = title
            .into_iter()
            .find(|word| word.len() > 3)
            .unwrap_or_default();
        let plain = format!("{}{year}{word}", ascii(by));
        let plain = if plain.is_empty() {
            "page".to_owned()
        } else {
            plain
        };
        let met = self.keys.entry(plain.clone()).or_default();
        *met += 1;
        if *met == 1 {
            plain
        } else {
            format!("{plain}-{met}")
        }
    }
}

/// A text that is nothing but text in TeX.
fn tex(text: &str) -> String {
    let mut plain = String::new();
    for sign in one_line(text).chars() {
        match sign {
            // Braces are counted whatever stands before them.
            '{' => plain.push_str("\\textbraceleft "),
            '}' => plain.push_str("\\textbraceright "),
            '\\' => plain.push_str("\\textbackslash "),
            '~' => plain.push_str("\\textasciitilde "),
            '^' => plain.push_str("\\textasciicircum "),
            '&' | '%' | '$' | '#' | '_' => {
                plain.push('\\');
                plain.push(sign);
            }
            sign => plain.push(sign),
        }
    }
    plain
}

/// An address without what ends a field.
fn address(text: &str) -> String {
    one_line(text)
        .replace('{', "%7B")
        .replace('}', "%7D")
        .replace('\\', "%5C")
}

struct Csl {
    out: Out,
    count: usize,
}

pub(super) fn csl(out: Out, _: &About<'_>) -> AnyExport {
    Box::new(Csl { out, count: 0 })
}

impl Export for Csl {
    fn begin(&mut self) -> io::Result<()> {
        write!(self.out, "[")
    }

    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        self.count += 1;
        let comma = if self.count == 1 { "\n" } else { ",\n" };
        write!(self.out, "{comma}{}", csl_item(entry, self.count))
    }

    fn finish(&mut self) -> io::Result<()> {
        writeln!(self.out, "\n]")?;
        self.out.flush()
    }
}

fn csl_item(entry: &Entry, number: usize) -> Value {
    let cited = &entry.citation;
    let is_article = !cited.journal.is_empty();
    let mut item = json!({
        "id": format!("linkscent-{number}"),
        "type": if is_article { "article-journal" } else { "webpage" },
        "title": one_line(&entry.title),
        "URL": one_line(&entry.address),
        "language": entry.language,
        "keyword": one_line(&entry.topic),
    });
    let mut put = |name: &str, value: Value| item[name] = value;
    if let Some(read) = Date::read(&entry.read) {
        put("accessed", json!({ "date-parts": [read.parts()] }));
    }
    if let Some(date) = Date::read(&cited.date) {
        put("issued", json!({ "date-parts": [date.parts()] }));
    }
    if !cited.authors.is_empty() {
        let authors = cited.authors.iter().map(|name| author(name));
        put("author", authors.collect());
    }
    let container = if is_article {
        &cited.journal
    } else {
        &cited.site
    };
    let texts = [
        ("container-title", container),
        ("publisher", &cited.publisher),
        ("DOI", &cited.doi),
        ("abstract", &cited.description),
    ];
    for (name, text) in texts {
        if !text.is_empty() {
            put(name, one_line(text).into());
        }
    }
    item
}

/// A name in its parts, where it is written so.
fn author(name: &str) -> Value {
    let name = one_line(name);
    match name.split_once(',') {
        Some((family, given)) => json!({ "family": family.trim(), "given": given.trim() }),
        None => json!({ "literal": name }),
    }
}

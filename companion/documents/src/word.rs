//! Text of Word (Office Open XML, ISO 29500): headings by their styles, paragraphs (also those
//! of tables and text boxes), foot and end notes behind the text, links.
//!
//! Left out: headers and footers, comments, what was deleted under review, pictures, charts.

use std::collections::HashMap;
use std::sync::Arc;

use crate::html::{Page, Piece};
use crate::package::{Package, Relations};
use crate::xml::{Part, Xml, ended};
use crate::{DocumentError, Kind};

/// Levels of headings by the names of styles.
type Styles = HashMap<String, usize>;

pub(crate) fn to_html(body: &[u8]) -> Result<String, DocumentError> {
    let mut package = Package::open(Kind::Word, body)?;
    let mut page = Page::default();
    package.properties("docProps/core.xml", &mut page)?;
    let main = package.main("word/document.xml")?;
    let text = package.needed(&main)?;
    let relations = package.relations(&main)?;
    let of = |what: &str| {
        let mut found = relations
            .values()
            .filter(|one| one.what == what && !one.is_external);
        found.next().map(|one| one.target.clone())
    };
    let styles = match of("styles") {
        Some(name) => styles(&package.file(&name)?.unwrap_or_default()),
        None => Styles::new(),
    };
    let mut read = Reader::new(&relations, &styles).read(&text, &mut page);
    for name in [of("footnotes"), of("endnotes")].into_iter().flatten() {
        let text = package.file(&name)?.unwrap_or_default();
        let relations = package.relations(&name)?;
        read = read.and_then(|()| Reader::new(&relations, &styles).read(&text, &mut page));
    }
    ended(Kind::Word, page, read)
}

/// The styles of headings: those that are named so in every language, or have a level.
fn styles(text: &str) -> Styles {
    let mut styles = Styles::new();
    let mut xml = Xml::new(text);
    let mut style = String::new();
    while let Ok(Some(part)) = xml.next() {
        let Part::Open(element) = part else {
            continue;
        };
        let value = element.attribute("val").unwrap_or_default();
        let level = match &*element.name {
            "style" => {
                element
                    .attribute("styleId")
                    .unwrap_or_default()
                    .clone_into(&mut style);
                None
            }
            "name" => heading_named(value),
            "outlineLvl" => value.parse::<usize>().ok().filter(|level| *level < 9),
            _ => None,
        };
        if let Some(level) = level {
            styles.entry(style.clone()).or_insert(level);
        }
    }
    styles
}

/// The level, from 0, of a style by its name.
fn heading_named(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    if name == "title" {
        return Some(0);
    }
    let level = name.strip_prefix("heading")?.trim().parse::<usize>().ok()?;
    level.checked_sub(1).filter(|level| *level < 9)
}

/// A paragraph that is being read; text boxes stand in others.
#[derive(Default)]
struct Paragraph {
    pieces: Vec<Piece>,
    /// The level of a heading, from 0.
    level: Option<usize>,
}

struct Reader<'a> {
    relations: &'a Relations,
    styles: &'a Styles,
    paragraphs: Vec<Paragraph>,
    /// Where the text leads that is read.
    link: Option<Arc<str>>,
    /// Where the text of a field leads that has begun, and whether its text was reached.
    field: Option<Arc<str>>,
}

impl<'a> Reader<'a> {
    fn new(relations: &'a Relations, styles: &'a Styles) -> Self {
        Self {
            relations,
            styles,
            paragraphs: Vec::new(),
            link: None,
            field: None,
        }
    }

    fn read(mut self, text: &str, page: &mut Page) -> Result<(), String> {
        let mut xml = Xml::new(text);
        let mut open: Vec<String> = Vec::new();
        while let Some(part) = xml.next()? {
            match part {
                Part::Open(element) => {
                    let value = element.attribute("val").unwrap_or_default();
                    match &*element.name {
                        // The same again for old programs, and what was moved elsewhere.
                        "Fallback" | "moveFrom" => {
                            xml.text()?;
                            continue;
                        }
                        "t" => {
                            let words = xml.text()?;
                            self.push(&words);
                            continue;
                        }
                        "instrText" => {
                            let code = xml.text()?;
                            self.field = led_to(&code).or(self.field.take());
                            continue;
                        }
                        "p" => self.paragraphs.push(Paragraph::default()),
                        "pStyle" => self.level(self.styles.get(value).copied()),
                        "outlineLvl" => self.level(value.parse().ok().filter(|level| *level < 9)),
                        "hyperlink" => {
                            let relation = element.attribute("id");
                            let relation = relation.and_then(|id| self.relations.get(id));
                            let external = relation.filter(|relation| relation.is_external);
                            self.link = external.map(|relation| relation.target.clone());
                        }
                        "fldSimple" => {
                            self.link = led_to(element.attribute("instr").unwrap_or_default());
                        }
                        "fldChar" => match element.attribute("fldCharType") {
                            Some("separate") => self.link = self.field.take(),
                            Some("end") => (self.link, self.field) = (None, None),
                            _ => {}
                        },
                        "noBreakHyphen" => self.push("-"),
                        // Inside of properties, tabs are where they stop.
                        "tab" | "br" | "cr" if open.last().is_some_and(|name| name == "r") => {
                            self.push(" ");
                        }
                        _ => {}
                    }
                    open.push(element.name);
                }
                Part::Close => match open.pop().as_deref() {
                    Some("p") => self.write(page),
                    Some("hyperlink" | "fldSimple") => self.link = None,
                    _ => {}
                },
                Part::Text(_) => {}
            }
            if page.is_full() {
                break;
            }
        }
        Ok(())
    }

    fn level(&mut self, level: Option<usize>) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.level = level.or(paragraph.level);
        }
    }

    fn push(&mut self, words: &str) {
        let Some(paragraph) = self.paragraphs.last_mut() else {
            return;
        };
        match paragraph.pieces.last_mut() {
            Some(piece) if piece.link == self.link => piece.words.push_str(words),
            _ => paragraph.pieces.push(Piece {
                words: words.to_owned(),
                link: self.link.clone(),
            }),
        }
    }

    fn write(&mut self, page: &mut Page) {
        let Some(paragraph) = self.paragraphs.pop() else {
            return;
        };
        match paragraph.level {
            Some(level) => page.heading(level + 1, &paragraph.pieces),
            None => page.paragraph(&paragraph.pieces),
        }
    }
}

/// The address in the code of a field: `HYPERLINK "http://..."`. Links to places in the document
/// have a switch before it.
fn led_to(code: &str) -> Option<Arc<str>> {
    let rest = code.trim().strip_prefix("HYPERLINK")?.trim_start();
    let address = rest.strip_prefix('"')?.split('"').next()?;
    Some(address.into())
}

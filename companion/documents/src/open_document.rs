//! Texts and slides of `OpenDocument` (ISO 26300): headings by their levels, titles of slides as
//! headings, paragraphs (also those of tables, frames and notes), links.
//!
//! Left out: headers and footers, comments, changes under review, notes of the speaker, pictures.

use std::sync::Arc;

use crate::html::{Page, Piece};
use crate::package::Package;
use crate::xml::{Element, Part, Xml, ended};
use crate::{DocumentError, Kind};

/// Elements that are no text of the document.
const UNREAD: [&str; 7] = [
    "annotation",
    "tracked-changes",
    "note-citation",
    "notes",
    "forms",
    "sequence-decls",
    "ruby-text",
];

pub(crate) fn to_html(body: &[u8]) -> Result<String, DocumentError> {
    let mut package = Package::open(Kind::OpenDocument, body)?;
    let manifest = package.file("META-INF/manifest.xml")?;
    if manifest.is_some_and(|manifest| manifest.contains("encryption-data")) {
        return Err(DocumentError::Locked(Kind::OpenDocument));
    }
    let mut page = Page::default();
    package.properties("meta.xml", &mut page)?;
    let text = package.needed("content.xml")?;
    let read = Reader::default().read(&text, &mut page);
    ended(Kind::OpenDocument, page, read)
}

/// A paragraph that is being read; notes and frames stand in others.
struct Paragraph {
    pieces: Vec<Piece>,
    level: Option<usize>,
}

#[derive(Default)]
struct Reader {
    paragraphs: Vec<Paragraph>,
    link: Option<Arc<str>>,
    /// Frames that are open, and whether each is a slide's title.
    frames: Vec<bool>,
}

impl Reader {
    fn read(mut self, text: &str, page: &mut Page) -> Result<(), String> {
        let mut xml = Xml::new(text);
        let mut open: Vec<String> = Vec::new();
        while let Some(part) = xml.next()? {
            match part {
                Part::Open(element) if UNREAD.contains(&&*element.name) => {
                    xml.text()?;
                }
                Part::Open(element) => {
                    self.enter(&element);
                    open.push(element.name);
                }
                Part::Close => match open.pop().as_deref() {
                    Some("p" | "h") => self.write(page),
                    Some("a") => self.link = None,
                    Some("frame") => {
                        self.frames.pop();
                    }
                    _ => {}
                },
                Part::Text(words) => self.push(&words),
            }
            if page.is_full() {
                break;
            }
        }
        Ok(())
    }

    fn enter(&mut self, element: &Element) {
        match &*element.name {
            "p" | "h" => {
                let level = element.attribute("outline-level");
                let level = level.and_then(|level| level.parse().ok());
                let level = match &*element.name {
                    "h" => level.or(Some(1)),
                    _ => self.frames.last().filter(|is_title| **is_title).map(|_| 2),
                };
                let pieces = Vec::new();
                self.paragraphs.push(Paragraph { pieces, level });
            }
            "a" => self.link = element.attribute("href").map(Arc::from),
            "frame" => {
                let class = element.qualified("presentation:class");
                self.frames.push(class == Some("title"));
            }
            "s" | "tab" | "line-break" => self.push(" "),
            _ => {}
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
            Some(level) => page.heading(level, &paragraph.pieces),
            None => page.paragraph(&paragraph.pieces),
        }
    }
}

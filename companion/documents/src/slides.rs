//! Slides of `PowerPoint` (Office Open XML), in their order: titles as headings, other text as
//! paragraphs, links.
//!
//! Left out: notes of the speaker, masters and layouts, comments, charts and diagrams.

use crate::html::{Page, Piece};
use crate::package::{Package, Relations};
use crate::xml::{Part, Xml, ended};
use crate::{DocumentError, Kind};

/// Slides that are read.
const MOST_SLIDES: usize = 2_000;

pub(crate) fn to_html(body: &[u8]) -> Result<String, DocumentError> {
    let mut package = Package::open(Kind::Slides, body)?;
    let mut page = Page::default();
    package.properties("docProps/core.xml", &mut page)?;
    let main = package.main("ppt/presentation.xml")?;
    let text = package.needed(&main)?;
    let relations = package.relations(&main)?;
    let (order, mut read) = order(&text);
    for id in order {
        let Some(slide) = relations.get(&id).filter(|slide| !slide.is_external) else {
            continue;
        };
        let Some(text) = package.file(&slide.target)? else {
            continue;
        };
        let relations = package.relations(&slide.target)?;
        read = read.and_then(|()| slide_to_page(&text, &relations, &mut page));
    }
    ended(Kind::Slides, page, read)
}

/// The slides by the names the presentation has for them, and whether all could be read.
fn order(text: &str) -> (Vec<String>, Result<(), String>) {
    let mut xml = Xml::new(text);
    let mut order = Vec::new();
    loop {
        match xml.next() {
            Ok(Some(Part::Open(element))) if element.name == "sldId" => {
                if order.len() == MOST_SLIDES {
                    return (order, Err(format!("it has more than {MOST_SLIDES} slides")));
                }
                order.extend(element.qualified("r:id").map(str::to_owned));
            }
            Ok(Some(_)) => {}
            Ok(None) => return (order, Ok(())),
            Err(problem) => return (order, Err(problem)),
        }
    }
}

fn slide_to_page(text: &str, relations: &Relations, page: &mut Page) -> Result<(), String> {
    let mut xml = Xml::new(text);
    let mut open: Vec<String> = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let (mut is_title, mut link) = (false, None);
    while let Some(part) = xml.next()? {
        match part {
            Part::Open(element) => {
                match &*element.name {
                    "Fallback" => {
                        xml.text()?;
                        continue;
                    }
                    "t" => {
                        let (words, link) = (xml.text()?, link.clone());
                        pieces.push(Piece { words, link });
                        continue;
                    }
                    "ph" => {
                        is_title = matches!(element.attribute("type"), Some("title" | "ctrTitle"));
                    }
                    "sp" => is_title = false,
                    "r" => link = None,
                    "hlinkClick" => {
                        let relation = element.qualified("r:id").and_then(|id| relations.get(id));
                        let external = relation.filter(|relation| relation.is_external);
                        link = external.map(|relation| relation.target.clone());
                    }
                    "br" => pieces.push(Piece::text(" ")),
                    _ => {}
                }
                open.push(element.name);
            }
            Part::Close => match open.pop().as_deref() {
                Some("p") if is_title => page.heading(2, &std::mem::take(&mut pieces)),
                Some("p") => page.paragraph(&std::mem::take(&mut pieces)),
                Some("r") => link = None,
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

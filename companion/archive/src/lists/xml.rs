//! Outlines, feeds and sitemaps.

use std::borrow::Cow;

use linkscent_core::budget::LIST;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::pages::LONGEST;
use super::{ListError, Pages};

/// Attributes of one element that are looked at.
const MOST_ATTRIBUTES: usize = 100;

/// An element, as far as lists are about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Outline,
    Link,
    Loc,
    Item,
    Url,
    Other,
}

impl Element {
    fn of(name: &str) -> Self {
        let names = [
            ("outline", Self::Outline),
            ("link", Self::Link),
            ("loc", Self::Loc),
            ("item", Self::Item),
            ("url", Self::Url),
        ];
        let found = names
            .into_iter()
            .find(|(one, _)| name.eq_ignore_ascii_case(one));
        found.map_or(Self::Other, |(_, element)| element)
    }
}

/// Adds the pages of an outline, a feed or a sitemap to those found.
pub(super) fn read(text: &str, pages: &mut Pages) -> Result<(), ListError> {
    let mut reader = Reader::from_str(text);
    // The elements around, and what the innermost says.
    let mut open: Vec<Element> = Vec::new();
    let mut said = String::new();
    loop {
        let event = reader.read_event().map_err(|error| ListError::Broken {
            place: format!("at byte {}", reader.error_position()),
            problem: error.to_string(),
        })?;
        let mut say = |text: &str| {
            if said.len() <= LONGEST {
                said.push_str(&text[..text.floor_char_boundary(LONGEST)]);
            }
        };
        match event {
            Event::Eof => return Ok(()),
            Event::Start(element) => {
                let name = Element::of(element.local_name().as_ref());
                add_named(name, &element, pages)?;
                open.push(name);
                LIST.check_depth(open.len())?;
                said.clear();
            }
            Event::Empty(element) => {
                let name = Element::of(element.local_name().as_ref());
                add_named(name, &element, pages)?;
            }
            Event::End(_) => {
                let name = open.pop().unwrap_or(Element::Other);
                let around = open.last().copied();
                let is_page = match name {
                    Element::Loc => around == Some(Element::Url),
                    Element::Link => around == Some(Element::Item),
                    _ => false,
                };
                if is_page {
                    pages.add(&said)?;
                }
                said.clear();
            }
            Event::Text(text) => say(&text),
            Event::CData(text) => say(&text),
            Event::GeneralRef(name) => {
                if let Ok(Some(sign)) = name.resolve_char_ref() {
                    say(sign.encode_utf8(&mut [0; 4]));
                } else {
                    let sign = quick_xml::escape::resolve_predefined_entity(&name);
                    say(sign.unwrap_or_default());
                }
            }
            _ => {}
        }
    }
}

/// Adds the page that an element names in its attributes: an entry of an outline, a link of a feed's
/// entry.
fn add_named(name: Element, element: &BytesStart<'_>, pages: &mut Pages) -> Result<(), ListError> {
    let value = |wanted: &str| {
        // Checked for repeated names, each would be compared with all before it.
        let mut attributes = element.attributes();
        let attributes = attributes
            .with_checks(false)
            .take(MOST_ATTRIBUTES)
            .flatten();
        let mut values = attributes
            .filter(|one| one.key.local_name().as_ref().eq_ignore_ascii_case(wanted))
            .filter(|one| one.value.len() <= LONGEST);
        let said = values.next()?.value.into_owned();
        let plain = quick_xml::escape::unescape(&said).map(Cow::into_owned);
        Some(plain.unwrap_or(said))
    };
    let page = match name {
        Element::Outline => value("url")
            .or_else(|| value("htmlurl"))
            .or_else(|| value("xmlurl")),
        Element::Link => {
            value("href").filter(|_| value("rel").is_none_or(|rel| rel == "alternate"))
        }
        _ => None,
    };
    if let Some(page) = page {
        pages.add(&page)?;
    }
    Ok(())
}

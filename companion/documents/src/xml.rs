//! XML as elements and text, for the readers of this crate. Entities that a document declares
//! itself are left out, so none can grow; how deep elements stand is bounded.

use quick_xml::Reader;
use quick_xml::escape::{resolve_html5_entity, unescape_with};
use quick_xml::events::{BytesStart, Event};

use crate::html::Page;
use crate::{DocumentError, Kind};

/// Elements in each other at most.
const DEEPEST: usize = 1_000;
/// Attributes that are read of an element.
const MOST_ATTRIBUTES: usize = 100;

/// What comes next.
#[derive(Debug)]
pub(crate) enum Part {
    Open(Element),
    /// The end of the innermost element; of one that is empty, too.
    Close,
    Text(String),
}

/// An element as it begins.
#[derive(Debug, Default)]
pub(crate) struct Element {
    prefix: String,
    /// Its name without a prefix.
    pub(crate) name: String,
    /// Names with their prefixes, and values.
    attributes: Vec<(String, String)>,
}

impl Element {
    fn new(start: &BytesStart<'_>) -> Self {
        let (name, prefix) = start.name().decompose();
        let prefix = prefix.map(|prefix| prefix.as_ref().to_owned());
        let mut attributes = start.attributes();
        let attributes = attributes.with_checks(false).flatten();
        let attributes = attributes.take(MOST_ATTRIBUTES).map(|attribute| {
            let value = unescape_with(&attribute.value, resolve_html5_entity);
            let value = value.map_or_else(|_| attribute.value.to_string(), Into::into);
            (attribute.key.as_ref().to_owned(), value)
        });
        Self {
            prefix: prefix.unwrap_or_default(),
            name: name.as_ref().to_owned(),
            attributes: attributes.collect(),
        }
    }

    /// Its name's prefix; empty if it has none.
    pub(crate) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The first attribute of a name, whatever its prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let mut found = self.attributes.iter().filter(|(key, _)| {
            let plain = key.rsplit(':').next();
            plain == Some(name)
        });
        found.next().map(|(_, value)| value.as_str())
    }

    /// The attribute of a name with its prefix.
    pub(crate) fn qualified(&self, name: &str) -> Option<&str> {
        let mut found = self.attributes.iter().filter(|(key, _)| key == name);
        found.next().map(|(_, value)| value.as_str())
    }
}

/// A document that is read from its start to its end.
pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    /// Elements that are open.
    depth: usize,
    /// Whether there was one.
    is_begun: bool,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}').trim_start());
        reader.config_mut().expand_empty_elements = true;
        Self {
            reader,
            depth: 0,
            is_begun: false,
        }
    }

    /// The next part, `None` at the end; or how the document is broken.
    pub(crate) fn next(&mut self) -> Result<Option<Part>, String> {
        loop {
            let event = self.reader.read_event().map_err(|error| {
                let place = self.reader.error_position();
                format!("{error} (at byte {place})")
            })?;
            return Ok(Some(match event {
                Event::Start(start) => {
                    self.depth += 1;
                    self.is_begun = true;
                    if self.depth > DEEPEST {
                        return Err(format!("more than {DEEPEST} elements in each other"));
                    }
                    Part::Open(Element::new(&start))
                }
                Event::End(_) => {
                    self.depth -= 1;
                    Part::Close
                }
                Event::Text(text) => Part::Text(text.into_inner().into_owned()),
                Event::CData(text) => Part::Text(text.into_inner().into_owned()),
                Event::GeneralRef(name) => match name.resolve_char_ref() {
                    Ok(Some(sign)) => Part::Text(sign.into()),
                    _ => match resolve_html5_entity(&name) {
                        Some(signs) => Part::Text(signs.into()),
                        None => continue,
                    },
                },
                Event::Eof if self.depth > 0 => {
                    return Err("it breaks off in the middle".to_owned());
                }
                Event::Eof if !self.is_begun => return Err("there is nothing in it".to_owned()),
                Event::Eof => return Ok(None),
                _ => continue,
            }));
        }
    }

    /// All text up to the end of the element that was opened last.
    pub(crate) fn text(&mut self) -> Result<String, String> {
        let mut text = String::new();
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Some(Part::Open(_)) => depth += 1,
                Some(Part::Close) => depth -= 1,
                Some(Part::Text(more)) => text.push_str(&more),
                None => break,
            }
        }
        Ok(text)
    }
}

/// The page of a document that was read so far: whole, or cut where it breaks. One that breaks
/// before it says anything is an error.
pub(crate) fn ended(
    kind: Kind,
    mut page: Page,
    read: Result<(), String>,
) -> Result<String, DocumentError> {
    match read {
        Err(problem) if page.is_empty() => return Err(DocumentError::Broken(kind, problem)),
        Err(problem) => page.cut(&format!("the {kind} is broken: {problem}")),
        Ok(()) => {}
    }
    Ok(page.finish())
}

//! Feeds: RSS 0.9x, 1.0 and 2.0, Atom. The feed's name leads to its site; each entry is a heading
//! that leads to its page, its date, and its summary with the links in it. If there is a whole
//! text beside a summary, the longer of both is taken.
//!
//! Addresses are resolved by `xml:base` where a feed gives one that is absolute. Enclosures,
//! categories, authors and comments are left out, and so are the feed's addresses of itself.

use linkscent_core::address::Address;

use crate::html::{Page, Piece};
use crate::xml::{Element, Part, Xml, ended};
use crate::{DocumentError, Kind, markup, summary};

/// Entries that are read.
const MOST_ENTRIES: usize = 10_000;

pub(crate) fn to_html(body: &[u8], content_type: Option<&str>) -> Result<String, DocumentError> {
    let text = markup::decode(body, content_type);
    let mut page = Page::default();
    let read = Feed::default().read(&mut Xml::new(&text), &mut page);
    ended(Kind::Feed, page, read)
}

/// What was read of a feed or of an entry, as HTML if it is that.
#[derive(Debug, Default)]
struct Entry {
    title: String,
    link: String,
    /// What an entry is known by, if that is an address: its link, if it names no other.
    known_by: String,
    date: String,
    summary: String,
    /// What addresses in it are relative to.
    base: Option<Address>,
}

#[derive(Debug, Default)]
struct Feed {
    /// The prefix of the feed's own elements.
    prefix: String,
    /// Whether text is plain where nothing else is said.
    is_atom: bool,
    /// What addresses are relative to, for each open element.
    bases: Vec<Option<Address>>,
    head: Entry,
    /// Whether the head is written.
    is_begun: bool,
    entry: Option<Entry>,
    entries: usize,
}

impl Feed {
    fn read(mut self, xml: &mut Xml<'_>, page: &mut Page) -> Result<(), String> {
        // The name of each open element.
        let mut open: Vec<String> = Vec::new();
        while let Some(part) = xml.next()? {
            match part {
                Part::Open(element) => {
                    self.enter(&element);
                    if open.is_empty() && element.name != "RDF" {
                        element.prefix().clone_into(&mut self.prefix);
                        self.is_atom = element.name == "feed";
                    }
                    let around = open.last().map_or("", String::as_str);
                    let is_own = element.prefix() == self.prefix || element.prefix().is_empty();
                    match &*element.name {
                        "item" | "entry" if is_own => {
                            self.head(page);
                            let base = self.base();
                            self.entry = Some(Entry {
                                base,
                                ..Entry::default()
                            });
                            open.push(element.name);
                        }
                        // What stands in another element says nothing of the feed.
                        _ if is_container(around) && self.field(&element, is_own, xml, page)? => {
                            self.bases.pop();
                        }
                        _ => open.push(element.name),
                    }
                }
                Part::Close => {
                    self.bases.pop();
                    if matches!(open.pop().as_deref(), Some("item" | "entry"))
                        && let Some(entry) = self.entry.take()
                    {
                        entry.write(page);
                        self.entries += 1;
                        if self.entries == MOST_ENTRIES {
                            page.cut(&format!("the feed has more than {MOST_ENTRIES} entries"));
                        }
                    }
                }
                Part::Text(_) => {}
            }
            if page.is_full() {
                break;
            }
        }
        self.head(page);
        Ok(())
    }

    fn enter(&mut self, element: &Element) {
        let around = self.base();
        let base = match element.qualified("xml:base") {
            Some(own) => Address::parse(own)
                .ok()
                .or_else(|| around.as_ref().and_then(|base| base.join(own).ok()))
                .or(around),
            None => around,
        };
        self.bases.push(base);
    }

    fn base(&self) -> Option<Address> {
        self.bases.last().cloned().flatten()
    }

    /// Takes what an element says of the feed or its entry, if that is wanted. Then it was read
    /// to its end.
    fn field(
        &mut self,
        element: &Element,
        is_own: bool,
        xml: &mut Xml<'_>,
        page: &mut Page,
    ) -> Result<bool, String> {
        let base = self.base();
        let entry = self.entry.as_mut().unwrap_or(&mut self.head);
        match (element.prefix(), &*element.name) {
            (_, "title") if is_own => {
                let title = content(element, xml, !self.is_atom)?;
                first(&mut entry.title, title);
            }
            (_, "link") if is_own && element.attribute("href").is_some() => {
                let rel = element.attribute("rel").unwrap_or("alternate");
                let href = element.attribute("href").unwrap_or_default();
                if rel == "alternate" {
                    first(&mut entry.link, resolved(base.as_ref(), href));
                }
                xml.text()?;
            }
            (_, "link") if is_own => {
                let link = xml.text()?;
                first(&mut entry.link, resolved(base.as_ref(), link.trim()));
            }
            (_, "guid") if is_own => {
                let is_link = element.attribute("isPermaLink") != Some("false");
                let link = xml.text()?;
                if is_link && link.trim().starts_with("http") {
                    first(&mut entry.known_by, link.trim().to_owned());
                }
            }
            ("dc", "date") => first(&mut entry.date, xml.text()?),
            (_, "pubDate" | "published" | "updated" | "lastBuildDate") if is_own => {
                first(&mut entry.date, xml.text()?);
            }
            (_, "description" | "summary" | "subtitle" | "tagline" | "content")
                if is_own && element.attribute("src").is_none() =>
            {
                let html = content(element, xml, element.name == "description")?;
                if html.len() > entry.summary.len() {
                    entry.summary = html;
                    entry.base = base;
                }
            }
            ("content", "encoded") => {
                let html = xml.text()?;
                if html.len() > entry.summary.len() {
                    entry.summary = html;
                    entry.base = base;
                }
            }
            ("dc", "language") => page.language(&xml.text()?),
            (_, "language") if is_own => page.language(&xml.text()?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes what the feed says of itself, once.
    fn head(&mut self, page: &mut Page) {
        if std::mem::replace(&mut self.is_begun, true) {
            return;
        }
        let head = std::mem::take(&mut self.head);
        page.title(&summary::words(&head.title));
        head.heading(page, 1);
        head.summary(page);
    }
}

/// Elements around what is said of a feed or of an entry.
fn is_container(name: &str) -> bool {
    matches!(name, "channel" | "item" | "feed" | "entry")
}

/// What an element says, as HTML. What it is, Atom says by a type; in RSS it is HTML.
fn content(element: &Element, xml: &mut Xml<'_>, is_html: bool) -> Result<String, String> {
    match element.attribute("type") {
        Some("xhtml" | "application/xhtml+xml") => markup_of(xml),
        Some("html" | "text/html") => xml.text(),
        None if is_html => xml.text(),
        _ => Ok(plain(&xml.text()?)),
    }
}

/// Plain text as HTML.
fn plain(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

/// The elements in an element, as HTML again.
fn markup_of(xml: &mut Xml<'_>) -> Result<String, String> {
    let mut html = String::new();
    let mut open: Vec<String> = Vec::new();
    loop {
        match xml.next()? {
            Some(Part::Open(element)) => {
                html.push_str(&format!("<{}", element.name));
                if let Some(href) = element.attribute("href") {
                    html.push_str(&format!(" href=\"{}\"", plain(href)));
                }
                html.push('>');
                open.push(element.name);
            }
            Some(Part::Close) => match open.pop() {
                Some(name) => html.push_str(&format!("</{name}>")),
                None => return Ok(html),
            },
            Some(Part::Text(text)) => html.push_str(&plain(&text)),
            None => return Ok(html),
        }
    }
}

fn first(field: &mut String, said: String) {
    if field.is_empty() {
        *field = said;
    }
}

fn resolved(base: Option<&Address>, address: &str) -> String {
    let joined = base.and_then(|base| base.join(address).ok());
    joined.map_or_else(|| address.to_owned(), |joined| joined.as_str().to_owned())
}

impl Entry {
    fn heading(&self, page: &mut Page, level: usize) {
        let links = [&self.link, &self.known_by];
        let link = links.into_iter().find(|link| !link.is_empty());
        let title = summary::words(&self.title);
        let piece = match link {
            Some(link) if title.is_empty() => Piece::link(&**link, &**link),
            Some(link) => Piece::link(title, &**link),
            None => Piece::text(title),
        };
        page.heading(level, &[piece]);
    }

    fn summary(&self, page: &mut Page) {
        let address = |address: &str| resolved(self.base.as_ref(), address);
        for paragraph in summary::paragraphs(&self.summary, address) {
            page.paragraph(&paragraph);
        }
    }

    fn write(&self, page: &mut Page) {
        self.heading(page, 2);
        page.paragraph(&[Piece::text(self.date.trim())]);
        self.summary(page);
    }
}

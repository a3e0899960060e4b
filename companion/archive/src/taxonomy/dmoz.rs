//! DMOZ dumps: RDF of hundreds of megabytes, not always well formed. The
//! content dump says which page stands at which node, the structure dump which
//! nodes there are and which of them refer to each other.
//!
//! The file is cut into entries first, one `Topic` or `ExternalPage` at a time,
//! and each is parsed by itself; one that is broken is reported with its line
//! and passed over, and the next one is read as if nothing had been.

use std::io::{BufRead, Read};

use anyhow::{Context, Result};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use linkscent_core::address::Address;

use super::{Entry as Named, Taxonomy};

/// Bytes of an entry; longer ones are passed over.
const LONGEST_ENTRY: usize = 1 << 20;
const KINDS: [&str; 2] = ["Topic", "ExternalPage"];

struct Entry {
    kind: &'static str,
    line: usize,
    text: Vec<u8>,
}

/// Reads a content dump.
pub(super) fn read_content(input: impl BufRead, taxonomy: &mut Taxonomy) -> Result<()> {
    read(input, taxonomy, content_entry)
}

/// Reads a structure dump: nodes to which nodes of the focus refer belong to
/// the focus.
pub(super) fn read_structure(input: impl BufRead, taxonomy: &mut Taxonomy) -> Result<()> {
    read(input, taxonomy, structure_entry)
}

/// An entry and its line.
type OnEntry = fn(&str, usize, &mut Taxonomy) -> Result<()>;

fn read(mut input: impl BufRead, taxonomy: &mut Taxonomy, on_entry: OnEntry) -> Result<()> {
    let (mut line, mut open): (usize, Option<Entry>) = (1, None);
    let mut piece = Vec::new();
    loop {
        piece.clear();
        // Up to the end of the next tag.
        let read = input
            .by_ref()
            .take(LONGEST_ENTRY as u64)
            .read_until(b'>', &mut piece);
        if read.with_context(|| format!("reading the dump at line {line}"))? == 0 {
            break;
        }
        let tag_at = piece
            .iter()
            .rposition(|byte| *byte == b'<')
            .unwrap_or(piece.len());
        let tag_line = line + lines(&piece[..tag_at]);
        line += lines(&piece);
        let tag = &piece[tag_at..];
        if let Some(kind) = KINDS.into_iter().find(|kind| begins(tag, kind)) {
            if let Some(entry) = open.take() {
                taxonomy.problem(entry.line, "this entry is never closed");
            }
            let entry = Entry {
                kind,
                line: tag_line,
                text: tag.to_vec(),
            };
            if tag.ends_with(b"/>") {
                take(entry, taxonomy, on_entry);
            } else {
                open = Some(entry);
            }
            continue;
        }
        let Some(entry) = &mut open else {
            continue;
        };
        entry.text.extend_from_slice(&piece);
        let closes = tag
            .strip_prefix(b"</")
            .is_some_and(|name| name.starts_with(entry.kind.as_bytes()));
        let is_too_long = entry.text.len() > LONGEST_ENTRY;
        if (closes || is_too_long)
            && let Some(entry) = open.take()
        {
            if is_too_long {
                taxonomy.problem(entry.line, "this entry is too long");
            } else {
                take(entry, taxonomy, on_entry);
            }
        }
    }
    if let Some(entry) = open {
        taxonomy.problem(entry.line, "the file ends within this entry");
    }
    Ok(())
}

fn lines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

fn begins(tag: &[u8], kind: &str) -> bool {
    let rest = tag
        .strip_prefix(b"<")
        .and_then(|tag| tag.strip_prefix(kind.as_bytes()));
    rest.is_some_and(|rest| rest.first().is_some_and(|byte| b" \t\r\n/>".contains(byte)))
}

/// Takes one entry in, or says what is wrong with it.
fn take(entry: Entry, taxonomy: &mut Taxonomy, on_entry: OnEntry) {
    let Ok(text) = std::str::from_utf8(&entry.text) else {
        taxonomy.problem(entry.line, "this entry is not UTF-8");
        return;
    };
    if let Err(error) = on_entry(text, entry.line, taxonomy) {
        taxonomy.problem(entry.line, &format!("{error:#}"));
    }
}

fn content_entry(text: &str, line: usize, taxonomy: &mut Taxonomy) -> Result<()> {
    if let Some((node, page, said)) = parse(text)? {
        let address = Address::parse(&page)?;
        taxonomy.add(line, &node, || Named::named(&address, said.trim()));
    }
    Ok(())
}

fn structure_entry(text: &str, _: usize, taxonomy: &mut Taxonomy) -> Result<()> {
    let mut reader = Reader::from_str(text);
    let (mut node, mut others) = (None, Vec::new());
    loop {
        let event = reader.read_event()?;
        match &event {
            Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                "Topic" => node = attribute(tag, "r:id")?,
                "symbolic" | "symbolic1" | "symbolic2" => {
                    others.extend(attribute(tag, "r:resource")?);
                }
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    // A reference may have a label in front: `Cartoons:Top/Arts/Animation`.
    let others = others.iter().map(|other| {
        let label = other.find(":Top/");
        label.map_or(other.as_str(), |label| &other[label + 1..])
    });
    taxonomy.add_node(&node.context("a node without name")?, others);
    Ok(())
}

/// Where a text of an entry stands.
#[derive(Clone, Copy)]
enum Inside {
    Node,
    Said,
    Other,
}

/// The node of an entry, its page, and title and description. A `Topic` lists links, which
/// come again as entries of their own; only those count.
fn parse(text: &str) -> Result<Option<(String, String, String)>> {
    let mut reader = Reader::from_str(text);
    let (mut page, mut node, mut said) = (None, String::new(), String::new());
    let mut inside = Inside::Other;
    loop {
        match reader.read_event()? {
            Event::Start(tag) if tag.name().as_ref() == "ExternalPage" => {
                page = Some(attribute(&tag, "about")?.context("a page without address")?);
            }
            Event::Start(tag) => {
                inside = match tag.name().as_ref() {
                    "topic" => Inside::Node,
                    "d:Title" | "d:Description" => Inside::Said,
                    _ => Inside::Other,
                };
                said.push(' ');
            }
            Event::End(_) => inside = Inside::Other,
            Event::Text(text) => match inside {
                Inside::Node => node.push_str(&text),
                Inside::Said => said.push_str(&text),
                Inside::Other => {}
            },
            Event::GeneralRef(name) => {
                let resolved = quick_xml::escape::resolve_predefined_entity(&name);
                match inside {
                    Inside::Node => {
                        let resolved = resolved.with_context(|| format!("&{}; is unknown", &*name));
                        node.push_str(resolved?);
                    }
                    Inside::Said => said.push_str(resolved.unwrap_or(" ")),
                    Inside::Other => {}
                }
            }
            Event::Eof => break,
            _ => {}
        }
    }
    match page {
        Some(_) if node.trim().is_empty() => anyhow::bail!("a page without topic"),
        page => Ok(page.map(|page| (node.trim().to_owned(), page, said))),
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>> {
    for attribute in tag.attributes() {
        let attribute = attribute?;
        if attribute.key.as_ref() == name {
            return Ok(Some(
                attribute
                    .normalized_value(quick_xml::XmlVersion::Explicit1_0)?
                    .into_owned(),
            ));
        }
    }
    Ok(None)
}

//! Documents that are archives of files (zip): Office Open XML and `OpenDocument`. No more is
//! unpacked of one than [`MOST_UNPACKED`], whatever it says of its sizes.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Arc;

use zip::ZipArchive;
use zip::result::ZipError;

use crate::html::Page;
use crate::unpack::{self, MOST_UNPACKED};
use crate::xml::{Part, Xml};
use crate::{DocumentError, Kind, markup};

/// Files in one document.
const MOST_FILES: usize = 20_000;

/// A document's files.
pub(crate) struct Package<'a> {
    kind: Kind,
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Bytes that may still be unpacked.
    left: usize,
}

/// What a part of Office Open XML refers to, by the names it has for it.
pub(crate) type Relations = BTreeMap<String, Relation>;

/// Something a part refers to.
pub(crate) struct Relation {
    /// The last word of its type: `hyperlink`, `styles`.
    pub(crate) what: String,
    /// An address, or the name of another part.
    pub(crate) target: Arc<str>,
    pub(crate) is_external: bool,
}

impl<'a> Package<'a> {
    pub(crate) fn open(kind: Kind, body: &'a [u8]) -> Result<Self, DocumentError> {
        let archive = ZipArchive::new(Cursor::new(body))
            .map_err(|error| DocumentError::Broken(kind, error.to_string()))?;
        if archive.len() > MOST_FILES {
            let many = format!("it has more than {MOST_FILES} files");
            return Err(DocumentError::Broken(kind, many));
        }
        let left = MOST_UNPACKED;
        Ok(Self {
            kind,
            archive,
            left,
        })
    }

    /// A file as text; `None` if there is none of this name.
    pub(crate) fn file(&mut self, name: &str) -> Result<Option<String>, DocumentError> {
        let broken = |error: String| DocumentError::Broken(self.kind, format!("{name}: {error}"));
        let file = match self.archive.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                return Err(DocumentError::Locked(self.kind));
            }
            Err(error) => return Err(broken(error.to_string())),
        };
        let unpacked = unpack::read(self.kind, file, self.left)?;
        self.left -= unpacked.bytes.len();
        if unpacked.is_cut {
            return Err(broken("it is damaged".to_owned()));
        }
        Ok(Some(markup::decode(&unpacked.bytes, None)))
    }

    /// The same of a file that must be there.
    pub(crate) fn needed(&mut self, name: &str) -> Result<String, DocumentError> {
        let missing = || DocumentError::Broken(self.kind, format!("{name} is missing"));
        let missing = missing();
        self.file(name)?.ok_or(missing)
    }

    /// Title and language from a file of a document's properties, if it says them.
    pub(crate) fn properties(&mut self, name: &str, page: &mut Page) -> Result<(), DocumentError> {
        let Some(text) = self.file(name)? else {
            return Ok(());
        };
        let mut xml = Xml::new(&text);
        // What is broken here takes nothing from the text.
        while let Ok(Some(part)) = xml.next() {
            if let Part::Open(element) = part
                && matches!(&*element.name, "title" | "language")
                && let Ok(said) = xml.text()
            {
                match &*element.name {
                    "title" => page.title(&said),
                    _ => page.language(&said),
                }
            }
        }
        Ok(())
    }

    /// What a part of Office Open XML refers to; the whole document's, if the name is empty.
    pub(crate) fn relations(&mut self, part: &str) -> Result<Relations, DocumentError> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let name = format!("{folder}/_rels/{file}.rels");
        let mut relations = Relations::new();
        let Some(text) = self.file(name.trim_start_matches('/'))? else {
            return Ok(relations);
        };
        let mut xml = Xml::new(&text);
        while let Ok(Some(next)) = xml.next() {
            let Part::Open(element) = next else {
                continue;
            };
            let (Some(id), Some(what), Some(target)) = (
                element.attribute("Id"),
                element.attribute("Type"),
                element.attribute("Target"),
            ) else {
                continue;
            };
            let what = what.rsplit('/').next().unwrap_or_default().to_owned();
            let is_external = element.attribute("TargetMode") == Some("External");
            let target = if is_external {
                target.into()
            } else {
                inside(folder, target).into()
            };
            let relation = Relation {
                what,
                target,
                is_external,
            };
            relations.insert(id.to_owned(), relation);
        }
        Ok(relations)
    }

    /// The name of the main part of Office Open XML.
    pub(crate) fn main(&mut self, usual: &str) -> Result<String, DocumentError> {
        let relations = self.relations("")?;
        let mut mains = relations.into_values();
        let main =
            mains.find(|relation| relation.what == "officeDocument" && !relation.is_external);
        Ok(main.map_or_else(|| usual.to_owned(), |main| main.target.to_string()))
    }
}

/// The name of a part that another in a folder refers to.
fn inside(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => folder.split('/').collect(),
    };
    for part in target.split('/') {
        match part {
            ".." => {
                parts.pop();
            }
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_from_the_part_that_refers_to_them() {
        let cases = [
            ("ppt", "slides/slide1.xml", "ppt/slides/slide1.xml"),
            ("ppt/slides", "../notes/n.xml", "ppt/notes/n.xml"),
            ("word", "/word/styles.xml", "word/styles.xml"),
            ("", "word/document.xml", "word/document.xml"),
            ("", "../../x", "x"),
        ];
        for (folder, target, expected) in cases {
            assert_eq!(inside(folder, target), expected, "{folder} {target}");
        }
    }
}

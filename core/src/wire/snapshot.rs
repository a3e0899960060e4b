//! A page as the content script sends it: the live DOM, walked once, as flat
//! data. Saved to a file it is a test case.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::address::{Address, AddressError};
use crate::dom::{BuildError, Builder, Document, Field, Form, LEAF_SEPARATOR, LeafRange};
use crate::page::Page;
use crate::privacy::without_secrets;
use crate::text::fold_space;

/// A link that leads to no page.
const NO_PAGE: &str = "about:blank";

/// The flat page. Carries no form values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Snapshot {
    /// `location.href`.
    pub url: String,
    /// `document.title`.
    pub title: String,
    /// Content of the description meta element.
    pub description: String,
    /// The root element's `lang`, if it has one.
    pub lang: Option<String>,
    /// The first `<base href>` as written, if there is one.
    pub base: Option<String>,
    /// Number of leaves.
    pub leaf_count: u32,
    /// Leaf texts joined by U+0001.
    pub leaves: String,
    /// First leaf and end of each link.
    pub links: Vec<u32>,
    /// The links' `href` attributes as written.
    pub hrefs: Vec<String>,
    /// Level, first leaf and end of each heading.
    pub headings: Vec<u32>,
    /// Forms.
    pub forms: Vec<SnapshotForm>,
    /// Whether the walk was cut short.
    pub truncated: bool,
}

/// See [`Form`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SnapshotForm {
    pub action: String,
    pub method: String,
    pub naming: String,
    pub fields: Vec<SnapshotField>,
    /// First leaf and end.
    #[serde(default)]
    pub leaves: (u32, u32),
}

/// See [`Field`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SnapshotField {
    pub kind: String,
    pub naming: String,
    pub label: String,
    pub options: u32,
}

/// What is wrong with a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// The page is not on the web.
    #[error("snapshot: {0}")]
    Address(#[from] AddressError),
    /// Two lists that go together differ in length.
    #[error("snapshot: {what} holds {found} entries where {expected} belong")]
    Length {
        /// The list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// A range beyond the page.
    #[error("snapshot: {0}")]
    Build(#[from] BuildError),
}

impl Snapshot {
    /// The page, built by the same builder that parsed pages go through. Its address
    /// and those of its links lose what looks like a secret.
    pub fn to_page(&self) -> Result<Page, SnapshotError> {
        let address = Address::parse(&self.url)?;
        let mut page = Page::new(address, self.to_document()?);
        page.address = without_secrets(&page.address);
        for outlink in &mut page.outlinks {
            outlink.target = without_secrets(&outlink.target);
        }
        Ok(page)
    }

    /// The same as it may be kept, given its page: addresses without what looks like a
    /// secret, links that lead nowhere on the web without where they lead.
    #[must_use]
    pub fn without_secrets(&self, page: &Page) -> Self {
        let mut kept = Self {
            url: page.address.to_string(),
            base: None,
            hrefs: vec![NO_PAGE.to_owned(); self.hrefs.len()],
            ..self.clone()
        };
        for outlink in &page.outlinks {
            if let Some(href) = kept.hrefs.get_mut(outlink.place) {
                *href = outlink.target.to_string();
            }
        }
        for form in &mut kept.forms {
            let end = form.action.find(['?', '#', ';']);
            form.action.truncate(end.unwrap_or(form.action.len()));
        }
        kept
    }

    /// The document alone.
    pub fn to_document(&self) -> Result<Document, SnapshotError> {
        let mut builder = Builder::new();
        builder.title(&self.title);
        builder.description(&self.description);
        if let Some(tag) = &self.lang {
            builder.language(tag);
        }
        if let Some(href) = &self.base {
            builder.base(href);
        }
        self.build_leaves(&mut builder)?;
        self.build_ranges(&mut builder)?;
        for form in &self.forms {
            builder.form(form.to_form());
        }
        if self.truncated {
            builder.cut_off();
        }
        Ok(builder.finish()?)
    }

    fn build_leaves(&self, builder: &mut Builder) -> Result<(), SnapshotError> {
        if self.leaf_count == 0 {
            return same_length("leaves", self.leaves.len(), 0);
        }
        let mut found = 0;
        for leaf in self.leaves.split(LEAF_SEPARATOR) {
            builder.leaf(leaf);
            found += 1;
        }
        same_length("leaves", found, self.leaf_count as usize)
    }

    fn build_ranges(&self, builder: &mut Builder) -> Result<(), SnapshotError> {
        same_length("links", self.links.len(), 2 * self.hrefs.len())?;
        for (pair, href) in self.links.chunks_exact(2).zip(&self.hrefs) {
            let (first, end) = (pair[0], pair[1]);
            builder.link(href, LeafRange { first, end });
        }
        let whole = self.headings.len() / 3;
        same_length("headings", self.headings.len(), 3 * whole)?;
        for row in self.headings.chunks_exact(3) {
            let (first, end) = (row[1], row[2]);
            builder.heading(row[0].clamp(1, 6) as u8, LeafRange { first, end });
        }
        Ok(())
    }
}

impl SnapshotForm {
    fn to_form(&self) -> Form {
        let fields = self.fields.iter().map(|field| Field {
            kind: field.kind.clone(),
            naming: fold_space(&field.naming),
            label: fold_space(&field.label),
            options: field.options,
        });
        Form {
            action: self.action.clone(),
            method: self.method.clone(),
            naming: fold_space(&self.naming),
            fields: fields.collect(),
            leaves: LeafRange {
                first: self.leaves.0,
                end: self.leaves.1,
            },
        }
    }
}

fn same_length(what: &'static str, found: usize, expected: usize) -> Result<(), SnapshotError> {
    if found == expected {
        return Ok(());
    }
    Err(SnapshotError::Length {
        what,
        found,
        expected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot() -> Snapshot {
        Snapshot {
            url: "http://a.org/".to_owned(),
            leaf_count: 2,
            leaves: "about\u{1}centres".to_owned(),
            links: vec![1, 2],
            hrefs: vec!["/centres".to_owned()],
            headings: vec![1, 0, 1],
            ..Snapshot::default()
        }
    }

    #[test]
    fn a_snapshot_becomes_a_page() {
        let page = snapshot().to_page().unwrap();
        assert_eq!(page.outlinks[0].target.as_str(), "http://a.org/centres");
        assert_eq!(page.title(), "about");
    }

    #[test]
    fn secrets_in_addresses_are_not_taken_along() {
        let mut snapshot = snapshot();
        snapshot.url = "http://a.org/x?token=CANARY&page=2#CANARY".to_owned();
        snapshot.hrefs = vec!["/out?session=CANARY".to_owned()];
        let page = snapshot.to_page().unwrap();
        assert_eq!(page.address.as_str(), "http://a.org/x?page=2");
        assert_eq!(page.outlinks[0].target.as_str(), "http://a.org/out");
    }

    #[test]
    fn what_is_kept_is_the_same_page_without_secrets() {
        let mut snapshot = snapshot();
        snapshot.url = "http://a.org/x?token=CANARY&page=2#CANARY".to_owned();
        snapshot.base = Some("http://b.org/?session=CANARY".to_owned());
        snapshot.links = vec![1, 2, 0, 1];
        snapshot.hrefs = vec![
            "mailto:CANARY@a.org".to_owned(),
            "/out?session=CANARY".to_owned(),
        ];
        snapshot.forms.push(SnapshotForm {
            action: "/search?sid=CANARY".to_owned(),
            ..SnapshotForm::default()
        });
        let page = snapshot.to_page().unwrap();
        let kept = snapshot.without_secrets(&page);
        assert!(!format!("{kept:?}").contains("CANARY"), "{kept:?}");
        let again = kept.to_page().unwrap();
        assert_eq!(again.address, page.address);
        assert_eq!(again.outlinks.len(), 1);
        assert_eq!(again.outlinks[0].target.as_str(), "http://b.org/out");
        assert_eq!(again.outlinks[0].place, page.outlinks[0].place);
        assert_eq!(kept.forms[0].action, "/search");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let broken: [fn(&mut Snapshot); 6] = [
            |s| s.url = "about:blank".to_owned(),
            |s| s.leaf_count = 3,
            |s| s.leaf_count = 0,
            |s| s.links.push(1),
            |s| s.links = vec![1, 9],
            |s| s.headings.push(4),
        ];
        for (number, break_it) in broken.iter().enumerate() {
            let mut snapshot = snapshot();
            break_it(&mut snapshot);
            assert!(snapshot.to_page().is_err(), "case {number}");
        }
    }
}

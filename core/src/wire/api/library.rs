//! The library: pages that crawls kept, searched.

use serde::{Deserialize, Serialize};

/// `GET /api/v1/library`: what was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LibraryFound {
    /// How many pages in all.
    pub total: usize,
    /// No page has all words that were asked for; these have some.
    pub is_relaxed: bool,
    /// Some of them, in the order that was asked for.
    pub pages: Vec<LibraryPage>,
    /// Sites with the most of them; at most twenty.
    pub sites: Vec<LibraryCount>,
    /// Their languages, by code.
    pub languages: Vec<LibraryCount>,
    /// What else there is of them that a search can be narrowed to.
    #[serde(default)]
    pub labels: Vec<LibraryLabel>,
}

/// What is known of pages beside their words, and of how many of those that were found:
/// `field:name` narrows a search to them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LibraryLabel {
    /// `is`, `tag`, `kind` or `found`.
    pub field: String,
    /// Of that field.
    pub name: String,
    /// How many.
    pub pages: usize,
}

/// How many pages there are of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LibraryCount {
    /// Of what.
    pub name: String,
    /// How many.
    pub pages: usize,
}

/// A page of the library.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct LibraryPage {
    /// Name of the topic.
    pub topic: String,
    /// The crawl that read it last.
    pub crawl: i64,
    /// Its number in that crawl's log.
    pub number: u64,
    /// Its address.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Its host.
    pub site: String,
    /// The language it is in, by code.
    pub language: String,
    /// How likely it is what is looked for, 0..=1.
    pub probability: f64,
    /// What the person said of it: target (true) or not; none if nothing.
    pub mark: Option<bool>,
    /// Whether it came since the person looked last.
    #[serde(default)]
    pub is_new: bool,
    /// When it was read, as `2026-01-02T03:04:05Z`; empty if nobody knows.
    #[serde(default)]
    pub read: String,
    /// What the person put it under.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What the person wrote about it.
    #[serde(default)]
    pub note: String,
    /// The sentences that speak for it, in pieces. What web pages say is no instruction.
    pub snippet: Vec<SnippetPiece>,
    /// Why its link was followed.
    pub reason: String,
    /// Pages from a start to it, the start first.
    pub path: Vec<String>,
}

/// A piece of a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SnippetPiece {
    /// What it says.
    pub text: String,
    /// Whether it is a word that was asked for.
    pub is_match: bool,
}

//! A page that was shown in a tab, and how the person came to it: what browsing paths are
//! made of.
//!
//! Every visit names the visit it came from, so visits form trees: a link opened in a new
//! tab begins a branch, going back returns to a page of the path without a new visit to it.
//! Words go along rather than features, since what a word is worth may change when a target
//! is marked later.

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::features::HEAVIEST_TERMS;
use crate::hops::PageText;
use crate::page::Page;
use crate::web_graph::Judgment;

/// How the person came to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Transition {
    /// By a link, in the same tab.
    Link,
    /// By a link that led elsewhere than it said.
    Redirect,
    /// In another tab than the page it was opened from.
    NewTab,
    /// By the address bar, a bookmark or another program: a path begins.
    Typed,
    /// By the browser, which brought an earlier session or a closed tab back: a path begins.
    Restored,
    /// Back to a page of the path.
    Back,
    /// Forward again.
    Forward,
    /// The same page, loaded again.
    Reload,
}

impl Transition {
    /// Whether the page was on the path already: then the visit it returns to is named, and
    /// nothing else is told.
    pub const fn returns(self) -> bool {
        matches!(self, Self::Back | Self::Forward | Self::Reload)
    }

    /// Whether a path begins.
    pub const fn begins(self) -> bool {
        matches!(self, Self::Typed | Self::Restored)
    }
}

/// A page that was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Visit {
    /// The page.
    pub page: String,
    /// The tab, as its browser numbers them.
    pub tab: i32,
    /// How the person came to it.
    pub how: Transition,
    /// The `id` of the visit it came from or returns to; null if a path begins, or if the
    /// page before was not read.
    #[cfg_attr(feature = "schema", schema(required))]
    pub from: Option<String>,
    /// The `id` of the event of the link that was followed, if one is known.
    #[cfg_attr(feature = "schema", schema(required))]
    pub click: Option<String>,
    /// How the page was judged then, 0..=1.
    pub relevance: f64,
    /// Words of title and description.
    pub title_words: Vec<String>,
    /// Words of headings.
    pub heading_words: Vec<String>,
    /// The heaviest words of the page with their counts, heaviest first.
    pub words: Vec<(String, u32)>,
}

impl Visit {
    /// A visit to a page that was read, which began a path.
    pub fn of(page: &Page, judgment: Judgment, tab: i32, how: Transition) -> Self {
        let text = PageText::of(page);
        Self {
            page: page.address.to_string(),
            tab,
            how,
            from: None,
            click: None,
            relevance: judgment.relevance.value(),
            title_words: text.title,
            heading_words: text.headings,
            words: page.heaviest_words(HEAVIEST_TERMS),
        }
    }

    /// Back to a page of the path, forward, or the same page again.
    pub fn returning(page: &Address, tab: i32, how: Transition, to: String) -> Self {
        Self {
            page: page.to_string(),
            tab,
            how,
            from: Some(to),
            click: None,
            relevance: 0.0,
            title_words: Vec::new(),
            heading_words: Vec::new(),
            words: Vec::new(),
        }
    }
}

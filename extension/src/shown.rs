//! What the background tells the screens: plain data.

use linkscent_core::wire::api::CrawlView;
use serde::{Deserialize, Serialize};

use crate::asked::AskedPage;
use crate::rows::{LaterRow, LedgerLine, MarkRow};

/// A form of the page that leads to a database.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FormLine {
    /// Its place among the page's forms, from 0.
    pub place: usize,
    /// The fields that are seen.
    pub fields: Vec<String>,
    /// How sure it is that its database is looked for, 0..=1.
    pub confidence: f64,
    /// The person's mark.
    pub mark: Option<bool>,
}

/// The class of a page, where the topic's pages are judged by the classes of a taxonomy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassLine {
    /// The likeliest class, or the one that the person named; none where nothing tells.
    pub class: Option<String>,
    /// How likely it is, 0..=1.
    pub share: f64,
    /// Whether the person named it.
    pub is_corrected: bool,
    /// All classes that a page can be of.
    pub all: Vec<String>,
}

/// What the popup shows.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// What all topics are called.
    pub topics: Vec<String>,
    /// What those are called that were removed, the last one last.
    #[serde(default)]
    pub removed: Vec<String>,
    /// What the current one is called.
    pub current: Option<String>,
    /// Whether there is a page to act on.
    pub page: bool,
    /// Why the page is not read, if it is not.
    #[serde(default)]
    pub refused: Option<String>,
    /// Its title.
    pub title: String,
    /// Its address, as it is kept.
    #[serde(default)]
    pub address: String,
    /// The page's mark.
    pub mark: Option<bool>,
    /// Its relevance, 0..=1.
    pub relevance: f64,
    /// How far from a target it looks, if the topic's model says.
    #[serde(default)]
    pub standing: Option<String>,
    /// Its class, if the topic has a taxonomy.
    #[serde(default)]
    pub class: Option<ClassLine>,
    /// What was said of the topic in words, and whether that is what is looked for.
    #[serde(default)]
    pub said: Vec<(String, bool)>,
    /// Text that is selected on the page and was not said yet.
    #[serde(default)]
    pub selected: Option<String>,
    /// What the person searched for on the way to the page and did not say yet.
    #[serde(default)]
    pub searched: Option<String>,
    /// Promising links on it.
    pub promising: usize,
    /// Forms on it that lead to databases.
    pub forms: Vec<FormLine>,
    /// Whether its host is paused.
    pub paused: bool,
    /// The page's host.
    pub host: String,
    /// Targets of the topic.
    pub targets: Vec<MarkRow>,
    /// Whether pages are read nowhere.
    #[serde(default)]
    pub is_off: bool,
    /// Whether the browser shows notices of crawls.
    #[serde(default)]
    pub tells: bool,
    /// Whether pages of the page's site are kept in the topic's library as they are read.
    #[serde(default)]
    pub keeps_site: bool,
    /// The same of every site.
    #[serde(default)]
    pub keeps_every_site: bool,
    /// Events waiting for the companion.
    pub waiting: usize,
    /// Whether a companion is paired.
    pub paired: bool,
    /// The companion's port.
    pub port: u16,
    /// Other topics of the companion, with what was learned for which a crawl can begin.
    #[serde(default)]
    pub teachers: Vec<String>,
    /// The topic's last crawl.
    pub crawl: Option<CrawlView>,
    /// Whether the person had that crawl start at this page, too.
    #[serde(default)]
    pub starts_here: bool,
    /// A page to ask the person about.
    pub question: Option<AskedPage>,
    /// What is wrong with the companion, if something is.
    pub problem: String,
}

/// Links to follow later.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LaterView {
    /// What the topic is called; empty if none is chosen.
    pub topic: String,
    /// Newest first.
    pub rows: Vec<LaterRow>,
    /// Whether a crawl for the topic could begin at some of them.
    pub can_crawl: bool,
}

/// Topics, by what they are called.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TopicsView {
    /// The current one.
    pub current: Option<String>,
    /// All that can be chosen.
    pub topics: Vec<String>,
    /// Those that were removed, the last one last.
    pub removed: Vec<String>,
}

/// A page of the tree that led to the one that is shown, after the page that it was reached from.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct WayStep {
    /// Pages before it on the way.
    pub depth: usize,
    /// Where it is.
    pub address: String,
    /// Its title; empty if it is not known.
    pub title: String,
    /// Whether it is the one that is shown.
    pub is_here: bool,
}

/// What a crawl would fetch, before anything is fetched.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DryRunView {
    /// The pages in their order.
    pub pages: Vec<UpcomingView>,
    /// How many of them are expected to be what is looked for, those that are marked apart.
    pub expected: f64,
    /// Of how many that is said.
    pub judged: usize,
    /// Pages that were at hand here, so that their links are known.
    pub used: usize,
}

/// A page that a crawl would fetch.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct UpcomingView {
    /// Where it is.
    pub address: String,
    /// What the link to it says.
    pub title: String,
    /// The page with the link; empty for one to begin at.
    pub from: String,
    /// How likely it is what is looked for, 0..=1, if that can be told.
    pub probability: Option<f64>,
    /// Why it is chosen.
    pub reason: String,
    /// Whether it is marked.
    pub is_marked: bool,
}

/// A host of which pages wait for a browser.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteView {
    /// The host.
    pub host: String,
    /// How many pages wait.
    pub pages: usize,
    /// Whether the person chose it.
    pub is_chosen: bool,
}

/// A page to start from.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// Where it is.
    pub address: String,
    /// Its title.
    pub title: String,
    /// How likely it is what is looked for, by its title and address, 0..=1.
    pub probability: f64,
}

/// A page that was found here by words.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundPage {
    /// Where it is.
    pub address: String,
    /// Its title, or the text of the link to it.
    pub title: String,
    /// What it is to the topic, in a word.
    pub kind: String,
}

/// What the ledger comes to.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LedgerView {
    /// The newest lines, newest first.
    pub lines: Vec<LedgerLine>,
    /// Lines and bytes of each way.
    pub kept: (usize, usize),
    /// See [`Self::kept`].
    pub sent: (usize, usize),
    /// See [`Self::kept`].
    pub taken: (usize, usize),
}

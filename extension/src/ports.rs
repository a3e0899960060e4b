//! What the background needs of the world around it: a database, the companion's
//! port, a clock, random numbers, the browser's tabs. The browser gives them in
//! `browser`; tests give fakes that live in memory.

use linkscent_core::wire::Snapshot;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A table of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// Single values by name.
    Values,
    /// Model files by topic.
    TopicModels,
    /// Marks by topic and page.
    Marks,
    /// Trails, in the order of their keys.
    Trails,
    /// Events that wait for the companion, in the order of their keys.
    Outbox,
    /// The ways through tabs, by tab.
    Paths,
    /// Pages that topic models have read since they were kept, by topic and number.
    Steps,
    /// Lines of what was kept and sent, in the order of their keys.
    Ledger,
    /// Pages that are marked as targets, as they were shown, by topic and page.
    Pages,
}

impl Table {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Values,
        Self::TopicModels,
        Self::Marks,
        Self::Trails,
        Self::Outbox,
        Self::Paths,
        Self::Steps,
        Self::Ledger,
        Self::Pages,
    ];

    /// What it is called by in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::TopicModels => "guides",
            Self::Marks => "marks",
            Self::Trails => "trails",
            Self::Outbox => "outbox",
            Self::Paths => "paths",
            Self::Steps => "steps",
            Self::Ledger => "ledger",
            Self::Pages => "pages",
        }
    }
}

/// What is kept under a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Plain data.
    Json(serde_json::Value),
    /// A model file, or a page that a topic model has read.
    Bytes(Vec<u8>),
}

/// One change of the database.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Keeps a value under a key, in the place of what was there.
    Put(Table, String, Value),
    /// Deletes what is under a key, if something is.
    Delete(Table, String),
    /// Deletes everything in a table.
    Clear(Table),
}

/// Why the database cannot be used. Displays as the key of its text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DatabaseError {
    /// It has steps that this version does not know.
    #[error("database_is_newer")]
    Newer {
        /// The newest form that is known.
        known: u32,
    },
    /// A step to a newer form failed; all that were due were taken back.
    #[error("database_not_upgraded")]
    Upgrade {
        /// The form that the step leads to.
        form: u32,
        /// What went wrong.
        why: String,
    },
    /// A row is none of this version's.
    #[error("database_row")]
    Row(String),
    /// The browser says no.
    #[error("database_failed")]
    Failed(String),
}

/// Rows by table and key.
pub trait Database {
    /// What is under a key.
    async fn get(&self, table: Table, key: &str) -> Result<Option<Value>, DatabaseError>;

    /// All values of a table, in the order of their keys.
    async fn all(&self, table: Table) -> Result<Vec<Value>, DatabaseError>;

    /// The first values of a table, so many at most.
    async fn first(&self, table: Table, most: u32) -> Result<Vec<Value>, DatabaseError>;

    /// All keys of a table, in order; its values are not read.
    async fn keys(&self, table: Table) -> Result<Vec<String>, DatabaseError>;

    /// Makes changes in order, all or none; returns once they are kept.
    async fn write(&self, writes: Vec<Write>) -> Result<(), DatabaseError>;

    /// Begins to have the browser drop the bytes of what was deleted from its files. Nothing waits
    /// for it.
    async fn drop_deleted(&self);
}

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// JSON.
    Json(&'a str),
    /// Bytes of a channel.
    Bytes(&'a [u8]),
}

/// Why nothing came back. Displays as the key of its text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NetworkError {
    /// Nobody answered on this port.
    #[error("companion_is_silent")]
    Silent(u16),
    /// The browser did not send it.
    #[error("problem_browser")]
    Browser(String),
}

/// The way to the companion on this machine, and to nobody else.
pub trait Network {
    /// Posts a body to a path of the companion's API; status and body of the answer.
    async fn post(
        &self,
        port: u16,
        path: &str,
        body: Body<'_>,
    ) -> Result<(u16, Vec<u8>), NetworkError>;
}

/// The time.
pub trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> f64;
}

/// Random numbers that nobody can foretell.
pub trait RandomSource {
    /// Fills bytes.
    fn fill(&self, bytes: &mut [u8]);

    /// So many bytes.
    fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}

/// What a tab's content script is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TabMessage {
    /// Read the page again: something is judged otherwise now.
    Refresh,
    /// The person had the page forgotten: it is not read until it is loaded again.
    Forgotten,
}

/// What a tab shows.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Look {
    /// The page; none where there is none, or it is not read.
    pub page: Option<Snapshot>,
    /// Why it is not read, if it is not.
    pub refused: Option<String>,
    /// Text that the person selected on it.
    #[serde(default)]
    pub selected: String,
}

/// The browser failed at something it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BrowserError(pub String);

/// The browser's tabs and what is known of their pages.
pub trait Tabs {
    /// What a tab shows now; nothing if it does not answer in time.
    async fn look(&self, tab: i32) -> Result<Look, BrowserError>;

    /// A name for the time since the browser was started: a tab's number means the same
    /// tab within it.
    async fn session(&self) -> Result<String, BrowserError>;

    /// Tells a tab's content script something, if there is one.
    async fn tell(&self, tab: i32, what: TabMessage);

    /// Opens the panel in a tab.
    async fn open_panel(&self);

    /// Has the browser show a notice, if it may.
    async fn notify(&self, text: &str);

    /// Has the companion asked each minute, also while nothing else happens.
    async fn look_often(&self, on: bool);

    /// Shows at the extension's button whether pages are read at all, and has every tab look
    /// again whether its page is.
    async fn reads(&self, on: bool);

    /// Shows the number of promising links at the extension's button, also if there is none;
    /// nothing where nothing is looked for.
    async fn badge(&self, tab: i32, links: Option<usize>);

    /// Why a page is not read, as far as its headers and what happened to it before say:
    /// by its address and the one its document was loaded from.
    async fn unread(&self, url: &str, loaded: Option<&str>)
    -> Result<Option<String>, BrowserError>;
}

/// Texts in the person's language, by their keys in `_locales`.
pub trait Texts {
    /// A text and what stands in it.
    fn text(&self, key: &str, values: &[&str]) -> String;

    /// A text that goes by a number.
    fn count(&self, key: &str, number: usize) -> String;
}

/// All of it.
pub trait World: Database + Network + Clock + RandomSource + Tabs + Texts {}

impl<W: Database + Network + Clock + RandomSource + Tabs + Texts> World for W {}

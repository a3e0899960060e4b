//! What the companion keeps: topics, what happened in the browser, crawls and every
//! request they made.
//!
//! [`Store`] is what all others hold. What is kept as rows is reached through [`ports`],
//! whichever backend lies behind them: one `SQLite` file (`sqlite`), a PostgreSQL database
//! (`postgres`), which share most of their statements (`sql`). What lies in the data folder beside
//! the rows, archives, the locks of crawls and whose turn it is to ask a host, is the same for both.
//!
//! A crawl's log is the truth about it: frontier, counts and models follow
//! from it (see `linkscent_core::crawl::Session::replay`). One transaction
//! takes in whole fetches, never a part of one, and what it acknowledged survives a
//! power cut.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate linkscent_output;

mod annotations;
pub mod clock;
#[cfg(feature = "team")]
mod copies;
mod dialect;
mod error;
mod files;
#[cfg(any(test, feature = "fixtures"))]
pub mod fixtures;
mod in_flight;
mod lock;
mod marks;
#[cfg(feature = "team")]
mod moving;
pub mod ports;
#[cfg(feature = "team")]
mod postgres;
pub mod secret;
mod sql;
mod sqlite;
mod stands_in;
#[cfg(test)]
mod tests;
pub mod tls;
mod turn;
mod turns;
#[cfg(not(feature = "team"))]
mod without_team;
mod worker_row;
#[cfg(not(feature = "team"))]
use without_team as postgres;

pub use annotations::PageAnnotations;
#[cfg(feature = "team")]
pub use copies::ArchiveCopies;
#[cfg(feature = "team")]
pub use copies::ObjectsError;
#[cfg(feature = "team")]
pub use copies::{BroughtBack, bring_back};
pub use error::{BackendError, StoreError, StoreResult, is_away};
pub use files::{is_open_to_others, make_folder, make_private, open_private};
pub use in_flight::{InFlight, Unfinished, delete as delete_requests};
pub use lock::{CrawlLock, LockError};
pub use marks::MarkRow;
pub use marks::{gone_clicks, is_gone};
#[cfg(feature = "team")]
pub use moving::{Moved, move_back, move_out};
pub use ports::{
    AccountRow, AlarmRow, AuditEntry, Command, CrawlKind, CrawlRow, CrawlState, Device, FetchRow,
    FormRow, KeptRow, Location, LookRow, LostPage, ModelOf, NewCrawl, Order, Outcome, Permission,
    QuestionRow, ResultRow, Role, SearchRow, SkippedRow, StandingRow, StandingTopic, TokenRow,
    Topic, in_force,
};
pub use postgres::SharedLock;
#[cfg(feature = "team")]
pub use postgres::{Lease, Presence, WorkerSecret, Workers};
pub use sqlite::{BackedUp, backup, faults, repair};
pub use turn::{Asked, DailyBudget, Turn};
pub use turns::{Turns, delete as delete_turns};
#[cfg(not(feature = "team"))]
pub use without_team::Workers;
pub use worker_row::WorkerRow;

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use serde::Serialize;

use ports::Ports;
use sqlite::SqliteStore;

/// How a program comes by what several people on several machines need: a PostgreSQL database, workers,
/// accounts, copies of archives in an object store, and traces.
pub const WITH_TEAM: &str = "cargo install --path companion --features team";

/// The file of a crawl's pages, in a data folder.
fn warc_name(crawl: i64) -> String {
    format!("crawl-{crawl}.warc.gz")
}

/// How much of a crawl's archive is copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Copied {
    /// Whose it is.
    pub crawl: i64,
    /// Bytes that the log has of it.
    pub bytes: u64,
    /// Bytes of these that are copied.
    pub copied: u64,
}

/// What is more was never counted up to.
const GREATEST: i64 = 1 << 40;

/// The greatest number of a crawl whose pages lie in a data folder, whether or not the store knows it;
/// 0 if there is none.
fn newest_archive(folder: &Path) -> std::io::Result<i64> {
    let mut newest = 0;
    for entry in std::fs::read_dir(folder)? {
        let crawl = crawl_of_archive(&entry?.file_name().to_string_lossy());
        // No crawl has such a number.
        newest = newest.max(
            crawl
                .filter(|number| *number < GREATEST)
                .unwrap_or_default(),
        );
    }
    Ok(newest)
}

/// The crawl whose pages are in a file of that name.
pub fn crawl_of_archive(name: &str) -> Option<i64> {
    let number = name.strip_prefix("crawl-")?.strip_suffix(".warc.gz")?;
    number.parse().ok()
}

/// The ports of a backend, and the data folder. Clones are the same store.
#[derive(Clone)]
pub struct Store {
    ports: Arc<dyn Ports>,
    folder: PathBuf,
    /// Where the database is one that others can reach, too.
    workers: Option<Workers>,
}

impl Deref for Store {
    type Target = dyn Ports;

    fn deref(&self) -> &Self::Target {
        &*self.ports
    }
}

impl Store {
    /// Opens the `SQLite` store in a data folder, which is made if it is not there.
    pub async fn open(folder: &Path) -> Result<Self> {
        let ports = SqliteStore::open(folder).await?;
        Ok(Self::new(Arc::new(ports), folder))
    }

    /// What crawls leave to workers on whatever machines; none where the database is the folder's own.
    pub fn workers(&self) -> Option<&Workers> {
        self.workers.as_ref()
    }

    /// Whose turn it is to ask hosts, for a crawl that this program runs, whose hosts rest for `delay`
    /// milliseconds.
    pub async fn turns(&self, crawl: i64, delay: u64) -> Result<Turns> {
        Turns::open(self.workers(), &self.folder, crawl, clock::now(), delay).await
    }

    /// That backend, beside that data folder.
    fn new(ports: Arc<dyn Ports>, folder: &Path) -> Self {
        Self {
            ports,
            folder: folder.to_owned(),
            workers: None,
        }
    }

    /// Where pages of a crawl are kept.
    pub fn warc_path(&self, crawl: i64) -> PathBuf {
        self.folder.join(warc_name(crawl))
    }

    /// Where a crawl's session is kept from time to time.
    pub fn checkpoint_path(&self, crawl: i64) -> PathBuf {
        self.folder.join(format!("crawl-{crawl}.checkpoint"))
    }

    /// Where the requests are put down that a crawl has begun.
    pub fn requests_path(&self, crawl: i64) -> PathBuf {
        self.folder.join(format!("crawl-{crawl}.requests"))
    }

    /// The right to run a crawl. Blocks for a moment; not for a runtime's thread.
    pub fn lock_crawl(&self, crawl: i64) -> Result<CrawlLock, LockError> {
        CrawlLock::take(&self.lock_path(crawl), crawl)
    }

    /// The same for all who share the database, where that is one that others can reach.
    pub async fn lock_for_all(&self, crawl: i64) -> Result<Option<SharedLock>> {
        Ok(match self.workers() {
            Some(workers) => Some(SharedLock::take(workers, crawl).await?),
            None => None,
        })
    }

    /// Whether somebody runs the crawl, here or elsewhere.
    pub fn is_locked(&self, crawl: i64) -> bool {
        CrawlLock::is_held(&self.lock_path(crawl))
    }

    /// By what name the way went of whoever ran a crawl last.
    pub fn went_by(&self, crawl: i64) -> Option<String> {
        CrawlLock::went_by(&self.lock_path(crawl))
    }

    /// Where it is written who runs a crawl.
    pub fn lock_path(&self, crawl: i64) -> PathBuf {
        self.folder.join(format!("crawl-{crawl}.lock"))
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Crawls, newest first, without what browsers kept as it was read; of one topic or of all.
    pub async fn web_crawls(&self, topic: Option<i64>) -> StoreResult<Vec<CrawlRow>> {
        let mut crawls = self.crawls(topic).await?;
        crawls.retain(|crawl| !crawl.is_reading());
        Ok(crawls)
    }

    /// Keeps something that people should hear, and says it at once where it is new. It
    /// concerns a topic, or one of its crawls.
    pub async fn notice(&self, topic: i64, crawl: Option<i64>, said: &str) -> StoreResult<()> {
        if self.add_notice(topic, crawl, said, clock::now()).await? {
            message!("linkscent: {said}");
        }
        Ok(())
    }

    /// Keeps a page to ask about from now on; asked before, nothing changes.
    pub async fn ask(&self, crawl: i64, address: &str) -> StoreResult<()> {
        self.add_question(crawl, address, clock::now()).await
    }
}

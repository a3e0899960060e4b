//! What the companion keeps: topics, what happened in the browser, crawls and every
//! request they made.
//!
//! [`Store`] is what all others hold. What is kept as rows is reached through [`ports`],
//! whichever backend lies behind them: one `SQLite` file (`sqlite`), a PostgreSQL database
//! (`postgres`), which share most of their statements (`sql`), or in tests plain collections
//! (`memory`). What lies in the data folder beside the rows, archives, the
//! locks of crawls and whose turn it is to ask a host, is the same for every backend.
//!
//! A crawl's log is the truth about it: frontier, counts and models follow
//! from it (see `linkscent_core::crawl::Session::replay`). One transaction
//! takes in whole fetches, never a part of one, and what it acknowledged survives a
//! power cut.

mod archive_copies;
mod bringing_back;
mod dialect;
mod error;
mod files;
mod in_flight;
mod lock;
mod marks;
#[cfg(test)]
mod memory;
mod moving;
mod objects;
pub mod ports;
mod postgres;
mod remarks;
mod sql;
mod sqlite;
mod stands_in;
#[cfg(test)]
pub(crate) mod tests;
mod turns;

pub use archive_copies::ArchiveCopies;
pub use bringing_back::{BroughtBack, bring_back};
pub use error::{BackendError, StoreError, StoreResult, is_away};
pub use files::{is_open_to_others, make_folder, make_private, open_private};
pub use in_flight::{InFlight, Unfinished, delete as delete_requests};
pub use lock::{CrawlLock, LockError};
pub use marks::MarkRow;
pub(crate) use marks::{gone_clicks, is_gone};
pub use moving::{Moved, move_back, move_out};
pub use objects::ObjectsError;
pub use ports::{
    AccountRow, AlarmRow, Command, CrawlKind, CrawlRow, CrawlState, Deed, Device, FetchRow,
    FormRow, KeptRow, Location, LookRow, LostPage, ModelOf, NewCrawl, Order, Outcome, Permission,
    QuestionRow, Reaction, ResultRow, Role, SearchRow, SkippedRow, StandingRow, StandingTopic,
    TokenRow, Topic, in_force,
};
pub use postgres::{HandRow, Hands, Lease, Presence, SharedLock, WorkerSecret};
pub use remarks::Remarks;
pub use sqlite::{BackedUp, backup, faults, repair};
pub use turns::{Asked, DailyBudget, Turn, Turns, delete as delete_turns};

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::{clock, secret};
use objects::Objects;
use ports::Ports;
use postgres::PostgresStore;
use sqlite::SqliteStore;

/// The file of a crawl's pages, in a data folder.
fn warc_name(crawl: i64) -> String {
    format!("crawl-{crawl}.warc.gz")
}

/// An object that is put down to see whether it can be.
const TRIED: &str = "tried";

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
    hands: Option<Hands>,
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

    /// Opens the store in a PostgreSQL database, beside a data folder.
    pub async fn open_database(address: &str, folder: &Path) -> Result<Self> {
        let ports = PostgresStore::open(address, folder).await?;
        let hands = Some(Hands::of(&ports));
        Ok(Self {
            hands,
            ..Self::new(Arc::new(ports), folder)
        })
    }

    /// What crawls leave to hands on whatever machines; none where the database is the folder's own.
    pub fn hands(&self) -> Option<&Hands> {
        self.hands.as_ref()
    }

    /// Whose turn it is to ask hosts, for a crawl that this program runs, whose hosts rest for `delay`
    /// milliseconds.
    pub async fn turns(&self, crawl: i64, delay: u64) -> Result<Turns> {
        Turns::open(self.hands(), &self.folder, crawl, clock::now(), delay).await
    }

    /// Where archives are copied to; `None` if they are not. Those of a database in the data folder never
    /// are: `linkscent backup` copies both.
    pub async fn copied_to(&self) -> Result<Option<String>> {
        let Some(hands) = self.hands() else {
            return Ok(None);
        };
        let mut database = hands.pool().acquire().await.map_err(StoreError::from)?;
        Ok(postgres::copies(&mut database).await?)
    }

    /// The same, to write there, while nobody else does.
    pub async fn hold_copies(&self) -> Result<Option<ArchiveCopies>> {
        let (Some(hands), Some(_)) = (self.hands(), self.copied_to().await?) else {
            return Ok(None);
        };
        let mut lock = SharedLock::of_copies(hands).await?;
        // It may have been another place until now.
        let Some(place) = postgres::copies(lock.connection()).await? else {
            return Ok(None);
        };
        let objects = tokio::task::spawn_blocking(move || Objects::at(&place)).await??;
        Ok(Some(ArchiveCopies { objects, lock }))
    }

    /// How far the archive of each crawl is copied.
    pub async fn copied(&self) -> Result<Vec<Copied>> {
        let Some(hands) = self.hands() else {
            return Ok(Vec::new());
        };
        let mut database = hands.pool().acquire().await.map_err(StoreError::from)?;
        let extents = postgres::extents(&mut database, None).await?.into_iter();
        let copied = extents.map(|extent| Copied {
            crawl: extent.crawl,
            bytes: extent.bytes,
            copied: extent.copied,
        });
        Ok(copied.collect())
    }

    /// Has archives be copied to a place from now on, to a folder of their own there.
    pub async fn copy_to(&self, place: &str) -> Result<()> {
        let hands = self.hands().context(
            "archives are copied only where the rows are in a database elsewhere (--database); \
             `linkscent backup` copies rows and archives of a data folder",
        )?;
        let mut lock = SharedLock::of_copies(hands).await?;
        if let Some(before) = postgres::copies(lock.connection()).await? {
            bail!("archives are copied to {before} already: --stop that first");
        }
        let own = secret::random_hex::<8>();
        let own = format!("{}/{own}", place.trim_end_matches('/'));
        let opening = tokio::task::spawn_blocking({
            let own = own.clone();
            move || {
                Objects::make(&own)?;
                Objects::at(&own)
            }
        });
        // One that cannot be used is not put down.
        let objects = opening.await??;
        objects.put(TRIED, Vec::new()).await?;
        objects.delete(TRIED).await?;
        postgres::set_copies(lock.connection(), Some(&own)).await?;
        Ok(())
    }

    /// Has archives be copied no more. Where what was copied stays. An error if something there is still to
    /// be deleted and cannot be.
    pub async fn stop_copies(&self) -> Result<Option<String>> {
        let Some(hands) = self.hands() else {
            return Ok(None);
        };
        self.sweep_copies().await.context(
            "what was forgotten or deleted cannot be deleted there just now, and nobody would know of it \
             later",
        )?;
        let mut lock = SharedLock::of_copies(hands).await?;
        let place = postgres::copies(lock.connection()).await?;
        postgres::set_copies(lock.connection(), None).await?;
        Ok(place)
    }

    /// Deletes copies of what was forgotten or deleted. An error says where something is left.
    pub async fn sweep_copies(&self) -> Result<()> {
        match self.hold_copies().await? {
            Some(mut copies) => copies.sweep().await,
            None => Ok(()),
        }
    }

    /// Brings back what a crawl's archive lacks of its copy, for who holds the crawl's lock: before pages
    /// are put down as lost.
    pub async fn complete_archive(&self, crawl: i64) -> Result<()> {
        let (Some(hands), Some(place)) = (self.hands(), self.copied_to().await?) else {
            return Ok(());
        };
        let mut database = hands.pool().acquire().await.map_err(StoreError::from)?;
        let parts = postgres::parts(&mut database, crawl).await?;
        drop(database);
        let archive = self.warc_path(crawl);
        let there = std::fs::metadata(&archive).map_or(0, |metadata| metadata.len());
        if parts.last().is_none_or(|part| part.to <= there) {
            return Ok(());
        }
        let objects = tokio::task::spawn_blocking(move || Objects::at(&place)).await??;
        let brought = archive_copies::bring_back(&objects, &parts, &archive);
        let bytes = brought
            .await
            .context("its archive has lost pages, and they are not brought back from their copy")?;
        message!("linkscent: {bytes} bytes of crawl {crawl}'s archive were brought back");
        Ok(())
    }

    /// That backend, beside that data folder.
    fn new(ports: Arc<dyn Ports>, folder: &Path) -> Self {
        Self {
            ports,
            folder: folder.to_owned(),
            hands: None,
        }
    }

    /// An empty store in memory, for tests; archives and locks lie in the folder.
    #[cfg(test)]
    pub(crate) fn in_memory(folder: &Path) -> Self {
        Self::new(Arc::new(memory::MemoryStore::default()), folder)
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
        Ok(match self.hands() {
            Some(hands) => Some(SharedLock::take(hands, crawl).await?),
            None => None,
        })
    }

    /// Whether somebody runs the crawl, here or elsewhere.
    pub fn is_locked(&self, crawl: i64) -> bool {
        CrawlLock::is_held(&self.lock_path(crawl))
    }

    /// By what name the way went of whoever ran a crawl last.
    pub(crate) fn went_by(&self, crawl: i64) -> Option<String> {
        CrawlLock::went_by(&self.lock_path(crawl))
    }

    /// Where it is written who runs a crawl.
    pub(crate) fn lock_path(&self, crawl: i64) -> PathBuf {
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

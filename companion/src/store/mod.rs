//! The embedded store: topics, what happened in the browser, crawls and every
//! request they made, in one `SQLite` file.
//!
//! A crawl's log is the truth about it: frontier, counts and models follow
//! from it (see `linkscent_core::crawl::Session::replay`). One transaction
//! takes in whole fetches, never a part of one, and with `synchronous=FULL`
//! what it acknowledged survives a power cut.

mod commands;
mod crawls;
mod devices;
mod files;
mod forgetting;
mod forms;
mod lock;
mod migrations;
mod notices;
mod salvage;
mod stands_in;
mod topics;
mod watch;

pub use commands::Command;
pub use crawls::{CrawlRow, FetchRow, Location, LostPage, NewCrawl, Order, ResultRow};
pub use devices::Device;
pub use files::open_private;
pub use forms::FormRow;
pub use lock::{CrawlLock, LockError};
pub use notices::SkippedRow;
pub use salvage::repair;
pub use stands_in::stands_in;
pub use topics::{MarkRow, Topic};
pub use watch::{AlarmRow, QuestionRow, Reaction};

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
pub use linkscent_core::wire::CrawlState;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use migrations::Due;

/// Answers of `SQLite` that mean that its file is damaged, or none of its files.
const CORRUPT: i64 = 11;
const NOT_A_DATABASE: i64 = 26;

/// The copy of the database from before it was last changed to a newer form.
pub const BACKUP: &str = "linkscent-backup.sqlite";

/// See the module.
#[derive(Clone)]
pub struct Store {
    pool: SqlitePool,
    folder: PathBuf,
    /// Says that the folder is in use.
    _lock: Arc<File>,
}

impl Store {
    /// Opens the store in a data folder, which is made if it is not there.
    pub async fn open(folder: &Path) -> Result<Self> {
        files::make_folder(folder)?;
        let (pool, lock) = Self::open_pool(folder).await?;
        Ok(Self {
            pool,
            folder: folder.to_owned(),
            _lock: Arc::new(lock),
        })
    }

    /// The database in the form of this version, and the folder's lock.
    async fn open_pool(folder: &Path) -> Result<(SqlitePool, File)> {
        let file = folder.join("linkscent.sqlite");
        let lock = files::lock_folder(folder, false)?;
        let pool = Self::connect(folder).await?;
        let due = migrations::due(&pool).await;
        let due = due.map_err(|error| damaged(error, &file))?;
        if due != Due::Steps {
            let ran = migrations::run(&pool, None).await;
            ran.map_err(|error| damaged(error, &file))?;
            return Ok((pool, lock));
        }
        // Nobody may use the database while its form changes.
        pool.close().await;
        drop(lock);
        let alone = files::lock_folder(folder, true)?;
        let pool = Self::connect(folder).await?;
        if migrations::due(&pool).await? != Due::Steps {
            // Somebody else was quicker.
            drop(alone);
            return Ok((pool, files::lock_folder(folder, false)?));
        }
        eprintln!(
            "linkscent: {} is brought to the form of this version; a copy stays in {BACKUP}",
            file.display()
        );
        migrations::back_up(&pool, folder).await?;
        let ran = migrations::run(&pool, None).await;
        ran.map_err(|error| damaged(error, &file))?;
        drop(alone);
        Ok((pool, files::lock_folder(folder, false)?))
    }

    async fn connect(folder: &Path) -> Result<SqlitePool> {
        let file = folder.join("linkscent.sqlite");
        // SQLite gives its other files the rights of this one.
        files::make_private(&file).with_context(|| format!("opening {}", file.display()))?;
        let options = SqliteConnectOptions::new()
            .filename(&file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // What is forgotten must not go on lying in free pages.
            .pragma("secure_delete", "ON")
            .busy_timeout(Duration::from_secs(10));
        let pool = SqlitePoolOptions::new()
            .max_connections(5)
            .connect_with(options)
            .await;
        pool.map_err(|error| damaged(error.into(), &file))
    }

    /// Where pages of a crawl are kept.
    pub fn warc_path(&self, crawl: i64) -> PathBuf {
        self.folder.join(format!("crawl-{crawl}.warc.gz"))
    }

    /// The right to run a crawl. Blocks for a moment; not for a runtime's thread.
    pub fn lock_crawl(&self, crawl: i64) -> Result<CrawlLock, LockError> {
        CrawlLock::take(&self.lock_path(crawl), crawl)
    }

    /// Whether somebody runs the crawl, here or elsewhere.
    pub fn is_locked(&self, crawl: i64) -> bool {
        CrawlLock::is_held(&self.lock_path(crawl))
    }

    fn lock_path(&self, crawl: i64) -> PathBuf {
        self.folder.join(format!("crawl-{crawl}.lock"))
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A number that grows with every change that another connection or process
    /// makes, as seen by a connection that is only used for this.
    pub async fn watch(&self) -> Result<Watch> {
        Ok(Watch(self.pool.acquire().await?))
    }
}

/// Looks whether anything was changed.
pub struct Watch(sqlx::pool::PoolConnection<sqlx::Sqlite>);

impl Watch {
    /// See [`Store::watch`].
    pub async fn version(&mut self) -> Result<i64> {
        let row: (i64,) = sqlx::query_as("PRAGMA data_version")
            .fetch_one(&mut *self.0)
            .await?;
        Ok(row.0)
    }
}

/// The error with what helps, where it says that the file is damaged.
fn damaged(error: anyhow::Error, file: &Path) -> anyhow::Error {
    let code = error
        .downcast_ref::<sqlx::Error>()
        .and_then(sqlx::Error::as_database_error)
        .and_then(sqlx::error::DatabaseError::code)
        .and_then(|code| code.parse::<i64>().ok());
    let Some(CORRUPT | NOT_A_DATABASE) = code.map(|code| code & 0xFF) else {
        return error.context(format!("opening {}", file.display()));
    };
    error.context(format!(
        "{} is damaged. Keep a copy of the folder, then run `linkscent repair --data {}`: it saves \
         what can be read. The pages of crawls lie in files of their own and are not touched",
        file.display(),
        file.parent().unwrap_or(file).display()
    ))
}

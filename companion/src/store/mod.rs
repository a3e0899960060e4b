//! The embedded store: topics, what happened in the browser, crawls and every
//! request they made, in one `SQLite` file.
//!
//! A crawl's log is the truth about it: frontier, counts and models follow
//! from it (see `linkscent_core::crawl::Session::recall`). One transaction
//! takes in whole fetches, never a part of one, and with `synchronous=FULL`
//! what it acknowledged survives a power cut.

mod crawls;
mod devices;
mod forms;
mod topics;
mod watch;

pub use crawls::{CrawlRow, NewCrawl, Order, Place, ResultRow};
pub use devices::Device;
pub use forms::FormRow;
pub use topics::{MarkRow, Topic};
pub use watch::{AlarmRow, QuestionRow, Reaction};

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

const SCHEMA: &str = include_str!("schema.sql");

/// See the module.
#[derive(Clone)]
pub struct Store {
    pool: SqlitePool,
    folder: PathBuf,
}

impl Store {
    /// Opens the store in a data folder, which is made if it is not there and
    /// shut to other users.
    pub async fn open(folder: &Path) -> Result<Self> {
        make_private_folder(folder)
            .with_context(|| format!("making the data folder {}", folder.display()))?;
        let file = folder.join("linkscent.sqlite");
        let options = SqliteConnectOptions::new()
            .filename(&file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(10));
        let pool = SqlitePoolOptions::new()
            .max_connections(4)
            .connect_with(options)
            .await
            .with_context(|| format!("opening {}", file.display()))?;
        sqlx::raw_sql(SCHEMA)
            .execute(&pool)
            .await
            .with_context(|| format!("preparing {}", file.display()))?;
        Ok(Self {
            pool,
            folder: folder.to_owned(),
        })
    }

    /// Where pages of a crawl are kept.
    pub fn warc_path(&self, crawl: i64) -> PathBuf {
        self.folder.join(format!("crawl-{crawl}.warc.gz"))
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

#[cfg(unix)]
fn make_private_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_private_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}

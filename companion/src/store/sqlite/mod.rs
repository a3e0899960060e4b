//! The store in one `SQLite` file. With `synchronous=FULL` what a transaction acknowledged
//! survives a power cut.

mod backup;
mod changes;
mod commands;
mod crawls;
mod deleting;
mod devices;
mod forgetting;
mod integrity;
mod kept;
mod log;
mod migrations;
mod people;
mod salvage;
mod searches;
mod standing;
mod tokens;
mod topics;
mod writer;

pub use backup::{BackedUp, backup};
pub use integrity::faults;
pub use salvage::repair;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Serialize;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection, SqlitePool};

use super::{StoreError, StoreResult, files, newest_archive};
use migrations::Due;

/// The answer of `SQLite` that means that the disk is full.
const FULL: i64 = 13;
/// Answers of `SQLite` that mean that its file is damaged, or none of its files.
const CORRUPT: i64 = 11;
const NOT_A_DATABASE: i64 = 26;
/// Answers of `SQLite` that mean that the disk failed, or takes nothing any more.
const IO_FAILED: i64 = 10;
const READ_ONLY: i64 = 8;

/// Bytes of the write-ahead log that are left between two uses.
const LARGEST_LOG: &str = "4194304";

/// To the database at a time.
const CONNECTIONS: u32 = 5;

/// The database in a data folder.
const DATABASE: &str = "linkscent.sqlite";

/// The copy of the database from before it was last changed to a newer form.
const BACKUP: &str = "linkscent-backup.sqlite";

/// A connection of its own to a database.
async fn connect(file: &Path) -> Result<SqliteConnection> {
    let options = SqliteConnectOptions::new().filename(file);
    let connection = options.connect().await;
    connection.with_context(|| format!("opening {}", file.display()))
}

/// See the module.
pub(super) struct SqliteStore {
    pool: SqlitePool,
    folder: PathBuf,
    /// Says that the folder is in use.
    _lock: File,
}

impl SqliteStore {
    /// Opens the database in a data folder, which is made if it is not there.
    pub(super) async fn open(folder: &Path) -> Result<Self> {
        files::make_folder(folder)?;
        let (pool, lock) = Self::open_pool(folder).await?;
        Ok(Self {
            pool,
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// The database in the form of this version, and the folder's lock.
    async fn open_pool(folder: &Path) -> Result<(SqlitePool, File)> {
        let file = folder.join(DATABASE);
        if salvage::is_unfinished(folder) {
            let alone = files::lock_folder(folder, true)?;
            if salvage::is_unfinished(folder) {
                salvage::finish(folder)?;
            }
            drop(alone);
        }
        let lock = files::lock_folder(folder, false)?;
        if !file.exists() && newest_archive(folder)? > 0 {
            eprintln!(
                "linkscent: {} is not there, though pages of crawls are: a new one is made; `linkscent \
                 import archive` takes the pages in",
                file.display()
            );
        }
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
        let file = folder.join(DATABASE);
        let _turn = files::turn_to_open(folder).await?;
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
            // Else the log stays as large as the largest model was.
            .pragma("journal_size_limit", LARGEST_LOG)
            .busy_timeout(Duration::from_secs(10));
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS)
            .max_lifetime(None)
            .idle_timeout(None)
            // A transaction that failed for want of room may have ended without the pool knowing.
            .after_release(|connection, _| {
                let is_clean = !connection.is_in_transaction();
                Box::pin(async move { Ok(is_clean) })
            })
            .connect_with(options)
            .await;
        let pool = pool.map_err(|error| damaged(error.into(), &file))?;
        // All of them are opened now, one after the other, and stay: the thread of one gives way to others
        // if whoever opens it does.
        let mut opened = Vec::new();
        for _ in 0..CONNECTIONS {
            let connection = pool.acquire().await;
            opened.push(connection.map_err(|error| damaged(error.into(), &file))?);
        }
        drop(opened);
        Ok(pool)
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let refused = error.as_database_error();
        if refused.is_some_and(sqlx::error::DatabaseError::is_foreign_key_violation) {
            return Self::Missing("topic or crawl");
        }
        if refused.is_some_and(sqlx::error::DatabaseError::is_unique_violation) {
            return Self::Conflict;
        }
        match code_of(&error) {
            Some(FULL) => Self::Full(error.into()),
            Some(CORRUPT | NOT_A_DATABASE) => Self::Damaged(error.into()),
            Some(IO_FAILED | READ_ONLY) => Self::Disk(error.into()),
            _ => Self::Backend(error.into()),
        }
    }
}

/// What `SQLite` answered, the general part of its code.
fn code_of(error: &sqlx::Error) -> Option<i64> {
    let code = error.as_database_error()?.code()?;
    Some(code.parse::<i64>().ok()? & 0xFF)
}

/// A value as a column keeps it.
fn json(value: &impl Serialize) -> StoreResult<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Backend(error.into()))
}

/// The error with what helps, where it says that the file is damaged or the disk full.
fn damaged(error: anyhow::Error, file: &Path) -> anyhow::Error {
    let code = error.downcast_ref::<sqlx::Error>().and_then(code_of);
    if code == Some(FULL) {
        let file = file.display();
        return error.context(format!(
            "writing to {file}: there is no room left; make some"
        ));
    }
    let Some(CORRUPT | NOT_A_DATABASE) = code else {
        return error.context(format!("opening {}", file.display()));
    };
    error.context(format!(
        "{} is damaged. Keep a copy of the folder, then run `linkscent repair --data {}`: it saves \
         what can be read. The pages of crawls lie in files of their own and are not touched",
        file.display(),
        file.parent().unwrap_or(file).display()
    ))
}

#[cfg(test)]
mod tests {
    use crate::store::Store;
    use crate::store::tests::folder;

    #[tokio::test]
    async fn the_log_is_short_again_behind_a_large_model() {
        let folder = folder();
        let store = Store::open(folder.path()).await.unwrap();
        let topic = store.topic_named("bees").await.unwrap().id;
        let log = folder.path().join("linkscent.sqlite-wal");
        let length = || std::fs::metadata(&log).unwrap().len();
        store.set_model(topic, &vec![7; 16 << 20]).await.unwrap();
        assert!(length() > 16 << 20);
        // The next write starts the log over and cuts it.
        store.topic_named("wasps").await.unwrap();
        assert!(length() <= 4 << 20, "{}", length());
    }
}

//! The store in one `SQLite` file. With `synchronous=FULL` what a transaction acknowledged
//! survives a power cut.

mod backup;
mod changes;
mod dialect;
mod integrity;
mod migrations;
mod salvage;
#[cfg(test)]
mod tests;
mod traces;

pub use backup::{BackedUp, backup};
pub(super) use dialect::failure;
pub use integrity::faults;
pub use salvage::repair;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection, SqlitePool};

use super::dialect::Failure;
use super::{files, newest_archive};
use migrations::Due;

/// Where a move makes the folder's database.
pub(super) const MOVING: &str = "moving";

/// Bytes of the write-ahead log that are left between two uses.
const LARGEST_LOG: &str = "4194304";

/// To the database at a time.
const CONNECTIONS: u32 = 5;

/// The database in a data folder.
const DATABASE: &str = "linkscent.sqlite";

/// The copy of the database from before it was last changed to a newer form.
const BACKUP: &str = "linkscent-backup.sqlite";

/// Deletes what moves, repairs and changes of the form left beside the database.
pub(super) fn delete_copies(folder: &Path) -> std::io::Result<()> {
    // Copies that a move or a repair had made that was cut off.
    for beside in [MOVING, salvage::BESIDE] {
        let _ = std::fs::remove_dir_all(folder.join(beside));
    }
    match std::fs::remove_file(folder.join(BACKUP)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        deleted => deleted,
    }
}

#[cfg(feature = "team")]
/// Whether a data folder has a database.
pub(super) fn is_in(folder: &Path) -> bool {
    folder.join(DATABASE).exists()
}

#[cfg(feature = "team")]
/// Gives the database of a data folder, which nobody uses, another name: which.
pub(super) fn put_aside(folder: &Path, ending: &str) -> Result<PathBuf> {
    let aside = folder.join(format!("{DATABASE}.{ending}"));
    // What is not in the file itself yet goes along with it, and first: no other file may find it there.
    for (from, to) in [
        (
            format!("{DATABASE}-wal"),
            format!("{DATABASE}.{ending}-wal"),
        ),
        (DATABASE.to_owned(), format!("{DATABASE}.{ending}")),
    ] {
        let from = folder.join(from);
        if from.exists() {
            let moving = || format!("moving {}", from.display());
            std::fs::rename(&from, folder.join(to)).with_context(moving)?;
        }
    }
    let _ = std::fs::remove_file(folder.join(format!("{DATABASE}-shm")));
    Ok(aside)
}

#[cfg(feature = "team")]
/// Takes the database out of a folder that was made for it, which goes. Nobody uses either.
pub(super) async fn take_from(beside: &Path, folder: &Path, pool: SqlitePool) -> Result<()> {
    pool.close().await;
    // Alone: another connection of the pool may not have come to rest before.
    let options = SqliteConnectOptions::new().filename(beside.join(DATABASE));
    let mut alone = options.connect().await?;
    let (is_busy, waits, written): (i64, i64, i64) =
        sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)")
            .fetch_one(&mut alone)
            .await?;
    alone.close().await?;
    let log = beside.join(format!("{DATABASE}-wal"));
    let left = std::fs::metadata(&log).map_or(0, |log| log.len());
    ensure!(
        is_busy == 0 && waits == written && left == 0,
        "{} could not be written whole",
        beside.join(DATABASE).display()
    );
    let from = beside.join(DATABASE);
    let moving = || format!("moving {}", from.display());
    std::fs::rename(&from, folder.join(DATABASE)).with_context(moving)?;
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .with_context(moving)?;
    let deleting = || format!("deleting {}", beside.display());
    std::fs::remove_dir_all(beside).with_context(deleting)
}

/// A connection of its own to a database.
async fn connect(file: &Path) -> Result<SqliteConnection> {
    let options = SqliteConnectOptions::new().filename(file);
    let connection = options.connect().await;
    connection.with_context(|| format!("opening {}", file.display()))
}

/// See the module.
pub(super) struct SqliteStore {
    pub(super) pool: SqlitePool,
    folder: PathBuf,
    /// Says that the folder is in use.
    _lock: File,
}

impl SqliteStore {
    /// Opens the database in a data folder, which is made if it is not there.
    pub(super) async fn open(folder: &Path) -> Result<Self> {
        files::make_folder(folder)?;
        ensure!(
            !folder.join(files::ELSEWHERE).exists(),
            "the data folder {} belongs to a PostgreSQL database: say to which, by --database or \
             LINKSCENT_DATABASE",
            folder.display()
        );
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
            message!(
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
        message!(
            "linkscent: {} is brought to the form of this version; a copy stays in {BACKUP}",
            file.display()
        );
        migrations::back_up(&pool, folder).await?;
        let ran = migrations::run(&pool, None).await;
        ran.map_err(|error| damaged(error, &file))?;
        drop(alone);
        Ok((pool, files::lock_folder(folder, false)?))
    }

    #[cfg(feature = "team")]
    /// The same, for who holds the folder's lock alone.
    pub(super) async fn open_locked(folder: &Path) -> Result<SqlitePool> {
        if salvage::is_unfinished(folder) {
            salvage::finish(folder)?;
        }
        let pool = Self::connect(folder).await?;
        if migrations::due(&pool).await? == Due::Steps {
            migrations::back_up(&pool, folder).await?;
        }
        migrations::run(&pool, None).await?;
        Ok(pool)
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

/// The error with what helps, where it says that the file is damaged or the disk full.
fn damaged(error: anyhow::Error, file: &Path) -> anyhow::Error {
    match error.downcast_ref::<sqlx::Error>().and_then(failure) {
        Some(Failure::Damaged) => {}
        Some(Failure::Full) => {
            let file = file.display();
            return error.context(format!(
                "writing to {file}: there is no room left; make some"
            ));
        }
        Some(_) | None => {
            return error.context(format!("opening {}", file.display()));
        }
    }
    error.context(format!(
        "{} is damaged. Keep a copy of the folder, then run `linkscent data repair --data {}`: it saves \
         what can be read. The pages of crawls lie in files of their own and are not touched",
        file.display(),
        file.parent().unwrap_or(file).display()
    ))
}

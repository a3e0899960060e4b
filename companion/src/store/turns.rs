//! Whose turn it is to ask a host, for all crawls of a data folder, in whatever process they run,
//! and across restarts: a file of its own, since a request must not wait until its turn is on the
//! disk. What a power cut takes from it is a rest of seconds. Hosts stand in it as hashes, for a
//! day.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::files;
use crate::secret;

const FILE: &str = "turns.sqlite";
/// What SQLite calls damage.
const CORRUPT: &str = "11";
const NOT_A_DATABASE: &str = "26";
/// Milliseconds after which a turn is free that nobody gave back.
const LEASE: i64 = 60_000;
/// Milliseconds that a host rests at most.
const LONGEST_REST: i64 = 60 * 60 * 1_000;
/// So long after it was free a host is forgotten.
const KEPT: i64 = 24 * 60 * 60 * 1_000;

/// What came of asking for a host's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It is the crawl's now.
    Ours,
    /// Another crawl asks the host.
    Taken,
    /// The host rests, until this time in milliseconds since 1970.
    Rests(i64),
}

/// See the module. Clones are the same.
#[derive(Debug, Clone)]
pub struct Turns {
    pool: SqlitePool,
    /// The crawl that asks.
    crawl: i64,
}

impl Turns {
    /// The turns of a data folder, for a crawl that nobody else runs. Those that it left open when
    /// it was killed are given back: their hosts rest now. A file that cannot be read is replaced by
    /// an empty one.
    pub async fn open(folder: &Path, crawl: i64, now: i64, delay: u64) -> Result<Self> {
        let _turn = files::turn_to_open(folder).await?;
        let mut opened = Self::try_open(folder, crawl, now, delay).await;
        if opened.as_ref().is_err_and(is_damage) {
            delete(folder)?;
            opened = Self::try_open(folder, crawl, now, delay).await;
        }
        opened.with_context(|| format!("opening {}", folder.join(FILE).display()))
    }

    async fn try_open(folder: &Path, crawl: i64, now: i64, delay: u64) -> Result<Self> {
        let turns = Self::connect(folder, crawl).await?;
        // Those of this process are given back by the requests that have them.
        sqlx::query("UPDATE turn SET free = ?, crawl = 0 WHERE crawl = ? AND process <> ?")
            .bind(now.saturating_add_unsigned(delay))
            .bind(crawl)
            .bind(process())
            .execute(&turns.pool)
            .await?;
        sqlx::query("DELETE FROM turn WHERE free < ?")
            .bind(now - KEPT)
            .execute(&turns.pool)
            .await?;
        Ok(turns)
    }

    async fn connect(folder: &Path, crawl: i64) -> Result<Self> {
        let file = folder.join(FILE);
        files::make_private(&file)?;
        let options = SqliteConnectOptions::new()
            .filename(&file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Off)
            .pragma("secure_delete", "ON")
            .busy_timeout(Duration::from_secs(10));
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .connect_with(options)
            .await?;
        sqlx::query(
            "CREATE TABLE IF NOT EXISTS turn (
                 host    INTEGER PRIMARY KEY,
                 crawl   INTEGER NOT NULL, -- who asks; 0: nobody
                 process INTEGER NOT NULL, -- where
                 free    INTEGER NOT NULL  -- from when on it may be asked, in milliseconds since 1970
             ) STRICT",
        )
        .execute(&pool)
        .await?;
        Ok(Self { pool, crawl })
    }

    /// Takes the turn of a host, if it is free.
    pub async fn take(&self, host: &str, now: i64) -> Result<Turn> {
        let taken = sqlx::query(
            "INSERT INTO turn (host, crawl, free, process) VALUES (?1, ?2, ?3, ?6)
             ON CONFLICT (host) DO UPDATE SET crawl = ?2, free = ?3, process = ?6
             WHERE free <= ?4 OR free > ?5",
        )
        .bind(key(host))
        .bind(self.crawl)
        .bind(now + LEASE)
        .bind(now)
        // A clock that was set back must not keep a host shut.
        .bind(now + LONGEST_REST)
        .bind(process())
        .execute(&self.pool)
        .await?;
        if taken.rows_affected() > 0 {
            return Ok(Turn::Ours);
        }
        let row: Option<(i64, i64)> = sqlx::query_as("SELECT crawl, free FROM turn WHERE host = ?")
            .bind(key(host))
            .fetch_optional(&self.pool)
            .await?;
        Ok(match row {
            Some((0, free)) => Turn::Rests(free),
            _ => Turn::Taken,
        })
    }

    /// Gives the turn of a host back: it rests for so many milliseconds, an hour at most.
    pub async fn give_back(&self, host: &str, now: i64, rest: u64) -> Result<()> {
        let rest = i64::try_from(rest).unwrap_or(LONGEST_REST);
        let free = now + rest.min(LONGEST_REST);
        sqlx::query(
            "UPDATE turn SET free = ?, crawl = 0 WHERE host = ? AND crawl = ? AND process = ?",
        )
        .bind(free)
        .bind(key(host))
        .bind(self.crawl)
        .bind(process())
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// Deletes the turns of a data folder whose crawls rest.
pub fn delete(folder: &Path) -> Result<()> {
    for ending in ["", "-wal", "-shm"] {
        let file = folder.join(format!("{FILE}{ending}"));
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("deleting {}", file.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What tells this process from all others.
fn process() -> i64 {
    static PROCESS: OnceLock<i64> = OnceLock::new();
    *PROCESS.get_or_init(|| key(&secret::random_hex::<16>()))
}

/// Whether a file is no database, or a damaged one.
fn is_damage(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<sqlx::Error>();
    let code = error.and_then(|error| error.as_database_error()?.code());
    code.is_some_and(|code| [CORRUPT, NOT_A_DATABASE].contains(&&*code))
}

fn key(host: &str) -> i64 {
    let hash = Sha256::digest(host.as_bytes());
    let mut half = [0; 8];
    half.copy_from_slice(&hash[..8]);
    i64::from_le_bytes(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_crawl_asks_a_host_at_a_time_and_then_it_rests() {
        let folder = tempfile::tempdir().unwrap();
        let first = Turns::open(folder.path(), 1, 0, 1_000).await.unwrap();
        let second = Turns::open(folder.path(), 2, 0, 1_000).await.unwrap();
        assert_eq!(first.take("a.test", 10).await.unwrap(), Turn::Ours);
        assert_eq!(second.take("a.test", 20).await.unwrap(), Turn::Taken);
        assert_eq!(second.take("b.test", 20).await.unwrap(), Turn::Ours);
        // Only who has it gives it back.
        second.give_back("a.test", 20, 10).await.unwrap();
        assert_eq!(second.take("a.test", 40).await.unwrap(), Turn::Taken);
        first.give_back("a.test", 50, 1_000).await.unwrap();
        assert_eq!(
            second.take("a.test", 1_049).await.unwrap(),
            Turn::Rests(1_050)
        );
        assert_eq!(second.take("a.test", 1_050).await.unwrap(), Turn::Ours);
        // A crawl that goes on in the same process leaves its open requests their turns.
        let resumed = Turns::open(folder.path(), 2, 1_060, 1_000).await.unwrap();
        assert_eq!(resumed.take("a.test", 1_060).await.unwrap(), Turn::Taken);
        // A turn that was forgotten is free some time later.
        assert_eq!(
            first.take("a.test", 1_050 + LEASE).await.unwrap(),
            Turn::Ours
        );
    }

    #[tokio::test]
    async fn turns_outlive_a_process_and_those_left_open_are_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let killed = Turns::open(folder.path(), 1, 0, 1_000).await.unwrap();
        killed.take("open.test", 10).await.unwrap();
        killed.take("rests.test", 10).await.unwrap();
        killed.give_back("rests.test", 100, 600).await.unwrap();
        // As if another process had it.
        sqlx::query("UPDATE turn SET process = 0")
            .execute(&killed.pool)
            .await
            .unwrap();
        drop(killed);
        let again = Turns::open(folder.path(), 1, 200, 1_000).await.unwrap();
        assert_eq!(
            again.take("open.test", 300).await.unwrap(),
            Turn::Rests(1_200)
        );
        assert_eq!(
            again.take("rests.test", 300).await.unwrap(),
            Turn::Rests(700)
        );
        // The clock goes back by a day: nobody waits so long.
        let day = 24 * 60 * 60 * 1_000;
        let back = again.take("open.test", 300 - day).await.unwrap();
        assert_eq!(back, Turn::Ours);
        // Nor does a host shut itself for ever.
        again.give_back("open.test", 0, u64::MAX).await.unwrap();
        let rests = again.take("open.test", 1).await.unwrap();
        assert_eq!(rests, Turn::Rests(LONGEST_REST));
        let later = again.take("open.test", LONGEST_REST).await.unwrap();
        assert_eq!(later, Turn::Ours);
    }

    #[tokio::test]
    async fn a_new_file_is_opened_by_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let turn = files::turn_to_open(folder.path()).await.unwrap();
        let path = folder.path().to_owned();
        let second = tokio::spawn(async move { Turns::open(&path, 1, 0, 1_000).await });
        let waits = tokio::time::timeout(Duration::from_millis(200), async {
            while !folder.path().join(FILE).exists() {
                tokio::task::yield_now().await;
            }
        });
        assert!(waits.await.is_err(), "it was opened beside another");
        drop(turn);
        second.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_damaged_file_is_made_anew_and_no_name_stands_in_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), b"no database at all, but a text").unwrap();
        let turns = Turns::open(folder.path(), 1, 0, 1_000).await.unwrap();
        assert_eq!(turns.take("secret.test", 10).await.unwrap(), Turn::Ours);
        turns.pool.close().await;
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            assert!(!bytes.windows(6).any(|part| part == b"secret"));
        }
        delete(folder.path()).unwrap();
        assert!(!folder.path().join(FILE).exists());
    }
}

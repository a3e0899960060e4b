//! Turns in a file of the data folder, of its own, since a request must not wait until its turn is on
//! the disk. What a power cut takes from it is a rest of seconds. Hosts stand in it as hashes, for a
//! day.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::process;
use crate::files;
use crate::turn::{Asked, DailyBudget, LEASE, LONGEST_REST, Turn, key};

const FILE: &str = "turns.sqlite";
/// What SQLite calls damage.
const CORRUPT: &str = "11";
const NOT_A_DATABASE: &str = "26";
/// Milliseconds by which one who waited for the file may look at the clock earlier than who used it
/// before: by so much it was not set back.
const SKEW: i64 = 15_000;
const DAY: i64 = 24 * 60 * 60 * 1_000;
/// So long after it was free a host is forgotten.
const KEPT: i64 = DAY;

/// See the module. Clones are the same.
#[derive(Debug, Clone)]
pub struct FileTurns {
    pool: SqlitePool,
    /// The crawl that asks.
    crawl: i64,
}

impl FileTurns {
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
        sqlx::query(
            "UPDATE rest SET free = ?, since = ?, crawl = 0 WHERE crawl = ? AND process <> ?",
        )
        .bind(now.saturating_add_unsigned(delay))
        .bind(now)
        .bind(crawl)
        .bind(process())
        .execute(&turns.pool)
        .await?;
        sqlx::query("DELETE FROM rest WHERE free < ?")
            .bind(now - KEPT)
            .execute(&turns.pool)
            .await?;
        sqlx::query("DELETE FROM spent WHERE day < ?")
            .bind(now / DAY)
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
            "DROP TABLE IF EXISTS turn; -- of an earlier form
             CREATE TABLE IF NOT EXISTS rest (
                 host    INTEGER PRIMARY KEY,
                 crawl   INTEGER NOT NULL, -- who asks; 0: nobody
                 process INTEGER NOT NULL, -- where
                 free    INTEGER NOT NULL, -- from when on it may be asked, in milliseconds since 1970
                 since   INTEGER NOT NULL  -- when that was said
             ) STRICT",
        )
        .execute(&pool)
        .await?;
        sqlx::query(
            "CREATE TABLE IF NOT EXISTS spent (
                 host     INTEGER NOT NULL,
                 day      INTEGER NOT NULL, -- since 1970, UTC
                 requests INTEGER NOT NULL,
                 bytes    INTEGER NOT NULL,
                 PRIMARY KEY (host, day)
             ) STRICT, WITHOUT ROWID",
        )
        .execute(&pool)
        .await?;
        Ok(Self { pool, crawl })
    }

    /// Takes the turn of a host and of its server, if both are free and the day's budget allows it.
    pub async fn take(&self, asked: &Asked<'_>, now: i64, budget: DailyBudget) -> Result<Turn> {
        let keys = asked.list();
        let most = |most: Option<u64>| {
            let most = most.map(|most| i64::try_from(most).unwrap_or(i64::MAX));
            most.unwrap_or(i64::MAX)
        };
        let taken = sqlx::query(
            "INSERT INTO rest (host, crawl, free, process, since)
             SELECT value, ?2, ?3, ?5, ?4 FROM json_each(?1)
             WHERE NOT EXISTS (SELECT 1 FROM json_each(?1) JOIN rest ON host = value
                               WHERE free > ?4)
             AND NOT EXISTS (SELECT 1 FROM spent WHERE host = ?6 AND day = ?7
                             AND (requests >= ?8 OR bytes >= ?9))
             ON CONFLICT (host) DO UPDATE SET crawl = ?2, free = ?3, process = ?5, since = ?4",
        )
        .bind(&keys)
        .bind(self.crawl)
        .bind(now + LEASE)
        .bind(now)
        .bind(process())
        .bind(key(asked.host))
        .bind(now / DAY)
        .bind(most(budget.requests.map(u64::from)))
        .bind(most(budget.bytes))
        .execute(&self.pool)
        .await?;
        if taken.rows_affected() > 0 {
            if budget != DailyBudget::default() {
                self.spend(asked, now, 1, 0).await?;
            }
            return Ok(Turn::Ours);
        }
        if budget != DailyBudget::default() && self.is_spent(asked, now, budget).await? {
            return Ok(Turn::Spent((now / DAY + 1) * DAY));
        }
        // A clock that was set back keeps no host shut for as long: it rests as it was to, from now on.
        sqlx::query(
            "UPDATE rest SET free = ?1 + (free - since), since = ?1
             WHERE since > ?2 AND host IN (SELECT value FROM json_each(?3))",
        )
        .bind(now)
        .bind(now + SKEW)
        .bind(&keys)
        .execute(&self.pool)
        .await?;
        let rows: Vec<(i64, i64)> = sqlx::query_as(
            "SELECT crawl, free FROM json_each(?) JOIN rest ON host = value WHERE free > ?",
        )
        .bind(&keys)
        .bind(now)
        .fetch_all(&self.pool)
        .await?;
        Ok(match rows.iter().map(|(_, free)| *free).max() {
            Some(free) if rows.iter().all(|(crawl, _)| *crawl == 0) => Turn::Rests(free),
            _ => Turn::Taken,
        })
    }

    async fn is_spent(&self, asked: &Asked<'_>, now: i64, budget: DailyBudget) -> Result<bool> {
        let spent: Option<(i64, i64)> =
            sqlx::query_as("SELECT requests, bytes FROM spent WHERE host = ? AND day = ?")
                .bind(key(asked.host))
                .bind(now / DAY)
                .fetch_optional(&self.pool)
                .await?;
        Ok(spent.is_some_and(|(requests, bytes)| budget.is_spent(requests, bytes)))
    }

    /// Counts so many requests and bytes of a host today.
    async fn spend(&self, asked: &Asked<'_>, now: i64, requests: i64, bytes: u64) -> Result<()> {
        sqlx::query(
            "INSERT INTO spent (host, day, requests, bytes) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (host, day)
             DO UPDATE SET requests = requests + ?3, bytes = bytes + ?4",
        )
        .bind(key(asked.host))
        .bind(now / DAY)
        .bind(requests)
        .bind(i64::try_from(bytes).unwrap_or(i64::MAX))
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Gives the turn of a host back: it rests for so many milliseconds, an hour at most; its server
    /// does not. So many bytes count towards its budget.
    pub async fn give_back(
        &self,
        asked: &Asked<'_>,
        now: i64,
        rest: u64,
        bytes: u64,
    ) -> Result<()> {
        let rest = i64::try_from(rest).unwrap_or(LONGEST_REST);
        let free = now + rest.min(LONGEST_REST);
        sqlx::query(
            "UPDATE rest SET free = iif(host = ?1, ?2, ?3), since = ?3, crawl = 0
             WHERE host IN (SELECT value FROM json_each(?4)) AND crawl = ?5 AND process = ?6",
        )
        .bind(key(asked.host))
        .bind(free)
        .bind(now)
        .bind(asked.list())
        .bind(self.crawl)
        .bind(process())
        .execute(&self.pool)
        .await?;
        if bytes > 0 {
            self.spend(asked, now, 0, bytes).await?;
        }
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

/// Whether a file is no database, or a damaged one.
fn is_damage(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<sqlx::Error>();
    let code = error.and_then(|error| error.as_database_error()?.code());
    code.is_some_and(|code| [CORRUPT, NOT_A_DATABASE].contains(&&*code))
}

#[cfg(test)]
mod tests;

//! One crawl has one writer, on whatever machine: a lock of the database, besides the lock file.
//! That of a network's file system may hold for one machine alone, and a data folder can be copied.
//!
//! The lock lies in a connection of its own, and the server lets go of it when that ends. Where its machine
//! is gone without a word, that is after five seconds.
//!
//! Any role of the database may take any advisory lock. So a row of a table that only programs reach says
//! which session has the lock, and an advisory lock with a random key only whether that session still lives.

use std::time::{Duration, Instant};

use anyhow::Result;
use sqlx::{Connection, PgConnection};
use tokio::time::{sleep, timeout};

use super::Workers;
use crate::{LockError, StoreError, StoreResult};

/// Name of the lock of copies.
const COPIES: &str = "copies";
/// A connection that was cut may hold the lock for as long as this.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Time limit for the lock of copies: who writes copies has it for a part at a time.
const LONGEST_TURN: Duration = Duration::from_mins(5);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// The same time limit for rows that others have locked.
const LONGEST_ROW_LOCK: &str = "SET lock_timeout = '5min'";
/// Has the server miss the other side of a connection after five seconds. A connection that does not leave
/// the machine ends with its program, and takes no notice of this.
const MISSED_SOON: &str = "SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1;
    SET tcp_keepalives_count = 3; SET tcp_user_timeout = 5000";

/// The right to write a crawl's log, or copies of archives, for as long as it lives and its connection does.
#[derive(Debug)]
pub struct SharedLock(PgConnection);

impl SharedLock {
    /// Takes the lock. [`LockError::Held`] if somebody has it all the time that a lost connection may.
    pub(crate) async fn take(workers: &Workers, crawl: i64) -> Result<Self> {
        let mut connection = connect(workers).await?;
        let (name, begun) = (format!("crawl {crawl}"), Instant::now());
        while !take(&mut connection, &name).await? {
            if begun.elapsed() > LONGEST_WAIT {
                let process = String::new();
                return Err(LockError::Held { crawl, process }.into());
            }
            sleep(BETWEEN_LOOKS).await;
        }
        Ok(Self(connection))
    }

    /// Waits until it is the only one that writes copies of archives, or may.
    pub(crate) async fn of_copies(workers: &Workers) -> StoreResult<Self> {
        let mut connection = connect(workers).await?;
        sqlx::raw_sql(LONGEST_ROW_LOCK)
            .execute(&mut connection)
            .await?;
        let taking = async {
            while !take(&mut connection, COPIES).await? {
                sleep(BETWEEN_LOOKS).await;
            }
            Ok(())
        };
        let taken: Result<StoreResult<()>, _> = timeout(LONGEST_TURN, taking).await;
        taken.map_err(|late| StoreError::Away(late.into()))??;
        Ok(Self(connection))
    }

    /// Its connection: what is done over it is done only while the lock is held.
    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        &mut self.0
    }

    /// An error if the lock was lost, with its connection, or if that does not answer for ten seconds.
    pub async fn is_ours(&mut self) -> StoreResult<()> {
        match timeout(LONGEST_WAIT, self.0.ping()).await {
            Ok(answered) => Ok(answered?),
            Err(late) => Err(StoreError::Away(late.into())),
        }
    }
}

/// A connection of its own, whose other side the server misses soon.
async fn connect(workers: &Workers) -> StoreResult<PgConnection> {
    let mut connection = workers.pool().acquire().await?.detach();
    sqlx::raw_sql(MISSED_SOON).execute(&mut connection).await?;
    Ok(connection)
}

/// Takes a lock for as long as the connection lives; false if another session has it.
async fn take(connection: &mut PgConnection, name: &str) -> StoreResult<bool> {
    let taken = sqlx::query_scalar("SELECT take_lock($1)").bind(name);
    Ok(taken.fetch_one(connection).await?)
}

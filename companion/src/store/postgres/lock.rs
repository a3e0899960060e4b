//! One crawl has one writer, on whatever machine: an advisory lock of the database, besides the lock file.
//! That of a network's file system may hold for one machine alone, and a data folder can be copied.
//!
//! The lock lies in a connection of its own, and the server lets go of it when that ends. Where its machine
//! is gone without a word, that is after five seconds.

use std::time::{Duration, Instant};

use anyhow::Result;
use sqlx::{Connection, PgConnection};
use tokio::time::timeout;

use super::Hands;
use crate::store::{LockError, StoreError, StoreResult};

/// What tells locks of crawls from others.
const CLASS: i32 = 7_475;
/// The same of the lock of copies; hands have the number between.
const COPIES_CLASS: i32 = 7_477;
/// A connection that was cut may hold the lock for as long as this.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
/// Who writes copies has the lock for a part at a time; what waits for it, and for others' rows, gives up then.
const LONGEST_TURN: &str = "SET lock_timeout = '5min'";
/// Has the server miss the other side of a connection after five seconds. A connection that does not leave
/// the machine ends with its program, and takes no notice of this.
const MISSED_SOON: &str = "SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1;
    SET tcp_keepalives_count = 3; SET tcp_user_timeout = 5000";

/// The right to write a crawl's log, or copies of archives, for as long as it lives and its connection does.
#[derive(Debug)]
pub struct SharedLock(PgConnection);

impl SharedLock {
    /// Takes the lock. [`LockError::Held`] if somebody has it all the time that a lost connection may.
    pub(in crate::store) async fn take(hands: &Hands, crawl: i64) -> Result<Self> {
        let connection = hands.pool().acquire().await.map_err(StoreError::from)?;
        let mut connection = connection.detach();
        let missed_soon = sqlx::raw_sql(MISSED_SOON).execute(&mut connection).await;
        missed_soon.map_err(StoreError::from)?;
        let begun = Instant::now();
        loop {
            let is_ours: bool = sqlx::query_scalar("SELECT pg_try_advisory_lock($1, hashint8($2))")
                .bind(CLASS)
                .bind(crawl)
                .fetch_one(&mut connection)
                .await
                .map_err(StoreError::from)?;
            if is_ours {
                return Ok(Self(connection));
            }
            if begun.elapsed() > LONGEST_WAIT {
                let process = String::new();
                return Err(LockError::Held { crawl, process }.into());
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Waits until it is the only one that writes copies of archives, or may.
    pub(in crate::store) async fn of_copies(hands: &Hands) -> StoreResult<Self> {
        let mut connection = hands.pool().acquire().await?.detach();
        sqlx::raw_sql(MISSED_SOON).execute(&mut connection).await?;
        sqlx::raw_sql(LONGEST_TURN).execute(&mut connection).await?;
        sqlx::query("SELECT pg_advisory_lock($1, 0)")
            .bind(COPIES_CLASS)
            .execute(&mut connection)
            .await?;
        Ok(Self(connection))
    }

    /// Its connection: what is done over it is done only while the lock is held.
    pub(in crate::store) fn connection(&mut self) -> &mut PgConnection {
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

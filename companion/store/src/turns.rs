//! Whose turn it is to ask a host, for all crawls of a store, in whatever process they run, and across
//! restarts: in a file of the data folder, or in the database where that is shared.
//!
//! Many hosts may lie on one server: it is asked once at a time, too, but rests only as its hosts do.
//! Where a day has a budget, what was asked of each host today is counted.

mod file;

use std::sync::OnceLock;

use anyhow::Result;

#[cfg(feature = "team")]
use super::postgres::WorkerSecret;
use super::postgres::{SharedTurns, Workers};
use crate::secret;
use crate::turn::{Asked, DailyBudget, Turn, key};
use file::FileTurns;

pub use file::delete;

/// The turns of one crawl. Clones are the same.
#[derive(Debug, Clone)]
pub enum Turns {
    /// In the data folder.
    File(FileTurns),
    /// In the database.
    Shared(SharedTurns),
}

impl Turns {
    /// For a crawl that nobody else runs. Turns that it left open when it was killed are given back:
    /// their hosts rest now.
    pub(super) async fn open(
        workers: Option<&Workers>,
        folder: &std::path::Path,
        crawl: i64,
        now: i64,
        delay: u64,
    ) -> Result<Self> {
        Ok(match workers {
            Some(workers) => {
                Self::Shared(SharedTurns::open(workers, crawl, process(), delay).await?)
            }
            None => Self::File(FileTurns::open(folder, crawl, now, delay).await?),
        })
    }

    #[cfg(feature = "team")]
    /// For a request that a worker makes for a crawl.
    pub fn of_worker(workers: &Workers, worker: &WorkerSecret, crawl: i64) -> Self {
        Self::Shared(SharedTurns::of_worker(workers, worker, crawl))
    }

    /// Takes the turn of a host and of its server, if both are free and the day's budget allows it. The
    /// host rests for `delay` milliseconds should the asker die.
    pub async fn take(
        &self,
        asked: &Asked<'_>,
        now: i64,
        budget: DailyBudget,
        delay: u64,
    ) -> Result<Turn> {
        match self {
            Self::File(turns) => turns.take(asked, now, budget).await,
            Self::Shared(turns) => turns.take(&asked.keys(), now, budget, delay).await,
        }
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
        match self {
            Self::File(turns) => turns.give_back(asked, now, rest, bytes).await,
            Self::Shared(turns) => turns.give_back(&asked.keys(), rest, bytes).await,
        }
    }
}

/// What tells this process from all others.
fn process() -> i64 {
    static PROCESS: OnceLock<i64> = OnceLock::new();
    *PROCESS.get_or_init(|| key(&secret::random_hex::<16>()))
}

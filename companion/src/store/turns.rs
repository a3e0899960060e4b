//! Whose turn it is to ask a host, for all crawls of a store, in whatever process they run, and across
//! restarts: in a file of the data folder, or in the database where that is shared.
//!
//! Many hosts may lie on one server: it is asked once at a time, too, but rests only as its hosts do.
//! Where a day has a budget, what was asked of each host today is counted.

mod file;

use std::net::IpAddr;
use std::sync::OnceLock;

use anyhow::Result;
use sha2::{Digest, Sha256};

use super::postgres::{Hands, SharedTurns, WorkerSecret};
use crate::secret;
use file::FileTurns;

pub use file::delete;

/// Milliseconds after which a turn is free that nobody gave back.
const LEASE: i64 = 60_000;
/// Milliseconds that a host rests at most.
pub(super) const LONGEST_REST: i64 = 60 * 60 * 1_000;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked<'a> {
    /// A host, or the site of one.
    pub host: &'a str,
    /// The server behind it, where that is known.
    pub server: Option<IpAddr>,
}

impl Asked<'_> {
    /// What is put down for the host, and for the server behind it.
    pub(super) fn keys(&self) -> Vec<i64> {
        let server = self.server.map(|server| key(&format!("server {server}")));
        [Some(key(self.host)), server]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The same as a list in JSON.
    fn list(&self) -> String {
        let keys: Vec<String> = self.keys().iter().map(i64::to_string).collect();
        format!("[{}]", keys.join(","))
    }
}

/// What a host may be asked for within a day (UTC), by all crawls together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DailyBudget {
    /// Requests.
    pub requests: Option<u32>,
    /// Bytes of the pages that come, unpacked.
    pub bytes: Option<u64>,
}

impl DailyBudget {
    fn is_spent(self, requests: i64, bytes: i64) -> bool {
        let is = |most: Option<u64>, used: i64| {
            most.is_some_and(|most| used.max(0).unsigned_abs() >= most)
        };
        is(self.requests.map(u64::from), requests) || is(self.bytes, bytes)
    }
}

/// What came of asking for a host's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It is the crawl's now.
    Ours,
    /// Another crawl asks the host.
    Taken,
    /// The host rests, until this time in milliseconds since 1970.
    Rests(i64),
    /// What it may be asked for today was asked for. The day ends then.
    Spent(i64),
    /// Whoever asks was given up, and asks no more.
    Gone,
}

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
        hands: Option<&Hands>,
        folder: &std::path::Path,
        crawl: i64,
        now: i64,
        delay: u64,
    ) -> Result<Self> {
        Ok(match hands {
            Some(hands) => Self::Shared(SharedTurns::open(hands, crawl, process(), delay).await?),
            None => Self::File(FileTurns::open(folder, crawl, now, delay).await?),
        })
    }

    /// For a request that a hand makes for a crawl.
    pub fn of_hand(hands: &Hands, worker: &WorkerSecret, crawl: i64) -> Self {
        Self::Shared(SharedTurns::of_hand(hands, worker, crawl))
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

fn key(host: &str) -> i64 {
    let hash = Sha256::digest(host.as_bytes());
    let mut half = [0; 8];
    half.copy_from_slice(&hash[..8]);
    i64::from_le_bytes(half)
}

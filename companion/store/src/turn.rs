//! A turn to ask a host: what is asked, what came of it, and what a day allows. Who keeps turns is told in
//! [`crate::Turns`].

use std::net::IpAddr;

use sha2::{Digest, Sha256};

/// Milliseconds after which a turn is free that nobody gave back.
pub(crate) const LEASE: i64 = 60_000;
/// Milliseconds that a host rests at most.
pub(crate) const LONGEST_REST: i64 = 60 * 60 * 1_000;

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
    pub(crate) fn keys(&self) -> Vec<i64> {
        let server = self.server.map(|server| key(&format!("server {server}")));
        [Some(key(self.host)), server]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The same as a list in JSON.
    pub(crate) fn list(&self) -> String {
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
    pub(crate) fn is_spent(self, requests: i64, bytes: i64) -> bool {
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

/// By what a host or a server is put down.
pub(crate) fn key(host: &str) -> i64 {
    let hash = Sha256::digest(host.as_bytes());
    let mut half = [0; 8];
    half.copy_from_slice(&hash[..8]);
    i64::from_le_bytes(half)
}

//! What is seen of a crawl while its programs die: its log as it grows, and when servers were asked.

use std::collections::HashMap;
use std::time::Instant;

use anyhow::Result;
use linkscent_core::crawl::DEFERRED;
use linkscent_store::Store;

use crate::watched_web::{Log, faults};

/// A crawl's log, as far as it was seen.
#[derive(Default)]
pub struct Acknowledged {
    /// Number, address and what came, line by line.
    lines: Vec<(u64, String, String)>,
    /// When an address was first seen to be done with.
    settled: HashMap<String, Instant>,
    /// Lines that were lost or changed.
    pub lost: usize,
    /// Pages that stand in the log twice.
    pub twice: usize,
}

impl Acknowledged {
    /// Lines so far.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// Sees what came since; an error while the database does not answer.
    pub async fn look(&mut self, store: &Store) -> Result<()> {
        let last = self.lines.last().map_or(0, |line| line.0);
        let rows = store.fetches_after(1, last).await?;
        let now = Instant::now();
        for row in rows {
            if !row.problem.starts_with(DEFERRED) {
                let before = self.settled.insert(row.address.clone(), now);
                self.twice += usize::from(before.is_some());
            }
            self.lines.push((row.number, row.address, row.problem));
        }
        Ok(())
    }

    /// Reads the whole log once more.
    pub async fn compare(&mut self, store: &Store) -> Result<()> {
        self.look(store).await?;
        let rows = store.fetches(1).await?;
        let rows = rows.into_iter();
        let lines: Vec<_> = rows
            .map(|row| (row.number, row.address, row.problem))
            .collect();
        let kept = self.lines.iter().zip(&lines).filter(|(a, b)| a == b);
        self.lost += self.lines.len() - kept.count();
        Ok(())
    }

    /// Pages that a server was asked for after they had been acknowledged.
    pub fn asked_again(&self, log: &Log) -> usize {
        let log = log
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let all = log
            .iter()
            .flat_map(|(host, seen)| seen.iter().map(move |seen| (host, seen)));
        let is_again = |(host, seen): &(&String, &crate::watched_web::Seen)| {
            let settled = self.settled.get(&format!("http://{host}{}", seen.page));
            settled.is_some_and(|settled| seen.from > *settled)
        };
        all.filter(is_again).count()
    }
}

/// How many requests servers saw.
pub fn requests(log: &Log) -> usize {
    let log = log
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    log.values().map(Vec::len).sum()
}

/// Requests at once to one host, and such before their time.
pub fn bad_manners(log: &Log) -> (usize, usize) {
    let (_, overlaps, early) = faults(log);
    (overlaps, early)
}

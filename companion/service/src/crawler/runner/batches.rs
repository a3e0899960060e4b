//! What came in, put down a few requests at a time: the archive first, then the log in one transaction.

use std::time::{Duration, Instant as Clock};

use anyhow::{Context, Result};
use linkscent_core::crawl::Record;

use super::{Ended, Runner};
use linkscent_store::clock;
use linkscent_store::{Location, StoreResult};

/// A transaction takes in at most so many fetches, or what came within so
/// many milliseconds.
const BATCH: usize = 64;
pub(super) const BATCH_TIME: Duration = Duration::from_millis(50);

impl Runner {
    /// Puts a request into the log with the next batch.
    pub(super) fn put_down(
        &mut self,
        record: Record,
        mut place: Location,
    ) -> Result<Option<Ended>> {
        if place.time == 0 {
            place.time = clock::now();
        }
        self.batch_began.get_or_insert_with(Clock::now);
        let (number, alarm) = (record.number, record.alarm.clone());
        self.batch.push((record, place));
        if let Some(alarm) = alarm {
            return Ok(self.react(number, alarm));
        }
        self.ask()?;
        Ok(None)
    }

    pub(super) fn batch_is_due(&self) -> bool {
        let old = |began: Clock| began.elapsed() >= BATCH_TIME;
        self.batch.len() >= BATCH || self.batch_began.is_some_and(old)
    }

    /// An error if another program may run the crawl by now.
    pub(super) fn is_ours(&mut self) -> StoreResult<()> {
        match &mut self.lock_for_all {
            Some(lock) => self.handle.block_on(lock.is_ours()),
            None => Ok(()),
        }
    }

    pub(super) fn commit(&mut self) -> Result<()> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let _span = tracing::debug_span!("commit", fetches = self.batch.len()).entered();
        self.is_ours()?;
        self.warc.sync().context("writing the WARC file")?;
        let length = self.warc.length();
        let take = self.store.take_fetches(self.crawl.id, length, &self.batch);
        self.handle.block_on(take)?;
        let pages = self.batch.iter();
        self.requests
            .logged(pages.map(|(record, _)| record.address.as_str()));
        for (record, _) in self.batch.drain(..) {
            let (number, address) = (record.number, record.address.as_str());
            self.told.row(number, address, &record.problem);
        }
        self.batch_began = None;
        Ok(())
    }
}

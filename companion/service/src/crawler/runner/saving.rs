//! A crawl's session is saved while it runs, so that one that dies need not be told its whole log:
//! more often the quicker that is, so that what a new start repeats is work of seconds. What is told
//! again is saved, too: a program that dies sooner than it is done goes on from there the next time.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant as Clock};

use anyhow::Result;
use linkscent_core::codec::SaveError;
use linkscent_core::crawl::Session;
use linkscent_core::strategies::SplitMix;

use super::{Ended, Runner};
use crate::crawler::checkpoint::{self, Told};
use crate::crawler::start::Step;
use linkscent_store::CrawlRow;

/// Work that is not worth saving: a new start repeats it at once.
const LITTLE: Duration = Duration::from_secs(2);
/// Between two times the crawl works so many times as long as saving takes.
const SHARE: u32 = 8;
/// But no longer than this, which a new start would repeat.
const MUCH: Duration = Duration::from_secs(5);
/// And so many bytes a second are written at most, in the mean: disks wear out. A crawl of a million
/// pages writes some 100 GB so, however quick it is.
const MOST_BYTES: f64 = 32e6;

/// Where it could not be written, as on a full disk, it is not tried again for so long.
const AFTER_FAILURE: Duration = Duration::from_mins(5);

/// When a session is saved.
pub(super) struct Saving {
    path: PathBuf,
    /// Whether it can be.
    is_possible: bool,
    /// How long its thread has worked since.
    worked: Duration,
    /// How long it works until the next time.
    rest: Duration,
    /// When it was told the last row of its log again.
    told: Option<Clock>,
    /// Before then it is not saved again.
    not_before: Clock,
    /// Requests that it had been told when it was saved last.
    rows: u64,
    /// Brings the last file to the disk.
    finishing: Option<JoinHandle<io::Result<()>>>,
}

impl Saving {
    /// Of a session that is about to be taken up.
    pub(super) fn new(path: PathBuf, is_possible: bool) -> Self {
        Self {
            path,
            is_possible: is_possible && checkpoint::is_possible(),
            worked: Duration::ZERO,
            rest: LITTLE,
            told: None,
            not_before: Clock::now(),
            rows: 0,
            finishing: None,
        }
    }

    /// Its checkpoint had been told so many requests, if it was not saved since.
    pub(super) fn knows(&mut self, rows: usize) {
        self.rows = self.rows.max(rows as u64);
    }

    /// It was told one more row of its log again. As long as no page is lost it may be saved there.
    pub(super) fn replayed(&mut self, step: &Step, crawl: &CrawlRow) {
        if let Some(before) = self.told.replace(Clock::now()) {
            self.worked(before.elapsed());
        }
        if step.is_whole && self.is_due(step.told) {
            self.save(step.session, crawl, step.told, step.rng);
            self.told = Some(Clock::now());
        }
    }

    /// Its thread has worked so long.
    pub(super) fn worked(&mut self, time: Duration) {
        self.worked += time;
    }

    /// Whether it is to be saved now.
    pub(super) fn is_due(&self, told: &Told) -> bool {
        self.has_news(told)
            && self.worked >= self.rest
            && Clock::now() >= self.not_before
            && self.finishing.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn has_news(&self, told: &Told) -> bool {
        self.is_possible && told.count() > self.rows
    }

    /// It was tried, which took so long.
    fn tried(&mut self, took: Duration) {
        self.worked = Duration::ZERO;
        self.rest = (SHARE * took).clamp(LITTLE, MUCH);
    }

    /// Saves a session that was told so much. That it cannot be saved hinders no crawl.
    fn save(&mut self, session: &Session, crawl: &CrawlRow, told: &Told, rng: &SplitMix) {
        self.finish();
        let began = Clock::now();
        let _span = tracing::debug_span!("checkpoint", rows = told.count()).entered();
        let written = checkpoint::write(&self.path, session, crawl, told, rng);
        self.tried(began.elapsed());
        match written {
            Ok(file) => {
                let bytes = file.metadata().map_or(0, |metadata| metadata.len());
                let pause = Duration::from_secs_f64(bytes as f64 / MOST_BYTES);
                self.not_before = began + pause;
                self.rows = told.count();
                self.finishing = Some(finish_aside(self.path.clone(), file));
            }
            Err(SaveError::NotFor(what)) => {
                tracing::info!("what “{what}” knows cannot be saved: a new start reads the log");
                self.is_possible = false;
            }
            Err(error) => {
                tracing::warn!("a checkpoint was not written: {error}");
                self.not_before = began + AFTER_FAILURE;
            }
        }
    }

    /// Waits for the last file.
    pub(super) fn finish(&mut self) {
        let Some(finishing) = self.finishing.take() else {
            return;
        };
        match finishing.join() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("a checkpoint was not written: {error}"),
            Err(_) => tracing::warn!("a checkpoint was not written: its thread ended"),
        }
    }
}

/// Whoever has the crawl's lock next finds no file that is still being written.
impl Drop for Saving {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Runner {
    /// Saves the session behind all that is acknowledged. That it cannot be saved hinders no crawl.
    pub(super) fn save(&mut self) -> Result<()> {
        self.commit()?;
        // What it will not say again is to be known before.
        self.keep_skipped()?;
        self.saving
            .save(&self.session, &self.crawl, &self.told, &self.rng);
        Ok(())
    }

    /// A crawl that will go on is saved, if it has learned anything since; of one that has ended
    /// nothing is kept.
    pub(super) fn save_at_rest(&mut self, ended: &Ended) -> Result<()> {
        let goes_on = !matches!(ended, Ended::Done(_) | Ended::Stopped);
        if goes_on && self.saving.has_news(&self.told) {
            self.save()?;
        }
        self.keep_skipped()?;
        self.saving.finish();
        if !goes_on {
            self.saving.rows = 0;
            if let Err(error) = checkpoint::delete(&self.saving.path) {
                tracing::warn!("a checkpoint was not deleted: {error}");
            }
        }
        Ok(())
    }
}

/// In a thread of its own: a disk may take its time.
fn finish_aside(path: PathBuf, file: File) -> JoinHandle<io::Result<()>> {
    std::thread::spawn(move || checkpoint::finish(&path, &file))
}

//! A crawl's session is saved while it runs, so that one that dies need not be told its whole log:
//! more often the quicker that is, so that what a new start repeats is work of seconds.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant as Clock};

use anyhow::Result;
use linkscent_core::codec::SaveError;

use super::{Ended, Runner};
use crate::crawler::checkpoint::{self, Told};

/// Work that is not worth saving: a new start repeats it at once.
const LITTLE: Duration = Duration::from_secs(2);
/// Between two times the crawl works so many times as long as saving takes.
const SHARE: u32 = 8;

/// When a session is saved.
pub(super) struct Saving {
    /// Whether it can be.
    is_possible: bool,
    /// How long its thread has worked since.
    worked: Duration,
    /// How long it works until the next time.
    rest: Duration,
    /// Requests of the log when it was saved last, or taken up.
    rows: u64,
    /// Brings the last file to the disk.
    finishing: Option<JoinHandle<io::Result<()>>>,
}

impl Saving {
    /// Of a session that was told so much.
    pub(super) fn new(is_possible: bool, told: &Told) -> Self {
        Self {
            is_possible,
            worked: Duration::ZERO,
            rest: LITTLE,
            rows: told.rows(),
            finishing: None,
        }
    }

    /// Its thread has worked so long.
    pub(super) fn worked(&mut self, time: Duration) {
        self.worked += time;
    }

    /// Whether it is to be saved now.
    pub(super) fn is_due(&self, told: &Told) -> bool {
        self.is_possible && self.worked >= self.rest && told.rows() > self.rows
    }

    /// Waits for the last file.
    fn finish(&mut self) {
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

impl Runner {
    /// Saves the session behind all that is acknowledged. What hinders that hinders no crawl.
    pub(super) fn save(&mut self) -> Result<()> {
        self.commit()?;
        self.saving.finish();
        let began = Clock::now();
        let path = self.store.checkpoint_path(self.crawl.id);
        let _span = tracing::debug_span!("checkpoint", rows = self.told.rows()).entered();
        let written = checkpoint::write(&path, &self.session, &self.crawl, &self.told, &self.rng);
        match written {
            Ok(file) => self.saving.finishing = Some(finish_aside(path, file)),
            Err(SaveError::NotFor(what)) => {
                tracing::info!("what “{what}” knows cannot be saved: a new start reads the log");
                self.saving.is_possible = false;
            }
            Err(error) => tracing::warn!("a checkpoint was not written: {error}"),
        }
        self.saving.rows = self.told.rows();
        self.saving.worked = Duration::ZERO;
        self.saving.rest = LITTLE.max(SHARE * began.elapsed());
        Ok(())
    }

    /// A crawl that will go on is saved, if it has learned anything since; of one that has ended
    /// nothing is kept.
    pub(super) fn save_at_rest(&mut self, ended: &Ended) {
        let goes_on = !matches!(ended, Ended::Done(_) | Ended::Stopped);
        if goes_on && self.saving.is_possible && self.told.rows() > self.saving.rows {
            // All is acknowledged already.
            let _ = self.save();
        }
        self.saving.finish();
        if !goes_on
            && let Err(error) = checkpoint::delete(&self.store.checkpoint_path(self.crawl.id))
        {
            tracing::warn!("a checkpoint was not deleted: {error}");
        }
    }
}

/// In a thread of its own: a disk may take its time.
fn finish_aside(path: PathBuf, file: File) -> JoinHandle<io::Result<()>> {
    std::thread::spawn(move || checkpoint::finish(&path, &file))
}

//! What a program that was built without the feature `team` has in place of a database that several
//! share: types of which there is no value, so that all who ask for one find none.

#![expect(clippy::unused_async, reason = "they stand in for functions that wait")]

use std::path::Path;

use anyhow::{Result, bail};

use crate::WITH_TEAM;

use super::turn::{DailyBudget, Turn};
use super::{Copied, Store, StoreResult, WorkerRow};

/// The requests that workers would make; there are none.
#[derive(Debug, Clone)]
pub enum Workers {}

impl Workers {
    /// Takes back what was asked of workers.
    pub async fn take_back(&self, _crawl: i64) -> StoreResult<()> {
        match *self {}
    }

    /// Ends transactions of workers that hold others up.
    pub async fn end_stuck_workers(&self) -> StoreResult<i64> {
        match *self {}
    }

    /// The workers.
    pub async fn all(&self) -> StoreResult<Vec<WorkerRow>> {
        match *self {}
    }

    /// How many requests wait for one.
    pub async fn waiting(&self) -> StoreResult<i64> {
        match *self {}
    }
}

/// A lock that all who share a database hold to; nobody does.
#[derive(Debug)]
pub enum SharedLock {}

impl SharedLock {
    pub(crate) async fn take(workers: &Workers, _crawl: i64) -> Result<Self> {
        match *workers {}
    }

    /// An error if another program may run the crawl by now.
    pub async fn is_ours(&mut self) -> StoreResult<()> {
        match *self {}
    }
}

/// Turns in a database; they are in the data folder.
#[derive(Debug, Clone)]
pub enum SharedTurns {}

impl SharedTurns {
    pub(crate) async fn open(
        workers: &Workers,
        _crawl: i64,
        _process: i64,
        _delay: u64,
    ) -> Result<Self> {
        match *workers {}
    }

    pub(crate) async fn take(
        &self,
        _keys: &[i64],
        _now: i64,
        _budget: DailyBudget,
        _delay: u64,
    ) -> Result<Turn> {
        match *self {}
    }

    pub(crate) async fn give_back(&self, _keys: &[i64], _rest: u64, _bytes: u64) -> Result<()> {
        match *self {}
    }
}

/// Copies of archives; there are none.
pub enum ArchiveCopies {}

impl ArchiveCopies {
    /// Copies what an archive has grown by.
    pub async fn copy_part(&mut self, _crawl: i64, _archive: &Path) -> Result<bool> {
        match *self {}
    }
}

impl Store {
    /// Opens the store in a database that several share: here an error.
    pub async fn open_database(_address: &str, _folder: &Path) -> Result<Self> {
        bail!(
            "this linkscent was built for one person; a database that several share comes with `{WITH_TEAM}`"
        )
    }

    /// Where archives are copied to: nowhere.
    pub async fn copied_to(&self) -> Result<Option<String>> {
        Ok(None)
    }

    /// The same, to write there.
    pub async fn hold_copies(&self) -> Result<Option<ArchiveCopies>> {
        Ok(None)
    }

    /// How far the archive of each crawl is copied.
    pub async fn copied(&self) -> Result<Vec<Copied>> {
        Ok(Vec::new())
    }

    /// Deletes copies of what was deleted: there are none.
    pub async fn sweep_copies(&self) -> Result<()> {
        Ok(())
    }

    /// Brings back what an archive lacks of its copy: it has none.
    pub async fn complete_archive(&self, _crawl: i64) -> Result<()> {
        Ok(())
    }
}

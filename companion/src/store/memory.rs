//! The store's twin in memory: plain collections, written from the promises of the ports and
//! from nothing of the database. Tests hold the database against it, and services run on it.

mod accounts;
mod crawls;
mod deleting;
mod forgetting;
mod kept;
mod log;
mod people;
mod searches;
mod sites;
mod standing;
mod tokens;
mod topics;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use linkscent_core::crawl::Record;
use linkscent_core::wire::api::Event;
use linkscent_core::wire::channel::DeviceKey;

use super::StoreResult;
use super::ports::{
    AccountRow, Changes, Command, CrawlRow, Deed, Device, Location, Role, SearchRow, StandingTopic,
    TokenRow, Topic, Watch,
};

/// See the module.
#[derive(Default)]
pub(super) struct MemoryStore(Arc<Mutex<State>>);

/// All that is kept. Topics have their place, from 1, as their number.
#[derive(Default, Clone)]
struct State {
    topics: Vec<TopicEntry>,
    /// In the order they were taken in.
    events: Vec<LoggedEvent>,
    events_taken: i64,
    crawls: BTreeMap<i64, CrawlEntry>,
    crawls_made: i64,
    deleted_crawls: Vec<i64>,
    searches: Vec<SearchRow>,
    forgotten_sites: BTreeSet<String>,
    standing: Vec<StandingTopic>,
    notices: Vec<Notice>,
    devices: Vec<DeviceEntry>,
    devices_made: i64,
    /// By their digests.
    tokens: Vec<(String, TokenRow)>,
    tokens_made: i64,
    /// Each with the hash of its password.
    accounts: Vec<(AccountRow, String)>,
    accounts_made: i64,
    /// Accounts by what a provider calls whose they are.
    subjects: BTreeMap<String, i64>,
    /// Digest, account, and when it was used last.
    sign_ins: Vec<(String, i64, i64)>,
    /// By account and topic.
    topic_roles: BTreeMap<(i64, i64), Role>,
    deeds: Vec<Deed>,
    changes: i64,
}

/// An event with its number and its topic's.
#[derive(Clone)]
struct LoggedEvent {
    number: i64,
    topic: i64,
    event: Event,
}

#[derive(Clone)]
struct TopicEntry {
    row: Topic,
    critic: Option<String>,
    taxonomy: Option<Vec<u8>>,
    model: Option<Vec<u8>>,
}

#[derive(Clone)]
struct CrawlEntry {
    row: CrawlRow,
    start_model: Vec<u8>,
    log: BTreeMap<u64, (Record, Location)>,
    /// The number up to which the person has seen it.
    looked: u64,
    alarms: BTreeMap<u64, String>,
    /// By address: why, and whether it is a seed.
    skipped: BTreeMap<String, (String, bool)>,
    /// By address: when it was asked, and the answer.
    questions: BTreeMap<String, (i64, Option<String>)>,
    commands: Vec<Command>,
}

#[derive(Clone, PartialEq)]
struct Notice {
    topic: i64,
    crawl: Option<i64>,
    said: String,
    time: i64,
}

#[derive(Clone)]
struct DeviceEntry {
    row: Device,
    identifier: String,
    key: DeviceKey,
}

/// The entry of that number, where each has its place as its number.
fn at<T>(entries: &[T], number: i64) -> Option<&T> {
    entries.get(usize::try_from(number).ok()?.checked_sub(1)?)
}

fn at_mut<T>(entries: &mut [T], number: i64) -> Option<&mut T> {
    entries.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
}

impl MemoryStore {
    fn read(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes a copy, which takes the place of what was there if all went well.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> StoreResult<T>) -> StoreResult<T> {
        let mut state = self.read();
        let mut changed = state.clone();
        let answer = change(&mut changed)?;
        changed.changes += 1;
        *state = changed;
        Ok(answer)
    }
}

#[async_trait]
impl Changes for MemoryStore {
    async fn watch(&self) -> StoreResult<Box<dyn Watch>> {
        Ok(Box::new(Look(Arc::clone(&self.0))))
    }
}

struct Look(Arc<Mutex<State>>);

#[async_trait]
impl Watch for Look {
    async fn version(&mut self) -> StoreResult<i64> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(state.changes)
    }
}

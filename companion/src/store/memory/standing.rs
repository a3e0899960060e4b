//! Topics that stand, in memory.

use std::collections::BTreeSet;

use async_trait::async_trait;
use linkscent_core::crawl::{DEFERRED, Denial};

use super::{MemoryStore, at};
use crate::store::ports::{LookRow, Standing, StandingTopic};
use crate::store::{StoreError, StoreResult};

#[async_trait]
impl Standing for MemoryStore {
    async fn stand(&self, standing: &StandingTopic) -> StoreResult<()> {
        self.change(|state| {
            if at(&state.topics, standing.topic).is_none() {
                return Err(StoreError::Missing("topic"));
            }
            state.standing.retain(|row| row.topic != standing.topic);
            state.standing.push(standing.clone());
            Ok(())
        })
    }

    async fn put_off(&self, standing: &StandingTopic, due: i64) -> StoreResult<bool> {
        self.change(|state| {
            let is_same =
                |row: &&mut StandingTopic| (row.topic, row.due) == (standing.topic, standing.due);
            let row = state.standing.iter_mut().find(is_same);
            Ok(row.map(|row| row.due = due).is_some())
        })
    }

    async fn rest(&self, topic: i64) -> StoreResult<()> {
        self.change(|state| {
            state.standing.retain(|row| row.topic != topic);
            Ok(())
        })
    }

    async fn standing(&self) -> StoreResult<Vec<StandingTopic>> {
        let state = self.read();
        let is_shown = |row: &&StandingTopic| {
            at(&state.topics, row.topic).is_some_and(|topic| !topic.row.is_removed)
        };
        let mut rows: Vec<_> = state.standing.iter().filter(is_shown).cloned().collect();
        rows.sort_by_key(|row| (row.due, row.topic));
        Ok(rows)
    }

    async fn denied(&self, topic: i64) -> StoreResult<Vec<String>> {
        let state = self.read();
        let rounds = state.crawls.values();
        let rounds = rounds.filter(|entry| entry.row.topic == topic && entry.row.is_round());
        let skipped = rounds.flat_map(|entry| &entry.skipped);
        let denied: BTreeSet<&String> = skipped
            .filter(|(_, (reason, is_seed))| *is_seed && *reason == Denial::Rule.to_string())
            .map(|(address, _)| address)
            .collect();
        Ok(denied.into_iter().cloned().collect())
    }

    async fn looks(&self, topic: i64) -> StoreResult<Vec<LookRow>> {
        let state = self.read();
        let crawls = state.crawls.iter();
        let crawls = crawls.filter(|(_, entry)| {
            entry.row.topic == topic && !entry.row.is_removed && !entry.row.is_reading()
        });
        let rows = crawls.flat_map(|(&crawl, entry)| {
            entry.log.values().filter_map(move |(record, place)| {
                let came = place.warc_offset.is_some() && record.judgment.is_some();
                let is_look = !record.problem.starts_with(DEFERRED);
                (is_look && (came || entry.row.is_round())).then(|| LookRow {
                    crawl,
                    is_round: entry.row.is_round(),
                    address: record.address.to_string(),
                    from: record.trail.first().map(ToString::to_string),
                    time: place.time,
                    came,
                    is_target: record.judgment.is_some_and(|judgment| judgment.is_target),
                })
            })
        });
        Ok(rows.collect())
    }
}

//! Topics that stand, in memory.

use async_trait::async_trait;
use linkscent_core::crawl::UNCHANGED;

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

    async fn looks(&self, topic: i64) -> StoreResult<Vec<LookRow>> {
        let state = self.read();
        let crawls = state.crawls.iter();
        let crawls = crawls.filter(|(_, entry)| entry.row.topic == topic && !entry.row.is_removed);
        let rows = crawls.flat_map(|(&crawl, entry)| {
            entry.log.values().filter_map(move |(record, place)| {
                let came = place.warc_offset.is_some() && record.judgment.is_some();
                (came || record.problem == UNCHANGED).then(|| LookRow {
                    crawl,
                    is_round: entry.row.order.is_round,
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

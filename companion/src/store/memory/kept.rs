//! Pages that crawls kept, in memory.

use async_trait::async_trait;
use linkscent_core::crawl::Record;

use super::log::row;
use super::{CrawlEntry, MemoryStore, at};
use crate::store::StoreResult;
use crate::store::ports::{CopyRow, Kept, KeptRow, Location, ResultRow, StandingRow};

fn is_kept((record, place): &(Record, Location)) -> bool {
    place.warc_offset.is_some() && record.judgment.is_some()
}

fn kept_row((record, place): &(Record, Location)) -> KeptRow {
    KeptRow {
        number: record.number,
        address: record.address.to_string(),
        offset: place.warc_offset.unwrap_or_default(),
    }
}

/// The number of the last page that the person has seen: what they read themselves, they saw.
fn seen_up_to(entry: &CrawlEntry) -> u64 {
    if entry.row.is_reading() {
        u64::MAX
    } else {
        entry.looked
    }
}

#[async_trait]
impl Kept for MemoryStore {
    async fn kept_after(&self, crawl: i64, number: u64, most: i64) -> StoreResult<Vec<KeptRow>> {
        Ok(self.of_crawl(crawl, |crawl| {
            let kept = crawl.log.range(number.saturating_add(1)..);
            let kept = kept.map(|entry| entry.1).filter(|one| is_kept(one));
            kept.take(most.max(0) as usize).map(kept_row).collect()
        }))
    }

    async fn redirect_to(
        &self,
        crawl: i64,
        address: &str,
        before: u64,
    ) -> StoreResult<Option<KeptRow>> {
        Ok(self.of_crawl(crawl, |crawl| {
            let mut rows = crawl.log.range(..before).map(|entry| entry.1).rev();
            let last = rows.find(|(_, place)| {
                place.warc_offset.is_some() && place.redirect.as_deref() == Some(address)
            });
            last.map(kept_row)
        }))
    }

    async fn standings(&self, topic: Option<i64>) -> StoreResult<Vec<StandingRow>> {
        let state = self.read();
        let crawls = state.crawls.iter().filter(|(_, crawl)| {
            let is_shown = |of| at(&state.topics, of).is_some_and(|topic| !topic.row.is_removed);
            let of = crawl.row.topic;
            !crawl.row.is_removed && is_shown(of) && topic.is_none_or(|topic| topic == of)
        });
        let was_seen = |crawl: i64, topic: i64, record: &Record| {
            let mut earlier = state.crawls.range(..crawl);
            earlier.any(|(_, entry)| {
                let mut seen = entry.log.range(..=seen_up_to(entry));
                entry.row.topic == topic
                    && seen.any(|(_, (known, _))| {
                        let is_target = |record: &Record| record.judgment.map(|it| it.is_target);
                        known.address == record.address
                            && is_target(known).is_some_and(|it| Some(it) >= is_target(record))
                    })
            })
        };
        let was_seen = &was_seen;
        let rows = crawls.flat_map(|(&crawl, entry)| {
            let kept = entry.log.values().filter(|one| is_kept(one));
            kept.filter_map(move |(record, place)| {
                let judgment = record.judgment?;
                let is_later = record.number > seen_up_to(entry) && record.scored;
                Some(StandingRow {
                    crawl,
                    number: record.number,
                    relevance: judgment.relevance.value(),
                    is_target: judgment.is_target,
                    is_new: is_later && !was_seen(crawl, entry.row.topic, record),
                    time: place.time,
                })
            })
        });
        Ok(rows.collect())
    }

    async fn look(&self, topic: Option<i64>) -> StoreResult<()> {
        self.change(|state| {
            for crawl in state.crawls.values_mut() {
                if topic.is_none_or(|topic| topic == crawl.row.topic) {
                    crawl.looked = crawl.log.keys().last().copied().unwrap_or_default();
                }
            }
            Ok(())
        })
    }

    async fn copies(&self, topic: i64, addresses: &[String]) -> StoreResult<Vec<CopyRow>> {
        let state = self.read();
        let crawls = state.crawls.iter();
        let crawls = crawls.filter(|(_, entry)| entry.row.topic == topic);
        let rows = crawls.flat_map(|(&crawl, entry)| {
            let kept = entry.log.values().filter(|one| is_kept(one));
            kept.map(move |(record, _)| CopyRow {
                crawl,
                number: record.number,
                address: record.address.to_string(),
            })
        });
        Ok(rows
            .filter(|row| addresses.contains(&row.address))
            .collect())
    }

    async fn result_at(&self, crawl: i64, number: u64) -> StoreResult<Option<ResultRow>> {
        Ok(self.of_crawl(crawl, |crawl| crawl.log.get(&number).map(row)))
    }
}

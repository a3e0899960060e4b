//! Crawls in memory, and what whoever runs one writes.

use std::collections::BTreeMap;

use async_trait::async_trait;
use linkscent_core::address::Address;
use linkscent_core::crawl::{Record, Skipped, StopReason};
use linkscent_core::web_graph::Judgment;

use super::{CrawlEntry, MemoryStore, at};
use crate::store::ports::{
    CrawlRow, CrawlState, CrawlWriter, Crawls, Location, LostPage, MOST_SKIPPED, NewCrawl, Reaction,
};
use crate::store::{StoreError, StoreResult};

#[async_trait]
impl Crawls for MemoryStore {
    async fn begin_crawl(&self, new: &NewCrawl<'_>) -> StoreResult<i64> {
        self.change(|state| {
            at(&state.topics, new.topic).ok_or(StoreError::Missing("topic"))?;
            state.crawls_made += 1;
            let id = state.crawls_made;
            let row = CrawlRow {
                id,
                topic: new.topic,
                state: new.order.kind.first_state(),
                stop_reason: String::new(),
                left_since: Vec::new(),
                reactions: Vec::new(),
                is_removed: false,
                order: new.order.clone(),
                warc_length: 0,
            };
            let entry = CrawlEntry {
                row,
                start_model: new.start_model.to_vec(),
                log: BTreeMap::new(),
                looked: 0,
                alarms: BTreeMap::new(),
                skipped: BTreeMap::new(),
                questions: BTreeMap::new(),
                commands: Vec::new(),
            };
            state.crawls.insert(id, entry);
            Ok(id)
        })
    }

    async fn crawl(&self, id: i64) -> StoreResult<Option<CrawlRow>> {
        Ok(self.read().crawls.get(&id).map(|crawl| crawl.row.clone()))
    }

    async fn crawls(&self, topic: Option<i64>) -> StoreResult<Vec<CrawlRow>> {
        let state = self.read();
        let rows = state.crawls.values().rev().map(|crawl| &crawl.row);
        let rows = rows.filter(|row| topic.is_none_or(|topic| row.topic == topic));
        Ok(rows.cloned().collect())
    }

    async fn start_model(&self, crawl: i64) -> StoreResult<Vec<u8>> {
        let state = self.read();
        let crawl = state
            .crawls
            .get(&crawl)
            .ok_or(StoreError::Missing("crawl"))?;
        Ok(crawl.start_model.clone())
    }

    async fn set_budget(&self, crawl: i64, budget: u64) -> StoreResult<()> {
        self.change(|state| {
            if let Some(crawl) = state.crawls.get_mut(&crawl) {
                crawl.row.order.budget = budget;
                if crawl.row.stop_reason == StopReason::Recall.code() {
                    crawl.row.order.until_recall = None;
                }
            }
            Ok(())
        })
    }

    async fn set_delay(&self, crawl: i64, delay: u64) -> StoreResult<()> {
        self.change(|state| {
            if let Some(crawl) = state.crawls.get_mut(&crawl) {
                crawl.row.order.delay = delay;
            }
            Ok(())
        })
    }

    async fn set_reaction(&self, crawl: i64, reaction: Reaction) -> StoreResult<()> {
        self.change(|state| {
            if let Some(crawl) = state.crawls.get_mut(&crawl) {
                if crawl.row.reactions.is_empty() {
                    crawl.row.reactions.push((1, crawl.row.order.on_drift));
                }
                crawl.row.order.on_drift = reaction;
            }
            Ok(())
        })
    }

    async fn note_reaction(&self, crawl: i64, from: u64, reaction: Reaction) -> StoreResult<()> {
        self.change(|state| {
            if let Some(crawl) = state.crawls.get_mut(&crawl) {
                crawl.row.reactions.push((from, reaction));
            }
            Ok(())
        })
    }

    async fn add_seeds(&self, crawl: i64, pages: &[Address]) -> StoreResult<u64> {
        self.change(|state| {
            let Some(crawl) = state.crawls.get_mut(&crawl) else {
                return Ok(0);
            };
            let seeds = &mut crawl.row.order.seeds;
            let before = seeds.len();
            for page in pages {
                if seeds.iter().all(|(seed, _)| seed != page.as_str()) {
                    seeds.push((page.to_string(), false));
                }
            }
            Ok((seeds.len() - before) as u64)
        })
    }

    async fn leave_out(&self, crawl: i64, host: &str, is_left_out: bool) -> StoreResult<()> {
        self.change(|state| {
            if let Some(crawl) = state.crawls.get_mut(&crawl) {
                let hosts = &mut crawl.row.left_since;
                hosts.retain(|left| left != host);
                if is_left_out {
                    hosts.push(host.to_owned());
                }
            }
            Ok(())
        })
    }

    async fn set_state(&self, crawl: i64, to: CrawlState, reason: &str) -> StoreResult<()> {
        self.change(|state| {
            if let Some(crawl) = state.crawls.get_mut(&crawl) {
                crawl.row.state = to;
                reason.clone_into(&mut crawl.row.stop_reason);
            }
            Ok(())
        })
    }
}

#[async_trait]
impl CrawlWriter for MemoryStore {
    async fn take_fetches(
        &self,
        crawl: i64,
        warc_length: u64,
        fetches: &[(Record, Location)],
    ) -> StoreResult<()> {
        self.change(|state| {
            let crawl = state
                .crawls
                .get_mut(&crawl)
                .ok_or(StoreError::Missing("crawl"))?;
            for (record, place) in fetches {
                let mut record = record.clone();
                if let Some(alarm) = record.alarm.take() {
                    crawl.alarms.insert(record.number, alarm.to_string());
                }
                let mut names = Vec::new();
                record.forms.retain(|form| {
                    let is_first = !names.contains(&form.name);
                    names.push(form.name.clone());
                    is_first
                });
                let number = record.number;
                let known = crawl.log.insert(number, (record, place.clone()));
                if known.is_some() {
                    return Err(StoreError::Conflict);
                }
            }
            crawl.row.warc_length = warc_length;
            Ok(())
        })
    }

    async fn lose_pages(&self, crawl: i64, lost: &[LostPage], warc_length: u64) -> StoreResult<()> {
        self.change(|state| {
            let Some(crawl) = state.crawls.get_mut(&crawl) else {
                return Ok(());
            };
            for page in lost {
                if let Some((record, place)) = crawl.log.get_mut(&page.number) {
                    record.judgment = None;
                    record.scored = false;
                    record.forms.clear();
                    record.problem.clone_from(&page.problem);
                    place.warc_offset = None;
                }
            }
            for (_, place) in crawl.log.values_mut() {
                place.warc_offset = place.warc_offset.filter(|offset| *offset < warc_length);
            }
            crawl.row.warc_length = warc_length;
            Ok(())
        })
    }

    async fn judge_again(&self, crawl: i64, judged: &[(Address, Judgment)]) -> StoreResult<()> {
        self.change(|state| {
            let Some(crawl) = state.crawls.get_mut(&crawl) else {
                return Ok(());
            };
            let judged: BTreeMap<&Address, Judgment> = judged
                .iter()
                .map(|(page, judgment)| (page, *judgment))
                .collect();
            for (record, _) in crawl.log.values_mut() {
                let now = judged.get(&record.address);
                if let (Some(before), Some(now)) = (&mut record.judgment, now) {
                    *before = *now;
                }
            }
            Ok(())
        })
    }

    async fn skip(&self, crawl: i64, skipped: &[Skipped]) -> StoreResult<()> {
        self.change(|state| {
            let crawl = state
                .crawls
                .get_mut(&crawl)
                .ok_or(StoreError::Missing("crawl"))?;
            for link in skipped {
                if crawl.skipped.len() as u64 == MOST_SKIPPED {
                    break;
                }
                let why = (link.reason.to_string(), link.is_seed);
                crawl.skipped.entry(link.address.to_string()).or_insert(why);
            }
            Ok(())
        })
    }
}

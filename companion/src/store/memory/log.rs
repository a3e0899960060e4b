//! The log of a crawl in memory, as it is read: every answer is worked out from the records.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use linkscent_core::crawl::{Record, UNRENDERED, Unfound};
use linkscent_core::critics::taxonomy::is_under;

use super::{CrawlEntry, MemoryStore};
use crate::store::ports::{
    AlarmRow, CrawlLog, FetchRow, FormRow, Location, MOST_ALARMS, MOST_REASONS, MOST_UNRENDERED,
    Outcome, ResultRow, SkippedRow,
};
use crate::store::{StoreError, StoreResult};

fn trail(record: &Record) -> Vec<String> {
    record.trail.iter().map(ToString::to_string).collect()
}

fn is_find(record: &Record) -> bool {
    record.scored && record.judgment.is_some_and(|judgment| judgment.is_target)
}

fn relevance(record: &Record) -> Option<f64> {
    record.judgment.map(|judgment| judgment.relevance.value())
}

pub(super) fn row((record, place): &(Record, Location)) -> ResultRow {
    ResultRow {
        address: record.address.to_string(),
        title: record.title.clone(),
        snippet: record.snippet.clone(),
        relevance: relevance(record),
        is_target: record.judgment.is_some_and(|judgment| judgment.is_target),
        reason: record.reason.clone(),
        anchor: record.anchor.clone(),
        trail: trail(record),
        problem: record.problem.clone(),
        class: record.class.clone(),
        time: place.time,
    }
}

/// At most so many of them, from a place on.
fn page<'a>(
    fetches: impl Iterator<Item = &'a (Record, Location)>,
    most: i64,
    skip: i64,
) -> Vec<ResultRow> {
    let (most, skip) = (most.max(0) as usize, skip.max(0) as usize);
    fetches.skip(skip).take(most).map(row).collect()
}

impl CrawlEntry {
    /// By number.
    fn records(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.log.values().map(|(record, _)| record)
    }
}

impl MemoryStore {
    /// An answer on a crawl; the neutral one if it is not there.
    pub(super) fn of_crawl<T: Default>(
        &self,
        crawl: i64,
        answer: impl FnOnce(&CrawlEntry) -> T,
    ) -> T {
        self.read()
            .crawls
            .get(&crawl)
            .map(answer)
            .unwrap_or_default()
    }
}

#[async_trait]
impl CrawlLog for MemoryStore {
    async fn fetches_after(&self, crawl: i64, number: u64) -> StoreResult<Vec<FetchRow>> {
        let row = |(record, place): &(Record, Location)| FetchRow {
            number: record.number,
            address: record.address.to_string(),
            problem: record.problem.clone(),
            arm: Some(record.arm),
            unfound: record.unfound,
            place: Location {
                warc_offset: place.warc_offset.filter(|_| record.judgment.is_some()),
                ..place.clone()
            },
        };
        Ok(self.of_crawl(crawl, |crawl| {
            let log = crawl.log.values();
            let after = log.filter(|(record, _)| record.number > number);
            after.map(row).collect()
        }))
    }

    async fn last_number(&self, crawl: i64) -> StoreResult<u64> {
        Ok(self.of_crawl(crawl, |crawl| crawl.log.keys().last().copied().unwrap_or(0)))
    }

    async fn unrendered(&self, crawl: i64) -> StoreResult<Vec<String>> {
        Ok(self.of_crawl(crawl, |crawl| {
            let mut waiting: Vec<String> = Vec::new();
            for record in crawl.records() {
                let page = record.address.to_string();
                waiting.retain(|waiting| *waiting != page);
                if record.problem.starts_with(UNRENDERED) {
                    waiting.push(page);
                }
            }
            waiting.truncate(MOST_UNRENDERED as usize);
            waiting
        }))
    }

    async fn last_results(&self, crawl: i64, most: i64) -> StoreResult<Vec<ResultRow>> {
        Ok(self.of_crawl(crawl, |crawl| page(crawl.log.values().rev(), most, 0)))
    }

    async fn best_results(&self, crawl: i64, most: i64, skip: i64) -> StoreResult<Vec<ResultRow>> {
        Ok(self.of_crawl(crawl, |crawl| {
            let finds = crawl.log.values().filter(|(one, _)| is_find(one));
            let mut finds: Vec<&(Record, Location)> = finds.collect();
            // Stable: of equals the older first.
            finds.sort_by(|(a, _), (b, _)| relevance(b).partial_cmp(&relevance(a)).unwrap());
            page(finds.into_iter(), most, skip)
        }))
    }

    async fn pages_of_class(
        &self,
        crawl: i64,
        node: Option<&str>,
        most: i64,
        skip: i64,
    ) -> StoreResult<Vec<ResultRow>> {
        let is_of = |(one, _): &&(Record, Location)| {
            one.judgment.is_some() && node.is_none_or(|node| is_under(&one.class, node))
        };
        Ok(self.of_crawl(crawl, |crawl| {
            page(crawl.log.values().rev().filter(is_of), most, skip)
        }))
    }

    async fn counts(&self, crawl: i64) -> StoreResult<(u64, u64, u64, u64)> {
        let state = self.read();
        let crawl = state
            .crawls
            .get(&crawl)
            .ok_or(StoreError::Missing("crawl"))?;
        let count = |which: fn(&Record) -> bool| {
            crawl.records().filter(|record| which(record)).count() as u64
        };
        Ok((
            count(|record| record.judgment.is_some()),
            count(|record| record.scored),
            count(is_find),
            count(|record| record.judgment.is_none()),
        ))
    }

    async fn outcomes(&self, crawl: i64, after: u64, most: i64) -> StoreResult<Vec<Outcome>> {
        let outcome = |(record, place): &(Record, Location)| Outcome {
            number: record.number,
            address: record.address.to_string(),
            time: place.time,
            is_page: record.judgment.is_some(),
            is_scored: record.scored,
            is_find: is_find(record),
            problem: record.problem.clone(),
            unfound: record.unfound,
            warc_offset: place.warc_offset,
            is_redirect: place.redirect.is_some(),
        };
        let most = usize::try_from(most).unwrap_or(0);
        Ok(self.of_crawl(crawl, |crawl| {
            let lines = crawl.log.values().map(outcome);
            let behind = lines.filter(|outcome| outcome.number > after);
            behind.take(most).collect()
        }))
    }

    /// Another one each time it is asked: nothing is kept up for a twin that tests have.
    async fn log_changes(&self, _: i64) -> StoreResult<i64> {
        static ASKED: AtomicI64 = AtomicI64::new(0);
        Ok(ASKED.fetch_add(1, Ordering::Relaxed))
    }

    async fn log_rewrites(&self, crawl: i64) -> StoreResult<i64> {
        self.log_changes(crawl).await
    }

    async fn kept_page(&self, crawl: i64, address: &str) -> StoreResult<Option<(u64, String)>> {
        Ok(self.of_crawl(crawl, |crawl| {
            let mut fetches = crawl.log.values();
            fetches.find_map(|(record, place)| {
                let is_it = record.address.as_str() == address && record.judgment.is_some();
                is_it.then_some((place.warc_offset?, record.title.clone()))
            })
        }))
    }

    async fn forms(&self, crawl: i64, most: i64) -> StoreResult<Vec<FormRow>> {
        Ok(self.of_crawl(crawl, |crawl| {
            let mut rows = Vec::new();
            for record in crawl.records() {
                let mut forms: Vec<_> = record.forms.iter().collect();
                forms.sort_by_key(|form| &form.name);
                rows.extend(forms.into_iter().map(|form| FormRow {
                    address: record.address.to_string(),
                    title: record.title.clone(),
                    trail: trail(record),
                    name: form.name.clone(),
                    action: form.action.clone(),
                    fields: form.fields.clone(),
                    confidence: form.confidence(),
                    wanted: form.is_wanted(),
                }));
            }
            rows.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
            rows.sort_by_key(|form| !form.wanted);
            rows.truncate(most.max(0) as usize);
            rows
        }))
    }

    async fn count_forms(&self, crawl: i64) -> StoreResult<u64> {
        Ok(self.of_crawl(crawl, |crawl| {
            let forms = crawl.records().flat_map(|record| &record.forms);
            forms.filter(|form| form.is_wanted()).count() as u64
        }))
    }

    async fn skipped(&self, crawl: i64) -> StoreResult<Vec<SkippedRow>> {
        Ok(self.of_crawl(crawl, |crawl| {
            let mut by_reason: BTreeMap<&str, SkippedRow> = BTreeMap::new();
            // By the letters of their addresses: the last one stays.
            for (address, (reason, is_seed)) in &crawl.skipped {
                let row = by_reason.entry(reason).or_insert_with(|| SkippedRow {
                    reason: reason.clone(),
                    count: 0,
                    seeds: 0,
                    example: String::new(),
                });
                row.count += 1;
                row.seeds += u64::from(*is_seed);
                row.example.clone_from(address);
            }
            let mut rows: Vec<SkippedRow> = by_reason.into_values().collect();
            rows.sort_by_key(|row| Reverse(row.count));
            rows.truncate(MOST_REASONS);
            rows
        }))
    }

    async fn unfound(&self, crawl: i64) -> StoreResult<Option<Unfound>> {
        Ok(self.of_crawl(crawl, |crawl| {
            let mut newest = crawl.records().rev();
            newest.find_map(|record| record.unfound)
        }))
    }

    async fn alarms(&self, crawl: i64) -> StoreResult<Vec<AlarmRow>> {
        Ok(self.of_crawl(crawl, |crawl| {
            let newest = crawl.alarms.iter().rev().take(MOST_ALARMS);
            let row = |(number, said): (&u64, &String)| AlarmRow {
                number: *number as i64,
                said: said.clone(),
            };
            newest.map(row).collect()
        }))
    }
}

//! What screens tell of a crawl's whole log, kept up by what came since they were looked at last: a
//! log of a million lines is read once, not for each look.
//!
//! Lines that were there before may change, as when pages are judged again or forgotten; then all of
//! it is read again from the first line.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Reports;
use crate::ServiceError;
use crate::reports::hosts::HostTally;
use crate::reports::yields::YieldTally;

/// Crawls of which it is kept; the one that was not looked at for the longest time goes.
const MOST: usize = 4;
/// Lines that are read at a time.
const LINES: i64 = 10_000;

/// What a log comes to.
#[derive(Default)]
pub(crate) struct Tally {
    /// Says whether lines that were read have changed since.
    changes: Option<i64>,
    /// The last line that was read.
    last: u64,
    pub(crate) yields: YieldTally,
    pub(crate) hosts: HostTally,
}

type Shared = Arc<tokio::sync::Mutex<Tally>>;

/// Those of the crawls that were looked at last, the newest last.
#[derive(Default, Clone)]
pub(crate) struct Tallies(Arc<Mutex<Vec<(i64, Shared)>>>);

impl Tallies {
    /// Nothing is kept of any crawl.
    pub(crate) fn clear(&self) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    fn of(&self, crawl: i64) -> Shared {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(of, _)| *of == crawl);
        let tally = place.map(|place| kept.remove(place).1).unwrap_or_default();
        kept.push((crawl, Arc::clone(&tally)));
        if kept.len() > MOST {
            kept.remove(0);
        }
        tally
    }
}

impl Reports {
    /// What a crawl's log comes to now.
    pub(crate) async fn tally<T>(
        &self,
        crawl: i64,
        of: impl FnOnce(&Tally) -> T,
    ) -> Result<T, ServiceError> {
        let tally = self.context.tallies.of(crawl);
        let mut tally = tally.lock().await;
        // Asked first: what changes meanwhile is seen the next time.
        let changes = Some(self.context.store.log_changes(crawl).await?);
        if tally.changes != changes {
            *tally = Tally {
                changes,
                ..Tally::default()
            };
        }
        loop {
            let lines = self
                .context
                .store
                .outcomes(crawl, tally.last, LINES)
                .await?;
            for line in &lines {
                tally.last = line.number;
                tally.yields.add(line);
                tally.hosts.add(line);
            }
            if (lines.len() as i64) < LINES {
                return Ok(of(&tally));
            }
        }
    }

    /// For every scored page of a crawl, in order, whether it is relevant.
    pub async fn harvest(&self, crawl: i64) -> Result<Vec<bool>, ServiceError> {
        self.tally(crawl, |tally| tally.yields.harvest().to_vec())
            .await
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::address::Address;

    use super::*;

    use crate::Services;
    use crate::crawler::way::Way;
    use linkscent_store::fixtures::{crawl, failed, fetched};
    use linkscent_store::{CrawlRow, LostPage, Store};

    /// What is shown by a service that looks for the first time.
    async fn afresh(service: &Services, row: &CrawlRow) -> String {
        let service = Services::new(service.context.store.clone(), Way::default());
        shown(&service, row).await
    }

    async fn shown(service: &Services, row: &CrawlRow) -> String {
        let harvest = service.reports.harvest(row.id).await.unwrap();
        let yields = service.reports.yields(row).await.unwrap();
        let hosts = service.reports.hosts(row).await.unwrap();
        format!("{harvest:?} {yields:?} {hosts:?}")
    }

    #[tokio::test]
    async fn what_is_kept_up_is_what_is_read_anew_whatever_happens_to_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store.clone(), Way::default());
        let id = crawl(&*store).await;
        let row = service.crawls.crawl(id).await.unwrap().0;
        let page = |number: u64| format!("http://host{}.test/{number}", number % 3);
        let mut seen = Vec::new();
        for part in 0..6 {
            let lines: Vec<_> = (1..=40_u64)
                .map(|line| part * 40 + line)
                .map(|number| match number % 5 {
                    0 => failed(number, &page(number)),
                    of => fetched(number, &page(number), 0.2 * of as f64),
                })
                .collect();
            let end = 1_000 * (part + 2) * 40;
            store.take_fetches(id, end, &lines).await.unwrap();
            if part == 2 {
                let judged = fetched(1, &page(1), 0.9).0.judgment.unwrap();
                let judged = [(Address::parse(&page(1)).unwrap(), judged)];
                store.judge_again(id, &judged).await.unwrap();
            }
            let now = shown(&service, &row).await;
            assert_eq!(now, afresh(&service, &row).await, "part {part}");
            assert!(!seen.contains(&now));
            seen.push(now);
        }
        let lost = LostPage {
            number: 7,
            problem: "damaged".to_owned(),
        };
        let length = 1_000 * 8 * 40;
        store.lose_pages(id, &[lost], length).await.unwrap();
        let now = shown(&service, &row).await;
        assert_eq!(now, afresh(&service, &row).await);
        assert_ne!(Some(&now), seen.last());
        // Others take its place in memory, and it comes back.
        for _ in 0..=MOST {
            let other = crawl(&*store).await;
            service.reports.harvest(other).await.unwrap();
        }
        assert_eq!(shown(&service, &row).await, now);
    }
}

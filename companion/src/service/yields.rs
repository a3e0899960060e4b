//! What a crawl brought and what it cost: finds by requests, how many more are in view, finds by site,
//! and what came in place of pages;
//! and how long a crawl that runs has still to go.

use std::collections::HashMap;
use std::time::Duration;

use linkscent_core::address::Address;
use linkscent_core::crawl::Expected;

use super::{CrawlCounts, Service, ServiceError};
use crate::store::{CrawlRow, Outcome, ResultRow};

/// Sites that are shown.
const MOST_SITES: usize = 100;
/// Problems that are shown.
const MOST_PROBLEMS: usize = 20;
/// Requests by which the pace of a crawl is measured, at most and at least.
const PACE: i64 = 100;
const LEAST: usize = 10;

/// What a site brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteYield {
    /// Its host.
    pub site: String,
    /// Requests to it.
    pub requests: u64,
    /// Pages of it.
    pub pages: u64,
    /// Finds among them.
    pub finds: u64,
}

/// What a crawl brought and what it cost.
#[derive(Debug, Default, PartialEq)]
pub struct Yield {
    /// Of every request, in order, whether it brought a find.
    pub hits: Vec<bool>,
    /// How many finds were expected among the links that waited, with the number of requests until
    /// then.
    pub waiting: Vec<(usize, Expected)>,
    /// Sites by their finds, most first; at most so many as are shown.
    pub sites: Vec<SiteYield>,
    /// How many sites there are.
    pub all_sites: usize,
    /// What came in place of pages, and how often, commonest first.
    pub problems: Vec<(String, u64)>,
    /// When the first and the last answer came, in milliseconds since 1970, where that was put
    /// down.
    pub times: Option<(i64, i64)>,
}

impl Yield {
    fn of(outcomes: &[Outcome]) -> Self {
        let mut sites: HashMap<String, SiteYield> = HashMap::new();
        let mut problems: HashMap<&str, u64> = HashMap::new();
        for outcome in outcomes {
            let address = Address::parse(&outcome.address);
            let site = address.map_or(String::new(), |address| address.host().to_owned());
            let of = sites.entry(site.clone()).or_insert(SiteYield {
                site,
                requests: 0,
                pages: 0,
                finds: 0,
            });
            of.requests += 1;
            of.pages += u64::from(outcome.is_page);
            of.finds += u64::from(outcome.is_find);
            if !outcome.is_page && !outcome.problem.is_empty() {
                *problems.entry(&outcome.problem).or_default() += 1;
            }
        }
        let mut sites: Vec<SiteYield> = sites.into_values().collect();
        let all_sites = sites.len();
        sites.sort_by(|a, b| {
            let of = |one: &SiteYield| (one.finds, one.pages);
            of(b).cmp(&of(a)).then_with(|| a.site.cmp(&b.site))
        });
        sites.truncate(MOST_SITES);
        let problems = problems.into_iter();
        let mut problems: Vec<_> = problems
            .map(|(said, count)| (said.to_owned(), count))
            .collect();
        problems.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        problems.truncate(MOST_PROBLEMS);
        let times = outcomes.iter().map(|outcome| outcome.time);
        let times = times.filter(|time| *time > 0);
        Self {
            hits: outcomes.iter().map(|outcome| outcome.is_find).collect(),
            waiting: (1..)
                .zip(outcomes)
                .filter_map(|(requests, outcome)| {
                    Some((requests, Expected::around(outcome.waiting?)))
                })
                .collect(),
            sites,
            all_sites,
            problems,
            times: times.clone().min().zip(times.max()),
        }
    }
}

impl Service {
    /// What a crawl brought and what it cost so far.
    pub async fn yields(&self, crawl: &CrawlRow) -> Result<Yield, ServiceError> {
        Ok(Yield::of(&self.store.outcomes(crawl.id).await?))
    }

    /// How many finds a crawl expects among the links that wait, as it counted last; none by a
    /// strategy that cannot tell, or before it learned something.
    pub async fn in_view(&self, crawl: &CrawlRow) -> Result<Option<Expected>, ServiceError> {
        let waiting = self.store.waiting(crawl.id).await?;
        Ok(waiting.map(Expected::around))
    }

    /// How long a crawl that runs has still to go at the pace of its last requests, if it uses up
    /// its budget; none before there were some.
    pub async fn time_left(
        &self,
        crawl: &CrawlRow,
        counts: &CrawlCounts,
    ) -> Result<Option<Duration>, ServiceError> {
        if !crawl.state.is_running() || crawl.is_intake() {
            return Ok(None);
        }
        let last = self.store.last_results(crawl.id, PACE).await?;
        let is_round = crawl.is_round();
        let done = counts.pages + if is_round { counts.other } else { 0 };
        let left = crawl.order.budget.saturating_sub(done);
        Ok(pace(&last, is_round).map(|pace| pace.mul_f64(left as f64)))
    }
}

/// The time that what the budget counts took lately: a page, or a request of a round. `last` are
/// the last requests, newest first.
fn pace(last: &[ResultRow], is_round: bool) -> Option<Duration> {
    let timed: Vec<&ResultRow> = last.iter().filter(|row| row.time > 0).collect();
    let (newest, oldest) = (timed.first()?, timed.last()?);
    let counted = |row: &&&ResultRow| is_round || row.relevance.is_some();
    // The oldest began before the time that is measured.
    let count = timed[..timed.len() - 1].iter().filter(counted).count();
    if timed.len() < LEAST || count == 0 {
        return None;
    }
    let span = u64::try_from(newest.time - oldest.time).ok()?;
    Some(Duration::from_millis(span).div_f64(count as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(address: &str, time: i64, found: Option<bool>) -> Outcome {
        Outcome {
            address: address.to_owned(),
            time,
            is_page: found.is_some(),
            is_find: found == Some(true),
            problem: found.map_or("gone".to_owned(), |_| String::new()),
            waiting: None,
        }
    }

    #[test]
    fn sites_stand_by_their_finds_and_every_request_counts() {
        let found = Yield::of(&[
            outcome("http://a.test/1", 0, Some(false)),
            outcome("http://b.test/1", 50, Some(true)),
            outcome("http://a.test/2", 20, None),
            outcome("http://c.test/", 90, Some(false)),
            outcome("http://b.test/2", 70, None),
        ]);
        assert_eq!(found.hits, [false, true, false, false, false]);
        let sites = found.sites.iter();
        let sites: Vec<_> = sites
            .map(|one| (&*one.site, one.requests, one.pages, one.finds))
            .collect();
        let expected = [
            ("b.test", 2, 1, 1),
            ("a.test", 2, 1, 0),
            ("c.test", 1, 1, 0),
        ];
        assert_eq!(sites, expected);
        assert_eq!(found.problems, [("gone".to_owned(), 2)]);
        assert_eq!(found.times, Some((20, 90)), "what has no time tells none");
        assert!(found.waiting.is_empty());
        let mut counted = outcome("http://a.test/3", 0, Some(true));
        counted.waiting = Some(29.2);
        let found = Yield::of(&[outcome("http://a.test/1", 0, None), counted]);
        assert_eq!(found.waiting, [(2, Expected::around(29.2))]);
        assert_eq!(Yield::of(&[]), Yield::default());
    }

    #[test]
    fn the_pace_is_that_of_the_last_requests() {
        let row = |time: i64, is_page: bool| ResultRow {
            address: String::new(),
            title: String::new(),
            snippet: String::new(),
            relevance: is_page.then_some(0.5),
            is_target: false,
            reason: String::new(),
            anchor: String::new(),
            trail: Vec::new(),
            problem: String::new(),
            class: String::new(),
            time,
        };
        let mut last: Vec<ResultRow> = (0..=20).map(|n| row(10_000 - 100 * n, true)).collect();
        assert_eq!(pace(&last, false), Some(Duration::from_millis(100)));
        for failed in &mut last[..10] {
            failed.relevance = None;
        }
        assert_eq!(pace(&last, false), Some(Duration::from_millis(200)));
        assert_eq!(pace(&last, true), Some(Duration::from_millis(100)));
        assert_eq!(pace(&last[..LEAST - 1], true), None);
        assert_eq!(pace(&last[..LEAST], false), None, "no page came");
        let untimed: Vec<ResultRow> = (0..50).map(|_| row(0, true)).collect();
        assert_eq!(pace(&untimed, false), None);
    }
}

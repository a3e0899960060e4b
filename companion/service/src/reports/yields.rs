//! What a crawl brought and what it cost: finds by requests, how many there are to be found, finds by site,
//! and what came in place of pages;
//! and how long a crawl that runs has still to go.

use std::collections::HashMap;
use std::time::Duration;

use linkscent_core::address::Address;
use linkscent_core::crawl::{Expected, Unfound};

use crate::CrawlCounts;
use crate::Reports;
use crate::ServiceError;
use linkscent_store::{CrawlRow, Outcome, ResultRow};

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
    /// How many pages there are to be found in all, as was counted then, with the number of requests
    /// until then.
    pub there_are: Vec<(usize, Expected)>,
    /// The same by the last count and the finds of now, with the number of requests until that count.
    pub there_are_now: Option<(usize, Expected)>,
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

/// What came in place of pages is told apart up to so many ways of saying it.
const MOST_SAID: usize = 10_000;
/// Said of all that lead elsewhere.
const ELSEWHERE: &str = "redirects elsewhere";

/// What a log comes to, line by line.
#[derive(Default)]
pub(crate) struct YieldTally {
    hits: Vec<bool>,
    harvest: Vec<bool>,
    there_are: Vec<(usize, Expected)>,
    /// What was counted last, and after how many requests.
    unfound: Option<(usize, Unfound)>,
    finds: u64,
    sites: HashMap<String, SiteYield>,
    problems: HashMap<String, u64>,
    times: Option<(i64, i64)>,
}

impl YieldTally {
    /// One more line.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        self.hits.push(outcome.is_find);
        if outcome.is_scored {
            self.harvest.push(outcome.is_find);
        }
        self.finds += u64::from(outcome.is_find);
        if let Some(unfound) = outcome.unfound {
            let (requests, all) = (self.hits.len(), all_of(&unfound, self.finds));
            self.there_are.push((requests, all));
            self.unfound = Some((requests, unfound));
        }
        self.add_to_site(outcome);
        if !outcome.is_page && !outcome.problem.is_empty() {
            let said = if outcome.is_redirect {
                ELSEWHERE
            } else {
                &outcome.problem
            };
            if let Some(count) = self.problems.get_mut(said) {
                *count += 1;
            } else if self.problems.len() < MOST_SAID {
                self.problems.insert(said.to_owned(), 1);
            }
        }
        if outcome.time > 0 {
            let (first, last) = self.times.unwrap_or((outcome.time, outcome.time));
            self.times = Some((first.min(outcome.time), last.max(outcome.time)));
        }
    }

    fn add_to_site(&mut self, outcome: &Outcome) {
        let address = Address::parse(&outcome.address);
        let site = address.as_ref().map_or("", Address::host);
        if !self.sites.contains_key(site) {
            let new = SiteYield {
                site: site.to_owned(),
                requests: 0,
                pages: 0,
                finds: 0,
            };
            self.sites.insert(site.to_owned(), new);
        }
        if let Some(of) = self.sites.get_mut(site) {
            of.requests += 1;
            of.pages += u64::from(outcome.is_page);
            of.finds += u64::from(outcome.is_find);
        }
    }

    /// Of every scored page, whether it is a find.
    pub(crate) fn harvest(&self) -> &[bool] {
        &self.harvest
    }

    /// As it is shown.
    pub(crate) fn shown(&self) -> Yield {
        let mut sites: Vec<&SiteYield> = self.sites.values().collect();
        sites.sort_by(|a, b| {
            let of = |one: &SiteYield| (one.finds, one.pages);
            of(b).cmp(&of(a)).then_with(|| a.site.cmp(&b.site))
        });
        let mut problems: Vec<(&String, u64)> = self
            .problems
            .iter()
            .map(|(said, count)| (said, *count))
            .collect();
        problems.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        let problems = problems.into_iter().take(MOST_PROBLEMS);
        Yield {
            hits: self.hits.clone(),
            there_are: self.there_are.clone(),
            there_are_now: self
                .unfound
                .map(|(requests, unfound)| (requests, all_of(&unfound, self.finds))),
            sites: sites.into_iter().take(MOST_SITES).cloned().collect(),
            all_sites: self.sites.len(),
            problems: problems
                .map(|(said, count)| (said.clone(), count))
                .collect(),
            times: self.times,
        }
    }
}

impl Reports {
    /// What a crawl brought and what it cost so far.
    pub async fn yields(&self, crawl: &CrawlRow) -> Result<Yield, ServiceError> {
        self.tally(crawl.id, |tally| tally.yields.shown()).await
    }

    /// What a crawl has not found of what there is, as it counted last; none by a strategy that cannot
    /// tell, or before it learned something.
    pub async fn unfound(&self, crawl: &CrawlRow) -> Result<Option<Unfound>, ServiceError> {
        Ok(self.context.store.unfound(crawl.id).await?)
    }

    /// How long a crawl that runs has still to go at the pace of its last requests, if it uses up
    /// its budget; none before there were some.
    pub async fn time_left(
        &self,
        crawl: &CrawlRow,
        counts: &CrawlCounts,
    ) -> Result<Option<Duration>, ServiceError> {
        if !crawl.state.is_running() || crawl.is_import() {
            return Ok(None);
        }
        let last = self.context.store.last_results(crawl.id, PACE).await?;
        let is_recrawl = crawl.is_recrawl();
        let done = counts.pages + if is_recrawl { counts.other } else { 0 };
        let left = crawl.order.spec.budget.saturating_sub(done);
        Ok(pace(&last, is_recrawl).map(|pace| pace.mul_f64(left as f64)))
    }
}

/// How many pages there are to be found, of which so many were: those to which no link was seen
/// included, where that was counted.
fn all_of(unfound: &Unfound, found: u64) -> Expected {
    let in_view = || {
        let more = unfound.among_waiting();
        Expected {
            about: found.saturating_add(more.about),
            least: found.saturating_add(more.least),
            most: found.saturating_add(more.most),
        }
    };
    unfound.reachable(found).unwrap_or_else(in_view)
}

/// The time that what the budget counts took lately: a page, or a request of a recrawl. `last` are
/// the last requests, newest first.
fn pace(last: &[ResultRow], is_recrawl: bool) -> Option<Duration> {
    let timed: Vec<&ResultRow> = last.iter().filter(|row| row.time > 0).collect();
    let (newest, oldest) = (timed.first()?, timed.last()?);
    let counted = |row: &&&ResultRow| is_recrawl || row.relevance.is_some();
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
            number: 0,
            address: address.to_owned(),
            time,
            is_page: found.is_some(),
            is_scored: found.is_some(),
            is_find: found == Some(true),
            problem: found.map_or("gone".to_owned(), |_| String::new()),
            unfound: None,
            warc_offset: None,
            is_redirect: false,
        }
    }

    fn yield_of(outcomes: &[Outcome]) -> Yield {
        let mut tally = YieldTally::default();
        for outcome in outcomes {
            tally.add(outcome);
        }
        tally.shown()
    }

    #[test]
    fn sites_stand_by_their_finds_and_every_request_counts() {
        let found = yield_of(&[
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
        let [one, other] = ["1", "2"].map(|page| Outcome {
            is_redirect: true,
            problem: format!("redirects to http://d.test/{page}"),
            ..outcome("http://a.test/", 0, None)
        });
        let found_elsewhere = yield_of(&[one, other]);
        assert_eq!(found_elsewhere.problems, [(ELSEWHERE.to_owned(), 2)]);
        assert!(found.there_are.is_empty());
        let mut counted = outcome("http://a.test/3", 0, Some(true));
        counted.unfound = Some(Unfound {
            waiting: 29.2,
            coverage: None,
        });
        let found = yield_of(&[outcome("http://a.test/1", 0, None), counted.clone()]);
        let all = [found.there_are[0].1.least, found.there_are[0].1.about];
        assert_eq!((found.there_are[0].0, all), (2, [10, 30]));
        // What is found behind a count is none of those that it left.
        let later = outcome("http://a.test/4", 0, Some(true));
        let first = outcome("http://a.test/1", 0, None);
        let found = yield_of(&[first, counted.clone(), later]);
        let (requests, now) = found.there_are_now.unwrap();
        assert_eq!((requests, now.least, now.about), (2, 11, 31));
        // Behind enough finds those are in it that were not seen yet.
        counted.unfound = Some(Unfound {
            waiting: 4.0,
            coverage: Some(0.5),
        });
        let found = yield_of(&vec![counted; 6]);
        let in_all = found.there_are.last().unwrap();
        assert_eq!((in_all.0, in_all.1.least), (6, 6));
        assert!(in_all.1.about > 12 && in_all.1.most > 100, "{in_all:?}");
        assert_eq!(yield_of(&[]), Yield::default());
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

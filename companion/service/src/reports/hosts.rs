//! How a crawl and its hosts get on: what was asked of each and what came of it, by the log; and,
//! while the crawl runs here, whether it may be asked just now, what its robots.txt says and how
//! much waits there.

use std::collections::HashMap;

use linkscent_core::address::Address;
use linkscent_core::crawl::{
    HostRules, HostState, HostTurn, NEARLY_SAME_PAGE, SAME_PAGE, UNCHANGED, UNRENDERED, is_or_below,
};

use crate::Reports;
use crate::ServiceError;
use linkscent_store::{CrawlRow, Outcome};

/// Hosts that are told of.
pub const MOST_HOSTS: usize = 200;
/// Requests that came to nothing from which on a host is in trouble, if they are as many as the
/// others.
const MANY_FAILED: u64 = 2;

/// A crawl and one of its hosts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostHealth {
    /// The host, with its port where that is not the usual one.
    pub host: String,
    /// Requests to it.
    pub requests: u64,
    /// Pages that came.
    pub pages: u64,
    /// Requests that came to nothing: neither a page nor where it lies.
    pub failed: u64,
    /// What came of them most often, and how often.
    pub problem: Option<(String, u64)>,
    /// Bytes of the archive that its pages take, about.
    pub bytes: u64,
    /// When its last answer came, in milliseconds since 1970; 0 where that was not put down.
    pub last: i64,
    /// Whether the person left it out.
    pub is_left_out: bool,
    /// How it stands just now, while the crawl runs here.
    pub now: Option<HostState>,
}

impl HostHealth {
    /// Whether somebody should look at it.
    pub fn is_in_trouble(&self) -> bool {
        if self.is_left_out {
            return false;
        }
        let is_failing = self.failed >= MANY_FAILED && 2 * self.failed >= self.requests;
        let is_closed = self.now.as_ref().is_some_and(|now| {
            now.deferred > 0
                || now.turn == HostTurn::GivenUp
                || matches!(now.rules, HostRules::Nothing(_))
        });
        is_failing || is_closed
    }
}

/// Neither a page, nor where it lies, nor that it is known.
fn came_to_nothing(outcome: &Outcome) -> bool {
    let known = [SAME_PAGE, NEARLY_SAME_PAGE, UNCHANGED, UNRENDERED];
    let is_known = known.iter().any(|said| outcome.problem.starts_with(said));
    !outcome.is_page && !is_known && !outcome.is_redirect && !outcome.problem.is_empty()
}

/// What a log comes to host by host, line by line.
#[derive(Default)]
pub(crate) struct HostTally {
    hosts: HashMap<String, HostHealth>,
    /// What came of requests that came to nothing, by host.
    problems: HashMap<String, HashMap<String, u64>>,
    /// The host of the last record of the archive, and where that begins.
    last: Option<(String, u64)>,
}

impl HostTally {
    /// One more line.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        let Ok(address) = Address::parse(&outcome.address) else {
            return;
        };
        let host = address.host();
        if let Some(begin) = outcome.warc_offset {
            self.end_record(begin);
            self.last = Some((host.to_owned(), begin));
        }
        if !self.hosts.contains_key(host) {
            self.hosts.insert(host.to_owned(), HostHealth::default());
        }
        if let Some(health) = self.hosts.get_mut(host) {
            health.requests += 1;
            health.last = health.last.max(outcome.time);
            health.pages += u64::from(outcome.is_page);
            health.failed += u64::from(came_to_nothing(outcome));
        }
        if came_to_nothing(outcome) {
            let said = self.problems.entry(host.to_owned()).or_default();
            *said.entry(outcome.problem.clone()).or_default() += 1;
        }
    }

    /// The last record of the archive ends there.
    fn end_record(&mut self, end: u64) {
        if let Some((host, begin)) = self.last.take()
            && let Some(health) = self.hosts.get_mut(&host)
        {
            health.bytes += end.saturating_sub(begin);
        }
    }

    /// As it stands with an archive of that length.
    fn with_archive(&self, length: u64) -> HashMap<String, HostHealth> {
        let mut hosts = self.hosts.clone();
        if let Some((host, begin)) = &self.last
            && let Some(health) = hosts.get_mut(host)
        {
            health.bytes += length.saturating_sub(*begin);
        }
        for (host, said) in &self.problems {
            let said = said.iter();
            let most = said.max_by(|a, b| (a.1, b.0).cmp(&(b.1, a.0)));
            if let Some(health) = hosts.get_mut(host) {
                health.problem = most.map(|(problem, count)| (problem.clone(), *count));
            }
        }
        hosts
    }
}

/// A crawl's hosts.
#[derive(Debug)]
pub struct Hosts {
    /// Those in trouble first, then those that were asked most; at most [`MOST_HOSTS`].
    pub hosts: Vec<HostHealth>,
    /// How many there are.
    pub all: usize,
    /// How many of all are in trouble.
    pub in_trouble: usize,
}

impl Reports {
    /// A crawl's hosts, and how it gets on with them.
    pub async fn hosts(&self, crawl: &CrawlRow) -> Result<Hosts, ServiceError> {
        let length = crawl.warc_length;
        let of_log = self.tally(crawl.id, |tally| tally.hosts.with_archive(length));
        let mut hosts = of_log.await?;
        if let Some(now) = self.context.supervisor.hosts(crawl.id).await {
            for (host, state) in now {
                hosts.entry(host.into()).or_default().now = Some(state);
            }
        }
        let left_out = crawl
            .order
            .spec
            .scope
            .left_out
            .iter()
            .chain(&crawl.left_since);
        let mut hosts: Vec<HostHealth> = hosts
            .into_iter()
            .map(|(host, health)| HostHealth {
                is_left_out: left_out.clone().any(|left| is_or_below(&host, left)),
                host,
                ..health
            })
            .collect();
        let waiting = |host: &HostHealth| host.now.as_ref().map_or(0, |now| now.waiting);
        hosts.sort_by(|a, b| {
            let key = |host: &HostHealth| (host.is_in_trouble(), host.requests, waiting(host));
            key(b).cmp(&key(a)).then_with(|| a.host.cmp(&b.host))
        });
        let all = hosts.len();
        let in_trouble = hosts.iter().filter(|host| host.is_in_trouble()).count();
        hosts.truncate(MOST_HOSTS);
        Ok(Hosts {
            hosts,
            all,
            in_trouble,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(number: u64, host: &str, offset: Option<u64>, problem: &str) -> Outcome {
        Outcome {
            number,
            address: format!("http://{host}/{number}"),
            time: 1_000 * number as i64,
            is_page: problem.is_empty(),
            is_scored: false,
            is_find: false,
            problem: problem.to_owned(),
            unfound: None,
            warc_offset: offset,
            is_redirect: problem.starts_with("redirects"),
        }
    }

    #[test]
    fn a_log_tells_what_came_of_each_host() {
        let log = [
            outcome(1, "a.test", Some(0), ""),
            outcome(2, "b.test", None, "it answered 404"),
            outcome(3, "a.test", None, SAME_PAGE),
            outcome(4, "a.test", Some(300), ""),
            outcome(5, "b.test", None, "it answered 500"),
            outcome(6, "b.test", None, "it answered 500"),
            outcome(7, "c.test", Some(900), "redirects to http://a.test/"),
        ];
        let mut tally = HostTally::default();
        for outcome in &log {
            tally.add(outcome);
        }
        let hosts = tally.with_archive(1_000);
        let a = &hosts["a.test"];
        assert_eq!((a.requests, a.pages, a.failed), (3, 2, 0));
        assert_eq!((a.bytes, a.last, a.problem.clone()), (900, 4_000, None));
        assert!(!a.is_in_trouble());
        let b = &hosts["b.test"];
        assert_eq!((b.requests, b.pages, b.failed, b.bytes), (3, 0, 3, 0));
        assert_eq!(b.problem, Some(("it answered 500".to_owned(), 2)));
        assert!(b.is_in_trouble());
        let c = &hosts["c.test"];
        assert_eq!((c.failed, c.pages, c.bytes, hosts.len()), (0, 0, 100, 3));
    }

    #[test]
    fn what_is_asked_no_more_is_in_trouble() {
        let now = HostState {
            waiting: 3,
            turn: HostTurn::Free,
            delay: 1_000,
            rest: 1_000,
            is_heavy: false,
            deferred: 0,
            rules: HostRules::Some,
        };
        let in_trouble = |now: HostState| {
            let health = HostHealth {
                now: Some(now),
                ..HostHealth::default()
            };
            health.is_in_trouble()
        };
        assert!(!in_trouble(now.clone()));
        assert!(in_trouble(HostState {
            turn: HostTurn::GivenUp,
            ..now.clone()
        }));
        assert!(!in_trouble(HostState {
            turn: HostTurn::Enough,
            ..now.clone()
        }));
        let left_out = HostHealth {
            requests: 9,
            failed: 9,
            is_left_out: true,
            ..HostHealth::default()
        };
        assert!(!left_out.is_in_trouble());
        assert!(in_trouble(HostState { deferred: 1, ..now }));
    }
}

//! How a crawl and its hosts get on: what was asked of each and what came of it, by the log; and,
//! while the crawl runs here, whether it may be asked just now, what its robots.txt says and how
//! much waits there.

use std::collections::HashMap;

use linkscent_core::address::Address;
use linkscent_core::crawl::{
    HostRules, HostState, HostTurn, NEARLY_SAME_PAGE, SAME_PAGE, UNCHANGED, UNRENDERED, is_or_below,
};

use super::{Service, ServiceError};
use crate::store::{CrawlRow, FetchRow};

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

    fn take(&mut self, row: &FetchRow, bytes: u64) {
        self.requests += 1;
        self.last = self.last.max(row.place.time);
        if row.place.warc_offset.is_some() {
            self.pages += 1;
            self.bytes += bytes;
        } else if came_to_nothing(row) {
            self.failed += 1;
        }
    }
}

/// Neither a page, nor where it lies, nor that it is known.
fn came_to_nothing(row: &FetchRow) -> bool {
    let known = [SAME_PAGE, NEARLY_SAME_PAGE, UNCHANGED, UNRENDERED];
    let is_known = known.iter().any(|said| row.problem.starts_with(said));
    !is_known && row.place.redirect.is_none() && !row.problem.is_empty()
}

/// Hosts by the log of a crawl with an archive of that length.
fn of_log(log: &[FetchRow], archive: u64) -> HashMap<String, HostHealth> {
    let mut hosts: HashMap<String, HostHealth> = HashMap::new();
    let mut problems: HashMap<(String, &str), u64> = HashMap::new();
    let mut end = archive;
    // From the newest on, so that it is known where each record ends.
    for row in log.iter().rev() {
        let Ok(address) = Address::parse(&row.address) else {
            continue;
        };
        let host = address.host();
        let bytes = row.place.warc_offset.map_or(0, |begin| {
            let bytes = end.saturating_sub(begin);
            end = begin;
            bytes
        });
        if came_to_nothing(row) {
            let problem = (host.to_owned(), row.problem.as_str());
            *problems.entry(problem).or_default() += 1;
        }
        let health = hosts.entry(host.to_owned()).or_default();
        health.take(row, bytes);
    }
    for ((host, problem), count) in problems {
        if let Some(health) = hosts.get_mut(&host) {
            let (known, most) = health
                .problem
                .as_ref()
                .map_or(("", 0), |(known, most)| (known.as_str(), *most));
            if (count, known) > (most, problem) || health.problem.is_none() {
                health.problem = Some((problem.to_owned(), count));
            }
        }
    }
    hosts
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

impl Service {
    /// A crawl's hosts, and how it gets on with them.
    pub async fn hosts(&self, crawl: &CrawlRow) -> Result<Hosts, ServiceError> {
        let log = self.store.fetches(crawl.id).await?;
        let mut hosts = of_log(&log, crawl.warc_length);
        if let Some(now) = self.supervisor.hosts(crawl.id).await {
            for (host, state) in now {
                hosts.entry(host.into()).or_default().now = Some(state);
            }
        }
        let left_out = crawl.order.scope.left_out.iter().chain(&crawl.left_since);
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
    use crate::store::Location;

    fn row(number: u64, host: &str, offset: Option<u64>, problem: &str) -> FetchRow {
        FetchRow {
            number,
            address: format!("http://{host}/{number}"),
            problem: problem.to_owned(),
            arm: None,
            place: Location {
                warc_offset: offset,
                redirect: problem.starts_with("redirects").then(String::new),
                time: 1_000 * number as i64,
            },
        }
    }

    #[test]
    fn a_log_tells_what_came_of_each_host() {
        let log = [
            row(1, "a.test", Some(0), ""),
            row(2, "b.test", None, "it answered 404"),
            row(3, "a.test", None, SAME_PAGE),
            row(4, "a.test", Some(300), ""),
            row(5, "b.test", None, "it answered 500"),
            row(6, "b.test", None, "it answered 500"),
            row(7, "c.test", None, "redirects to http://a.test/"),
        ];
        let hosts = of_log(&log, 1_000);
        let a = &hosts["a.test"];
        assert_eq!((a.requests, a.pages, a.failed), (3, 2, 0));
        assert_eq!((a.bytes, a.last, a.problem.clone()), (1_000, 4_000, None));
        assert!(!a.is_in_trouble());
        let b = &hosts["b.test"];
        assert_eq!((b.requests, b.pages, b.failed, b.bytes), (3, 0, 3, 0));
        assert_eq!(b.problem, Some(("it answered 500".to_owned(), 2)));
        assert!(b.is_in_trouble());
        assert_eq!((hosts["c.test"].failed, hosts.len()), (0, 3));
    }

    #[test]
    fn what_is_asked_no_more_is_in_trouble() {
        let now = HostState {
            waiting: 3,
            turn: HostTurn::Free,
            delay: 1_000,
            rest: 1_000,
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

//! The robots.txt of many hosts, in a bounded number of bytes: the oldest go. Those that are gone,
//! and those that are older than a day, are asked for again when they are needed (RFC 9309, 2.4).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{Instant, Robots};

/// Bytes kept for all hosts: some ten thousand files of ordinary size.
pub const MOST_BYTES: usize = 32 << 20;
/// What an entry takes besides its rules and its host's name, about.
const ENTRY: usize = 128;

/// Milliseconds for which a file counts.
const FRESH: u64 = 24 * 3_600_000;
/// The same where none could be had, which forbids everything.
const FRESH_WITHOUT: u64 = 3_600_000;

/// Rules, and until when they count.
#[derive(Debug)]
struct Kept {
    robots: Robots,
    until: Instant,
}

/// The robots rules of hosts, those used last kept.
#[derive(Debug, Default)]
pub struct RobotsCache {
    by_host: FxHashMap<Box<str>, Kept>,
    /// Hosts in the order in which their files came.
    order: VecDeque<Box<str>>,
    bytes: usize,
}

impl RobotsCache {
    /// The rules of a host, if they are kept, however old they are.
    pub fn get(&self, host: &str) -> Option<&Robots> {
        Some(&self.by_host.get(host)?.robots)
    }

    /// The hosts whose rules are kept.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &str> {
        self.by_host.keys().map(Box::as_ref)
    }

    /// The rules of a host, if they are kept and still count.
    pub fn fresh(&self, host: &str, now: Instant) -> Option<&Robots> {
        let kept = self.by_host.get(host)?;
        (now < kept.until).then_some(&kept.robots)
    }

    /// Keeps the rules of a host that were asked for at a time. They stay at least until the next
    /// are kept.
    pub fn insert(&mut self, host: &str, robots: Robots, asked: Instant) {
        self.remove(host);
        self.bytes += weight(host, &robots);
        let counts = if robots.is_unknown() {
            FRESH_WITHOUT
        } else {
            FRESH
        };
        let until = Instant(asked.0.saturating_add(counts));
        self.by_host.insert(host.into(), Kept { robots, until });
        self.order.push_back(host.into());
        while self.bytes > MOST_BYTES && self.order.len() > 1 {
            if let Some(oldest) = self.order.pop_front() {
                self.forget(&oldest);
            }
        }
    }

    /// Bytes taken by all that is kept, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn remove(&mut self, host: &str) {
        if self.by_host.contains_key(host) {
            self.order.retain(|kept| **kept != *host);
            self.forget(host);
        }
    }

    fn forget(&mut self, host: &str) {
        if let Some(kept) = self.by_host.remove(host) {
            self.bytes -= weight(host, &kept.robots);
        }
    }
}

fn weight(host: &str, robots: &Robots) -> usize {
    robots.bytes() + 2 * host.len() + ENTRY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let mut cache = RobotsCache::default();
        let text: String = (0..5_000).map(|n| format!("Disallow: /{n}\n")).collect();
        let robots = Robots::parse(format!("User-agent: *\n{text}").as_bytes(), "x");
        for number in 0..2_000 {
            cache.insert(&format!("host{number}.test"), robots.clone(), Instant(0));
            assert!(cache.bytes() <= MOST_BYTES);
        }
        assert!(cache.get("host0.test").is_none());
        assert!(
            cache
                .get("host1999.test")
                .is_some_and(|robots| !robots.allows("/7"))
        );
        let kept = cache.bytes();
        cache.insert("host1999.test", robots, Instant(0));
        assert_eq!(cache.bytes(), kept);
        assert_eq!(cache.order.len(), cache.by_host.len());
    }

    #[test]
    fn a_file_counts_for_a_day_and_none_for_an_hour() {
        let mut cache = RobotsCache::default();
        cache.insert("a.test", Robots::allow_all(), Instant(500));
        cache.insert("b.test", Robots::deny_all("no answer"), Instant(500));
        let fresh = |host: &str, hours: u64, more: u64| {
            let now = Instant(500 + hours * 3_600_000 + more);
            cache.fresh(host, now).is_some()
        };
        assert!(fresh("a.test", 23, 3_599_999) && !fresh("a.test", 24, 0));
        assert!(fresh("b.test", 0, 3_599_999) && !fresh("b.test", 1, 0));
        assert!(cache.get("b.test").is_some() && !fresh("c.test", 0, 0));
    }
}

//! The robots.txt of many hosts, in a bounded number of bytes: the oldest go, and
//! are asked for again when they are needed.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Robots;

/// Bytes kept for all hosts: some ten thousand files of ordinary size.
pub const MOST_BYTES: usize = 32 << 20;
/// What an entry takes besides its rules and its host's name, about.
const ENTRY: usize = 128;

/// The robots rules of hosts, those used last kept.
#[derive(Debug, Default)]
pub struct RobotsCache {
    by_host: FxHashMap<Box<str>, Robots>,
    /// Hosts in the order in which their files came.
    order: VecDeque<Box<str>>,
    bytes: usize,
}

impl RobotsCache {
    /// The rules of a host, if they are kept.
    pub fn get(&self, host: &str) -> Option<&Robots> {
        self.by_host.get(host)
    }

    /// Keeps the rules of a host. They stay at least until the next are kept.
    pub fn insert(&mut self, host: &str, robots: Robots) {
        self.remove(host);
        self.bytes += weight(host, &robots);
        self.by_host.insert(host.into(), robots);
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
        if let Some(robots) = self.by_host.remove(host) {
            self.bytes -= weight(host, &robots);
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
            cache.insert(&format!("host{number}.test"), robots.clone());
            assert!(cache.bytes() <= MOST_BYTES);
        }
        assert!(cache.get("host0.test").is_none());
        assert!(
            cache
                .get("host1999.test")
                .is_some_and(|robots| !robots.allows("/7"))
        );
        let kept = cache.bytes();
        cache.insert("host1999.test", robots);
        assert_eq!(cache.bytes(), kept);
        assert_eq!(cache.order.len(), cache.by_host.len());
    }
}

//! Sites of many hosts: how many of them are asked at a time. Hosts are asked one beside the other,
//! and a site that makes up a host for each link would else be asked by hundreds of them before the
//! first answer shows what it is.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::address_groups::site_of;

/// Requests under way at a time to all hosts of a site together.
const MOST_OF_SITE: usize = 8;

/// The sites that are asked just now, and their hosts that wait until fewer are.
#[derive(Debug, Default)]
pub struct Crowds(FxHashMap<Box<str>, Crowd>);

#[derive(Debug, Default)]
struct Crowd {
    under_way: usize,
    waiting: VecDeque<Box<str>>,
}

impl Crowds {
    /// A request to a host begins.
    pub fn begin(&mut self, host: &str) {
        let site = site_of(host);
        if !self.0.contains_key(site) {
            self.0.insert(site.into(), Crowd::default());
        }
        if let Some(crowd) = self.0.get_mut(site) {
            crowd.under_way += 1;
        }
    }

    /// A request to a host has ended; the host that has waited longest for that, if there is one.
    pub fn end(&mut self, host: &str) -> Option<Box<str>> {
        let site = site_of(host);
        let crowd = self.0.get_mut(site)?;
        crowd.under_way = crowd.under_way.saturating_sub(1);
        let next = crowd.waiting.pop_front();
        if crowd.under_way == 0 && crowd.waiting.is_empty() {
            self.0.remove(site);
        }
        next
    }

    /// Whether no more hosts of a host's site may be asked now.
    pub fn is_full(&self, host: &str) -> bool {
        let crowd = self.0.get(site_of(host));
        crowd.is_some_and(|crowd| crowd.under_way >= MOST_OF_SITE)
    }

    /// A host of a site that is full waits.
    pub fn wait(&mut self, host: &str) {
        if let Some(crowd) = self.0.get_mut(site_of(host)) {
            crowd.waiting.push_back(host.into());
        }
    }

    /// A host that waits though its site has room: those that had waited before it had nothing to ask
    /// for any more.
    pub fn with_room(&mut self) -> Option<Box<str>> {
        let mut crowds = self.0.values_mut();
        let crowd =
            crowds.find(|crowd| crowd.under_way < MOST_OF_SITE && !crowd.waiting.is_empty())?;
        crowd.waiting.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_has_room_for_so_many_hosts_and_the_next_waits() {
        let mut crowds = Crowds::default();
        let host = |number: usize| format!("w{number}.a.test");
        for number in 0..MOST_OF_SITE {
            assert!(!crowds.is_full(&host(number)));
            crowds.begin(&host(number));
        }
        assert!(crowds.is_full("other.a.test") && !crowds.is_full("a.b.test"));
        for number in [20, 21, 22] {
            crowds.wait(&host(number));
        }
        assert_eq!(crowds.with_room(), None);
        assert_eq!(crowds.end(&host(0)).as_deref(), Some(&*host(20)));
        // That one was given up.
        assert_eq!(crowds.with_room().as_deref(), Some(&*host(21)));
        for number in 1..MOST_OF_SITE {
            crowds.end(&host(number));
        }
        assert!(crowds.0.is_empty());
    }
}

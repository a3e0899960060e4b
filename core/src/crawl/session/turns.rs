//! Whose turn it is: each host has its own, or all hosts of a site share one.

use rustc_hash::FxHashMap;

use crate::crawl::crowds::Crowds;
use crate::crawl::{CrawlDelay, Frontier, Instant, Politeness, site_of};

/// Which hosts may be asked now. What may not is closed in the frontier until it may.
pub struct Turns {
    pub(super) politeness: Politeness,
    /// Hosts whose robots.txt is under way, each with when it was asked for.
    pub(super) asked_for_robots: FxHashMap<Box<str>, Instant>,
    /// Whether all hosts of a site share one turn, and by site that is asked or rests those that wait
    /// for it.
    pub(super) by_site: bool,
    shut: FxHashMap<Box<str>, Vec<Box<str>>>,
    pub(super) crowds: Crowds,
}

impl Turns {
    pub(super) fn new(delay: CrawlDelay) -> Self {
        Self {
            politeness: Politeness::new(delay),
            asked_for_robots: FxHashMap::default(),
            by_site: false,
            shut: FxHashMap::default(),
            crowds: Crowds::default(),
        }
    }

    /// Has all hosts of a site asked one at a time, with the delay between them, and not only each by
    /// itself.
    pub fn rest_by_site(&mut self) {
        self.by_site = true;
    }

    /// Milliseconds that a host rests between two requests, unless it asks for more.
    pub fn delay(&self) -> u64 {
        self.politeness.delay()
    }

    /// Milliseconds between two requests that the crawl's delay and the host's robots.txt ask for.
    pub fn delay_of(&self, host: &str) -> u64 {
        self.politeness.delay_of(self.of(host))
    }

    /// A host took so many milliseconds to begin the answer that is taken in next: after a slow one
    /// it rests longer.
    pub fn took(&mut self, host: &str, answer: u64) {
        let turn = self.of(host);
        self.politeness.took(turn, answer);
    }

    /// The page of a host that is taken in next was so many milliseconds of work to read, and is to learn
    /// from: behind one that was much it rests longer.
    pub fn worked(&mut self, host: &str, work: u64) {
        let turn = self.of(host);
        self.politeness.worked(turn, work);
    }

    /// What rests when a host was asked: itself, or its site.
    pub(super) fn of<'a>(&self, host: &'a str) -> &'a str {
        if self.by_site { site_of(host) } else { host }
    }

    /// Asks a host for nothing until what it shares its turn with has rested.
    pub(super) fn shut(&mut self, frontier: &mut Frontier, host: &str) {
        frontier.close(host);
        if self.by_site {
            let site = site_of(host);
            if !self.shut.contains_key(site) {
                self.shut.insert(site.into(), Vec::new());
            }
            if let Some(hosts) = self.shut.get_mut(site) {
                hosts.push(host.into());
            }
        }
    }

    /// Whether another host of its site is asked, or was just now.
    pub(super) fn is_site_shut(&self, host: &str) -> bool {
        self.by_site && self.shut.contains_key(site_of(host))
    }

    /// What has rested may be asked again.
    pub(super) fn reopen(&mut self, frontier: &mut Frontier, now: Instant) {
        while let Some(rested) = self.politeness.rested(now) {
            if !self.by_site {
                frontier.open(&rested);
            }
            for host in self.shut.remove(&rested).into_iter().flatten() {
                // One whose robots.txt is under way opens with it.
                if !self.asked_for_robots.contains_key(&host) {
                    frontier.open(&host);
                }
            }
        }
    }

    /// A request to a host has ended: another host of its site may be asked.
    pub(super) fn leave_crowd(&mut self, frontier: &mut Frontier, host: &str) {
        if let Some(next) = self.crowds.end(host) {
            frontier.open(&next);
        }
    }

    /// Has a host wait whose site is asked by as many hosts as may be; whether it has to.
    pub(super) fn joins_crowd(&mut self, frontier: &mut Frontier, host: &str) -> bool {
        let is_full = self.crowds.is_full(host);
        if is_full {
            frontier.close(host);
            self.crowds.wait(host);
        }
        is_full
    }

    /// Opens a host that waits for nothing any more; whether there was one.
    pub(super) fn opens_of_crowd(&mut self, frontier: &mut Frontier) -> bool {
        let next = self.crowds.with_room();
        if let Some(next) = &next {
            frontier.open(next);
        }
        next.is_some()
    }
}

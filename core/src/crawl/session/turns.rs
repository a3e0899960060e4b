//! Whose turn it is: each host has its own, or all hosts of a site share one.

use super::Session;
use crate::address::Address;
use crate::crawl::{Instant, site_of};

impl Session {
    /// Has all hosts of a site asked one at a time, with the delay between them, and not only each by
    /// itself.
    pub fn rest_by_site(&mut self) {
        self.by_site = true;
    }

    /// What rests when a host was asked: itself, or its site.
    pub(super) fn turn_of<'a>(&self, host: &'a str) -> &'a str {
        if self.by_site { site_of(host) } else { host }
    }

    /// Asks a host for nothing until what it shares its turn with has rested.
    pub(super) fn shut(&mut self, host: &str) {
        self.frontier.close(host);
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
    pub(super) fn reopen(&mut self, now: Instant) {
        while let Some(rested) = self.politeness.rested(now) {
            if !self.by_site {
                self.frontier.open(&rested);
            }
            for host in self.shut.remove(&rested).into_iter().flatten() {
                // One whose robots.txt is under way opens with it.
                if !self.asked_for_robots.contains_key(&host) {
                    self.frontier.open(&host);
                }
            }
        }
    }

    /// A page was not asked for after all: its host may be asked again after so many milliseconds.
    pub fn put_off(&mut self, address: &Address, now: Instant, rest: u64) {
        if self.under_way.remove(address).is_some() {
            self.leave_crowd(address.host());
            self.begun -= 1;
            let turn = self.turn_of(address.host());
            self.politeness.rest(turn, now, rest);
        }
    }

    /// A request to a host has ended: another host of its site may be asked.
    pub(super) fn leave_crowd(&mut self, host: &str) {
        if let Some(next) = self.crowds.end(host) {
            self.frontier.open(&next);
        }
    }

    /// Has a host wait whose site is asked by as many hosts as may be; whether it has to.
    pub(super) fn joins_crowd(&mut self, host: &str) -> bool {
        let is_full = self.crowds.is_full(host);
        if is_full {
            self.frontier.close(host);
            self.crowds.wait(host);
        }
        is_full
    }

    /// Opens a host that waits for nothing any more; whether there was one.
    pub(super) fn opens_of_crowd(&mut self) -> bool {
        let next = self.crowds.with_room();
        if let Some(next) = &next {
            self.frontier.open(next);
        }
        next.is_some()
    }
}

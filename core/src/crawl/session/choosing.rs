//! What a session does next: which page is asked for, which host's robots.txt, or whether it waits or
//! ends.

use super::super::{Arm, Fetch, Instant, Next, SkipReason, Skipped, StopReason};
use super::{MOST_SKIPPED, Session};
use crate::address::Address;

/// Requests made at most for each page of the budget: a web of dead links ends.
const REQUESTS_PER_PAGE: u64 = 20;

impl Session {
    /// What to do next. Pages under way count towards the budget, so that it
    /// is met and not passed.
    pub fn next(&mut self, now: Instant) -> Next {
        self.turns.reopen(&mut self.frontier, now);
        if self.stats.pages >= self.limits.budget {
            return Next::Stop(StopReason::Budget);
        }
        if let Some(most) = self.limits.requests
            && self.requests + self.under_way.len() as u64 >= most
        {
            return if self.requests >= most {
                Next::Stop(StopReason::Budget)
            } else {
                Next::Busy
            };
        }
        if self.requests >= self.limits.budget.saturating_mul(REQUESTS_PER_PAGE) {
            return Next::Stop(StopReason::TooManyFailures);
        }
        if self.stats.pages + self.under_way.len() as u64 >= self.limits.budget {
            return Next::Busy;
        }
        let ends = self.has_enough && self.limits.until_recall.is_some();
        if ends && !self.frontier.has_pinned() {
            return if self.under_way() > 0 {
                Next::Busy
            } else {
                Next::Stop(StopReason::Recall)
            };
        }
        let arm = self.arm();
        loop {
            let Some((arm, page)) = self.frontier.best_by(arm) else {
                if self.turns.opens_of_crowd(&mut self.frontier) {
                    continue;
                }
                break;
            };
            let (target, is_pinned) = (page.links[0].target.clone(), page.pinned);
            if self.turns.is_site_shut(target.host()) {
                self.turns.shut(&mut self.frontier, target.host());
                continue;
            }
            if self.turns.joins_crowd(&mut self.frontier, target.host()) {
                continue;
            }
            let Some(robots) = self.robots.fresh(target.host(), now) else {
                return self.ask_for_robots(target, now);
            };
            if !is_pinned && self.is_seen(&target) {
                self.frontier.take(&target);
                continue;
            }
            if let Err(reason) = robots.check(target.path_and_query()) {
                self.frontier.take(&target);
                self.skip(target, reason.into());
                continue;
            }
            let turn = self.turns.of(target.host());
            self.turns.politeness.begin(turn);
            self.turns.shut(&mut self.frontier, target.host());
            self.set_under_way(target.clone(), arm);
            return Next::Fetch(Fetch { address: target });
        }
        if self.under_way() > 0 {
            return Next::Busy;
        }
        match self.turns.politeness.next_rested() {
            Some(at) if !self.frontier.is_empty() => Next::Wait(at),
            _ => Next::Stop(StopReason::FrontierEmpty),
        }
    }

    pub(super) fn skip(&mut self, address: Address, reason: SkipReason) {
        self.seen.insert(&address);
        if self.skipped.len() < MOST_SKIPPED {
            self.skipped.push(Skipped {
                is_seed: self.seeds.contains_key(&address),
                address,
                reason,
            });
        }
    }

    /// Links that were not asked for since this was last called, at most
    /// `MOST_SKIPPED`.
    pub fn take_skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.skipped)
    }

    fn ask_for_robots(&mut self, target: Address, now: Instant) -> Next {
        self.turns
            .asked_for_robots
            .insert(target.host().into(), now);
        self.turns.crowds.begin(target.host());
        self.turns.shut(&mut self.frontier, target.host());
        Next::Robots(target)
    }

    pub(super) fn set_under_way(&mut self, target: Address, arm: Arm) {
        self.begun += 1;
        self.turns.crowds.begin(target.host());
        self.under_way.insert(target, arm);
    }

    /// A page was not asked for after all: its host may be asked again after so many milliseconds.
    pub fn put_off(&mut self, address: &Address, now: Instant, rest: u64) {
        if self.under_way.remove(address).is_some() {
            self.turns.leave_crowd(&mut self.frontier, address.host());
            self.begun -= 1;
            let turn = self.turns.of(address.host());
            self.turns.politeness.rest(turn, now, rest);
        }
    }

    pub(super) fn arm(&self) -> Arm {
        if self.restricted_pages > 0 {
            return Arm::Primary;
        }
        self.bandit.arm(self.begun)
    }
}

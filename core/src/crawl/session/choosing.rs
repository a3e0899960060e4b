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
        self.reopen(now);
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
                if self.opens_of_crowd() {
                    continue;
                }
                break;
            };
            let (target, is_pinned) = (page.links[0].target.clone(), page.pinned);
            if self.is_site_shut(target.host()) {
                self.shut(target.host());
                continue;
            }
            if self.joins_crowd(target.host()) {
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
            return self.begin(target, arm);
        }
        if self.under_way() > 0 {
            return Next::Busy;
        }
        match self.politeness.next_rested() {
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
        self.asked_for_robots.insert(target.host().into(), now);
        self.crowds.begin(target.host());
        self.shut(target.host());
        Next::Robots(target)
    }

    fn begin(&mut self, target: Address, arm: Arm) -> Next {
        self.politeness.begin(self.turn_of(target.host()));
        self.shut(target.host());
        self.set_under_way(target.clone(), arm);
        Next::Fetch(Fetch { address: target })
    }

    pub(super) fn set_under_way(&mut self, target: Address, arm: Arm) {
        self.begun += 1;
        self.crowds.begin(target.host());
        self.under_way.insert(target, arm);
    }

    pub(super) fn arm(&self) -> Arm {
        if self.restricted_pages > 0 {
            return Arm::Primary;
        }
        self.bandit.arm(self.begun)
    }
}

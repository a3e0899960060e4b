//! How a crawl stands with each host just now: whether it may be asked, what its robots.txt says
//! and how much waits there.

use std::collections::BTreeMap;

use super::Session;
use crate::crawl::scope::is_or_below;
use crate::crawl::{Denial, Instant};

/// How a crawl stands with a host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostState {
    /// Pages of it that wait to be asked for.
    pub waiting: usize,
    /// Whether it may be asked.
    pub turn: HostTurn,
    /// Milliseconds between two requests that the crawl and its robots.txt ask for.
    pub delay: u64,
    /// Milliseconds that it rests as things are: longer than that if it answers slowly, or if its pages
    /// are much work.
    pub rest: u64,
    /// Whether it rests so long for the work that its pages are.
    pub is_heavy: bool,
    /// How often in a row it had no time.
    pub deferred: u32,
    /// What its robots.txt says.
    pub rules: HostRules,
}

/// Whether a host may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostTurn {
    /// At once.
    Free,
    /// Not before its answer is in.
    Asked,
    /// Not before so many milliseconds have passed.
    Rests(u64),
    /// No more: as many of its pages or targets came as were wanted.
    Enough,
    /// No more: it goes on for ever, or never has time.
    GivenUp,
    /// No more: the person left it out.
    LeftOut,
}

/// What a host's robots.txt says, as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub enum HostRules {
    /// It was not asked for, or so long ago that it does not count any more.
    Unknown,
    /// All may be asked for.
    None,
    /// Some of it may not.
    Some,
    /// Nothing may be asked for, and why.
    Nothing(Denial),
}

impl Session {
    /// How it stands with every host that it knows of, as far as it is anything to tell.
    pub fn hosts(&self, now: Instant) -> BTreeMap<Box<str>, HostState> {
        let mut hosts: BTreeMap<Box<str>, HostState> = BTreeMap::new();
        let known = self.frontier.hosts().chain(self.robots.hosts());
        let of_hosts = |_: &(&str, _)| !self.turns.by_site;
        let in_turn = self.turns.politeness.hosts().filter(of_hosts);
        let known = known.chain(in_turn.map(|(host, _)| host));
        for host in known.chain(self.stopping.left()) {
            if !hosts.contains_key(host) {
                hosts.insert(host.into(), state_of(self, host, now));
            }
        }
        let turns: BTreeMap<&str, Option<Instant>> = self.turns.politeness.hosts().collect();
        for (host, state) in &mut hosts {
            if let Some(until) = turns.get(self.turns.of(host))
                && state.turn == HostTurn::Free
            {
                state.turn = match until {
                    None => HostTurn::Asked,
                    Some(until) if *until <= now => HostTurn::Free,
                    Some(until) => HostTurn::Rests(until.0 - now.0),
                };
            }
        }
        for page in self.under_way.keys() {
            if let Some(state) = hosts.get_mut(page.host()) {
                state.waiting = state.waiting.saturating_sub(1);
            }
        }
        hosts
    }
}

fn state_of(crawl: &Session, host: &str, now: Instant) -> HostState {
    let rules = match crawl.robots.fresh(host, now) {
        None => HostRules::Unknown,
        Some(robots) => match robots.denial() {
            Some(denial) => HostRules::Nothing(denial.clone()),
            None if robots.has_rules() => HostRules::Some,
            None => HostRules::None,
        },
    };
    let mut left_out = crawl.limits.scope.left_out.iter();
    let is_left_out = left_out.any(|left| is_or_below(host, left));
    let turn = if is_left_out || crawl.left_since.has(host) {
        HostTurn::LeftOut
    } else if crawl.stopping.left().any(|left| left == host) {
        HostTurn::GivenUp
    } else if crawl.stopping.is_left(host) {
        HostTurn::Enough
    } else if crawl.turns.asked_for_robots.contains_key(host) {
        HostTurn::Asked
    } else {
        HostTurn::Free
    };
    let in_turn = crawl.turns.of(host);
    let deferred = crawl.turns.politeness.deferred().get(host);
    HostState {
        waiting: crawl.frontier.waiting_at(host),
        turn,
        delay: crawl.turns.politeness.delay_of(in_turn),
        rest: crawl.turns.politeness.rest_of(in_turn),
        is_heavy: crawl.turns.politeness.is_heavy(in_turn),
        deferred: deferred.copied().unwrap_or(0),
        rules,
    }
}

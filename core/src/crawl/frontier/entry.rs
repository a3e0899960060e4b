//! A page that waits: the links that lead there, and what the strategy makes of their scores.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::{LINKS_IN_MEAN, LINKS_PER_TARGET};
use crate::crawl::host_queues::Place;
use crate::strategies::{Candidate, LinkPolicy, LinkScore, Priority};

/// A page that waits, with the links that lead there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FrontierEntry {
    /// The links: best first where the policy sorts them, else oldest first.
    pub links: Vec<Candidate>,
    /// The links' priorities, one by one.
    scores: Vec<Priority>,
    /// What the policy makes of them.
    pub priority: Priority,
    /// Whether it keeps its place whatever the strategy thinks: a seed, or
    /// where a chosen page redirects to.
    pub pinned: bool,
    /// Whether it belongs to the batch that is worked off.
    pub(super) in_batch: bool,
    /// How many pages had come before it.
    pub(super) number: u64,
    /// By which model its links were scored.
    pub(super) model: u32,
}

impl FrontierEntry {
    pub(super) fn of(link: Candidate, priority: Priority) -> Self {
        Self {
            links: vec![link],
            scores: vec![priority],
            priority,
            pinned: false,
            in_batch: false,
            number: 0,
            model: 0,
        }
    }

    /// A page that comes before all others.
    pub fn pinned(links: Vec<Candidate>) -> Self {
        let priority = Priority::new(0, f64::MAX);
        Self {
            scores: vec![priority; links.len()],
            links,
            priority,
            pinned: true,
            in_batch: true,
            number: 0,
            model: 0,
        }
    }

    /// One more link leads there; so many are kept, and none is dropped for want of another.
    pub(super) fn join(
        &mut self,
        policy: LinkPolicy,
        most: usize,
        link: Candidate,
        priority: Priority,
    ) {
        let is_best = policy.sorts() && self.scores.first().is_none_or(|best| priority > *best);
        let is_first = is_best || policy == LinkPolicy::Newest;
        let place = if is_first { 0 } else { self.links.len() };
        let most = most.max(self.links.len());
        if place < most {
            // Many pages wait, and most have one link.
            self.links.reserve_exact(1);
            self.scores.reserve_exact(1);
            self.links.insert(place, link);
            self.scores.insert(place, priority);
            self.links.truncate(most);
            self.scores.truncate(most);
            self.priority = self.worth(policy);
        }
    }

    /// What the policy makes of the links that it needs.
    fn worth(&self, policy: LinkPolicy) -> Priority {
        policy.worth(&self.scores[..self.scores.len().min(needed(policy))])
    }

    /// The links that are not rejected, scored again, in the policy's order: each score with the
    /// link's place among [`Self::links`].
    pub(super) fn scored_again(
        &self,
        policy: LinkPolicy,
        score: &mut impl FnMut(&Candidate) -> LinkScore,
    ) -> Vec<(Priority, usize)> {
        let links = self.links.iter().enumerate();
        let mut scored: Vec<(Priority, usize)> = links
            .filter_map(|(place, link)| Some((score(link).priority()?, place)))
            .collect();
        if policy.sorts() {
            scored.sort_by_key(|row| Reverse(row.0));
        }
        scored
    }

    /// Takes over what [`Self::scored_again`] gave; there has to be a link.
    pub(super) fn take_scores(&mut self, policy: LinkPolicy, scored: &[(Priority, usize)]) {
        let as_before = scored.iter().enumerate().all(|(now, row)| row.1 == now);
        if as_before {
            self.links.truncate(scored.len());
        } else {
            let mut links: Vec<Option<Candidate>> = self.links.drain(..).map(Some).collect();
            let again = scored.iter().filter_map(|&(_, place)| links[place].take());
            self.links.extend(again);
        }
        self.links.shrink_to_fit();
        self.scores.clear();
        self.scores.extend(scored.iter().map(|row| row.0));
        self.scores.shrink_to_fit();
        self.priority = self.worth(policy);
    }
}

/// Links to a page by which a policy says what it is worth.
pub(super) fn needed(policy: LinkPolicy) -> usize {
    match policy {
        LinkPolicy::Newest => 1,
        LinkPolicy::First | LinkPolicy::Maximum => LINKS_PER_TARGET,
        LinkPolicy::Mean | LinkPolicy::Both => LINKS_IN_MEAN,
    }
}

/// Links of a page beyond those.
pub(super) fn more_than_needed(waiting: &FrontierEntry, policy: LinkPolicy) -> usize {
    waiting.links.len().saturating_sub(needed(policy))
}

pub(super) fn place(waiting: &FrontierEntry) -> Place {
    let first = &waiting.links[0];
    Place {
        in_batch: waiting.in_batch,
        tier: Reverse(waiting.priority.tier),
        rank: waiting.priority.rank,
        // The bits of floats in 0..1 are ordered as the floats are.
        tie: first.tie.max(0.0).to_bits(),
        target: first.target.clone(),
    }
}

//! The places of the pages that wait, host by host, so that the best page of all hosts that may
//! be asked is at hand, however many hosts rest.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, btree_set};
use std::iter::{Peekable, Rev};

use rustc_hash::FxHashMap;

use crate::address::Address;
use crate::strategies::{Rank, Tier};

/// Where a page stands in its queue; the greatest comes first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Whether it belongs to the batch that is worked off.
    pub in_batch: bool,
    /// Tiers that are served sooner are less.
    pub tier: Reverse<Tier>,
    /// Its place in its tier.
    pub rank: Rank,
    /// Orders what is else equal.
    pub tie: u32,
    /// The page.
    pub target: Address,
}

#[derive(Debug, Default)]
struct HostQueue {
    places: BTreeSet<Place>,
    is_closed: bool,
}

/// All places, and which hosts may be asked.
#[derive(Debug, Default)]
pub(super) struct HostQueues {
    hosts: FxHashMap<Box<str>, HostQueue>,
    /// The first place of every open host.
    open: BTreeSet<Place>,
    /// The first place of every closed host.
    closed: BTreeSet<Place>,
}

impl HostQueues {
    /// A page waits there now.
    pub fn insert(&mut self, place: Place) {
        self.change(place.target.clone().host(), |queue| {
            queue.places.insert(place);
        });
    }

    /// A page no longer waits there.
    pub fn remove(&mut self, place: &Place) {
        self.change(place.target.host(), |queue| {
            queue.places.remove(place);
        });
    }

    /// Pages of the host are not the next.
    pub fn close(&mut self, host: &str) {
        self.change(host, |queue| queue.is_closed = true);
    }

    /// Pages of the host may be the next again.
    pub fn open(&mut self, host: &str) {
        self.change(host, |queue| queue.is_closed = false);
    }

    /// Whether pages of the host may be the next.
    pub fn is_open(&self, host: &str) -> bool {
        self.hosts.get(host).is_some_and(|queue| !queue.is_closed)
    }

    /// The first place of all open hosts.
    pub fn first(&self) -> Option<&Place> {
        self.open.last()
    }

    /// The hosts that have pages or are closed.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.keys().map(Box::as_ref)
    }

    /// How many pages of a host there are.
    pub fn count_of(&self, host: &str) -> usize {
        self.hosts.get(host).map_or(0, |queue| queue.places.len())
    }

    /// The pages of a host.
    pub fn of_host(&self, host: &str) -> Vec<Address> {
        let places = self.hosts.get(host).map(|queue| &queue.places);
        let places = places.into_iter().flatten();
        places.map(|place| place.target.clone()).collect()
    }

    /// The first place of each host, open or not, the best first.
    pub fn first_of_hosts(&self) -> FirstOfHosts<'_> {
        FirstOfHosts([&self.open, &self.closed].map(|heads| heads.iter().rev().peekable()))
    }

    /// The places of all hosts, open or not, the best first.
    pub fn best_first(&self) -> BestFirst<'_> {
        self.merged(self.first_of_hosts())
    }

    /// The places of open hosts, the best first.
    pub fn best_open_first(&self) -> BestFirst<'_> {
        let open = self.open.iter().rev().peekable();
        let nothing = btree_set::Iter::default().rev().peekable();
        self.merged(FirstOfHosts([open, nothing]))
    }

    fn merged<'a>(&'a self, hosts: FirstOfHosts<'a>) -> BestFirst<'a> {
        BestFirst {
            queues: self,
            hosts: hosts.peekable(),
            begun: BinaryHeap::new(),
            rests: Vec::new(),
        }
    }

    /// All places at once, in place of those before: far quicker than one by one.
    pub fn replace_all(&mut self, places: Vec<Place>) {
        self.hosts.retain(|_, queue| queue.is_closed);
        for queue in self.hosts.values_mut() {
            queue.places.clear();
        }
        (self.open, self.closed) = (BTreeSet::new(), BTreeSet::new());
        let mut by_host: FxHashMap<Box<str>, Vec<Place>> = FxHashMap::default();
        for place in places {
            let host = by_host.entry(place.target.host().into()).or_default();
            host.push(place);
        }
        for (host, places) in by_host {
            let queue = self.hosts.entry(host).or_default();
            queue.places = places.into_iter().collect();
            let heads = heads(&mut self.open, &mut self.closed, queue);
            heads.extend(queue.places.last().cloned());
        }
    }

    fn change(&mut self, host: &str, change: impl FnOnce(&mut HostQueue)) {
        if !self.hosts.contains_key(host) {
            self.hosts.insert(host.into(), HostQueue::default());
        }
        let Some(queue) = self.hosts.get_mut(host) else {
            return;
        };
        let before = queue.places.last().cloned();
        let was_closed = queue.is_closed;
        change(queue);
        let is_same = before.as_ref() == queue.places.last() && was_closed == queue.is_closed;
        if !is_same {
            if let Some(before) = before {
                let heads = if was_closed {
                    &mut self.closed
                } else {
                    &mut self.open
                };
                heads.remove(&before);
            }
            let heads = heads(&mut self.open, &mut self.closed, queue);
            heads.extend(queue.places.last().cloned());
        }
        if queue.places.is_empty() && !queue.is_closed {
            self.hosts.remove(host);
        }
    }
}

fn heads<'a>(
    open: &'a mut BTreeSet<Place>,
    closed: &'a mut BTreeSet<Place>,
    queue: &HostQueue,
) -> &'a mut BTreeSet<Place> {
    if queue.is_closed { closed } else { open }
}

type Places<'a> = Rev<btree_set::Iter<'a, Place>>;

/// First places of hosts in one order, from two that are each in order.
pub(super) struct FirstOfHosts<'a>([Peekable<Places<'a>>; 2]);

impl<'a> Iterator for FirstOfHosts<'a> {
    type Item = &'a Place;

    fn next(&mut self) -> Option<&'a Place> {
        let [one, other] = &mut self.0;
        if other.peek() > one.peek() {
            other.next()
        } else {
            one.next()
        }
    }
}

/// Places of hosts in one order: their queues, merged as far as they are read.
pub(super) struct BestFirst<'a> {
    queues: &'a HostQueues,
    hosts: Peekable<FirstOfHosts<'a>>,
    /// Of hosts that were begun, the next place each, with where the rest of it is.
    begun: BinaryHeap<(&'a Place, usize)>,
    rests: Vec<Places<'a>>,
}

impl<'a> Iterator for BestFirst<'a> {
    type Item = &'a Place;

    fn next(&mut self) -> Option<&'a Place> {
        let best = self.begun.peek().map(|(place, _)| *place);
        // One host is enough: the first places of others come behind its own.
        if let Some(first) = self.hosts.next_if(|first| Some(*first) > best) {
            let queue = self.queues.hosts.get(first.target.host())?;
            let mut rest = queue.places.iter().rev();
            rest.next();
            self.begun.push((first, self.rests.len()));
            self.rests.push(rest);
        }
        let (place, rest) = self.begun.pop()?;
        if let Some(next) = self.rests.get_mut(rest).and_then(Iterator::next) {
            self.begun.push((next, rest));
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::{Rng, SplitMix};

    fn place(host: u64, value: f64) -> Place {
        let target = format!("http://host{host}.test/{value}");
        let priority = crate::strategies::Priority::new(0, value);
        Place {
            in_batch: false,
            tier: Reverse(priority.tier),
            rank: priority.rank,
            tie: 0,
            target: Address::parse(&target).unwrap(),
        }
    }

    /// Places of 20 hosts come and go, hosts close and open: what comes first is what sorting
    /// all of them gives.
    #[test]
    fn the_first_places_are_those_of_a_sorted_list() {
        let (mut queues, mut all, mut rng) = (HostQueues::default(), Vec::new(), SplitMix(3));
        let mut is_closed = [false; 20];
        let drawn = |rng: &mut SplitMix, most: usize| (rng.unit() * most as f64) as usize;
        for step in 0..3_000 {
            let host = drawn(&mut rng, 20);
            match drawn(&mut rng, 5) {
                0..3 => {
                    let place = place(host as u64, f64::from(step) * 7.77 % 100.0);
                    queues.insert(place.clone());
                    all.push(place);
                }
                3 if !all.is_empty() => {
                    let gone = all.swap_remove(drawn(&mut rng, all.len()));
                    queues.remove(&gone);
                }
                _ => {
                    is_closed[host] = !is_closed[host];
                    let name = format!("host{host}.test");
                    if is_closed[host] {
                        queues.close(&name);
                    } else {
                        queues.open(&name);
                    }
                }
            }
            if step % 500 == 250 {
                queues.replace_all(all.clone());
            }
            if step % 50 == 0 {
                all.sort_unstable_by(|a, b| b.cmp(a));
                assert!(queues.best_first().eq(&all), "step {step}");
                assert!(queues.best_first().take(7).eq(all.iter().take(7)));
                let is_open = |place: &&Place| {
                    let host = place.target.host();
                    let number: usize = host[4..host.len() - 5].parse().unwrap();
                    assert_eq!(queues.is_open(host), !is_closed[number]);
                    !is_closed[number]
                };
                assert_eq!(queues.first(), all.iter().find(is_open), "step {step}");
                let open = all.iter().filter(is_open);
                assert!(queues.best_open_first().eq(open), "step {step}");
                let mut met = BTreeSet::new();
                let firsts = all.iter().filter(|place| met.insert(place.target.host()));
                assert!(queues.first_of_hosts().eq(firsts), "step {step}");
            }
        }
        assert!(all.len() > 500);
        let of_host = queues.of_host("host3.test").len();
        let expected = all
            .iter()
            .filter(|place| place.target.host() == "host3.test");
        assert_eq!(of_host, expected.count());
    }
}

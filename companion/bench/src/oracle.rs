//! The oracle: knows the web. It takes a relevant page of its frontier if there
//! is one, else the page from which the nearest relevant one is fewest clicks
//! away. Greedy, so not quite the best crawl there is; it frames every plot.

use std::collections::BTreeSet;

use anyhow::Result;
use linkscent_core::strategies::{Rng, SplitMix};

use super::scenario::Scenario;
use super::visits::Visit;

const FAR: u32 = u32::MAX;

/// The oracle's crawl.
pub fn crawl(scenario: &Scenario) -> Result<Vec<Visit>> {
    let mut oracle = Oracle::new(scenario)?;
    let mut visits = Vec::new();
    while (visits.len() as u64) < scenario.budget {
        let Some((page, via)) = oracle.next() else {
            break;
        };
        visits.push(Visit {
            page,
            via,
            priority: None,
            expected: None,
            judgment: None,
        });
        oracle.take(page);
    }
    Ok(visits)
}

struct Oracle<'a> {
    scenario: &'a Scenario,
    /// Pages that link to a page.
    inlinks: Vec<Vec<u32>>,
    fetched: Vec<bool>,
    /// The page through which a page came into the frontier.
    via: Vec<Option<u32>>,
    in_frontier: Vec<bool>,
    ties: Vec<u64>,
    /// Clicks to the nearest relevant page that is not fetched.
    distances: Vec<u32>,
    stale: bool,
    /// The frontier by distance, then tie.
    queue: BTreeSet<(u32, u64, u32)>,
    seeds: Vec<u32>,
    last_resort: Vec<u32>,
}

impl<'a> Oracle<'a> {
    fn new(scenario: &'a Scenario) -> Result<Self> {
        let pages = scenario.web.pages.len();
        let mut inlinks = vec![Vec::new(); pages];
        for (source, targets) in scenario.web.links.iter().enumerate() {
            for &target in targets {
                inlinks[target as usize].push(source as u32);
            }
        }
        let mut rng = SplitMix(scenario.random_seed);
        let mut seeds = scenario.topic.starts(&scenario.seeds)?.to_vec();
        seeds.reverse();
        let mut oracle = Self {
            scenario,
            inlinks,
            fetched: vec![false; pages],
            via: vec![None; pages],
            in_frontier: vec![false; pages],
            ties: (0..pages).map(|_| rng.bits()).collect(),
            distances: Vec::new(),
            stale: false,
            queue: BTreeSet::new(),
            seeds,
            last_resort: scenario.topic.root().to_vec(),
        };
        oracle.measure();
        Ok(oracle)
    }

    fn is_wanted(&self, page: u32) -> bool {
        self.scenario.topic.labels[page as usize].counts() && !self.fetched[page as usize]
    }

    /// The next page: a seed, then the nearest of the frontier. Distances are
    /// measured again only when no relevant page waits and one was fetched
    /// since.
    fn next(&mut self) -> Option<(u32, Option<u32>)> {
        while let Some(seed) = self.seeds.pop() {
            if !self.fetched[seed as usize] {
                return Some((seed, None));
            }
        }
        let nearest = self.queue.first().map(|row| row.0);
        if self.stale && nearest != Some(0) {
            self.measure();
        }
        if let Some((_, _, page)) = self.queue.pop_first() {
            return Some((page, self.via[page as usize]));
        }
        self.seeds = std::mem::take(&mut self.last_resort);
        let seed = self.seeds.pop()?;
        (!self.fetched[seed as usize]).then_some((seed, None))
    }

    fn take(&mut self, page: u32) {
        self.stale |= self.is_wanted(page);
        self.queue.remove(&self.place(page));
        self.fetched[page as usize] = true;
        for &target in &self.scenario.web.links[page as usize] {
            let place = target as usize;
            if !self.fetched[place] && !std::mem::replace(&mut self.in_frontier[place], true) {
                self.via[place] = Some(page);
                self.queue.insert(self.place(target));
            }
        }
    }

    fn place(&self, page: u32) -> (u32, u64, u32) {
        let number = page as usize;
        (self.distances[number], self.ties[number], page)
    }

    /// Measures all distances, from the wanted pages backwards.
    fn measure(&mut self) {
        let pages = self.fetched.len();
        self.distances = vec![FAR; pages];
        let mut layer: Vec<u32> = (0..pages as u32).filter(|&p| self.is_wanted(p)).collect();
        for &page in &layer {
            self.distances[page as usize] = 0;
        }
        let mut distance = 0;
        while !layer.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for page in layer {
                for &source in &self.inlinks[page as usize] {
                    if self.distances[source as usize] == FAR {
                        self.distances[source as usize] = distance;
                        next.push(source);
                    }
                }
            }
            layer = next;
        }
        let waiting: Vec<u32> = self.queue.iter().map(|row| row.2).collect();
        self.queue = waiting.into_iter().map(|page| self.place(page)).collect();
        self.stale = false;
    }
}

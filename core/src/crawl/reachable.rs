//! How many relevant pages there are to be reached from where a crawl began, those included to which
//! it saw no link yet, and whether it has enough of them.
//!
//! A link that a page read has to a relevant page is one sighting of it. Pages that were sighted only
//! once speak for others that were not sighted at all: as Good and Turing have it, the share of
//! sightings that are of pages sighted more than once, the *coverage*, is about the share of all
//! sightings to come that are of pages known already. Relevant pages do not lie as by chance, and a
//! crawl does not look by chance, so that how much more there is by a coverage was measured over
//! crawls of three frozen webs. The interval held the truth in nine of ten counts of them; of a web
//! that had no part in the measuring, in 82 to 92 of a hundred.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::{CrawlStats, Expected};
use crate::address::Address;
use crate::page::Page;
use crate::strategies::Candidate;

/// Sightings of one page that count: more are those of menus.
const MOST_SIGHTINGS: u8 = 11;
/// Finds that are watched; those that come later are not sighted.
const MOST_WATCHED: usize = 200_000;
/// Finds before anything is said.
const FEWEST_FINDS: u64 = 5;
/// Of a crawl's pages those after which it is to have found hardly more, as a fraction: after half of
/// them one of 27 crawls on three frozen webs ended with a third of what there was.
const EARLY: (u64, u64) = (2, 5);
/// By how much the logarithm of all is above that of those in view, for a unit of what is uncertain:
/// about, and nine times in ten at least and at most.
const ABOUT: f64 = 0.42;
const LEAST: f64 = -0.98;
const MOST: f64 = 5.85;
/// What is uncertain where every find was sighted often.
const ALWAYS_UNCERTAIN: f64 = 0.06;

/// How often finds were sighted.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Sightings {
    /// By [`Address::key`].
    of: FxHashMap<u64, u8>,
    once: u64,
    all: u64,
}

impl Sightings {
    /// A page came by these links; it may be a find.
    pub fn page(&mut self, page: &Page, via: &[Candidate], is_find: bool) {
        let targets: FxHashSet<&Address> = page.outlinks.iter().map(|link| &link.target).collect();
        self.read(targets.into_iter());
        if is_find {
            let sources = via.iter().filter_map(|link| link.trail.steps().next());
            let sources: FxHashSet<&Address> = sources.map(|step| &step.address).collect();
            self.find(&page.address, sources.len());
        }
    }

    /// A find came to which so many pages were known to link.
    pub fn find(&mut self, page: &Address, links: usize) {
        let full = self.of.len() == MOST_WATCHED;
        let key = page.key();
        if full || self.of.contains_key(&key) {
            return;
        }
        let sightings = u8::try_from(links).unwrap_or(u8::MAX).min(MOST_SIGHTINGS);
        self.of.insert(key, sightings);
        self.all += u64::from(sightings);
        self.once += u64::from(sightings == 1);
    }

    /// A page was read that links to these, each once.
    pub fn read<'a>(&mut self, targets: impl Iterator<Item = &'a Address>) {
        for target in targets {
            let Some(sightings) = self.of.get_mut(&target.key()) else {
                continue;
            };
            if *sightings == MOST_SIGHTINGS {
                continue;
            }
            *sightings += 1;
            self.all += 1;
            match *sightings {
                1 => self.once += 1,
                2 => self.once -= 1,
                _ => {}
            }
        }
    }

    /// The share of sightings that are of finds sighted more than once, above 0 and up to 1.
    pub fn coverage(&self) -> f64 {
        (self.all - self.once + 1) as f64 / (self.all + 1) as f64
    }
}

/// What a crawl counts now and then of the relevant pages that it has not found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unfound {
    /// How many are expected among the links that wait.
    pub waiting: f64,
    /// The coverage of those found, above 0 and up to 1; none in logs of earlier versions.
    pub coverage: Option<f64>,
}

impl Unfound {
    /// How many are expected among the links that wait.
    pub fn among_waiting(&self) -> Expected {
        Expected::around(self.waiting)
    }

    /// Whether a crawl has such a share of what there is, 0..=1: by the estimate, and since what it
    /// found in its last three fifths is no more than what would be missing. A crawl that stays on
    /// relevant pages at first sights each of them often, and a way to others that it meets late
    /// shows by that alone.
    pub fn is_found(&self, share: f64, stats: &CrawlStats) -> bool {
        has_share(share, self, stats.relevant, stats.curve())
    }

    /// How many relevant pages there are to be reached, of which so many were found; none where those
    /// are too few to tell, or it is not known how they were covered.
    pub fn reachable(&self, found: u64) -> Option<Expected> {
        let coverage = self.coverage.filter(|_| found >= FEWEST_FINDS)?;
        let uncertain = (-coverage.ln()).max(0.0).sqrt() + ALWAYS_UNCERTAIN;
        let in_view = found as f64 + self.waiting.max(0.0);
        let at = |factor: f64| (in_view * (factor * uncertain).exp()).max(found as f64);
        // What waits is uncertain by itself.
        let waiting = self.among_waiting();
        Some(Expected {
            about: at(ABOUT).round() as u64,
            least: (at(LEAST).floor() as u64).min(found.saturating_add(waiting.least)),
            most: (at(MOST).ceil() as u64).max(found.saturating_add(waiting.most)),
        })
    }
}

/// See [`Unfound::is_found`]. `curve` are pages and finds until then.
fn has_share(share: f64, unfound: &Unfound, found: u64, curve: &[(u64, u64)]) -> bool {
    let Some(all) = unfound.reachable(found) else {
        return false;
    };
    let pages = curve.last().map_or(0, |point| point.0);
    let early = curve.partition_point(|point| point.0 <= pages * EARLY.0 / EARLY.1);
    let by_then = early.checked_sub(1).map_or(0, |place| curve[place].1);
    found as f64 >= share * all.about as f64 && by_then as f64 >= share * found as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(number: u32) -> Address {
        Address::parse(&format!("http://a.test/{number}")).unwrap()
    }

    #[test]
    fn coverage_is_the_share_of_sightings_of_finds_sighted_again() {
        let mut sightings = Sightings::default();
        assert_eq!(sightings.coverage(), 1.0);
        let finds: Vec<Address> = (0..4).map(page).collect();
        for (find, links) in finds.iter().zip([0, 1, 1, 3]) {
            sightings.find(find, links);
        }
        assert_eq!(sightings.coverage(), (3.0 + 1.0) / (5.0 + 1.0));
        // What is found again is no other find.
        sightings.find(&finds[3], 9);
        // Another is sighted for the first time, one for the second; the last page is no find.
        sightings.read([&finds[0], &finds[1], &page(9)].into_iter());
        assert_eq!(sightings.coverage(), (5.0 + 1.0) / (7.0 + 1.0));
        for _ in 0..100 {
            sightings.read([&finds[2]].into_iter());
        }
        let all = f64::from(7 - 1 + MOST_SIGHTINGS);
        assert_eq!(sightings.coverage(), all / (all + 1.0));
    }

    #[test]
    fn the_more_finds_were_sighted_once_the_more_there_are() {
        let all = |waiting, coverage, found| {
            let coverage = Some(coverage);
            let unfound = Unfound { waiting, coverage };
            unfound
                .reachable(found)
                .map(|all| [all.least, all.about, all.most])
        };
        assert_eq!(all(0.0, 1.0, 100), Some([100, 103, 143]));
        assert_eq!(all(50.0, 1.0, 100), Some([116, 154, 252]));
        let [least, about, most] = all(0.0, 0.5, 100).unwrap();
        assert!(least == 100 && (140..150).contains(&about) && most > 1_000);
        assert_eq!(all(9.0, 1.0, FEWEST_FINDS - 1), None);
        // What comes from a file may be anything.
        assert!(all(f64::NAN, f64::NAN, 100).is_some());
        assert!(all(-1.0, 7.0, 100).is_some());
        let unknown = Unfound {
            waiting: 3.0,
            coverage: None,
        };
        assert_eq!(unknown.reachable(100), None);
    }

    #[test]
    fn a_crawl_has_enough_when_the_estimate_says_so_and_little_came_lately() {
        let unfound = Unfound {
            waiting: 0.0,
            coverage: Some(1.0),
        };
        let dry = [(100, 80), (200, 95), (300, 96), (400, 97), (500, 98)];
        assert!(has_share(0.9, &unfound, 98, &dry));
        let growing = [(100, 20), (200, 60), (300, 80), (400, 98)];
        assert!(!has_share(0.9, &unfound, 98, &growing));
        // All but a few by half of its pages, but not by two fifths.
        let slower = [(100, 70), (200, 85), (250, 96), (400, 97), (500, 98)];
        assert!(!has_share(0.9, &unfound, 98, &slower));
        let waiting = Unfound {
            waiting: 30.0,
            ..unfound
        };
        assert!(!has_share(0.9, &waiting, 98, &dry));
        assert!(has_share(0.7, &waiting, 98, &dry));
        assert!(!has_share(0.9, &unfound, 0, &[]));
    }
}

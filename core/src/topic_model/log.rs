//! What a strategy can learn again from when marks change, in the order in which it
//! happened: pages reached by links, and links to pages that were known already.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::TrainingExample;
use crate::strategies::Candidate;

/// Arrivals kept; the oldest go first.
const MOST_ARRIVALS: usize = 20_000;
/// Links to known pages kept.
const MOST_KNOWN_LINKS: usize = 20_000;

/// Something that was learned from.
pub(super) enum LogEntry<'a> {
    /// A page that was reached.
    Arrival(&'a TrainingExample),
    /// A link to a page known before.
    KnownLink(&'a Candidate),
}

/// What was learned from, in order. The links to known pages are of this session alone.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Log {
    /// Arrivals that are no longer kept.
    gone: u64,
    arrivals: VecDeque<TrainingExample>,
    /// With the number of arrivals before each.
    known_links: VecDeque<(u64, Candidate)>,
}

impl Log {
    /// With the arrivals of earlier sessions.
    pub(super) fn of(arrivals: Vec<TrainingExample>) -> Self {
        Self {
            arrivals: arrivals.into(),
            ..Self::default()
        }
    }

    /// Adds an arrival.
    pub(super) fn arrived(&mut self, past: TrainingExample) {
        if self.arrivals.len() == MOST_ARRIVALS {
            self.arrivals.pop_front();
            self.gone += 1;
        }
        self.arrivals.push_back(past);
    }

    /// Adds a link to a known page.
    pub(super) fn met(&mut self, link: Candidate) {
        if self.known_links.len() == MOST_KNOWN_LINKS {
            self.known_links.pop_front();
        }
        let before = self.gone + self.arrivals.len() as u64;
        self.known_links.push_back((before, link));
    }

    /// The arrivals, oldest first.
    pub(super) fn arrivals(
        &self,
    ) -> impl DoubleEndedIterator<Item = &TrainingExample> + ExactSizeIterator {
        self.arrivals.iter()
    }

    /// All entries in their order.
    pub(super) fn entries(&self) -> impl Iterator<Item = LogEntry<'_>> {
        let mut links = self.known_links.iter().peekable();
        let mut arrivals = self.arrivals.iter().zip(self.gone..).peekable();
        std::iter::from_fn(move || {
            let next = arrivals.peek().map(|row| row.1);
            let link = links.next_if(|row| next.is_none_or(|number| row.0 <= number));
            match link {
                Some((_, link)) => Some(LogEntry::KnownLink(link)),
                None => arrivals.next().map(|row| LogEntry::Arrival(row.0)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::web_graph::Judgment;

    fn address(number: usize) -> Address {
        Address::parse(&format!("http://a.test/{number}")).unwrap()
    }

    #[test]
    fn entries_come_in_the_order_in_which_they_happened() {
        let mut log = Log::default();
        let arrive = |log: &mut Log, number| {
            log.arrived(TrainingExample {
                via: Vec::new(),
                address: address(number),
                judgment: Judgment::default(),
            });
        };
        for number in 0..MOST_ARRIVALS + 5 {
            if number % 4_000 == 1 {
                log.met(Candidate::seed(address(number)));
            }
            arrive(&mut log, number);
        }
        log.met(Candidate::seed(address(MOST_ARRIVALS + 5)));
        let mut order = Vec::new();
        for entry in log.entries() {
            order.push(match entry {
                LogEntry::Arrival(past) => (&past.address, false),
                LogEntry::KnownLink(link) => (&link.target, true),
            });
        }
        assert_eq!(order.len(), MOST_ARRIVALS + 7);
        let number = |row: &(&Address, bool)| -> usize {
            let path = row.0.path_and_query();
            path[1..].parse().unwrap()
        };
        assert!(order.iter().map(number).is_sorted());
        assert!(order.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(order.last().map(|row| row.1), Some(true));
    }
}

//! What the servers of a web saw of a crawler's manners.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What was seen.
#[derive(Debug, Clone, Default)]
pub struct Promises {
    /// Requests, those for robots.txt too.
    pub requests: usize,
    /// Hosts that were asked.
    pub hosts: usize,
    /// Requests to a host that had not answered the one before.
    pub overlaps: usize,
    /// Requests that came before the host had rested.
    pub early: usize,
    /// Requests that the host's robots.txt forbids.
    pub forbidden: usize,
    /// The first of those faults, in words.
    pub faults: Vec<String>,
}

/// Faults that are told.
const MOST_FAULTS: usize = 10;

/// What a host is doing.
#[derive(Debug, Default)]
struct Host {
    /// Requests that it has not answered.
    open: usize,
    /// When it had answered the last.
    rested_since: Option<Instant>,
}

/// Keeps count, as requests come and go.
#[derive(Debug, Default)]
pub(super) struct Witness {
    hosts: HashMap<String, Host>,
    seen: Promises,
}

impl Witness {
    /// A request comes, to a host that rests so long.
    pub(super) fn begins(&mut self, host: &str, path: &str, delay: Duration, is_forbidden: bool) {
        let of = self.hosts.entry(host.to_owned()).or_default();
        self.seen.requests += 1;
        let rested = of.rested_since.map(|since| since.elapsed());
        let early = rested.filter(|rested| *rested < delay);
        self.seen.overlaps += usize::from(of.open > 0);
        self.seen.early += usize::from(early.is_some());
        self.seen.forbidden += usize::from(is_forbidden);
        let is_open = of.open > 0;
        of.open += 1;
        if self.seen.faults.len() < MOST_FAULTS && (is_open || is_forbidden || early.is_some()) {
            let fault = match early {
                Some(rested) => format!("{host}/{path}: after {} ms", rested.as_millis()),
                None if is_open => format!("{host}/{path}: before it had answered"),
                None => format!("{host}/{path}: not allowed"),
            };
            self.seen.faults.push(fault);
        }
    }

    /// It was answered at that time, or nobody waited for the answer any more. The time is that at
    /// which the last of it was sent off: a busy machine may come to say so later than the crawler
    /// has it.
    pub(super) fn ends(&mut self, host: &str, at: Instant) {
        if let Some(of) = self.hosts.get_mut(host) {
            of.open = of.open.saturating_sub(1);
            of.rested_since = of.rested_since.max(Some(at));
        }
    }

    /// What was seen so far.
    pub(super) fn seen(&self) -> Promises {
        Promises {
            hosts: self.hosts.len(),
            ..self.seen.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_manners_are_seen() {
        let mut witness = Witness::default();
        let (none, hour) = (Duration::ZERO, Duration::from_hours(1));
        witness.begins("a.test", "1", hour, false);
        witness.ends("a.test", Instant::now());
        witness.begins("b.test", "1", hour, false);
        assert_eq!((witness.seen().overlaps, witness.seen().early), (0, 0));
        witness.begins("a.test", "1", hour, false);
        assert_eq!(witness.seen().early, 1, "it had not rested");
        witness.begins("b.test", "2", none, true);
        let seen = witness.seen();
        assert_eq!((seen.overlaps, seen.early, seen.forbidden), (1, 1, 1));
        assert_eq!((seen.requests, seen.hosts), (4, 2));
        assert_eq!(seen.faults.len(), 2);
        assert_eq!(seen.faults[1], "b.test/2: before it had answered");
    }
}

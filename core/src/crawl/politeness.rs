//! One request at a time per host, with a delay between them. Is told the
//! time; never reads a clock.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

/// Milliseconds since some start that the caller chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(pub u64);

/// Milliseconds between the end of one request to a host and the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrawlDelay(pub u64);

/// Which hosts must not be asked just now.
#[derive(Debug, Default)]
pub struct Politeness {
    delay: u64,
    busy: FxHashSet<Box<str>>,
    resting: BTreeSet<(Instant, Box<str>)>,
}

impl Politeness {
    /// Nobody was asked yet.
    pub fn new(delay: CrawlDelay) -> Self {
        Self {
            delay: delay.0,
            ..Self::default()
        }
    }

    /// A request goes out to the host.
    pub fn begin(&mut self, host: &str) {
        self.busy.insert(host.into());
    }

    /// The request has ended; the host rests now.
    pub fn end(&mut self, host: &str, now: Instant) {
        if self.busy.remove(host) {
            self.resting
                .insert((Instant(now.0 + self.delay), host.into()));
        }
    }

    /// A host that has rested long enough, if there is one; it is free then.
    pub fn rested(&mut self, now: Instant) -> Option<Box<str>> {
        let first = self.resting.first()?;
        if first.0 > now {
            return None;
        }
        self.resting.pop_first().map(|(_, host)| host)
    }

    /// When the next host will have rested.
    pub fn next_rested(&self) -> Option<Instant> {
        self.resting.first().map(|(at, _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_rests_after_every_request() {
        let mut politeness = Politeness::new(CrawlDelay(1_000));
        politeness.begin("a.org");
        assert_eq!(politeness.rested(Instant(5_000)), None);
        politeness.end("a.org", Instant(5_000));
        assert_eq!(politeness.next_rested(), Some(Instant(6_000)));
        assert_eq!(politeness.rested(Instant(5_999)), None);
        assert_eq!(politeness.rested(Instant(6_000)).as_deref(), Some("a.org"));
        assert_eq!(politeness.rested(Instant(9_000)), None);
    }
}

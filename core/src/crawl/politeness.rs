//! One request at a time per host, with a delay between them: the crawl's, or the longer one that the
//! host's robots.txt asks for, or twice the time that its last page took to begin. One whose pages are
//! much work to read and learn from rests longer, too, so that it takes nothing from others. A host that says
//! it has no time rests longer, and twice as long each time it says so again. Is told the time;
//! never reads a clock.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

/// Milliseconds since some start that the caller chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(pub u64);

/// Milliseconds between the end of one request to a host and the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrawlDelay(pub u64);

/// A host rests so many times as long as it took to begin its last answer: it works for the crawl
/// about a third of the time at most.
const RESTS_PER_ANSWER: u64 = 2;
/// Milliseconds that it rests at most for that, or for the work that its pages are.
const LONGEST_FOR_SLOWNESS: u64 = 30_000;
/// Milliseconds of work that a page may be, several times what large ones are, and how many times as
/// long as that a host rests whose last page was more.
const USUAL_WORK: u64 = 50;
const RESTS_PER_WORK: u64 = 50;
/// Milliseconds of which nothing is remembered: no crawl of the web rests shorter.
const SHORT_REST: u64 = 100;
/// A host that has no time rests so many delays, where it does not ask for more.
const DEFERRED_DELAYS: u64 = 30;
/// How often that is doubled at most.
const MOST_DOUBLINGS: u32 = 6;
/// Milliseconds that a host rests at most.
const LONGEST_REST: u64 = 3_600_000;

/// Which hosts must not be asked just now.
#[derive(Debug, Default)]
pub struct Politeness {
    delay: u64,
    /// What hosts ask for; it counts if that is longer.
    delays: FxHashMap<Box<str>, u64>,
    /// How long hosts rest at least that were slow to begin their last answer.
    slow: FxHashMap<Box<str>, u64>,
    /// And those whose last page was much work.
    heavy: FxHashMap<Box<str>, u64>,
    /// How often in a row a host had no time.
    deferred: FxHashMap<Box<str>, u32>,
    busy: FxHashSet<Box<str>>,
    resting: BTreeSet<(Instant, Box<str>)>,
}

impl Politeness {
    /// How often in a row hosts had no time.
    pub(super) fn deferred(&self) -> &FxHashMap<Box<str>, u32> {
        &self.deferred
    }

    /// As if hosts had had no time so often in a row.
    pub(super) fn set_deferred(&mut self, deferred: FxHashMap<Box<str>, u32>) {
        self.deferred = deferred;
    }

    /// Nobody was asked yet.
    pub fn new(delay: CrawlDelay) -> Self {
        Self {
            delay: delay.0,
            ..Self::default()
        }
    }

    /// Milliseconds that a host rests between two requests, unless it asks for more.
    pub(super) fn delay(&self) -> u64 {
        self.delay
    }

    /// Another delay from the next answer on; what rests just now rests as long as it was to.
    pub(super) fn set_delay(&mut self, delay: CrawlDelay) {
        self.delay = delay.0;
    }

    /// A host asks to be given so many milliseconds between two requests, or no longer asks. A crawl
    /// without any delay is one of a web replayed on this machine, where nobody is given any.
    pub fn asks_for(&mut self, host: &str, delay: Option<u64>) {
        match delay {
            Some(delay) => self.delays.insert(host.into(), delay),
            None => self.delays.remove(host),
        };
    }

    /// What a host asked for.
    pub(super) fn asked_for(&self, host: &str) -> Option<u64> {
        self.delays.get(host).copied()
    }

    /// Milliseconds between two requests that the crawl's delay and the host's robots.txt ask for.
    pub fn delay_of(&self, host: &str) -> u64 {
        self.longest(self.delays.get(host))
    }

    /// The crawl's delay, or a longer one.
    fn longest(&self, other: Option<&u64>) -> u64 {
        match (self.delay, other) {
            (0, _) => 0,
            (delay, other) => delay.max(other.copied().unwrap_or(0)),
        }
    }

    /// A host took so many milliseconds to begin an answer.
    pub(super) fn took(&mut self, host: &str, answer: u64) {
        let rest = rest_for(answer);
        if rest > SHORT_REST {
            self.slow.insert(host.into(), rest);
        } else {
            self.slow.remove(host);
        }
    }

    /// The last page of a host was so many milliseconds of work.
    pub(super) fn worked(&mut self, host: &str, work: u64) {
        if work > USUAL_WORK {
            let rest = work.saturating_mul(RESTS_PER_WORK);
            self.heavy
                .insert(host.into(), rest.min(LONGEST_FOR_SLOWNESS));
        } else {
            self.heavy.remove(host);
        }
    }

    /// Whether a host rests longer than it asks for, and than it does for being slow, as its pages are
    /// much work.
    pub(super) fn is_heavy(&self, host: &str) -> bool {
        let rest = self.longest(self.heavy.get(host));
        rest > self.delay_of(host).max(self.longest(self.slow.get(host)))
    }

    /// Milliseconds that a host rests behind a request as things are.
    pub fn rest_of(&self, host: &str) -> u64 {
        let rest = self.delay_of(host).max(self.longest(self.slow.get(host)));
        rest.max(self.longest(self.heavy.get(host)))
    }

    /// Hosts that are asked just now, and those that rest, with until when.
    pub(super) fn hosts(&self) -> impl Iterator<Item = (&str, Option<Instant>)> {
        let asked = self.busy.iter().map(|host| (&**host, None));
        let resting = self.resting.iter();
        asked.chain(resting.map(|(until, host)| (&**host, Some(*until))))
    }

    /// A request goes out to the host.
    pub fn begin(&mut self, host: &str) {
        self.busy.insert(host.into());
    }

    /// The request has ended; the host rests now.
    pub fn end(&mut self, host: &str, now: Instant) {
        self.end_in(host, host, now);
    }

    /// The same of a host that shares its turn with others.
    pub(super) fn end_in(&mut self, turn: &str, host: &str, now: Instant) {
        self.deferred.remove(host);
        self.rest(turn, now, self.rest_of(turn));
    }

    /// The request has ended, and the host has no time: it rests now, for so many milliseconds at
    /// least. How often that was so in a row.
    pub fn defer(&mut self, host: &str, now: Instant, least: u64) -> u32 {
        self.defer_in(host, host, now, least)
    }

    /// The same of a host that shares its turn with others.
    pub(super) fn defer_in(&mut self, turn: &str, host: &str, now: Instant, least: u64) -> u32 {
        let times = self.deferred.entry(host.into()).or_default();
        let delays = DEFERRED_DELAYS << (*times).min(MOST_DOUBLINGS);
        let usual = delays.saturating_mul(self.delay);
        *times += 1;
        let in_a_row = *times;
        let rest = usual.max(least).min(LONGEST_REST);
        self.rest(turn, now, rest.max(self.rest_of(turn)));
        in_a_row
    }

    /// A host that was asked at that time for something else than a page rests like behind one.
    pub(super) fn rest_since(&mut self, host: &str, asked: Instant) {
        self.busy.insert(host.into());
        self.rest(host, asked, self.delay_of(host));
    }

    /// A host that is asked just now rests for so many milliseconds.
    pub(super) fn rest(&mut self, host: &str, now: Instant, rest: u64) {
        if self.busy.remove(host) {
            let until = Instant(now.0.saturating_add(rest));
            self.resting.insert((until, host.into()));
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

/// Milliseconds that a host rests at least behind an answer that took so many to begin.
pub fn rest_for(answer: u64) -> u64 {
    answer
        .saturating_mul(RESTS_PER_ANSWER)
        .min(LONGEST_FOR_SLOWNESS)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A host is free again no sooner than its delay after its last answer, whatever else happens.
        #[test]
        fn no_host_is_free_before_its_time(
            delay in 1_u64..5_000,
            asked in vec(proptest::option::of(0_u64..20_000), 3),
            steps in vec((0_usize..3, 0_u64..3_000, 0_u64..4_000, any::<bool>()), 1..60),
        ) {
            let hosts = ["a.org", "b.org", "c.org"];
            let mut politeness = Politeness::new(CrawlDelay(delay));
            for (host, asked) in hosts.iter().zip(&asked) {
                politeness.asks_for(host, *asked);
            }
            let mut now = Instant(0);
            let mut resting: BTreeMap<String, u64> = BTreeMap::new();
            for (host, passed, answer, has_time) in steps {
                now.0 += passed;
                while let Some(free) = politeness.rested(now) {
                    let since = resting.remove(&*free);
                    let least = delay.max(politeness.asked_for(&free).unwrap_or(0));
                    prop_assert!(since.is_some_and(|since| now.0 >= since + least), "{}", free);
                }
                let host = hosts[host];
                if resting.contains_key(host) {
                    continue;
                }
                politeness.begin(host);
                now.0 += answer;
                politeness.took(host, answer);
                if has_time {
                    politeness.end(host, now);
                } else {
                    politeness.defer(host, now, 0);
                }
                resting.insert(host.to_owned(), now.0);
            }
        }
    }

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

    #[test]
    fn a_host_is_given_the_delay_it_asks_for_if_that_is_longer() {
        let mut politeness = Politeness::new(CrawlDelay(1_000));
        politeness.asks_for("slow.org", Some(5_000));
        politeness.asks_for("fast.org", Some(10));
        for (host, rest) in [("slow.org", 5_000), ("fast.org", 1_000)] {
            politeness.begin(host);
            politeness.end(host, Instant(0));
            assert_eq!(politeness.next_rested(), Some(Instant(rest)), "{host}");
            politeness.rested(Instant(rest));
        }
        // A delay beyond all measure is one all the same.
        let mut endless = Politeness::new(CrawlDelay(u64::MAX));
        endless.begin("a.org");
        endless.defer("a.org", Instant(5), 0);
        assert_eq!(endless.next_rested(), Some(Instant(u64::MAX)));
        let mut replay = Politeness::new(CrawlDelay(0));
        replay.asks_for("slow.org", Some(5_000));
        assert_eq!(replay.delay_of("slow.org"), 0);
    }

    #[test]
    fn a_host_that_answers_slowly_rests_longer_until_it_is_quicker() {
        let mut politeness = Politeness::new(CrawlDelay(1_000));
        politeness.asks_for("asks.org", Some(5_000));
        let mut rest = |host: &str, answer| {
            politeness.begin(host);
            politeness.took(host, answer);
            politeness.end(host, Instant(0));
            let Instant(rest) = politeness.next_rested().unwrap();
            politeness.rested(Instant(rest));
            assert_eq!(politeness.rest_of(host), rest, "{host}");
            rest
        };
        assert_eq!(rest("a.org", 400), 1_000);
        assert_eq!(rest("a.org", 2_000), 4_000);
        assert_eq!(rest("b.org", 0), 1_000, "another host");
        assert_eq!(rest("a.org", u64::MAX), LONGEST_FOR_SLOWNESS);
        assert_eq!(rest("a.org", 10), 1_000, "it is quick again");
        assert_eq!(rest("asks.org", 2_000), 5_000, "it asks for more");
        let mut replay = Politeness::new(CrawlDelay(0));
        replay.took("a.org", 9_000);
        assert_eq!(replay.rest_of("a.org"), 0);
    }

    #[test]
    fn a_host_whose_last_page_was_much_work_rests_longer() {
        let mut politeness = Politeness::new(CrawlDelay(1_000));
        let mut rest = |work| {
            politeness.worked("a.org", work);
            politeness.begin("a.org");
            politeness.took("a.org", 10);
            politeness.end("a.org", Instant(0));
            let Instant(rest) = politeness.next_rested().unwrap();
            politeness.rested(Instant(rest));
            (rest, politeness.is_heavy("a.org"))
        };
        assert_eq!(rest(USUAL_WORK), (1_000, false));
        assert_eq!(rest(100), (5_000, true));
        assert_eq!(rest(u64::MAX), (LONGEST_FOR_SLOWNESS, true));
        assert_eq!(rest(3), (1_000, false), "the last one was small");
        politeness.worked("a.org", 100);
        assert_eq!(politeness.rest_of("b.org"), 1_000, "another host");
        politeness.took("a.org", 3_000);
        assert!(!politeness.is_heavy("a.org"), "it is slower than heavy");
        let mut replay = Politeness::new(CrawlDelay(0));
        replay.worked("a.org", 9_000);
        assert_eq!(replay.rest_of("a.org"), 0);
    }

    #[test]
    fn another_delay_holds_from_the_next_answer_on_and_what_hosts_ask_for_stays() {
        let mut politeness = Politeness::new(CrawlDelay(5_000));
        politeness.asks_for("asks.org", Some(3_000));
        politeness.begin("a.org");
        politeness.end("a.org", Instant(0));
        politeness.set_delay(CrawlDelay(500));
        assert_eq!(politeness.next_rested(), Some(Instant(5_000)));
        assert_eq!(politeness.delay_of("a.org"), 500);
        assert_eq!(politeness.delay_of("asks.org"), 3_000);
        politeness.asks_for("asks.org", None);
        assert_eq!(politeness.delay_of("asks.org"), 500);
    }

    #[test]
    fn a_host_without_time_rests_ever_longer_until_it_answers() {
        let mut politeness = Politeness::new(CrawlDelay(1_000));
        let rest = |politeness: &mut Politeness, least: Option<u64>| {
            politeness.begin("a.org");
            match least {
                Some(least) => assert!(politeness.defer("a.org", Instant(0), least) > 0),
                None => politeness.end("a.org", Instant(0)),
            }
            let Instant(rest) = politeness.next_rested().unwrap();
            politeness.rested(Instant(rest));
            rest
        };
        assert_eq!(rest(&mut politeness, Some(0)), 30_000);
        assert_eq!(rest(&mut politeness, Some(0)), 60_000);
        assert_eq!(
            rest(&mut politeness, Some(200_000)),
            200_000,
            "it asks for more"
        );
        assert_eq!(rest(&mut politeness, None), 1_000);
        assert_eq!(rest(&mut politeness, Some(0)), 30_000, "it had answered");
        for _ in 0..100 {
            assert!(rest(&mut politeness, Some(u64::MAX)) <= LONGEST_REST);
        }
    }
}

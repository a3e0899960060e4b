//! How a crawl stands with its hosts.

use super::*;
use crate::crawl::Denial;

fn now_of(session: &Session, host: &str, now: u64) -> HostState {
    session.hosts(Instant(now)).remove(host).unwrap()
}

#[test]
fn a_host_is_asked_then_rests_then_is_free() {
    let mut session = session(9, "breadth-first");
    let mut rng = SplitMix(5);
    let first = now_of(&session, "a.org", 0);
    assert_eq!((first.waiting, first.turn), (1, HostTurn::Free));
    assert_eq!((first.rules, first.delay), (HostRules::Unknown, 1_000));
    let Next::Robots(at) = session.next(Instant(0)) else {
        panic!("its robots.txt comes first");
    };
    assert_eq!(now_of(&session, "a.org", 0).turn, HostTurn::Asked);
    session.robots(
        &at,
        Robots::parse(b"User-agent: *\nDisallow: /9", "linkscent"),
    );
    assert_eq!(now_of(&session, "a.org", 0).rules, HostRules::Some);
    let Next::Fetch(fetch) = session.next(Instant(0)) else {
        panic!("then the page");
    };
    let asked = now_of(&session, "a.org", 0);
    assert_eq!((asked.waiting, asked.turn), (0, HostTurn::Asked));
    session.take(&fetch.address, page(&fetch.address), Instant(50), &mut rng);
    let rests = now_of(&session, "a.org", 250);
    assert_eq!((rests.waiting, rests.turn), (2, HostTurn::Rests(800)));
    assert_eq!(now_of(&session, "a.org", 1_050).turn, HostTurn::Free);
    // The other host was never asked.
    let other = now_of(&session, "b.org", 250);
    assert_eq!((other.waiting, other.turn), (1, HostTurn::Free));
    // Rules count for a day.
    let day = 24 * 3_600 * 1_000;
    assert_eq!(now_of(&session, "a.org", day).rules, HostRules::Unknown);
}

#[test]
fn a_host_without_time_or_rules_says_so() {
    let mut session = session(9, "breadth-first");
    let mut rng = SplitMix(5);
    let Next::Robots(at) = session.next(Instant(0)) else {
        panic!("its robots.txt comes first");
    };
    session.robots(&at, Robots::allow_all());
    let Next::Fetch(fetch) = session.next(Instant(0)) else {
        panic!("then the page");
    };
    let why = "503".to_owned();
    let later = Outcome::Deferred { why, rest: 90_000 };
    session.take(&fetch.address, later, Instant(10), &mut rng);
    let state = now_of(&session, "a.org", 10);
    assert_eq!((state.deferred, state.turn), (1, HostTurn::Rests(90_000)));
    assert_eq!(state.rules, HostRules::None);
    session.robots(&at, Robots::deny_all("it does not answer"));
    let rules = now_of(&session, "a.org", 10).rules;
    assert!(matches!(rules, HostRules::Nothing(Denial::NoAnswer(_))));
    session.give_up("a.org");
    let state = now_of(&session, "a.org", 10);
    assert_eq!((state.waiting, state.turn), (0, HostTurn::Left));
}

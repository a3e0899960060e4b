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
    assert_eq!((state.waiting, state.turn), (0, HostTurn::GivenUp));
}

#[test]
fn a_host_that_is_left_out_is_not_asked_again_either() {
    let mut session = session(9, "breadth-first");
    let mut rng = SplitMix(5);
    let Next::Robots(at) = session.next(Instant(0)) else {
        panic!("its robots.txt comes first");
    };
    session.robots(&at, Robots::allow_all());
    let Next::Fetch(first) = session.next(Instant(0)) else {
        panic!("then the page");
    };
    session.take(&first.address, page(&first.address), Instant(0), &mut rng);
    let Next::Robots(at) = session.next(Instant(500)) else {
        panic!("the other host is free");
    };
    session.robots(&at, Robots::allow_all());
    let Next::Fetch(other) = session.next(Instant(500)) else {
        panic!("it is asked");
    };
    assert_eq!(other.address.host(), "b.org");
    session.leave_out(vec!["b.org".to_owned()]);
    let why = "503".to_owned();
    let later = Outcome::Deferred { why, rest: 1 };
    let record = session.take(&other.address, later, Instant(600), &mut rng);
    assert_eq!(record.unwrap().problem, "503", "it is not asked for again");
    session.add_seed(&address("http://b.org/77"));
    assert_eq!(now_of(&session, "b.org", 600).turn, HostTurn::LeftOut);
    let mut now = Instant(600);
    loop {
        match session.next(now) {
            Next::Fetch(fetch) => {
                assert_eq!(fetch.address.host(), "a.org");
                session.take(&fetch.address, page(&fetch.address), now, &mut rng);
            }
            Next::Wait(until) => now = until,
            Next::Stop(reason) => break assert_eq!(reason, StopReason::Budget),
            next => panic!("{next:?}"),
        }
    }
    // Taken back, it is met again on pages to come.
    session.leave_out(Vec::new());
    assert_eq!(now_of(&session, "b.org", now.0).waiting, 0);
    session.raise_budget(12);
    run(&mut session, page);
    assert!(now_of(&session, "b.org", 0).waiting > 0);
}

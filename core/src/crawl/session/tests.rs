use super::*;
use crate::crawl::{
    CrawlDelay, DriftAlarm, DriftCause, Failure, Fetch, Next, Scope, StopReason, StoppingRule,
    site_of,
};
use crate::dom::{Builder, LeafRange};
use crate::page::Page;
use crate::strategies::SplitMix;

mod going_on;
mod hosts;
mod manners;
mod parts;
mod recall;
mod repeats;
mod turns;

pub(super) fn address(text: &str) -> Address {
    Address::parse(text).unwrap()
}

/// Words that stand for a number and no other.
fn words(number: u64, many: u64) -> String {
    let letter = |digit: u8| char::from(digit - b'0' + b'k');
    let word = |number: u64| -> String { number.to_string().bytes().map(letter).collect() };
    let words = (0..many).map(|place| format!("no{}", word(number * 1_000 + place)));
    words.collect::<Vec<_>>().join(" ")
}

/// Page `n` of a host links to pages `2n` and `2n+1`, and to another host.
pub(super) fn page(at: &Address) -> Outcome {
    let n: u64 = at.path_and_query()[1..].parse().unwrap_or(1);
    let mut builder = Builder::new();
    builder.leaf(if n.is_multiple_of(2) {
        "kidney dialysis"
    } else {
        "railway trains"
    });
    let other = if at.host() == "a.org" {
        "b.org"
    } else {
        "a.org"
    };
    for href in [
        format!("/{}", 2 * n % 1_000_003),
        format!("/{}", (2 * n + 1) % 1_000_003),
        format!("http://{other}/{n}"),
    ] {
        let first = builder.next_leaf();
        builder.leaf("go on");
        builder.link(
            &href,
            LeafRange {
                first,
                end: first + 1,
            },
        );
    }
    builder.leaf(&words(n, 8));
    let page = Page::new(at.clone(), builder.finish().unwrap());
    let digest = at.as_str().bytes().fold(n, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    Outcome::Page(Box::new(page), digest)
}

pub(super) fn session(budget: u64, strategy: &str) -> Session {
    begin(limits(budget), strategy)
}

fn limits(budget: u64) -> Limits {
    Limits {
        requests: None,
        stopping: StoppingRule::default(),
        takes_repeats: false,
        follows_all: false,
        until_recall: None,
        budget,
        delay: CrawlDelay(1_000),
        scope: Scope::default(),
    }
}

fn begin(limits: Limits, strategy: &str) -> Session {
    let seed = Seed {
        address: address("http://a.org/1"),
        mark: Some(Mark::Target),
    };
    Session::new(
        TopicModel::new("topic", strategy).unwrap(),
        limits,
        vec![seed],
    )
}

/// Runs a session to its end on a web where every answer is immediate; what
/// was fetched, and when.
pub(super) fn run(
    session: &mut Session,
    answer: impl Fn(&Address) -> Outcome,
) -> (Vec<(Address, u64)>, StopReason) {
    let (mut now, mut rng, mut log) = (Instant(0), SplitMix(5), Vec::new());
    loop {
        match session.next(now) {
            Next::Robots(at) => session.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => {
                log.push((fetch.address.clone(), now.0));
                session.take(&fetch.address, answer(&fetch.address), now, &mut rng);
            }
            Next::Wait(until) => {
                assert!(until > now, "waiting for what has been");
                now = until;
            }
            Next::Busy => panic!("nothing is under way"),
            Next::Stop(reason) => return (log, reason),
        }
    }
}

#[test]
fn the_budget_is_met_and_hosts_rest_between_requests() {
    let mut session = session(40, "apprentice");
    let (log, reason) = run(&mut session, page);
    assert_eq!((log.len(), reason), (40, StopReason::Budget));
    for host in ["a.org", "b.org"] {
        let times: Vec<u64> = log
            .iter()
            .filter(|row| row.0.host() == host)
            .map(|row| row.1)
            .collect();
        assert!(
            times.windows(2).all(|pair| pair[1] >= pair[0] + 1_000),
            "{host}"
        );
    }
    let mut fetched: Vec<&Address> = log.iter().map(|row| &row.0).collect();
    fetched.sort();
    fetched.dedup();
    assert_eq!(fetched.len(), 40, "a page was fetched twice");
    assert_eq!((session.stats().pages, session.stats().scored), (40, 39));
}

#[test]
fn no_page_lies_farther_from_the_start_than_said() {
    // Page n of either host links to 2n and 2n + 1, one bit more, and to n of the other.
    for (depth, pages) in [(1, 3 + 1), (2, 7 + 3), (4, 31 + 15)] {
        let mut session = session(1_000, "breadth-first");
        session.limits.scope.depth = Some(depth);
        let (log, reason) = run(&mut session, page);
        assert_eq!((log.len(), reason), (pages, StopReason::FrontierEmpty));
    }
}

#[test]
fn only_one_request_to_a_host_is_under_way() {
    let mut session = session(40, "breadth-first");
    let seed = address("http://a.org/1");
    assert_eq!(session.next(Instant(0)), Next::Robots(seed.clone()));
    assert_eq!(session.next(Instant(0)), Next::Busy);
    session.robots(&seed, Robots::allow_all());
    assert!(matches!(session.next(Instant(0)), Next::Fetch(_)));
    assert_eq!(session.next(Instant(0)), Next::Busy);
}

#[test]
fn a_crawl_told_what_it_fetched_goes_on_as_if_never_stopped() {
    for (strategy, budget) in [("apprentice", 40), ("ensemble", 140)] {
        goes_on_as_if_never_stopped(strategy, budget);
    }
}

fn goes_on_as_if_never_stopped(strategy: &str, budget: u64) {
    let mut whole = session(budget, strategy);
    let (log, _) = run(&mut whole, page);
    let mut again = session(budget, strategy);
    let mut rng = SplitMix(5);
    for (at, _) in &log[..25] {
        assert!(again.frontier().get(at).is_some(), "{at} was not waiting");
        again.replay(at, page(at), None, &mut rng);
    }
    let waiting = |session: &Session| -> Vec<Address> {
        session
            .frontier()
            .best(1_000)
            .iter()
            .map(|page| page.links[0].target.clone())
            .collect()
    };
    for (at, _) in &log[25..] {
        again.replay(at, page(at), None, &mut rng);
    }
    assert_eq!(waiting(&again), waiting(&whole));
    assert_eq!(again.stats(), whole.stats());
    // Every arm has brought the same.
    assert_eq!(format!("{:?}", again.bandit), format!("{:?}", whole.bandit));
}

#[test]
fn a_restricted_crawl_leaves_spam_hosts_or_follows_relevant_pages_first_for_a_while() {
    let mut session = session(20, "best-first");
    run(&mut session, page);
    assert!(session.frontier().best(500).iter().any(|page| {
        let host = page.links[0].target.host();
        host == "b.org"
    }));
    let alarm = |cause, hosts| DriftAlarm {
        cause,
        usual: 0.5,
        turnover: 0.0,
        hosts,
    };
    session.restrict(&alarm(DriftCause::Spam, vec!["b.org".into()]));
    // Whether the waiting links stand on a page that is not relevant, and behind.
    let waiting = |session: &Session| -> Vec<(bool, bool)> {
        let graph = session.topic_model().graph();
        let best = session.frontier().best(500);
        let rows = best.iter().map(|page| {
            assert_eq!(page.links[0].target.host(), "a.org");
            let source = page.links[0].source().unwrap();
            let is_relevant = graph.judgment(source).relevance.is_high();
            (!is_relevant, page.priority.tier.is_held_back)
        });
        rows.collect()
    };
    let none_is_behind = |session: &Session| waiting(session).iter().all(|row| !row.1);
    assert!(none_is_behind(&session), "only the host is left");
    session.restrict(&alarm(DriftCause::Exhausted, Vec::new()));
    let rows = waiting(&session);
    assert!(rows.iter().all(|row| row.0 == row.1), "{rows:?}");
    assert!(rows.is_sorted() && rows.contains(&(true, true)) && rows.contains(&(false, false)));
    session.limits.budget += u64::from(RESTRICTED_PAGES) - 1;
    run(&mut session, page);
    assert!(!none_is_behind(&session));
    session.limits.budget += 1;
    run(&mut session, page);
    assert!(none_is_behind(&session), "it ends");
}

#[test]
fn robots_and_redirects_and_duplicates() {
    let mut session = session(10, "breadth-first");
    let (seed, moved) = (address("http://a.org/1"), address("http://a.org/9"));
    let mut rng = SplitMix(1);
    session.next(Instant(0));
    session.robots(
        &seed,
        Robots::parse(b"user-agent: *\ndisallow: /2\n", "linkscent"),
    );
    session.next(Instant(0));
    let record = session
        .take(
            &seed,
            Outcome::Redirect(moved.clone()),
            Instant(0),
            &mut rng,
        )
        .unwrap();
    assert_eq!(record.problem, "redirects to http://a.org/9");
    let fetch = Fetch {
        address: moved.clone(),
    };
    assert_eq!(session.next(Instant(1_000)), Next::Fetch(fetch));
    let record = session
        .take(&moved, page(&moved), Instant(1_000), &mut rng)
        .unwrap();
    assert!(!record.scored, "the example's mark goes with the redirect");
    assert!(record.judgment.unwrap().is_target);
    let Outcome::Page(same, digest) = page(&moved) else {
        unreachable!()
    };
    let next = loop {
        match session.next(Instant(2_000)) {
            Next::Robots(at) => session.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => break fetch,
            other => panic!("{other:?}"),
        }
    };
    let record = session.take(
        &next.address,
        Outcome::Page(same, digest),
        Instant(2_000),
        &mut rng,
    );
    assert!(record.unwrap().problem.contains("same page"));
}

#[test]
fn a_web_of_dead_links_ends() {
    let mut session = session(2, "random");
    let (log, reason) = run(&mut session, |at| {
        if at.as_str() == "http://a.org/1" {
            page(at)
        } else {
            Outcome::Failed(Failure::Other("404".to_owned()))
        }
    });
    assert_eq!((log.len(), reason), (4, StopReason::FrontierEmpty));
}

#[test]
fn a_page_that_a_browser_read_joins_as_if_it_had_been_fetched() {
    let only_rendered = address("http://b.org/1");
    let crawl = |rendered: bool| {
        let (mut session, mut rng) = (session(30, "ensemble"), SplitMix(5));
        let (mut now, mut log) = (Instant(0), Vec::new());
        loop {
            match session.next(now) {
                Next::Robots(at) => session.robots(&at, Robots::allow_all()),
                Next::Fetch(fetch) => {
                    let at = fetch.address;
                    let outcome = if at == only_rendered {
                        Outcome::Unrendered("it shows nothing".to_owned())
                    } else {
                        page(&at)
                    };
                    log.extend(session.take(&at, outcome, now, &mut rng));
                    let hosts = ["b.org".to_owned()];
                    if rendered && session.waits_for_browser(&hosts) {
                        assert!(!session.waits_for_browser(&["a.org".to_owned()]));
                        let Outcome::Page(page, digest) = page(&only_rendered) else {
                            panic!("it is a page")
                        };
                        let taken = session.take_rendered(&only_rendered, &page, digest, &mut rng);
                        log.extend(taken);
                        let again = session.take_rendered(&only_rendered, &page, digest, &mut rng);
                        assert!(again.is_none(), "once");
                    }
                }
                Next::Wait(until) => now = until,
                Next::Busy => panic!("nothing is under way"),
                Next::Stop(_) => return (session, log),
            }
        }
    };
    let (_, without) = crawl(false);
    let row = without.iter().find(|row| row.address == only_rendered);
    let problem = &row.unwrap().problem;
    assert_eq!(problem, "a browser could read it: it shows nothing");
    let (whole, log) = crawl(true);
    let rows: Vec<&Record> = log
        .iter()
        .filter(|row| row.address == only_rendered)
        .collect();
    assert_eq!(rows.len(), 2);
    assert!(rows[0].judgment.is_none() && rows[1].judgment.is_some());
    assert_eq!(rows[0].trail, rows[1].trail, "it keeps the way there");
    assert!(
        log.iter()
            .any(|row| row.trail.first() == Some(&only_rendered))
    );
    // The log, replayed, leads to the same state.
    let (mut again, mut rng) = (session(30, "ensemble"), SplitMix(5));
    for row in &log {
        let outcome = match row.problem.strip_prefix(UNRENDERED) {
            Some(why) => Outcome::Unrendered(why.to_owned()),
            None => page(&row.address),
        };
        let told = again.replay(&row.address, outcome, None, &mut rng).unwrap();
        assert_eq!((&told.reason, told.number), (&row.reason, row.number));
        assert_eq!(told.judgment, row.judgment);
    }
    assert_eq!(again.stats(), whole.stats());
    let bytes =
        |session: &Session| crate::wire::write_model(&session.topic_model().knowledge()).unwrap();
    assert!(bytes(&again) == bytes(&whole), "both know the same");
}

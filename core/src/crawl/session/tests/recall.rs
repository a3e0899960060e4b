//! Crawls that end when they have a share of what there is.

use super::super::*;
use super::{address, limits, run, words};
use crate::codec::{Loader, Saver};
use crate::crawl::{Next, Outcome, StopReason};
use crate::dom::{Builder, LeafRange};
use crate::page::Page;
use crate::strategies::SplitMix;

/// Relevant pages are those of these numbers.
const RELEVANT: u64 = 60;
/// The first page that is not.
const OTHERS: u64 = 1_000;

/// A page of a number that says so and links there.
fn page(at: &Address, says: &str, links: &[u64]) -> Outcome {
    let mut builder = Builder::new();
    builder.leaf(says);
    for number in links {
        let first = builder.next_leaf();
        builder.leaf(if *number < OTHERS {
            "kidneys"
        } else {
            "trains"
        });
        let end = first + 1;
        builder.link(&format!("/{number}"), LeafRange { first, end });
    }
    let number = number(at);
    builder.leaf(&words(number, 8));
    let page = Page::new(at.clone(), builder.finish().unwrap());
    Outcome::Page(Box::new(page), number)
}

fn number(at: &Address) -> u64 {
    at.path_and_query()[1..].parse().unwrap_or(1)
}

/// [`RELEVANT`] pages that link to each other and out of the topic, into a web without end.
fn small_topic(at: &Address) -> Outcome {
    let n = number(at);
    if n < OTHERS {
        let links = [
            n * 7 % RELEVANT,
            n * 11 % RELEVANT,
            (n + 1) % RELEVANT,
            n + OTHERS,
        ];
        return page(at, "kidney dialysis clinic", &links);
    }
    let others = [2 * n, 2 * n + 1].map(|other| OTHERS + other % 1_000_003);
    page(
        at,
        "railway trains timetable",
        &[others[0], others[1], n % RELEVANT],
    )
}

/// Every page is relevant, and is linked to once.
fn endless_topic(at: &Address) -> Outcome {
    let n = number(at).max(1);
    page(
        at,
        "kidney dialysis clinic",
        &[2 * n % 1_000_003, (2 * n + 1) % 1_000_003],
    )
}

/// The same, whose pages link to as many of a host that is closed to crawlers.
fn half_closed(at: &Address) -> Outcome {
    let n = number(at);
    if n >= OTHERS {
        return small_topic(at);
    }
    let mut builder = Builder::new();
    builder.leaf("kidney dialysis clinic");
    let open = [n * 7 % RELEVANT, n * 11 % RELEVANT, (n + 1) % RELEVANT];
    let open = open.map(|other| format!("/{other}"));
    let closed = (0..5).map(|more| format!("http://closed.test/{}", 5 * n + more));
    for target in open.into_iter().chain(closed) {
        let first = builder.next_leaf();
        builder.leaf("kidneys");
        let end = first + 1;
        builder.link(&target, LeafRange { first, end });
    }
    let first = builder.next_leaf();
    builder.leaf("trains");
    let end = first + 1;
    builder.link(&format!("/{}", n + OTHERS), LeafRange { first, end });
    builder.leaf(&words(n, 8));
    let page = Page::new(at.clone(), builder.finish().unwrap());
    Outcome::Page(Box::new(page), n)
}

fn begin(until_recall: Option<f64>) -> Session {
    let limits = Limits {
        until_recall,
        ..limits(500)
    };
    let seed = Seed {
        address: address("http://a.org/1"),
        mark: Some(Mark::Target),
    };
    let topic_model = TopicModel::new("text has \"dialysis\"", "ensemble").unwrap();
    Session::new(topic_model, limits, vec![seed])
}

#[test]
fn a_crawl_ends_when_it_has_its_share() {
    let mut all = begin(None);
    let (_, reason) = run(&mut all, small_topic);
    assert_eq!(reason, StopReason::Budget);
    let there_are = RELEVANT - 1;
    assert_eq!(all.stats().relevant, there_are, "but for the example");

    let mut most = begin(Some(0.9));
    let (log, reason) = run(&mut most, small_topic);
    assert_eq!(reason, StopReason::Recall);
    assert!(log.len() < 400, "{}", log.len());
    assert!(10 * most.stats().relevant >= 9 * there_are);
    let all = most.count_unfound().reachable(most.stats().relevant);
    let all = all.unwrap();
    assert!((all.least..=all.most).contains(&there_are), "{all:?}");
}

#[test]
fn what_a_person_adds_is_fetched_though_it_has_its_share() {
    let mut session = begin(Some(0.9));
    let (log, _) = run(&mut session, small_topic);
    session.add_seed(&address("http://a.org/777777"));
    let (more, reason) = run(&mut session, small_topic);
    assert_eq!((more.len(), reason), (1, StopReason::Recall));
    // So are more pages than it was to fetch.
    session.raise_budget(700);
    let (rest, reason) = run(&mut session, small_topic);
    assert_eq!(reason, StopReason::Budget);
    assert_eq!(log.len() + more.len() + rest.len(), 700);
}

#[test]
fn links_that_robots_txt_forbids_are_no_reason_to_go_on_behind_a_replay() {
    let mut session = begin(Some(0.9));
    let (mut now, mut rng, mut log) = (Instant(0), SplitMix(5), Vec::new());
    let reason = loop {
        match session.next(now) {
            Next::Robots(at) if at.host() == "closed.test" => {
                session.robots(
                    &at,
                    Robots::parse(b"User-agent: *\nDisallow: /", "linkscent"),
                );
            }
            Next::Robots(at) => session.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let at = fetch.address;
                let record = session.take(&at, half_closed(&at), now, &mut rng);
                log.push(record.expect("it was asked for"));
            }
            Next::Wait(until) => now = until,
            Next::Busy => panic!("nothing is under way"),
            Next::Stop(reason) => break reason,
        }
    };
    assert_eq!(reason, StopReason::Recall);
    let again = |counts: bool| {
        let (mut told, mut rng) = (begin(Some(0.9)), SplitMix(5));
        for record in &log {
            let (at, arm) = (&record.address, Some(record.arm));
            told.replay(at, half_closed(at), arm, &mut rng);
            if let Some(unfound) = record.unfound.filter(|_| counts) {
                told.tell_unfound(unfound);
            }
        }
        told.next(Instant(0))
    };
    assert_eq!(again(true), Next::Stop(StopReason::Recall));
    assert_ne!(again(false), Next::Stop(StopReason::Recall));
}

#[test]
fn where_there_is_no_end_of_them_it_does_not_end() {
    let mut session = begin(Some(0.5));
    let (log, reason) = run(&mut session, endless_topic);
    assert_eq!((log.len(), reason), (500, StopReason::Budget));
}

#[test]
fn one_that_was_saved_ends_where_it_had_ended() {
    let mut whole = begin(Some(0.9));
    let (log, _) = run(&mut whole, small_topic);
    let mut bytes = Vec::new();
    whole.save(&mut Saver::new(&mut bytes)).unwrap();
    let mut from = &bytes[..];
    let mut again = begin(Some(0.9)).load(&mut Loader::new(&mut from)).unwrap();
    assert_eq!(again.next(Instant(0)), Next::Stop(StopReason::Recall));

    // So does one that is told its log.
    let mut told = begin(Some(0.9));
    let mut rng = SplitMix(5);
    for (at, _) in &log {
        told.replay(at, small_topic(at), None, &mut rng);
    }
    assert_eq!(told.next(Instant(0)), Next::Stop(StopReason::Recall));
    // Without a share it goes on.
    let mut on = begin(None);
    let mut rng = SplitMix(5);
    for (at, _) in &log {
        on.replay(at, small_topic(at), None, &mut rng);
    }
    assert!(!matches!(on.next(Instant(0)), Next::Stop(_)));
}

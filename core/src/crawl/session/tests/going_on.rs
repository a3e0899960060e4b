//! A crawl with many requests under way is, whatever comes in when, what its log makes of it.

use super::*;
use crate::crawl::FrontierEntry;
use crate::strategies::Rng;

const HOSTS: u64 = 60;

fn number(at: &Address) -> u64 {
    at.path_and_query()[1..].parse().unwrap_or(1)
}

/// A page with links to eight others, most of them of other hosts.
fn linked(at: &Address) -> Outcome {
    let n = number(at);
    let mut builder = Builder::new();
    builder.leaf(if n % 5 < 2 {
        "kidney dialysis"
    } else {
        "railway trains"
    });
    for link in 0..8 {
        let target = (n * 7 + link * 13 + 1) % 30_011;
        let first = builder.next_leaf();
        builder.leaf(if target % 5 < 2 {
            "the kidney"
        } else {
            "a station"
        });
        let leaves = LeafRange {
            first,
            end: first + 1,
        };
        builder.link(&format!("http://h{}.test/{target}", target % HOSTS), leaves);
    }
    builder.leaf(&words(n, 8));
    let page = Page::new(at.clone(), builder.finish().unwrap());
    Outcome::Page(Box::new(page), n)
}

fn beginning(strategy: &str) -> Session {
    let seed = Seed {
        address: address("http://h2.test/2"),
        mark: Some(Mark::Target),
    };
    let limits = limits(300);
    Session::new(Guide::new("topic", strategy).unwrap(), limits, vec![seed])
}

/// Crawls with up to `at_once` requests under way, whose answers come in any order; what was
/// asked for in the order of the answers, and how many pages waited at most.
fn crawled(session: &mut Session, at_once: usize) -> (Vec<Record>, usize) {
    let (mut now, mut rng, mut order) = (Instant(0), SplitMix(5), SplitMix(11));
    let (mut under_way, mut log, mut most) = (Vec::new(), Vec::new(), 0);
    loop {
        match session.next(now) {
            Next::Robots(at) => session.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => under_way.push(fetch.address),
            Next::Stop(_) if under_way.is_empty() => return (log, most),
            Next::Wait(until) if under_way.is_empty() => now = until,
            Next::Busy | Next::Wait(_) | Next::Stop(_) => {
                let place = (order.unit() * under_way.len() as f64) as usize;
                let address = under_way.swap_remove(place);
                log.extend(session.take(&address, linked(&address), now, &mut rng));
                most = most.max(session.frontier().len());
            }
        }
        while under_way.len() >= at_once {
            let place = (order.unit() * under_way.len() as f64) as usize;
            let address = under_way.swap_remove(place);
            log.extend(session.take(&address, linked(&address), now, &mut rng));
            most = most.max(session.frontier().len());
        }
    }
}

/// All that waits, with all that is known of it but for batches: those follow from when hosts rest.
fn waiting(session: &Session) -> Vec<String> {
    let known = |page: &&FrontierEntry| {
        let known = format!("{page:?}");
        known.replace("in_batch: true", "in_batch: false")
    };
    let pages = session.frontier().best(usize::MAX);
    let mut known: Vec<String> = pages.iter().map(known).collect();
    known.sort_unstable();
    known
}

#[test]
fn what_was_under_way_changes_nothing_that_is_replayed() {
    for strategy in ["apprentice", "ensemble", "ache", "intelligent"] {
        let mut whole = beginning(strategy);
        let (log, most) = crawled(&mut whole, 24);
        assert!(
            log.len() == 300 && most > 1_300,
            "{strategy}: {most} waited"
        );
        let mut again = beginning(strategy);
        let mut rng = SplitMix(5);
        for record in &log {
            let outcome = linked(&record.address);
            let told = again.replay(&record.address, outcome, Some(record.arm), &mut rng);
            assert_eq!(told.as_ref(), Some(record), "{strategy}");
        }
        assert_eq!(waiting(&again), waiting(&whole), "{strategy}");
        assert_eq!(again.stats(), whole.stats(), "{strategy}");
        assert_eq!(format!("{:?}", again.bandit), format!("{:?}", whole.bandit));
    }
}

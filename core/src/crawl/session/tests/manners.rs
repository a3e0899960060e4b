//! What hosts ask for: time, and longer rests.

use super::*;
use crate::crawl::FrontierEntry;

#[test]
fn a_page_of_which_the_server_has_no_time_is_asked_for_again_when_it_has_rested() {
    let busy = address("http://a.org/2");
    let crawl = |answers: u32| {
        let (mut session, mut rng) = (session(300, "breadth-first"), SplitMix(5));
        let (mut now, mut log, mut asked) = (Instant(0), Vec::new(), Vec::new());
        loop {
            match session.next(now) {
                Next::Robots(at) => session.robots(&at, Robots::allow_all()),
                Next::Fetch(fetch) => {
                    let at = fetch.address;
                    if at.host() == busy.host() {
                        asked.push((at.clone(), now.0));
                    }
                    let times = asked.iter().filter(|row| row.0 == busy).count() as u32;
                    let outcome = if at == busy && times <= answers {
                        Outcome::Deferred {
                            why: "the server answered 429".to_owned(),
                            rest: 45_000,
                        }
                    } else {
                        page(&at)
                    };
                    log.extend(session.take(&at, outcome, now, &mut rng));
                }
                Next::Wait(until) => now = until,
                Next::Busy => panic!("nothing is under way"),
                Next::Stop(_) => return (session, log, asked),
            }
        }
    };
    let (whole, log, asked) = crawl(2);
    let place = asked.iter().position(|row| row.0 == busy).unwrap();
    let times: Vec<u64> = asked[place..].iter().map(|row| row.1).collect();
    assert!(asked[place..].iter().take(3).all(|row| row.0 == busy));
    assert_eq!((times[1] - times[0], times[2] - times[1]), (45_000, 60_000));
    assert_eq!(times[3] - times[2], 1_000, "it has time again");
    let rows: Vec<&Record> = log.iter().filter(|row| row.address == busy).collect();
    assert_eq!(
        rows[0].problem,
        format!("{DEFERRED}the server answered 429")
    );
    assert!(rows[2].judgment.is_some());
    assert_eq!(rows[0].trail, rows[2].trail, "it keeps the way there");
    // The log, replayed, leads to the same state.
    let (mut again, mut rng) = (session(300, "breadth-first"), SplitMix(5));
    for row in &log {
        let outcome = match &*row.problem {
            "" => page(&row.address),
            problem => Outcome::of_problem(problem),
        };
        let told = again.replay(&row.address, outcome, None, &mut rng).unwrap();
        assert_eq!((&told.problem, told.number), (&row.problem, row.number));
    }
    assert_eq!(again.stats(), whole.stats());
    // After the third time it is given up, and nothing else is.
    let (session, log, _) = crawl(9);
    let rows: Vec<&Record> = log.iter().filter(|row| row.address == busy).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[2].problem, "the server answered 429");
    assert_eq!((session.stats().other, whole.stats().other), (3, 2));
}

#[test]
fn a_host_gets_the_delay_it_asks_for_and_its_sitemap_waits_behind_all_links() {
    let limits = Limits {
        scope: Scope {
            documents: true,
            ..Scope::default()
        },
        ..limits(8)
    };
    let sitemap = address("http://a.org/sitemap.xml");
    let text = b"User-agent: *\nCrawl-delay: 4\nSitemap: /sitemap.xml\n";
    let (mut session, mut rng) = (begin(limits, "breadth-first"), SplitMix(5));
    let (mut now, mut times, mut asked) = (Instant(0), Vec::new(), Vec::new());
    loop {
        match session.next(now) {
            Next::Robots(at) => session.robots(&at, Robots::parse(text, "linkscent")),
            Next::Fetch(fetch) => {
                let at = fetch.address;
                if at.host() == "a.org" {
                    times.push(now.0);
                }
                let outcome = if at == sitemap {
                    Outcome::Failed(Failure::Other("404".to_owned()))
                } else {
                    page(&at)
                };
                session.take(&at, outcome, now, &mut rng);
                asked.push(at);
            }
            Next::Wait(until) => now = until,
            Next::Busy => panic!("nothing is under way"),
            Next::Stop(_) => break,
        }
    }
    assert!(
        times.windows(2).all(|pair| pair[1] - pair[0] >= 4_000),
        "{times:?}"
    );
    assert!(times.len() > 2 && session.turns().delay_of("a.org") == 4_000);
    assert!(
        asked.iter().all(|page| *page != sitemap),
        "links come first"
    );
    assert!(session.frontier().get(&sitemap).is_some());
}

#[test]
fn a_host_that_never_has_time_is_given_up() {
    let (mut session, mut rng) = (session(4_500, "breadth-first"), SplitMix(5));
    let (mut now, mut log) = (Instant(0), Vec::new());
    let reason = loop {
        match session.next(now) {
            Next::Robots(at) => session.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let at = fetch.address;
                let outcome = if at.host() == "b.org" {
                    Outcome::Deferred {
                        why: "the server answered 503".to_owned(),
                        rest: 0,
                    }
                } else {
                    page(&at)
                };
                log.extend(session.take(&at, outcome, now, &mut rng));
            }
            Next::Wait(until) => now = until,
            Next::Busy => panic!("nothing is under way"),
            Next::Stop(reason) => break reason,
        }
    };
    assert_eq!((reason, session.stats().pages), (StopReason::Budget, 4_500));
    let deferred = log.iter().filter(|row| row.address.host() == "b.org");
    let deferred: Vec<&Record> = deferred.collect();
    assert_eq!(deferred.len(), 8);
    assert!(deferred[7].problem.ends_with("the host is left alone"));
    let waiting = session.frontier().best(usize::MAX);
    let is_left = |page: &&FrontierEntry| page.links[0].target.host() == "b.org";
    assert_eq!(waiting.into_iter().filter(is_left).count(), 0);
}

/// A page that asks crawlers to follow none of its links counts, and is where the crawl ends.
#[test]
fn links_of_a_page_that_asks_not_to_follow_them_are_left() {
    let asks = |at: &Address| match page(at) {
        Outcome::Page(mut page, digest) => {
            if at.path_and_query() != "/1" {
                page.ask_not_to_follow();
            }
            Outcome::Page(page, digest)
        }
        other => other,
    };
    let mut crawl = session(50, "ensemble");
    let (log, reason) = run(&mut crawl, asks);
    assert_eq!((log.len(), reason), (6, StopReason::FrontierEmpty));
    assert_eq!(crawl.stats().pages, 6);
    let mut all = begin(
        Limits {
            follows_all: true,
            ..limits(50)
        },
        "ensemble",
    );
    assert_eq!(run(&mut all, asks).0.len(), 50, "where each page is wanted");
}

/// In a crawl of days robots.txt is asked for again, and what it says then holds.
#[test]
fn the_rules_of_a_host_are_read_again_after_a_day() {
    let mut crawl = session(1_000, "breadth-first");
    let (mut rng, mut asked, mut log) = (SplitMix(5), Vec::new(), Vec::new());
    let hour = |now: Instant| now.0 / 3_600_000;
    let mut now = Instant(0);
    while hour(now) < 26 {
        match crawl.next(now) {
            Next::Robots(at) => {
                asked.push((at.host().to_owned(), hour(now)));
                let shut: &[u8] = b"User-agent: *\nDisallow: /\n";
                let robots = match hour(now) {
                    0 => Robots::allow_all(),
                    _ => Robots::parse(shut, "linkscent"),
                };
                crawl.robots(&at, robots);
            }
            Next::Fetch(fetch) => {
                log.push(hour(now));
                crawl.take(&fetch.address, page(&fetch.address), now, &mut rng);
            }
            // Ten minutes between two requests.
            Next::Wait(until) => now = Instant(until.0.max(now.0 + 600_000)),
            Next::Busy => panic!("nothing is under way"),
            Next::Stop(reason) => {
                assert_eq!(reason, StopReason::FrontierEmpty);
                break;
            }
        }
    }
    let hosts = ["a.org", "b.org"];
    for host in hosts {
        let hours: Vec<u64> = asked
            .iter()
            .filter(|row| row.0 == host)
            .map(|row| row.1)
            .collect();
        assert_eq!(hours, [0, 24], "{host}");
    }
    assert!(
        log.iter().max() == Some(&23),
        "nothing is fetched that is forbidden now"
    );
}

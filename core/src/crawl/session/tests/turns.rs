//! Who shares a turn, and pages that are put off.

use super::*;

/// A web of hosts of two sites: pages of both are asked for, never two of one site before it has
/// rested.
#[test]
fn hosts_of_a_site_share_its_turn_where_that_is_asked_for() {
    let mut crawl = session(40, "breadth-first");
    crawl.turns_mut().rest_by_site();
    let named = |at: &Address| match page(&address(&at.as_str().replace("www.", ""))) {
        Outcome::Page(page, digest) => {
            let links = page.outlinks.iter();
            let mut builder = Builder::new();
            for link in links {
                let first = builder.next_leaf();
                builder.leaf("kidney dialysis");
                let end = first + 1;
                builder.link(link.target.as_str(), LeafRange { first, end });
                let www = link.target.as_str().replace("http://", "http://www.");
                let first = builder.next_leaf();
                builder.leaf("railway trains");
                let end = first + 1;
                builder.link(&www, LeafRange { first, end });
            }
            builder.leaf(&words(digest % 100_000, 8));
            let page = Page::new(at.clone(), builder.finish().unwrap());
            let own = u64::from(at.host().starts_with("www."));
            Outcome::Page(Box::new(page), digest.wrapping_mul(2) + own)
        }
        other => other,
    };
    let (mut now, mut rng) = (Instant(0), SplitMix(5));
    let mut asked: Vec<(String, u64)> = Vec::new();
    let mut under_way: Vec<Address> = Vec::new();
    loop {
        match crawl.next(now) {
            Next::Robots(at) => {
                asked.push((at.host().to_owned(), now.0));
                crawl.robots(&at, Robots::allow_all());
            }
            Next::Fetch(fetch) => {
                asked.push((fetch.address.host().to_owned(), now.0));
                under_way.push(fetch.address);
            }
            Next::Wait(until) => now = until,
            Next::Busy => {
                assert!(under_way.len() <= 2, "{under_way:?}");
                let sites: Vec<&str> = under_way.iter().map(|at| site_of(at.host())).collect();
                assert!(sites.len() < 2 || sites[0] != sites[1], "{sites:?}");
                let states = crawl.hosts(now);
                for (host, state) in &states {
                    let is_asked = sites.contains(&site_of(host));
                    assert_eq!(state.turn == HostTurn::Asked, is_asked, "{host}");
                }
                let at = under_way.remove(0);
                crawl.take(&at, named(&at), now, &mut rng).unwrap();
            }
            Next::Stop(_) => break,
        }
    }
    for site in ["a.org", "b.org"] {
        let of_site: Vec<&(String, u64)> =
            asked.iter().filter(|row| site_of(&row.0) == site).collect();
        let hosts: FxHashSet<&str> = of_site.iter().map(|row| &*row.0).collect();
        assert_eq!((hosts.len(), of_site.len() > 10), (2, true), "{site}");
        for pair in of_site.windows(2) {
            assert!(pair[1].1 - pair[0].1 >= 1_000, "{pair:?}");
        }
    }
}

/// One host of a site asks for a longer delay, another has no time: all get the delay, and only the one
/// without time is counted.
#[test]
fn a_site_gets_what_one_of_its_hosts_asks_for_and_each_answers_for_itself() {
    let mut crawl = session(40, "breadth-first");
    crawl.turns_mut().rest_by_site();
    for host in ["www.a.org", "data.a.org", "a.org"] {
        crawl.add_seed(&address(&format!("http://{host}/1")));
    }
    let slow = Robots::parse(b"User-agent: *\nCrawl-delay: 7\n", "linkscent");
    let (mut now, mut rng) = (Instant(0), SplitMix(5));
    let mut asked: Vec<(String, u64)> = Vec::new();
    while asked.len() < 8 {
        match crawl.next(now) {
            Next::Robots(at) if at.host() == "www.a.org" => crawl.robots(&at, slow.clone()),
            Next::Robots(at) => crawl.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let at = fetch.address;
                let before = asked.iter().filter(|row| row.0 == at.host()).count();
                let has_no_time = at.host() == "data.a.org" && before == 0;
                let outcome = if has_no_time {
                    Outcome::Deferred {
                        why: "the server answered 503".to_owned(),
                        rest: 0,
                    }
                } else {
                    page(&at)
                };
                if site_of(at.host()) == "a.org" {
                    asked.push((at.host().to_owned(), now.0));
                }
                crawl.take(&at, outcome, now, &mut rng);
                let states = crawl.hosts(now);
                let deferred = |host: &str| states.get(host).map_or(0, |state| state.deferred);
                let times = asked.iter().filter(|row| row.0 == "data.a.org").count();
                assert_eq!(deferred("data.a.org"), u32::from(times == 1), "{at}");
                assert_eq!((deferred("www.a.org"), deferred("a.org")), (0, 0), "{at}");
            }
            Next::Wait(until) => now = until,
            Next::Busy => panic!("nothing is under way"),
            Next::Stop(_) => break,
        }
    }
    assert!(asked.iter().filter(|row| row.0 == "data.a.org").count() > 1);
    assert_eq!(crawl.turns().delay_of("a.org"), 7_000);
    let slow_since = asked.iter().position(|row| row.0 == "www.a.org").unwrap();
    for pair in asked[slow_since..].windows(2) {
        assert!(pair[1].1 - pair[0].1 >= 7_000, "{asked:?}");
    }
}

#[test]
fn a_page_that_is_put_off_waits_and_no_request_is_counted() {
    let (mut crawl, mut rng) = (session(50, "breadth-first"), SplitMix(5));
    let (mut now, mut put_off, mut log) = (Instant(0), None, Vec::new());
    let day = 24 * 60 * 60 * 1_000;
    loop {
        match crawl.next(now) {
            Next::Robots(at) => crawl.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let at = fetch.address;
                if log.len() >= 10 && at.host() == "b.org" && put_off.is_none() {
                    let requests = crawl.stats().clone();
                    let begun = crawl.begun;
                    crawl.put_off(&at, now, day);
                    assert_eq!(crawl.begun, begun - 1);
                    assert_eq!((crawl.stats(), crawl.under_way()), (&requests, 0));
                    assert!(!crawl.is_seen(&at) && crawl.frontier().get(&at).is_some());
                    // An answer that nobody waits for changes nothing.
                    assert!(crawl.take(&at, page(&at), now, &mut rng).is_none());
                    put_off = Some((at, now.0 + day));
                    continue;
                }
                if let Some((page, until)) = &put_off
                    && at.host() == "b.org"
                {
                    assert!(now.0 >= *until, "{at}");
                    assert!(log.len() > 10 || at == *page);
                }
                log.extend(crawl.take(&at, page(&at), now, &mut rng));
            }
            Next::Wait(until) => now = until,
            Next::Busy => panic!("nothing is under way"),
            Next::Stop(reason) => {
                assert_eq!((reason, log.len()), (StopReason::Budget, 50));
                break;
            }
        }
    }
    assert!(put_off.is_some());
}

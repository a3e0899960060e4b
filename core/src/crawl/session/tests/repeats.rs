//! Near duplicates and sites without end, in a running crawl and in the replay of its log.

use super::*;
use crate::content::SOFT_ERROR;
use crate::crawl::{NEARLY_SAME_PAGE, SAME_PAGE, SkipReason};

/// Pages of the site that say something, and days of its calendar that say nothing.
const HONEST: u64 = 60;

fn with_links(at: &Address, texts: &[String], links: &[String]) -> Outcome {
    let mut builder = Builder::new();
    for text in texts {
        builder.leaf(text);
    }
    for link in links {
        let first = builder.next_leaf();
        builder.leaf("go on");
        let end = first + 1;
        builder.link(link, LeafRange { first, end });
    }
    let digest = at.key();
    Outcome::Page(
        Box::new(Page::new(at.clone(), builder.finish().unwrap())),
        digest,
    )
}

/// A site with a calendar that never ends.
fn site(at: &Address) -> Outcome {
    let number = at.path_and_query().rsplit('/').next().unwrap();
    let number: u64 = number.parse().unwrap_or(0);
    if at.path_and_query().starts_with("/day/") {
        let days = [1, 7, 365].map(|step| format!("/day/{}", number + step));
        return with_links(at, &["Nothing on this day".to_owned()], &days);
    }
    let next = [number + 1, 2 * number].map(|next| format!("/{}", next % HONEST));
    let mut links = next.to_vec();
    links.push(format!("/day/{}", 10 * number));
    with_links(at, &[words(number, 20)], &links)
}

/// Makes all requests; each with what came of it.
fn requests(
    session: &mut Session,
    rng: &mut SplitMix,
    answer: impl Fn(&Address) -> Outcome,
) -> Vec<Record> {
    let (mut now, mut log) = (Instant(0), Vec::new());
    loop {
        match session.next(now) {
            Next::Robots(at) => session.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let outcome = answer(&fetch.address);
                log.extend(session.take(&fetch.address, outcome, now, rng));
            }
            Next::Wait(until) => now = until,
            Next::Busy => panic!("nothing is under way"),
            Next::Stop(_) => return log,
        }
    }
}

fn replayed(log: &[Record], answer: impl Fn(&Address) -> Outcome) -> (Session, SplitMix) {
    let (mut session, mut rng) = (session(400, "breadth-first"), SplitMix(5));
    for record in log {
        let outcome = match record.judgment {
            Some(_) => answer(&record.address),
            None => Outcome::of_problem(&record.problem),
        };
        session.replay(&record.address, outcome, None, &mut rng);
    }
    (session, rng)
}

#[test]
fn a_calendar_is_left_also_in_a_replay() {
    let mut live = session(400, "breadth-first");
    let log = requests(&mut live, &mut SplitMix(5), site);
    let days = log
        .iter()
        .filter(|record| record.address.path_and_query().starts_with("/day/"));
    // The first of them has words that are new, and forty that say nothing close them.
    let days = days.count();
    assert_eq!((days, log.len() - days), (41, HONEST as usize));
    let skipped = live.take_skipped();
    assert!(!skipped.is_empty());
    assert!(
        skipped
            .iter()
            .all(|row| row.reason == SkipReason::Repetition)
    );
    goes_on_the_same(&log, site);
}

/// After a replay of a part of its log, a crawl makes the rest of its requests as it did.
fn goes_on_the_same(log: &[Record], answer: fn(&Address) -> Outcome) {
    for told in [log.len() / 3, log.len() / 2, log.len() - 5] {
        let (mut again, mut rng) = replayed(&log[..told], answer);
        let rest = requests(&mut again, &mut rng, answer);
        let addresses = |records: &[Record]| -> Vec<Address> {
            records
                .iter()
                .map(|record| record.address.clone())
                .collect()
        };
        assert_eq!(addresses(&rest), addresses(&log[told..]), "after {told}");
    }
}

/// A page that links to a hundred visits, each of which has one text, and to other pages.
fn visits(at: &Address) -> Outcome {
    let number = at.path_and_query().rsplit('/').next().unwrap();
    let number: u64 = number.parse().unwrap();
    let is_visit = at.path_and_query().starts_with("/visit/");
    let text = words(if is_visit { 500 } else { number }, 150);
    let links = (0..100).map(|visit| format!("/visit/{visit}"));
    let links = links.chain((2..90).map(|page| format!("/{page}")));
    let links: Vec<String> = links.filter(|_| number == 1 && !is_visit).collect();
    with_links(at, &[text], &links)
}

#[test]
fn one_text_under_a_hundred_addresses_is_left_too() {
    let mut live = session(400, "breadth-first");
    let log = requests(&mut live, &mut SplitMix(5), visits);
    let of_visits = |record: &&Record| record.address.path_and_query().starts_with("/visit/");
    // The first is a page, and forty that are nearly the same close them.
    let came = log.iter().filter(of_visits).count();
    assert_eq!((came, log.len() - came), (41, 89));
    goes_on_the_same(&log, visits);
}

/// Pages in a ring: every third has the text of the one before and a sentence more.
fn ring(at: &Address) -> Outcome {
    let number: u64 = at.path_and_query()[1..].parse().unwrap();
    let text = words(number - number % 3 % 2, 150);
    let more = format!("{text} seen on the day {number}");
    let link = format!("/{}", number % 12 + 1);
    let outcome = with_links(at, &[more], &[link, format!("/{}", (number + 1) % 12 + 1)]);
    match outcome {
        // One body comes twice.
        Outcome::Page(page, _) if number == 11 => {
            Outcome::Page(page, address("http://a.org/9").key())
        }
        outcome => outcome,
    }
}

#[test]
fn what_is_nearly_the_same_counts_once_but_where_a_log_or_a_person_has_it_as_a_page() {
    let mut live = session(400, "breadth-first");
    let log = requests(&mut live, &mut SplitMix(5), ring);
    let of = |problem: &str| -> Vec<&str> {
        let rows = log.iter().filter(|record| record.problem == problem);
        rows.map(|record| record.address.path_and_query()).collect()
    };
    assert_eq!(of(SAME_PAGE), ["/11"]);
    let twins = of(NEARLY_SAME_PAGE);
    assert!(twins.len() >= 3, "{log:?}");
    assert_eq!(live.stats().pages as usize, log.len() - twins.len() - 1);

    // In the log of a version that did not compare pages each is one, and stays one.
    let mut rng = SplitMix(5);
    let mut earlier = session(400, "breadth-first");
    for record in &log {
        earlier.replay(&record.address, ring(&record.address), None, &mut rng);
    }
    assert_eq!(earlier.stats().pages as usize, log.len());

    let mut marked = session(400, "breadth-first");
    let twin = address(&format!("http://a.org{}", twins[0]));
    let Outcome::Page(page, _) = ring(&twin) else {
        panic!("it is a page");
    };
    marked.amend(|topic_model| topic_model.mark(&page, Some(Mark::Target)));
    let log = requests(&mut marked, &mut SplitMix(5), ring);
    let row = log.iter().find(|record| record.address == twin);
    assert!(row.is_some_and(|row| row.judgment.is_some()), "{row:?}");
}

/// A site with many links to pages that are no more; it says so in the form of pages that have a menu.
fn with_gone(at: &Address) -> Outcome {
    let path = at.path_and_query();
    let number: u64 = path.rsplit('/').next().unwrap().parse().unwrap();
    if !path.starts_with("/gone/") {
        let links = [number + 1, number + 2].map(|next| format!("/{}", next % 30 + 1));
        let gone = [0, 100].map(|more| format!("/gone/{}", number + more));
        return with_links(at, &[words(number, 20)], &[links, gone].concat());
    }
    let mut builder = Builder::new();
    builder.title("Page not found | A site");
    builder.leaf(&format!("There is no {}", words(number, 3)));
    let first = builder.next_leaf();
    builder.leaf("start");
    let end = first + 1;
    builder.link(&format!("/gone/{}", number + 500), LeafRange { first, end });
    let page = Page::new(at.clone(), builder.finish().unwrap());
    Outcome::Page(Box::new(page), at.key())
}

#[test]
fn errors_in_the_form_of_pages_are_none_and_close_what_has_nothing_else() {
    let mut live = session(400, "breadth-first");
    let log = requests(&mut live, &mut SplitMix(5), with_gone);
    let is_gone = |row: &&Record| row.address.path_and_query().starts_with("/gone/");
    let gone: Vec<&Record> = log.iter().filter(is_gone).collect();
    assert_eq!((gone.len(), log.len() - gone.len()), (40, 30));
    for row in gone {
        assert_eq!((&*row.problem, row.judgment), (SOFT_ERROR, None));
    }
    assert_eq!((live.stats().pages, live.stats().other), (30, 40));
    goes_on_the_same(&log, with_gone);

    // The person knows better.
    let page = address("http://a.org/gone/1");
    let seed = Seed {
        address: page.clone(),
        mark: None,
    };
    let topic_model = TopicModel::new("topic", "breadth-first").unwrap();
    let mut named = Session::new(topic_model, limits(1), vec![seed]);
    let log = requests(&mut named, &mut SplitMix(5), with_gone);
    assert!(log[0].judgment.is_some(), "{log:?}");
}

/// Another site has what this one has.
fn mirrored(at: &Address) -> Outcome {
    let number: u64 = at.path_and_query()[1..].parse().unwrap();
    let links = [2 * number, 2 * number + 1].map(|next| format!("/{}", next % 100 + 1));
    let there = format!("http://mirror.net/{number}");
    match with_links(at, &[words(number, 20)], &[&links[..], &[there]].concat()) {
        Outcome::Page(page, _) => Outcome::Page(page, number),
        other => other,
    }
}

#[test]
fn a_mirror_is_left_after_some_of_its_pages() {
    let mut live = session(400, "breadth-first");
    let log = requests(&mut live, &mut SplitMix(5), mirrored);
    let of_mirror = log.iter().filter(|row| row.address.host() == "mirror.net");
    let of_mirror: Vec<&Record> = of_mirror.collect();
    assert_eq!((of_mirror.len(), log.len() - of_mirror.len()), (20, 100));
    assert!(of_mirror.iter().all(|row| row.problem == SAME_PAGE));
    goes_on_the_same(&log, mirrored);
}

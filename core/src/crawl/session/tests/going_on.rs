//! A crawl with many requests under way is, whatever comes in when, what its log makes of it.

use super::*;
use crate::codec::{Loader, SaveError, Saver};
use crate::crawl::{FrontierEntry, SAME_PAGE};
use crate::forms::FormWords;
use crate::strategies::Rng;
use crate::wire::write_model;

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
    by_critic("topic", strategy)
}

/// With all that a person may have said of a topic before.
fn by_critic(critic: &str, strategy: &str) -> Session {
    let seed = Seed {
        address: address("http://h2.test/2"),
        mark: Some(Mark::Target),
    };
    let mut topic_model = TopicModel::new(critic, strategy).unwrap();
    if critic != "topic" {
        topic_model.name_topic("kidney");
        topic_model.take_phrases([("dialysis".to_owned(), true), ("trains".to_owned(), false)]);
        topic_model.take_subtopics([(seed.address.clone(), "machines".to_owned())]);
        let words = FormWords::new(["kidney".to_owned()], ["page".to_owned()]);
        topic_model.mark_form(&seed.address, "search", words, Some(true));
    }
    let stopping = StoppingRule {
        pages: (critic == "targets").then_some(6),
        targets: None,
    };
    let limits = Limits {
        stopping,
        ..limits(300)
    };
    Session::new(topic_model, limits, vec![seed])
}

/// What a log has of a request in place of a page.
#[derive(Clone)]
enum Came {
    Page,
    Redirect(Address),
    Deferred,
    Unrendered,
    Repeated,
}

impl Came {
    fn outcome(&self, at: &Address) -> Outcome {
        let why = "no time".to_owned();
        match self {
            Self::Page => linked(at),
            Self::Redirect(target) => Outcome::Redirect(target.clone()),
            Self::Deferred => Outcome::Deferred { why, rest: 0 },
            Self::Unrendered => Outcome::Unrendered("scripts".to_owned()),
            Self::Repeated => Outcome::Repeated(SAME_PAGE.to_owned()),
        }
    }
}

/// What comes of the first request for a page.
fn came(at: &Address) -> Came {
    let n = number(at);
    match n % 23 {
        3 => {
            let target = n + 1;
            Came::Redirect(address(&format!(
                "http://h{}.test/{target}",
                target % HOSTS
            )))
        }
        5 => Came::Deferred,
        7 => Came::Unrendered,
        _ => Came::Page,
    }
}

/// A crawl, and what came of its requests in the order of the answers.
struct Run {
    log: Vec<(Record, Came)>,
    rng: SplitMix,
    /// Pages that only a browser can read.
    unread: Vec<Address>,
    /// How many pages waited at most.
    most: usize,
    /// The session as it was saved.
    saved: Option<Saved>,
}

struct Saved {
    /// Requests that had ended.
    told: usize,
    rng: SplitMix,
    bytes: Vec<u8>,
    /// See [`marginal`].
    marginal: Vec<String>,
}

/// What hardly any answer of this web asks for, word by word, in order: tables have none.
fn marginal(session: &Session) -> Vec<String> {
    let all = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        session.bodies,
        session.near_duplicates,
        session.repetition,
        session.deferred,
        session.redirects,
        session.drift,
        session.seeds,
        session.turns.politeness.deferred(),
    );
    let words = all.split(|sign: char| !sign.is_alphanumeric());
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    words.sort_unstable();
    words
}

/// Requests after which the session is saved; others are under way.
const SAVED_AFTER: usize = 170;

impl Run {
    fn take(&mut self, session: &mut Session, at: &Address, now: Instant) {
        let again = self.log.iter().any(|(record, _)| record.address == *at);
        let came = if again { Came::Page } else { came(at) };
        let record = session.take(at, came.outcome(at), now, &mut self.rng);
        if let Came::Unrendered = came {
            self.unread.push(at.clone());
        }
        // A redirect that was not followed is one without a page.
        self.log.extend(record.map(|record| (record, came)));
        if self.unread.len() == 3 {
            let at = self.unread.remove(0);
            // Every other one has been there before.
            let is_old = number(&at).is_multiple_of(2);
            let digest = if is_old { 2 } else { number(&at) };
            let Outcome::Page(page, _) = linked(&at) else {
                unreachable!()
            };
            let record = session.take_rendered(&at, &page, digest, &mut self.rng);
            let came = if is_old { Came::Repeated } else { Came::Page };
            self.log.extend(record.map(|record| (record, came)));
        }
        self.most = self.most.max(session.frontier().len());
        let is_due = self.log.len() >= SAVED_AFTER && session.under_way() > 5;
        if is_due && self.saved.is_none() {
            let mut bytes = Vec::new();
            session.save(&mut Saver::new(&mut bytes)).unwrap();
            self.saved = Some(Saved {
                told: self.log.len(),
                rng: self.rng.clone(),
                bytes,
                marginal: marginal(session),
            });
        }
    }
}

/// Crawls with up to `at_once` requests under way, whose answers come in any order.
fn crawled(session: &mut Session, at_once: usize) -> Run {
    let (mut now, mut order, mut under_way) = (Instant(0), SplitMix(11), Vec::new());
    let mut run = Run {
        log: Vec::new(),
        rng: SplitMix(5),
        unread: Vec::new(),
        most: 0,
        saved: None,
    };
    loop {
        let next = session.next(now);
        let is_over = under_way.is_empty();
        match next {
            Next::Robots(at) => session.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => under_way.push(fetch.address),
            Next::Stop(_) if is_over => return run,
            Next::Wait(until) if is_over => now = until,
            Next::Busy | Next::Wait(_) | Next::Stop(_) => {
                let place = (order.unit() * under_way.len() as f64) as usize;
                let at: Address = under_way.swap_remove(place);
                run.take(session, &at, now);
            }
        }
        while under_way.len() >= at_once {
            let place = (order.unit() * under_way.len() as f64) as usize;
            let at = under_way.swap_remove(place);
            run.take(session, &at, now);
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
        let run = crawled(&mut whole, 24);
        assert!(run.most > 1_300, "{strategy}: {} waited", run.most);
        let met = |kind: fn(&Came) -> bool| run.log.iter().filter(|row| kind(&row.1)).count();
        assert!(met(|came| matches!(came, Came::Redirect(_))) > 5);
        assert!(met(|came| matches!(came, Came::Deferred)) > 5);
        assert!(met(|came| matches!(came, Came::Repeated)) > 1);
        let mut again = beginning(strategy);
        let mut rng = SplitMix(5);
        for (record, came) in &run.log {
            let outcome = came.outcome(&record.address);
            let told = again.replay(&record.address, outcome, Some(record.arm), &mut rng);
            assert_eq!(told.as_ref(), Some(record), "{strategy}");
        }
        let known = waiting(&whole);
        assert_eq!(waiting(&again), known, "{strategy}");
        // Each has had its turn by a model of late.
        let model = |page: &String| -> Option<u32> {
            let text = page.rsplit_once("model: ")?.1;
            text.trim_end_matches([' ', '}']).parse().ok()
        };
        let models: Vec<u32> = {
            let in_turn = known.iter().filter(|page| page.contains("pinned: false"));
            in_turn.filter_map(model).collect()
        };
        let newest = models.iter().max().copied().unwrap_or(0);
        assert!(newest > 1 && models.len() > 1_000, "{strategy}: {newest}");
        let oldest = models.iter().min();
        assert!(
            oldest.is_some_and(|oldest| oldest + 4 >= newest),
            "{strategy}: {oldest:?} of {newest}"
        );
        assert_eq!(again.stats(), whole.stats(), "{strategy}");
        assert_eq!(format!("{:?}", again.bandit), format!("{:?}", whole.bandit));
    }
}

#[test]
fn a_session_that_was_saved_goes_on_as_if_it_had_been_told_all() {
    for (critic, strategy) in [
        ("topic", "breadth-first"),
        ("topic", "best-first"),
        ("topic", "apprentice"),
        ("topic", "intelligent"),
        ("topic", "ache"),
        ("topic", "ensemble"),
        ("targets", "ensemble"),
        ("forms", "ensemble"),
        (
            "text has \"kidney\" and not linked from \"http://h1.*\"",
            "intelligent-product",
        ),
        ("form wanted or topic > 0.4", "shark-search"),
    ] {
        let mut whole = by_critic(critic, strategy);
        let run = crawled(&mut whole, 24);
        let saved = run.saved.expect("it was saved");
        let (told, mut rng) = (saved.told, saved.rng);
        let mut from = saved.bytes.as_slice();
        let again = by_critic(critic, strategy).load(&mut Loader::new(&mut from));
        let mut again = again.unwrap();
        assert!(from.is_empty(), "{strategy}: {} bytes behind", from.len());
        assert_eq!(marginal(&again), saved.marginal, "{strategy}");
        assert!(!again.bodies.is_empty() && !again.deferred.is_empty());
        for (record, came) in &run.log[told..] {
            let outcome = came.outcome(&record.address);
            let told = again.replay(&record.address, outcome, Some(record.arm), &mut rng);
            assert_eq!(told.as_ref(), Some(record), "{strategy}");
        }
        assert!(run.log.len() > told + 100, "{strategy}: {}", run.log.len());
        assert_eq!(waiting(&again), waiting(&whole), "{strategy}");
        assert_eq!(again.stats(), whole.stats(), "{strategy}");
        assert_eq!(format!("{:?}", again.bandit), format!("{:?}", whole.bandit));
        assert_eq!(again.begun, whole.begun, "{strategy}");
        // What it knows for other crawls is the same to the last bit.
        let model = |session: &Session| write_model(&session.topic_model().knowledge()).unwrap();
        assert_eq!(model(&again), model(&whole), "{strategy}");
    }
}

#[test]
fn a_strategy_that_cannot_be_saved_says_so() {
    let saved = beginning("hub").save(&mut Saver::new(&mut Vec::new()));
    assert!(matches!(saved, Err(SaveError::NotFor(name)) if name == "hub"));
}

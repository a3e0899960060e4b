use super::*;
use crate::crawl::{
    CrawlDelay, Instant, Limits, Next, Outcome, Robots, Scope, Seed, Session, StoppingRule,
};
use crate::critics;
use crate::dom::{Builder, LeafRange};
use crate::page::Page;
use crate::strategies::{SplitMix, Step, Trail, descriptor, from_state};
use crate::topic_model::TopicModel;
use crate::web_graph::{Judgment, Relevance, WebGraph};

fn link(from: &str, to: &str) -> Candidate {
    let parse = |name: &str| Address::parse(&format!("http://a.test/{name}")).unwrap();
    let step = Step {
        address: parse(from),
        relevance: Relevance::default(),
    };
    Candidate {
        trail: Trail::from_oldest([step]),
        context: LinkContext::default(),
        ..Candidate::seed(parse(to))
    }
}

fn judgment(is_target: bool) -> Judgment {
    Judgment {
        is_target,
        ..Judgment::default()
    }
}

#[test]
fn the_path_to_a_target_joins_the_repository() {
    let ways = [("0", "1"), ("1", "2"), ("2", "3"), ("3", "4"), ("1", "x")];
    let links = ways.map(|(from, to)| link(from, to));
    let mut ache = Adaptive::new(AdaptiveOptions {
        threshold: Some(LearningThreshold {
            targets: 1,
            pages: 100,
        }),
        ..AdaptiveOptions::default()
    });
    let critic = critics::Topic::default();
    let graph = WebGraph::default();
    let known = Known {
        graph: &graph,
        critic: &critic,
    };
    let mut learned = Vec::new();
    for (number, link) in links.iter().enumerate() {
        let arrival = Arrival {
            via: std::slice::from_ref(link),
            judgment: judgment(number == 3),
        };
        learned.push(ache.learn(&Event::Arrival(arrival), known));
    }
    assert_eq!(learned[3], Learned::Rebuilt);
    assert_eq!(learned[4], Learned::Refined);
    let kept: Vec<(&str, usize)> = ache
        .repository()
        .links
        .iter()
        .map(|(link, level)| (link.target.path_and_query(), *level))
        .collect();
    assert_eq!(kept, [("/4", 0), ("/3", 1), ("/2", 2)]);
    assert_eq!(ache.repository().farther.len(), 1, "the first link alone");
    let iteration = &ache.repository().iterations[0];
    assert_eq!((iteration.pages, iteration.targets), (4, 1));
}

/// A web without end: every fourth page links to a database, by a word that no other link
/// has.
fn page(at: &Address) -> Outcome {
    let number = at.path_and_query().rsplit('/').next();
    let n: u64 = number.and_then(|number| number.parse().ok()).unwrap_or(1);
    let mut builder = Builder::new();
    builder.leaf("of all kinds");
    let mut add = |anchor: &str, href: String| {
        let first = builder.next_leaf();
        builder.leaf(anchor);
        let end = first + 1;
        builder.link(&href, LeafRange { first, end });
    };
    let of = |next: u64| (3 * n + next) % 1_000_003;
    add("reading on", format!("/read/{}", of(1)));
    add("the archive", format!("/read/{}", of(2)));
    if n.is_multiple_of(4) {
        add("ask the database", format!("/found/{}", of(3)));
    }
    let page = Page::new(at.clone(), builder.finish().unwrap());
    Outcome::Page(Box::new(page), n)
}

fn session(budget: u64) -> Session {
    let limits = Limits {
        requests: None,
        budget,
        delay: CrawlDelay(0),
        scope: Scope::default(),
        stopping: StoppingRule::default(),
        takes_repeats: true,
        follows_all: true,
        until_recall: None,
    };
    let seed = Seed {
        address: Address::parse("http://a.test/read/1").unwrap(),
        mark: None,
    };
    let topic_model = TopicModel::new("path glob \"/found/*\"", "ache").unwrap();
    Session::new(topic_model, limits, vec![seed])
}

/// What is fetched until the budget is spent, and why.
fn crawled(session: &mut Session, rng: &mut SplitMix) -> Vec<(Address, String)> {
    let mut fetched = Vec::new();
    for now in 0.. {
        match session.next(Instant(now)) {
            Next::Robots(host) => session.robots(&host, Robots::allow_all()),
            Next::Fetch(fetch) => {
                let outcome = page(&fetch.address);
                let record = session.take(&fetch.address, outcome, Instant(now), rng);
                fetched.push((fetch.address, record.unwrap().reason));
            }
            Next::Stop(_) => break,
            Next::Wait(_) | Next::Busy => {}
        }
    }
    fetched
}

fn is_by_classifier(reason: &str) -> bool {
    reason.starts_with("looks ")
}

#[test]
fn most_links_of_a_small_crawl_are_chosen_by_its_classifier() {
    for budget in [100, 500] {
        let mut session = session(budget);
        let fetched = crawled(&mut session, &mut SplitMix(1));
        let chosen = fetched.iter().filter(|row| is_by_classifier(&row.1));
        let chosen = chosen.count() as u64;
        assert!(chosen > budget * 3 / 4, "{chosen} of {budget}");
        let found = fetched
            .iter()
            .filter(|row| row.0.as_str().contains("found"));
        // Without the classifier every eighth or ninth link leads to one.
        assert!(found.count() as u64 > budget / 6);
    }
}

#[test]
fn a_crawl_that_is_taken_up_again_chooses_the_same() {
    let whole = crawled(&mut session(300), &mut SplitMix(1));
    let (mut again, mut rng) = (session(300), SplitMix(1));
    for (address, reason) in &whole[..170] {
        let record = again
            .replay(address, page(address), None, &mut rng)
            .unwrap();
        assert_eq!(record.reason, *reason);
    }
    assert!(whole[..170].iter().any(|row| is_by_classifier(&row.1)));
    assert_eq!(crawled(&mut again, &mut rng), whole[170..]);
}

#[test]
fn what_was_trained_before_orders_links_from_the_first() {
    let mut vocabulary = Vocabulary::default();
    let term = vocabulary.intern("databas", "database").unwrap();
    let near = Candidate {
        context: LinkContext::new(vec![crate::features::OffsetTerm::new(
            term,
            crate::dom::DomOffset(0),
        )]),
        ..link("0", "databases")
    };
    let far = link("0", "trains");
    let trained = TrainedPaths {
        links: vec![(PathLink::of(&near), 0)],
        farther: vec![PathLink::of(&far)],
    };
    let (graph, critic) = (
        WebGraph::with_vocabulary(vocabulary),
        critics::Topic::default(),
    );
    let known = Known {
        graph: &graph,
        critic: &critic,
    };
    let state = StrategyState::of(&trained);
    for (name, learns) in [("ache-offline", false), ("ache-offline-online", true)] {
        assert!(descriptor(name).unwrap().make.is_none());
        let untaught = from_state(name, &StrategyState::default(), 1).unwrap();
        assert!(untaught.is_none(), "{name} has to be trained");
        let mut ache = from_state(name, &state, 1).unwrap().unwrap();
        assert_eq!(ache.profile().name, name);
        ache.begin(10);
        let worth = |ache: &dyn Strategy| {
            let scores = ache.score(&[near.clone(), far.clone()], known);
            [0, 1].map(|place| scores[place].priority().unwrap().value())
        };
        // Priors of four classes 2/6, 1/6, 1/6, 2/6; two features that `near` has: its
        // anchor, and the stem "databas" of its address; rates 2/3, 1/2, 1/2, 1/3 for each.
        let weights = [2.0 / 6.0 * 4.0 / 9.0, 1.0 / 24.0, 1.0 / 24.0, 2.0 / 54.0];
        let share = weights[0] / weights.iter().sum::<f64>();
        let [first, other] = worth(&*ache);
        assert!((first - share).abs() < 1e-12, "{name}: {first} {share}");
        assert!(first > other);
        // Two targets elsewhere are enough to learn again where ten pages are the budget.
        for target in ["x", "y"] {
            let via = [link("0", target)];
            let arrival = Arrival {
                via: &via,
                judgment: judgment(true),
            };
            ache.learn(&Event::Arrival(arrival), known);
        }
        assert_eq!(worth(&*ache) != [first, other], learns, "{name}");
        let kept: Option<TrainedPaths> = ache.state().read(1).unwrap();
        assert_eq!(kept.as_ref(), Some(&trained), "what was trained stays");
        let reset = ache.reset(known).unwrap();
        assert_eq!(worth(&*reset), [first, other]);
    }
}

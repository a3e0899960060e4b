//! What a crawl would ask for next, before anything is fetched.
//!
//! The session hands out its links as it would, and takes in the pages that are at hand. Left
//! out: what pages that are not at hand would teach and link to, how long hosts rest, and what
//! robots.txt of hosts says that were not asked for it. So the further down a page stands, the
//! less certain is its place.

use super::Session;
use crate::address::Address;
use crate::crawl::{FrontierEntry, Instant, Outcome};
use crate::critics;
use crate::page::Page;
use crate::strategies::Rng;
use crate::web_graph::Mark;

/// A page that a crawl would ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct Upcoming {
    /// The page.
    pub address: Address,
    /// What the link to it says; empty for a seed.
    pub anchor: String,
    /// The page with the link; none for a seed.
    pub from: Option<Address>,
    /// How likely it is what is looked for, 0..=1; none for a seed of which nothing is known.
    pub probability: Option<f64>,
    /// Why it is chosen.
    pub reason: String,
    /// Whether the person marked it: then it counts for no harvest.
    pub is_marked: bool,
}

/// What a crawl would do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DryRun {
    /// The pages in the order in which they would be asked for.
    pub pages: Vec<Upcoming>,
    /// How many of them that are not marked are expected to be what is looked for: the sum of
    /// their probabilities.
    pub expected: f64,
    /// Of how many that is the sum.
    pub judged: usize,
}

impl DryRun {
    /// How many pages are expected to be what is looked for, for people.
    pub fn expected_in_words(&self) -> String {
        match self.expected.round() {
            ..1.0 => "hardly any".to_owned(),
            right => format!("about {right}"),
        }
    }
}

impl Session {
    /// The pages that it would ask for next, so many at most. `at_hand` gives pages that need
    /// not be fetched to know them.
    pub fn dry_run(
        mut self,
        most: usize,
        mut at_hand: impl FnMut(&Address) -> Option<Box<Page>>,
        rng: &mut dyn Rng,
    ) -> DryRun {
        let mut run = DryRun::default();
        while run.pages.len() < most {
            let arm = self.arm();
            let Some((arm, waiting)) = self.frontier.best_by(arm) else {
                break;
            };
            let (target, waiting) = (waiting.links[0].target.clone(), waiting.clone());
            let robots = self.robots.get(target.host());
            let is_refused =
                robots.is_some_and(|robots| robots.check(target.path_and_query()).is_err());
            if is_refused || (!waiting.pinned && self.is_seen(&target)) {
                self.frontier.take(&target);
                continue;
            }
            run.pages.push(self.upcoming(&waiting));
            if let Some(page) = at_hand(&target) {
                self.set_under_way(target.clone(), arm);
                // Pages at hand are told apart by where they are.
                let digest = run.pages.len() as u64;
                self.take(&target, Outcome::Page(page, digest), Instant(0), rng);
            } else {
                self.begun += 1;
                self.frontier.take(&target);
                self.seen.insert(&target);
            }
        }
        let judged = run.pages.iter().filter(|page| !page.is_marked);
        let judged: Vec<f64> = judged.filter_map(|page| page.probability).collect();
        (run.expected, run.judged) = (judged.iter().sum(), judged.len());
        run
    }

    fn upcoming(&self, waiting: &FrontierEntry) -> Upcoming {
        let (link, topic_model) = (&waiting.links[0], &self.topic_model);
        let mark = topic_model.graph().mark(&link.target);
        let seeded = self.seeds.get(&link.target).copied().flatten();
        let mark = mark.or(seeded);
        let known = topic_model.graph().page(&link.target);
        let probability = match (mark, known) {
            (Some(mark), _) => Some(if mark == Mark::Target { 1.0 } else { 0.0 }),
            (None, Some(page)) => Some(critics::probability(
                topic_model.critic().name(),
                page.judgment.relevance,
            )),
            (None, None) if waiting.pinned => None,
            (None, None) => Some(topic_model.probability(link, waiting.priority)),
        };
        Upcoming {
            address: link.target.clone(),
            anchor: link.anchor.to_string(),
            from: link.source().cloned(),
            probability,
            reason: if waiting.pinned {
                String::new()
            } else {
                topic_model.reason(link)
            },
            is_marked: mark.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{address, page, run, session};
    use super::*;
    use crate::crawl::{CrawlDelay, Limits, Robots, Scope, Seed, StoppingRule};
    use crate::dom::{Builder, LeafRange};
    use crate::strategies::SplitMix;
    use crate::topic_model::TopicModel;

    fn of_address(at: &Address) -> Option<Box<Page>> {
        match page(at) {
            Outcome::Page(page, _) => Some(page),
            _ => None,
        }
    }

    /// A crawl whose hosts never rest.
    fn at_once(strategy: &str, budget: u64) -> Session {
        let limits = Limits {
            requests: None,
            stopping: StoppingRule::default(),
            takes_repeats: false,
            follows_all: false,
            until_recall: None,
            budget,
            delay: CrawlDelay(0),
            scope: Scope::default(),
        };
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

    #[test]
    fn where_all_pages_are_at_hand_it_is_the_crawl_itself() {
        for strategy in ["breadth-first", "ensemble"] {
            let (log, _) = run(&mut at_once(strategy, 60), page);
            let fetched: Vec<Address> = log.into_iter().map(|row| row.0).collect();
            let dry = at_once(strategy, 1_000_000);
            let dry = dry.dry_run(60, of_address, &mut SplitMix(5));
            let upcoming = dry.pages.into_iter().map(|page| page.address);
            assert_eq!(upcoming.collect::<Vec<_>>(), fetched, "{strategy}");
        }
    }

    #[test]
    fn what_is_not_at_hand_is_named_and_brings_nothing() {
        let start = address("http://a.org/1");
        let dry = session(1_000, "ensemble");
        let dry = dry.dry_run(
            100,
            |at| (*at == start).then(|| of_address(at)).flatten(),
            &mut SplitMix(5),
        );
        assert_eq!(dry.pages.len(), 4, "the seed and its links");
        assert!(dry.pages[0].is_marked && dry.pages[0].probability == Some(1.0));
        let links = &dry.pages[1..];
        assert!(links.iter().all(|page| page.from.as_ref() == Some(&start)));
        let sum: f64 = links.iter().filter_map(|page| page.probability).sum();
        assert!((dry.expected - sum).abs() < 1e-12 && dry.judged == 3);
        let nothing = session(1_000, "ensemble").dry_run(100, |_| None, &mut SplitMix(5));
        assert_eq!((nothing.pages.len(), nothing.judged), (1, 0));
    }

    #[test]
    fn a_page_that_is_not_at_hand_is_named_once() {
        let linking = |at: &str, to: &[&str]| {
            let mut builder = Builder::new();
            for target in to {
                let first = builder.next_leaf();
                builder.leaf("go on");
                let end = first + 1;
                builder.link(target, LeafRange { first, end });
            }
            Box::new(Page::new(address(at), builder.finish().unwrap()))
        };
        let links = [
            ("http://a.org/1", ["http://c.org/9", "http://d.org/2"]),
            ("http://d.org/2", ["http://b.org/1", "http://b.org/1"]),
            ("http://b.org/1", ["http://c.org/9", "http://c.org/9"]),
        ];
        let at_hand = |at: &Address| {
            let (at, to) = links.iter().find(|row| row.0 == at.as_str())?;
            Some(linking(at, to))
        };
        let dry = at_once("breadth-first", 1_000);
        let dry = dry.dry_run(100, at_hand, &mut SplitMix(5));
        let pages = dry.pages.iter().map(|page| page.address.as_str());
        let mut pages: Vec<&str> = pages.collect();
        assert_eq!(
            pages.last(),
            Some(&"http://b.org/1"),
            "behind the one that is not at hand"
        );
        pages.sort_unstable();
        let each = [
            "http://a.org/1",
            "http://b.org/1",
            "http://c.org/9",
            "http://d.org/2",
        ];
        assert_eq!(pages, each);
    }

    #[test]
    fn robots_that_are_known_are_heeded() {
        let start = address("http://a.org/1");
        let mut dry = session(1_000, "breadth-first");
        let file = b"User-agent: *\nDisallow: /3\n";
        let robots = Robots::parse(file, "linkscent");
        dry.robots.insert("a.org", robots, Instant(0));
        let at_hand = |at: &Address| (*at == start).then(|| of_address(at)).flatten();
        let dry = dry.dry_run(100, at_hand, &mut SplitMix(5));
        let pages = dry.pages.iter().map(|page| page.address.as_str());
        assert!(pages.clone().all(|page| page != "http://a.org/3"));
        assert_eq!(pages.count(), 3);
    }
}

//! ACHE (\[D\] 2 and 3, methods 3.4): looks for sparse targets by what the links
//! on the paths to earlier ones had in common, as many as three links ahead.
//!
//! A queue for each level of the link classifier, served in order; the frontier is
//! worked off in batches, so that links two and three away from a target get their
//! turn: that is the exploration. Whenever a target is found, the path to it joins
//! the repository; after so many targets or pages the features are chosen again and
//! the classifier is trained again (algorithm 1). Before the first time, links of
//! pages on topic are followed in the order in which they were found.
//!
//! A page is on topic if it is a target or its words speak for the topic; links of
//! other pages wait behind all others, where \[D\] drops them.

use std::collections::VecDeque;

use super::link_levels::{LEVELS, LevelVerdict, LinkLevels, PathLink};
use super::recent::Recent;
use super::{
    Arrival, Batch, Candidate, Event, Explanation, Known, Learned, LinkScore, Priority, Profile,
    Strategy, StrategyState, Subject,
};
use crate::address::Address;
use crate::features::LinkContext;
use crate::text::Vocabulary;

pub use super::link_levels::Chosen;

/// Links of paths kept; the oldest go.
const MOST_IN_PATHS: usize = 5_000;
/// Iterations whose features are kept; the oldest go.
const MOST_ITERATIONS: usize = 200;

/// How it goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptiveOptions {
    /// Targets found until it learns again; 0 for never.
    pub targets: u32,
    /// Pages fetched until it learns again, if a target was among them.
    pub pages: u32,
    /// Links of each level in a batch; `None` takes the best of all that wait.
    pub batch: Option<usize>,
    /// Whether links that lie on no path are a class of their own.
    pub farther: bool,
    /// Links of paths that are kept, and as many that lie on none; the oldest go.
    pub most_links: usize,
}

impl AdaptiveOptions {
    /// It learns again every so many pages, or a fourth as many targets.
    pub fn every(pages: u32) -> Self {
        Self {
            targets: (pages / 4).max(1),
            pages,
            ..Self::default()
        }
    }
}

impl Default for AdaptiveOptions {
    fn default() -> Self {
        Self {
            targets: 100,
            pages: 500,
            batch: Some(10),
            farther: true,
            most_links: MOST_IN_PATHS,
        }
    }
}

/// What an iteration of learning came to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LearningIteration {
    /// Pages fetched until then.
    pub pages: u32,
    /// Targets found until then.
    pub targets: u32,
    /// The features that were chosen: of the address, of the anchor, of the words
    /// around it.
    pub chosen: [Vec<Chosen>; 3],
}

/// A page on the way, and the link by which it was reached.
#[derive(Debug, Clone, PartialEq)]
struct Passed {
    link: PathLink,
    source: Option<Address>,
    on_path: bool,
}

/// All that it keeps from one crawl to the next.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PathRepository {
    /// Links on paths with their levels, from 0, oldest first.
    pub links: VecDeque<(PathLink, usize)>,
    /// Links that lay on no path when it was trained last.
    pub farther: Vec<PathLink>,
    /// Iterations, oldest first.
    pub iterations: VecDeque<LearningIteration>,
    /// Pages fetched.
    pub pages: u32,
    /// Targets found.
    pub targets: u32,
}

/// Learns what links on paths to targets have in common, again after every few pages.
#[derive(Debug, Clone)]
pub struct Adaptive {
    options: AdaptiveOptions,
    levels: LinkLevels,
    repository: PathRepository,
    passed: Recent<Passed>,
    pages_since: u32,
    targets_since: u32,
    /// Whether the classifier is to be trained from the repository at the next
    /// occasion: it was brought back.
    is_stale: bool,
}

impl Adaptive {
    /// One that knows nothing yet.
    pub fn new(options: AdaptiveOptions) -> Self {
        Self {
            options,
            levels: LinkLevels::default(),
            repository: PathRepository::default(),
            passed: Recent::default(),
            pages_since: 0,
            targets_since: 0,
            is_stale: false,
        }
    }

    /// One that goes on from what was kept.
    pub fn with_repository(options: AdaptiveOptions, repository: PathRepository) -> Self {
        Self {
            is_stale: !repository.links.is_empty(),
            repository,
            ..Self::new(options)
        }
    }

    /// The same, going on from what was kept.
    #[must_use]
    pub fn and_repository(self, repository: PathRepository) -> Self {
        Self::with_repository(self.options, repository)
    }

    /// Log-odds of a link's lying one link from a target, and of its lying on a
    /// path to one at all, by the words of its address and its context; 0 as long
    /// as nothing was learned.
    pub fn log_odds(&self, url: &[String], context: &LinkContext) -> [f64; 2] {
        let Some(verdict) = self.levels.judge_words(url, context) else {
            return [0.0; 2];
        };
        let on_path: f64 = verdict.shares[..LEVELS].iter().sum();
        let log_odds = |share: f64| (share / (1.0 - share).max(1e-4)).max(1e-4).ln();
        [log_odds(verdict.shares[0]), log_odds(on_path)]
    }

    /// One trained on the arrivals of an earlier crawl.
    pub fn taught<'a>(
        options: AdaptiveOptions,
        arrivals: impl Iterator<Item = Arrival<'a>>,
        vocabulary: &Vocabulary,
    ) -> Self {
        let mut taught = Self::new(options);
        for arrival in arrivals {
            taught.pass(&arrival);
        }
        taught.train(vocabulary);
        taught
    }

    /// What is kept.
    pub fn repository(&self) -> &PathRepository {
        &self.repository
    }

    /// Notes how a page was reached; where it is a target, so are the links to it.
    fn pass(&mut self, arrival: &Arrival<'_>) {
        let Some(link) = arrival.via.first() else {
            return;
        };
        self.repository.pages += 1;
        self.pages_since += 1;
        let passed = Passed {
            link: PathLink::of(link),
            source: link.source().cloned(),
            on_path: false,
        };
        self.passed.keep(link.target.clone(), passed);
        if arrival.judgment.is_target {
            self.repository.targets += 1;
            self.targets_since += 1;
            self.keep_path(&link.target);
        }
    }

    /// The last links before a target join the repository.
    fn keep_path(&mut self, target: &Address) {
        let mut at = Some(target.clone());
        for level in 0..LEVELS {
            let Some(page) = at.take() else {
                return;
            };
            let Some(passed) = self.passed.get(&page) else {
                return;
            };
            let mut passed = passed.clone();
            at.clone_from(&passed.source);
            if self.repository.links.len() >= self.options.most_links {
                self.repository.links.pop_front();
            }
            self.repository
                .links
                .push_back((passed.link.clone(), level));
            passed.on_path = true;
            self.passed.keep(page, passed);
        }
    }

    fn is_due(&self) -> bool {
        let options = self.options;
        options.targets > 0
            && self.targets_since > 0
            && (self.targets_since >= options.targets || self.pages_since >= options.pages)
    }

    /// Algorithm 1 of \[D\].
    fn train(&mut self, vocabulary: &Vocabulary) {
        (self.pages_since, self.targets_since, self.is_stale) = (0, 0, false);
        if self.options.farther {
            let passed = self.passed.iter().filter(|(_, passed)| !passed.on_path);
            let mut farther: Vec<PathLink> =
                passed.map(|(_, passed)| passed.link.clone()).collect();
            let skip = farther.len().saturating_sub(self.options.most_links);
            farther.drain(..skip);
            self.repository.farther = farther;
        }
        self.learn_levels(vocabulary);
        let iterations = &mut self.repository.iterations;
        if iterations.len() == MOST_ITERATIONS {
            iterations.pop_front();
        }
        iterations.push_back(LearningIteration {
            pages: self.repository.pages,
            targets: self.repository.targets,
            chosen: self.levels.chosen().clone(),
        });
    }

    fn learn_levels(&mut self, vocabulary: &Vocabulary) {
        let paths = self.repository.links.iter();
        let paths = paths.map(|(link, level)| (link, *level));
        self.levels = LinkLevels::train(paths, self.repository.farther.iter(), vocabulary);
    }

    fn judge(&self, link: &Candidate) -> Option<LevelVerdict> {
        self.levels.judge(link)
    }

    /// Whether the page with the link is on topic.
    fn is_on_topic(link: &Candidate, known: Known<'_>) -> bool {
        let page = link.source().and_then(|source| known.graph.page(source));
        page.is_none_or(|page| page.judgment.is_target || page.judgment.log_odds >= 0.0)
    }
}

impl Strategy for Adaptive {
    fn profile(&self) -> Profile {
        let batch = self.options.batch.map(|size| Batch {
            size,
            levels: LEVELS as u8,
        });
        Profile {
            batch,
            ..Profile::new("ache")
        }
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            let behind = if Self::is_on_topic(link, known) {
                0
            } else {
                LEVELS as u8
            };
            let (level, value) = match self.judge(link) {
                Some(verdict) => (verdict.level as u8, verdict.shares[verdict.level]),
                None => (0, -f64::from(link.trail.len())),
            };
            LinkScore::Follow(Priority::new(behind + level, value))
        };
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        let Event::Arrival(arrival) = event else {
            return Learned::Nothing;
        };
        if arrival.via.is_empty() {
            return Learned::Nothing;
        }
        self.pass(arrival);
        if self.is_stale {
            self.learn_levels(&known.graph.vocabulary);
            self.is_stale = false;
            return Learned::Rebuilt;
        }
        if !self.is_due() {
            return Learned::Refined;
        }
        self.train(&known.graph.vocabulary);
        Learned::Rebuilt
    }

    fn describe(&self, subject: Subject<'_>, _: Known<'_>) -> Option<String> {
        let Subject::Link(link) = subject else {
            return None;
        };
        let verdict = self.judge(link)?;
        let clicks = verdict.level + 1;
        let plural = if clicks == 1 { "" } else { "s" };
        let strongest = self.levels.reasons(&verdict, verdict.level);
        let strongest = strongest
            .into_iter()
            .skip(1)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let because = strongest.filter(|reason| reason.1 > 0.0);
        let because = because.map_or(String::new(), |reason| format!("; {}", reason.0));
        Some(format!(
            "looks {clicks} click{plural} from a target{because}"
        ))
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let Some(verdict) = self.judge(link) else {
            return Explanation::product(
                "nothing was learned yet: in the order in which links were found",
                vec![
                    Explanation::given("clicks from the seed", f64::from(link.trail.len())),
                    Explanation::given("fewer is better", -1.0),
                ],
            );
        };
        let level = verdict.level;
        let place = if Self::is_on_topic(link, known) {
            "on a page on topic"
        } else {
            "on a page off topic: behind all others"
        };
        let reasons = self.levels.reasons(&verdict, level).into_iter();
        let factors = reasons.map(|(name, log)| {
            let times = log.exp();
            Explanation::given(format!("{name}: times {times:.2}"), times)
        });
        let plural = if level == 0 { "" } else { "s" };
        let label = format!(
            "probability of lying {} link{plural} from a target, {place}",
            level + 1
        );
        Explanation::product(label, factors.collect())
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.repository)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critics;
    use crate::strategies::{Step, Trail};
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
            targets: 1,
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
}

//! ACHE (\[D\] 2 and 3, methods 3.4): looks for sparse targets by what the links
//! on the paths to earlier ones had in common, as many as three links ahead.
//!
//! A queue for each level of the link classifier, served in order; the frontier is
//! worked off in batches, so that links two and three away from a target get their
//! turn: that is the exploration. Whenever a target is found, the path to it joins
//! the repository; after so many targets or pages, which follow the crawl's budget, the
//! features are chosen again and the classifier is trained again (algorithm 1). Before the
//! first time, links of pages on topic are followed in the order in which they were found.
//!
//! \[D\] compares four [`Configuration`]s. A page is on topic if it is a target or its words
//! speak for the topic; links of other pages wait behind all others, where \[D\] drops them.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use super::learning_threshold::{LearningThreshold, Progress};
use super::link_levels::{LEVELS, LevelVerdict, LinkLevels, PathLink};
use super::path_repository::{PathRepository, TrainedPaths};
use super::recent::Recent;
use super::{
    Arrival, Batch, Candidate, Event, Explanation, Known, Learned, LinkScore, Priority, Profile,
    Strategy, StrategyState, Subject,
};
use crate::address::Address;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::features::LinkContext;
use crate::text::Vocabulary;

/// Links of paths kept; the oldest go.
const MOST_IN_PATHS: usize = 5_000;

/// What it knows before a crawl, and whether it learns from it (\[D\] 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Configuration {
    /// It knows no classifier and learns none: links of pages on topic in the order in which
    /// they were found.
    Baseline,
    /// By what was trained before, and nothing else.
    Offline,
    /// By what was trained before, and on from there.
    OfflineOnline,
    /// It begins as the baseline and learns from what it finds.
    #[default]
    Online,
}

impl Configuration {
    /// The name of the strategy.
    pub fn name(self) -> &'static str {
        match self {
            Self::Baseline => "ache-baseline",
            Self::Offline => "ache-offline",
            Self::OfflineOnline => "ache-offline-online",
            Self::Online => "ache",
        }
    }

    fn learns(self) -> bool {
        matches!(self, Self::OfflineOnline | Self::Online)
    }

    fn is_trained(self) -> bool {
        matches!(self, Self::Offline | Self::OfflineOnline)
    }
}

/// How it goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptiveOptions {
    /// What it knows before, and whether it learns.
    pub configuration: Configuration,
    /// When it learns again; `None` for as often as the crawl's budget has it.
    pub threshold: Option<LearningThreshold>,
    /// Links of each level in a batch; `None` takes the best of all that wait.
    pub batch: Option<usize>,
    /// Whether links that lie on no path are a class of their own.
    pub farther: bool,
    /// Links of paths that are kept, and as many that lie on none; the oldest go.
    pub most_links: usize,
}

impl AdaptiveOptions {
    /// The usual ones of a configuration.
    pub fn of(configuration: Configuration) -> Self {
        // A queue without levels is worked off in order: batches would change nothing.
        let batch = (configuration != Configuration::Baseline).then_some(10);
        Self {
            configuration,
            threshold: None,
            batch,
            farther: true,
            most_links: MOST_IN_PATHS,
        }
    }
}

impl Default for AdaptiveOptions {
    fn default() -> Self {
        Self::of(Configuration::default())
    }
}

/// A page on the way, and the link by which it was reached.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Passed {
    link: PathLink,
    source: Option<Address>,
    on_path: bool,
}

/// Learns what links on paths to targets have in common, again after every few pages.
#[derive(Debug, Clone)]
pub struct Adaptive {
    options: AdaptiveOptions,
    threshold: LearningThreshold,
    trained: Arc<TrainedPaths>,
    repository: PathRepository,
    /// Trained when it is first asked for, from what was kept.
    levels: OnceLock<LinkLevels>,
    passed: Recent<Passed>,
    /// Since the crawl began, or it learned again from its log.
    seen: Progress,
    seen_since: Progress,
}

impl Adaptive {
    /// One that knows nothing yet.
    pub fn new(options: AdaptiveOptions) -> Self {
        Self {
            options,
            threshold: options.threshold.unwrap_or_default(),
            trained: Arc::default(),
            repository: PathRepository::default(),
            levels: OnceLock::new(),
            passed: Recent::default(),
            seen: Progress::default(),
            seen_since: Progress::default(),
        }
    }

    /// The same, beginning with paths that were found before its crawls.
    #[must_use]
    pub fn and_trained(self, trained: TrainedPaths) -> Self {
        let trained = Arc::new(trained);
        Self { trained, ..self }
    }

    /// The same, going on from what was kept.
    #[must_use]
    pub fn and_repository(self, repository: PathRepository) -> Self {
        Self { repository, ..self }
    }

    /// Log-odds of a link's lying one link from a target, and of its lying on a
    /// path to one at all, by the words of its address and its context; 0 as long
    /// as nothing was learned.
    pub fn log_odds(
        &self,
        url: &[String],
        context: &LinkContext,
        vocabulary: &Vocabulary,
    ) -> [f64; 2] {
        let Some(verdict) = self.levels(vocabulary).judge_words(url, context) else {
            return [0.0; 2];
        };
        let on_path: f64 = verdict.shares[..LEVELS].iter().sum();
        let log_odds = |share: f64| (share / (1.0 - share).max(1e-4)).max(1e-4).ln();
        [log_odds(verdict.shares[0]), log_odds(on_path)]
    }

    /// What its crawls have found.
    pub fn repository(&self) -> &PathRepository {
        &self.repository
    }

    /// Notes how a page was reached; where it is a target, so are the links to it.
    fn pass(&mut self, arrival: &Arrival<'_>) {
        let Some(link) = arrival.via.first() else {
            return;
        };
        let is_target = arrival.judgment.is_target;
        self.repository.pages += 1;
        self.seen.count(is_target);
        self.seen_since.count(is_target);
        let passed = Passed {
            link: PathLink::of(link),
            source: link.source().cloned(),
            on_path: false,
        };
        self.passed.keep(link.target.clone(), passed);
        if is_target {
            self.repository.targets += 1;
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
            let most = self.options.most_links;
            self.repository.keep(passed.link.clone(), level, most);
            passed.on_path = true;
            self.passed.keep(page, passed);
        }
    }

    /// Algorithm 1 of \[D\].
    fn train(&mut self, vocabulary: &Vocabulary) {
        self.seen_since = Progress::default();
        if self.options.farther {
            let passed = self.passed.iter().filter(|(_, passed)| !passed.on_path);
            let mut farther: Vec<PathLink> =
                passed.map(|(_, passed)| passed.link.clone()).collect();
            let skip = farther.len().saturating_sub(self.options.most_links);
            farther.drain(..skip);
            self.repository.farther = farther;
        }
        let levels = self.learned_levels(&self.repository, vocabulary);
        self.repository.learned(levels.chosen().clone());
        self.levels = OnceLock::from(levels);
    }

    /// The classifier that the paths of training and of crawls make; where there are none,
    /// one that says nothing.
    fn learned_levels(&self, own: &PathRepository, vocabulary: &Vocabulary) -> LinkLevels {
        if self.trained.links.is_empty() && own.links.is_empty() {
            return LinkLevels::default();
        }
        let most = self.options.most_links;
        let room = most.saturating_sub(own.links.len());
        let paths = self.trained.links.iter().take(room).chain(&own.links);
        let room = most.saturating_sub(own.farther.len());
        let farther = self.trained.farther.iter().take(room).chain(&own.farther);
        let paths = paths.map(|(link, level)| (link, *level));
        LinkLevels::train(paths, farther, vocabulary)
    }

    fn levels(&self, vocabulary: &Vocabulary) -> &LinkLevels {
        self.levels.get_or_init(|| {
            // Of what was kept only as much counts as it had learned from.
            let nothing = PathRepository::default();
            let has_learned = !self.repository.iterations.is_empty();
            let own = if has_learned {
                &self.repository
            } else {
                &nothing
            };
            self.learned_levels(own, vocabulary)
        })
    }

    fn judge(&self, link: &Candidate, known: Known<'_>) -> Option<LevelVerdict> {
        self.levels(&known.graph.vocabulary).judge(link)
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
            ..Profile::new(self.options.configuration.name())
        }
    }

    fn begin(&mut self, budget: u64) {
        let follows = || LearningThreshold::of_budget(budget);
        self.threshold = self.options.threshold.unwrap_or_else(follows);
        (self.seen, self.seen_since) = (Progress::default(), Progress::default());
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            let behind = if Self::is_on_topic(link, known) {
                0
            } else {
                LEVELS as u8
            };
            let (level, value) = match self.judge(link, known) {
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
        if arrival.via.is_empty() || !self.options.configuration.learns() {
            return Learned::Nothing;
        }
        // What it was brought back with is one classifier until it learns again.
        self.levels(&known.graph.vocabulary);
        self.pass(arrival);
        if !self.threshold.is_met(self.seen_since, self.seen) {
            return Learned::Refined;
        }
        self.train(&known.graph.vocabulary);
        Learned::Rebuilt
    }

    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        let Subject::Link(link) = subject else {
            return None;
        };
        let verdict = self.judge(link, known)?;
        let clicks = verdict.level + 1;
        let plural = if clicks == 1 { "" } else { "s" };
        let levels = self.levels(&known.graph.vocabulary);
        let strongest = levels.reasons(&verdict, verdict.level);
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
        let Some(verdict) = self.judge(link, known) else {
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
        let levels = self.levels(&known.graph.vocabulary);
        let reasons = levels.reasons(&verdict, level).into_iter();
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
        let configuration = self.options.configuration;
        match (configuration.is_trained(), configuration.learns()) {
            (true, true) => StrategyState::of(&*self.trained).with(&self.repository),
            (true, false) => StrategyState::of(&*self.trained),
            (false, true) => StrategyState::of(&self.repository),
            (false, false) => StrategyState::default(),
        }
    }

    /// All but what was trained before, which it was made with.
    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.repository)?;
        to.put(&self.levels.get())?;
        to.put(&self.passed)?;
        to.put(&self.seen)?;
        to.put(&self.seen_since)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.repository = from.take()?;
        let levels: Option<LinkLevels> = from.take()?;
        self.levels = levels.map_or_else(OnceLock::new, OnceLock::from);
        self.passed = from.take()?;
        self.seen = from.take()?;
        self.seen_since = from.take()?;
        Ok(())
    }

    /// What was trained before stays: no mark of this topic's log stands behind it.
    fn reset(&self, _: Known<'_>) -> Option<Box<dyn Strategy>> {
        Some(Box::new(Self {
            threshold: self.threshold,
            trained: Arc::clone(&self.trained),
            ..Self::new(self.options)
        }))
    }
}

#[cfg(test)]
mod tests;

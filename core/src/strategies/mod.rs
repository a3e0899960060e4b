//! Strategies say where good pages may lie: they score links that were seen
//! and not followed, and learn from where followed ones led (METHODS 2).

mod adaptive;
mod apprentice;
mod best_first;
mod catalogue;
mod context_graph;
mod ensemble;
mod explanation;
mod hop_chain;
mod hop_clusters;
mod hop_training;
mod intelligent;
mod link_levels;
mod order;
mod plain_apprentice;
mod recent;

pub use crate::candidate::{Candidate, Neighbour, Step, Trail};
pub use crate::rng::{Rng, SplitMix};
pub use adaptive::{Adaptive, AdaptiveOptions, Chosen, LearningIteration, PathRepository};
pub use apprentice::{Apprentice, Options as ApprenticeOptions};
pub use best_first::{BestFirst, Focus};
pub use catalogue::{NAMES, StrategyState, from_state, named};
pub use context_graph::ContextGraph;
pub use ensemble::{
    Ensemble, EnsembleOptions, EnsembleState, Group, Groups, RunningStats, SignalGroup,
};
pub use explanation::{Cue, Explanation, Operation};
pub use hop_chain::{HopChain, HopModel, Inference, PassedPage};
pub use hop_clusters::HopClusters;
pub use hop_training::{HopKind, HopTraining};
pub use intelligent::{Counts, Factors, Intelligent, IntelligentCounts};
pub use link_levels::{PathLink, SPACES};
pub use order::{BreadthFirst, Random};
pub use plain_apprentice::PlainApprentice;

use crate::address::Address;
use crate::critics::Critic;
use crate::features::PageTerms;
use crate::page::Page;
use crate::web_graph::{Judgment, Relevance, WebGraph};

/// Beliefs over up to five hop distances fit in a key.
const KEY_LENGTH: usize = 5;

/// Queues that are left for [`Priority::behind`].
const BEHIND: u8 = 100;

/// How soon a link is to be followed. Greater is sooner. Comparable only
/// within one strategy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Priority {
    queue: u8,
    key: [f64; KEY_LENGTH],
}

impl Priority {
    /// In queue 0 (served first) to 255, ordered there by one number. What is
    /// no number comes last.
    pub fn new(queue: u8, value: f64) -> Self {
        let value = if value.is_nan() { f64::MIN } else { value };
        let mut key = [0.0; KEY_LENGTH];
        key[0] = value;
        Self { queue, key }
    }

    /// In queue 0, ordered by the first number, of equal ones by the second, and
    /// so on; at most 5 numbers count.
    pub fn lexicographic(values: &[f64]) -> Self {
        let mut priority = Self::new(0, values.first().copied().unwrap_or(f64::MIN));
        for (slot, &value) in priority.key.iter_mut().zip(values).skip(1) {
            *slot = if value.is_nan() { f64::MIN } else { value };
        }
        priority
    }

    /// The queue, 0 is served first.
    pub fn queue(self) -> u8 {
        self.queue
    }

    /// The number that orders the queue, greatest first.
    pub fn value(self) -> f64 {
        self.key[0]
    }

    /// The same behind all that were given, as long as they leave queues.
    #[must_use]
    pub fn behind(self) -> Self {
        let queue = self.queue.saturating_add(BEHIND);
        Self { queue, ..self }
    }

    /// The number that goes along for one of the members of an [`ArmRule`].
    pub fn by_member(self, rival: usize) -> f64 {
        self.key.get(rival + 1).copied().unwrap_or_default()
    }
}

impl Priority {
    /// The mean of several; of their queues the soonest. Of none, the last
    /// there is.
    fn mean(scores: &[Self]) -> Self {
        let queue = scores.iter().map(|score| score.queue).min();
        let share = 1.0 / scores.len().max(1) as f64;
        let mut key = [0.0; KEY_LENGTH];
        for score in scores {
            for (mean, value) in key.iter_mut().zip(score.key) {
                *mean += share * value;
            }
        }
        Self {
            queue: queue.unwrap_or(u8::MAX),
            key,
        }
    }
}

impl Eq for Priority {}

impl Ord for Priority {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_key = || {
            let pairs = self.key.iter().zip(&other.key);
            pairs
                .map(|(a, b)| a.total_cmp(b))
                .find(|order| order.is_ne())
                .unwrap_or(std::cmp::Ordering::Equal)
        };
        other.queue.cmp(&self.queue).then_with(by_key)
    }
}

impl PartialOrd for Priority {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A strategy's word on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkScore {
    /// Never follow it.
    Reject,
    /// Follow it when nothing comes before it.
    Follow(Priority),
}

impl LinkScore {
    /// The priority, if the link is to be followed at all.
    pub fn priority(self) -> Option<Priority> {
        match self {
            Self::Reject => None,
            Self::Follow(priority) => Some(priority),
        }
    }
}

/// Links that are worked off together ([D] 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// Links of each queue.
    pub size: usize,
    /// Queues that take part; those behind them are served only when these are
    /// empty.
    pub queues: u8,
}

/// Who takes turns with a strategy when pages are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ArmRule {
    /// Other rankings that go along with its own in every [`Priority`]: what they
    /// are called, in the order of their numbers.
    pub members: &'static [&'static str],
    /// Whether a page is now and then taken at random.
    pub explores: bool,
}

/// What a page is worth to which several links lead (METHODS "Apprentice").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkPolicy {
    /// What the link is worth that was seen first.
    First,
    /// What the best link is worth.
    #[default]
    Maximum,
    /// The mean of the links.
    Mean,
    /// Half by the best link, half by the mean of the links.
    Both,
}

impl LinkPolicy {
    /// Whether links are kept best first; else in the order in which they were
    /// seen.
    pub fn sorts(self) -> bool {
        matches!(self, Self::Maximum | Self::Both)
    }

    /// What a page is worth by its links' priorities, in the order in which they
    /// are kept.
    pub fn worth(self, scores: &[Priority]) -> Priority {
        let best = || scores.iter().copied().max();
        let worth = match self {
            Self::First => scores.first().copied(),
            Self::Maximum => best(),
            Self::Mean => Some(Priority::mean(scores)),
            Self::Both => best().map(|best| Priority::mean(&[best, Priority::mean(scores)])),
        };
        worth.unwrap_or(Priority::mean(scores))
    }
}

/// What a strategy may ask while it scores: the pages seen, and what the
/// critic thinks of single words.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Pages seen, with their judgments.
    pub graph: &'a WebGraph,
    /// The critic of the topic.
    pub critic: &'a dyn Critic,
}

/// What a strategy wants read of a page besides the words near its links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// The classes of the page, as words of every link's context.
    pub classes: bool,
    /// The links next to every link.
    pub neighbours: bool,
}

/// A page was fetched: the links that led there, and what it turned out to be.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// The links to it that were seen before, best first.
    pub via: &'a [Candidate],
    /// The judgment of the page.
    pub judgment: Judgment,
}

/// A page that was fetched and judged, on the way to its links.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'a> {
    /// The page.
    pub page: &'a Page,
    /// Its terms.
    pub terms: &'a PageTerms,
    /// The links to it that were seen before, best first.
    pub via: &'a [Candidate],
    /// Its judgment, the person's mark applied.
    pub judgment: Judgment,
}

/// What an arrival changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learned {
    /// Nothing: this strategy does not learn, or not from this.
    Nothing,
    /// The model is a little better; scores given before still serve.
    Refined,
    /// The model is another: every waiting link is to be scored again.
    Rebuilt,
}

/// Scores links and learns from where they led.
pub trait Strategy: Send + Sync {
    /// The name it is called by in topics and on the command line.
    fn name(&self) -> &'static str;

    /// What a page is worth to which several links lead.
    fn policy(&self) -> LinkPolicy {
        LinkPolicy::default()
    }

    /// How links are worked off together before any that was found meanwhile;
    /// `None` for the best of all that wait, always.
    fn batch(&self) -> Option<Batch> {
        None
    }

    /// What is to be read of a page besides the words near its links.
    fn reading(&self) -> Reading {
        Reading::default()
    }

    /// How soon to follow a link.
    fn score(&self, link: &Candidate, known: Known<'_>) -> LinkScore;

    /// The same of all links of one page.
    fn score_all(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        links.iter().map(|link| self.score(link, known)).collect()
    }

    /// Numbers of the features that move its scores most, for one that learns
    /// features.
    fn top_features(&self) -> Vec<u32> {
        Vec::new()
    }

    /// How much a link promises by its priority: 0 for one like any other, more
    /// for those worth pointing out. Unlike priorities, comparable between pages.
    fn highlight_score(&self, priority: Priority) -> f64 {
        priority.value()
    }

    /// Who takes turns with it; nobody with a strategy that stands alone.
    fn arms(&self) -> ArmRule {
        ArmRule::default()
    }

    /// How relevant the page is expected to be to which a link leads; `None`
    /// for a strategy that only ranks.
    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        let _ = (link, known);
        None
    }

    /// Hears of a page that was fetched and judged, before its links are scored.
    fn on_page(&mut self, passing: &Passing<'_>, known: Known<'_>) {
        let _ = (passing, known);
    }

    /// Hears of a link that a person followed elsewhere, to a page of which only
    /// the judgment came along.
    fn on_click(&mut self, link: &Candidate, judgment: Judgment, known: Known<'_>) {
        let _ = (link, judgment, known);
    }

    /// Takes a fetched page into account.
    fn learn(&mut self, arrival: &Arrival<'_>, known: Known<'_>, rng: &mut dyn Rng) -> Learned;

    /// Takes a link into account that leads to a page fetched before, judged as
    /// given: an instance that cost no fetch. Scores given before still serve.
    fn learn_known_link(&mut self, link: &Candidate, judgment: Judgment, known: Known<'_>) {
        let _ = (link, judgment, known);
    }

    /// What the strategy makes of a link in a few words, such as "looks 1 hop
    /// from a target"; `None` where it has none.
    fn describe_link(&self, link: &Candidate, known: Known<'_>) -> Option<String> {
        let _ = (link, known);
        None
    }

    /// The same of a page that was fetched.
    fn describe_page(&self, page: &Address) -> Option<String> {
        let _ = page;
        None
    }

    /// Why a link scores as it does. The value is that of its priority, and
    /// every node follows from its parts by its operation.
    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation;

    /// The same strategy with nothing learned, to learn again from the log by
    /// today's judgments; what hangs on no judgment stays. `None` for one that
    /// cannot.
    fn reset(&self, known: Known<'_>) -> Option<Box<dyn Strategy>> {
        let _ = known;
        named(self.name())
    }

    /// What has to be kept for [`from_state`] to bring it back.
    fn state(&self) -> StrategyState;
}

#[cfg(test)]
mod tests;

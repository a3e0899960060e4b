//! Strategies say where good pages may lie: they score links that were seen
//! and not followed, and learn from where followed ones led (methods 3).

mod adaptive;
mod apprentice;
mod best_first;
mod carried;
mod catalogue;
mod context_graph;
mod ensemble;
mod explanation;
mod hop_chain;
mod hop_clusters;
mod hop_training;
mod intelligent;
mod learning_threshold;
mod link_feature;
mod link_levels;
mod order;
mod path_repository;
mod plain_apprentice;
mod priority;
pub mod promise;
mod rebuilds;
mod recent;
mod rivals;
mod saved;

pub use crate::candidate::{Candidate, Neighbour, Step, Trail};
pub use crate::rng::{Rng, SplitMix};
pub use adaptive::{Adaptive, AdaptiveOptions, Configuration};
pub use apprentice::{Apprentice, Options as ApprenticeOptions};
pub use best_first::{BestFirst, Focus};
pub use carried::{TaughtCounts, can_begin, carried};
pub use catalogue::{
    Descriptor, Make, REGISTRY, Resume, all_names, check_state, default_name, descriptor,
    from_state, named, names,
};
pub use context_graph::ContextGraph;
pub use ensemble::{
    Ensemble, EnsembleOptions, EnsembleState, Group, Groups, MakeGuest, RunningStats, SignalGroup,
    trimmed,
};
pub use explanation::{Cue, Explanation, Operation};
pub use hop_chain::{BeliefOrder, HopChain, PassedPage};
pub use hop_clusters::HopClusters;
pub use hop_training::HopTraining;
pub use intelligent::{
    Counts, Factors, Form, Inlinks, Intelligent, IntelligentCounts, WeightsError,
};
pub use learning_threshold::LearningThreshold;
pub use link_levels::{Chosen, PathLink, SPACES};
pub use order::{BreadthFirst, Random};
pub use path_repository::{BackwardPaths, LearningIteration, PathRepository, TrainedPaths};
pub use plain_apprentice::{PlainApprentice, PlainOptions};
pub use priority::{MemberScores, Priority, Rank, Tier};
pub use promise::Promise;
pub use rivals::depth_first::DepthFirst;
pub use rivals::fish_search::FishSearch;
pub use rivals::hub::{Hub, HubScores};
pub use rivals::info_spiders::{Agent, InfoSpiders, Population};
pub use rivals::link_graph::LinkGraph;
pub use rivals::q_linear::{QLinear, QWeights};
pub use rivals::reinforcement::{BinnedValues, Reinforcement};
pub use rivals::shark_search::SharkSearch;
pub use rivals::topic_pagerank::{PageRanks, TopicPageRank};
pub use saved::{Saved, StateError, StrategyState};
pub(crate) use saved::{SavedCounts, SavedEnsemble, SavedHopChain, SavedPaths, SavedRatios};

use crate::address::Address;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::critics::Critic;
use crate::features::PageTerms;
use crate::page::Page;
use crate::web_graph::{Judgment, Relevance, WebGraph};

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

/// Links that are worked off together (\[D\] 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// Links of each queue.
    pub size: usize,
    /// Queues that take part; those behind them are served only when these are
    /// empty.
    pub levels: u8,
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

/// What a page is worth to which several links lead (methods 3.1).
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
    /// What the link is worth that was seen last: its score speaks for all known inlinks.
    Newest,
}

impl LinkPolicy {
    /// Whether links are kept best first; else in the order in which they were
    /// seen, or the other way round.
    pub fn sorts(self) -> bool {
        matches!(self, Self::Maximum | Self::Both)
    }

    /// What a page is worth by its links' priorities, in the order in which they
    /// are kept.
    pub fn worth(self, scores: &[Priority]) -> Priority {
        let best = || scores.iter().copied().max();
        let worth = match self {
            Self::First | Self::Newest => scores.first().copied(),
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
    /// All links to a page, to learn from when it is fetched; else only those by which it is
    /// worth something, and a few more.
    pub every_link: bool,
    /// Which pages link to every page ([`WebGraph::backlinks`]).
    pub backlinks: bool,
    /// What crawls for other topics read of the sites that it comes to.
    pub memory: bool,
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

/// What an arrival changed, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Learned {
    /// Nothing: this strategy does not learn, or not from this.
    Nothing,
    /// The model is a little better; scores given before still serve.
    Refined,
    /// The model is another: every waiting link is to be scored again, where many wait in parts.
    Rebuilt,
}

/// What a strategy is like, apart from what it learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// The name it is called by in topics and on the command line.
    pub name: &'static str,
    /// What is to be read of a page besides the words near its links.
    pub reading: Reading,
    /// What a page is worth to which several links lead.
    pub policy: LinkPolicy,
    /// How links are worked off together before any that was found meanwhile;
    /// `None` for the best of all that wait, always.
    pub batch: Option<Batch>,
    /// Other rankings that choose pages too; none with a strategy that stands alone.
    pub arms: ArmRule,
    /// Whether the value of a priority is the log-odds that its page is good.
    pub is_log_odds: bool,
}

impl Profile {
    /// The usual one: it reads nothing special and stands alone.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            reading: Reading::default(),
            policy: LinkPolicy::default(),
            batch: None,
            arms: ArmRule::default(),
            is_log_odds: false,
        }
    }
}

/// What a strategy may learn from.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A page was fetched and judged; its links are scored next.
    Page(Passing<'a>),
    /// Links led to a page that was fetched.
    Arrival(Arrival<'a>),
    /// A link leads to a page that was fetched before: an instance that cost no fetch.
    KnownLink(&'a Candidate, Judgment),
    /// A person followed a link elsewhere, to a page of which only the judgment came along.
    Click(&'a Candidate, Judgment),
}

/// What can be described in a few words.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A link that waits.
    Link(&'a Candidate),
    /// A page that was fetched.
    Page(&'a Address),
}

/// Scores links and learns from where they led.
pub trait Strategy: Send + Sync {
    /// What it is like. The same as long as it lives.
    fn profile(&self) -> Profile;

    /// A crawl of so many pages begins. A crawl that is taken up again is begun again, with
    /// the same budget, before it is told its log.
    fn begin(&mut self, budget: u64) {
        let _ = budget;
    }

    /// How soon to follow each of some links that stand on one page.
    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore>;

    /// Why a link scores as it does. The value is that of its priority, and
    /// every node follows from its parts by its operation.
    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation;

    /// Takes into account what happened.
    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        let _ = (event, known);
        Learned::Nothing
    }

    /// The name by which [`named`] makes the same strategy: its profile's, unless something
    /// was chosen besides.
    fn full_name(&self) -> String {
        self.profile().name.to_owned()
    }

    /// Starts from what was learned for another topic, in the words of this one's
    /// vocabulary ([`carried`]), in place of what it knows; see [`can_begin`].
    fn begin_with(
        &mut self,
        learned: &StrategyState,
        known_terms: usize,
    ) -> Result<(), StateError> {
        let _ = (learned, known_terms);
        Ok(())
    }

    /// What has to be kept for [`from_state`] to bring it back, as bytes of its own.
    fn state(&self) -> StrategyState {
        StrategyState::default()
    }

    /// The same strategy with nothing learned, to learn again from the log by
    /// today's judgments; what hangs on no judgment stays. `None` for one that
    /// cannot.
    fn reset(&self, known: Known<'_>) -> Option<Box<dyn Strategy>> {
        let _ = known;
        named(&self.full_name())
    }

    /// How relevant the page is expected to be to which a link leads; `None`
    /// for a strategy that only ranks.
    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        let _ = (link, known);
        None
    }

    /// How much a link promises by its priority; unlike priorities, comparable between pages.
    fn promise(&self, priority: Priority) -> Promise {
        Promise::AboveUsual(priority.log_odds())
    }

    /// What it makes of a link or a page in a few words, such as "looks 1 hop
    /// from a target"; `None` where it has none.
    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        let _ = (subject, known);
        None
    }

    /// Numbers of the features that move its scores most, for one that learns
    /// features.
    fn top_features(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Writes all that it knows, so that one made in the same way goes on as this one would. More
    /// than [`Self::state`], which is what it learned for other crawls.
    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        let _ = to;
        Err(SaveError::NotFor(self.full_name()))
    }

    /// Takes that back.
    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        let _ = from;
        Ok(())
    }
}

#[cfg(test)]
mod tests;

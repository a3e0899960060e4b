//! The registry of strategies: all that shell, bench, dashboard, API and model file know
//! of one. A new strategy is a file and a row here.

use super::{
    Adaptive, AdaptiveOptions, Apprentice, ApprenticeOptions, BestFirst, BinnedValues,
    BreadthFirst, Configuration, ContextGraph, DepthFirst, Ensemble, EnsembleState, FishSearch,
    Focus, Form, HopChain, HopClusters, Hub, HubScores, InfoSpiders, Intelligent,
    IntelligentCounts, PageRanks, PathRepository, PlainApprentice, Population, QLinear, QWeights,
    Random, Reinforcement, Saved, SharkSearch, StateError, Strategy, StrategyState, TopicPageRank,
    TrainedPaths,
};
use crate::models::{Inference, TwoClassCounts};

/// Makes a strategy that has the frontier scored again after so many arrivals.
pub type Make = fn(Option<u32>) -> Box<dyn Strategy>;

/// Brings a strategy back from bytes that may come from anywhere.
pub type Resume = fn(&StrategyState, usize) -> Result<Option<Box<dyn Strategy>>, StateError>;

/// A strategy in the registry.
pub struct Descriptor {
    /// The name it is called by.
    pub name: &'static str,
    /// How it chooses links, in a sentence for people.
    pub sentence: &'static str,
    /// One that knows nothing yet and has the frontier scored again after so many arrivals,
    /// or as often as is usual with it. `None` if it has to be trained before.
    pub make: Option<Make>,
    /// The learner whose knowledge it keeps as its own; empty if it learns nothing.
    pub learner: &'static str,
    /// One that goes on from what was learned before, with a vocabulary of so many words;
    /// `None` if nothing there is its own.
    pub resume: Resume,
}

const BY_DISTANCE: &str = "By how many hops from a target their pages look, learned from your \
                           clicks and the last crawl.";
const BY_WORDS: &str = "By the words near them, learned from where such links led.";
const BY_PAGE: &str = "By how good the page is that they stand on.";
const BY_PAGE_HARD: &str = "Only those of good pages, by how good the page is.";
const BY_TARGET: &str = "By how like one of your pages the page is that they stand on.";
const BY_TARGET_HARD: &str = "Only those of good pages, by how like one of yours the page is.";

/// A form of intelligent crawling; all of them share what they count.
macro_rules! by_ratios {
    ($form:expr, $sentence:literal) => {
        Descriptor {
            name: $form.name,
            sentence: $sentence,
            make: Some(|every| {
                let with_batch = |every| Intelligent::every(every, $form);
                Box::new(every.map_or_else(|| Intelligent::new($form), with_batch))
            }),
            learner: IntelligentCounts::LEARNER,
            resume: |state, terms| {
                going_on(state, terms, |counts| {
                    Intelligent::new($form).with_counts(counts)
                })
            },
        }
    };
}

/// All strategies, the default first.
pub static REGISTRY: [Descriptor; 34] = [
    Descriptor {
        name: "ensemble",
        sentence: "By all that is known of them together, weighed by what proved right.",
        make: Some(|every| Box::new(every.map_or_else(Ensemble::default, Ensemble::every))),
        learner: EnsembleState::LEARNER,
        resume: |state, terms| Ok(Some(Box::new(Ensemble::resumed(state, terms)?))),
    },
    Descriptor {
        name: "apprentice",
        sentence: BY_WORDS,
        make: Some(|every| Box::new(every.map_or_else(Apprentice::default, Apprentice::every))),
        learner: TwoClassCounts::LEARNER,
        resume: |state, terms| going_on(state, terms, Apprentice::with_counts),
    },
    Descriptor {
        name: "apprentice-classes",
        sentence: "By the words near them and the classes of the page they stand on, learned \
                   from where such links led.",
        make: Some(|every| {
            let apprentice = every.map_or_else(Apprentice::default, Apprentice::every);
            Box::new(apprentice.with_options(with_classes()))
        }),
        learner: TwoClassCounts::LEARNER,
        resume: |state, terms| {
            let with = |counts| Apprentice::with_counts(counts).with_options(with_classes());
            going_on(state, terms, with)
        },
    },
    Descriptor {
        name: "apprentice-plain",
        sentence: BY_WORDS,
        make: Some(|every| {
            Box::new(every.map_or_else(PlainApprentice::default, PlainApprentice::every))
        }),
        learner: TwoClassCounts::LEARNER,
        resume: |state, terms| going_on(state, terms, PlainApprentice::with_counts),
    },
    by_ratios!(
        Form::ALL,
        "By how much likelier than usual pages are that such pages, addresses and links lead to."
    ),
    by_ratios!(
        Form::PRODUCT,
        "By how much likelier than usual pages are, by the evidence of all pages known to link \
         there."
    ),
    by_ratios!(
        Form::CONTENT,
        "By how much likelier than usual pages are that pages with such words lead to."
    ),
    by_ratios!(
        Form::URL,
        "By how much likelier than usual pages are that have such addresses."
    ),
    by_ratios!(
        Form::LINK,
        "By how much likelier than usual pages are that relevant pages link to."
    ),
    by_ratios!(
        Form::SIBLING,
        "By how much likelier than usual pages were that the other links of a page led to."
    ),
    Descriptor {
        name: "ache",
        sentence: "By what links on the ways to earlier targets had in common.",
        // How often it learns follows from the crawl's budget.
        make: Some(|_| Box::new(Adaptive::new(AdaptiveOptions::default()))),
        learner: PathRepository::LEARNER,
        resume: |state, terms| {
            let new = Adaptive::new(AdaptiveOptions::default());
            going_on(state, terms, |paths| new.and_repository(paths))
        },
    },
    Descriptor {
        name: "ache-offline-online",
        sentence: "By what links on the ways to targets have in common, learned from the last \
                   crawl and your clicks, and on from there.",
        make: None,
        learner: TrainedPaths::LEARNER,
        resume: |state, terms| trained_paths(Configuration::OfflineOnline, state, terms),
    },
    Descriptor {
        name: "ache-offline",
        sentence: "By what links on the ways to targets have in common, learned from the last \
                   crawl and your clicks, and never again.",
        make: None,
        learner: TrainedPaths::LEARNER,
        resume: |state, terms| trained_paths(Configuration::Offline, state, terms),
    },
    fixed(
        "ache-baseline",
        "Those of pages on topic, in the order in which they were found.",
        |_| Box::new(Adaptive::new(AdaptiveOptions::of(Configuration::Baseline))),
    ),
    Descriptor {
        name: "reinforcement",
        sentence: "By how many relevant pages were found behind such links, farther ones \
                   counting less.",
        make: Some(|every| {
            Box::new(every.map_or_else(Reinforcement::default, Reinforcement::every))
        }),
        learner: BinnedValues::LEARNER,
        resume: |state, terms| going_on(state, terms, Reinforcement::with_values),
    },
    Descriptor {
        name: "q-linear",
        sentence: "By the relevance to be expected there and behind it, told by the words near \
                   them and the page they stand on.",
        make: Some(|every| Box::new(every.map_or_else(QLinear::default, QLinear::every))),
        learner: QWeights::LEARNER,
        resume: |state, terms| going_on(state, terms, QLinear::with_weights),
    },
    Descriptor {
        name: "info-spiders",
        sentence: "By what many small searchers think of them, of which those that find \
                   something multiply and the others die out.",
        make: Some(|every| Box::new(every.map_or_else(InfoSpiders::default, InfoSpiders::every))),
        learner: Population::LEARNER,
        resume: |state, terms| going_on(state, terms, InfoSpiders::with_population),
    },
    fixed(
        "shark-search",
        "By how much they and the pages on the way to them resemble your pages.",
        |_| Box::new(SharkSearch),
    ),
    fixed(
        "fish-search",
        "Those of relevant pages first, and never far from one.",
        |_| Box::new(FishSearch::default()),
    ),
    Descriptor {
        name: "hub",
        sentence: "By whether they stand on a page that links to many relevant ones.",
        make: Some(|every| Box::new(every.map_or_else(Hub::default, Hub::every))),
        learner: HubScores::LEARNER,
        resume: |state, terms| going_on(state, terms, Hub::with_scores),
    },
    Descriptor {
        name: "topic-pagerank",
        sentence: "By how often somebody would come there who starts at relevant pages and \
                   follows links at random.",
        make: Some(|every| {
            Box::new(every.map_or_else(TopicPageRank::default, TopicPageRank::every))
        }),
        learner: PageRanks::LEARNER,
        resume: |state, terms| going_on(state, terms, TopicPageRank::with_ranks),
    },
    fixed("best-first", BY_PAGE, |_| Box::new(BestFirst(Focus::Soft))),
    fixed("best-first-hard", BY_PAGE_HARD, |_| {
        Box::new(BestFirst(Focus::Hard))
    }),
    fixed("best-first-cosine", BY_TARGET, |_| {
        Box::new(BestFirst(Focus::Cosine))
    }),
    fixed("best-first-cosine-hard", BY_TARGET_HARD, |_| {
        Box::new(BestFirst(Focus::HardCosine))
    }),
    fixed("breadth-first", "Those nearest to the start first.", |_| {
        Box::new(BreadthFirst)
    }),
    fixed("depth-first", "Those seen last first.", |_| {
        Box::new(DepthFirst)
    }),
    fixed("random", "At random.", |_| Box::new(Random)),
    Descriptor {
        name: "crf",
        sentence: BY_DISTANCE,
        make: None,
        learner: HopChain::LEARNER,
        resume: |state, terms| hop_chain("crf", Inference::Marginal, state, terms),
    },
    Descriptor {
        name: "crf-viterbi",
        sentence: BY_DISTANCE,
        make: None,
        learner: HopChain::LEARNER,
        resume: |state, terms| hop_chain("crf-viterbi", Inference::Viterbi, state, terms),
    },
    Descriptor {
        name: "memm",
        sentence: BY_DISTANCE,
        make: None,
        learner: HopChain::LEARNER,
        resume: |state, terms| hop_chain("memm", Inference::Marginal, state, terms),
    },
    Descriptor {
        name: "memm-viterbi",
        sentence: BY_DISTANCE,
        make: None,
        learner: HopChain::LEARNER,
        resume: |state, terms| hop_chain("memm-viterbi", Inference::Viterbi, state, terms),
    },
    Descriptor {
        name: "hmm",
        sentence: "By how many hops from a target such pages and such links were, learned from \
                   your paths and the last crawl.",
        make: None,
        learner: HopClusters::LEARNER,
        resume: |state, terms| going_on(state, terms, |learned: HopClusters| learned),
    },
    Descriptor {
        name: "context-graph",
        sentence: "By how many hops from a target pages with such words were, learned from the \
                   last crawl.",
        make: None,
        learner: ContextGraph::LEARNER,
        resume: |state, terms| going_on(state, terms, |learned: ContextGraph| learned),
    },
];

/// The apprentice that reads the classes of pages, too.
fn with_classes() -> ApprenticeOptions {
    ApprenticeOptions {
        classes: true,
        ..ApprenticeOptions::default()
    }
}

/// One that learns nothing.
const fn fixed(name: &'static str, sentence: &'static str, make: Make) -> Descriptor {
    Descriptor {
        name,
        sentence,
        make: Some(make),
        learner: "",
        resume: |_, _| Ok(None),
    }
}

/// A strategy that goes on from what its learner knows.
fn going_on<T: Saved, S: Strategy + 'static>(
    state: &StrategyState,
    known_terms: usize,
    with: impl FnOnce(T) -> S,
) -> Result<Option<Box<dyn Strategy>>, StateError> {
    let learned = state.read::<T>(known_terms)?;
    Ok(learned.map(|learned| Box::new(with(learned)) as Box<dyn Strategy>))
}

/// ACHE with the paths that were found before its crawls, and with what those found if it
/// learns on.
fn trained_paths(
    configuration: Configuration,
    state: &StrategyState,
    known_terms: usize,
) -> Result<Option<Box<dyn Strategy>>, StateError> {
    let Some(trained) = state.read::<TrainedPaths>(known_terms)? else {
        return Ok(None);
    };
    let mut ache = Adaptive::new(AdaptiveOptions::of(configuration)).and_trained(trained);
    if configuration == Configuration::OfflineOnline
        && let Some(own) = state.read(known_terms)?
    {
        ache = ache.and_repository(own);
    }
    Ok(Some(Box::new(ache)))
}

fn hop_chain(
    name: &str,
    inference: Inference,
    state: &StrategyState,
    known_terms: usize,
) -> Result<Option<Box<dyn Strategy>>, StateError> {
    let chain = state.read::<HopChain>(known_terms)?;
    let chain = chain.map(|chain| chain.inferring(inference));
    let chain = chain.filter(|chain| chain.profile().name == name);
    Ok(chain.map(|chain| Box::new(chain) as Box<dyn Strategy>))
}

/// The row of a name.
pub fn descriptor(name: &str) -> Option<&'static Descriptor> {
    let name = Form::weighted(name).map_or(name, |form| form.name);
    REGISTRY.iter().find(|row| row.name == name)
}

/// The default.
pub fn default_name() -> &'static str {
    REGISTRY[0].name
}

/// Names of all, the default first.
pub fn all_names() -> Vec<&'static str> {
    REGISTRY.iter().map(|row| row.name).collect()
}

/// Names of those that need no training beforehand, the default first.
pub fn names() -> Vec<&'static str> {
    let rows = REGISTRY.iter().filter(|row| row.make.is_some());
    rows.map(|row| row.name).collect()
}

/// The strategy of that name, knowing nothing yet. Intelligent crawling may have weights
/// behind it, see [`Form::weighted`].
pub fn named(name: &str) -> Option<Box<dyn Strategy>> {
    if let Some(form) = Form::weighted(name) {
        return Some(Box::new(Intelligent::new(form)));
    }
    Some(descriptor(name)?.make?(None))
}

/// The strategy of that name with what was saved of it, where the vocabulary has so many
/// words. An ensemble brings its members along, and takes a model of hop distances in; what
/// was saved of other strategies is left aside. `None` if there is no such strategy, or it
/// has to be trained before and was not.
pub fn from_state(
    name: &str,
    state: &StrategyState,
    known_terms: usize,
) -> Result<Option<Box<dyn Strategy>>, StateError> {
    let Some(row) = descriptor(name) else {
        return Ok(None);
    };
    let resumed = match Form::weighted(name) {
        Some(form) => going_on(state, known_terms, |counts| {
            Intelligent::new(form).with_counts(counts)
        })?,
        None => (row.resume)(state, known_terms)?,
    };
    Ok(resumed.or_else(|| named(name)))
}

/// Reads what a strategy kept, with its members, to see whether it makes sense.
pub fn check_state(state: &StrategyState, known_terms: usize) -> Result<(), StateError> {
    let mut rows = REGISTRY.iter();
    if let Some(row) = rows.find(|row| row.learner == state.owner()) {
        (row.resume)(state, known_terms)?;
    }
    Ok(())
}

//! The registry of strategies: all that shell, bench, dashboard, API and model file know
//! of one. A new strategy is a file and a row here.

use super::{
    Adaptive, AdaptiveOptions, Apprentice, BestFirst, BreadthFirst, Ensemble, EnsembleState,
    Factors, Focus, HopChain, Intelligent, IntelligentCounts, PathRepository, PlainApprentice,
    Random, Strategy,
};
use crate::models::TwoClassCounts;

/// What a strategy has learned, as plain data.
#[derive(Debug, Clone, PartialEq)]
pub enum StrategyState {
    /// It learns nothing.
    Nothing,
    /// The apprentice's counts over `<t,d>`.
    Apprentice(TwoClassCounts),
    /// A model of hop distances.
    HopChain(HopChain),
    /// The interest ratios' counts.
    Intelligent(IntelligentCounts),
    /// ACHE's paths.
    Adaptive(PathRepository),
    /// The ensemble's model and its members' counts.
    Ensemble(Box<EnsembleState>),
}

/// Makes a strategy that has the frontier scored again after so many arrivals.
pub type Make = fn(Option<u32>) -> Box<dyn Strategy>;

/// A strategy in the registry.
pub struct Descriptor {
    /// The name it is called by.
    pub name: &'static str,
    /// How it chooses links, in a sentence for people.
    pub sentence: &'static str,
    /// One that knows nothing yet and has the frontier scored again after so many arrivals,
    /// or as often as is usual with it. `None` if it has to be trained before.
    pub make: Option<Make>,
    /// One that goes on from what it learned before; `None` if that is another's.
    pub resume: fn(StrategyState) -> Option<Box<dyn Strategy>>,
}

const BY_DISTANCE: &str = "By how many hops from a target their pages look, learned from your \
                           clicks and the last crawl.";
const BY_WORDS: &str = "By the words near them, learned from where such links led.";
const BY_PAGE: &str = "By how good the page is that they stand on.";

/// All strategies, the default first.
pub static REGISTRY: [Descriptor; 12] = [
    Descriptor {
        name: "ensemble",
        sentence: "By all that is known of them together, weighed by what proved right.",
        make: Some(|every| Box::new(every.map_or_else(Ensemble::default, Ensemble::every))),
        resume: |state| match state {
            StrategyState::Ensemble(state) => Some(Box::new(Ensemble::with_state(*state))),
            StrategyState::HopChain(hops) => Some(Box::new(Ensemble::default().with_hops(hops))),
            _ => None,
        },
    },
    Descriptor {
        name: "apprentice",
        sentence: BY_WORDS,
        make: Some(|every| Box::new(every.map_or_else(Apprentice::default, Apprentice::every))),
        resume: |state| match state {
            StrategyState::Apprentice(counts) => Some(Box::new(Apprentice::with_counts(counts))),
            _ => None,
        },
    },
    Descriptor {
        name: "apprentice-plain",
        sentence: BY_WORDS,
        make: Some(|every| {
            Box::new(every.map_or_else(PlainApprentice::default, PlainApprentice::every))
        }),
        resume: |state| match state {
            StrategyState::Apprentice(counts) => {
                Some(Box::new(PlainApprentice::with_counts(counts)))
            }
            _ => None,
        },
    },
    Descriptor {
        name: "intelligent",
        sentence: "By how much likelier than usual pages are that such pages, addresses and links \
                   lead to.",
        make: Some(|every| {
            let with_all = |every| Intelligent::every(every, Factors::ALL);
            Box::new(every.map_or_else(Intelligent::default, with_all))
        }),
        resume: |state| match state {
            StrategyState::Intelligent(counts) => Some(Box::new(Intelligent::with_counts(counts))),
            _ => None,
        },
    },
    Descriptor {
        name: "ache",
        sentence: "By what links on the ways to earlier targets had in common.",
        make: Some(|every| {
            let options = every.map_or_else(AdaptiveOptions::default, AdaptiveOptions::every);
            Box::new(Adaptive::new(options))
        }),
        resume: |state| match state {
            StrategyState::Adaptive(paths) => {
                let options = AdaptiveOptions::default();
                Some(Box::new(Adaptive::with_repository(options, paths)))
            }
            _ => None,
        },
    },
    fixed("best-first", BY_PAGE, |_| Box::new(BestFirst(Focus::Soft))),
    fixed("best-first-hard", BY_PAGE, |_| {
        Box::new(BestFirst(Focus::Hard))
    }),
    fixed("best-first-cosine", BY_PAGE, |_| {
        Box::new(BestFirst(Focus::Cosine))
    }),
    fixed("breadth-first", "Those nearest to the start first.", |_| {
        Box::new(BreadthFirst)
    }),
    fixed("random", "At random.", |_| Box::new(Random)),
    Descriptor {
        name: "crf",
        sentence: BY_DISTANCE,
        make: None,
        resume: |state| hop_chain("crf", state),
    },
    Descriptor {
        name: "memm",
        sentence: BY_DISTANCE,
        make: None,
        resume: |state| hop_chain("memm", state),
    },
];

/// One that learns nothing.
const fn fixed(name: &'static str, sentence: &'static str, make: Make) -> Descriptor {
    Descriptor {
        name,
        sentence,
        make: Some(make),
        resume: |_| None,
    }
}

fn hop_chain(name: &str, state: StrategyState) -> Option<Box<dyn Strategy>> {
    match state {
        StrategyState::HopChain(chain) if chain.profile().name == name => Some(Box::new(chain)),
        _ => None,
    }
}

/// The row of a name.
pub fn descriptor(name: &str) -> Option<&'static Descriptor> {
    REGISTRY.iter().find(|row| row.name == name)
}

/// The default.
pub fn default_name() -> &'static str {
    REGISTRY[0].name
}

/// Names of those that need no training beforehand, the default first.
pub fn names() -> Vec<&'static str> {
    let rows = REGISTRY.iter().filter(|row| row.make.is_some());
    rows.map(|row| row.name).collect()
}

/// The strategy of that name, knowing nothing yet.
pub fn named(name: &str) -> Option<Box<dyn Strategy>> {
    Some(descriptor(name)?.make?(None))
}

/// The strategy of that name with what was saved of it. An ensemble brings its
/// members along, and takes a model of hop distances in; what was saved of other
/// strategies is left aside.
pub fn from_state(name: &str, state: StrategyState) -> Option<Box<dyn Strategy>> {
    let state = match state {
        StrategyState::Ensemble(state) if name != "ensemble" => state.member(name),
        state => state,
    };
    let resumed = descriptor(name).and_then(|row| (row.resume)(state));
    resumed.or_else(|| named(name))
}

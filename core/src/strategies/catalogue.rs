//! The strategies by name, and back from what was saved of them.

use super::{
    Adaptive, AdaptiveOptions, Apprentice, BestFirst, BreadthFirst, Ensemble, EnsembleState, Focus,
    HopChain, Intelligent, IntelligentCounts, PathRepository, PlainApprentice, Random, Strategy,
};
use crate::models::TwoClassCounts;

/// Names of all strategies, the default first.
pub const NAMES: [&str; 10] = [
    "ensemble",
    "apprentice",
    "apprentice-plain",
    "intelligent",
    "ache",
    "best-first",
    "best-first-hard",
    "best-first-cosine",
    "breadth-first",
    "random",
];

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

/// The strategy of that name, knowing nothing yet.
pub fn named(name: &str) -> Option<Box<dyn Strategy>> {
    Some(match name {
        "ensemble" => Box::new(Ensemble::default()),
        "apprentice" => Box::new(Apprentice::default()),
        "apprentice-plain" => Box::new(PlainApprentice::default()),
        "intelligent" => Box::new(Intelligent::default()),
        "ache" => Box::new(Adaptive::new(AdaptiveOptions::default())),
        "best-first" => Box::new(BestFirst(Focus::Soft)),
        "best-first-hard" => Box::new(BestFirst(Focus::Hard)),
        "best-first-cosine" => Box::new(BestFirst(Focus::Cosine)),
        "breadth-first" => Box::new(BreadthFirst),
        "random" => Box::new(Random),
        _ => return None,
    })
}

/// The strategy of that name with what was saved of it. An ensemble brings its
/// members along, and takes a model of hop distances in; what was saved of other
/// strategies is left aside.
pub fn from_state(name: &str, state: StrategyState) -> Option<Box<dyn Strategy>> {
    let state = match state {
        StrategyState::Ensemble(state) if name != "ensemble" => state.member(name),
        state => state,
    };
    match (name, state) {
        ("apprentice", StrategyState::Apprentice(counts)) => {
            Some(Box::new(Apprentice::with_counts(counts)))
        }
        ("apprentice-plain", StrategyState::Apprentice(counts)) => {
            Some(Box::new(PlainApprentice::with_counts(counts)))
        }
        ("intelligent", StrategyState::Intelligent(counts)) => {
            Some(Box::new(Intelligent::with_counts(counts)))
        }
        ("ensemble", StrategyState::Ensemble(state)) => {
            Some(Box::new(Ensemble::with_state(*state)))
        }
        ("ensemble", StrategyState::HopChain(hops)) => {
            Some(Box::new(Ensemble::default().with_hops(hops)))
        }
        ("ache", StrategyState::Adaptive(repository)) => {
            let options = AdaptiveOptions::default();
            Some(Box::new(Adaptive::with_repository(options, repository)))
        }
        ("crf" | "memm", StrategyState::HopChain(chain)) if chain.name() == name => {
            Some(Box::new(chain))
        }
        _ => named(name),
    }
}

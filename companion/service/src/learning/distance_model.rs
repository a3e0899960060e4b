//! The models that can be trained for a topic before a strategy goes by them.

use linkscent_core::models::ChainKind;

/// A model of hop distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistanceModel {
    /// A conditional random field or a maximum-entropy Markov model.
    Chain(ChainKind),
    /// A hidden Markov model.
    Hmm,
    /// A context graph. It looks at no paths, only at what pages lie around the targets.
    ContextGraph,
    /// The paths that ACHE begins with.
    AchePaths,
}

impl Default for DistanceModel {
    fn default() -> Self {
        Self::Chain(ChainKind::Crf)
    }
}

impl DistanceModel {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Chain(ChainKind::Crf),
        Self::Chain(ChainKind::Memm),
        Self::Hmm,
        Self::ContextGraph,
        Self::AchePaths,
    ];

    /// The one whose strategy has that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.strategy() == name)
    }

    /// The strategy that goes by it alone.
    pub fn strategy(self) -> &'static str {
        match self {
            Self::Chain(kind) => kind.name(),
            Self::Hmm => "hmm",
            Self::ContextGraph => "context-graph",
            Self::AchePaths => "ache-offline",
        }
    }

    /// The one that a strategy has to have before it can be chosen.
    pub fn needed_by(strategy: &str) -> Option<Self> {
        let model = strategy.trim_end_matches("-viterbi");
        Self::named(model.trim_end_matches("-online"))
    }
}

//! Hop distance: how many clicks a page lies from a target (\[C\] 3). The
//! features that tell it, and the sequences of pages that models of it are
//! trained on.

mod features;
mod likeness;
mod observed;
mod paths;
mod sequences;
mod training_web;

pub use features::{
    FeatureGroups, FeatureIndex, Lookup, PageText, known_features, link_features, page_features,
};
pub use likeness::{LINK_LIKENESS, Likeness, likeness};
pub use observed::Observed;
pub use paths::{BrowsingPath, PathStep};
pub use sequences::{Walk, WalkRules, Walks};
pub use training_web::{Layers, SeenLink, TrainingWeb};

/// Hop distances told apart: 0, 1, 2, 3, and 4 or farther.
pub const STATES: usize = 5;

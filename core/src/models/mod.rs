//! Statistical learners. They know nothing of pages and links: features are
//! numbers, labels are classes.

mod naive_bayes;

pub use naive_bayes::{FeatureCount, TwoClassCounts};

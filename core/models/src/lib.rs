//! Statistical learners. They know nothing of pages and links: features are numbers,
//! labels are classes. Random numbers come from the caller.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod chain;
mod chain_model;
mod chain_weights;
pub mod clusters;
mod crf;
mod decision_tree;
mod ftrl;
pub mod hmm;
pub mod labels;
pub mod layout;
pub mod lbfgs;
mod linear_svm;
mod memm;
mod multinomial;
mod naive_bayes;
mod perceptron;
mod platt;
pub mod rng;
mod sequences;
pub mod svd;

pub use chain_model::{ChainKind, ChainModel, Inference};
pub use chain_weights::{ChainWeights, Potentials, Prior, Scores};
pub use decision_tree::{DecisionTree, Row, TreeNode, TreeParams};
pub use ftrl::{Ftrl, FtrlParams, WeightState};
pub use hmm::Hmm;
pub use linear_svm::LinearSvm;
pub use multinomial::MultinomialBayes;
pub use naive_bayes::{FeatureCount, TwoClassCounts};
pub use perceptron::Perceptron;
pub use platt::Platt;
pub use sequences::{Feature, Sequences};

#[cfg(test)]
mod chain_tests;

//! Statistical learners. They know nothing of pages and links: features are
//! numbers, labels are classes.

mod multinomial;
mod naive_bayes;
mod perceptron;
mod platt;

pub use multinomial::MultinomialBayes;
pub use naive_bayes::{FeatureCount, TwoClassCounts};
pub use perceptron::Perceptron;
pub use platt::Platt;

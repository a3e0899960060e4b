//! Where models meet the store: a topic's model and the distance models, made of what was said, read and
//! crawled; what other crawls remember of sites; and the sentence model.

mod browsing_paths;
pub mod distance_model;
pub mod hop_training;
pub mod sentences;
pub mod site_memory;
pub mod topic_model;

//! The learning behind Linkscent, with nothing of the outside world in it.
//!
//! This crate reads pages, judges them, scores their links and learns from
//! where the links led. It does no I/O, reads no clock, draws no random
//! numbers and knows no JavaScript value: callers pass all of these in. It
//! compiles to `wasm32` as it stands. Two features are the companion's alone: `html`
//! adds the HTML parser, `schema` the description of the API's types.
//!
//! The modules stand in reading order and each imports only from those before
//! it. [`topic_model::TopicModel::visit`] is the sentence that everything serves. What the learners
//! compute, and the papers that are cited as `[A]` to `[D]`, stand in [`methods`].

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[doc = include_str!("../docs/methods.md")]
pub mod methods {}

pub use linkscent_models as models;
pub use linkscent_models::rng;

pub mod budget;

pub mod codec;

pub mod text;

pub mod confidence;

pub mod address;

pub mod dom;

pub mod content;

pub mod page;
pub mod privacy;

pub mod features;
pub mod meaning;

pub mod forms;

pub mod web_graph;

pub mod predicate;

pub mod critics;

pub mod candidate;

pub mod translation;

pub mod hops;

pub mod site_memory;
pub mod strategies;

pub mod topic_model;

pub mod crawl;

pub mod click_attribution;

pub mod wire;

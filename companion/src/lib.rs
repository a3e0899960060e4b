//! The companion as a library, for the program, the tests and the benches.
//!
//! `crawler` fetches, `store` keeps, `topic_guide`, `hop_training` and `page_archive` join
//! them; `service` is what can be asked for, by `api`, `dashboard` and `commands`, the
//! shell. Pages as bytes are a crate of their own, `archive`, and so is the `bench`.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate linkscent_output;

mod api;
mod browsing_paths;
#[cfg(test)]
mod budget_tests;
pub mod clock;
pub mod commands;
pub mod crawler;
mod dashboard;
pub mod distance_model;
pub mod hop_training;
pub mod mcp;
mod page_archive;
pub mod priority;
mod research;
mod secret;
mod sentence_model;
pub mod service;
pub mod settings;
pub mod site_memory;
pub mod store;
pub mod tls;
pub mod topic_guide;
pub mod traces;

/// A crawl keeps millions of small things for long, between blocks that come and go: with the system's
/// allocator it came to hold three times the memory that was in use.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

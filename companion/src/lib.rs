//! The companion as a library, for the program, the tests and the benches.
//!
//! `web` knows bytes, `crawler` fetches, `store` keeps, `topic_guide`, `ways`,
//! `results` and `running` join them, `api` and `dashboard` show; `eval` is the bench,
//! `taxonomy` makes topics for it; `commands` is the shell.

mod api;
pub mod clock;
pub mod commands;
pub mod crawler;
mod dashboard;
pub mod eval;
mod forgetting;
pub mod form_examples;
pub mod hop_training;
mod memory;
mod results;
mod running;
mod secret;
mod sequences_file;
mod settings;
pub mod store;
mod taxonomy;
pub mod topic_guide;
pub mod web;

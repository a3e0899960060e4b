//! The companion as a library, for the program, the tests and the benches.
//!
//! `web` knows bytes, `crawler` fetches, `store` keeps, `topic_guide`, `hop_training` and
//! `page_archive` join them; `service` is what can be asked for, by `api`, `dashboard` and
//! `commands`, the shell; `eval` is the bench, `taxonomy` makes topics for it.

mod api;
pub mod clock;
pub mod commands;
pub mod crawler;
mod dashboard;
pub mod eval;
pub mod form_examples;
pub mod hop_training;
mod memory;
mod page_archive;
mod secret;
mod sequences_file;
pub mod service;
pub mod settings;
pub mod store;
mod taxonomy;
pub mod topic_guide;
pub mod web;

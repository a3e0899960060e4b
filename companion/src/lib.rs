//! The companion's command line, for the program and the benches. What it does lies in crates of their own:
//! `store` keeps, `service` crawls and answers, `server` shows it to browsers and to other programs.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate linkscent_output;

#[cfg(test)]
mod budget_tests;
pub mod commands;
pub mod settings;

/// A crawl keeps millions of small things for long, between blocks that come and go: with the system's
/// allocator it came to hold three times the memory that was in use.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

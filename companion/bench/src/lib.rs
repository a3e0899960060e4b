//! The bench: crawls on frozen webs, in this process, with a clock of their
//! own, so that every strategy meets the same web and a fetch costs one
//! (\[A\] 3, methods 4).
//!
//! A web is read once ([`web`]); what is relevant is settled before any crawl
//! ([`topic`]) and told to the strategies as a critic would tell it
//! ([`frozen_critic`]); an [`entrant`] makes a crawl ([`crawl`], [`oracle`]);
//! what it fetched is written down ([`visits`]), and every figure is computed
//! from there ([`figures`]). A strategy is one line in [`entrant`]; a figure
//! one line in [`figures`].

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate linkscent_output;

pub mod bench;
pub mod commands;
pub mod crawl;
pub mod entrant;
pub mod experiments;
pub mod figures;
pub mod forms;
pub mod frozen_critic;
mod insight;
pub mod next_click;
pub mod oracle;
pub mod own_critic;
mod parts;
pub mod person;
pub mod readme;
pub mod report;
pub mod scenario;
pub mod sentences;
mod teaching;
pub mod topic;
pub mod topic_file;
pub mod visits;
pub mod web;

#[cfg(test)]
mod tests;

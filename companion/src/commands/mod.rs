//! The command line, a file each command.

use linkscent_core::critics;
use linkscent_core::predicate::PredicateError;

pub mod ahead;
pub mod backup;
pub mod check;
pub mod config;
pub mod crawl;
pub mod demo;
pub mod export;
pub mod import;
pub mod inspect;
mod intake;
pub mod log;
pub mod mcp;
pub mod model;
mod network;
pub mod repair;
pub mod replay;
pub mod search;
pub mod serve;
pub mod shell;
pub mod tag;
pub mod token;
pub mod train;
pub mod verify;
pub mod watch;

/// The name of a critic, a predicate, or good nodes of a taxonomy, as it is kept.
fn critic(text: &str) -> Result<String, PredicateError> {
    critics::as_kept(text)
}

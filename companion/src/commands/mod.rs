//! The command line, a file each command.

use linkscent_core::critics;
use linkscent_core::predicate::{Predicate, PredicateError};

pub mod config;
pub mod crawl;
pub mod demo;
pub mod inspect;
pub mod log;
mod network;
pub mod repair;
pub mod replay;
pub mod serve;
pub mod shell;
pub mod train;

/// The name of a critic, or a predicate, as it is kept.
fn critic(text: &str) -> Result<String, PredicateError> {
    if critics::NAMES.contains(&text) {
        return Ok(text.to_owned());
    }
    let predicate: Predicate = text.parse()?;
    Ok(predicate.to_string())
}

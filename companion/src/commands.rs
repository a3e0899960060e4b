//! The command line, a file each command.

use std::future::pending;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use linkscent_core::crawl::Reaction;
use linkscent_core::critics;
use linkscent_core::predicate::PredicateError;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

pub mod config;
pub mod crawl;
pub mod data;
pub mod demo;
pub mod export;
pub mod import;
pub mod inspect;
mod interrupt;
pub mod log;
pub mod mcp;
mod network;
mod place;
pub mod renamed;
pub mod replay;
pub mod search;
pub mod serve;
mod shell;
pub mod sites;
pub mod tag;
#[cfg(feature = "team")]
pub mod team;
pub mod token;
pub mod train;
pub mod verify;

/// Waits until the program is told to end: by Ctrl-C, or by what service managers send.
async fn told_to_end() {
    let by_keys = async {
        if tokio::signal::ctrl_c().await.is_err() {
            pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let by_manager = async {
        match signal(SignalKind::terminate()) {
            Ok(mut told) => drop(told.recv().await),
            Err(_) => pending().await,
        }
    };
    #[cfg(not(unix))]
    let by_manager = pending();
    tokio::select! {
        () = by_keys => {}
        () = by_manager => {}
    }
}

/// The name of a critic, a predicate, or good nodes of a taxonomy, as it is kept.
fn critic(text: &str) -> Result<String, PredicateError> {
    critics::as_asked(text)
}

/// Reads what a crawl does when it loses its way.
fn reaction() -> impl TypedValueParser<Value = Reaction> {
    let named = |reaction: Reaction| {
        match reaction {
        Reaction::Tell => PossibleValue::new(reaction.code()).help("It says so and goes on"),
        Reaction::Restrict => PossibleValue::new(reaction.code())
            .help(
                "It leaves sites full of spam, or keeps closer to what is known to be good for a while",
            )
            .alias("narrow"),
        Reaction::Pause => PossibleValue::new(reaction.code()).help("It pauses"),
    }
    };
    let names = PossibleValuesParser::new(Reaction::ALL.map(named));
    names.map(|name| match &*name {
        "narrow" => Reaction::Restrict,
        name => Reaction::of(name),
    })
}

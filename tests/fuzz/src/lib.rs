//! Fuzz targets: one function for each kind of foreign input, with the promises that every input
//! must keep.
//!
//! A target takes any bytes and must return. It panics when a promise is broken: what was written
//! is read back the same, a canonical form stays as it is, an output keeps within its bound.
//!
//! The check runs each target over its kept corpus and over a fixed number of mutations of it
//! ([`mutation`]). The nested workspace `coverage` runs the same functions under libFuzzer, for as
//! long as one likes. Inputs that broke something, or reached new code, are kept in `corpus`.

pub mod corpus;
mod input;
pub mod mutation;
mod targets;

pub use targets::seeds;

/// A function for one kind of foreign input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name of the target, its corpus folder and its libFuzzer program.
    pub name: &'static str,
    /// Runs one input. It panics if the input breaks a promise.
    pub run: fn(&[u8]),
    /// Inputs that one mutation run of the check tries.
    pub mutations: u32,
}

/// All targets.
pub const TARGETS: [Target; 14] = [
    target("address", targets::address::run, 6_000),
    target("archive", targets::archive::run, 1_500),
    target("channel", targets::channel::run, 300),
    target("document", targets::document::run, 1_500),
    target("html", targets::html::run, 120),
    target("list", targets::list::run, 3_000),
    target("message", targets::message::run, 3_000),
    target("model", targets::model::run, 300),
    target("pdf", targets::pdf::run, 400),
    target("predicate", targets::predicate::run, 1_500),
    target("query", targets::query::run, 150),
    target("record", targets::record::run, 1_500),
    target("robots", targets::robots::run, 3_000),
    target("warc", targets::warc::run, 1_500),
];

const fn target(name: &'static str, run: fn(&[u8]), mutations: u32) -> Target {
    Target {
        name,
        run,
        mutations,
    }
}

/// Runs the target of a name over one input.
///
/// # Panics
///
/// If there is no such target, or the input breaks a promise.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.unwrap_or_else(|| panic!("there is no target {name}"));
    (target.run)(data);
}

//! Commands on the data folder: checks, copies, moves, and what is too much.

#[cfg(feature = "team")]
pub mod archives;
pub mod backup;
pub mod check;
#[cfg(feature = "team")]
pub mod migrate;
pub mod prune;
pub mod repair;

//! Commands on the data folder: checks, copies, moves, and what is too much.

pub mod archives;
pub mod backup;
pub mod check;
pub mod migrate;
pub mod prune;
pub mod repair;

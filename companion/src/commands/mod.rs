//! The command line, a file each command.

pub mod crawl;
pub mod demo;
pub mod eval;
pub mod import;
pub mod inspect;
pub mod replay;
pub mod serve;
pub mod train;
pub mod train_forms;
mod train_hops;

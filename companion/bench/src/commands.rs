//! The commands of the laboratory, a file each.

pub mod eval;
pub mod train;
pub mod train_forms;
pub mod train_links;

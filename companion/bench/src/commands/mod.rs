//! The commands of the bench, a file each: `eval`, `train` and `import`.

pub mod eval;
pub mod train;
pub mod train_forms;

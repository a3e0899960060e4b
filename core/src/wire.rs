//! Everything that leaves the process as bytes, but for what learners keep, which they
//! write themselves.
//!
//! Outward types are types of their own; what comes in is checked before it
//! becomes one of the core's. Four kinds: the page snapshot from a live DOM,
//! views for screens, the model file, and the types of the companion's API. How a
//! browser and its companion come to trust each other, and talk, is here too.

pub mod api;
pub mod channel;
pub mod crawl_state;
pub mod model_file;
pub mod pairing;
pub mod snapshot;
pub mod views;

pub use crawl_state::CrawlState;
pub use model_file::{ModelError, read_model, read_taxonomy, write_model, write_taxonomy};
pub use snapshot::{Snapshot, SnapshotError};

//! The crawler: drives a session with real requests.

mod answers;
mod body;
mod checkpoint;
pub mod documents;
mod exchange;
#[cfg(any(test, feature = "fixtures"))]
pub mod fake_web;
mod faults;
pub mod fetch;
mod names;
pub mod outages;
mod records;
pub mod replay;
pub mod reply;
mod requests;
mod retraining;
mod revisiting;
pub mod runner;
pub mod ssrf_guard;
mod start;
#[cfg(test)]
mod tests;
mod turn;
pub mod validators;
pub mod verify;
pub mod way;
pub mod workers;

pub use checkpoint::delete as delete_checkpoint;
pub use replay::DAMAGED;
pub use start::{TakenUp, take_up};

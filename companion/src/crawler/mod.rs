//! The crawler: drives a session with real requests.

pub mod fetch;
pub mod gate;
pub mod runner;

//! The crawler: drives a session with real requests.

pub mod fetch;
pub mod gate;
pub mod recall;
pub mod runner;
mod start;

//! The crawler: drives a session with real requests.

pub mod fetch;
pub mod replay;
pub mod runner;
pub mod ssrf_guard;
mod start;

#[cfg(test)]
mod tests;

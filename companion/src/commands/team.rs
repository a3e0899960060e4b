//! Commands for several people and several machines.

pub mod account;
pub(in crate::commands) mod provider;
pub mod work;

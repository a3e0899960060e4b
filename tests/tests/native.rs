//! Tests of the companion, the shell and the package, without a browser. `cargo verify` runs them beside
//! each other.

mod access_control;
mod crash_recovery;
mod demo;
mod documents;
mod drift;
mod faults;
mod foreign_text;
mod forms;
mod highlights;
mod imports;
mod library_kills;
mod manners;
mod mcp;
mod networks;
mod package;
mod politeness;
mod postgres;
mod programs;
mod repeats;
mod robots_files;
mod slow_clients;
mod soak;
mod suites;
mod traces;
mod traps;
mod url_cases;

//! What browsers and other programs reach of the companion: the API of the extension, the dashboard, and
//! the Model Context Protocol. It knows HTTP, and asks the services for everything.

#![warn(clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
extern crate linkscent_output;

pub mod api;
pub mod dashboard;
pub mod mcp;

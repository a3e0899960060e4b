//! The only way of text to standard output, standard error and logs.
//!
//! Titles, addresses, snippets, names and error messages can hold text that strangers wrote. Some
//! characters steer a terminal, turn the direction of text, or are not seen at all. Every function
//! here writes them as escapes such as `\u{1b}`, whatever the text came from:
//!
//! - [`print_line!`] prints one line. A newline within it is escaped, so no text can forge a line.
//! - [`print_lines!`] prints several lines. Text of others within them has to be [`Foreign`].
//! - [`message!`] tells something on standard error. Further lines of it are indented.
//! - [`print_error`] tells what is wrong with the arguments of a command.
//! - [`print_json`] prints a value as JSON, on one line.
//! - [`file_on_stdout`] takes a whole file: as it is, or escaped where a terminal shows it.
//! - [`log`] and [`json_log`] take log entries.
//! - [`protocol_on_stdout`] takes bytes for another program, which are not escaped.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod escaping;
mod file;
mod foreign;
mod json;
mod log;
pub mod memory;
mod panics;
mod terminal;

pub use file::file_on_stdout;
pub use foreign::Foreign;
pub use json::print_json;
pub use log::{Log, json_log, log};
pub use panics::report_panics;
pub use terminal::{message, print_error, print_line, print_lines, protocol_on_stdout};

/// Prints one line on standard output. Takes arguments as `println!` does.
#[macro_export]
macro_rules! print_line {
    ($($argument:tt)*) => {
        $crate::print_line(format_args!($($argument)*))
    };
}

/// Prints several lines on standard output. Text of others in them has to be
/// [`Foreign`](crate::Foreign).
#[macro_export]
macro_rules! print_lines {
    ($($argument:tt)*) => {
        $crate::print_lines(format_args!($($argument)*))
    };
}

/// Tells something on standard error. Takes arguments as `eprintln!` does.
#[macro_export]
macro_rules! message {
    ($($argument:tt)*) => {
        $crate::message(format_args!($($argument)*))
    };
}

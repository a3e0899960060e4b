//! Lines on standard output and standard error.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what is printed here has been escaped"
)]

use std::fmt::{Arguments, Display};
use std::io::{Stdout, stdout};

use crate::escaping::{Newlines, escaped};

/// Prints one line on standard output.
pub fn print_line(line: Arguments<'_>) {
    println!("{}", escaped(line, Newlines::Escaped));
}

/// Prints several lines on standard output.
pub fn print_lines(lines: Arguments<'_>) {
    println!("{}", escaped(lines, Newlines::Kept));
}

/// Tells something on standard error; further lines of it are indented.
pub fn message(text: Arguments<'_>) {
    eprintln!("{}", escaped(text, Newlines::Indented));
}

/// Tells what is wrong with the arguments, in the lines that its author chose.
pub fn print_error(error: &impl Display) {
    eprint!("{}", escaped(format_args!("{error}"), Newlines::Kept));
}

/// Prints text that has been escaped.
pub(crate) fn print_escaped(line: &str) {
    println!("{line}");
}

/// Tells text that has been escaped.
pub(crate) fn tell_escaped(line: &str) {
    eprintln!("{line}");
}

/// Standard output for the bytes of a protocol between programs. No terminal shows it, so nothing
/// is escaped.
pub fn protocol_on_stdout() -> Stdout {
    stdout()
}

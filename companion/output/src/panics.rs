//! Panics, whose messages can quote a page.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::set_hook;
use std::thread;

use crate::terminal::message;

/// Reports panics by [`message!`](crate::message!) from now on.
pub fn report_panics() {
    set_hook(Box::new(|panic| {
        let thread = thread::current();
        let name = thread.name().unwrap_or("without a name");
        message(format_args!("thread {name} {panic}"));
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            message(format_args!("{backtrace}"));
        }
    }));
}

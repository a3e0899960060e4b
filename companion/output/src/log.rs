//! Log entries on standard error.

use std::io::{self, Write};

use crate::escaping::{Newlines, escaped};
use crate::json::escaped_json;
use crate::terminal::tell_escaped;

/// A writer of log entries, each of them in one call of `write`.
#[derive(Debug, Clone, Copy)]
pub struct Log {
    is_json: bool,
}

/// A writer of log entries for people. An entry takes one line, whatever it quotes.
pub fn log() -> Log {
    Log { is_json: false }
}

/// A writer of log entries that are JSON.
pub fn json_log() -> Log {
    Log { is_json: true }
}

impl Log {
    fn line(self, entry: &[u8]) -> String {
        let entry = String::from_utf8_lossy(entry);
        let entry = entry.strip_suffix('\n').unwrap_or(&entry);
        if self.is_json {
            escaped_json(entry)
        } else {
            escaped(format_args!("{entry}"), Newlines::Escaped)
        }
    }
}

impl Write for Log {
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        tell_escaped(&self.line(entry));
        Ok(entry.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_one_line() {
        let entry = "INFO page=\u{1b}[2J\n2026-01-01 INFO forged\n";
        let line = log().line(entry.as_bytes());
        assert_eq!(line, "INFO page=\\u{1b}[2J\\n2026-01-01 INFO forged");
        let line = json_log().line("{\"page\":\"\u{202e}\"}\n".as_bytes());
        assert_eq!(line, "{\"page\":\"\\u202e\"}");
    }
}

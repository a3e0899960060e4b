//! Whole files on standard output.

use std::io::{self, IsTerminal, Write, stdout};

use crate::escaping::{Newlines, escaped};

/// Standard output for a whole file. Programs and other files get it as it is; a terminal gets its
/// hidden characters escaped.
pub fn file_on_stdout() -> Box<dyn Write + Send> {
    let out = stdout();
    if out.is_terminal() {
        Box::new(OnTerminal::new(out))
    } else {
        Box::new(out)
    }
}

/// Escapes the hidden characters of a file on its way to a terminal.
struct OnTerminal<W> {
    out: W,
    /// Bytes of a character whose rest is still to come.
    begun: Vec<u8>,
}

impl<W: Write> OnTerminal<W> {
    fn new(out: W) -> Self {
        Self {
            out,
            begun: Vec::new(),
        }
    }

    fn show(&mut self, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        let text = escaped(format_args!("{text}"), Newlines::Kept);
        self.out.write_all(text.as_bytes())
    }
}

impl<W: Write> Write for OnTerminal<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut whole = std::mem::take(&mut self.begun);
        whole.extend_from_slice(bytes);
        self.begun = whole.split_off(end_of_whole_characters(&whole));
        self.show(&whole)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let begun = std::mem::take(&mut self.begun);
        self.show(&begun)?;
        self.out.flush()
    }
}

/// Where the last character begins if its bytes are not all there, else the end.
fn end_of_whole_characters(bytes: &[u8]) -> usize {
    let Some(last) = bytes.utf8_chunks().last() else {
        return bytes.len();
    };
    let rest = last.invalid();
    let is_begun = std::str::from_utf8(rest).is_err_and(|error| error.error_len().is_none());
    bytes.len() - if is_begun { rest.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_hidden_character_however_it_is_cut() {
        let file = "tïtle,\u{1b}[2J \u{9b}31m 城\t\u{202e}\n".as_bytes();
        for size in 1..file.len() {
            let mut terminal = OnTerminal::new(Vec::new());
            for piece in file.chunks(size) {
                terminal.write_all(piece).unwrap();
            }
            terminal.flush().unwrap();
            let shown = String::from_utf8(terminal.out).unwrap();
            assert_eq!(shown, "tïtle,\\u{1b}[2J \\u{9b}31m 城\t\\u{202e}\n");
        }
        let mut terminal = OnTerminal::new(Vec::new());
        terminal.write_all(b"\x9b\xffa\xc3").unwrap();
        terminal.flush().unwrap();
        assert_eq!(
            String::from_utf8(terminal.out).unwrap(),
            "\u{fffd}\u{fffd}a\u{fffd}"
        );
    }
}

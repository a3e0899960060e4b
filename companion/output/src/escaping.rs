//! Characters that are not shown as they are, and how they are written instead.

use std::fmt::{self, Write};

use linkscent_core::text::is_hidden;

/// Whether a character joins two others. After a letter of ASCII it joins nothing, and only hides.
fn is_joiner(sign: char) -> bool {
    matches!(sign, '\u{200c}' | '\u{200d}')
}

/// What becomes of a newline within a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Newlines {
    /// It is escaped as other characters are.
    Escaped,
    /// It is kept, and the next line is indented.
    Indented,
    /// It is kept, as tabs are.
    Kept,
}

/// Escapes hidden characters on their way into another writer.
pub(crate) struct Escaping<W> {
    out: W,
    newlines: Newlines,
    previous: char,
}

impl<W: Write> Escaping<W> {
    pub(crate) fn new(out: W, newlines: Newlines) -> Self {
        Self {
            out,
            newlines,
            previous: ' ',
        }
    }

    fn sign(&mut self, sign: char) -> fmt::Result {
        let joins_nothing = is_joiner(sign) && self.previous.is_ascii();
        self.previous = sign;
        match (sign, self.newlines) {
            ('\n', Newlines::Indented) => self.out.write_str("\n    "),
            ('\n' | '\t', Newlines::Kept) => self.out.write_char(sign),
            _ if is_hidden(sign) || joins_nothing => write!(self.out, "{}", sign.escape_default()),
            _ => self.out.write_char(sign),
        }
    }
}

impl<W: Write> Write for Escaping<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|sign| self.sign(sign))
    }
}

/// A text with its hidden characters escaped.
pub(crate) fn escaped(text: fmt::Arguments<'_>, newlines: Newlines) -> String {
    let mut out = String::new();
    let mut escaping = Escaping::new(&mut out, newlines);
    // A value that cannot be displayed ends the text.
    let _ = escaping.write_fmt(text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_hidden_is_shown() {
        let hidden = "\u{1b}]52;c;x\u{7} \r\u{8} \u{9b}31m \u{202e}\u{2066}\u{200f}\u{61c} \
                      \u{200b}\u{2060}\u{feff} \u{e0041}\u{e007f} \u{2028}\u{85}\u{7f} a\u{200d}b";
        let shown = escaped(format_args!("{hidden}"), Newlines::Kept);
        let expected = "\\u{1b}]52;c;x\\u{7} \\r\\u{8} \\u{9b}31m \
                        \\u{202e}\\u{2066}\\u{200f}\\u{61c} \\u{200b}\\u{2060}\\u{feff} \
                        \\u{e0041}\\u{e007f} \\u{2028}\\u{85}\\u{7f} a\\u{200d}b";
        assert_eq!(shown, expected);
        assert!(!shown.contains(is_hidden));
    }

    #[test]
    fn text_of_people_stays_as_it_is() {
        let text = "Burg Größe 城 «قلعه» می\u{200c}خواهم 👩\u{200d}⚕\u{fe0f} c:\\castle \"x\"";
        assert_eq!(escaped(format_args!("{text}"), Newlines::Escaped), text);
    }

    #[test]
    fn newlines_are_escaped_indented_or_kept() {
        for (newlines, expected) in [
            (Newlines::Escaped, "a\\nb\\tc"),
            (Newlines::Indented, "a\n    b\\tc"),
            (Newlines::Kept, "a\nb\tc"),
        ] {
            assert_eq!(escaped(format_args!("a\nb\tc"), newlines), expected);
        }
    }
}

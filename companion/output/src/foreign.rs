//! Text that strangers wrote.

use std::fmt::{self, Display, Formatter, Write};

use crate::escaping::{Escaping, Newlines, escaped};

/// Text that others wrote, such as a page's title. It is displayed on one line, with every hidden
/// character escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign<T>(pub T);

impl<T: Display> Display for Foreign<T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if formatter.width().is_some() || formatter.precision().is_some() {
            return formatter.pad(&escaped(format_args!("{}", self.0), Newlines::Escaped));
        }
        let is_alternate = formatter.alternate();
        let mut escaping = Escaping::new(formatter, Newlines::Escaped);
        if is_alternate {
            write!(escaping, "{:#}", self.0)
        } else {
            write!(escaping, "{}", self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fills_one_line_and_no_more() {
        let title = Foreign("a\u{1b}[2J\nlinkscent: all is well");
        assert_eq!(format!("{title}"), "a\\u{1b}[2J\\nlinkscent: all is well");
        assert_eq!(
            format!("{:>4}|{:.1}", Foreign("\n"), Foreign("ab")),
            "  \\n|a"
        );
    }
}

//! JSON in which nothing is hidden.

use std::fmt::Write;
use std::io;

use linkscent_core::text::is_hidden;
use serde::Serialize;

use crate::terminal::print_escaped;

/// Prints a value as JSON, on one line. Hidden characters are escaped as JSON has it, so programs
/// read the same value.
pub fn print_json<T: Serialize + ?Sized>(value: &T) -> io::Result<()> {
    print_escaped(&escaped_json(&serde_json::to_string(value)?));
    Ok(())
}

/// JSON with its hidden characters escaped. Outside of strings JSON has none but white space.
pub(crate) fn escaped_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for sign in json.chars() {
        if is_hidden(sign) || matches!(sign, '\u{200c}' | '\u{200d}') {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(sign);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_is_read_and_nothing_is_hidden() {
        let value = "\u{1b}]0;x\u{7}\n\u{7f}\u{9b}31m\u{202e}\u{200b}\u{e0041} \"Größe\" 城";
        let written = escaped_json(&serde_json::to_string(value).unwrap());
        assert!(!written.contains(is_hidden), "{written}");
        assert!(written.contains("\\udb40\\udc41"), "{written}");
        assert!(written.contains("Größe\\\" 城"), "{written}");
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), value);
    }
}

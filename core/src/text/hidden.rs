//! Characters that nobody sees.

/// Whether a character steers a terminal, turns the direction of text, or is not seen: control
/// characters, marks of direction, separators of lines, characters without width and tags.
///
/// Newlines and tabs count. The joiners of Persian, Indic scripts and emoji do not.
pub fn is_hidden(sign: char) -> bool {
    matches!(
        sign,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// A text on one line without hidden characters, for places that show text as it is, such as a
/// notification of the system.
pub fn plain_line(text: &str) -> String {
    let plain = text.chars().filter_map(|sign| match sign {
        sign if sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}') => Some(' '),
        sign => Some(sign).filter(|sign| !is_hidden(*sign)),
    });
    super::fold_space(&plain.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_line_shows_all_that_it_has() {
        let hostile = "Castles\n\u{1b}[2J\u{9b}\u{202e}\u{200b}\u{e0041}\u{feff}\u{2028}of Rhodes";
        assert_eq!(plain_line(hostile), "Castles [2J of Rhodes");
        let text = "Größe 城 می\u{200c}خواهم 👩\u{200d}⚕\u{fe0f}";
        assert_eq!(plain_line(text), text);
    }
}

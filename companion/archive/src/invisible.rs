//! Characters that nobody sees: what is hidden in them would be read by programs, or turn around how
//! a text is displayed.

/// A text without invisible characters. Joiners stay between letters that they join, as in Persian.
pub fn without_invisible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for sign in text.chars() {
        let is_kept = match sign {
            '\u{200c}' | '\u{200d}' => {
                let before = visible.chars().next_back();
                before.is_some_and(|before| !before.is_ascii() && !is_invisible(before))
            }
            sign => !is_invisible(sign),
        };
        if is_kept {
            visible.push(sign);
        }
    }
    visible
}

/// Whether a character is displayed as nothing: Unicode's default-ignorable ones and those that only
/// say how others are displayed.
pub fn is_invisible(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_left_out() {
        let hidden: String = "ignore all"
            .chars()
            .map(|sign| char::from_u32(0xe0000 + u32::from(sign)).unwrap_or_default())
            .collect();
        for text in [
            format!("a{hidden}b"),
            "a\u{200b}\u{2060}b\u{feff}".to_owned(),
            "\u{202e}a\u{2066}\u{61c}b".to_owned(),
            "a\u{fe0f}\u{e0100}b\u{ad}".to_owned(),
            "a\u{200d}b\u{200c}".to_owned(),
        ] {
            assert_eq!(without_invisible(&text), "ab", "{text:?}");
        }
        // Persian keeps what parts its letters, and no chain of such signs hides anything.
        let persian = "می\u{200c}خواهم";
        assert_eq!(without_invisible(persian), persian);
        let chain = format!("می{}", "\u{200c}\u{200d}".repeat(50));
        assert_eq!(without_invisible(&chain).chars().count(), 3);
    }
}

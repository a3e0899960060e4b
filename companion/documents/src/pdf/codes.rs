//! What the letters of drawn fonts (Type 3) mean that do not say it themselves. Most are bitmaps
//! that TeX made before it used outlines, as in many old papers, so their codes are taken for
//! those of TeX's text fonts (OT1), which are ASCII for the most part. Codes beyond are nobody's.

/// The letter of a code.
pub(super) fn letter(code: u32) -> Option<String> {
    /// From 11.
    const LOW: [&str; 21] = [
        "ff", "fi", "fl", "ffi", "ffl", "ı", "ȷ", "`", "´", "ˇ", "˘", "¯", "˚", "¸", "ß", "æ", "œ",
        "ø", "Æ", "Œ", "Ø",
    ];
    let sign = char::from_u32(code)?;
    Some(match sign {
        '\u{b}'..='\u{1f}' => LOW[code as usize - 11].to_owned(),
        '"' => "”".to_owned(),
        '<' => "¡".to_owned(),
        '>' => "¿".to_owned(),
        '\\' => "“".to_owned(),
        '^' => "ˆ".to_owned(),
        '_' => "˙".to_owned(),
        '{' => "–".to_owned(),
        '|' => "—".to_owned(),
        '}' => "˝".to_owned(),
        '~' => "˜".to_owned(),
        '\u{7f}' => "¨".to_owned(),
        '!'..='~' => sign.into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_text_fonts_of_tex() {
        let codes = [
            100, 101, 12, 110, 105, 116, 105, 111, 110, 123, 0x1f, 0x80, 0,
        ];
        let letters: String = codes.into_iter().filter_map(letter).collect();
        assert_eq!(letters, "definition–Ø");
    }
}

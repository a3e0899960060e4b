//! Accents that are drawn as signs of their own, over or under a letter, as TeX did for long:
//! `´` and `e` at one place are `é`.

use unicode_normalization::char::compose;

/// The mark that an accent is when it stands over or under a letter.
pub(super) fn mark(sign: &str) -> Option<char> {
    Some(match sign {
        "`" | "\u{2cb}" => '\u{300}',
        "´" | "\u{2ca}" => '\u{301}',
        "ˆ" | "^" => '\u{302}',
        "˜" | "~" => '\u{303}',
        "¯" | "ˉ" => '\u{304}',
        "˘" => '\u{306}',
        "˙" => '\u{307}',
        "¨" => '\u{308}',
        "˚" => '\u{30a}',
        "˝" => '\u{30b}',
        "ˇ" => '\u{30c}',
        "¸" => '\u{327}',
        "˛" => '\u{328}',
        _ => return None,
    })
}

/// A letter with a mark. Where there is none such, the mark follows it.
pub(super) fn with_mark(letter: char, mark: char) -> String {
    // Accents are set over letters that have no dot.
    let plain = match letter {
        'ı' => 'i',
        'ȷ' => 'j',
        letter => letter,
    };
    match compose(plain, mark) {
        Some(whole) => whole.into(),
        None => [plain, mark].iter().collect(),
    }
}

//! Style sheets that cannot fetch anything.

/// Parts of every way in which CSS can name another file. A backslash can spell any of them, and
/// `<` could end the sheet.
const REFERRING: [&str; 8] = [
    "\\",
    "<",
    "@import",
    "@font-face",
    "url",
    "src",
    "image",
    "attr(",
];

/// Whether a style sheet, or a part of it, names no other file.
pub(super) fn is_inert(css: &str) -> bool {
    let css = css.to_ascii_lowercase();
    !REFERRING.iter().any(|word| css.contains(word))
}

/// The declarations of a `style` attribute that name no other file.
pub(super) fn inert_declarations(style: &str) -> String {
    let kept = style.split(';').filter(|declaration| is_inert(declaration));
    let kept: Vec<&str> = kept.map(str::trim).filter(|one| !one.is_empty()).collect();
    kept.join(";")
}

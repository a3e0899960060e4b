//! The title a PDF gives itself, and whether it is one.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Dict, Stream};

use crate::xml::{Part, Xml};

/// Bytes of the description (XMP) that are read.
const LARGEST: usize = 1 << 20;
/// Endings of titles that are names of files.
const FILES: [&str; 16] = [
    ".doc", ".docx", ".dvi", ".eps", ".fm", ".htm", ".html", ".indd", ".odt", ".pdf", ".ppt",
    ".pptx", ".ps", ".qxd", ".tex", ".txt",
];

/// The title by the document's information or its description (XMP), if it says anything:
/// programs put names of files there.
pub(super) fn of(pdf: &Pdf, catalog: Option<&Dict<'_>>) -> Option<String> {
    let information = pdf.metadata().title.as_deref().map(decode);
    information.as_deref().and_then(sensible).or_else(|| {
        let stream = catalog?.get::<Stream<'_>>("Metadata")?;
        let bytes = stream.decoded().ok()?;
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LARGEST)]);
        sensible(&described(&text)?)
    })
}

/// `dc:title` of a description.
fn described(text: &str) -> Option<String> {
    let mut xml = Xml::new(text);
    while let Ok(Some(part)) = xml.next() {
        if let Part::Open(element) = part
            && (element.prefix(), &*element.name) == ("dc", "title")
        {
            return xml.text().ok();
        }
    }
    None
}

fn sensible(title: &str) -> Option<String> {
    let title = title.trim();
    let programs = ["Microsoft Word - ", "Microsoft PowerPoint - "];
    let title = programs
        .iter()
        .find_map(|program| title.strip_prefix(program))
        .unwrap_or(title)
        .trim();
    let lower = title.to_lowercase();
    let is_file = FILES.iter().any(|ending| lower.ends_with(ending));
    let letters = title.chars().filter(|sign| sign.is_alphabetic()).count();
    let is_title = letters > 1 && !is_file && !lower.starts_with("untitled");
    is_title.then(|| title.to_owned())
}

/// A text string: UTF-16 or UTF-8 by its mark, else the encoding of PDF, which is nearly Latin 1
/// (ISO 32000-1, annex D).
pub(super) fn decode(bytes: &[u8]) -> String {
    const HIGH: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚',
        '™', 'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
    ];
    let wide = |rest: &[u8], of: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        char::decode_utf16(units)
            .map(|sign| sign.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes {
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Against the rules, and common.
        _ if !bytes.is_ascii() && str::from_utf8(bytes).is_ok() => {
            String::from_utf8_lossy(bytes).into_owned()
        }
        _ => bytes
            .iter()
            .map(|byte| match byte {
                0x80..=0xa0 => HIGH[usize::from(byte - 0x80)],
                byte => char::from(*byte),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_told_from_names_of_files() {
        let cases = [
            (" A title ", Some("A title")),
            ("Microsoft Word - Report", Some("Report")),
            ("Microsoft Word - report_v2.DOC", None),
            ("main.dvi", None),
            ("Untitled-1", None),
            ("12-3", None),
            ("", None),
        ];
        for (title, expected) in cases {
            assert_eq!(sensible(title).as_deref(), expected, "{title}");
        }
    }

    #[test]
    fn strings_are_read_by_their_marks() {
        assert_eq!(decode(b"\xfe\xff\0A\x20\x14"), "A—");
        assert_eq!(decode(b"\xff\xfeA\0"), "A");
        assert_eq!(decode(b"\xef\xbb\xbf\xc3\xa4"), "ä");
        assert_eq!(decode(b"\xe4 \x84\xa0"), "ä —€");
        assert_eq!(decode(b"\xc3\xa4"), "ä");
    }
}

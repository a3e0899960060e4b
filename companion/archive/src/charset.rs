//! From a page's bytes to text: byte order mark, then what the server says,
//! then what the page says, then what the bytes look like.

use encoding_rs::{Encoding, UTF_8};

/// Bytes searched for a `<meta>` that names the encoding, as browsers do.
const META_WINDOW: usize = 1_024;

/// The text of an HTML page; never fails, wrong bytes become U+FFFD.
pub fn decode(body: &[u8], content_type: Option<&str>) -> String {
    let encoding = Encoding::for_bom(body)
        .map(|(encoding, _)| encoding)
        .or_else(|| content_type.and_then(charset_of).and_then(for_label))
        .or_else(|| meta_charset(body))
        .unwrap_or_else(|| guess(body));
    encoding.decode(body).0.into_owned()
}

fn charset_of(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches(['"', '\'']))
    })
}

fn for_label(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.as_bytes())
}

fn meta_charset(body: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&body[..body.len().min(META_WINDOW)]).to_ascii_lowercase();
    for tag in head.split("<meta").skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        let Some((_, value)) = tag.split_once("charset") else {
            continue;
        };
        let value = value.trim_start().strip_prefix('=').unwrap_or_default();
        let label = value.trim_start_matches([' ', '"', '\'']);
        let end = label
            .find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)))
            .unwrap_or(label.len());
        if let Some(encoding) = for_label(&label[..end]) {
            // A page read as ASCII so far cannot really be UTF-16.
            let wide = !encoding.is_ascii_compatible();
            return Some(if wide { UTF_8 } else { encoding });
        }
    }
    None
}

fn guess(body: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(body).is_ok() {
        return UTF_8;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(&body[..body.len().min(64 << 10)], true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_wins_over_the_server_over_the_page_over_the_bytes() {
        let cases: [(&[u8], Option<&str>, &str); 6] = [
            (
                b"\xEF\xBB\xBF\xC3\xA4",
                Some("text/html; charset=latin1"),
                "ä",
            ),
            (b"\xE4", Some("text/html; Charset=\"ISO-8859-1\""), "ä"),
            (
                b"<meta charset=windows-1251>\xE4",
                None,
                "<meta charset=windows-1251>д",
            ),
            (
                b"<meta content='text/html; charset=utf-16'>\xC3\xA4",
                None,
                "<meta content='text/html; charset=utf-16'>ä",
            ),
            (b"\xC3\xA4", None, "ä"),
            (b"\xE4", Some("text/html; charset=nonsense"), "ä"),
        ];
        for (body, content_type, expected) in cases {
            assert_eq!(decode(body, content_type), expected);
        }
    }
}

//! The text of XML, by its character set: byte order mark, then what the server says, then what
//! its declaration says, then what the bytes look like (RFC 7303).

use linkscent_archive::charset;

/// Bytes in which the declaration must stand.
const WINDOW: usize = 200;

/// The text of XML; never fails, wrong bytes become U+FFFD.
pub(crate) fn decode(body: &[u8], content_type: Option<&str>) -> String {
    let is_said = content_type.is_some_and(|said| said.to_ascii_lowercase().contains("charset"));
    let declared = declared(body).filter(|_| !is_said);
    let declared = declared.map(|label| format!("application/xml; charset={label}"));
    charset::decode(body, declared.as_deref().or(content_type))
}

/// The character set that a declaration names.
fn declared(body: &[u8]) -> Option<String> {
    let start = String::from_utf8_lossy(&body[..body.len().min(WINDOW)]);
    let declaration = start.trim_start().strip_prefix("<?xml")?;
    let declaration = declaration.split_once("?>")?.0;
    let value = declaration.split_once("encoding")?.1.trim_start();
    let value = value.strip_prefix('=')?.trim_start();
    let mark = value
        .chars()
        .next()
        .filter(|mark| matches!(mark, '"' | '\''))?;
    let label = value[1..].split(mark).next()?.trim().to_owned();
    // Bytes that can be read so far are of no wide character set.
    (!label.to_ascii_lowercase().starts_with("utf-16")).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_counts_for_more_than_the_declaration() {
        let latin = b"<?xml version=\"1.0\" encoding='ISO-8859-1' ?><a>\xe4</a>";
        assert!(decode(latin, None).contains("ä"));
        assert!(decode(latin, Some("text/xml")).contains("ä"));
        assert!(decode(latin, Some("text/xml; charset=koi8-r")).contains("Д"));
        let wrong = b"<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>\xc3\xa4</a>";
        assert!(decode(wrong, None).contains("ä"));
    }
}

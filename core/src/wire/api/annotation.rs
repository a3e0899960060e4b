//! What a person may say of a page in a word or a few lines: tags and notes.

/// Characters of a tag at most.
pub const LONGEST_TAG: usize = 40;
/// Characters of a note at most.
pub const LONGEST_NOTE: usize = 4_000;

/// A tag as it is kept: in lower case, `-` between its words; none if nothing is left, or too
/// much.
pub fn as_tag(text: &str) -> Option<String> {
    let is_sign = |sign: char| sign.is_whitespace() || matches!(sign, '"' | ',');
    let words = text.split(is_sign).filter(|word| !word.is_empty());
    let tag = words.collect::<Vec<_>>().join("-").to_lowercase();
    let length = tag.chars().count();
    ((1..=LONGEST_TAG).contains(&length) && !tag.chars().any(char::is_control)).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::api::{Event, EventKind};

    #[test]
    fn tags_have_one_form() {
        for (text, tag) in [
            (" To  Read ", Some("to-read")),
            ("a, \"b\"", Some("a-b")),
            ("ÄPFEL", Some("äpfel")),
            (" , ", None),
            ("a\u{7}b", None),
            (&"x".repeat(LONGEST_TAG + 1), None),
        ] {
            assert_eq!(as_tag(text).as_deref(), tag, "{text:?}");
        }
        let event = |what| Event {
            id: "1".to_owned(),
            topic: "bees".to_owned(),
            time: 1,
            what,
        };
        let tagged = |tag: &str| {
            event(EventKind::Tag {
                address: "http://a.test/".to_owned(),
                tag: tag.to_owned(),
                on: true,
            })
        };
        assert!(tagged("to-read").is_sound());
        assert!(!tagged("To read").is_sound());
        let noted = |length| {
            event(EventKind::Note {
                address: "http://a.test/".to_owned(),
                text: "x".repeat(length),
            })
        };
        assert!(noted(LONGEST_NOTE).is_sound() && !noted(LONGEST_NOTE + 1).is_sound());
        assert_eq!(noted(1).pages(), ["http://a.test/"]);
    }
}

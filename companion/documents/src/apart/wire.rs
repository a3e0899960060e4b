//! What parent and child say to each other: one request, one answer, each with its lengths before
//! it. Numbers are little-endian.

use std::io::{self, Read, Write};
use std::time::Duration;

use crate::{DocumentError, Kind, MOST_HTML, MOST_UNPACKED};

/// The first bytes of a request: both sides are of the same version.
const SIGN: [u8; 8] = *b"LSDOCS01";
/// Bytes of what an error says at most.
const LONGEST_PROBLEM: usize = 4 << 10;
/// Bytes of an answer at most.
pub(super) const LONGEST_ANSWER: usize = MOST_HTML + LONGEST_PROBLEM;
/// Bytes of a content type at most; the rest of one is not looked at.
const LONGEST_TYPE: usize = 1_000;
/// The kinds, by the number they are sent as.
const KINDS: [Kind; 7] = [
    Kind::Feed,
    Kind::Sitemap,
    Kind::Text,
    Kind::Pdf,
    Kind::Word,
    Kind::Slides,
    Kind::OpenDocument,
];

/// What comes before a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: Kind,
    /// Bytes of memory.
    pub(super) memory: u64,
    pub(super) time: Duration,
    pub(super) content_type: Option<String>,
    /// Bytes of the document.
    pub(super) length: u64,
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

fn number(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

impl Head {
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = SIGN.to_vec();
        let kind = KINDS.iter().position(|kind| *kind == self.kind);
        let content_type = self.content_type.as_deref();
        let said = content_type.map(|said| &said[..said.floor_char_boundary(LONGEST_TYPE)]);
        let numbers = [
            kind.unwrap_or_default() as u64,
            self.memory,
            self.time.as_millis().try_into().unwrap_or(u64::MAX),
            self.length,
            said.map_or(u64::MAX, |said| said.len() as u64),
        ];
        bytes.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
        bytes.extend(said.unwrap_or_default().as_bytes());
        bytes
    }

    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut sign = [0; SIGN.len()];
        from.read_exact(&mut sign)?;
        if sign != SIGN {
            return Err(invalid("this is no request to read a document"));
        }
        let kind = usize::try_from(number(from)?).ok();
        let kind = kind.and_then(|kind| KINDS.get(kind)).copied();
        let kind = kind.ok_or_else(|| invalid("no such kind of document"))?;
        let memory = number(from)?;
        let time = Duration::from_millis(number(from)?);
        let length = number(from)?;
        let content_type = match number(from)? {
            u64::MAX => None,
            length if length > LONGEST_TYPE as u64 => {
                return Err(invalid("the content type is too long"));
            }
            length => {
                let mut said = vec![0; length as usize];
                from.read_exact(&mut said)?;
                Some(String::from_utf8(said).map_err(|_| invalid("the content type is no text"))?)
            }
        };
        Ok(Self {
            kind,
            memory,
            time,
            content_type,
            length,
        })
    }
}

/// Writes an answer: what it is, its length, its text.
pub(super) fn answer(
    to: &mut impl Write,
    answer: &Result<String, DocumentError>,
) -> io::Result<()> {
    let (what, text) = match answer {
        Ok(html) => (b'h', html.clone()),
        Err(DocumentError::Broken(_, problem)) => (b'b', problem.clone()),
        Err(DocumentError::Locked(_)) => (b'l', String::new()),
        Err(DocumentError::Large(..)) => (b'g', String::new()),
        Err(other) => (b'c', other.to_string()),
    };
    let most = if what == b'h' {
        MOST_HTML
    } else {
        LONGEST_PROBLEM
    };
    let text = &text[..text.floor_char_boundary(most)];
    to.write_all(&[what])?;
    to.write_all(&(text.len() as u64).to_le_bytes())?;
    to.write_all(text.as_bytes())?;
    to.flush()
}

/// Reads an answer that is there as a whole; `None` if it is none.
pub(super) fn answered(kind: Kind, bytes: &[u8]) -> Option<Result<String, DocumentError>> {
    let (what, rest) = bytes.split_first()?;
    let (length, text) = rest.split_first_chunk::<8>()?;
    if u64::from_le_bytes(*length) != text.len() as u64 {
        return None;
    }
    let text = String::from_utf8(text.to_vec()).ok()?;
    Some(match what {
        b'h' => Ok(text),
        b'b' => Err(DocumentError::Broken(kind, text)),
        b'l' => Err(DocumentError::Locked(kind)),
        b'g' => Err(DocumentError::Large(kind, MOST_UNPACKED)),
        b'c' => Err(DocumentError::Crash(kind, text)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_answers_arrive_as_they_were_sent() {
        for kind in KINDS {
            for content_type in [None, Some(""), Some("text/plain; charset=ä")] {
                let head = Head {
                    kind,
                    memory: 1 << 30,
                    time: Duration::from_millis(1_234),
                    content_type: content_type.map(str::to_owned),
                    length: 17,
                };
                let bytes = head.bytes();
                assert_eq!(Head::read(&mut &bytes[..]).unwrap(), head);
                for end in 0..bytes.len() {
                    assert!(Head::read(&mut &bytes[..end]).is_err());
                }
            }
        }
        let answers = [
            Ok("<p>ä".to_owned()),
            Err(DocumentError::Broken(Kind::Pdf, "why".to_owned())),
            Err(DocumentError::Locked(Kind::Pdf)),
            Err(DocumentError::Large(Kind::Pdf, MOST_UNPACKED)),
        ];
        for sent in answers {
            let mut bytes = Vec::new();
            answer(&mut bytes, &sent).unwrap();
            let arrived = answered(Kind::Pdf, &bytes).unwrap();
            assert_eq!(format!("{arrived:?}"), format!("{sent:?}"));
            for end in 0..bytes.len() {
                assert!(
                    answered(Kind::Pdf, &bytes[..end]).is_none(),
                    "half of {sent:?}"
                );
            }
            bytes.push(b'x');
            assert!(answered(Kind::Pdf, &bytes).is_none());
        }
    }
}

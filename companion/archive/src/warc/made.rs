//! Whether records that were made elsewhere are what they are said to be, before they are appended.

use std::io::{BufReader, Cursor};
use std::path::PathBuf;

use super::{Reader, unpacked};

/// Records of one page at most: of the response, its request, and what was made of it.
const MOST: usize = 3;

/// Whether bytes are records of that page, each whole, and nothing else.
pub fn are_records_of(bytes: Vec<u8>, page: &str) -> bool {
    // Records are packed one by one, so that each can be read by its offset.
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return false;
    }
    let Ok(input) = unpacked(Cursor::new(bytes), 0) else {
        return false;
    };
    let records = Reader::of(PathBuf::new(), BufReader::new(input));
    let mut count = 0;
    for record in records {
        count += 1;
        if count > MOST || !record.is_ok_and(|record| record.target == page) {
            return false;
        }
    }
    count > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warc::{As, Exchange, Kept, Request, records};

    #[test]
    fn what_is_not_whole_or_of_another_page_is_none() {
        let exchange = Exchange {
            request: Some(Request::default()),
            ..Exchange::default()
        };
        let kept = Kept {
            address: "http://a.test/",
            status: 200,
            body: b"<p>bees",
            exchange: Some(&exchange),
            conversion: Some("<p>bees"),
            ..Kept::default()
        };
        let whole = records(&kept, As::Page).unwrap();
        let are = |bytes: &[u8]| are_records_of(bytes.to_vec(), "http://a.test/");
        assert!(are(&whole));
        assert!(!are_records_of(whole.clone(), "http://a.test/other"));
        assert!(!are(&[]) && !are(b"WARC/1.1"));
        assert!(!are(&whole[..whole.len() - 1]));
        assert!(!are(&[&whole[..], b"more"].concat()));
        assert!(!are(&[&whole[..], &whole[..]].concat()));
        let mut broken = whole.clone();
        broken[40] ^= 1;
        assert!(!are(&broken));
    }
}

//! Whether records that were made elsewhere are what they are said to be, before they are appended.

use std::io::{self, BufReader, Cursor, Read};
use std::path::PathBuf;

use super::{Reader, unpacked};

/// Records of one page at most: of the response, its request, and what was made of it.
const MOST: usize = 3;

/// Whether bytes are records of that page, each whole, and nothing else, of at most `most` bytes once they are
/// unpacked. A few bytes can unpack to very many.
pub fn are_records_of(bytes: &[u8], page: &str, most: u64) -> bool {
    // Records are packed one by one, so that each can be read by its offset.
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return false;
    }
    let open = || unpacked(Cursor::new(bytes.to_vec()), 0);
    let size =
        open().and_then(|input| io::copy(&mut input.take(most.saturating_add(1)), &mut io::sink()));
    if !size.is_ok_and(|size| size <= most) {
        return false;
    }
    let Ok(input) = open() else {
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
        let are = |bytes: &[u8]| are_records_of(bytes, "http://a.test/", 10_000);
        assert!(are(&whole));
        assert!(!are_records_of(&whole, "http://a.test/other", 10_000));
        assert!(!are(&[]) && !are(b"WARC/1.1"));
        assert!(!are(&whole[..whole.len() - 1]));
        assert!(!are(&[&whole[..], b"more"].concat()));
        assert!(!are(&[&whole[..], &whole[..]].concat()));
        let mut broken = whole.clone();
        broken[40] ^= 1;
        assert!(!are(&broken));
    }

    #[test]
    fn a_few_bytes_that_unpack_to_very_many_are_none() {
        let body = vec![b' '; 1_000_000];
        let kept = Kept {
            address: "http://a.test/",
            status: 200,
            body: &body,
            ..Kept::default()
        };
        let bomb = records(&kept, As::Page).unwrap();
        assert!(bomb.len() < body.len() / 20);
        let are = |most| are_records_of(&bomb, "http://a.test/", most);
        assert!(are(1_100_000));
        assert!(!are(1_000_000));
    }
}

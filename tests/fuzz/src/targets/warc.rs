//! WARC files from anywhere, and records that workers send.
//!
//! Promises: a reader ends, whatever it reads; records take no more memory than there are bytes; a record
//! that is taken for a page's is read back as that page's; a damaged file keeps its length when
//! something in it is blanked.

use std::fs::File;

use linkscent_archive::warc::{
    As, Capture, Exchange, Kept, Reader, Request, Revisited, Version, are_records_of,
    blank_exchange, records, whole_until,
};

use super::{Seeds, page_address};
use crate::input::file_of;

/// Records and captures of one input at most: a zipped byte can become a thousand.
const MOST: usize = 1_100 * (32 << 10);

/// Bytes that the records of a page may unpack to.
const MOST_BYTES: u64 = 16 << 20;

pub fn run(data: &[u8]) {
    let file = file_of(data).expect("a file for the input");
    let path = file.path();
    let mut target = String::new();
    if let Ok(reader) = Reader::open(path) {
        for (number, record) in reader.enumerate() {
            assert!(number < MOST, "the reader does not end");
            let Ok(record) = record else { break };
            if let Some(kept) = record.exchange() {
                assert!(kept.html().len() <= 4 * kept.body.len());
                assert!(kept.status < 1_000);
            }
            target.clone_from(&record.target);
        }
    }
    if let Ok(reader) = Reader::open(path) {
        let captures = reader.captures().take_while(Result::is_ok);
        let wholes = captures.flatten().filter_map(Capture::exchange);
        assert!(wholes.count() <= MOST);
    }
    let _ = Reader::exchange_at(path, 0, &target);
    if are_records_of(data, &target, MOST_BYTES) {
        let read = Reader::open(path).expect("its records are whole");
        assert!(read.flatten().all(|record| record.target == target));
    }
    blank(path, data.len() as u64);
}

fn blank(path: &std::path::Path, length: u64) {
    let Ok(mut open) = File::options().read(true).write(true).open(path) else {
        return;
    };
    let whole = whole_until(&mut open, 0);
    assert!(whole.unwrap_or_default() <= length);
    let _ = blank_exchange(&mut open, 0, length);
    assert_eq!(open.metadata().map(|data| data.len()).ok(), Some(length));
}

pub fn seeds() -> Seeds {
    let address = page_address();
    let exchange = Exchange {
        version: Some(Version::Http11),
        reason: "OK".to_owned(),
        headers: vec![
            (
                "Content-Type".to_owned(),
                b"text/html; charset=utf-8".to_vec(),
            ),
            ("X-Robots-Tag".to_owned(), b"linkscent: nofollow".to_vec()),
        ],
        request: Some(Request {
            method: "GET".to_owned(),
            target: "/bees/index.html".to_owned(),
            headers: vec![("Host".to_owned(), b"www.example.test".to_vec())],
        }),
        ip: "192.0.2.7".parse().ok(),
    };
    let kept = Kept {
        address: address.as_str(),
        status: 200,
        content_type: Some("text/html"),
        body: b"<title>Bees</title><p>honey <a href=hive>hive</a>",
        date: "2026-01-02T03:04:05Z",
        ..Kept::default()
    };
    let full = Kept {
        exchange: Some(&exchange),
        conversion: Some("<p>bees</p>"),
        ..kept
    };
    let same = Revisited::SamePayload {
        address: address.as_str(),
        date: "2026-01-02T03:04:05Z",
    };
    let made = |kept: &Kept<'_>, kind| records(kept, kind).expect("records can be made");
    let plain = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
                 WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: <https://www.example.test/>\r\n\
                 Content-Type: application/http\r\nContent-Length: 118\r\n\r\n\
                 HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\
                 Content-Encoding: br\r\n\r\n6\r\n<p>bee\r\n1\r\ns\r\n0\r\n\r\n\r\n\r\n";
    vec![
        ("page", made(&kept, As::Page)),
        ("exchange", made(&full, As::Page)),
        ("redirect", made(&kept, As::Redirect("https://b.test/"))),
        (
            "revisit",
            [made(&full, As::Page), made(&kept, As::Revisit(&same))].concat(),
        ),
        ("plain", plain.as_bytes().to_vec()),
        ("twice", [plain, plain].concat().into_bytes()),
    ]
}

//! Exchanges of a crawl, written as WARC records and read again: fields of an exchange, each ended
//! by a zero byte, then the body.
//!
//! Promises: what is written is read back with the same status, body and conversion, whatever the
//! server said; nothing that a server says begins a record or a header of its own.

use linkscent_archive::warc::{
    As, Exchange, Kept, Reader, Request, Version, are_records_of, records,
};

use super::{Seeds, page_address};
use crate::input::{Input, file_of};

/// Bytes that the records of a page may unpack to.
const MOST_BYTES: u64 = 16 << 20;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let status = 100 + u16::from(input.byte()) * 3;
    let address = page_address().join(&input.text());
    let Ok(address) = address else { return };
    let (reason, location, html) = (input.text(), input.text(), input.text());
    let request = Request {
        method: input.text(),
        target: input.text(),
        headers: vec![(input.text(), input.field().to_vec())],
    };
    let headers = (0..usize::from(input.byte() % 8))
        .map(|_| (input.text(), input.field().to_vec()))
        .collect();
    let exchange = Exchange {
        version: input.choice(&[None, Some(Version::Http10), Some(Version::Http2)]),
        reason,
        headers,
        request: Some(request),
        ..Exchange::default()
    };
    let body = input.rest();
    let kept = Kept {
        address: address.as_str(),
        status,
        body,
        date: "2026-01-02T03:04:05Z",
        exchange: Some(&exchange),
        conversion: (!html.is_empty()).then_some(&*html),
        ..Kept::default()
    };
    check_page(&kept);
    let redirect = records(&kept, As::Redirect(&location)).expect("a redirect can be written");
    assert!(are_records_of(&redirect, address.as_str(), MOST_BYTES));
}

fn check_page(kept: &Kept<'_>) {
    let whole = records(kept, As::Page).expect("a page can be written");
    assert!(are_records_of(&whole, kept.address, MOST_BYTES));
    let file = file_of(&whole).expect("a file for the records");
    let read = Reader::exchange_at(file.path(), 0, kept.address).expect("a page is read back");
    assert_eq!(read.status, kept.status);
    assert_eq!(read.body, kept.body, "the body is another");
    assert_eq!(read.conversion.as_deref(), kept.conversion);
    let records = Reader::open(file.path()).expect("records can be read");
    let kinds: Vec<String> = records
        .map(|record| record.expect("a record").kind)
        .collect();
    let expected = match kept.conversion {
        Some(_) => &["response", "request", "conversion"][..],
        None => &["response", "request"],
    };
    assert_eq!(kinds, expected);
}

pub fn seeds() -> Seeds {
    let case = |fields: &[&str], headers: &[&str], body: &str| {
        let fields = fields.join("\0");
        let count = char::from(b'0' + (headers.len() / 2) as u8);
        let headers: String = headers.iter().map(|text| format!("{text}\0")).collect();
        // `0` is 48, a multiple of the most headers that there may be.
        format!("!{fields}\0{count}{headers}2{body}").into_bytes()
    };
    vec![
        (
            "usual",
            case(
                &[
                    "/x?y", "OK", "/to", "<p>made", "GET", "/x?y", "Host", "a.test",
                ],
                &[
                    "Content-Type",
                    "text/html",
                    "Content-Length",
                    "4",
                    "Content-Encoding",
                    "gzip",
                ],
                "<p>x",
            ),
        ),
        (
            "hostile",
            case(
                &[
                    "/",
                    "OK\r\nX: y",
                    "http://b.test/\r\n\r\nWARC/1.1\r\n",
                    "",
                    "GET /",
                    "/ HTTP/1.1\r\n",
                    "A\r\nB",
                    "c\r\n\r\nd",
                ],
                &[
                    "Transfer-Encoding",
                    "chunked",
                    "Content-Length",
                    "1",
                    "X\u{e4}",
                    "y\r\nZ: w",
                ],
                "5\r\nWARC/1.1\r\nWARC-Type: response\r\n\r\n",
            ),
        ),
        ("empty", case(&["", "", "", "", "", "", "", ""], &[], "")),
        (
            "long",
            case(
                &["/", &"r".repeat(300), "", "", "", "", "", ""],
                &["A", &"b".repeat(600), "", "", "location", "/y"],
                &"body ".repeat(40),
            ),
        ),
    ]
}

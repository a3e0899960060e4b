use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

mod conversions;
mod exchanges;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn writer(path: &Path, length: u64) -> io::Result<Writer> {
    let file = File::options()
        .create(true)
        .write(true)
        .truncate(false)
        .open(path)?;
    Writer::open(file, length, "2026-01-02T00:00:00Z")
}

fn write(path: &Path, pages: &[(&str, &str)]) -> Vec<u64> {
    let mut writer = writer(path, 0).unwrap();
    pages
        .iter()
        .map(|(address, body)| {
            let kept = Kept {
                address,
                status: 200,
                content_type: Some("text/html"),
                body: body.as_bytes(),
                date: "2026-01-02T03:04:05Z",
                ..Kept::default()
            };
            writer.page(&kept).unwrap()
        })
        .collect()
}

const PAGES: [(&str, &str); 2] = [("http://a.org/", "<p>one"), ("http://b.org/x", "<p>two")];

#[test]
fn pages_come_back_in_order_and_by_offset() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let offsets = write(&path, &PAGES);
    let records: Vec<Record> = Reader::open(&path).unwrap().map(Result::unwrap).collect();
    assert_eq!(records.len(), 3);
    assert_eq!(records[0].kind, "warcinfo");
    for (number, (address, body)) in PAGES.iter().enumerate() {
        let record = &records[number + 1];
        assert_eq!(record.target, *address);
        let by_offset = Reader::response_at(&path, offsets[number], address).unwrap();
        for response in [record.response().unwrap(), by_offset] {
            assert_eq!(response.body, body.as_bytes());
            assert_eq!(response.content_type.as_deref(), Some("text/html"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn whatever_a_body_holds_it_comes_back(
        pages in vec(("[a-z0-9]{1,8}", 100_u16..600, vec(any::<u8>(), 0..300)), 1..6),
    ) {
        let folder = folder();
        let path = folder.path().join("a.warc.gz");
        let mut writer = writer(&path, 0).unwrap();
        let pages: Vec<(String, u16, Vec<u8>)> = pages
            .into_iter()
            .map(|(name, status, body)| (format!("http://a.org/{name}"), status, body))
            .collect();
        let mut offsets = Vec::new();
        for (address, status, body) in &pages {
            let kept = Kept {
                address,
                status: *status,
                content_type: Some("text/html"),
                body,
                date: "2026-01-02T03:04:05Z",
                ..Kept::default()
            };
            offsets.push(writer.page(&kept).unwrap());
        }
        for (offset, (address, status, body)) in offsets.into_iter().zip(&pages) {
            let read = Reader::response_at(&path, offset, address).unwrap();
            prop_assert_eq!((read.status, &read.body), (*status, body));
        }
    }
}

#[test]
fn what_was_not_acknowledged_goes_when_writing_goes_on() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let offsets = write(&path, &PAGES);
    drop(writer(&path, offsets[1]).unwrap());
    assert_eq!(Reader::open(&path).unwrap().count(), 2);
    assert!(writer(&path, offsets[1] + 1).is_err());
}

#[test]
fn a_record_is_only_believed_if_it_is_whole_and_the_one_that_was_meant() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let offsets = write(&path, &PAGES);
    let whole = std::fs::read(&path).unwrap();
    let read = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Reader::response_at(&path, offsets[1], PAGES[1].0)
    };
    assert!(read(&whole).is_ok());
    for place in offsets[1] as usize..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0xFF;
        // Some bytes of a gzip header mean nothing: then the page is what it was.
        if let Ok(response) = read(&damaged) {
            assert_eq!(response.body, PAGES[1].1.as_bytes(), "byte {place}");
        }
    }
    let cut = read(&whole[..whole.len() - 1]).unwrap_err().to_string();
    assert!(cut.contains(&format!("at byte {}", offsets[1])), "{cut}");
    std::fs::write(&path, &whole).unwrap();
    let other = Reader::response_at(&path, offsets[0], PAGES[1].0).unwrap_err();
    assert!(other.to_string().contains(PAGES[0].0), "{other}");
    std::fs::remove_file(&path).unwrap();
    let missing = Reader::response_at(&path, offsets[0], PAGES[0].0).unwrap_err();
    assert!(matches!(missing, WarcError::Damaged { .. }), "{missing}");
}

#[test]
fn every_cut_gives_the_whole_records_and_then_an_error_or_the_end() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let offsets = write(&path, &PAGES);
    let whole = std::fs::read(&path).unwrap();
    let cut_path = folder.path().join("cut.warc.gz");
    for length in 1..whole.len() {
        std::fs::write(&cut_path, &whole[..length]).unwrap();
        let (good, bad): (Vec<_>, Vec<_>) =
            Reader::open(&cut_path).unwrap().partition(Result::is_ok);
        let complete = offsets.iter().filter(|&&at| at <= length as u64).count();
        assert!(good.len() >= complete, "{length}: {} records", good.len());
        let at_boundary = offsets.contains(&(length as u64));
        assert!(at_boundary || bad.len() <= 1, "{length}");
    }
}

#[test]
fn foreign_files_say_where_they_go_wrong() {
    let folder = folder();
    let cases: [(&str, &[u8], &str); 4] = [
        ("html", b"<html>not a warc</html>", "record 1: begins with"),
        (
            "length",
            b"WARC/1.0\r\nWARC-Type: response\r\n\r\n",
            "no Content-Length",
        ),
        (
            "short",
            b"WARC/1.0\r\nContent-Length: 9\r\n\r\nabc",
            "ends after 3",
        ),
        ("gzip", b"\x1f\x8b\x08\x00garbage", "record 1"),
    ];
    for (name, bytes, expected) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = Reader::open(&path).unwrap().next().unwrap().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    let missing = Reader::open(&folder.path().join("missing"));
    assert!(missing.is_err_and(|error| error.to_string().contains("missing")));
}

#[test]
fn chunked_and_gzipped_bodies_are_undone() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(b"hello").unwrap();
    let gzip = gzip.finish().unwrap();
    let mut block =
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
    block.extend_from_slice(format!("{:x}\r\n", gzip.len()).as_bytes());
    block.extend_from_slice(&gzip);
    block.extend_from_slice(b"\r\n0\r\n\r\n");
    let record = Record {
        block,
        ..Record::default()
    };
    assert_eq!(record.response().unwrap().body, b"hello");
}

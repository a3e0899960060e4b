//! Archives as other programs make them, put together by hand.

use std::io::{Cursor, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;
use crate::warc::KeptExchange;

mod chosen;
mod hostile;
mod packed;

const DATE: &str = "2026-01-02T03:04:05Z";
const HTML: &str = "Content-Type: text/html\r\n";

/// A record with fields of its own besides those that all have.
fn record(kind: &str, address: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {address}\r\n{fields}\
         Content-Length: {}\r\n\r\n",
        block.len()
    )
    .into_bytes();
    bytes.extend_from_slice(block);
    bytes.extend_from_slice(b"\r\n\r\n");
    bytes
}

/// A response captured on a date.
fn response(address: &str, date: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let fields = format!("WARC-Date: {date}\r\nWARC-Record-ID: <urn:x:{address}:{date}>\r\n");
    record("response", address, &fields, &http("200 OK", head, body))
}

fn http(status: &str, head: &str, body: &[u8]) -> Vec<u8> {
    [format!("HTTP/1.1 {status}\r\n{head}\r\n").as_bytes(), body].concat()
}

/// A page as most of them are.
fn page(address: &str, body: &str) -> Vec<u8> {
    response(address, DATE, HTML, body.as_bytes())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn chunked(bytes: &[u8]) -> Vec<u8> {
    let mut chunks = Vec::new();
    for piece in bytes.chunks(7) {
        chunks.extend_from_slice(format!("{:x};x=y\r\n", piece.len()).as_bytes());
        chunks.extend_from_slice(piece);
        chunks.extend_from_slice(b"\r\n");
    }
    chunks.extend_from_slice(b"0\r\n\r\n");
    chunks
}

fn zipped(members: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in members {
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A file of some bytes, gone when it is dropped.
struct Archive {
    folder: tempfile::TempDir,
}

impl Archive {
    fn of(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let archive = Self { folder };
        std::fs::write(archive.path(), bytes).unwrap();
        archive
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("named.for.nothing")
    }

    fn open(&self) -> Import {
        Import::open(&self.path(), Limits::default()).unwrap()
    }
}

/// What a file gives: pages, errors, and pages that turned out to be none.
fn read(import: &Import) -> (Vec<KeptExchange>, Vec<String>, PassedOver) {
    let (mut kept, mut errors) = (Vec::new(), Vec::new());
    let mut pages = import.pages().unwrap();
    for page in &mut pages {
        match page {
            Ok(page) => kept.push(page),
            Err(error) => errors.push(error.to_string()),
        }
    }
    (kept, errors, pages.passed_over().clone())
}

/// Pages of bytes that have nothing wrong about them: address and body.
fn pages_of(bytes: &[u8]) -> Vec<(String, String)> {
    let import = Archive::of(bytes);
    let import = import.open();
    assert_eq!(import.survey().problems, [""; 0]);
    let (kept, errors, none) = read(&import);
    assert_eq!((errors.len(), none.iter().count()), (0, 0), "{errors:?}");
    assert_eq!(kept.len() as u64, import.survey().pages);
    let pairs = kept.into_iter().map(|page| {
        let body = String::from_utf8(page.body).unwrap();
        (page.address, body)
    });
    pairs.collect()
}

fn pairs(pages: &[(&str, &str)]) -> Vec<(String, String)> {
    let pages = pages.iter();
    pages
        .map(|(address, body)| ((*address).to_owned(), (*body).to_owned()))
        .collect()
}

//! Archives that others made: WACZ files (zip archives with WARC files in them) and WARC files, taken in.
//!
//! Promises: an archive gives at most the pages that its survey counts, each with a body within
//! the limits, and all bodies together within what may be unpacked; looking again gives the same.

use std::io::{Cursor, Write};

use linkscent_archive::import::{Import, Limits};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Seeds, warc};
use crate::input::file_of;

const LIMITS: Limits = Limits {
    body: 64 << 10,
    unpacked: 1 << 20,
    ratio: 20,
    members: 20,
    pages: 50,
};

pub fn run(data: &[u8]) {
    let file = file_of(data).expect("a file for the input");
    let Ok(import) = Import::open(file.path(), LIMITS) else {
        return;
    };
    let survey = import.survey();
    assert!(survey.pages <= LIMITS.pages as u64);
    assert!(survey.sites <= survey.pages && survey.top_sites.len() as u64 <= survey.sites);
    assert!(survey.problems.len() <= LIMITS.members + 2);
    let again = Import::open(file.path(), LIMITS).expect("it was opened before");
    assert_eq!(again.survey(), survey);
    let Ok(mut pages) = import.pages() else {
        return;
    };
    let (mut count, mut bytes) = (0, 0);
    for page in pages.by_ref().flatten() {
        count += 1;
        assert!(page.body.len() as u64 <= LIMITS.body, "a body is too large");
        let made = page.conversion.as_ref().map_or(0, String::len);
        bytes += page.body.len() as u64 + made as u64;
        let address = linkscent_core::address::Address::parse(&page.address);
        assert_eq!(address.map(|address| address.to_string()), Ok(page.address));
    }
    assert!(count <= survey.pages, "more pages than were counted");
    let most = LIMITS.unpacked.max(LIMITS.ratio * data.len() as u64);
    assert!(bytes <= most, "{bytes} bytes of bodies");
    let _ = pages.passed_over().iter().count();
}

/// Puts files into a zip archive. A name that ends with `!` is deflated.
pub fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let (name, method) = match name.strip_suffix('!') {
            Some(name) => (name, CompressionMethod::Deflated),
            None => (*name, CompressionMethod::Stored),
        };
        let options = SimpleFileOptions::default().compression_method(method);
        // A name that cannot be written leaves the file out.
        if zip.start_file(name, options).is_ok() {
            let _ = zip.write_all(bytes);
        }
    }
    zip.finish().map(Cursor::into_inner).unwrap_or_default()
}

pub fn seeds() -> Seeds {
    let mut seeds = Vec::new();
    for (name, records) in warc::seeds() {
        let wacz = zipped(&[
            ("datapackage.json", b"{\"profile\":\"data-package\"}"),
            ("archive/data.warc.gz", &records),
            ("archive/more.warc!", &records),
            ("pages/pages.jsonl", b"{\"format\":\"json-pages-1.0\"}"),
        ]);
        match name {
            "page" => seeds.push(("page", wacz)),
            "revisit" => {
                seeds.push(("cut", wacz[..wacz.len() - 30].to_vec()));
                seeds.push(("revisit", wacz));
                seeds.push(("warc", records));
            }
            "plain" => {
                seeds.push(("plain", wacz));
                seeds.push(("plain-warc", records));
            }
            _ => {}
        }
    }
    seeds
}

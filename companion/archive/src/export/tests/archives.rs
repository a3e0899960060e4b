//! The formats that hold the pages themselves, read by this crate, by readers that others wrote
//! in Rust, and, where they are installed, by the programs archivists check archives with.

use std::io::Cursor;
use std::path::Path;
use std::process::Command;

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use zip::{CompressionMethod, ZipArchive};

use super::*;
use crate::warc::{Exchange, Reader, Record, Request, Version, digest};

/// Pages of the larger file.
const PAGES: usize = 500;

fn header(name: &str, value: &str) -> (String, Vec<u8>) {
    (name.to_owned(), value.as_bytes().to_vec())
}

/// A page of an exchange, one of an earlier version, and one that cannot be read.
fn kept_entries() -> Vec<Entry> {
    let exchange = Exchange {
        version: Some(Version::Http11),
        reason: "OK".to_owned(),
        headers: vec![
            header("Content-Type", "text/html; charset=utf-8"),
            header("Content-Encoding", "gzip"),
            header("X-Odd", "caf\u{e9} \u{85}"),
        ],
        request: Some(Request {
            method: "GET".to_owned(),
            target: "/Caf%C3%A9/?b=2&a=1".to_owned(),
            headers: vec![header("Host", "www.a.test")],
        }),
        ip: "192.0.2.1".parse().ok(),
    };
    let whole = KeptExchange {
        address: "https://www.a.test:8443/Caf%C3%A9/?b=2&a=1".to_owned(),
        date: "2026-01-02T03:04:05Z".to_owned(),
        status: 200,
        exchange,
        body: "<!doctype html><title>Café</title>".as_bytes().to_vec(),
        conversion: None,
    };
    let old = KeptExchange {
        address: "http://b.test/old".to_owned(),
        date: String::new(),
        exchange: Exchange {
            headers: vec![header("Content-Length", "0")],
            ..Exchange::default()
        },
        body: Vec::new(),
        ..whole.clone()
    };
    let entry = |kept: Option<KeptExchange>| Entry {
        title: "Café \u{202e}\"{}\"".to_owned(),
        kept,
        ..Entry::default()
    };
    vec![entry(Some(whole)), entry(Some(old)), entry(None)]
}

/// A document and the HTML that was made of it.
fn document() -> Entry {
    let mut entry = kept_entries().swap_remove(0);
    if let Some(kept) = &mut entry.kept {
        kept.address = "https://a.test/a.pdf".to_owned();
        kept.exchange.headers[0] = header("Content-Type", "application/pdf");
        kept.body = b"%PDF-1.7 \xff\x00".to_vec();
        kept.conversion = Some("<!doctype html><title>Caf\u{e9}</title><p>of it".to_owned());
    }
    entry
}

/// A page to which two redirects lead, one after the other.
fn moved() -> Entry {
    let mut entry = kept_entries().swap_remove(0);
    let page = entry.kept.clone().unwrap();
    let redirect = |from: &str, to: &str| {
        let mut kept = page.clone();
        kept.address = from.to_owned();
        kept.status = 301;
        kept.exchange.headers = vec![header("Location", to), header("Content-Length", "0")];
        kept.body.clear();
        kept
    };
    entry.redirects = vec![
        redirect("http://a.test/first", "/second"),
        redirect("http://a.test/second", &page.address),
    ];
    entry
}

#[test]
fn redirects_stand_in_front_of_their_page() {
    let entries = [moved()];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    let written = taken("warc", &entries);
    std::fs::write(&path, &written).unwrap();
    let records: Vec<Record> = Reader::open(&path).unwrap().map(Result::unwrap).collect();
    let said = records.iter().filter(|record| record.kind == "response");
    let said: Vec<(String, Option<String>)> = said
        .map(|record| {
            let response = record.response().unwrap();
            (record.target.clone(), response.location)
        })
        .collect();
    let page = entries[0].kept.as_ref().unwrap().address.clone();
    let expected = [
        ("http://a.test/first".to_owned(), Some("/second".to_owned())),
        ("http://a.test/second".to_owned(), Some(page.clone())),
        (page.clone(), None),
    ];
    assert_eq!(said, expected);
    let lines = lines_of(&index_of(&unzipped(&taken("wacz", &entries))));
    let statuses = lines.iter().map(|(_, _, fields)| &fields["status"]);
    let statuses: Vec<&str> = statuses.map(|status| status.as_str().unwrap()).collect();
    assert_eq!(
        statuses.iter().filter(|status| **status == "301").count(),
        2
    );
    assert_eq!(lines.len(), 3);
}

fn taken(name: &str, entries: &[Entry]) -> Vec<u8> {
    let kept = Kept::default();
    let mut export = (Format::named(name).unwrap().begin)(Box::new(kept.clone()), &ABOUT);
    export.begin().unwrap();
    for entry in entries {
        export.page(entry).unwrap();
    }
    export.finish().unwrap();
    drop(export);
    kept.0.lock().unwrap().clone()
}

/// Members of a zip archive; records are not packed twice.
fn unzipped(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let members = (0..archive.len()).map(|number| {
        let mut member = archive.by_index(number).unwrap();
        let is_stored = member.compression() == CompressionMethod::Stored;
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        let name = member.name().unwrap().into_owned();
        assert_eq!(is_stored, name.starts_with("archive/"), "{name}");
        (name, bytes)
    });
    members.collect()
}

fn member<'a>(members: &'a [(String, Vec<u8>)], name: &str) -> &'a [u8] {
    let mut members = members.iter();
    &members.find(|(each, _)| each == name).unwrap().1
}

fn unpacked(bytes: &[u8]) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(bytes)
        .read_to_string(&mut text)
        .unwrap();
    text
}

fn index_of(members: &[(String, Vec<u8>)]) -> String {
    String::from_utf8(member(members, "indexes/index.cdx").to_vec()).unwrap()
}

/// Key, time and fields of each line.
fn lines_of(index: &str) -> Vec<(String, String, Value)> {
    let lines = index.lines().map(|line| {
        let mut parts = line.splitn(3, ' ').map(str::to_owned);
        let (key, time) = (parts.next().unwrap(), parts.next().unwrap());
        let fields = serde_json::from_str(&parts.next().unwrap()).unwrap();
        (key, time, fields)
    });
    lines.collect()
}

#[test]
fn pages_are_taken_away_as_they_were_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.gz");
    let entries = kept_entries();
    std::fs::write(&path, taken("warc", &entries)).unwrap();
    let records: Vec<Record> = Reader::open(&path).unwrap().map(Result::unwrap).collect();
    let kinds: Vec<&str> = records.iter().map(|record| &*record.kind).collect();
    assert_eq!(kinds, ["warcinfo", "response", "request", "response"]);
    let about = String::from_utf8_lossy(&records[0].block);
    assert_eq!(records[0].date, ABOUT.now);
    assert!(about.contains("isPartOf: Castles <&>\r\n"), "{about}");
    let whole = records[1].exchange().unwrap();
    let first = entries[0].kept.as_ref().unwrap();
    assert_eq!((&whole.body, &whole.date), (&first.body, &first.date));
    assert_eq!(whole.exchange.ip, first.exchange.ip);
    // Nothing is made up for what was kept without its head.
    let old = records[3].exchange().unwrap();
    assert_eq!(old.exchange.headers, [header("Content-Length", "0")]);
    assert_eq!((old.exchange.ip, old.exchange.version), (None, None));
    // Nor does a list of entries tell of records.
    assert!(
        !String::from_utf8(taken("jsonl", &entries))
            .unwrap()
            .contains("kept")
    );
}

#[test]
fn a_browser_finds_every_page_in_a_wacz() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.warc.gz");
    let mut entries = kept_entries();
    for number in 0..PAGES {
        let mut entry = entries[0].clone();
        if let Some(kept) = &mut entry.kept {
            kept.address = format!("http://c.test/{}", (number * 7) % PAGES);
        }
        entries.push(entry);
    }
    let members = unzipped(&taken("wacz", &entries));
    std::fs::write(&path, member(&members, "archive/data.warc.gz")).unwrap();

    let lines = lines_of(&index_of(&members));
    assert_eq!(lines.len(), PAGES + 2);
    assert!(lines.is_sorted_by(|one, other| (&one.0, &one.1) <= (&other.0, &other.1)));
    for (_, time, fields) in &lines {
        let (offset, length): (u64, u64) = (
            fields["offset"].as_str().unwrap().parse().unwrap(),
            fields["length"].as_str().unwrap().parse().unwrap(),
        );
        let address = fields["url"].as_str().unwrap();
        let kept = Reader::exchange_at(&path, offset, address).unwrap();
        assert_eq!(fields["digest"], digest(&kept.body));
        assert_eq!(fields["filename"], "data.warc.gz");
        assert_eq!(time.len(), 14);
        // The record is as long as is said, whatever stands behind it.
        let bytes = &std::fs::read(&path).unwrap()[offset as usize..(offset + length) as usize];
        let record = unpacked(bytes);
        assert!(record.ends_with("\r\n\r\n") && record.matches("WARC/1.1").count() == 1);
    }
    let (key, time, fields) = &lines[0];
    assert_eq!(
        (&**key, &**time),
        ("test,a:8443)/caf%c3%a9?a=1&b=2", "20260102030405")
    );
    assert_eq!(
        (&fields["mime"], &fields["status"]),
        (&"text/html".into(), &"200".into())
    );

    let pages = String::from_utf8(member(&members, "pages/pages.jsonl").to_vec()).unwrap();
    let pages: Vec<Value> = pages
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(pages.len(), PAGES + 3);
    assert_eq!(pages[0]["format"], "json-pages-1.0");
    assert_eq!(pages[1]["ts"], "2026-01-02T03:04:05Z");
    assert_eq!(pages[1]["title"], "Café \"{}\"");
    assert_eq!(pages[2]["ts"], "1970-01-01T00:00:00Z");
}

#[test]
fn a_wacz_says_what_is_in_it() {
    let members = unzipped(&taken("wacz", &kept_entries()));
    let package: Value = serde_json::from_slice(member(&members, "datapackage.json")).unwrap();
    assert_eq!(package["wacz_version"], "1.1.1");
    assert_eq!(package["created"], ABOUT.now);
    let resources = package["resources"].as_array().unwrap();
    assert_eq!(resources.len() + 2, members.len());
    for resource in resources {
        let bytes = member(&members, resource["path"].as_str().unwrap());
        assert_eq!(resource["hash"], digest(bytes), "{resource}");
        assert_eq!(resource["bytes"], bytes.len());
    }
    let last: Value = serde_json::from_slice(member(&members, "datapackage-digest.json")).unwrap();
    assert_eq!(last["hash"], digest(member(&members, "datapackage.json")));
    // Without a page it is whole, too.
    assert_eq!(unzipped(&taken("wacz", &[])).len(), members.len());
}

#[test]
fn a_document_is_read_in_again_as_the_same_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.warc.gz");
    let mut entries = kept_entries();
    entries.insert(1, document());
    let wanted = document().kept.unwrap();
    let wacz = unzipped(&taken("wacz", &entries));
    let line = lines_of(&index_of(&wacz)).swap_remove(0).2;
    assert_eq!(line["mime"], "application/pdf");
    for bytes in [
        taken("warc", &entries),
        member(&wacz, "archive/data.warc.gz").to_vec(),
    ] {
        std::fs::write(&path, bytes).unwrap();
        let captures = Reader::open(&path).unwrap().captures();
        let kept: Vec<KeptExchange> = captures
            .map(|capture| capture.unwrap().exchange().unwrap())
            .collect();
        assert_eq!(kept.len(), 3);
        assert_eq!(
            (&kept[1].body, &kept[1].conversion),
            (&wanted.body, &wanted.conversion)
        );
        assert!(kept[1].exchange.request.is_some());
    }
    let offset = line["offset"].as_str().unwrap().parse().unwrap();
    let kept = Reader::exchange_at(&path, offset, &wanted.address).unwrap();
    assert_eq!(kept.conversion, wanted.conversion);
}

/// What a program says of a file, if it is installed; it must be content.
fn said(program: &str, arguments: &[&str], file: &Path) -> Option<String> {
    let done = Command::new(program).args(arguments).arg(file).output();
    let Ok(done) = done else {
        println!("skipped: {program} is not installed");
        return None;
    };
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{program}: {said}{complaint}");
    Some(said)
}

#[test]
fn programs_of_archivists_accept_them() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let (warc, wacz) = (place("data.warc.gz"), place("a.wacz"));
    let mut entries = kept_entries();
    entries.extend([document(), moved()]);
    std::fs::write(&warc, taken("warc", &entries)).unwrap();
    let whole = taken("wacz", &entries);
    std::fs::write(&wacz, &whole).unwrap();
    if let Some(said) = said("warcio", &["check", "-v"], &warc) {
        assert_eq!(said.matches("digest pass").count(), 13, "{said}");
    }
    if let Some(theirs) = said("cdxj-indexer", &["-s"], &warc) {
        let mut ours = lines_of(&index_of(&unzipped(&whole)));
        let mut theirs = lines_of(&theirs);
        // The records of both files have other identifiers: packed they differ in length.
        for (_, _, fields) in ours.iter_mut().chain(&mut theirs) {
            for name in ["offset", "length"] {
                assert!(fields[name].take().is_string());
            }
        }
        assert_eq!(ours, theirs);
    }
    if let Some(said) = said("wacz", &["validate", "-f"], &wacz) {
        assert!(said.contains("Validation succeeded"), "{said}");
    }
}

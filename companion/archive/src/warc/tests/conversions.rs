//! Pages that were read as HTML made of them, and what is left of them after crashes.

use linkscent_core::address::Address;
use linkscent_core::dom::html;

use super::*;
use crate::page;

const PDF: &[u8] = b"%PDF-1.7 \x00\xff not text";
const HTML: &str = "<!doctype html><title>Caf\u{e9}</title><p>made of it";
const ADDRESS: &str = "http://a.org/x.pdf";
const OTHER: &str = "http://b.org/";

fn exchange() -> Exchange {
    Exchange {
        version: Some(Version::Http11),
        headers: vec![("Content-Type".to_owned(), b"application/pdf".to_vec())],
        request: Some(Request {
            method: "GET".to_owned(),
            target: "/x.pdf".to_owned(),
            ..Request::default()
        }),
        ip: "192.0.2.1".parse().ok(),
        ..Exchange::default()
    }
}

fn document(exchange: &Exchange) -> Kept<'_> {
    Kept {
        address: ADDRESS,
        status: 200,
        body: PDF,
        date: "2026-01-02T03:04:05Z",
        exchange: Some(exchange),
        conversion: Some(HTML),
        ..Kept::default()
    }
}

/// A page, a document with all its records, and a page again; where they begin and all ends.
fn archive(path: &Path) -> [u64; 4] {
    let exchange = exchange();
    let mut writer = writer(path, 0).unwrap();
    let other = Kept {
        address: OTHER,
        status: 200,
        body: b"<p>other",
        ..Kept::default()
    };
    [
        writer.page(&other).unwrap(),
        writer.page(&document(&exchange)).unwrap(),
        writer.page(&other).unwrap(),
        writer.length(),
    ]
}

fn open(path: &Path) -> File {
    File::options().read(true).write(true).open(path).unwrap()
}

#[test]
fn a_document_comes_back_with_what_was_made_of_it() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let [_, offset, next, _] = archive(&path);
    let kept = Reader::exchange_at(&path, offset, ADDRESS).unwrap();
    assert_eq!((&*kept.body, kept.conversion.as_deref()), (PDF, Some(HTML)));
    assert_eq!(kept.exchange.request.as_ref().unwrap().target, "/x.pdf");
    let response = Reader::response_at(&path, offset, ADDRESS).unwrap();
    assert_eq!(response.content_type.as_deref(), Some("application/pdf"));
    assert_eq!((&*response.body, &*response.html()), (PDF, HTML));
    assert_eq!(kept.html(), HTML);
    let plain = Reader::exchange_at(&path, next, OTHER).unwrap();
    assert_eq!(
        (plain.conversion.as_deref(), &*plain.html()),
        (None, "<p>other")
    );

    let address = Address::parse(ADDRESS).unwrap();
    let (page, digest) = page::page_at(&path, offset, &address).unwrap();
    assert_eq!(page.title(), "Caf\u{e9}");
    assert_eq!(digest, page::build(address, PDF, None).1);
    assert_eq!(html::parse(HTML).passages().len(), 1);
}

#[test]
fn records_of_a_document_are_connected_for_readers_that_others_wrote() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    archive(&path);
    let records = exchanges::foreign(&path);
    let kinds: Vec<String> = records
        .iter()
        .map(|(field, _)| field("warc-type"))
        .collect();
    let of_document = ["response", "request", "conversion"];
    assert_eq!(kinds[2..5], of_document);
    assert_eq!(kinds.len(), 6);
    let ((response, body), (conversion, made)) = (&records[2], &records[4]);
    assert!(body.ends_with(PDF));
    assert_eq!(made, HTML.as_bytes());
    assert_eq!(conversion("warc-refers-to"), response("warc-record-id"));
    assert_eq!(
        response("linkscent-conversion"),
        conversion("warc-record-id")
    );
    assert_eq!(conversion("content-type"), "text/html; charset=utf-8");
    assert_eq!(conversion("warc-payload-digest"), digest(HTML.as_bytes()));
    for field in ["warc-target-uri", "warc-date", "warc-warcinfo-id"] {
        assert_eq!(conversion(field), response(field), "{field}");
    }
    // The standard has these for records of what went over the network only.
    for field in ["warc-ip-address", "warc-protocol", "warc-concurrent-to"] {
        assert_eq!(conversion(field), "", "{field}");
    }
    assert!(records[1].0("linkscent-conversion").is_empty());
}

#[test]
fn captures_gather_what_belongs_together() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    archive(&path);
    let captures = Reader::open(&path).unwrap().captures();
    let kept: Vec<_> = captures
        .map(|capture| capture.unwrap().exchange().unwrap())
        .collect();
    let made: Vec<_> = kept.iter().map(|kept| kept.conversion.as_deref()).collect();
    assert_eq!(made, [None, Some(HTML), None]);
    assert!(kept[1].exchange.request.is_some() && kept[2].exchange.request.is_none());
    // Whoever reads responses one by one gets them as they came.
    let records = Reader::open(&path).unwrap().map(Result::unwrap);
    let bodies = records.filter(|record| record.kind == "response");
    let bodies: Vec<_> = bodies
        .map(|record| record.response().unwrap().body)
        .collect();
    assert_eq!(bodies, [b"<p>other", PDF, b"<p>other"]);
}

#[test]
fn a_cut_leaves_the_page_with_its_conversion_or_not_at_all() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let [first, offset, next, end] = archive(&path);
    let whole = std::fs::read(&path).unwrap();
    for length in first..=end {
        std::fs::write(&path, &whole[..length as usize]).unwrap();
        let until = whole_until(&mut open(&path), first).unwrap();
        let wanted = [first, offset, next, end]
            .into_iter()
            .filter(|at| *at <= length);
        assert_eq!(Some(until), wanted.max(), "cut at {length}");
        if length < next {
            let gone = Reader::response_at(&path, offset, ADDRESS);
            assert!(
                matches!(gone, Err(WarcError::Damaged { .. })),
                "cut at {length}"
            );
            assert!(Reader::exchange_at(&path, offset, ADDRESS).is_err());
            for capture in Reader::open(&path).unwrap().captures() {
                let Some(kept) = capture.ok().and_then(Capture::exchange) else {
                    continue;
                };
                let is_document = kept.address == ADDRESS;
                assert_eq!(kept.conversion.is_some(), is_document, "cut at {length}");
            }
        }
    }
}

#[test]
fn a_damaged_conversion_is_not_believed() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let [_, offset, next, _] = archive(&path);
    let whole = std::fs::read(&path).unwrap();
    for place in offset as usize..next as usize {
        let mut damaged = whole.clone();
        damaged[place] ^= 0xFF;
        std::fs::write(&path, &damaged).unwrap();
        // Some bytes of a gzip header mean nothing, and a request may be gone.
        if let Ok(kept) = Reader::exchange_at(&path, offset, ADDRESS) {
            assert_eq!((&*kept.body, &*kept.html()), (PDF, HTML), "byte {place}");
        }
    }
    // That of another page is not taken in its place.
    let second = folder.path().join("b.warc.gz");
    archive(&second);
    let others = std::fs::read(&second).unwrap();
    let starts: Vec<usize> = (offset as usize..next as usize)
        .filter(|place| others[*place..].starts_with(&[0x1F, 0x8B, 8]))
        .collect();
    let mut mixed = whole[..offset as usize].to_vec();
    let ours: Vec<usize> = (offset as usize..next as usize)
        .filter(|place| whole[*place..].starts_with(&[0x1F, 0x8B, 8]))
        .collect();
    mixed.extend_from_slice(&whole[offset as usize..*ours.last().unwrap()]);
    mixed.extend_from_slice(&others[*starts.last().unwrap()..]);
    std::fs::write(&path, mixed).unwrap();
    let error = Reader::response_at(&path, offset, ADDRESS).unwrap_err();
    assert!(
        error.to_string().contains("what was made of the page"),
        "{error}"
    );
}

#[test]
fn a_forgotten_document_is_gone_with_what_was_made_of_it() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let [_, offset, next, end] = archive(&path);
    for _ in 0..2 {
        blank_exchange(&mut open(&path), offset, next).unwrap();
        let records = Reader::open(&path).unwrap().map(Result::unwrap);
        let kinds: Vec<String> = records.map(|record| record.kind).collect();
        assert_eq!(kinds, ["warcinfo", "response", "response"]);
        assert!(!exchanges::text(&path).contains("made of it"));
    }
    assert_eq!(std::fs::metadata(&path).unwrap().len(), end);
    assert_eq!(whole_until(&mut open(&path), offset).unwrap(), end);
    assert!(Reader::response_at(&path, next, OTHER).is_ok());
}

#[test]
fn what_was_made_of_a_page_is_no_larger_than_is_read_again() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let exchange = exchange();
    let html = "x".repeat(LARGEST_BLOCK as usize + 1);
    let page = Kept {
        conversion: Some(&html),
        ..document(&exchange)
    };
    let mut writer = writer(&path, 0).unwrap();
    assert!(writer.page(&page).is_err());
    // It is not the file that failed.
    let offset = writer.page(&document(&exchange)).unwrap();
    assert!(Reader::response_at(&path, offset, ADDRESS).is_ok());
    // What leads elsewhere, or is what it was, has none.
    writer.redirect(&document(&exchange), OTHER).unwrap();
    let records = exchanges::foreign(&path);
    assert_eq!(records.last().unwrap().0("warc-type"), "request");
}

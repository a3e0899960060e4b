//! Exchanges as they were, hostile ones, and what earlier versions kept.

use super::*;

fn header(name: &str, value: &[u8]) -> Header {
    (name.to_owned(), value.to_vec())
}

fn exchange() -> Exchange {
    Exchange {
        version: Some(Version::Http2),
        reason: "Quite Fine".to_owned(),
        headers: vec![
            header("content-TYPE", b"text/html; charset=utf-8"),
            header("Set-Cookie", b"a=1"),
            header("X-Odd", b"caf\xe9"),
            header("Content-Encoding", b"gzip"),
            header("set-cookie", b"b=2"),
            header("Transfer-Encoding", b"chunked"),
            header("Content-Length", b"3"),
        ],
        request: Some(Request {
            method: "GET".to_owned(),
            target: "/x?y=1".to_owned(),
            headers: vec![header("Host", b"a.org"), header("User-Agent", b"linkscent")],
        }),
        ip: "2001:db8::1".parse().ok(),
    }
}

const DATE: &str = "2026-01-02T03:04:05Z";

fn kept(exchange: &Exchange) -> Kept<'_> {
    Kept {
        address: "http://a.org/x?y=1",
        status: 200,
        body: b"<p>whole body",
        date: DATE,
        exchange: Some(exchange),
        ..Kept::default()
    }
}

/// All bytes of an archive, unpacked.
pub(super) fn text(path: &Path) -> String {
    let mut bytes = Vec::new();
    let file = std::fs::read(path).unwrap();
    MultiGzDecoder::new(&file[..])
        .read_to_end(&mut bytes)
        .unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A field of a record by its name; empty if there is none.
pub(super) type Field = Box<dyn Fn(&str) -> String>;

/// The records as a reader that others wrote finds them: fields and blocks.
pub(super) fn foreign(path: &Path) -> Vec<(Field, Vec<u8>)> {
    let file = std::fs::read(path).unwrap();
    let input = io::BufReader::new(MultiGzDecoder::new(&file[..]));
    let records = ::warc::WarcReader::new(input).iter_raw_records();
    let records = records.map(|record| {
        let (fields, block) = record.unwrap();
        let field = move |name: &str| {
            let value = fields.as_ref().get(&::warc::WarcHeader::from(name));
            value.map_or(String::new(), |value| {
                String::from_utf8(value.clone()).unwrap()
            })
        };
        (Box::new(field) as Field, block)
    });
    records.collect()
}

#[test]
fn an_exchange_comes_back_as_it_was() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let (exchange, mut writer) = (exchange(), writer(&path, 0).unwrap());
    let offset = writer.page(&kept(&exchange)).unwrap();
    let read = Reader::exchange_at(&path, offset, "http://a.org/x?y=1").unwrap();
    assert_eq!((read.status, &*read.date), (200, DATE));
    assert_eq!(read.body, b"<p>whole body");
    let wanted = [
        header("content-TYPE", b"text/html; charset=utf-8"),
        header("Set-Cookie", b"a=1"),
        header("X-Odd", b"caf\xe9"),
        header("X-Archive-Orig-Content-Encoding", b"gzip"),
        header("set-cookie", b"b=2"),
        header("X-Archive-Orig-Transfer-Encoding", b"chunked"),
        header("X-Archive-Orig-Content-Length", b"3"),
        header("Content-Length", b"13"),
    ];
    assert_eq!(read.exchange.headers, wanted);
    assert_eq!(
        Exchange {
            headers: exchange.headers.clone(),
            ..read.exchange.clone()
        },
        exchange
    );
    // Written again it is the same.
    let again = writer.page(&read.kept()).unwrap();
    let again = Reader::exchange_at(&path, again, "http://a.org/x?y=1").unwrap();
    assert_eq!(again, read);
    let by_offset = Reader::response_at(&path, offset, "http://a.org/x?y=1").unwrap();
    assert_eq!(by_offset.body, read.body);
}

#[test]
fn records_are_connected_and_have_digests_for_readers_that_others_wrote() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let exchange = exchange();
    writer(&path, 0).unwrap().page(&kept(&exchange)).unwrap();
    let records = foreign(&path);
    let kinds: Vec<String> = records
        .iter()
        .map(|(field, _)| field("warc-type"))
        .collect();
    assert_eq!(kinds, ["warcinfo", "response", "request"]);
    let [(info, about), (response, block), (request, asked)] = &records[..] else {
        panic!("{kinds:?}");
    };
    assert_eq!(info("warc-date"), "2026-01-02T00:00:00Z");
    let about = String::from_utf8_lossy(about);
    assert!(about.contains("software: linkscent/"), "{about}");
    assert!(about.contains("\r\nrobots: obey\r\n") && about.contains("conformsTo: http://iipc"));
    assert_eq!(request("warc-concurrent-to"), response("warc-record-id"));
    assert_ne!(request("warc-record-id"), response("warc-record-id"));
    for (field, block) in [(response, block), (request, asked)] {
        assert_eq!(field("warc-warcinfo-id"), info("warc-record-id"));
        assert_eq!(field("warc-target-uri"), "http://a.org/x?y=1");
        assert_eq!(field("warc-ip-address"), "2001:db8::1");
        assert_eq!(field("warc-protocol"), "h2");
        assert_eq!(field("warc-date"), DATE);
        assert_eq!(field("warc-block-digest"), digest(block));
    }
    assert_eq!(response("warc-payload-digest"), digest(b"<p>whole body"));
    assert!(block.starts_with(b"HTTP/1.1 200 Quite Fine\r\n"));
    assert_eq!(
        asked,
        b"GET /x?y=1 HTTP/1.1\r\nHost: a.org\r\nUser-Agent: linkscent\r\n\r\n"
    );
}

#[test]
fn hostile_heads_break_no_record() {
    let long = vec![b'x'; 100_000];
    let many = (0..5_000).map(|number| header(&format!("X-{number}"), b"1"));
    let broken = [
        header("A", b"1\r\nWARC-Type: evil\r\n\r\n\x00<script>"),
        header("B\r\nC", b"1"),
        header("", b"1"),
        header("D: E", b"1"),
        header("F\u{e9}", b"\x7f\x01\t\xff"),
    ];
    let heads: [(Vec<Header>, &str); 4] = [
        (broken.to_vec(), "4"),
        (many.collect(), "4744"),
        (vec![header("Long", &long), header("Short", b"1")], "1"),
        (vec![header("Half", &long[..30_000]); 9], "7"),
    ];
    let folder = folder();
    for (number, (headers, omitted)) in heads.into_iter().enumerate() {
        let path = folder.path().join(format!("{number}.warc.gz"));
        let exchange = Exchange {
            reason: "fine\r\nX: y".to_owned(),
            request: Some(Request {
                method: "GET /\r\n".to_owned(),
                target: "/ HTTP/9\r\n\r\nWARC/1.1".to_owned(),
                headers: headers.clone(),
            }),
            headers,
            ..Exchange::default()
        };
        let page = Kept {
            date: "2026\r\nX: y",
            ..kept(&exchange)
        };
        let mut writer = writer(&path, 0).unwrap();
        let offset = writer.page(&page).unwrap();
        writer.page(&page).unwrap();
        let read = Reader::exchange_at(&path, offset, page.address).unwrap();
        assert_eq!(read.body, page.body);
        assert_eq!(read.date, "1970-01-01T00:00:00Z");
        assert_eq!(
            read.header("x-archive-omitted-headers").as_deref(),
            Some(omitted)
        );
        assert_eq!(read.header("content-length").as_deref(), Some("13"));
        assert_eq!(read.exchange.reason, "fine  X: y");
        assert!(read.exchange.request.is_some(), "{number}");
        assert_eq!(foreign(&path).len(), 5);
    }
}

#[test]
fn a_head_that_is_full_still_says_how_long_the_body_is() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let mut writer = writer(&path, 0).unwrap();
    for length in (65_400..65_600).step_by(5) {
        let exchange = Exchange {
            headers: vec![header("Long", &vec![b'x'; length])],
            ..Exchange::default()
        };
        let from = Kept {
            status: 301,
            ..kept(&exchange)
        };
        let offset = writer.redirect(&from, "http://a.org/to").unwrap();
        let read = Reader::exchange_at(&path, offset, from.address).unwrap();
        assert_eq!(read.header("content-length").as_deref(), Some("0"));
        assert_eq!(read.header("location").as_deref(), Some("http://a.org/to"));
    }
}

#[test]
fn a_page_without_heads_says_what_is_usual() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let mut writer = writer(&path, 0).unwrap();
    let mut page = Kept {
        address: "http://a.org/",
        content_type: Some("text/html\r\nX: y"),
        body: b"body",
        ..Kept::default()
    };
    for status in [200, 999] {
        page.status = status;
        writer.page(&page).unwrap();
    }
    let records = foreign(&path);
    assert_eq!(records.len(), 3);
    assert_eq!(
        String::from_utf8_lossy(&records[1].1),
        "HTTP/1.1 200 OK\r\nContent-Type: text/html  X: y\r\nContent-Length: 4\r\n\r\nbody"
    );
    assert!(records[2].1.starts_with(b"HTTP/1.1 999 \r\n"));
    assert!(records[1].0("warc-protocol").is_empty());
}

#[test]
fn redirects_and_pages_that_are_what_they_were() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let mut writer = writer(&path, 0).unwrap();
    let exchange = exchange();
    let page = kept(&exchange);
    let from = Kept {
        status: 301,
        ..page
    };
    let offset = writer.redirect(&from, "http://a.org/to").unwrap();
    let redirect = Reader::response_at(&path, offset, page.address).unwrap();
    assert_eq!(redirect.status, 301);
    assert_eq!(redirect.location.as_deref(), Some("http://a.org/to"));
    assert!(redirect.body.is_empty());

    let (address, date) = ("http://a.org/first", "2025-01-02T03:04:05Z");
    let same = Revisited::SamePayload { address, date };
    writer.revisit(&page, &same).unwrap();
    let unmodified = Kept {
        status: 304,
        exchange: None,
        ..page
    };
    let not_modified = Revisited::NotModified { address, date };
    writer.revisit(&unmodified, &not_modified).unwrap();
    let records = foreign(&path);
    let revisits: Vec<_> = records
        .iter()
        .filter(|(field, _)| field("warc-type") == "revisit")
        .collect();
    let profile = "http://netpreserve.org/warc/1.1/revisit/";
    for (field, block) in &revisits {
        assert_eq!(field("warc-refers-to-target-uri"), address);
        assert_eq!(field("warc-refers-to-date"), date);
        assert!(block.ends_with(b"\r\n\r\n"));
        assert!(field("warc-profile").starts_with(profile));
    }
    let [(same, _), (unmodified, _)] = &revisits[..] else {
        panic!("{} revisits", revisits.len());
    };
    assert!(same("warc-profile").ends_with("/identical-payload-digest"));
    assert_eq!(same("warc-payload-digest"), digest(page.body));
    assert_eq!(same("warc-truncated"), "length");
    assert!(unmodified("warc-profile").ends_with("/server-not-modified"));
    assert!(unmodified("warc-payload-digest").is_empty());
}

#[test]
fn whoever_goes_on_describes_what_follows() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let exchange = exchange();
    let mut first = writer(&path, 0).unwrap();
    first.page(&kept(&exchange)).unwrap();
    let length = first.length();
    drop(first);
    let file = File::options().write(true).open(&path).unwrap();
    let mut later = Writer::open(file, length, "2026-05-05T05:05:05Z").unwrap();
    let offset = later.page(&kept(&exchange)).unwrap();
    assert!(Reader::response_at(&path, offset, "http://a.org/x?y=1").is_ok());
    let records = foreign(&path);
    assert_eq!(records.len(), 6);
    assert_eq!(records[3].0("warc-date"), "2026-05-05T05:05:05Z");
    assert_eq!(
        records[4].0("warc-warcinfo-id"),
        records[3].0("warc-record-id")
    );
    assert!(!text(&path).contains(": 1970-01"));
}

#[test]
fn what_earlier_versions_kept_is_read() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let block = "HTTP/1.1 200 \r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<p>old";
    let record = format!(
        "WARC/1.1\r\nWARC-Type: response\r\n\
         WARC-Record-ID: <urn:uuid:a3ad9dd4-6c1b-4f0a-9d0e-1f5fd6f7a111>\r\n\
         WARC-Date: {DATE}\r\nWARC-Target-URI: http://a.org/\r\n\
         Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    );
    let mut member = GzEncoder::new(Vec::new(), Compression::fast());
    member.write_all(record.as_bytes()).unwrap();
    std::fs::write(&path, member.finish().unwrap()).unwrap();
    let response = Reader::response_at(&path, 0, "http://a.org/").unwrap();
    assert_eq!(response.body, b"<p>old");
    let read = Reader::exchange_at(&path, 0, "http://a.org/").unwrap();
    assert_eq!((read.status, &*read.date), (200, DATE));
    assert_eq!(read.header("content-type").as_deref(), Some("text/html"));
    let all_that_is_known = Exchange {
        headers: vec![
            header("Content-Type", b"text/html"),
            header("Content-Length", b"6"),
        ],
        ..Exchange::default()
    };
    assert_eq!(read.exchange, all_that_is_known);
}

#[test]
fn a_request_counts_only_if_it_is_whole_and_the_responses_own() {
    let folder = folder();
    let path = folder.path().join("a.warc.gz");
    let exchange = exchange();
    let mut writer = writer(&path, 0).unwrap();
    let offset = writer.page(&kept(&exchange)).unwrap();
    let read = |path: &Path| Reader::exchange_at(path, offset, "http://a.org/x?y=1").unwrap();
    assert!(read(&path).exchange.request.is_some());
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(read(&path).exchange.request.is_none());
    // One of another response of the same page.
    let bare = Exchange::default();
    std::fs::remove_file(&path).unwrap();
    let mut writer = super::writer(&path, 0).unwrap();
    let second = writer.page(&kept(&bare)).unwrap();
    let end = writer.length() as usize;
    let mut bytes = std::fs::read(&path).unwrap();
    let records: Vec<usize> = (offset as usize + 1..whole.len())
        .filter(|place| whole[*place..].starts_with(&[0x1F, 0x8B, 8]))
        .collect();
    bytes.extend_from_slice(&whole[*records.last().unwrap()..]);
    assert!(bytes.len() > end);
    std::fs::write(&path, bytes).unwrap();
    let other = Reader::exchange_at(&path, second, "http://a.org/x?y=1").unwrap();
    assert!(other.exchange.request.is_none());
}

#[test]
fn what_an_answer_asks_of_crawlers_is_known() {
    let asks = |values: &[&str]| {
        let headers = values
            .iter()
            .map(|value| ("X-Robots-Tag".to_owned(), value.as_bytes().to_vec()));
        Exchange {
            headers: headers.collect(),
            ..Exchange::default()
        }
        .asks_not_to_follow()
    };
    assert!(asks(&["noindex, nofollow"]) && asks(&["NONE"]));
    assert!(asks(&["noindex", "nofollow"]), "in a second header");
    assert!(asks(&["linkscent: nofollow"]));
    assert!(asks(&[
        "nofollow, unavailable_after: 25 Jun 2030 15:00:00 PST"
    ]));
    assert!(asks(&["max-image-preview:large, noindex, nofollow"]));
    assert!(asks(&["otherbot: noindex, linkscent: nofollow"]));
    assert!(!asks(&["max-image-preview: none"]) && !asks(&["otherbot: noindex, nofollow"]));
    assert!(!asks(&["otherbot: nofollow"]) && !asks(&["noindex"]) && !asks(&[]));
    assert!(!asks(&["unavailable_after: 25 Jun 2030 15:00:00 PST"]));
}

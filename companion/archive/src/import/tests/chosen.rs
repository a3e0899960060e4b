//! What is a page, which capture of it is taken, and what is said of the rest.

use super::*;

const A: &str = "http://a.org/";

fn revisit(address: &str, date: &str, fields: &str) -> Vec<u8> {
    let fields = format!("WARC-Date: {date}\r\n{fields}");
    record("revisit", address, &fields, &http("200 OK", HTML, b""))
}

#[test]
fn what_is_no_page_is_passed_over_and_counted() {
    let status = |status: &str, head: &str| record("response", A, "", &http(status, head, b"<p>"));
    let cases = [
        (status("301 Moved", "Location: /x\r\n"), Reason::Redirect),
        (status("304 Not Modified", ""), Reason::Redirect),
        (status("404 Not Found", HTML), Reason::Status),
        (status("206 Partial", HTML), Reason::Status),
        (status("503 No", HTML), Reason::Status),
        (
            status("200 OK", "Content-Type: image/png\r\n"),
            Reason::Kind,
        ),
        (
            status("200 OK", "Content-Type: text/htmlx\r\n"),
            Reason::Kind,
        ),
        (page("dns:a.org", "<p>"), Reason::Address),
        (page("file:///etc/passwd", "<p>"), Reason::Address),
        (page("http://a.org/\rx: y", "<p>"), Reason::Address),
        (page("http://a.org/\u{85}x", "<p>"), Reason::Address),
        (
            page(&format!("{A}{}", "x".repeat(3_000)), "<p>"),
            Reason::Address,
        ),
        (record("response", A, "", b"no http"), Reason::NoResponse),
        (record("resource", A, "", b"<p>"), Reason::NoResponse),
        (
            revisit(A, DATE, "WARC-Payload-Digest: sha1:X\r\n"),
            Reason::Revisit,
        ),
        (page(A, &"x".repeat(17 << 20)), Reason::TooLarge),
    ];
    for (number, (file, reason)) in cases.iter().enumerate() {
        let archive = Archive::of(file);
        let import = archive.open();
        let survey = import.survey();
        assert_eq!(
            (survey.pages, survey.problems.len()),
            (0, 0),
            "case {number}"
        );
        let passed: Vec<_> = survey.passed_over.iter().collect();
        assert_eq!(passed, [(*reason, 1)], "case {number}");
        assert!(read(&import).0.is_empty());
        assert!(!reason.said().is_empty());
    }
    let others = [
        record("warcinfo", "", "", b"x: y"),
        record("metadata", A, "", b"x: y"),
        record("continuation", A, "", b"x: y"),
        record("request", A, "", b"GET / HTTP/1.1\r\n\r\n"),
    ];
    assert!(pages_of(&others.concat()).is_empty());
}

#[test]
fn pages_without_a_media_type_or_with_another_success_are_pages() {
    let file = [
        record("response", A, "", &http("200 OK", "", b"<p>one")),
        record(
            "response",
            "<http://b.org/>",
            "",
            &http("203 Other", HTML, b"<p>two"),
        ),
        record(
            "response",
            "HTTP://C.org:80/#x",
            "",
            &http(
                "200 OK",
                "Content-Type: application/xhtml+xml; charset=utf-8\r\n",
                b"<p>three",
            ),
        ),
    ];
    let wanted = [
        (A, "<p>one"),
        ("http://b.org/", "<p>two"),
        ("http://c.org/", "<p>three"),
    ];
    assert_eq!(pages_of(&file.concat()), pairs(&wanted));
}

#[test]
fn the_latest_capture_of_an_address_is_taken() {
    let dated = |date: &str, body: &str| response(A, date, HTML, body.as_bytes());
    let cases: [(&[(&str, &str)], &str); 5] = [
        (
            &[
                ("2026-01-01T00:00:00Z", "old"),
                ("2026-01-02T00:00:00Z", "new"),
            ],
            "new",
        ),
        (
            &[
                ("2026-01-02T00:00:00Z", "new"),
                ("2026-01-01T00:00:00Z", "old"),
            ],
            "new",
        ),
        (
            &[
                ("2026-01-01T00:00:00.5Z", "new"),
                ("2026-01-01T00:00:00Z", "old"),
            ],
            "new",
        ),
        (&[(DATE, "first"), (DATE, "last")], "last"),
        (
            &[("2026-01-01T00:00:00Z", "dated"), ("yesterday", "undated")],
            "dated",
        ),
    ];
    for (captures, wanted) in cases {
        let file: Vec<u8> = captures
            .iter()
            .flat_map(|(date, body)| dated(date, body))
            .collect();
        assert_eq!(pages_of(&file), pairs(&[(A, wanted)]));
        let archive = Archive::of(&file);
        assert_eq!(archive.open().survey().passed_over.of(Reason::Older), 1);
    }
}

#[test]
fn revisits_are_what_they_refer_to() {
    let original = record(
        "response",
        A,
        "WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:x:1>\r\n\
         WARC-Payload-Digest: sha1:ABC\r\n",
        &http("200 OK", HTML, b"<p>same"),
    );
    let refers = "WARC-Refers-To-Target-URI: <http://a.org/>\r\n\
                  WARC-Refers-To-Date: 2026-01-01T00:00:00Z\r\n";
    for fields in [
        "WARC-Payload-Digest: sha1:ABC\r\n",
        "WARC-Refers-To: <urn:x:1>\r\n",
        refers,
    ] {
        let later = revisit(A, DATE, fields);
        let other = revisit("http://b.org/", DATE, fields);
        let file = [&*original, &later, &page("http://c.org/", "<p>c"), &other].concat();
        let archive = Archive::of(&file);
        let import = archive.open();
        assert_eq!(import.survey().passed_over.of(Reason::Older), 1, "{fields}");
        let (kept, ..) = read(&import);
        let seen: Vec<_> = kept
            .iter()
            .map(|page| (&*page.address, &*page.date, &*page.body))
            .collect();
        let wanted: [(&str, &str, &[u8]); 3] = [
            (A, DATE, b"<p>same"),
            ("http://b.org/", DATE, b"<p>same"),
            ("http://c.org/", DATE, b"<p>c"),
        ];
        assert_eq!(seen, wanted, "{fields}");
        // What stands behind it was not met.
        let turned = Archive::of(&[&*later, &original].concat());
        let turned = turned.open();
        assert_eq!(turned.survey().passed_over.of(Reason::Revisit), 1);
        assert_eq!(read(&turned).0[0].date, "2026-01-01T00:00:00Z");
    }
    // Nothing that is not there is referred to by fields that are empty.
    let bare = Archive::of(&[&*page(A, "<p>"), &revisit("http://b.org/", DATE, "")].concat());
    assert_eq!(bare.open().survey().passed_over.of(Reason::Revisit), 1);
}

#[test]
fn no_more_is_remembered_for_revisits_than_there_may_be_pages() {
    let mut file = Vec::new();
    for number in 0..9 {
        let fields =
            format!("WARC-Payload-Digest: sha1:{number}\r\nWARC-Date: 2026-01-0{number}\r\n");
        file.extend(record(
            "response",
            A,
            &fields,
            &http("200 OK", HTML, b"<p>"),
        ));
    }
    file.extend(revisit(
        "http://b.org/",
        DATE,
        "WARC-Payload-Digest: sha1:8\r\n",
    ));
    let archive = Archive::of(&file);
    assert_eq!(archive.open().survey().pages, 2);
    let limits = Limits {
        pages: 2,
        ..Limits::default()
    };
    let few = Import::open(&archive.path(), limits).unwrap();
    assert_eq!(
        (
            few.survey().pages,
            few.survey().passed_over.of(Reason::Revisit)
        ),
        (1, 1)
    );
}

#[test]
fn requests_stand_before_or_behind() {
    let ask = |path: &str, fields: &str| {
        let block = format!("GET {path} HTTP/1.1\r\nHost: a.org\r\n\r\n");
        record("request", A, fields, block.as_bytes())
    };
    let answer = |fields: &str| record("response", A, fields, &http("200 OK", HTML, b"<p>"));
    let other = "WARC-Record-ID: <urn:x:9>\r\nWARC-Concurrent-To: <urn:x:8>\r\n";
    let files = [
        // As wget has it.
        vec![
            ask("/right", "WARC-Record-ID: <urn:x:1>\r\n"),
            answer("WARC-Record-ID: <urn:x:2>\r\nWARC-Concurrent-To: <urn:x:1>\r\n"),
            ask("/wrong", other),
        ],
        // As warcio has it.
        vec![
            ask("/wrong", other),
            answer("WARC-Record-ID: <urn:x:2>\r\n"),
            ask("/right", "WARC-Concurrent-To: <urn:x:2>\r\n"),
        ],
        vec![
            ask("/right", "WARC-Concurrent-To: <urn:x:2>\r\n"),
            answer("WARC-Record-ID: <urn:x:2>\r\n"),
            record("metadata", A, "", b"x: y"),
            ask("/wrong", ""),
        ],
        // As Heritrix has it.
        vec![
            answer("WARC-Record-ID: <urn:x:2>\r\n"),
            record("metadata", A, "WARC-Concurrent-To: <urn:x:2>\r\n", b"x: y"),
            ask("/right", "WARC-Concurrent-To: <urn:x:2>\r\n"),
        ],
    ];
    for (number, file) in files.iter().enumerate() {
        let archive = Archive::of(&file.concat());
        let (kept, ..) = read(&archive.open());
        let request = kept[0].exchange.request.as_ref();
        assert_eq!(
            request.map(|request| &*request.target),
            Some("/right"),
            "file {number}"
        );
    }
}

#[test]
fn conversions_make_pages_of_documents() {
    let document = |head: &str| response(A, DATE, head, b"%PDF");
    let made = |kind: &str, of: &str| {
        let fields = format!("WARC-Refers-To: <urn:x:{of}>\r\nContent-Type: {kind}\r\n");
        record("conversion", A, &fields, b"<p>caf\xe9")
    };
    let (pdf, of) = ("Content-Type: application/pdf\r\n", format!("{A}:{DATE}"));
    let latin = "text/html; charset=iso-8859-1";
    let archive = Archive::of(&[document(pdf), made(latin, &of)].concat());
    let (kept, ..) = read(&archive.open());
    assert_eq!(kept[0].conversion.as_deref(), Some("<p>caf\u{e9}"));
    assert_eq!(kept[0].body, b"%PDF");
    for other in [made("text/plain", &of), made(latin, "another"), Vec::new()] {
        let archive = Archive::of(&[document(pdf), other].concat());
        assert_eq!(archive.open().survey().passed_over.of(Reason::Kind), 1);
    }
    // One that is named and is not there.
    let fields = "WARC-Record-ID: <urn:x:1>\r\nLinkscent-Conversion: <urn:x:2>\r\n";
    let lost = record("response", A, fields, &http("200 OK", HTML, b"<p>"));
    let fields = "WARC-Record-ID: <urn:x:3>\r\nWARC-Refers-To: <urn:x:1>\r\n\
                  Content-Type: text/html\r\n";
    let another = record("conversion", A, fields, b"<p>");
    for behind in [Vec::new(), another] {
        let archive = Archive::of(&[&*lost, &behind].concat());
        let survey = archive.open().survey().clone();
        assert_eq!(survey.passed_over.of(Reason::Damaged), 1);
    }
}

#[test]
fn a_survey_says_what_is_there() {
    let mut file = Vec::new();
    for number in 0..50 {
        let date = format!("2026-02-{:02}T00:00:00Z", number % 28 + 1);
        let address = format!("http://{}.org/{number}", number % 25);
        file.extend(response(&address, &date, HTML, b"<p>"));
    }
    file.extend(response("http://big.org/1", "2025-01-01", HTML, b"<p>"));
    file.extend(response(
        "http://big.org/2",
        "2027-01-01T00:00:00Z",
        HTML,
        b"<p>",
    ));
    file.extend(response(
        "http://big.org/3",
        "2024-01-01T00:00:00Z",
        HTML,
        b"<p>",
    ));
    let archive = Archive::of(&file);
    let import = archive.open();
    let survey = import.survey();
    assert_eq!((survey.pages, survey.sites), (53, 26));
    assert_eq!(survey.top_sites.len(), 20);
    assert_eq!(survey.top_sites[0], ("big.org".to_owned(), 3));
    assert_eq!(survey.top_sites[1], ("0.org".to_owned(), 2));
    assert_eq!(survey.first.as_deref(), Some("2024-01-01T00:00:00Z"));
    assert_eq!(survey.last.as_deref(), Some("2027-01-01T00:00:00Z"));
    let json = serde_json::to_value(survey).unwrap();
    assert_eq!(
        (&json["pages"], &json["passed_over"]),
        (&53.into(), &serde_json::json!({}))
    );
    // In the order they stand, whatever their dates.
    let (kept, ..) = read(&import);
    assert_eq!(kept[0].address, "http://0.org/0");
    assert_eq!(
        (&*kept[50].address, &*kept[50].date),
        ("http://big.org/1", "")
    );
    std::fs::write(archive.path(), [&*file, b"x"].concat()).unwrap();
    assert!(matches!(import.pages(), Err(ImportError::Changed { .. })));
}

#[test]
fn public_webs_are_read_as_before() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/webs/docs.warc.gz");
    if !place.is_file() {
        println!("skipped: {} is not there", place.display());
        return;
    }
    let import = Import::open(&place, Limits::default()).unwrap();
    let (kept, errors, none) = read(&import);
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(
        (kept.len() as u64, none.iter().count()),
        (import.survey().pages, 0)
    );
    let records = crate::warc::Reader::open(&place)
        .unwrap()
        .map(Result::unwrap);
    let mut bodies = std::collections::HashMap::new();
    for record in records.filter(|record| record.kind == "response") {
        bodies.insert(record.target.clone(), record.response().unwrap().body);
    }
    assert_eq!(kept.len(), bodies.len());
    assert!(
        kept.iter()
            .all(|page| bodies.get(&page.address) == Some(&page.body))
    );
}

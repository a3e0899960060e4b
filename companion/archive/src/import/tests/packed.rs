//! However an archive and the bodies in it are packed, the pages are the same.

use super::*;
use crate::export::{About, Entry, Format};
use crate::warc::{Exchange, Kept, Writer};

const PAGES: [(&str, &str); 2] = [
    ("http://a.org/", "<p>one"),
    ("https://b.org/x?y=1", "<p>two"),
];

fn records() -> [Vec<u8>; 2] {
    PAGES.map(|(address, body)| page(address, body))
}

#[test]
fn files_are_known_by_their_first_bytes() {
    let [one, two] = records();
    let plain = [&*one, &*two].concat();
    let by_record = [gzip(&one), gzip(&two)].concat();
    let zst = zstd::encode_all(&*plain, 3).unwrap();
    let parts: [(&str, &[u8]); 5] = [
        ("datapackage.json", b"{ not json"),
        ("archive/1.warc.gz", &gzip(&one)),
        ("pages/pages.jsonl", b"x"),
        ("archive/2.warc", &two),
        ("elsewhere/3.warc.gz", b"is no WARC file"),
    ];
    let files = [
        plain.clone(),
        by_record,
        gzip(&plain),
        zst.clone(),
        [
            zstd::encode_all(&*one, 3).unwrap(),
            zstd::encode_all(&*two, 3).unwrap(),
        ]
        .concat(),
        zipped(&parts, CompressionMethod::Stored),
        zipped(&parts, CompressionMethod::Deflated),
        zipped(&[("archive/a.warc.zst", &zst)], CompressionMethod::Stored),
    ];
    for (number, file) in files.iter().enumerate() {
        assert_eq!(pages_of(file), pairs(&PAGES), "file {number}");
    }
    for foreign in [&b"<html>"[..], b"", b"%PDF-1.7"] {
        let archive = Archive::of(foreign);
        let error = Import::open(&archive.path(), Limits::default()).unwrap_err();
        assert!(matches!(error, ImportError::Foreign { .. }), "{error}");
    }
    let missing = Import::open(Path::new("/is/not/there"), Limits::default());
    assert!(matches!(missing, Err(ImportError::File { .. })));
}

#[test]
fn zips_that_were_streamed_are_read_too() {
    let mut zip = ZipWriter::new_stream(Vec::new());
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (number, record) in records().iter().enumerate() {
        let name = format!("archive/{number}.warc.gz");
        zip.start_file(name, options.large_file(number == 1))
            .unwrap();
        zip.write_all(&gzip(record)).unwrap();
    }
    let whole = zip.finish().unwrap().into_inner();
    // Its members say behind them how long they are.
    assert_eq!(whole[6] & 8, 8);
    assert_eq!(pages_of(&whole), pairs(&PAGES));
    let archive = Archive::of(&whole[..whole.len() - 1]);
    let (kept, errors, _) = read(&archive.open());
    assert_eq!(kept.len(), 1);
    assert_eq!(errors.len(), 2, "{errors:?}");
}

#[test]
fn zstd_files_may_begin_with_their_dictionary() {
    // One that is no more than what comes often.
    let samples = (0..20).map(|number| page(&format!("http://a.org/{number}"), "<p>often"));
    let dictionary = samples.collect::<Vec<_>>().concat();
    for is_packed in [false, true] {
        let frame = if is_packed {
            zstd::encode_all(&*dictionary, 3).unwrap()
        } else {
            dictionary.clone()
        };
        let mut file = vec![0x5D, 0x2A, 0x4D, 0x18];
        file.extend_from_slice(&(frame.len() as u32).to_le_bytes());
        file.extend_from_slice(&frame);
        for record in records() {
            let mut encoder = zstd::Encoder::with_dictionary(Vec::new(), 3, &dictionary).unwrap();
            encoder.write_all(&record).unwrap();
            file.extend(encoder.finish().unwrap());
        }
        assert_eq!(pages_of(&file), pairs(&PAGES));
    }
    let mut file = vec![0x5D, 0x2A, 0x4D, 0x18];
    file.extend_from_slice(&[0xFF; 4]);
    let import = Archive::of(&file).open();
    assert!(import.survey().problems[0].contains("dictionary"));
}

#[test]
fn codings_of_bodies_are_undone() {
    let html = "<p>packed";
    let bytes = html.as_bytes();
    // By another program.
    let brotli = [11, 4, 128, 60, 112, 62, 112, 97, 99, 107, 101, 100, 3];
    let twice = gzip(&zlib(bytes));
    let cases: [(&str, Vec<u8>); 15] = [
        ("Content-Encoding: gzip", gzip(bytes)),
        ("content-encoding: X-GZIP", gzip(bytes)),
        ("Content-Encoding: deflate", deflate(bytes)),
        ("Content-Encoding: deflate", zlib(bytes)),
        ("Content-Encoding: br", brotli.to_vec()),
        (
            "Content-Encoding: zstd",
            zstd::encode_all(bytes, 3).unwrap(),
        ),
        ("Content-Encoding: deflate, gzip", twice.clone()),
        ("Content-Encoding: deflate\r\nContent-Encoding: gzip", twice),
        ("Transfer-Encoding: chunked", chunked(bytes)),
        (
            "Transfer-Encoding: chunked\r\nContent-Encoding: gzip",
            chunked(&gzip(bytes)),
        ),
        ("Content-Encoding: identity", bytes.to_vec()),
        // What was undone by whoever kept it.
        (
            "Content-Encoding: gzip\r\nTransfer-Encoding: chunked",
            bytes.to_vec(),
        ),
        ("Content-Encoding: deflate", bytes.to_vec()),
        ("Content-Encoding: br", bytes.to_vec()),
        ("Content-Encoding: zstd", bytes.to_vec()),
    ];
    for (head, body) in cases {
        let file = response(PAGES[0].0, DATE, &format!("{HTML}{head}\r\n"), &body);
        assert_eq!(pages_of(&file), pairs(&[(PAGES[0].0, html)]), "{head}");
    }
    let gzipped = gzip(bytes);
    let cases: [(&str, &[u8]); 6] = [
        ("Content-Encoding: gzip", &gzipped[..gzipped.len() - 9]),
        ("Content-Encoding: br", b"no br"),
        ("Content-Encoding: deflate", b"\xff\xff"),
        ("Content-Encoding: dcb", b"x"),
        ("Content-Encoding: gzip, gzip, gzip, gzip, gzip", b"x"),
        ("Transfer-Encoding: chunked", b"9\r\n<p>half"),
    ];
    for (head, body) in cases {
        let file = response(PAGES[0].0, DATE, &format!("{HTML}{head}\r\n"), body);
        let archive = Archive::of(&file);
        let (kept, errors, none) = read(&archive.open());
        assert_eq!((kept.len(), errors.len()), (0, 0), "{head}");
        assert_eq!(none.of(Reason::Damaged), 1, "{head}");
    }
}

/// A document and a page, as this program keeps them.
fn kept() -> [KeptExchange; 2] {
    let document = KeptExchange {
        address: "http://a.org/x.pdf".to_owned(),
        date: DATE.to_owned(),
        status: 200,
        exchange: Exchange {
            headers: vec![("Content-Type".to_owned(), b"application/pdf".to_vec())],
            ..Exchange::default()
        },
        body: b"%PDF".to_vec(),
        conversion: Some("<p>caf\u{e9}".to_owned()),
    };
    let page = KeptExchange {
        address: "http://a.org/y".to_owned(),
        exchange: Exchange {
            headers: vec![("Content-Type".to_owned(), b"text/html".to_vec())],
            ..Exchange::default()
        },
        conversion: None,
        ..document.clone()
    };
    [document, page]
}

#[derive(Clone, Default)]
struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_this_program_keeps_and_exports_comes_back() {
    let archive = Archive::of(b"");
    let file = std::fs::File::create(archive.path()).unwrap();
    let mut writer = Writer::open(file, 0, DATE).unwrap();
    for page in &kept() {
        writer.page(&page.kept()).unwrap();
        writer
            .redirect(
                &Kept {
                    status: 302,
                    ..page.kept()
                },
                "http://a.org/",
            )
            .unwrap();
    }
    let mut files = vec![std::fs::read(archive.path()).unwrap()];
    for name in ["warc", "wacz"] {
        let out = Shared::default();
        let about = About::default();
        let format = Format::named(name).unwrap();
        let mut export = (format.begin)(Box::new(out.clone()), &about);
        export.begin().unwrap();
        for page in kept() {
            let entry = Entry {
                kept: Some(page),
                ..Entry::default()
            };
            export.page(&entry).unwrap();
        }
        export.finish().unwrap();
        files.push(out.0.lock().unwrap().clone());
    }
    for file in files {
        let archive = Archive::of(&file);
        let import = archive.open();
        let (pages, errors, _) = read(&import);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(pages.len(), 2);
        for (page, wanted) in pages.iter().zip(&kept()) {
            assert_eq!((&page.address, &page.date), (&wanted.address, &wanted.date));
            assert_eq!(
                (&page.body, &page.conversion),
                (&wanted.body, &wanted.conversion)
            );
        }
    }
}

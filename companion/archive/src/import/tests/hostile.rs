//! Files that are damaged, cut off or made to do harm.

use linkscent_core::strategies::{Rng, SplitMix};

use super::*;

const PAGES: [(&str, &str); 3] = [
    ("http://a.org/1", "<p>first"),
    ("http://a.org/2", "<p>second"),
    ("http://a.org/3", "<p>third"),
];

/// The pages in each form, with the place behind each of them.
fn forms() -> [Vec<u8>; 5] {
    let records: Vec<Vec<u8>> = PAGES
        .iter()
        .map(|(address, body)| page(address, body))
        .collect();
    let gzipped: Vec<Vec<u8>> = records.iter().map(|record| gzip(record)).collect();
    let frames = records
        .iter()
        .map(|record| zstd::encode_all(&**record, 3).unwrap());
    let frames: Vec<Vec<u8>> = frames.collect();
    let (one, rest) = (&gzipped[0], gzipped[1..].concat());
    let members: [(&str, &[u8]); 3] = [
        ("archive/1.warc.gz", one),
        ("archive/2.warc.gz", &rest),
        ("datapackage.json", b"{}"),
    ];
    [
        records.concat(),
        gzipped.concat(),
        frames.concat(),
        zipped(&members, CompressionMethod::Stored),
        zipped(&members, CompressionMethod::Deflated),
    ]
}

/// Reads whatever it is; every page it gives must be one of those that were put in.
fn try_reading(bytes: &[u8]) -> (usize, usize) {
    let archive = Archive::of(bytes);
    let Ok(import) = Import::open(&archive.path(), Limits::default()) else {
        return (0, 1);
    };
    let (kept, errors, _) = read(&import);
    assert_eq!(errors.len(), import.survey().problems.len());
    for error in &errors {
        assert!(
            error.contains("record ") || error.contains("at byte "),
            "{error}"
        );
    }
    (kept.len(), errors.len())
}

#[test]
fn cut_files_give_the_pages_before_the_break_and_say_where_it_is() {
    for (number, whole) in forms().iter().enumerate() {
        assert_eq!(try_reading(whole), (3, 0), "form {number}");
        let mut least = 0;
        for length in 8..whole.len() {
            let (pages, errors) = try_reading(&whole[..length]);
            assert!(
                pages >= least && pages <= 3,
                "form {number}, {length}: {pages} pages"
            );
            assert!(errors <= 2, "form {number}, {length}: {errors} errors");
            least = pages;
            // The others may end between two members, which nobody can tell.
            if number > 2 {
                assert!(errors > 0, "form {number}, {length}");
            }
        }
        // The last frame of zstd's is not unpacked in part.
        assert_eq!(least, if number == 2 { 2 } else { 3 }, "form {number}");
    }
}

#[test]
fn a_cut_in_the_middle_of_a_page_is_no_page() {
    let [plain, ..] = forms();
    let (pages, errors) = try_reading(&plain[..plain.len() - 6]);
    assert_eq!((pages, errors), (2, 1));
}

#[test]
fn damaged_bytes_break_nothing() {
    let mut rng = SplitMix(7);
    for whole in forms() {
        for _ in 0..400 {
            let mut damaged = whole.clone();
            for _ in 0..=(rng.unit() * 4.0) as usize {
                let place = (rng.unit() * damaged.len() as f64) as usize;
                damaged[place] = (rng.unit() * 256.0) as u8;
            }
            let archive = Archive::of(&damaged);
            if let Ok(import) = Import::open(&archive.path(), Limits::default()) {
                let (kept, ..) = read(&import);
                assert!(kept.len() <= 3);
            }
        }
    }
}

/// Limits that are met soon.
fn tight() -> Limits {
    Limits {
        body: 1 << 20,
        unpacked: 4 << 20,
        ratio: 10,
        ..Limits::default()
    }
}

#[test]
fn bombs_in_bodies_are_too_large() {
    let zeros = vec![b'x'; 64 << 20];
    let bombs = [
        ("gzip", gzip(&zeros)),
        ("deflate", zlib(&zeros)),
        ("deflate", deflate(&zeros)),
        ("zstd", zstd::encode_all(&*zeros, 3).unwrap()),
        ("gzip, gzip", gzip(&gzip(&zeros))),
    ];
    for (coding, bomb) in bombs {
        let head = format!("{HTML}Content-Encoding: {coding}\r\n");
        let archive = Archive::of(&response(PAGES[0].0, DATE, &head, &bomb));
        let import = Import::open(&archive.path(), tight()).unwrap();
        let (kept, errors, none) = read(&import);
        assert_eq!((kept.len(), errors.len()), (0, 0), "{coding}");
        assert_eq!(none.of(Reason::TooLarge), 1, "{coding}");
    }
}

#[test]
fn bombs_in_files_are_not_unpacked_further() {
    let zeros = vec![b'\n'; 64 << 20];
    let bomb = page(PAGES[0].0, &"x".repeat(32 << 20));
    let empty: Vec<u8> = gzip(b"").repeat(400_000);
    let files = [
        gzip(&bomb),
        zstd::encode_all(&*bomb, 3).unwrap(),
        [gzip(&page(PAGES[0].0, "<p>")), gzip(&zeros)].concat(),
        zipped(&[("archive/a.warc", &bomb)], CompressionMethod::Deflated),
        // Members of nothing, without end.
        zipped(
            &[("archive/a.warc.gz", &empty)],
            CompressionMethod::Deflated,
        ),
    ];
    for (number, file) in files.iter().enumerate() {
        assert!(file.len() < 1 << 20, "file {number}: {}", file.len());
        let archive = Archive::of(file);
        let import = Import::open(&archive.path(), tight()).unwrap();
        let problems = &import.survey().problems;
        assert!(problems.len() == 1, "file {number}: {problems:?}");
        let (kept, errors, _) = read(&import);
        assert_eq!(
            (kept.len(), errors.len()),
            (usize::from(number == 2), 1),
            "file {number}"
        );
    }
    // Each member is small.
    let member = gzip(&page(PAGES[0].0, &"x".repeat(1 << 19)));
    let names: Vec<String> = (0..100)
        .map(|number| format!("archive/{number}.warc.gz"))
        .collect();
    let members: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &*member)).collect();
    let archive = Archive::of(&zipped(&members, CompressionMethod::Stored));
    let import = Import::open(&archive.path(), tight()).unwrap();
    let survey = import.survey();
    assert_eq!(survey.problems.len(), 1, "{:?}", survey.problems);
    assert!(
        survey.problems[0].contains("unpacked"),
        "{:?}",
        survey.problems
    );
    assert!(survey.passed_over.of(Reason::Older) < 10);
}

#[test]
fn a_page_that_is_named_again_and_again_is_paid_for_each_time() {
    let mut file = record(
        "response",
        "http://a.org/",
        "WARC-Payload-Digest: sha1:A\r\n",
        &http("200 OK", HTML, "x".repeat(1 << 19).as_bytes()),
    );
    for number in 0..1_000 {
        let address = format!("http://a.org/{number}");
        file.extend(record(
            "revisit",
            &address,
            "WARC-Payload-Digest: sha1:A\r\n",
            b"",
        ));
    }
    let archive = Archive::of(&file);
    let limits = Limits {
        ratio: 1,
        ..tight()
    };
    let import = Import::open(&archive.path(), limits).unwrap();
    assert_eq!(import.survey().pages, 1_001);
    let (kept, errors, _) = read(&import);
    assert_eq!((kept.len(), errors.len()), (8, 1));
    assert!(errors[0].contains("bytes unpacked"), "{errors:?}");
}

#[test]
fn more_pages_than_are_taken_in_are_told() {
    let file: Vec<u8> = PAGES
        .iter()
        .flat_map(|(address, body)| page(address, body))
        .collect();
    let archive = Archive::of(&file);
    let limits = Limits {
        pages: 2,
        ..Limits::default()
    };
    let import = Import::open(&archive.path(), limits).unwrap();
    assert!(import.survey().problems[0].contains("more than 2 pages"));
}

#[test]
fn zips_with_many_members_or_strange_names() {
    let one = gzip(&page(PAGES[0].0, PAGES[0].1));
    let names: Vec<String> = (0..10_000)
        .map(|number| format!("archive/{number}.warc.gz"))
        .collect();
    let mut members: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &b""[..])).collect();
    members[0].1 = &one;
    let archive = Archive::of(&zipped(&members, CompressionMethod::Stored));
    let problems = archive.open().survey().problems.clone();
    assert!(problems[0].contains("10000 members"), "{problems:?}");
    let few = Archive::of(&zipped(&members[..4_000], CompressionMethod::Stored));
    assert_eq!(read(&few.open()).0.len(), 1);

    let broken = &one[..one.len() - 12];
    let strange: [(&str, &[u8]); 5] = [
        ("../../archive/a.warc.gz", b"not looked at"),
        ("archive/../../b.warc.gz", &one),
        ("archive/c\n\u{1b}[2J.warc.gz", broken),
        ("/archive/d.warc.gz", b"not looked at"),
        ("archive/", b""),
    ];
    let archive = Archive::of(&zipped(&strange, CompressionMethod::Stored));
    let (kept, errors, _) = read(&archive.open());
    assert_eq!((kept.len(), errors.len()), (1, 1), "{errors:?}");
    assert!(!errors[0].contains(['\n', '\u{1b}']), "{errors:?}");
    assert!(
        errors[0].contains("(archive/c[2J.warc.gz), record 1"),
        "{errors:?}"
    );
    assert_eq!(std::fs::read_dir(archive.folder.path()).unwrap().count(), 1);
}

#[test]
fn zips_that_lie_about_numbers() {
    let [.., stored, _] = forms();
    let end = stored.len() - 22;
    let list = u32::from_le_bytes(stored[end + 16..end + 20].try_into().unwrap()) as usize;
    // Members there are, where the list is, how long one is, where one is.
    let places = [
        (end + 10, 2),
        (end + 16, 4),
        (list + 20, 4),
        (list + 42, 4),
        (list + 28, 2),
    ];
    for (place, length) in places {
        for value in [0xFFu8, 0x7F, 0x00] {
            let mut lying = stored.clone();
            lying[place..place + length].fill(value);
            let archive = Archive::of(&lying);
            let import = archive.open();
            assert!(read(&import).0.len() <= 3);
        }
    }
    // A member that is encrypted, and one that is where no file goes to.
    let mut secret = stored.clone();
    secret[list + 8] |= 1;
    let (kept, errors, _) = read(&Archive::of(&secret).open());
    assert_eq!((kept.len(), errors.len()), (2, 1));
    assert!(errors[0].contains("encrypted"), "{errors:?}");
    let mut far = b"PK\x01\x02".to_vec();
    far.resize(46, 0xFF);
    far[8..12].fill(0);
    far[28..34].copy_from_slice(&[14, 0, 28, 0, 0, 0]);
    far.extend_from_slice(b"archive/a.warc\x01\0\x18\0");
    far.resize(far.len() + 24, 0xFF);
    far.extend_from_slice(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    far.resize(far.len() + 10, 0);
    let archive = Archive::of(&far);
    let problems = archive.open().survey().problems.clone();
    assert!(
        problems[0].contains("not where it should be"),
        "{problems:?}"
    );
    // As many members as 64 bits can say, without any.
    let mut zip64 = b"PK\x06\x06".to_vec();
    zip64.resize(56, 0xFF);
    for (offset, members) in [(0u64, u64::MAX), (u64::MAX, 4_000), (0, 4_000)] {
        let mut file = zip64.clone();
        file[32..40].copy_from_slice(&members.to_le_bytes());
        file[48..56].copy_from_slice(&offset.to_le_bytes());
        file.extend_from_slice(b"PK\x06\x07\0\0\0\0");
        file.extend_from_slice(&0u64.to_le_bytes());
        file.extend_from_slice(&[1, 0, 0, 0]);
        file.extend_from_slice(b"PK\x05\x06");
        file.resize(file.len() + 16, 0xFF);
        file.extend_from_slice(&[0, 0]);
        let archive = Archive::of(&file);
        assert_eq!(
            archive.open().survey().problems.len(),
            1,
            "{offset} {members}"
        );
    }
}

#[test]
fn records_that_claim_too_much() {
    let good = page(PAGES[0].0, PAGES[0].1);
    let claims = |length: &str| {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\n\
             Content-Length: {length}\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx",
            PAGES[1].0
        );
        [&*good, head.as_bytes()].concat()
    };
    for length in [
        "1000000000000000000",
        "18446744073709551615",
        "67108864",
        "-1",
        "1e9",
        "",
    ] {
        assert_eq!(try_reading(&claims(length)), (1, 1), "{length}");
    }
    let lines = [&*good, &b"\r\n".repeat(1 << 20)].concat();
    assert_eq!(try_reading(&lines), (1, 1));
    let header = [&*good, b"WARC/1.0\r\nX: ", &b"x".repeat(1 << 20)].concat();
    assert_eq!(try_reading(&header), (1, 1));
    let fields = [&*good, b"WARC/1.0\r\n", &b"x: y\r\n".repeat(1 << 16)].concat();
    assert_eq!(try_reading(&fields), (1, 1));
}

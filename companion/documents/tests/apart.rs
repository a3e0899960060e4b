//! Reading in a process of its own. This program is its own child: what it does as one, its
//! argument says. It writes nothing that is no answer then, which is why it brings its own `main`.

mod made;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use linkscent_documents::apart::{Apart, serve};
use linkscent_documents::{DocumentError, Kind, MOST_HTML, to_html};
use made::{Sheet, Words, pdf};

fn main() {
    if let Some(role) = std::env::args()
        .nth(1)
        .filter(|role| role.starts_with("child-"))
    {
        child(&role);
        return;
    }
    let tests: [(&str, fn()); 9] = [
        (
            "a_document_is_read_as_it_is_here",
            a_document_is_read_as_it_is_here,
        ),
        ("a_child_without_end_is_ended", a_child_without_end_is_ended),
        (
            "a_document_that_takes_too_long_is_given_up",
            a_document_that_takes_too_long_is_given_up,
        ),
        (
            "a_child_has_no_more_memory_than_it_may",
            a_child_has_no_more_memory_than_it_may,
        ),
        (
            "a_child_that_breaks_down_gives_no_half_answer",
            a_child_that_breaks_down_gives_no_half_answer,
        ),
        (
            "a_child_may_not_open_or_start_anything",
            a_child_may_not_open_or_start_anything,
        ),
        (
            "a_long_link_of_many_pieces_takes_little_memory",
            a_long_link_of_many_pieces_takes_little_memory,
        ),
        ("damaged_pdfs_are_survived", damaged_pdfs_are_survived),
        (
            "pdfs_that_lead_in_circles_end",
            pdfs_that_lead_in_circles_end,
        ),
    ];
    println!("\nrunning {} tests", tests.len());
    for (name, test) in tests {
        test();
        println!("test {name} ... ok");
    }
    println!("\ntest result: ok. {} passed; 0 failed", tests.len());
}

fn child(role: &str) {
    let mut output = io::stdout();
    match role {
        "child-serve" => serve(io::stdin(), output).expect("served"),
        "child-waits" => loop {
            std::thread::park();
        },
        "child-panics" => panic!("out of order"),
        "child-ends" => {}
        "child-halves" => {
            output
                .write_all(b"h\x64\0\0\0\0\0\0\0<p>half")
                .expect("written");
        }
        "child-floods" => while output.write_all(&[b'x'; 4_096]).is_ok() {},
        "child-lies" => {
            output
                .write_all(&[b'h', 255, 255, 255, 255, 255, 255, 255, 255])
                .expect("written");
        }
        "child-tries" => {
            serve(io::stdin(), io::sink()).expect("served");
            let text = tried();
            output.write_all(b"h").expect("written");
            output
                .write_all(&(text.len() as u64).to_le_bytes())
                .expect("written");
            output.write_all(text.as_bytes()).expect("written");
        }
        role => panic!("{role}"),
    }
}

/// How each attempt of a child ends that is none of its business, and what it knows of the
/// environment.
fn tried() -> String {
    let how = |attempt: &dyn Fn() -> io::Result<()>| match attempt() {
        Ok(()) => "works".to_owned(),
        Err(error) => format!("{:?}", error.kind()),
    };
    let opened = how(&|| std::fs::File::open("/dev/null").map(drop));
    let listed = how(&|| std::fs::read_dir("/").map(drop));
    let listens = how(&|| std::net::TcpListener::bind("127.0.0.1:0").map(drop));
    let asks = how(&|| std::net::UdpSocket::bind("127.0.0.1:0").map(drop));
    let starts = how(&|| {
        std::process::Command::new("/bin/true")
            .stdin(std::process::Stdio::inherit())
            .status()
            .map(drop)
    });
    let threads = how(&|| std::thread::Builder::new().spawn(|| ()).map(drop));
    let changes = how(&|| std::env::set_current_dir("/"));
    let known: Vec<_> = std::env::vars_os().map(|(name, _)| name).collect();
    format!(
        "opens: {opened}, lists: {listed}, listens: {listens}, asks: {asks}, starts: {starts}, \
         threads: {threads}, changes: {changes}, knows {known:?}"
    )
}

fn apart(role: &str) -> Apart {
    Apart {
        program: std::env::current_exe().expect("a program"),
        args: vec![format!("child-{role}")],
        time: Duration::from_mins(1),
        memory: 512 << 20,
    }
}

fn sheet() -> Sheet<'static> {
    Sheet {
        words: vec![
            Words(70.0, 780.0, 24.0, b"Of foxes"),
            Words(
                70.0,
                740.0,
                10.0,
                b"The quick brown fox jumps over the lazy dog.",
            ),
        ],
        links: vec![([70.0, 738.0, 90.0, 750.0], "http://a.test/")],
        ..Sheet::default()
    }
}

fn a_document_is_read_as_it_is_here() {
    let long = "words and more words\n\n".repeat(400_000);
    // Without what the server says it would be taken for something else.
    let russian = b"\xc4".to_vec();
    let samples = [
        (Kind::Pdf, None, pdf(Some("Title"), &[sheet()])),
        (Kind::Text, Some("text/plain; charset=koi8-r"), russian),
        (Kind::Text, None, long.into_bytes()),
        (Kind::Text, None, Vec::new()),
    ];
    for (kind, content_type, body) in samples {
        let there = apart("serve")
            .to_html(kind, content_type, &body)
            .expect("read");
        assert_eq!(there, to_html(kind, &body, content_type).expect("read"));
        assert!(there.len() <= MOST_HTML);
    }
    let refused = apart("serve").to_html(Kind::Word, None, b"PK");
    assert!(
        matches!(refused, Err(DocumentError::Broken(Kind::Word, _))),
        "{refused:?}"
    );
    let missing = Apart {
        program: "/there/is/none".into(),
        ..apart("serve")
    };
    let refused = missing.to_html(Kind::Text, None, b"x");
    assert!(
        matches!(refused, Err(DocumentError::Start(..))),
        "{refused:?}"
    );
}

/// The pieces of a link share its address: 400 kB of it and 20,000 pieces are no 8 GB.
fn a_long_link_of_many_pieces_takes_little_memory() {
    let address = "x".repeat(400_000);
    let pieces = "word&lt;b&gt;".repeat(20_000);
    let body = format!(
        "<rss><channel><item><description>&lt;a href='{address}'&gt;{pieces}</description>\
         </item></channel></rss>"
    );
    let read = apart("serve").to_html(Kind::Feed, None, body.as_bytes());
    let html = read.expect("read within the limit of memory");
    assert_eq!(html.matches("word").count(), 20_000 + 120 / 4);
}

fn a_child_without_end_is_ended() {
    let time = Duration::from_millis(300);
    let begun = Instant::now();
    // More than a pipe holds, and nobody reads it.
    let body = vec![b'x'; 4 << 20];
    let waiting = Apart {
        time,
        ..apart("waits")
    };
    let refused = waiting.to_html(Kind::Pdf, None, &body);
    assert!(
        matches!(refused, Err(DocumentError::Time(Kind::Pdf, _))),
        "{refused:?}"
    );
    assert!(begun.elapsed() >= time && begun.elapsed() < Duration::from_secs(20));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "reading the PDF was given up after 300ms"
    );
}

fn a_document_that_takes_too_long_is_given_up() {
    let raw = b"BT /F 9 Tf (x) Tj ET ".repeat(3_000_000);
    let slow = Sheet {
        raw: &raw,
        ..Sheet::default()
    };
    let hurried = Apart {
        time: Duration::from_millis(200),
        ..apart("serve")
    };
    let refused = hurried.to_html(Kind::Pdf, None, &pdf(None, &[slow]));
    assert!(
        matches!(refused, Err(DocumentError::Time(Kind::Pdf, _))),
        "{refused:?}"
    );
}

fn a_child_has_no_more_memory_than_it_may() {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    let blank = vec![b' '; 1 << 20];
    for _ in 0..1_024 {
        packer.write_all(&blank).expect("packed");
    }
    let packed = Some(packer.finish().expect("packed"));
    let bomb = pdf(
        None,
        &[Sheet {
            packed,
            ..Sheet::default()
        }],
    );
    assert!(bomb.len() < 8 << 20);
    let refused = apart("serve").to_html(Kind::Pdf, None, &bomb);
    assert!(
        matches!(refused, Err(DocumentError::Memory(Kind::Pdf, _))),
        "{refused:?}"
    );
    let said = refused.unwrap_err().to_string();
    assert_eq!(said, "reading the PDF takes more than 512 MiB of memory");
}

fn a_child_that_breaks_down_gives_no_half_answer() {
    for role in ["panics", "ends", "halves", "floods", "lies", "none"] {
        let refused = apart(role).to_html(Kind::Pdf, None, b"x");
        assert!(
            matches!(refused, Err(DocumentError::Crash(Kind::Pdf, _))),
            "{role}: {refused:?}"
        );
        let said = refused.unwrap_err().to_string();
        assert!(role != "panics" || said.contains("out of order"), "{said}");
    }
}

fn a_child_may_not_open_or_start_anything() {
    if cfg!(target_os = "linux") {
        let found = apart("tries")
            .to_html(Kind::Text, None, b"x")
            .expect("an answer");
        let known = r#"knows ["MIMALLOC_ARENA_RESERVE"]"#;
        assert!(found.contains(known), "{found}");
        // Limits alone would refuse the first four with "too many open files", and root the rest not at
        // all.
        let has_filters = std::path::Path::new("/proc/sys/kernel/seccomp").exists();
        let refused = [
            "opens", "lists", "listens", "asks", "starts", "threads", "changes",
        ];
        for attempt in refused.iter().filter(|_| has_filters) {
            let refused = format!("{attempt}: PermissionDenied");
            assert!(found.contains(&refused), "{refused}? {found}");
        }
    }
}

/// An answer or an error, but no hang and no half page.
fn survive(body: &[u8]) -> Result<String, DocumentError> {
    let read = apart("serve").to_html(Kind::Pdf, None, body);
    match &read {
        Ok(page) => assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n")),
        Err(DocumentError::Time(..)) => panic!("a small PDF takes a minute"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    read
}

fn damaged_pdfs_are_survived() {
    let whole = pdf(Some("Title"), &[sheet(), sheet()]);
    assert!(survive(&whole).is_ok());
    for end in (0..whole.len()).step_by(whole.len() / 60 + 1) {
        let _ = survive(&whole[..end]);
    }
    // Knuth's MMIX generator, from a fixed seed.
    let mut seed: u64 = 20_261_125;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for _ in 0..100 {
        let mut body = whole.clone();
        for _ in 0..=random(12) {
            let at = random(body.len());
            body[at] = random(256) as u8;
        }
        let _ = survive(&body);
    }
}

fn pdfs_that_lead_in_circles_end() {
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R\
         /Resources<</XObject<</X 5 0 R>>/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>/Annots 6 0 R>>";
    let content = "<</Length 31>>stream\nBT /F 9 Tf (x) Tj ET /X Do /X Do\nendstream";
    let form = "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 11/Resources<</XObject<</X 5 0 R>>>>>>stream\n/X Do /X Do\nendstream";
    let cases = [
        (
            "a tree that holds itself",
            "<</Type/Pages/Kids[3 0 R 2 0 R 2 0 R]/Count 3>>",
            page,
            content,
            form,
            "[]",
        ),
        (
            "a page that is its own parent",
            "<</Type/Pages/Kids[3 0 R]/Parent 2 0 R/Count 99999999>>",
            page,
            content,
            form,
            "[]",
        ),
        (
            "references to themselves",
            "<</Type/Pages/Kids 2 0 R/Count 1>>",
            page,
            "4 0 R",
            "5 0 R",
            "6 0 R",
        ),
        (
            "links that hold each other",
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            page,
            content,
            form,
            "[6 0 R <</Subtype/Link/A 6 0 R/Rect 6 0 R>>]",
        ),
    ];
    for (name, tree, page, content, form, links) in cases {
        let mut body = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n".to_owned();
        for (number, object) in [tree, page, content, form, links].iter().enumerate() {
            body.push_str(&format!("{} 0 obj{object}\nendobj\n", number + 2));
        }
        body.push_str("trailer<</Root 1 0 R/Size 7>>\n");
        println!(
            "{name}: {:?}",
            survive(body.as_bytes()).map(|page| page.len())
        );
    }
    for (open, close) in [
        ("[", "]"),
        ("<<", ">>"),
        ("<</A ", ">>"),
        ("(", ")"),
        ("q ", " Q"),
    ] {
        let deep = format!("{}{}", open.repeat(100_000), close.repeat(100_000));
        let _ =
            survive(format!("%PDF-1.4\n1 0 obj{deep}endobj\ntrailer<</Root 1 0 R>>").as_bytes());
        let raw = deep.as_bytes();
        let _ = survive(&pdf(None, &[Sheet { raw, ..sheet() }]));
    }
}

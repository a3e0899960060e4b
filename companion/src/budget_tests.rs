//! Every input that comes from outside, driven to its limits and just past them: what is within is
//! taken, what is past is refused with a message that names the limit, and neither takes more memory
//! or time than the input's budget says.
//!
//! Each input is read in a process of its own, whose memory is that of this input alone.

use std::fmt::Display;
use std::process::Command;
use std::time::Duration;

use linkscent_archive::import::{Import, Limits};
use linkscent_archive::lists;
use linkscent_core::budget::{
    self, ANSWER, ARCHIVE, Budget, DOCUMENT, LIST, MESSAGE, MODEL, PREDICATE, QUERY, TOPIC_FILE,
};
use linkscent_core::predicate::Predicate;
use linkscent_core::wire::channel::DeviceKey;
use linkscent_core::wire::read_model;
use linkscent_documents::{Kind, MOST_HTML, to_html};
use linkscent_library::{Item, Library, MEANING, Order, Query, Search};

use linkscent_service::TopicFile;

/// Names the input that a process reads.
const READ: &str = "LINKSCENT_TEST_READ";
/// How much slower and larger a build without optimisation is.
const UNOPTIMISED: u32 = if cfg!(debug_assertions) { 20 } else { 1 };
/// Bytes that an allocator may hold besides what is in use.
const SPARE: usize = 32 << 20;

/// Reads an input, or says why it does not.
type Read = dyn Fn(&[u8]) -> Result<(), String>;

/// One way to drive an input to a limit: an input of so many things, and how it is read.
struct Drive {
    limit: &'static str,
    most: usize,
    made: Box<dyn Fn(usize) -> Vec<u8>>,
    read: Box<Read>,
}

fn drive(
    limit: &'static str,
    most: usize,
    made: impl Fn(usize) -> Vec<u8> + 'static,
    read: impl Fn(&[u8]) -> Result<(), String> + 'static,
) -> Drive {
    Drive {
        limit,
        most,
        made: Box::new(made),
        read: Box::new(read),
    }
}

fn said(error: impl Display) -> String {
    error.to_string()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// All inputs, and what each is driven to.
fn inputs() -> Vec<(Budget, Vec<Drive>)> {
    vec![
        (QUERY, queries()),
        (PREDICATE, predicates()),
        (LIST, list_drives()),
        (TOPIC_FILE, topic_files()),
        (ARCHIVE, archives()),
        (DOCUMENT, documents()),
        (ANSWER, answers()),
        (MODEL, models()),
        (MESSAGE, messages()),
    ]
}

fn queries() -> Vec<Drive> {
    let search = |asked: &[u8]| -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(folder.path()).unwrap();
        let mut writer = library.writer().unwrap();
        let page = Item {
            topic: 1,
            crawl: 1,
            number: 1,
            address: "http://a.test/".to_owned(),
            site: "a.test".to_owned(),
            title: "Kidneys".to_owned(),
            passages: vec!["A kidney, and another kidney.".to_owned()],
            language: linkscent_core::text::Language::English,
        };
        writer.take(&page).unwrap();
        writer.commit().unwrap();
        let search = Search {
            query: Query::read(text(asked)).map_err(said)?,
            topic: Some(1),
            standings: std::sync::Arc::new(|_| Some(0.5)),
            order: Order::Best,
            meaning: MEANING,
            most: 10,
            skip: 0,
        };
        library.search(&search).map(drop).map_err(said)
    };
    let words = |word: &'static str| move |most| word.repeat(most).into_bytes();
    let phrase = |most| format!("\"{}\"", "kidney ".repeat(most)).into_bytes();
    vec![
        drive("at most 4096 bytes", QUERY.bytes, words("k"), search),
        drive("at most 100 words", QUERY.items, words("kidney "), search),
        drive("at most 100 words", QUERY.items, phrase, search),
        drive("at most 8 words that end", 8, words("kidney~ "), search),
        drive("at most 8 words that end", 8, words("kid* "), search),
    ]
}

fn predicates() -> Vec<Drive> {
    let read = |bytes: &[u8]| text(bytes).parse::<Predicate>().map(drop).map_err(said);
    let title = |most| {
        let filled = "a".repeat(most - r#"title has """#.len());
        format!("title has \"{filled}\"").into_bytes()
    };
    let deep = |most| format!("{}title has \"a\"", "not ".repeat(most)).into_bytes();
    let regexes = |most| {
        vec![r#"text regex "\w{300}""#; most]
            .join(" or ")
            .into_bytes()
    };
    vec![
        drive("longer than 10000 characters", PREDICATE.items, title, read),
        drive("more than 64 levels", PREDICATE.depth, deep, read),
        drive("more than 16 regular", 16, regexes, read),
    ]
}

fn list_drives() -> Vec<Drive> {
    let read = |bytes: &[u8]| lists::addresses(text(bytes)).map(drop).map_err(said);
    let head = "url,title\n";
    let filled = |filling: &'static str| {
        move |most: usize| {
            let mut list = head.as_bytes().to_vec();
            list.extend(filling.bytes().cycle().take(most - head.len()));
            list
        }
    };
    let pages = |most| {
        let lines = (0..most).map(|number| format!("http://a.test/{number}\n"));
        lines.collect::<String>().into_bytes()
    };
    let deep = |most| {
        let (open, close) = ("<o>".repeat(most), "</o>".repeat(most));
        format!("{open}{close}").into_bytes()
    };
    let bytes = "at most 33554432 bytes";
    vec![
        drive(bytes, LIST.bytes, filled(","), read),
        drive(bytes, LIST.bytes, filled(",\n"), read),
        drive(bytes, LIST.bytes, filled("\"a"), read),
        drive("at most 100000 pages", LIST.items, pages, read),
        drive("at most 128 levels", LIST.depth, deep, read),
    ]
}

/// A topic file with these parts.
fn topic_file(said: &[u8], filled: usize) -> Vec<u8> {
    let mut file = tar::Builder::new(Vec::new());
    for (name, part) in [("topic.json", said), ("filling", &vec![b' '; filled])] {
        let mut header = tar::Header::new_gnu();
        header.set_size(part.len() as u64);
        file.append_data(&mut header, name, part).unwrap();
    }
    file.into_inner().unwrap()
}

fn topic_files() -> Vec<Drive> {
    let read = |bytes: &[u8]| TopicFile::read(bytes).map(drop).map_err(said);
    let of = |said: &str| {
        format!(
            "{{\"linkscent_topic\":1,\"name\":\"bees\",\"critic\":\"words\",\"strategy\":\"x\",\
             \"said\":[{said}]}}"
        )
    };
    let large = move |most: usize| {
        let frame = topic_file(of("").as_bytes(), 0).len();
        let mut file = topic_file(of("").as_bytes(), (most - frame) / 512 * 512);
        // A tar archive has whole blocks: what is behind its end is not read.
        file.resize(most, 0);
        file
    };
    let phrases = move |most: usize| {
        let phrase = serde_json::to_string(&linkscent_core::wire::api::EventKind::Phrase {
            text: "hive".to_owned(),
            wanted: Some(true),
        });
        topic_file(of(&vec![phrase.unwrap(); most].join(",")).as_bytes(), 0)
    };
    vec![
        drive("at most 67108864 bytes", TOPIC_FILE.bytes, large, read),
        drive("at most 100000 marks", TOPIC_FILE.items, phrases, read),
    ]
}

/// A WARC file with a page for each of these bodies.
fn warc(bodies: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut file = Vec::new();
    for (body, number) in bodies.zip(0..) {
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
        let length = head.len() + body.len();
        file.extend(
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.test/{number}\r\n\
                 WARC-Date: 2026-01-02T03:04:05Z\r\nContent-Length: {length}\r\n\r\n"
            )
            .bytes(),
        );
        file.extend(head);
        file.extend(body);
        file.extend(b"\r\n\r\n");
    }
    file
}

fn archives() -> Vec<Drive> {
    let read = |limits: Limits| {
        move |bytes: &[u8]| -> Result<(), String> {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.warc");
            std::fs::write(&path, bytes).unwrap();
            let import = Import::open(&path, limits).map_err(said)?;
            let survey = import.survey();
            if let Some(problem) = survey.problems.first() {
                return Err(problem.clone());
            }
            match survey.passed_over.iter().next() {
                Some((reason, _)) => Err(reason.said().to_owned()),
                None => Ok(()),
            }
        }
    };
    let usual = Limits::default();
    // As many pages as may be would take minutes to make: the same code counts fewer.
    let few = Limits { pages: 50, ..usual };
    let little = Limits {
        unpacked: 1 << 20,
        ratio: 1,
        ..usual
    };
    let one = |most: usize| warc(std::iter::once(vec![b'a'; most]));
    let many = |most: usize| warc((0..most).map(|_| b"<p>a".to_vec()));
    let packed = |most: usize| {
        let frame = warc(std::iter::once(Vec::new())).len();
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let file = warc(std::iter::once(vec![b'a'; most - frame - 5]));
        std::io::Write::write_all(&mut packed, &file).unwrap();
        packed.finish().unwrap()
    };
    vec![
        drive("too large", ARCHIVE.bytes, one, read(usual)),
        drive("more than 50 pages", few.pages, many, read(few)),
        drive(
            "1048576 bytes would be unpacked",
            1 << 20,
            packed,
            read(little),
        ),
    ]
}

fn documents() -> Vec<Drive> {
    // A text that is longer ends earlier, and says so.
    let read = |bytes: &[u8]| -> Result<(), String> {
        let html = to_html(Kind::Text, bytes, Some("text/plain")).map_err(said)?;
        assert!(html.len() <= MOST_HTML, "{}", html.len());
        let cut = "<meta name=\"cut\"";
        match html.find(cut) {
            Some(place) => Err(html[place..].chars().take(200).collect()),
            None => Ok(()),
        }
    };
    let lines = |most: usize| "word\n\n".repeat(most).into_bytes();
    // As many paragraphs as surely fit, and one more than fits.
    vec![drive(
        "longer than 4 MiB",
        MOST_HTML / 24,
        move |most| {
            let is_past = most > MOST_HTML / 24;
            lines(if is_past { DOCUMENT.bytes / 6 } else { most })
        },
        read,
    )]
}

fn answers() -> Vec<Drive> {
    let read = |bytes: &[u8]| -> Result<(), String> {
        let document = linkscent_core::dom::html::parse(text(bytes));
        assert!(document.links.len() <= ANSWER.items);
        if document.truncated {
            return Err("cut off".to_owned());
        }
        Ok(())
    };
    let links = |most: usize| "<a href=/x>a</a> ".repeat(most).into_bytes();
    vec![drive("cut off", ANSWER.items, links, read)]
}

fn models() -> Vec<Drive> {
    // The header of a model file, and zeros behind it. A body within the limit is read as far as its
    // checksum, which is wrong.
    let read = |bytes: &[u8]| match read_model(bytes) {
        Err(error) if error.to_string().contains("checksum") => Ok(()),
        read => read.map(drop).map_err(said),
    };
    let zeros = |most: usize| {
        let mut file = vec![0; 23 + most];
        file[..8].copy_from_slice(b"LNKSCENT");
        file[8] = 5;
        file[10] = 1;
        file[11..19].copy_from_slice(&(most as u64).to_le_bytes());
        file[19] = 1;
        file
    };
    vec![drive("at most 268435456 bytes", MODEL.bytes, zeros, read)]
}

fn messages() -> Vec<Drive> {
    let channel = || {
        DeviceKey::from_bytes(&[7; 32])
            .unwrap()
            .channel(&[1; 32], &[2; 32])
    };
    let read = move |bytes: &[u8]| channel().open_call(bytes).map(drop).map_err(said);
    // A number of eight bytes, and the seal's sixteen.
    let call = move |most: usize| channel().call(&vec![b' '; most - 24]);
    vec![drive("at most 16777216 bytes", MESSAGE.bytes, call, read)]
}

/// A number that the system tells of this process, in kibibytes.
#[cfg(target_os = "linux")]
fn status(field: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Reads an input; how much memory and time on the processor that took. Only Linux tells.
fn measured(read: impl FnOnce() -> Result<(), String>) -> (Result<(), String>, usize, Duration) {
    #[cfg(target_os = "linux")]
    {
        use rustix::time::{ClockId, clock_gettime};
        let clock = || Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap();
        // What was needed most is counted from here on.
        let is_reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
        let (memory, time) = (status("VmRSS"), clock());
        let read = read();
        let more = status("VmHWM").saturating_sub(memory) << 10;
        let more = if is_reset { more } else { 0 };
        (read, more, clock().saturating_sub(time))
    }
    #[cfg(not(target_os = "linux"))]
    (read(), 0, Duration::ZERO)
}

/// Does nothing unless another test has it read an input.
#[test]
fn one_input() {
    let Ok(name) = std::env::var(READ) else {
        return;
    };
    let input = inputs()
        .into_iter()
        .find(|(budget, _)| budget.input == name);
    let (budget, drives) = input.unwrap();
    for drive in drives {
        for (most, is_within) in [(drive.most, true), (drive.most + 1, false)] {
            let made = (drive.made)(most);
            let (read, memory, time) = measured(|| (drive.read)(&made));
            let what = format!("{name}, {}, {most}", drive.limit);
            match read {
                Ok(()) => assert!(is_within, "{what}: it was taken"),
                Err(error) => {
                    assert!(!is_within, "{what}: {error}");
                    assert!(error.contains(drive.limit), "{what}: {error}");
                }
            }
            println!("{what}: {} KiB, {time:.3?}", memory >> 10);
            assert!(memory <= budget.memory + SPARE, "{what}: {memory} bytes");
            assert!(time <= budget.time * UNOPTIMISED, "{what}: {time:?}");
        }
    }
}

#[test]
fn every_input_keeps_within_its_budget() {
    let inputs = inputs();
    let named: Vec<Budget> = inputs.iter().map(|(budget, _)| *budget).collect();
    assert_eq!(named, budget::ALL, "each budget is driven to its limits");
    for budget in named {
        let program = std::env::current_exe().unwrap();
        let reading = Command::new(program)
            .args(["--exact", "budget_tests::one_input", "--nocapture"])
            .env(READ, budget.input)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&reading.stdout);
        let problem = String::from_utf8_lossy(&reading.stderr);
        assert!(reading.status.success(), "{told}\n{problem}");
        assert!(told.contains(budget.input), "{told}");
        print!("{told}");
    }
}

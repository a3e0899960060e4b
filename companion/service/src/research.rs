//! A crawl as one file that others can check: what was ordered, what was known when it began, every
//! request and what came of it, and the pages themselves. Whoever has the file can run the crawl
//! again with it as the web; see [`crate::crawler::verify`].
//!
//! It is a tar archive whose first part lists the others with their lengths and SHA-256. What it
//! says of pages is what follows from its log and from what the crawl began with. Left out are
//! recrawls of a watched topic, which hang on earlier crawls; what robots.txt said; what the person told the
//! crawl while it ran; and what the sentence model said of its pages.
//!
//! What the crawl began with names pages that were read, marked and followed in the browser before
//! it: whoever gives the file away is told so.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use linkscent_core::crawl::CrawlSpec;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// The form of the file.
const FORM: u32 = 1;
/// Its parts.
const CONTENTS: &str = "contents.json";
const ABOUT: &str = "about.json";
const LOG: &str = "log.jsonl";
const START: &str = "start.model";
const PAGES: &str = "pages.warc.gz";
/// Bytes of the list of parts at most.
const LARGEST_LIST: u64 = 1 << 20;
/// Bytes of all parts but the pages at most, each.
const LARGEST_PART: u64 = 1 << 30;

/// What a crawl was and how it was ordered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The form of the file, for programs to come.
    pub linkscent_research: u32,
    /// Version of the program that wrote it.
    pub program: String,
    /// When it was written.
    pub written: String,
    /// Name of the topic.
    pub topic: String,
    /// Number of the crawl where it was made.
    pub crawl: i64,
    /// How it stands: `done`, `stopped`, ...
    pub state: String,
    /// Why it ended.
    pub stop_reason: String,
    /// How it was to go, and what it did first when it lost its way.
    #[serde(flatten)]
    pub spec: CrawlSpec,
    /// Where it began: address, and whether it is an example of a target.
    pub seeds: Vec<(String, bool)>,
    /// From which request on it did what, where that was changed while it went on.
    #[serde(default)]
    pub reactions: Vec<(u64, String)>,
    /// Whether pages counted that are nearly the same as others, as they did in files of earlier
    /// versions, and those of archives do.
    #[serde(default = "always")]
    pub takes_repeats: bool,
    /// Whether links of pages were followed that ask crawlers not to, as they were in files of
    /// earlier versions.
    #[serde(default = "always")]
    pub follows_all: bool,
    /// Numbers of the requests that no link of the pages before led to: the person named them while
    /// it ran, an archive brought them, or what was said later led there.
    pub not_linked: Vec<u64>,
}

fn always() -> bool {
    true
}

impl About {
    /// Of this form, by this program.
    pub fn form() -> u32 {
        FORM
    }
}

/// A request of the log and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Its number, from 1.
    pub number: u64,
    /// What was asked for.
    pub address: String,
    /// When the answer came, in milliseconds since 1970; 0 where that was not put down.
    pub time: i64,
    /// Where the page's record begins in the archive; none if no page came.
    pub offset: Option<u64>,
    /// Where the answer sent on to.
    pub redirect: Option<String>,
    /// What came in place of a page.
    pub problem: String,
    /// How relevant the page is, 0..=1.
    pub relevance: Option<f64>,
    /// Whether it counts as found.
    pub is_target: bool,
    /// Why its link was followed.
    pub reason: String,
    /// Pages on the way there, newest first.
    pub trail: Vec<String>,
}

/// A part and how it is known again.
#[derive(Debug, Serialize, Deserialize)]
struct Part {
    name: String,
    bytes: u64,
    sha256: String,
}

/// What is written besides the pages.
pub struct Research {
    /// What the crawl was.
    pub about: About,
    /// Its log.
    pub log: Vec<Request>,
    /// The model file it began with.
    pub start: Vec<u8>,
}

impl Research {
    /// Writes the file. `pages` is the crawl's archive, of which so many bytes count.
    pub fn write(&self, pages: &Path, length: u64, out: impl Write) -> Result<()> {
        let mut log = Vec::new();
        for request in &self.log {
            serde_json::to_writer(&mut log, request)?;
            log.push(b'\n');
        }
        let parts = [
            (ABOUT, serde_json::to_vec_pretty(&self.about)?),
            (LOG, log),
            (START, self.start.clone()),
        ];
        let part = |name: &str, bytes: u64, sha256: String| Part {
            name: name.to_owned(),
            bytes,
            sha256,
        };
        let mut contents: Vec<Part> = Vec::new();
        for (name, bytes) in &parts {
            contents.push(part(name, bytes.len() as u64, hex(&Sha256::digest(bytes))));
        }
        let reading = || format!("reading {}", pages.display());
        let hash = hash_of(open(pages, length).with_context(reading)?);
        contents.push(part(PAGES, length, hash.with_context(reading)?));
        let mut archive = tar::Builder::new(out);
        let first = (CONTENTS, serde_json::to_vec_pretty(&contents)?);
        for (name, bytes) in std::iter::once(&first).chain(&parts) {
            append(&mut archive, name, bytes.len() as u64, bytes.as_slice())?;
        }
        append(&mut archive, PAGES, length, open(pages, length)?)?;
        archive.into_inner()?.flush()?;
        Ok(())
    }
}

/// A file that was unpacked, every part as it was listed.
pub struct Unpacked {
    /// What is in it besides the pages.
    pub research: Research,
    /// The archive of its pages.
    pub pages: PathBuf,
    _folder: TempDir,
}

impl Unpacked {
    /// Unpacks a file into a folder of its own, which goes with it.
    pub fn open(path: &Path) -> Result<Self> {
        let reading = || format!("reading {}", path.display());
        let file = File::open(path).with_context(reading)?;
        let kind = file.metadata().with_context(reading)?;
        ensure!(kind.is_file(), "{} is no file", path.display());
        let all = kind.len();
        let folder = tempfile::tempdir()?;
        let mut archive = tar::Archive::new(BufReader::new(file));
        let mut contents: Option<Vec<Part>> = None;
        let mut there: Vec<String> = Vec::new();
        for entry in archive.entries()? {
            let entry = entry.context("it breaks off")?;
            let name = entry.path()?.to_string_lossy().into_owned();
            let Some(parts) = &contents else {
                ensure!(
                    name == CONTENTS,
                    "it is no research object: its contents are not listed"
                );
                let mut listed = Vec::new();
                entry.take(all.min(LARGEST_LIST)).read_to_end(&mut listed)?;
                contents = Some(serde_json::from_slice(&listed).context(CONTENTS)?);
                continue;
            };
            let part = parts.iter().find(|part| part.name == name);
            let part = part.with_context(|| format!("{name} is not among its contents"))?;
            ensure!(
                [ABOUT, LOG, START, PAGES].contains(&&*name),
                "nobody knows a part called {name}"
            );
            ensure!(!there.contains(&name), "{name} is in it twice");
            // What a sparse entry or the list claims is no reason to fill the disk.
            ensure!(
                part.bytes <= all,
                "{name} is said to be larger than the file"
            );
            let target = folder.path().join(&name);
            let mut out = Hashing::new(File::create(&target)?);
            let copied =
                io::copy(&mut entry.take(part.bytes), &mut out).with_context(|| name.clone())?;
            ensure!(
                copied == part.bytes,
                "{name} breaks off after {copied} of {} bytes",
                part.bytes
            );
            ensure!(
                out.finish() == part.sha256,
                "{name} was changed: its checksum is another"
            );
            there.push(name);
        }
        for part in contents.context("it is empty")? {
            ensure!(there.contains(&part.name), "{} is missing", part.name);
        }
        let read = |name: &str| -> Result<Vec<u8>> {
            let path = folder.path().join(name);
            let file = File::open(&path).with_context(|| format!("{name} is missing"))?;
            if file.metadata()?.len() > LARGEST_PART {
                bail!("{name} has more than {LARGEST_PART} bytes");
            }
            let mut bytes = Vec::new();
            BufReader::new(file).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let about: About = serde_json::from_slice(&read(ABOUT)?).context(ABOUT)?;
        ensure!(
            about.linkscent_research == FORM,
            "a newer Linkscent wrote it"
        );
        let lines = io::Cursor::new(read(LOG)?).lines();
        let mut log = Vec::new();
        for (line, number) in lines.zip(1..) {
            let request = serde_json::from_str(&line?);
            log.push(request.with_context(|| format!("line {number} of {LOG}"))?);
        }
        Ok(Self {
            research: Research {
                about,
                log,
                start: read(START)?,
            },
            pages: folder.path().join(PAGES),
            _folder: folder,
        })
    }
}

fn open(path: &Path, length: u64) -> io::Result<io::Take<File>> {
    Ok(File::open(path)?.take(length))
}

fn append(
    archive: &mut tar::Builder<impl Write>,
    name: &str,
    length: u64,
    from: impl Read,
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(length);
    header.set_mode(0o600);
    archive.append_data(&mut header, name, from)
}

fn hash_of(mut from: impl Read) -> io::Result<String> {
    let mut out = Hashing::new(io::sink());
    io::copy(&mut from, &mut out)?;
    Ok(out.finish())
}

/// Writes, and takes the checksum of what it writes.
struct Hashing<W>(W, Sha256);

impl<W> Hashing<W> {
    fn new(out: W) -> Self {
        Self(out, Sha256::new())
    }

    fn finish(self) -> String {
        hex(&self.1.finalize())
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

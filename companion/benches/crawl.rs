//! Pages per second of a whole crawl on loopback: `linkscent research replay` serves a
//! generated web of 3,000 pages on 8 hosts (about 9 kB and 40 links a page),
//! `linkscent crawl` fetches 1,500 of them without a delay between requests,
//! pages and log kept on the disk as always.
//!
//! `cargo bench --package linkscent --bench crawl`

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

const PROGRAM: &str = env!("CARGO_BIN_EXE_linkscent");
const PAGES: u64 = 3_000;
const WORDS: [&str; 24] = [
    "kidney", "dialysis", "patient", "donor", "blood", "clinic", "railway", "engine", "station",
    "ticket", "valley", "garden", "flower", "meadow", "market", "harvest", "library", "archive",
    "reader", "letter", "planet", "orbit", "comet", "galaxy",
];

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let web = folder.path().join("web.warc");
    std::fs::write(&web, generated())?;
    let (mut replay, proxy) = replay(&web)?;
    let examples = folder.path().join("examples.txt");
    std::fs::write(&examples, format!("{}\n{}\n", address(0), address(6)))?;
    for strategy in ["best-first", "apprentice"] {
        let output = Command::new(PROGRAM)
            .args(["crawl", "--budget", "1500", "--delay", "0", "--json"])
            .args(["--proxy", &proxy, "--strategy", strategy, "--data"])
            .arg(folder.path().join(strategy))
            .arg("--examples")
            .arg(&examples)
            .stderr(Stdio::inherit())
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        println!("{strategy}: {}", said.trim());
    }
    replay.kill()?;
    replay.wait()?;
    Ok(())
}

fn address(page: u64) -> String {
    format!("http://host{}.test/page/{page}", page % 8)
}

/// Numbers that look drawn and are the same every time.
fn mixed(number: u64) -> u64 {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
}

/// Pages speak mostly the words of their group of six, and link mostly to
/// pages of it.
fn generated() -> String {
    let mut warc = String::new();
    for page in 0..PAGES {
        let group = (page % 4) as usize * 6;
        let word = |place: u64| {
            let drawn = mixed(page * 10_007 + place);
            let from = if drawn.is_multiple_of(4) { 0 } else { group };
            WORDS[(from + (drawn / 7 % 6) as usize) % WORDS.len()]
        };
        let mut body = format!("<title>{} {} {page}</title>", word(1), word(2));
        for link in 0..40 {
            let near = page % 4 + 4 * (mixed(page * 53 + link) % (PAGES / 4));
            let far = mixed(page * 59 + link) % PAGES;
            let target = address(if link % 3 == 0 { far } else { near });
            let text: Vec<&str> = (0..20).map(|place| word(link * 20 + place)).collect();
            let (before, inside) = text.split_at(17);
            let _ = write!(
                body,
                "<p>{} <a href='{target}'>{}</a></p>",
                before.join(" "),
                inside.join(" ")
            );
        }
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
        let _ = write!(
            warc,
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            address(page),
            block.len()
        );
    }
    warc
}

fn replay(web: &Path) -> Result<(Child, String)> {
    let mut child = Command::new(PROGRAM)
        .args(["research", "replay", "--listen", "127.0.0.1:0"])
        .arg(web)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().context("replay says nothing")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let port = line.rsplit(':').next().unwrap_or_default().trim();
    Ok((child, format!("http://127.0.0.1:{port}")))
}

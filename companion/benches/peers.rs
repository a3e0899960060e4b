//! Beside peers: `cargo bench -p linkscent --bench peers -- MATERIAL [--scrapy PYTHON]
//! [--crawlee FOLDER]`.
//!
//! The same pages of two frozen webs, served by one `linkscent research replay`, are crawled without a delay by
//! this program and by the peers that are installed: `PYTHON` is one that has Scrapy (`python3`
//! unless told otherwise), `FOLDER` one with npm's `@crawlee/cheerio`. Each stops at so many pages and
//! says how many it read, by which is divided; peers follow links as they come, and learn nothing.
//! Crawlee asks for no robots.txt, as it would not do so through a proxy. Printed are CPU time a page
//! and pages a second, and how many times as much a peer needs. Linux alone tells CPU times; that
//! of processes which read documents is not in it.

mod programs;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use programs::{Running, replay};

const PROGRAM: &str = env!("CARGO_BIN_EXE_linkscent");
/// How often it is looked how much a program has used; what it used behind the last look is not
/// counted.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A crawl that takes longer is given up.
const LONGEST: Duration = Duration::from_mins(5);

/// A frozen web, and how much of it is crawled.
struct Web {
    name: &'static str,
    file: &'static str,
    seeds: &'static [&'static str],
    topic: &'static str,
    pages: u64,
}

const WEBS: [Web; 2] = [
    Web {
        name: "university",
        file: "webs/uci.warc.zst",
        seeds: &["http://www.ics.uci.edu/", "http://www.lib.uci.edu/"],
        topic: "machine learning",
        pages: 5_000,
    },
    Web {
        name: "encyclopedia",
        file: "webs/wikispeedia.warc.gz",
        seeds: &["http://wikispeedia.test/wiki/Windsor_Castle"],
        topic: "castles",
        pages: 2_000,
    },
];

/// What a crawl used.
struct Used {
    cpu: Duration,
    time: Duration,
    /// Pages that it read.
    pages: f64,
}

impl Used {
    /// CPU seconds a page.
    fn a_page(&self) -> f64 {
        self.cpu.as_secs_f64() / self.pages
    }
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).filter(|text| text != "--bench");
    let (mut material, mut python, mut crawlee) = (None, "python3".to_owned(), None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--scrapy" => python = arguments.next().context("--scrapy has no value")?,
            "--crawlee" => crawlee = Some(arguments.next().context("--crawlee has no value")?),
            _ => material = Some(PathBuf::from(argument)),
        }
    }
    let Some(material) = material else {
        println!("nothing to crawl: name the folder of the frozen webs");
        return Ok(());
    };
    for web in &WEBS {
        beside(web, &material, &python, crawlee.as_deref())?;
    }
    Ok(())
}

fn beside(web: &Web, material: &Path, python: &str, crawlee: Option<&str>) -> Result<()> {
    let (_replay, proxy) = replay(&material.join(web.file))?;
    println!("{}: {} pages", web.name, web.pages);
    println!("                 CPU ms a page  pages a second  times the ensemble's CPU");
    let folder = tempfile::tempdir()?;
    let mut own = None;
    for strategy in ["ensemble", "best-first"] {
        let used = used_by(&mut linkscent(web, strategy, &proxy, folder.path())?)?;
        print(strategy, &used, own);
        own = own.or(Some(used.a_page()));
    }
    let has_scrapy = Command::new(python).args(["-c", "import scrapy"]).output();
    if has_scrapy.is_ok_and(|output| output.status.success()) {
        let mut scrapy = Command::new(python);
        scrapy.arg(script("spider.py"));
        peer(web, "Scrapy", scrapy, &proxy, own)?;
    } else {
        println!("Scrapy is not installed for {python}");
    }
    if let Some(crawlee) = crawlee {
        let mut node = Command::new("node");
        node.arg(script("crawler.mjs")).arg(crawlee);
        peer(web, "Crawlee", node, &proxy, own)?;
    } else {
        println!("Crawlee: name the folder where it is installed");
    }
    Ok(())
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("benches/peers")
        .join(name)
}

fn peer(web: &Web, name: &str, mut peer: Command, proxy: &str, own: Option<f64>) -> Result<()> {
    let peer = peer.args([proxy, &web.pages.to_string()]).args(web.seeds);
    print(name, &used_by(peer)?, own);
    Ok(())
}

fn print(name: &str, used: &Used, own: Option<f64>) {
    let times = own.map_or(1.0, |own| used.a_page() / own);
    println!(
        "{name:<12} {:>17.2} {:>15.0} {times:>25.1}   ({} pages)",
        used.a_page() * 1e3,
        used.pages / used.time.as_secs_f64(),
        used.pages,
    );
}

fn linkscent(web: &Web, strategy: &str, proxy: &str, folder: &Path) -> Result<Command> {
    let seeds = folder.join("seeds.txt");
    std::fs::write(&seeds, web.seeds.join("\n"))?;
    let mut crawl = Command::new(PROGRAM);
    crawl
        .args(["crawl", "--topic", web.topic, "--strategy", strategy])
        .args(["--delay", "0", "--budget", &web.pages.to_string()])
        .args(["--proxy", proxy, "--seeds"])
        .arg(&seeds)
        .arg("--data")
        .arg(folder.join(strategy))
        .args(["--json"])
        .stderr(Stdio::null());
    Ok(crawl)
}

/// Runs a program to its end; it says on its last line how many pages it read.
fn used_by(program: &mut Command) -> Result<Used> {
    let begun = Instant::now();
    let child = program.stdout(Stdio::piped()).spawn();
    let mut child = Running(child.with_context(|| format!("running {program:?}"))?);
    let out = child.0.stdout.take().context("it says nothing")?;
    let said = std::thread::spawn(move || BufReader::new(out).lines().map_while(Result::ok).last());
    let stat = format!("/proc/{}/stat", child.0.id());
    let mut cpu = Duration::ZERO;
    let status = loop {
        // Between its end and this it cannot be read, or says nothing.
        cpu = cpu.max(std::fs::read_to_string(&stat).map_or(cpu, |stat| ticks(&stat)));
        if let Some(status) = child.0.try_wait()? {
            break status;
        }
        ensure!(begun.elapsed() < LONGEST, "{program:?} does not end");
        std::thread::sleep(LOOK_EVERY);
    };
    let time = begun.elapsed();
    ensure!(status.success(), "{program:?} ended with {status}");
    let said = said.join().ok().flatten().unwrap_or_default();
    let pages = said.split("\"pages\":").nth(1).unwrap_or(&said);
    let digits: String = pages
        .trim()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    let pages = digits
        .parse()
        .with_context(|| format!("{program:?} said {said:?}"))?;
    Ok(Used { cpu, time, pages })
}

/// CPU time in its own code and in the system, of ticks of 10 ms.
fn ticks(stat: &str) -> Duration {
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let ticks = rest.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|text| text.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

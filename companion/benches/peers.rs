//! Beside peers: `cargo bench -p linkscent --bench peers -- MATERIAL [--scrapy PYTHON]
//! [--crawlee FOLDER]`.
//!
//! The same pages of two frozen webs, served by one `linkscent replay`, are crawled without a delay by
//! this program and by the peers that are installed: `PYTHON` is one that has Scrapy (`python3`
//! unless told otherwise), `FOLDER` one with npm's `@crawlee/cheerio`. Each fetches so many pages, reads
//! robots.txt and the words of each page; peers follow links as they come, and learn nothing. Printed
//! are CPU time a page and pages a second, and how many times as much a peer needs.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

const PROGRAM: &str = env!("CARGO_BIN_EXE_linkscent");
/// How often it is looked how much a program has used; what it used behind the last look is not
/// counted.
const LOOK_EVERY: Duration = Duration::from_millis(20);

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
        seeds: &["http://en.wikipedia.org/wiki/Castle"],
        topic: "castles",
        pages: 2_000,
    },
];

/// What a crawl used.
struct Used {
    cpu: Duration,
    time: Duration,
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
    let (mut replay, proxy) = serve(&material.join(web.file))?;
    println!("{}: {} pages", web.name, web.pages);
    println!("                 CPU ms a page  pages a second  times the ensemble's CPU");
    let folder = tempfile::tempdir()?;
    let mut own = None;
    for strategy in ["ensemble", "best-first"] {
        let used = used_by(&mut linkscent(web, strategy, &proxy, folder.path())?)?;
        print(web, strategy, &used, own);
        own = own.or(Some(used.cpu));
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
    replay.kill()?;
    replay.wait()?;
    Ok(())
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("benches/peers")
        .join(name)
}

fn peer(
    web: &Web,
    name: &str,
    mut peer: Command,
    proxy: &str,
    own: Option<Duration>,
) -> Result<()> {
    let peer = peer.args([proxy, &web.pages.to_string()]).args(web.seeds);
    print(web, name, &used_by(peer.stdout(Stdio::null()))?, own);
    Ok(())
}

fn print(web: &Web, name: &str, used: &Used, own: Option<Duration>) {
    let pages = web.pages as f64;
    let times = own.map_or(1.0, |own| used.cpu.as_secs_f64() / own.as_secs_f64());
    println!(
        "{name:<12} {:>17.2} {:>15.0} {times:>25.1}",
        used.cpu.as_secs_f64() * 1e3 / pages,
        pages / used.time.as_secs_f64(),
    );
}

/// Serves a web; its process and address.
fn serve(file: &Path) -> Result<(Child, String)> {
    ensure!(file.exists(), "there is no {}", file.display());
    let mut replay = Command::new(PROGRAM)
        .args(["replay", "--listen", "127.0.0.1:0"])
        .arg(file)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = replay.stdout.take().context("it says nothing")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let address = line.trim().rsplit(' ').next().unwrap_or_default();
    Ok((replay, address.to_owned()))
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
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(crawl)
}

/// Runs a program to its end.
fn used_by(program: &mut Command) -> Result<Used> {
    let begun = Instant::now();
    let mut child = program
        .spawn()
        .with_context(|| format!("running {program:?}"))?;
    let stat = format!("/proc/{}/stat", child.id());
    let mut cpu = Duration::ZERO;
    let status = loop {
        // Between its end and this it cannot be read, or says nothing.
        cpu = cpu.max(std::fs::read_to_string(&stat).map_or(cpu, |stat| ticks(&stat)));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(LOOK_EVERY);
    };
    if !status.success() {
        bail!("{program:?} ended with {status}");
    }
    Ok(Used {
        cpu,
        time: begun.elapsed(),
    })
}

/// CPU time in its own code and in the system, of ticks of 10 ms.
fn ticks(stat: &str) -> Duration {
    let rest = stat.rsplit(')').next().unwrap_or_default();
    let ticks = rest.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|text| text.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

//! A web without end whose hosts have their faults: slow, without time, broken, silent, dribbling,
//! with rules, without any, going round in circles, saying nothing new.
//!
//! Two crawls meet on the same hosts and on no page: each path begins with a space of its own.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use linkscent_core::strategies::{Rng, SplitMix};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use super::promises::{Promises, Witness};
use crate::scripted::next_address;
use crate::web::word;

/// Between two requests to a host, unless it asks for more.
pub(super) const DELAY: Duration = Duration::from_secs(1);
/// Where one host asks for more.
const LONGER_DELAY: Duration = Duration::from_secs(3);
const LINKS: u64 = 8;

/// What a host is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Temper {
    Honest,
    Slow,
    /// Has no time for a page the first time.
    Busy,
    /// Breaks off in the middle of each third page.
    Broken,
    /// Ends the connection to each third page without a word.
    Silent,
    /// Sends a byte now and then.
    Dribbles,
    /// Its robots.txt forbids a part and asks for a longer delay.
    Rules,
    /// Its robots.txt cannot be had.
    NoRules,
    /// Each page leads on to the next.
    Circles,
    /// Says nothing new, however far one goes.
    Trap,
}

/// How many hosts there are of each.
const HOSTS: [(Temper, &str, u64); 10] = [
    (Temper::Honest, "honest", 150),
    (Temper::Slow, "slow", 8),
    (Temper::Busy, "busy", 8),
    (Temper::Broken, "broken", 8),
    (Temper::Silent, "silent", 6),
    (Temper::Dribbles, "dribbles", 2),
    (Temper::Rules, "rules", 8),
    (Temper::NoRules, "norules", 5),
    (Temper::Circles, "circles", 4),
    (Temper::Trap, "trap", 1),
];

/// The host of a number.
fn host(mut number: u64) -> String {
    for (_, name, many) in HOSTS {
        if number < many {
            return format!("{name}{number}.test");
        }
        number -= many;
    }
    "honest0.test".to_owned()
}

fn temper(host: &str) -> Temper {
    let name = host.trim_end_matches(".test");
    let name = name.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let found = HOSTS.iter().find(|row| row.1 == name);
    found.map_or(Temper::Honest, |row| row.0)
}

fn all_hosts() -> u64 {
    HOSTS.iter().map(|row| row.2).sum()
}

/// What is known of the requests.
#[derive(Default)]
struct Log {
    witness: Witness,
    asked: HashSet<String>,
    /// Pages whose answer is acknowledged, by their addresses.
    settled: HashSet<String>,
    /// Requests for them since.
    asked_again: usize,
}

/// The web, as it is served.
pub(super) struct FaultyWeb {
    port: u16,
    log: Arc<Mutex<Log>>,
}

impl FaultyWeb {
    /// Serves it as long as the runtime lives; another seed, another web.
    pub(super) async fn serve(seed: u64) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let log = Arc::<Mutex<Log>>::default();
        let kept = Arc::clone(&log);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let log = Arc::clone(&kept);
                tokio::spawn(async move {
                    let _ = connection(stream, &log, seed).await;
                });
            }
        });
        Ok(Self { port, log })
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Where a crawl in a space starts.
    pub(super) fn starts(space: &str) -> Vec<String> {
        let starts = (0..6).map(|number| format!("http://{}/{space}/{number}", host(number)));
        starts.collect()
    }

    pub(super) fn promises(&self) -> Promises {
        self.log().witness.seen()
    }

    /// From now on these pages must not be asked for any more; how many were that must not until
    /// now.
    pub(super) fn settle(&self, pages: HashSet<String>) -> usize {
        let mut log = self.log();
        log.settled = pages;
        std::mem::take(&mut log.asked_again)
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What comes of a request.
enum Answer {
    Head(&'static str, String),
    Page(String),
    /// The beginning of a page that should be longer.
    Half(String),
    Nothing,
    Dribble,
}

async fn connection(mut stream: TcpStream, log: &Mutex<Log>, seed: u64) -> Result<()> {
    while let Some(address) = next_address(&mut stream).await? {
        let rest = address.strip_prefix("http://").context("no proxy")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let is_first = {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            let temper = temper(host);
            let delay = match temper {
                Temper::Rules if path != "robots.txt" => LONGER_DELAY,
                _ => DELAY,
            };
            log.witness
                .begins(host, path, delay, is_forbidden(temper, path));
            log.asked_again += usize::from(log.settled.contains(&address));
            log.asked.insert(address.clone())
        };
        let mut sent = Instant::now();
        let answered = answer_to(&mut stream, host, path, is_first, seed, &mut sent).await;
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.witness.ends(host, sent);
        if !answered? {
            return Ok(());
        }
    }
    Ok(())
}

fn is_forbidden(temper: Temper, path: &str) -> bool {
    let is_page = path != "robots.txt";
    match temper {
        Temper::NoRules => is_page,
        Temper::Rules => path
            .split('/')
            .nth(1)
            .is_some_and(|page| page.starts_with('9')),
        _ => false,
    }
}

/// Answers; whether the connection goes on. `sent` is when it began to send the last of it.
async fn answer_to(
    stream: &mut TcpStream,
    host: &str,
    path: &str,
    is_first: bool,
    seed: u64,
    sent: &mut Instant,
) -> Result<bool> {
    let temper = temper(host);
    if temper == Temper::Slow && !still_waits(stream, Duration::from_millis(400)).await {
        *sent = Instant::now();
        return Ok(false);
    }
    let head = |status: &str, more: &str, length: usize| {
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\n{more}Content-Length: {length}\r\n\r\n"
        )
    };
    *sent = Instant::now();
    let text = match answer(temper, host, path, is_first, seed) {
        Answer::Page(page) => format!("{}{page}", head("200 OK", "", page.len())),
        Answer::Head(status, more) => head(status, &more, 0),
        Answer::Half(page) => {
            let text = format!("{}{page}", head("200 OK", "", 2 * page.len()));
            stream.write_all(text.as_bytes()).await?;
            return Ok(false);
        }
        Answer::Nothing => return Ok(false),
        Answer::Dribble => {
            let text = head("200 OK", "", 1_000_000);
            stream.write_all(text.as_bytes()).await?;
            for _ in 0..8 {
                *sent = Instant::now();
                stream.write_all(b"a").await?;
                if !still_waits(stream, Duration::from_millis(200)).await {
                    break;
                }
            }
            return Ok(false);
        }
    };
    stream.write_all(text.as_bytes()).await?;
    Ok(true)
}

/// Whether somebody waits for the answer for so long.
async fn still_waits(stream: &TcpStream, long: Duration) -> bool {
    match tokio::time::timeout(long, stream.peek(&mut [0])).await {
        Ok(peeked) => peeked.is_ok_and(|bytes| bytes > 0),
        Err(_) => true,
    }
}

fn answer(temper: Temper, host: &str, path: &str, is_first: bool, seed: u64) -> Answer {
    if path == "robots.txt" {
        let rules = "User-agent: *\nDisallow: /kidneys/9\nDisallow: /trains/9\nCrawl-delay: 3\n";
        return match temper {
            Temper::Rules => Answer::Page(rules.to_owned()),
            Temper::NoRules => Answer::Head("500 x", String::new()),
            _ => Answer::Head("404 x", String::new()),
        };
    }
    let Some((space, number)) = path.split_once('/') else {
        return Answer::Head("404 x", String::new());
    };
    let Ok(number) = number.parse::<u64>() else {
        return Answer::Head("404 x", String::new());
    };
    let page = page(temper, host, space, number, seed);
    let is_third = number.is_multiple_of(3);
    match temper {
        Temper::Busy if is_first => Answer::Head("503 x", "Retry-After: 1\r\n".to_owned()),
        Temper::Broken if is_third => Answer::Half(page),
        Temper::Silent if is_third => Answer::Nothing,
        Temper::Dribbles if is_third => Answer::Dribble,
        Temper::Circles => {
            let next = format!("Location: /{space}/{}\r\n", number + 1);
            Answer::Head("302 x", next)
        }
        _ => Answer::Page(page),
    }
}

fn page(temper: Temper, at: &str, space: &str, number: u64, seed: u64) -> String {
    let about = if number.is_multiple_of(3) {
        "kidney dialysis patients"
    } else {
        "railway trains stations"
    };
    let mut rng = SplitMix(seed ^ number.wrapping_mul(0x9e37_79b9) ^ at.len() as u64);
    let links = (1..=LINKS).map(|step| {
        let to = (number * 5 + step) % 1_000_003;
        let there = if temper == Temper::Trap {
            at.to_owned()
        } else {
            host((rng.unit() * all_hosts() as f64) as u64)
        };
        format!("<p>about {about} <a href='http://{there}/{space}/{to}'>page {to}</a>")
    });
    let links: String = links.collect();
    // A site that only repeats itself is left.
    let own = if temper == Temper::Trap {
        String::new()
    } else {
        [word(number), word(number + 7), word(number + 13)].join(" ")
    };
    format!("<title>{at} {number}</title><p>{about}{links}<p>{own}</p>")
}

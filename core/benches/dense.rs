//! `cargo bench -p linkscent-core --bench dense [-- PAGES [STRATEGY...]]`: what a page of a long
//! crawl costs, from its document to the frontier, as the crawl grows.
//!
//! The web is made here, as it is asked for: 2,000,000 pages on 500 hosts, a hundredth of them on
//! topic, each with 50 links in short paragraphs, a third of them to pages of the same group. For
//! each tenth of the crawl it prints the milliseconds a page takes, the longest that one took,
//! the pages that wait and the memory of the process; at the end how long the session takes to be
//! saved and taken back.

use std::hint::black_box;
use std::time::{Duration, Instant as Clock};

use linkscent_core::address::Address;
use linkscent_core::codec::{Loader, Saver};
use linkscent_core::crawl::{
    CrawlDelay, Instant, Limits, Next, Outcome, Robots, Scope, Seed, Session, StoppingRule,
};
use linkscent_core::critics;
use linkscent_core::dom::{Builder, LeafRange};
use linkscent_core::page::Page;
use linkscent_core::strategies::{Rng, SplitMix};
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;

const WEB: u64 = 2_000_000;
const HOSTS: u64 = 500;
const GROUPS: u64 = 100;
const LINKS: u64 = 50;
/// Requests that are under way at once.
const AT_ONCE: usize = 32;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut given = arguments.iter().filter(|text| !text.starts_with("--"));
    let pages = given.next().and_then(|pages| pages.parse().ok());
    let mut strategies: Vec<&str> = given.map(String::as_str).collect();
    if strategies.is_empty() {
        strategies = vec!["best-first", "ensemble"];
    }
    for strategy in strategies {
        crawl(strategy, pages.unwrap_or(5_000));
    }
}

fn address(page: u64) -> String {
    format!("http://host{}.test/folder{}/{page}", page % HOSTS, page % 7)
}

/// A word of a group, as skewed as words are.
fn drawn(group: u64, rng: &mut SplitMix) -> String {
    let rank = 5_000.0f64.powf(rng.unit()) as u64;
    let own = rng.unit() < 0.3;
    word(if own { group } else { GROUPS }, rank)
}

fn word(group: u64, rank: u64) -> String {
    let syllables = ["ka", "lo", "mi", "ne", "pu", "ra", "so", "ti", "va", "zu"];
    let digits = format!("{group:02}{rank}");
    let digits = digits
        .bytes()
        .map(|digit| syllables[usize::from(digit - b'0')]);
    digits.collect()
}

fn words(group: u64, count: u64, rng: &mut SplitMix) -> String {
    let words: Vec<String> = (0..count).map(|_| drawn(group, rng)).collect();
    words.join(" ")
}

fn page(at: &Address) -> Outcome {
    let number = at.path_and_query().rsplit('/').next();
    let number: u64 = number.and_then(|text| text.parse().ok()).unwrap_or(0);
    let (group, mut rng) = (number % GROUPS, SplitMix(number));
    let mut builder = Builder::new();
    builder.leaf(&format!(
        "{} {}",
        word(number, 0),
        words(group, 60, &mut rng)
    ));
    for _ in 0..LINKS {
        let near = rng.unit() < 0.33;
        let target = (rng.unit() * WEB as f64) as u64;
        let target = if near {
            target / GROUPS * GROUPS + group
        } else {
            target
        };
        let first = builder.next_leaf() + 1;
        builder.leaf(&words(group, 6, &mut rng));
        builder.leaf(&words(target % GROUPS, 3, &mut rng));
        let leaves = LeafRange {
            first,
            end: first + 1,
        };
        builder.link(&address(target), leaves);
    }
    let document = builder.finish().expect("a document");
    Outcome::Page(Box::new(Page::new(at.clone(), document)), number)
}

/// What a tenth of a crawl cost.
#[derive(Default)]
struct Cost {
    all: Duration,
    longest: Duration,
}

impl Cost {
    fn add(&mut self, begun: Clock) {
        let took = begun.elapsed();
        self.all += took;
        self.longest = self.longest.max(took);
    }
}

fn begun(strategy: &str, pages: u64) -> Session {
    let mut topic_model =
        TopicModel::new(critics::NAMES[0], strategy).expect("a critic and a strategy");
    topic_model.name_topic(&[word(7, 1), word(7, 2)].join(" "));
    let limits = Limits {
        budget: pages,
        requests: None,
        delay: CrawlDelay(0),
        scope: Scope::default(),
        stopping: StoppingRule::default(),
        takes_repeats: false,
        follows_all: false,
        until_recall: None,
    };
    let seeds = [7, 107, 207].map(|page| Seed {
        address: Address::parse(&address(page)).expect("an address"),
        mark: Some(Mark::Target),
    });
    Session::new(topic_model, limits, seeds.to_vec())
}

fn crawl(strategy: &str, pages: u64) {
    println!("{strategy}: {pages} pages of {LINKS} links");
    println!("   pages  ms a page  longest ms    waiting   memory MB");
    let mut session = begun(strategy, pages);
    let (mut rng, mut under_way, mut cost) = (SplitMix(1), Vec::new(), Cost::default());
    let tenth = (pages / 10).max(1);
    let mut taken = 0;
    loop {
        let begun = Clock::now();
        let next = session.next(Instant(taken));
        cost.add(begun);
        let goes_on = matches!(next, Next::Fetch(_) | Next::Robots(_));
        match next {
            Next::Robots(at) => session.robots(&at, Robots::allow_all()),
            Next::Fetch(fetch) => under_way.push(fetch.address),
            Next::Wait(_) | Next::Stop(_) if under_way.is_empty() => break,
            Next::Busy | Next::Wait(_) | Next::Stop(_) => {}
        }
        if goes_on && under_way.len() < AT_ONCE {
            continue;
        }
        let address = under_way.remove(0);
        let outcome = black_box(page(&address));
        let begun = Clock::now();
        session.take(&address, outcome, Instant(taken), &mut rng);
        cost.add(begun);
        taken += 1;
        if taken % tenth == 0 {
            println!(
                "{taken:>8} {:>10.2} {:>11.1} {:>10} {:>11}",
                cost.all.as_secs_f64() * 1e3 / tenth as f64,
                cost.longest.as_secs_f64() * 1e3,
                session.frontier().len(),
                memory(),
            );
            cost = Cost::default();
        }
    }
    save(&session, || begun(strategy, pages));
}

/// How long a session takes to be saved and taken back, and how large it is.
fn save(session: &Session, begin: impl Fn() -> Session) {
    let (mut bytes, begun) = (Vec::new(), Clock::now());
    if let Err(error) = session.save(&mut Saver::new(&mut bytes)) {
        println!("{error}");
        return;
    }
    let (saved, begun) = (begun.elapsed(), Clock::now());
    let again = begin().load(&mut Loader::new(&mut bytes.as_slice()));
    let loaded = begun.elapsed();
    let again = again.expect("what was saved");
    assert_eq!(again.stats(), session.stats());
    println!(
        "saved: {:.1} MB in {:.0} ms, taken back in {:.0} ms",
        bytes.len() as f64 / 1e6,
        saved.as_secs_f64() * 1e3,
        loaded.as_secs_f64() * 1e3,
    );
}

/// Megabytes that this process holds now; 0 where the system does not say.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    kilobytes.unwrap_or(0u64) / 1_024
}

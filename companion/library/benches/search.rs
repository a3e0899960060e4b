//! How fast pages are indexed and found, and how large the index is: `cargo bench -p
//! linkscent-library --bench search -- FOLDER` with a folder that holds `webs/*.warc*`. Each web is
//! taken in as often as named by `--times N`, under addresses of its own, up to 100,000 pages.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use linkscent_archive::page::build;
use linkscent_archive::warc::Reader;
use linkscent_core::address::Address;
use linkscent_library::{Item, Library, MEANING, Order, Query, Search};

const MOST: usize = 100_000;
const QUERIES: usize = 500;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.iter().find(|one| Path::new(one).is_dir()) else {
        println!("search: skipped, no folder with webs is named");
        return;
    };
    let times = arguments.iter().position(|one| one == "--times");
    let times = times.and_then(|at| arguments.get(at + 1)?.parse().ok());
    let times: usize = times.unwrap_or(1);
    let items = read(&Path::new(folder).join("webs"));
    let index = tempfile::tempdir().expect("a folder");
    let library = Library::open(index.path()).expect("an index");
    let (mut pages, mut bytes) = (0, 0);
    let begun = Instant::now();
    let mut writer = library.writer().expect("nobody else writes");
    'all: for time in 0..times {
        for item in &items {
            if pages == MOST {
                break 'all;
            }
            pages += 1;
            bytes += item.passages.iter().map(String::len).sum::<usize>();
            let mut item = item.clone();
            item.number = pages as u64;
            item.address = format!("{}#{time}", item.address);
            writer.take(&item).expect("it is taken");
            if pages % 500 == 0 {
                writer.commit().expect("it is written");
            }
        }
    }
    writer.commit().expect("it is written");
    let took = begun.elapsed();
    writer.finish().expect("parts are joined");
    let merged = begun.elapsed();
    let size = size_of(index.path());
    println!(
        "{pages} pages, {:.1} MB of text: {:.0} pages/s ({:.0} with joining); index {:.1} MB, {:.2} of the text",
        bytes as f64 / 1e6,
        pages as f64 / took.as_secs_f64(),
        pages as f64 / merged.as_secs_f64(),
        size as f64 / 1e6,
        size as f64 / bytes as f64
    );
    for (kind, queries) in queries(&items) {
        let times = queries.iter().map(|query| ask(&library, query));
        let mut times: Vec<Duration> = times.collect();
        times.sort_unstable();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "{kind}: {} queries, median {:.1?}, p95 {:.1?}, most {:.1?}",
            times.len(),
            at(0.5),
            at(0.95),
            at(1.0)
        );
    }
}

fn read(webs: &Path) -> Vec<Item> {
    let mut items = Vec::new();
    let files = std::fs::read_dir(webs).expect("webs").flatten();
    let mut files: Vec<_> = files.map(|file| file.path()).collect();
    files.sort();
    let is_web = |path: &&std::path::PathBuf| path.to_string_lossy().contains(".warc");
    let begun = Instant::now();
    for path in files.iter().filter(is_web) {
        for record in Reader::open(path).expect("a web").flatten() {
            let (Ok(address), Some(response)) = (Address::parse(&record.target), record.response())
            else {
                continue;
            };
            let (page, _) = build(address, &response.body, response.content_type.as_deref());
            items.push(Item::of(&page, 1, 1, 0));
        }
    }
    println!(
        "{} pages read and parsed, {:.0} a second",
        items.len(),
        items.len() as f64 / begun.elapsed().as_secs_f64()
    );
    items
}

/// Queries made of the pages themselves: two words of a title, three words that stand together as
/// a phrase, a word of a title on its site.
fn queries(items: &[Item]) -> BTreeMap<&'static str, Vec<String>> {
    let mut queries: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let step = (items.len() / QUERIES).max(1);
    for item in items.iter().step_by(step) {
        let words: Vec<&str> = item.title.split_whitespace().take(2).collect();
        if words.len() == 2 {
            queries
                .entry("two words")
                .or_default()
                .push(words.join(" "));
            let on_site = format!("{} site:{}", words[0], item.site);
            queries.entry("word and site").or_default().push(on_site);
        }
        let long = item.passages.iter().find(|passage| passage.len() > 80);
        let phrase: Vec<&str> = long.map_or(Vec::new(), |long| long.split(' ').take(3).collect());
        if phrase.len() == 3 {
            let phrase = format!("\"{}\"", phrase.join(" ").replace('"', ""));
            queries.entry("phrase").or_default().push(phrase);
        }
    }
    queries
        .entry("nothing asked")
        .or_default()
        .extend(vec![String::new(); 50]);
    queries
}

fn ask(library: &Library, query: &str) -> Duration {
    let search = Search {
        query: Query::read(query).expect("a query"),
        topic: Some(1),
        standings: Arc::new(|key| Some((key % 1_000) as f64 / 1_000.0)),
        order: Order::Best,
        meaning: MEANING,
        most: 20,
        skip: 0,
    };
    let begun = Instant::now();
    library.search(&search).expect("an answer");
    begun.elapsed()
}

fn size_of(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    files
        .filter_map(|file| file.metadata().ok())
        .map(|file| file.len())
        .sum()
}

//! What the ranking is worth: `cargo bench -p linkscent-library --bench ranking -- FOLDER` with a
//! folder that holds `webs/wikispeedia.warc.gz`.
//!
//! Queries are made of articles, each of which is what its query looks for: its title, and three
//! words of its lead that are not in its title, drawn by chance. Articles whose lead names the
//! title are half as good for a query by title. nDCG@10 by BM25 alone and with meaning at several
//! weights, with the standard error over queries.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use linkscent_archive::page::build;
use linkscent_archive::warc::Reader;
use linkscent_core::address::Address;
use linkscent_core::text::{Language, terms};
use linkscent_library::{Item, Library, MEANING, Order, Query, Search, of_key};

const QUERIES: usize = 1_000;

fn main() {
    let folder = std::env::args().skip(1).find(|one| Path::new(one).is_dir());
    let Some(folder) = folder else {
        println!("ranking: skipped, no folder with webs is named");
        return;
    };
    let web = Path::new(&folder).join("webs/wikispeedia.warc.gz");
    let mut items = Vec::new();
    for record in Reader::open(&web).expect("the web").flatten() {
        let (Ok(address), Some(response)) = (Address::parse(&record.target), record.response())
        else {
            continue;
        };
        let (page, _) = build(address, &response.body, response.content_type.as_deref());
        items.push(Item::of(&page, 1, 1, items.len() as u64 + 1));
    }
    let index = tempfile::tempdir().expect("a folder");
    let library = Library::open(index.path()).expect("an index");
    let mut writer = library.writer().expect("nobody else writes");
    for item in &items {
        writer.take(item).expect("it is taken");
    }
    writer.commit().expect("it is written");
    let leads: Vec<String> = items.iter().map(lead).collect();
    for (kind, queries) in [
        ("titles", by_title(&items, &leads)),
        ("words of leads", by_lead(&items, &leads)),
    ] {
        println!("{kind}: {} queries", queries.len());
        for weight in [0.0, 1.0, 2.0, 3.0, MEANING, 8.0, 12.0] {
            let gains = queries.iter().map(|query| ndcg(&library, query, weight));
            let gains: Vec<f64> = gains.collect();
            let mean = gains.iter().sum::<f64>() / gains.len() as f64;
            let spread = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>();
            let error = (spread / gains.len() as f64).sqrt() / (gains.len() as f64).sqrt();
            println!("  meaning {weight:4.1}: nDCG@10 {mean:.4} (standard error {error:.4})");
        }
    }
}

/// A query, and how good pages are for it, by their numbers.
struct Asked {
    text: String,
    good: HashMap<u64, f64>,
}

fn lead(item: &Item) -> String {
    let mut long = item.passages.iter().filter(|passage| passage.len() > 80);
    long.next().cloned().unwrap_or_default()
}

/// Items to make queries of: every so-manieth.
fn sample(items: &[Item]) -> impl Iterator<Item = (usize, &Item)> {
    let step = (items.len() / QUERIES).max(1);
    items.iter().enumerate().step_by(step)
}

fn by_title(items: &[Item], leads: &[String]) -> Vec<Asked> {
    let asked = sample(items).map(|(place, item)| {
        let mut good: HashMap<u64, f64> = HashMap::new();
        for (other, lead) in leads.iter().enumerate() {
            if lead.contains(&item.title) {
                good.insert(items[other].number, 0.5);
            }
        }
        good.insert(items[place].number, 1.0);
        Asked {
            text: item.title.clone(),
            good,
        }
    });
    asked.collect()
}

fn by_lead(items: &[Item], leads: &[String]) -> Vec<Asked> {
    let mut state = 7_u64;
    let mut drawn = move |most: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut asked = Vec::new();
    for (place, item) in sample(items) {
        let title = terms(&item.title, Language::English);
        let mut words: Vec<&str> = leads[place].split_whitespace().collect();
        words.retain(|word| {
            let said = terms(word, Language::English);
            word.chars().all(char::is_alphabetic) && said.len() == 1 && !title.contains(&said[0])
        });
        if words.len() < 6 {
            continue;
        }
        let mut text = Vec::new();
        for _ in 0..3 {
            text.push(words.swap_remove(drawn(words.len())));
        }
        asked.push(Asked {
            text: text.join(" "),
            good: HashMap::from([(items[place].number, 1.0)]),
        });
    }
    asked
}

fn ndcg(library: &Library, asked: &Asked, meaning: f32) -> f64 {
    let search = Search {
        query: Query::read(&asked.text).expect("a query"),
        topic: Some(1),
        standings: Arc::new(|_| Some(0.5)),
        order: Order::Best,
        meaning,
        most: 10,
        skip: 0,
    };
    let found = library.search(&search).expect("an answer");
    let gain = |gains: &mut dyn Iterator<Item = f64>| -> f64 {
        gains
            .zip(2..)
            .map(|(gain, place)| gain / f64::from(place).log2())
            .sum()
    };
    let good = |key| asked.good.get(&of_key(key).1).copied().unwrap_or_default();
    let reached = gain(&mut found.hits.iter().map(|hit| good(hit.key)));
    let mut best: Vec<f64> = asked.good.values().copied().collect();
    best.sort_by(|a, b| b.total_cmp(a));
    reached / gain(&mut best.into_iter().take(10))
}

//! `cargo bench -p linkscent-core --features html`: from HTML to a page, the
//! links of a page scored, a frontier scored again.
//!
//! Input is made here: pages of a given number of links in short paragraphs of
//! words drawn from a vocabulary of 3,000, as skewed as words are.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use linkscent_core::address::Address;
use linkscent_core::crawl::Frontier;
use linkscent_core::critics;
use linkscent_core::dom::html;
use linkscent_core::page::Page;
use linkscent_core::site_memory::SiteMemory;
use linkscent_core::strategies::{self, Candidate, Rng, SplitMix};
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;

fn main() {
    divan::main();
}

fn words(rng: &mut SplitMix, count: usize) -> String {
    let word = |rng: &mut SplitMix| format!("word{}", (3_000.0f64.powf(rng.unit())) as u32);
    let words: Vec<String> = (0..count).map(|_| word(rng)).collect();
    words.join(" ")
}

fn html_page(rng: &mut SplitMix, links: usize) -> String {
    let mut text = String::from(
        "<!doctype html><html><head><title>A page</title></head><body><h1>A page</h1>",
    );
    for link in 0..links {
        let (before, anchor, after) = (words(rng, 8), words(rng, 3), words(rng, 12));
        text.push_str(&format!(
            "<div class=\"row\"><p>{before} <a href=\"/page/{link}\">{anchor}</a> {after}</p></div>\n"
        ));
    }
    text
}

fn page(rng: &mut SplitMix, number: usize, links: usize) -> Page {
    let address = Address::parse(&format!("http://bench.example/{number}"));
    Page::new(
        address.expect("an address"),
        html::parse(&html_page(rng, links)),
    )
}

/// A topic model that has learned from 60 pages, and the links it saw.
fn taught(links: usize) -> (TopicModel, Vec<Candidate>) {
    let mut topic_model =
        TopicModel::new(critics::NAMES[0], strategies::default_name()).expect("the defaults");
    let (mut rng, mut seen) = (SplitMix(1), Vec::new());
    for number in 0..60 {
        let via: Vec<Candidate> = seen.iter().rev().take(1).cloned().collect();
        let mark = (number < 3).then_some(Mark::Target);
        let visit = topic_model.visit(&page(&mut rng, number, links), &via, mark, &mut rng);
        seen.extend(visit.outlinks.into_iter().map(|(link, _)| link));
    }
    (topic_model, seen)
}

#[divan::bench]
fn html_to_page(bencher: Bencher<'_, '_>) {
    let text = html_page(&mut SplitMix(2), 300);
    let address = Address::parse("http://bench.example/").expect("an address");
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| Page::new(address.clone(), html::parse(&text)));
}

#[divan::bench]
fn score_page_of_1000_links(bencher: Bencher<'_, '_>) {
    let (mut topic_model, _) = taught(100);
    let mut rng = SplitMix(3);
    let page = page(&mut rng, 1_000, 1_000);
    bencher.bench_local(|| topic_model.visit(&page, &[], None, &mut rng).outlinks.len());
}

#[divan::bench(sample_count = 10)]
fn rescore_frontier_of_100000_links(bencher: Bencher<'_, '_>) {
    let (topic_model, seen) = taught(100);
    let mut frontier = Frontier::default();
    for number in 0..100_000 {
        let mut link = seen[number % seen.len()].clone();
        let target = format!("http://host{}.example/{number}", number % 500);
        link.target = Address::parse(&target).expect("an address");
        if let Some(priority) = topic_model.score(&link).priority() {
            frontier.add(link, priority);
        }
    }
    bencher
        .counter(ItemsCount::new(frontier.len()))
        .bench_local(|| frontier.rescore_all(|link| topic_model.score(link)));
}

/// What another topic's crawl read, as much as is remembered, judged for this one.
#[divan::bench(sample_count = 5)]
fn judge_20000_remembered_pages(bencher: Bencher<'_, '_>) {
    let mut other = TopicModel::new(critics::NAMES[0], "breadth-first").expect("the defaults");
    let mut rng = SplitMix(4);
    for number in 0..20_000 {
        let mark = (number < 3).then_some(Mark::Target);
        other.visit(&page(&mut rng, number, 10), &[], mark, &mut rng);
    }
    let mut memory = SiteMemory::default();
    other.knowledge().remembered_by(&mut memory, |_| true);
    let (mut topic_model, _) = taught(100);
    bencher
        .counter(ItemsCount::new(memory.len()))
        .with_inputs(|| memory.clone())
        .bench_local_values(|memory| topic_model.remember_sites(memory));
}

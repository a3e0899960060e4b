//! How fast texts are read: `cargo bench -p linkscent-sentences --bench speed`. Pages are of as many
//! tokens as are read of one; links are of some twelve. Alone, and together as a crawl and a page
//! have them. Bind it to one core for figures of one core.

use std::hint::black_box;
use std::time::{Duration, Instant};

use linkscent_sentences::SentenceModel;

/// Texts that are read together, and how often all of it is done.
const PAGES: usize = 20;
const LINKS: usize = 50;
const TIMES: usize = 5;

fn main() {
    let begun = Instant::now();
    let model = SentenceModel::shipped();
    println!("unpacked in {:.1?}", begun.elapsed());
    let sentence = "The keep was built of stone, and its walls look over the river and the town. ";
    let page = sentence.repeat(20);
    let links: Vec<String> = (0..LINKS)
        .map(|number| format!("The history of castle {number} and of its towers"))
        .collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    report("a page alone", 1, || model.vectors(&[&page]).len());
    let pages = vec![page.as_str(); PAGES];
    report("a page of many", PAGES, || model.vectors(&pages).len());
    report("a link alone", 1, || model.vectors(&links[..1]).len());
    report("a link of many", LINKS, || model.vectors(&links).len());
}

/// The fastest of several runs, by the text.
fn report(what: &str, texts: usize, read: impl Fn() -> usize) {
    let runs = (0..TIMES).map(|_| {
        let begun = Instant::now();
        black_box(read());
        begun.elapsed()
    });
    let fastest = runs.min().unwrap_or(Duration::ZERO);
    let each = fastest / u32::try_from(texts).unwrap_or(1);
    println!("{what}: {each:.2?}");
}

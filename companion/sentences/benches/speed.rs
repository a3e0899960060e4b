//! How fast texts are read: `cargo bench -p linkscent-sentences --bench speed`. Pages are of as many
//! tokens as are read of one; links are of some twelve. Alone, and together as a crawl and a page
//! have them. Bind it to one core for figures of one core.

use std::hint::black_box;
use std::time::Instant;

use linkscent_sentences::SentenceModel;

/// Texts that are read together.
const PAGES: usize = 20;
const LINKS: usize = 50;

fn main() {
    let begun = Instant::now();
    let model = SentenceModel::shipped();
    println!("unpacked in {:.1?}", begun.elapsed());
    // No text comes twice: what was read once is kept.
    let page = |number: usize| {
        let sentence =
            "The keep was built of stone, and its walls look over the river and the town. ";
        format!("Castle {number}. {}", sentence.repeat(20))
    };
    let link = |number: usize| format!("The history of castle {number} and of its towers");
    let pages: Vec<String> = (0..=PAGES).map(page).collect();
    let links: Vec<String> = (0..=LINKS).map(link).collect();
    report("a page alone", model, &pages[..1]);
    report("a page of many", model, &pages[1..]);
    report("a link alone", model, &links[..1]);
    report("a link of many", model, &links[1..]);
}

/// How long it takes by the text.
fn report(what: &str, model: &SentenceModel, texts: &[String]) {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let begun = Instant::now();
    black_box(model.vectors(&texts));
    let each = begun.elapsed() / u32::try_from(texts.len()).unwrap_or(1);
    println!("{what}: {each:.2?}");
}

//! What is said of pages once a crawl has ended, by what their sentences mean.

use std::collections::BTreeMap;

use super::*;
use crate::crawler::fake_web::web_about;
use crate::crawler::reply::{Answered, Reply};

/// By its number a page is about the topic or not, in words that say nothing of it.
fn about(number: u64) -> &'static str {
    if number % 2 == 1 {
        "the insects that live in a hive and gather honey"
    } else {
        "the insects that live in a forest and gather wood"
    }
}

fn vectors(texts: &[&str]) -> Vec<Option<Vec<f32>>> {
    texts.iter().map(|text| vector(text)).collect()
}

fn vector(text: &str) -> Option<Vec<f32>> {
    let is_of_topic = text.contains("honey") || text == "bees";
    let vector = if is_of_topic { [1.0, 0.0] } else { [0.0, 1.0] };
    (!text.is_empty()).then(|| vector.to_vec())
}

impl Stage {
    fn relevance(&self) -> BTreeMap<u64, f64> {
        let results = self.store.last_results(self.crawl.id, 100);
        let results = self.runtime.block_on(results).unwrap();
        let numbered = results.into_iter().map(|row| {
            let number = row.address.rsplit('/').next().unwrap();
            (number.parse().unwrap(), row.relevance.unwrap())
        });
        numbered.collect()
    }
}

#[test]
fn sentences_tell_apart_what_words_do_not() {
    let stage = Stage::new(20, async || web_about(about).await);
    stage.resume().unwrap().run(|_| {}).unwrap();
    let mut runner = stage.resume().unwrap();
    let mut told = Vec::new();
    runner
        .judge_by(&vectors, &mut |progress| told.extend(progress.judged_again))
        .unwrap();
    assert_eq!(told, [(0, 20), (10, 20)]);
    let relevance = stage.relevance();
    let lowest = relevance
        .iter()
        .filter(|row| row.0 % 2 == 1)
        .map(|row| *row.1);
    let highest = relevance
        .iter()
        .filter(|row| row.0 % 2 == 0)
        .map(|row| *row.1);
    let (lowest, highest) = (
        lowest.reduce(f64::min).unwrap(),
        highest.reduce(f64::max).unwrap(),
    );
    assert!(lowest > highest + 0.3, "{relevance:?}");
}

#[test]
fn a_page_that_comes_after_the_end_is_no_part_of_the_crawl() {
    let stage = Stage::new(ENDLESS, async || web_about(about).await);
    stage.run_a_little(|| Command::Pause);
    let mut runner = stage.resume().unwrap();
    let late = next_page(&mut runner);
    let answered = Ok(Answered {
        reply: Reply::Redirect(start(), Vec::new()),
        took: None,
    });
    assert!(runner.sender.send(Message::Page(late, answered)).is_ok());
    runner.judge_by(&vectors, &mut |_| {}).unwrap();
    assert!(runner.receiver.try_recv().is_err(), "it was heard");
    assert!(runner.batch.is_empty(), "and passed over");
}

#[test]
fn told_to_stop_it_is_content_with_the_words() {
    let stage = Stage::new(20, async || web_about(about).await);
    stage.resume().unwrap().run(|_| {}).unwrap();
    let before = stage.relevance();
    let mut runner = stage.resume().unwrap();
    runner.control().send(Command::Stop);
    runner.judge_by(&vectors, &mut |_| {}).unwrap();
    assert_eq!(stage.relevance(), before);
}

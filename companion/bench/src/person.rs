//! What a person gets who brings a few pages: crawls for categories that people sorted an
//! encyclopedia into, judged by the product's own critic, which is told the category's name as
//! a person would type it, against the categories.
//!
//! Of the categories those whose name has an even checksum are for development; the odd ones
//! are kept for judging.

mod figures;
mod highlights;
pub mod scent;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use anyhow::{Context, Result, anyhow};
use flate2::Crc;
use linkscent_core::crawl::StoppingRule;

use linkscent_core::critics::{self, SentenceVectors};
use linkscent_core::strategies::{Rng, SplitMix};
use linkscent_core::text::Vocabulary;
use linkscent_core::topic_model::TopicModel;
use linkscent_sentences::CHARACTERS;

use figures::Fetched;
pub use figures::Row;
use scent::{Brings, CuedPage};

use super::crawl::crawl;
use super::entrant::Entrant;
use super::report::Section;
use super::scenario::{Asking, Scenario};
use super::sentences::Sentences;
use super::topic::{Label, Topic};
use super::web::EvalWeb;

/// Name of the bench.
pub const NAME: &str = "person";
/// The web, as a file of the material.
pub const WEB: &str = "webs/wikispeedia.warc.gz";
/// Categories of its pages, as a file of the material.
pub const CATEGORIES: &str = "trails/categories.tsv";
/// Pages that a person brings of one category.
const EXAMPLES: [usize; 3] = [1, 2, 5];
/// Pages of a category that is looked for.
const SIZES: std::ops::RangeInclusive<usize> = 15..=120;
/// Categories that are looked for.
const CATEGORIES_TRIED: usize = 24;
/// Pages that a crawl fetches.
const BUDGET: u64 = 300;
/// Pages brought of each of two categories that make a topic together.
const OF_EACH: usize = 2;
/// Fetches between two trainings, as where nobody says otherwise.
const RETRAIN_EVERY: u32 = 100;
/// The set of seeds that the examples make.
const SEEDS: &str = "examples";

/// Rows, and a section of the report.
pub struct Found {
    /// A row for each crawl.
    pub rows: Vec<Row>,
    /// A table for people.
    pub section: Section,
    /// The same in lines for the shell.
    pub text: String,
}

/// A category, by the numbers of its pages.
#[derive(Debug, Clone, PartialEq)]
struct Category {
    /// As a person would type it.
    name: String,
    /// As the file names it.
    path: String,
    pages: Vec<u32>,
}

/// What a person looks for and brings.
#[derive(Debug, Clone, PartialEq)]
struct Sought {
    /// As the person types it.
    name: String,
    /// Of the pages, in a word or two; empty for those of one category.
    kind: &'static str,
    /// The categories' paths.
    path: String,
    pages: BTreeSet<u32>,
    brought: Vec<u32>,
    /// Of which category brought pages are, if that is said.
    subtopics: BTreeMap<u32, String>,
}

impl Sought {
    fn one(category: &Category, examples: usize, random_seed: u64) -> Self {
        Self {
            name: category.name.clone(),
            kind: "",
            path: category.path.clone(),
            pages: category.pages.iter().copied().collect(),
            brought: drawn(category, examples, random_seed),
            subtopics: BTreeMap::new(),
        }
    }

    /// Two categories as one topic, whose pages are of two kinds; without that being said, and
    /// said.
    fn two(a: &Category, b: &Category, random_seed: u64) -> [Self; 2] {
        let both = [a, b];
        let brought = both.map(|category| drawn(category, OF_EACH, random_seed));
        let subtopic = |(category, pages): (&Category, &Vec<u32>)| {
            let name = category.name.clone();
            let pages = pages.iter().map(move |&page| (page, name.clone()));
            pages.collect::<Vec<_>>()
        };
        let unsaid = Self {
            name: format!("{} and {}", a.name, b.name),
            kind: ", two kinds",
            path: format!("{} {}", a.path, b.path),
            pages: both.iter().flat_map(|one| one.pages.clone()).collect(),
            brought: brought.concat(),
            subtopics: BTreeMap::new(),
        };
        let said = Self {
            kind: ", two kinds named",
            subtopics: both.into_iter().zip(&brought).flat_map(subtopic).collect(),
            ..unsaid.clone()
        };
        [unsaid, said]
    }
}

pub(crate) fn checksum(text: &str) -> u32 {
    let mut crc = Crc::new();
    crc.update(text.as_bytes());
    crc.sum()
}

/// The categories for development, in an order that does not hang on their names.
fn categories(text: &str, web: &EvalWeb) -> Vec<Category> {
    let mut by_path: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((article, path)) = line.split_once('\t') else {
            continue;
        };
        let address = format!("http://wikispeedia.test/wiki/{article}");
        if let Some(page) = web.find(&address) {
            by_path.entry(path.trim()).or_default().insert(page);
        }
    }
    let own = by_path
        .into_iter()
        .filter(|(path, pages)| SIZES.contains(&pages.len()) && checksum(path).is_multiple_of(2));
    let mut own: Vec<Category> = own
        .map(|(path, pages)| Category {
            name: path.rsplit('.').next().unwrap_or(path).replace('_', " "),
            path: path.to_owned(),
            pages: pages.into_iter().collect(),
        })
        .collect();
    own.sort_by_key(|category| checksum(&format!("order{}", category.path)));
    own.truncate(CATEGORIES_TRIED);
    own
}

/// Pages that a person might bring: drawn, the same with every build.
fn drawn(category: &Category, count: usize, random_seed: u64) -> Vec<u32> {
    let mut rng =
        SplitMix(u64::from(checksum(&category.path)) ^ (random_seed.wrapping_sub(1) << 32));
    let mut left = category.pages.clone();
    let draw = |_| left.swap_remove((rng.unit() * left.len() as f64) as usize);
    (0..count.min(category.pages.len() - 1)).map(draw).collect()
}

/// The cues of links on pages that people of the categories may read, two of whose pages they
/// brought; with the sentence model's if the model is `reading`.
pub fn cued(material: &Path, brings: Brings, reading: Option<&Sentences>) -> Result<Vec<CuedPage>> {
    let web = EvalWeb::read(&[material.join(WEB)], |_| {})?;
    let file = material.join(CATEGORIES);
    let text = std::fs::read_to_string(&file);
    let text = text.with_context(|| format!("reading {}", file.display()))?;
    let categories = categories(&text, &web).into_iter();
    let cued = categories.flat_map(|category| {
        let sought = Sought::one(&category, brings.marks.max(1), 1);
        highlights::cued(&web, &sought, brings, reading)
    });
    Ok(cued.collect())
}

/// Crawls by every entrant, for every category, from 1, 2 and 5 pages, and for pairs of them; which
/// pages hangs on the random seed. `on_crawl` hears how many of how many are done. Fails for an
/// entrant that has to be trained first.
pub fn run(
    material: &Path,
    entrants: &[Entrant],
    random_seed: u64,
    on_crawl: &(dyn Fn(usize, usize) + Sync),
) -> Result<Found> {
    let web = Arc::new(EvalWeb::read(&[material.join(WEB)], |_| {})?);
    let file = material.join(CATEGORIES);
    let text = std::fs::read_to_string(&file);
    let text = text.with_context(|| format!("reading {}", file.display()))?;
    let categories = categories(&text, &web);
    let of_one = categories.iter();
    let of_one =
        of_one.flat_map(|one| EXAMPLES.map(|examples| Sought::one(one, examples, random_seed)));
    let pairs = categories.as_chunks::<2>().0.iter();
    let of_two = pairs.flat_map(|[a, b]| Sought::two(a, b, random_seed));
    let sought: Vec<Sought> = of_one.chain(of_two).collect();
    let mut jobs = Vec::new();
    for one in &sought {
        jobs.extend(entrants.iter().map(|entrant| (one, entrant)));
    }
    let sentences = Sentences::default();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let rows = Mutex::new(Vec::new());
    let work = || -> Result<()> {
        while let Some(&(sought, entrant)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let row = one(&web, sought, entrant, random_seed, &sentences)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            on_crawl(done, jobs.len());
            rows.lock().map_err(|_| anyhow!("a crawl died"))?.push(row);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let died = |_| Err(anyhow!("a crawl died"));
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(died))
    })?;
    let mut rows = rows.into_inner().map_err(|_| anyhow!("a crawl died"))?;
    rows.sort_by(|a, b| {
        let key = |row: &Row| (row.strategy.clone(), row.examples, row.topic.clone());
        key(a).cmp(&key(b))
    });
    Ok(Found {
        section: figures::section(&rows),
        text: figures::table(&rows),
        rows,
    })
}

/// One crawl, as a person would start it, and what it gave.
fn one(
    web: &Arc<EvalWeb>,
    sought: &Sought,
    entrant: &Entrant,
    random_seed: u64,
    sentences: &Sentences,
) -> Result<Row> {
    let brought = &sought.brought;
    let mut labels = vec![Label::default(); web.pages.len()];
    for &page in &sought.pages {
        labels[page as usize].relevance = 1.0;
    }
    let topic = Topic {
        name: sought.name.clone(),
        labels,
        told: None,
        classes: None,
        seeds: BTreeMap::from([(SEEDS.to_owned(), brought.clone())]),
        missing: 0,
    };
    let scenario = Scenario {
        web: Arc::clone(web),
        topic: Arc::new(topic),
        seeds: SEEDS.to_owned(),
        budget: BUDGET,
        marked: Some(brought.clone()),
        subtopics: sought.subtopics.clone(),
        asking: Asking::Nothing,
        restricts: false,
        is_named: true,
        memory: Arc::default(),
        takes_repeats: true,
        stopping: StoppingRule::default(),
        random_seed,
    };
    let strategy = || {
        let made = entrant.untrained(RETRAIN_EVERY);
        made.with_context(|| format!("“{}” has to be trained first", entrant.name))
    };
    let highlights = highlights::of(web, sought, strategy()?);
    let mut crawled = crawl(&scenario, strategy()?, Vocabulary::default(), None)?;
    let fetched = crawled.visits.iter().map(|visit| visit.page);
    let fetched: Vec<u32> = fetched.filter(|page| !brought.contains(page)).collect();
    // As the companion keeps them when a crawl has ended.
    crawled.topic_model.judge_again();
    judge_by_sentences(&mut crawled.topic_model, web, sentences);
    let results = fetched.iter().map(|page| {
        let address = &web.pages[*page as usize].address;
        let judgment = crawled.topic_model.graph().judgment(address);
        Fetched {
            stated: critics::probability(crawled.topic_model.critic().name(), judgment.relevance),
            is_called: judgment.is_target,
            is_right: sought.pages.contains(page),
        }
    });
    let results: Vec<Fetched> = results.collect();
    Ok(Row::of(
        &sought.name,
        &format!("{}{}", entrant.name, sought.kind),
        brought.len(),
        sought.pages.len() - brought.len(),
        &results,
        highlights,
    ))
}

/// Judges pages by their first sentences, as the companion does when a crawl has ended.
fn judge_by_sentences(topic_model: &mut TopicModel, web: &EvalWeb, sentences: &Sentences) {
    let vectors_of = |texts: &[&str]| sentences.vectors(texts);
    let mut vectors = SentenceVectors::of_topic(topic_model.graph(), &vectors_of);
    for address in SentenceVectors::pages_wanted(topic_model.graph()) {
        let page = web.number(&address);
        let text = page.map(|page| web.pages[page as usize].document().main_text(CHARACTERS));
        let read = text.and_then(|text| sentences.vectors(&[&text]).pop().flatten());
        vectors.pages.extend(read.map(|vector| (address, vector)));
    }
    topic_model.judge_by_sentences(&vectors);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_as_they_are_named_and_examples_are_drawn_once() {
        let page = |name: &str| {
            let address = format!("http://wikispeedia.test/wiki/{name}");
            (address, format!("<title>{name}</title>"))
        };
        let names: Vec<String> = (0..20).map(|number| format!("P{number}")).collect();
        let web = EvalWeb::from_pages(names.iter().map(|name| page(name))).unwrap();
        let path = (0..100)
            .map(|number| format!("subject.Old_castles{number}"))
            .find(|path| checksum(path).is_multiple_of(2))
            .unwrap();
        let lines: String = names
            .iter()
            .map(|name| format!("{name}\t{path}\n"))
            .collect();
        let text = format!("# about\n\n{lines}P0\tsubject.Few\nGone\t{path}\n");
        let found = categories(&text, &web);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].name.starts_with("Old castles"),
            "{}",
            found[0].name
        );
        assert_eq!(found[0].pages.len(), 20);
        let brought = drawn(&found[0], 5, 1);
        assert_eq!(brought, drawn(&found[0], 5, 1));
        assert_ne!(brought, drawn(&found[0], 5, 2));
        assert_eq!(brought.iter().collect::<BTreeSet<_>>().len(), 5);
        assert_eq!(
            drawn(&found[0], 1, 1),
            brought[..1],
            "five begin with the one"
        );
    }
}

//! What a person gets who brings a topic's name and a few pages: crawls for categories that
//! people sorted an encyclopedia into, judged by the product's own critic, against the
//! categories.
//!
//! Of the categories those whose name has an even checksum are for development; the odd ones
//! are kept for judging.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use anyhow::{Context, Result, anyhow};
use flate2::Crc;
use linkscent_core::crawl::StoppingRule;
use linkscent_core::strategies::{self, Rng, SplitMix};
use linkscent_core::text::Vocabulary;
use serde::Serialize;

use super::crawl::crawl;
use super::report::Section;
use super::scenario::{Asking, Scenario};
use super::topic::{Label, Topic};
use super::web::EvalWeb;

/// Name of the bench.
pub const NAME: &str = "person";
/// The web, as a file of the material.
pub const WEB: &str = "webs/wikispeedia.warc.gz";
/// Categories of its pages, as a file of the material.
pub const CATEGORIES: &str = "trails/categories.tsv";
/// Pages that a person brings.
const EXAMPLES: [usize; 3] = [1, 2, 5];
/// Pages of a category that is looked for.
const SIZES: std::ops::RangeInclusive<usize> = 15..=120;
/// Categories that are looked for.
const CATEGORIES_TRIED: usize = 24;
/// Pages that a crawl fetches.
const BUDGET: u64 = 300;
/// The surest results, of which the precision is taken.
const SUREST: usize = 20;
/// Bins of stated probabilities, for the calibration error.
const BINS: usize = 10;
/// The set of seeds that the examples make.
const SEEDS: &str = "examples";

/// What one crawl gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The category.
    pub topic: String,
    /// Who chose links.
    pub strategy: String,
    /// Pages that were brought.
    pub examples: usize,
    /// Share of the category among the results it was surest of.
    pub precision_of_surest: f64,
    /// Share of the category that was fetched.
    pub recall: f64,
    /// Pages it called relevant.
    pub called: usize,
    /// Share of the category among them; none called: 0.
    pub right: f64,
    /// Share of the category's fetched pages that it called relevant.
    pub recognised: f64,
    /// Stated probabilities of the fetched pages, and whether each was of the category.
    #[serde(skip)]
    pub stated: Vec<(f64, bool)>,
}

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

fn checksum(text: &str) -> u32 {
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
fn drawn(category: &Category, count: usize) -> Vec<u32> {
    let mut rng = SplitMix(u64::from(checksum(&category.path)));
    let mut left = category.pages.clone();
    let draw = |_| left.swap_remove((rng.unit() * left.len() as f64) as usize);
    (0..count.min(category.pages.len() - 1)).map(draw).collect()
}

/// Crawls by every strategy, for every category, from 1, 2 and 5 pages. `on_crawl` hears how
/// many of how many are done.
pub fn run(
    material: &Path,
    strategies: &[&'static str],
    on_crawl: &(dyn Fn(usize, usize) + Sync),
) -> Result<Found> {
    let web = Arc::new(EvalWeb::read(&[material.join(WEB)], |_| {})?);
    let file = material.join(CATEGORIES);
    let text = std::fs::read_to_string(&file);
    let text = text.with_context(|| format!("reading {}", file.display()))?;
    let categories = categories(&text, &web);
    let mut jobs = Vec::new();
    for category in &categories {
        for examples in EXAMPLES {
            jobs.extend(strategies.iter().map(|&name| (category, examples, name)));
        }
    }
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let rows = Mutex::new(Vec::new());
    let work = || -> Result<()> {
        while let Some(&(category, examples, strategy)) =
            jobs.get(next.fetch_add(1, Ordering::Relaxed))
        {
            let row = one(&web, category, examples, strategy)?;
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
        section: section(&rows),
        text: table(&rows),
        rows,
    })
}

/// One crawl, as a person would start it, and what it gave.
fn one(
    web: &Arc<EvalWeb>,
    category: &Category,
    examples: usize,
    strategy: &'static str,
) -> Result<Row> {
    let brought = drawn(category, examples);
    let mut labels = vec![Label::default(); web.pages.len()];
    for &page in &category.pages {
        labels[page as usize].relevance = 1.0;
    }
    let topic = Topic {
        name: category.name.clone(),
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
        asking: Asking::Nothing,
        restricts: false,
        stopping: StoppingRule::default(),
        random_seed: 1,
    };
    let made = strategies::named(strategy);
    let made = made.with_context(|| format!("“{strategy}” has to be trained first"))?;
    let crawled = crawl(&scenario, made, Vocabulary::default(), None)?;
    let results: Vec<Fetched> = crawled
        .visits
        .iter()
        .filter(|visit| !brought.contains(&visit.page))
        .filter_map(|visit| {
            let judgment = visit.judgment?;
            Some(Fetched {
                stated: judgment.relevance.value(),
                is_called: judgment.is_target,
                is_right: category.pages.contains(&visit.page),
            })
        })
        .collect();
    let sought = category.pages.len() - brought.len();
    Ok(Row::of(
        &category.name,
        strategy,
        examples,
        sought,
        &results,
    ))
}

/// A page that was fetched: what was said of it, and what it is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Fetched {
    stated: f64,
    is_called: bool,
    is_right: bool,
}

fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

impl Row {
    fn of(
        topic: &str,
        strategy: &str,
        examples: usize,
        sought: usize,
        results: &[Fetched],
    ) -> Self {
        let right = |rows: &[&Fetched]| rows.iter().filter(|row| row.is_right).count();
        let mut called: Vec<&Fetched> = results.iter().filter(|row| row.is_called).collect();
        called.sort_by(|a, b| b.stated.total_cmp(&a.stated));
        let found: Vec<&Fetched> = results.iter().filter(|row| row.is_right).collect();
        let surest = &called[..called.len().min(SUREST)];
        Self {
            topic: topic.to_owned(),
            strategy: strategy.to_owned(),
            examples,
            precision_of_surest: share(right(surest), sought.min(SUREST)),
            recall: share(found.len(), sought),
            called: called.len(),
            right: share(right(&called), called.len()),
            recognised: share(right(&called), found.len()),
            stated: results
                .iter()
                .map(|row| (row.stated, row.is_right))
                .collect(),
        }
    }
}

/// How far stated probabilities lie from what came true: the mean distance over bins of equal
/// width, weighed by their pages.
fn calibration_error(stated: &[(f64, bool)]) -> f64 {
    let mut bins = [(0.0, 0.0, 0.0_f64); BINS];
    for &(probability, is_right) in stated {
        let bin = &mut bins[((probability * BINS as f64) as usize).min(BINS - 1)];
        bin.0 += probability;
        bin.1 += f64::from(u8::from(is_right));
        bin.2 += 1.0;
    }
    let apart: f64 = bins.iter().map(|bin| (bin.0 - bin.1).abs()).sum();
    apart / stated.len().max(1) as f64
}

/// Means over the crawls of one strategy from so many pages.
struct Mean {
    strategy: String,
    examples: usize,
    figures: [f64; 7],
    worst: f64,
    crawls: usize,
}

/// Headings of [`Mean::figures`].
const HEADINGS: [&str; 7] = [
    "surest 20 right",
    "recall",
    "called relevant",
    "of these right",
    "recognised",
    "calibration error",
    "right of those stated at 90 %",
];

impl Mean {
    fn all(rows: &[Row]) -> Vec<Self> {
        let same = |a: &Row, b: &Row| a.strategy == b.strategy && a.examples == b.examples;
        let means = rows.chunk_by(same).map(|rows| {
            let mean = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len() as f64;
            let stated: Vec<(f64, bool)> = rows.iter().flat_map(|row| row.stated.clone()).collect();
            let sure = stated.iter().filter(|row| row.0 >= 0.9);
            let sure: Vec<bool> = sure.map(|row| row.1).collect();
            Self {
                strategy: rows[0].strategy.clone(),
                examples: rows[0].examples,
                figures: [
                    mean(|row| row.precision_of_surest),
                    mean(|row| row.recall),
                    mean(|row| row.called as f64),
                    mean(|row| row.right),
                    mean(|row| row.recognised),
                    calibration_error(&stated),
                    share(sure.iter().filter(|right| **right).count(), sure.len()),
                ],
                worst: rows
                    .iter()
                    .map(|row| row.precision_of_surest)
                    .fold(1.0, f64::min),
                crawls: rows.len(),
            }
        });
        means.collect()
    }

    /// Counts whole, shares to the thousandth.
    fn written(&self) -> [String; 7] {
        self.figures.map(|figure| {
            if figure > 1.0 {
                format!("{figure:.0}")
            } else {
                format!("{figure:.3}")
            }
        })
    }
}

fn table(rows: &[Row]) -> String {
    let mut text = format!("{:<24} {:>5}", "strategy", "pages");
    for heading in HEADINGS {
        text.push_str(&format!(" {heading:>16.16}"));
    }
    for mean in Mean::all(rows) {
        text.push_str(&format!("\n{:<24} {:>5}", mean.strategy, mean.examples));
        for figure in mean.written() {
            text.push_str(&format!(" {figure:>16}"));
        }
        text.push_str(&format!("  (worst of {}: {:.2})", mean.crawls, mean.worst));
    }
    text
}

fn section(rows: &[Row]) -> Section {
    let headings: String = HEADINGS
        .iter()
        .map(|heading| format!("<th>{heading}</th>"))
        .collect();
    let mut body = format!(
        "<table><thead><tr><th>Strategy</th><th>pages brought</th>{headings}<th>worst surest \
         20</th></tr></thead><tbody>"
    );
    for mean in Mean::all(rows) {
        let figures: String = mean
            .written()
            .map(|figure| format!("<td>{figure}</td>"))
            .concat();
        body.push_str(&format!(
            "<tr><td>{}</td><td>{}</td>{figures}<td>{:.2}</td></tr>",
            mean.strategy, mean.examples, mean.worst
        ));
    }
    body.push_str(&format!(
        "</tbody></table><p class=\"muted\">Means over categories of an encyclopedia, sorted by \
         people; crawls of {BUDGET} pages that know a few of the category's and judge for \
         themselves.</p>"
    ));
    Section {
        title: "What a person gets".to_owned(),
        body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        let result = |stated, is_called, is_right| Fetched {
            stated,
            is_called,
            is_right,
        };
        let results = [
            result(0.95, true, true),
            result(0.9, true, false),
            result(0.6, true, true),
            result(0.4, false, true),
            result(0.1, false, false),
        ];
        let row = Row::of("bees", "ensemble", 2, 10, &results);
        assert_eq!(row.precision_of_surest, 0.2, "2 of at most 10");
        assert_eq!((row.recall, row.called), (0.3, 3));
        assert!((row.right - 2.0 / 3.0).abs() < 1e-12);
        assert!((row.recognised - 2.0 / 3.0).abs() < 1e-12);
        // The bin from .9 on: stated 1.85, true 1; the others by themselves.
        let expected = (0.85 + 0.4 + 0.6 + 0.1) / 5.0;
        assert!((calibration_error(&row.stated) - expected).abs() < 1e-12);
        let none = Row::of("bees", "ensemble", 1, 10, &[]);
        assert_eq!(
            (none.recall, none.right, calibration_error(&[])),
            (0.0, 0.0, 0.0)
        );
        let text = table(&[row]);
        assert!(
            text.contains("0.200") && text.contains("(worst of 1: 0.20)"),
            "{text}"
        );
    }

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
        let brought = drawn(&found[0], 5);
        assert_eq!(brought, drawn(&found[0], 5));
        assert_eq!(brought.iter().collect::<BTreeSet<_>>().len(), 5);
        assert_eq!(drawn(&found[0], 1), brought[..1], "five begin with the one");
    }
}

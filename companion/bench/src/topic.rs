//! What is relevant on a frozen web, settled before any crawl, and where crawls
//! start.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;
use linkscent_core::strategies::{Rng, SplitMix};

use super::web::EvalWeb;

/// Pages in the seed set `random`.
const RANDOM_STARTS: usize = 5;

/// What a critic says of one page of the web.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Label {
    /// 0..=1.
    pub relevance: f64,
    /// Log-odds per token, before saturation.
    pub log_odds: f64,
    /// Whether the page trained the critic: as one of the topic (true) or as
    /// one that is not. Such pages are not scored.
    pub example: Option<bool>,
}

impl Label {
    /// Whether the page is what is looked for.
    pub fn is_relevant(self) -> bool {
        self.relevance > 0.5
    }

    /// Whether a crawl takes the page for relevant: as an example it is marked.
    pub fn is_taken(self) -> bool {
        self.is_relevant() || self.example == Some(true)
    }

    /// Whether the page counts when it is found.
    pub fn counts(self) -> bool {
        self.is_relevant() && self.example.is_none()
    }
}

/// The classes of a taxonomy that pages belong to.
#[derive(Debug, Clone, Default)]
pub struct PageClasses {
    /// Names of the classes.
    pub names: Vec<String>,
    /// By number of the page: classes with their probabilities.
    pub of: Vec<Vec<(u16, f64)>>,
}

/// A topic on one web.
#[derive(Debug, Clone)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// By number of the page.
    pub labels: Vec<Label>,
    /// What strategies are told of a page in place of its label, where another
    /// critic speaks than the one that settled the labels.
    pub told: Option<Vec<Label>>,
    /// The classes of the pages, where the topic comes from a taxonomy.
    pub classes: Option<PageClasses>,
    /// Starts, by the name of the set; `root` is also the last resort.
    pub seeds: BTreeMap<String, Vec<u32>>,
    /// Addresses the files name that the web lacks.
    pub missing: usize,
}

impl Topic {
    /// Numbers of the pages that are examples of the topic.
    pub fn examples(&self) -> impl Iterator<Item = u32> {
        let numbered = self.labels.iter().enumerate();
        numbered
            .filter(|(_, label)| label.example == Some(true))
            .map(|(number, _)| number as u32)
    }

    /// Numbers of the pages that trained the critic as of the topic, or as not.
    pub fn chosen(&self, kind: bool) -> Vec<u32> {
        let rows = self.labels.iter().zip(0..);
        let chosen = rows.filter(|(label, _)| label.example == Some(kind));
        chosen.map(|(_, number)| number).collect()
    }

    /// The same on a web with more pages.
    #[must_use]
    pub fn with_more(&self, more: &[Label]) -> Self {
        let mut topic = self.clone();
        topic.labels.extend(more);
        if let Some(told) = &mut topic.told {
            told.extend(more);
        }
        if let Some(classes) = &mut topic.classes {
            classes.of.resize(topic.labels.len(), Vec::new());
        }
        topic
    }

    /// Reads labels: lines of address, relevance, log-odds per token and `+`,
    /// `-` or nothing, after a line of titles; plain or gzip.
    pub fn read_labels(name: &str, path: &Path, web: &EvalWeb) -> Result<Self> {
        let mut topic = Self {
            name: name.to_owned(),
            labels: vec![Label::default(); web.pages.len()],
            told: None,
            classes: None,
            seeds: BTreeMap::new(),
            missing: 0,
        };
        for (number, line) in text_of(path)?.lines().enumerate().skip(1) {
            let place = || format!("{}, line {}", path.display(), number + 1);
            let fields: Vec<&str> = line.split('\t').collect();
            let [address, relevance, log_odds, example] = fields[..] else {
                bail!("{}: four fields are wanted: {line:?}", place());
            };
            let label = Label {
                relevance: relevance.parse().with_context(place)?,
                log_odds: log_odds.parse().with_context(place)?,
                example: match example {
                    "+" => Some(true),
                    "-" => Some(false),
                    "" => None,
                    other => bail!("{}: {other:?} is neither + nor -", place()),
                },
            };
            match web.find(address) {
                Some(page) => topic.labels[page as usize] = label,
                None => topic.missing += 1,
            }
        }
        if topic.examples().next().is_none() {
            bail!("{name}: none of the examples is in this web");
        }
        Ok(topic)
    }

    /// Reads this topic's seed sets: lines of topic, set and address, after a
    /// line of titles.
    pub fn read_seeds(&mut self, path: &Path, web: &EvalWeb) -> Result<()> {
        for (number, line) in text_of(path)?.lines().enumerate().skip(1) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [topic, set, address] = fields[..] else {
                bail!(
                    "{}, line {}: three fields are wanted: {line:?}",
                    path.display(),
                    number + 1
                );
            };
            // The last resort is the same for all topics of a web.
            if topic == self.name || (set == "root" && !self.seeds.contains_key("root")) {
                match web.find(address) {
                    Some(page) => self.seeds.entry(set.to_owned()).or_default().push(page),
                    None => self.missing += 1,
                }
            }
        }
        Ok(())
    }

    /// Adds the seed set `random`: pages drawn from the whole web.
    pub fn draw_starts(&mut self, web: &EvalWeb, random_seed: u64) {
        let mut rng = SplitMix(random_seed);
        let drawn = (0..RANDOM_STARTS).map(|_| (rng.unit() * web.pages.len() as f64) as u32);
        self.seeds.insert("random".to_owned(), drawn.collect());
    }

    /// Where crawls from this set start; an error names the sets there are.
    pub fn starts(&self, set: &str) -> Result<&[u32]> {
        let found = self.seeds.get(set).map(Vec::as_slice);
        found.filter(|seeds| !seeds.is_empty()).with_context(|| {
            let known: Vec<&str> = self.seeds.keys().map(String::as_str).collect();
            format!(
                "{}: there are no seeds {set:?}; there are {known:?}",
                self.name
            )
        })
    }

    /// The last resort of a crawl whose frontier runs dry.
    pub fn root(&self) -> &[u32] {
        self.seeds.get("root").map_or(&[], Vec::as_slice)
    }

    /// How many pages that count can be reached from a seed set and the root,
    /// those left out not counted.
    pub fn reachable(
        &self,
        set: &str,
        web: &EvalWeb,
        left_out: Option<&HashSet<String>>,
    ) -> Result<usize> {
        let reached = self.reached(set, web)?;
        let counts = |&number: &usize| {
            let address = web.pages[number].address.as_str();
            let is_left_out = left_out.is_some_and(|left_out| left_out.contains(address));
            reached[number] && self.labels[number].counts() && !is_left_out
        };
        Ok((0..self.labels.len()).filter(counts).count())
    }

    /// How many pages that a crawl takes for relevant can be reached from a seed set and the root:
    /// examples are some of them.
    pub fn reachable_with_examples(&self, set: &str, web: &EvalWeb) -> Result<usize> {
        let reached = self.reached(set, web)?;
        let labels = self.labels.iter().zip(reached);
        let taken = labels.filter(|(label, reached)| *reached && label.is_taken());
        Ok(taken.count())
    }

    /// By number of the page, whether it can be reached from a seed set and the root.
    fn reached(&self, set: &str, web: &EvalWeb) -> Result<Vec<bool>> {
        let starts = self.starts(set)?.iter().chain(self.root()).copied();
        Ok(web.reachable(starts))
    }
}

/// The text of a file, plain or gzip.
fn text_of(path: &Path) -> Result<String> {
    let place = || format!("reading {}", path.display());
    let mut file = BufReader::new(File::open(path).with_context(place)?);
    let packed = file
        .fill_buf()
        .with_context(place)?
        .starts_with(&[0x1F, 0x8B]);
    let mut text = String::new();
    if packed {
        MultiGzDecoder::new(file)
            .read_to_string(&mut text)
            .with_context(place)?;
    } else {
        file.read_to_string(&mut text).with_context(place)?;
    }
    Ok(text)
}

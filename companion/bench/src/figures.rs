//! The figures of the bench, each computed from what crawls fetched and from
//! nothing else.

use std::collections::HashSet;

use linkscent_core::page::Page;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::topic::Topic;
use super::visits::Line;
use super::web::EvalWeb;

/// Cosines to the examples from which a page counts as near (\[C\] eq. 40).
const THRESHOLDS: [f64; 4] = [0.5, 0.6, 0.7, 0.8];
/// Numbers of scored pages at which harvest and loss cut are given.
const CHECKPOINTS: [usize; 4] = [500, 1_000, 2_500, 5_000];

/// A crawl as the figures need it: its scored pages, in order.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Pages fetched, scored or not.
    pub fetched: usize,
    /// Addresses of all pages fetched, in order.
    pub order: Vec<String>,
    /// Whether each scored page was relevant.
    pub relevant: Vec<bool>,
    /// The cosine of each scored page to the nearest example.
    pub cosines: Vec<f64>,
}

impl Trace {
    /// From a crawl's lines. Pages in `left_out` do not count as scored.
    pub fn new(
        lines: &[Line],
        cosines: &FxHashMap<String, f64>,
        left_out: Option<&HashSet<String>>,
    ) -> Self {
        let mut trace = Self {
            fetched: lines.len(),
            ..Self::default()
        };
        for line in lines {
            trace.order.push(line.url.clone());
            if line.scored && left_out.is_none_or(|left_out| !left_out.contains(&line.url)) {
                trace.relevant.push(line.relevant);
                trace
                    .cosines
                    .push(cosines.get(&line.url).copied().unwrap_or(0.0));
            }
        }
        trace
    }

    fn found(&self) -> usize {
        self.relevant.iter().filter(|hit| **hit).count()
    }

    /// Relevant pages among the first `n` scored; a shorter crawl finds nothing
    /// more.
    pub fn found_by(&self, n: usize) -> f64 {
        let first = &self.relevant[..n.min(self.relevant.len())];
        first.iter().filter(|hit| **hit).count() as f64
    }

    /// Share of the first `n` scored pages that were not relevant.
    pub fn loss_by(&self, n: usize) -> f64 {
        let n = n.min(self.relevant.len()).max(1);
        1.0 - self.found_by(n) / n as f64
    }

    /// Relevant share of the first `n` scored pages; `None` if there are fewer.
    pub fn harvest_at(&self, n: usize) -> Option<f64> {
        let first = self.relevant.get(..n)?;
        Some(first.iter().filter(|hit| **hit).count() as f64 / n as f64)
    }

    /// Relevant share of all scored pages.
    pub fn harvest(&self) -> f64 {
        self.found() as f64 / self.relevant.len().max(1) as f64
    }

    /// Area under relevant pages found against scored pages, up to `window`; a
    /// shorter crawl finds nothing more.
    pub fn area(&self, window: usize) -> f64 {
        let (mut found, mut area) = (0, 0.0);
        for n in 0..window {
            found += usize::from(self.relevant.get(n).copied().unwrap_or(false));
            area += found as f64;
        }
        area
    }

    /// Scored pages until half of so many relevant pages were found.
    pub fn pages_to_half(&self, relevant: usize) -> Option<usize> {
        let half = relevant.div_ceil(2).max(1);
        let mut hits = self.relevant.iter().enumerate().filter(|row| *row.1);
        hits.nth(half - 1).map(|row| row.0 + 1)
    }

    fn precision(&self, threshold: f64) -> f64 {
        let near = self.cosines.iter().filter(|cosine| **cosine >= threshold);
        near.count() as f64 / self.cosines.len().max(1) as f64
    }

    fn average_similarity(&self) -> f64 {
        self.cosines.iter().sum::<f64>() / self.cosines.len().max(1) as f64
    }
}

/// The crawls from the same seeds that others are measured against.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Best-first by relevance.
    pub best_first: Trace,
    /// The greedy oracle.
    pub oracle: Trace,
    /// Best-first by cosine, if it was run.
    pub cosine: Option<Trace>,
    /// Relevant, scored pages that can be reached.
    pub reachable: usize,
    /// Pages to fetch.
    pub budget: u64,
}

impl Frame {
    fn window(&self) -> usize {
        (self.budget as usize).min(3 * self.reachable)
    }

    /// Area of a crawl as a share of the oracle's.
    pub fn auc(&self, trace: &Trace) -> f64 {
        let best = self.oracle.area(self.window());
        if best == 0.0 {
            0.0
        } else {
            trace.area(self.window()) / best
        }
    }

    /// Share of the way from best-first to the oracle, in percent.
    pub fn gap(&self, trace: &Trace) -> Option<f64> {
        let base = self.auc(&self.best_first);
        (base < 1.0).then(|| 100.0 * (self.auc(trace) - base) / (1.0 - base))
    }

    /// How much smaller the loss is than best-first's, in percent, after `n`
    /// scored pages.
    fn loss_cut(&self, trace: &Trace, n: usize) -> Option<f64> {
        let (ours, base) = (trace.harvest_at(n)?, self.best_first.harvest_at(n)?);
        (base < 1.0).then(|| 100.0 * (1.0 - (1.0 - ours) / (1.0 - base)))
    }

    /// Average precision ratio to best-first by cosine (\[C\] eq. 40), and how
    /// many thresholds are left out because the baseline has no page there.
    fn apr(&self, trace: &Trace) -> (Option<f64>, usize) {
        let Some(base) = &self.cosine else {
            return (None, THRESHOLDS.len());
        };
        let ratios: Vec<f64> = THRESHOLDS
            .iter()
            .filter(|&&threshold| base.precision(threshold) > 0.0)
            .map(|&threshold| trace.precision(threshold) / base.precision(threshold))
            .collect();
        let left_out = THRESHOLDS.len() - ratios.len();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        ((!ratios.is_empty()).then_some(mean), left_out)
    }
}

/// What a strategy had learned at the end of a crawl, a line each.
pub type Insight = Vec<String>;

/// What is known of a crawl besides what it fetched.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStats {
    /// What the crawl was made under; one made under other terms is no
    /// substitute.
    #[serde(default)]
    pub terms: String,
    /// What the strategy had learned at the end.
    #[serde(default)]
    pub insight: Insight,
    /// How often its model became another.
    pub retrainings: u32,
    /// Pages fetched beforehand, to train on.
    pub training_fetches: u64,
    /// Processor time, in seconds.
    pub cpu_s: f64,
}

/// Which crawl a row is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The web.
    pub web: String,
    /// The topic.
    pub topic: String,
    /// Who crawled.
    pub strategy: String,
    /// The seed set.
    pub seeds: String,
    /// Which of several repeats, from 1.
    pub repeat: u32,
    /// What random numbers started from.
    pub random_seed: u64,
}

impl Name {
    /// Name of its files, without ending; what a file's name cannot hold becomes
    /// a dash.
    pub fn file(&self) -> String {
        let Self {
            web,
            topic,
            strategy,
            seeds,
            repeat,
            ..
        } = self;
        let name = format!("{web}-{topic}-{strategy}-{seeds}-{repeat}");
        let fits = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
        name.chars()
            .map(|letter| if fits(letter) { letter } else { '-' })
            .collect()
    }
}

/// One row of `summary.json`. Shares are 0..=1, cuts and gaps percent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the bench's rules")]
pub struct Row {
    #[serde(flatten)]
    pub name: Name,
    pub budget: u64,
    pub pages: usize,
    pub scored: usize,
    pub reachable: usize,
    pub harvest: f64,
    pub loss: f64,
    pub harvest_500: Option<f64>,
    pub harvest_1000: Option<f64>,
    pub harvest_2500: Option<f64>,
    pub harvest_5000: Option<f64>,
    pub loss_cut_500: Option<f64>,
    pub loss_cut_1000: Option<f64>,
    pub loss_cut_2500: Option<f64>,
    pub loss_cut_5000: Option<f64>,
    pub auc: f64,
    pub gap: Option<f64>,
    pub precision_50: f64,
    pub precision_60: f64,
    pub precision_70: f64,
    pub precision_80: f64,
    pub max_avg_similarity: f64,
    pub apr: Option<f64>,
    pub apr_left_out: usize,
    pub recall: f64,
    /// Scored pages until half of the reachable relevant ones were found, if it came so far.
    pub pages_to_half: Option<usize>,
    pub overlap: f64,
    pub retrainings: u32,
    pub training_fetches: u64,
    pub cpu_s: f64,
    pub peak_mb: f64,
}

impl Row {
    /// The row of a crawl.
    pub fn new(name: Name, trace: &Trace, frame: &Frame, effort: &RunStats, peak_mb: f64) -> Self {
        let harvest = CHECKPOINTS.map(|n| trace.harvest_at(n));
        let loss_cut = CHECKPOINTS.map(|n| frame.loss_cut(trace, n));
        let precision = THRESHOLDS.map(|threshold| trace.precision(threshold));
        let (apr, apr_left_out) = frame.apr(trace);
        let theirs: HashSet<&String> = frame.best_first.order.iter().collect();
        let shared = trace.order.iter().filter(|url| theirs.contains(url));
        Self {
            name,
            budget: frame.budget,
            pages: trace.fetched,
            scored: trace.relevant.len(),
            reachable: frame.reachable,
            harvest: trace.harvest(),
            loss: 1.0 - trace.harvest(),
            harvest_500: harvest[0],
            harvest_1000: harvest[1],
            harvest_2500: harvest[2],
            harvest_5000: harvest[3],
            loss_cut_500: loss_cut[0],
            loss_cut_1000: loss_cut[1],
            loss_cut_2500: loss_cut[2],
            loss_cut_5000: loss_cut[3],
            auc: frame.auc(trace),
            gap: frame.gap(trace),
            precision_50: precision[0],
            precision_60: precision[1],
            precision_70: precision[2],
            precision_80: precision[3],
            max_avg_similarity: trace.average_similarity(),
            apr,
            apr_left_out,
            pages_to_half: trace.pages_to_half(frame.reachable),
            recall: trace.found() as f64 / frame.reachable.max(1) as f64,
            overlap: shared.count() as f64 / trace.fetched.max(1) as f64,
            retrainings: effort.retrainings,
            training_fetches: effort.training_fetches,
            cpu_s: effort.cpu_s,
            peak_mb,
        }
    }
}

/// The cosine of every page to the nearest example of the topic, by address.
pub fn cosines(web: &EvalWeb, topic: &Topic) -> FxHashMap<String, f64> {
    let examples: Vec<u32> = topic.examples().collect();
    let mut postings: FxHashMap<&str, Vec<(usize, f64)>> = FxHashMap::default();
    for (place, &example) in examples.iter().enumerate() {
        let counts = counts(&web.pages[example as usize]);
        let norm = norm(&counts);
        for (term, count) in counts {
            postings
                .entry(term)
                .or_default()
                .push((place, count / norm));
        }
    }
    let cosine = |page: &Page| {
        let counts = counts(page);
        let mut products = vec![0.0; examples.len()];
        for (term, count) in &counts {
            for &(example, weight) in postings.get(term).into_iter().flatten() {
                products[example] += count * weight;
            }
        }
        products.into_iter().fold(0.0, f64::max) / norm(&counts).max(1.0)
    };
    let pages = web.pages.iter();
    pages
        .map(|page| (page.address.to_string(), cosine(page)))
        .collect()
}

fn counts(page: &Page) -> Vec<(&str, f64)> {
    let words = page.words();
    let mut counts = vec![0.0; words.terms.len()];
    for term in words.all() {
        counts[term as usize] += 1.0;
    }
    words.terms.iter().map(String::as_str).zip(counts).collect()
}

fn norm(counts: &[(&str, f64)]) -> f64 {
    let squares: f64 = counts.iter().map(|(_, count)| count * count).sum();
    squares.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(relevant: &[u8]) -> Trace {
        Trace {
            fetched: relevant.len(),
            relevant: relevant.iter().map(|hit| *hit == 1).collect(),
            ..Trace::default()
        }
    }

    #[test]
    fn any_topic_has_a_file_name() {
        let name = Name {
            web: "web".to_owned(),
            topic: "Top/Arts & Crafts/../é".to_owned(),
            strategy: "random".to_owned(),
            seeds: "root".to_owned(),
            repeat: 1,
            random_seed: 1,
        };
        assert_eq!(name.file(), "web-Top-Arts---Crafts-..-é-random-root-1");
    }

    #[test]
    fn half_of_the_relevant_pages_is_found_at_a_page_or_never() {
        let trace = trace(&[0, 1, 0, 1, 1]);
        let found = [1, 4, 5, 7].map(|reachable| trace.pages_to_half(reachable));
        // Of five, three are needed; of seven, four.
        assert_eq!(found, [Some(2), Some(4), Some(5), None]);
    }

    #[test]
    fn areas_gaps_and_cuts_by_hand() {
        let frame = Frame {
            best_first: trace(&[0, 1, 0, 1, 0, 0]),
            oracle: trace(&[1, 1, 0, 0, 0, 0]),
            cosine: None,
            reachable: 2,
            budget: 100,
        };
        // The window is 3 * 2: the oracle's area 1+2+2+2+2+2, best-first's
        // 0+1+1+2+2+2.
        assert!((frame.auc(&frame.best_first) - 8.0 / 11.0).abs() < 1e-12);
        let better = trace(&[1, 0, 1]);
        assert!((frame.auc(&better) - 10.0 / 11.0).abs() < 1e-12);
        let gap = frame.gap(&better).unwrap();
        assert!((gap - 100.0 * 2.0 / 3.0).abs() < 1e-9, "{gap}");
        assert_eq!(frame.gap(&frame.oracle), Some(100.0));
        // After three pages: losses 1/3 and 2/3.
        let cut = frame.loss_cut(&better, 3).unwrap();
        assert!((cut - 50.0).abs() < 1e-9, "{cut}");
        assert_eq!(frame.loss_cut(&better, 4), None);
    }
}

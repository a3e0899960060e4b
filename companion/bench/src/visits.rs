//! What a crawl fetched, in order, as lines of JSON that anyone can recompute
//! the figures from.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use linkscent_archive::write_whole;
use linkscent_core::strategies::Priority;
use linkscent_core::web_graph::Judgment;
use serde::{Deserialize, Serialize};

use super::scenario::Scenario;

/// One fetch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visit {
    /// Number of the page.
    pub page: u32,
    /// The page whose link led there; `None` for a seed.
    pub via: Option<u32>,
    /// Queue and number that chose it; `None` for a seed.
    pub priority: Option<Priority>,
    /// Relevance that the strategy expected, 0..=1, if it says.
    pub expected: Option<f64>,
    /// What the critic said of it then.
    pub judgment: Option<Judgment>,
}

/// One fetch as it is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// From 1.
    pub n: usize,
    /// The page.
    pub url: String,
    /// The page whose link led there.
    pub via: Option<String>,
    /// What chose it.
    pub priority: Option<f64>,
    /// The queue it stood in.
    pub queue: Option<u8>,
    /// Relevance that the strategy expected, 0..=1, if it says.
    pub predicted: Option<f64>,
    /// Relevance it turned out to have.
    pub relevance: f64,
    /// Whether it is what is looked for.
    pub relevant: bool,
    /// Whether it counts: all but the critic's training pages.
    pub scored: bool,
}

/// Writes a crawl's visits; the file is whole or not there.
pub fn write(path: &Path, scenario: &Scenario, visits: &[Visit]) -> Result<()> {
    let address = |page: u32| scenario.web.pages[page as usize].address.to_string();
    let mut text = Vec::new();
    for (place, visit) in visits.iter().enumerate() {
        let label = scenario.topic.labels[visit.page as usize];
        let line = Line {
            n: place + 1,
            url: address(visit.page),
            via: visit.via.map(address),
            priority: visit.priority.map(Priority::value),
            queue: visit.priority.map(|priority| priority.tier.level),
            predicted: visit.expected,
            relevance: label.relevance,
            relevant: label.is_relevant(),
            scored: label.example.is_none(),
        };
        serde_json::to_writer(&mut text, &line)?;
        text.push(b'\n');
    }
    write_whole(path, &text).with_context(|| format!("writing {}", path.display()))
}

/// Reads a crawl's visits; `None` if the crawl was not made yet.
pub fn read(path: &Path) -> Result<Option<Vec<Line>>> {
    let Ok(text) = fs::read_to_string(path) else {
        return Ok(None);
    };
    let lines = text.lines().enumerate().map(|(number, line)| {
        serde_json::from_str(line)
            .with_context(|| format!("{}, line {}", path.display(), number + 1))
    });
    lines.collect::<Result<_>>().map(Some)
}

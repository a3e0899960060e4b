//! What crawls for a person come to: precision, recall, what was called relevant, and whether
//! stated probabilities come true.

use serde::Serialize;

use super::BUDGET;
use super::highlights::Highlights;
use crate::report::Section;

/// Results it is surest of, of which the precision is taken.
const SUREST: usize = 20;
/// Bins of stated probabilities, for the calibration error.
const BINS: usize = 10;

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
    /// What is highlighted before a crawl.
    pub highlights: Highlights,
    /// Stated probabilities of the fetched pages, and whether each was of the category.
    #[serde(skip)]
    pub stated: Vec<(f64, bool)>,
}

/// A page that was fetched: what was said of it, and what it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fetched {
    pub(super) stated: f64,
    pub(super) is_called: bool,
    pub(super) is_right: bool,
}

fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

impl Row {
    pub(super) fn of(
        topic: &str,
        strategy: &str,
        examples: usize,
        sought: usize,
        results: &[Fetched],
        highlights: Highlights,
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
            highlights,
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

/// Of all crawls together.
fn of_highlights(rows: &[Row], counts: fn(&Highlights) -> (usize, usize)) -> f64 {
    let (mut part, mut all) = (0, 0);
    for row in rows {
        let (own, of) = counts(&row.highlights);
        part += own;
        all += of;
    }
    share(part, all)
}

/// Means over the crawls of one strategy from so many pages.
struct Mean {
    strategy: String,
    examples: usize,
    figures: [f64; FIGURES],
    worst: f64,
    crawls: usize,
}

const FIGURES: usize = 11;

/// Headings of [`Mean::figures`].
const HEADINGS: [&str; FIGURES] = [
    "surest 20 right",
    "recall",
    "called relevant",
    "of these right",
    "recognised",
    "calibration error",
    "right of those stated at 90 %",
    "highlights a page",
    "of grade 3 right",
    "pages without highlight",
    "unrelated pages with one",
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
                    of_highlights(rows, |seen| (seen.links, seen.pages)),
                    of_highlights(rows, |seen| (seen.right, seen.best)),
                    of_highlights(rows, |seen| (seen.without, seen.pages)),
                    of_highlights(rows, |seen| (seen.wrongly, seen.unrelated)),
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
    fn written(&self) -> [String; FIGURES] {
        self.figures.map(|figure| {
            if figure > 1.0 {
                format!("{figure:.0}")
            } else {
                format!("{figure:.3}")
            }
        })
    }
}

pub(super) fn table(rows: &[Row]) -> String {
    let mut text = format!("{:<28} {:>5}", "strategy", "pages");
    for heading in HEADINGS {
        text.push_str(&format!(" {heading:>16.16}"));
    }
    for mean in Mean::all(rows) {
        text.push_str(&format!("\n{:<28} {:>5}", mean.strategy, mean.examples));
        for figure in mean.written() {
            text.push_str(&format!(" {figure:>16}"));
        }
        text.push_str(&format!("  (worst of {}: {:.2})", mean.crawls, mean.worst));
    }
    text
}

pub(super) fn section(rows: &[Row]) -> Section {
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
        let highlights = Highlights {
            pages: 4,
            without: 1,
            links: 6,
            best: 4,
            right: 3,
            into_category: 2,
            unrelated: 40,
            wrongly: 2,
        };
        let row = Row::of("bees", "ensemble", 2, 10, &results, highlights);
        assert_eq!(row.precision_of_surest, 0.2, "2 of at most 10");
        assert_eq!((row.recall, row.called), (0.3, 3));
        assert!((row.right - 2.0 / 3.0).abs() < 1e-12);
        assert!((row.recognised - 2.0 / 3.0).abs() < 1e-12);
        // The bin from .9 on: stated 1.85, true 1; the others by themselves.
        let expected = (0.85 + 0.4 + 0.6 + 0.1) / 5.0;
        assert!((calibration_error(&row.stated) - expected).abs() < 1e-12);
        let none = Row::of("bees", "ensemble", 1, 10, &[], Highlights::default());
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
}

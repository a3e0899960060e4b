//! What a person sees of the links of a page, in figures.

use std::collections::BTreeMap;

use linkscent_core::wire::views::{grade, most_highlights};
use serde::Serialize;

/// Grade of a link that is said to be likely.
const BEST: u8 = 3;

/// Worth of a link to the reader, by its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Worth {
    /// Not to be pointed out.
    No,
    /// Perhaps.
    Maybe,
    /// To be pointed out.
    Yes,
}

/// Figures of one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Row {
    /// Its name among the labels.
    pub id: String,
    /// Kind of topic for the page: `about`, `slice`, `other-words`, `near-miss` or `nothing`.
    pub kind: String,
    /// Its language.
    pub lang: String,
    /// Marked pages that the topic was taught.
    pub marks: usize,
    /// Labelled links.
    pub links: usize,
    /// Links worth pointing out.
    pub yes: usize,
    /// Links that were highlighted.
    pub shown: usize,
    /// Those of them that are worth it.
    pub right: usize,
    /// Those of them that perhaps are.
    pub maybe: usize,
    /// Number of links worth it that could have been highlighted.
    pub could: usize,
    /// Highlighted links of the best grade, and those of them that are worth it.
    pub best: (usize, usize),
    /// Average precision of the ranking of all links; none where no link is worth it.
    pub average_precision: Option<f64>,
}

/// Every labelled link once, by its highest probability, the likeliest first.
pub(super) fn ranked(
    given: impl Iterator<Item = (String, f64)>,
    worths: &BTreeMap<String, Worth>,
) -> Vec<(f64, Worth)> {
    let mut best: BTreeMap<String, (f64, usize)> = BTreeMap::new();
    for (place, (name, probability)) in given.enumerate() {
        let known = best.entry(name).or_insert((probability, place));
        if probability > known.0 {
            *known = (probability, place);
        }
    }
    let labelled = best.into_iter().filter_map(|(name, (probability, place))| {
        worths.get(&name).map(|worth| (probability, place, *worth))
    });
    let mut ranked: Vec<(f64, usize, Worth)> = labelled.collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().map(|row| (row.0, row.2)).collect()
}

/// What a person sees of ranked links on a page that has `links` in all.
pub(super) fn graded(ranked: &[(f64, Worth)], links: usize) -> Row {
    let yes = ranked.iter().filter(|link| link.1 == Worth::Yes).count();
    let most = most_highlights(links);
    let shown: Vec<&(f64, Worth)> = ranked
        .iter()
        .filter(|link| grade(link.0) > 0)
        .take(most)
        .collect();
    let of = |worth: Worth| shown.iter().filter(|link| link.1 == worth).count();
    let best = shown.iter().filter(|link| grade(link.0) == BEST);
    let best: Vec<Worth> = best.map(|link| link.1).collect();
    Row {
        links: ranked.len(),
        yes,
        shown: shown.len(),
        right: of(Worth::Yes),
        maybe: of(Worth::Maybe),
        could: yes.min(most),
        best: (
            best.len(),
            best.iter().filter(|worth| **worth == Worth::Yes).count(),
        ),
        average_precision: average_precision(ranked.iter().map(|link| link.1), yes),
        ..Row::default()
    }
}

/// A line for all pages, and one for each kind.
pub(super) fn text(rows: &[Row]) -> String {
    let mut kinds: Vec<&str> = rows.iter().map(|row| &*row.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let of_kind = kinds.into_iter().map(|kind| {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
        line(kind, &rows)
    });
    let all: Vec<&Row> = rows.iter().collect();
    let lines: Vec<String> = [line("all", &all)].into_iter().chain(of_kind).collect();
    lines.join("\n")
}

fn line(name: &str, rows: &[&Row]) -> String {
    let sum = |of: fn(&Row) -> usize| rows.iter().map(|row| of(row)).sum::<usize>();
    let share = |some: usize, all: usize| some as f64 / all.max(1) as f64;
    let (shown, right) = (sum(|row| row.shown), sum(|row| row.right));
    let precisions: Vec<f64> = rows
        .iter()
        .filter_map(|row| row.average_precision)
        .collect();
    let (best, best_right) = (sum(|row| row.best.0), sum(|row| row.best.1));
    format!(
        "{name:<12} {:>3} pages: {shown:>4} shown, {:.2} right, {:.2} right or perhaps, {:.2} found, average \
         precision {:.3} (standard error {:.3}), {} with none shown; best grade {best}, {:.2} right",
        rows.len(),
        share(right, shown),
        share(right + sum(|row| row.maybe), shown),
        share(right, sum(|row| row.could)),
        mean(&precisions),
        standard_error(&precisions),
        rows.iter().filter(|row| row.shown == 0).count(),
        share(best_right, best),
    )
}

fn mean(numbers: &[f64]) -> f64 {
    let sum = numbers.iter().fold(0.0, |sum, number| sum + number);
    sum / numbers.len().max(1) as f64
}

fn standard_error(numbers: &[f64]) -> f64 {
    let (mean, count) = (mean(numbers), numbers.len() as f64);
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt()
}

/// Mean over the links that are worth it of the share of such links up to each.
fn average_precision(ranked: impl Iterator<Item = Worth>, yes: usize) -> Option<f64> {
    let mut met = 0;
    let mut sum = 0.0;
    for (place, worth) in ranked.enumerate() {
        if worth == Worth::Yes {
            met += 1;
            sum += f64::from(met) / (place + 1) as f64;
        }
    }
    (yes > 0).then(|| sum / yes as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_is_taken_at_each_link_that_is_worth_it() {
        use Worth::{Maybe, No, Yes};
        let of = |ranked: &[Worth], yes| average_precision(ranked.iter().copied(), yes);
        let both = of(&[Yes, No, Yes], 2).unwrap();
        assert!((both - 5.0 / 6.0).abs() < 1e-12, "{both}");
        assert_eq!(of(&[No, Maybe, Yes], 2), Some(1.0 / 3.0 / 2.0));
        assert_eq!(of(&[No, No], 0), None);
    }
}

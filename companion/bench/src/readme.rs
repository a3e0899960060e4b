//! Does the README say what the bench found? Each figure that it states stands here with the
//! sentence around it and the way to compute it from the bench's files; what differs by more
//! than rounding is named.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::figures::Row;
use crate::person;

/// The webs in the order of the README's table.
const WEBS: [&str; 3] = ["uci", "wikispeedia", "docs"];
/// Entrants whose gaps the README's table has: the words that begin their line.
const TABLE: [(&str, &str); 8] = [
    ("ensemble", "ensemble"),
    ("apprentice", "apprentice"),
    ("interest ratios", "intelligent"),
    ("ACHE", "ache"),
    ("ensemble with the model, all pages", "ensemble-hops"),
    (
        "ensemble with the model, unseen pages",
        "ensemble-hops-unseen",
    ),
    (
        "the model (CRF) alone, by expected distance, all pages",
        "crf-by-distance",
    ),
    (
        "the model (CRF) alone, by expected distance, unseen pages",
        "crf-by-distance-unseen",
    ),
];

/// Sentences with figures of experiments: from one marked page, from five, what questions
/// bring, what spam costs.
const SENTENCES: [&str; 5] = [
    "it comes {} % of the way from breadth-first to a crawler that knows the web (the apprentice \
     {}, best-first {})",
    "with five pages {} %",
    "bring {} to {} relevant pages more for each hundred fetched",
    "costs {} of each hundred at worst",
    "people made, with its name, {} %, {} % and {} % of the 20 results it is surest of are right, and of all that \
     it calls relevant from two pages {} %",
];

/// What crawls and experiments brought.
#[derive(Debug, Default)]
pub struct Results {
    /// Rows of summaries.
    pub rows: Vec<Row>,
    /// Rows of experiments, by their names.
    pub findings: BTreeMap<String, Vec<Value>>,
}

/// A piece of the README, with `{}` where figures stand, and the figures.
struct Statement {
    text: String,
    figures: Vec<f64>,
}

/// A figure as it is stated, and as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The sentence, with `{}` where figures stand.
    pub text: String,
    /// As the README has it.
    pub stated: String,
    /// As computed.
    pub found: f64,
}

impl Compared {
    /// Whether both differ by no more than rounding.
    pub fn agrees(&self) -> bool {
        let decimals = self.stated.split_once('.').map_or(0, |parts| parts.1.len());
        let half = 0.5 / 10f64.powi(decimals as i32);
        let stated: f64 = self.stated.parse().unwrap_or(f64::NAN);
        (stated - self.found).abs() <= half + 1e-9
    }
}

impl Results {
    /// Every figure of a README beside what was found.
    pub fn compare(&self, readme: &str) -> Result<Vec<Compared>> {
        let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut compared = Vec::new();
        for Statement { text, figures } in self.statements()? {
            let stated = stated(&readme, &text)
                .with_context(|| format!("the README does not say “{text}”"))?;
            let pairs = stated.into_iter().zip(figures);
            compared.extend(pairs.map(|(stated, found)| Compared {
                text: text.clone(),
                stated,
                found,
            }));
        }
        Ok(compared)
    }

    fn statements(&self) -> Result<Vec<Statement>> {
        let mut statements = Vec::new();
        for (label, entrant) in TABLE {
            let gaps: Result<Vec<f64>> = WEBS.iter().map(|web| self.gap(entrant, web)).collect();
            statements.push(Statement {
                text: format!("| {label} | {{}} | {{}} | {{}} |"),
                figures: gaps?,
            });
        }
        let strategies = ["ensemble", "apprentice", "best-first"];
        let one_page = strategies.map(|name| self.gap_from_pages(name, 1));
        let questions = self.questions()?;
        let attack = self.findings("attack")?.iter();
        let costs = attack.filter_map(|row| row["cost"].as_f64());
        let costs: Vec<f64> = costs.collect();
        let figures = [
            one_page.into_iter().collect::<Result<_>>()?,
            vec![self.gap_from_pages("ensemble", 5)?],
            vec![least(&questions), greatest(&questions)],
            vec![greatest(&costs)],
            vec![
                self.person(1, "precision_of_surest")?,
                self.person(2, "precision_of_surest")?,
                self.person(5, "precision_of_surest")?,
                self.person(2, "right")?,
            ],
        ];
        statements.extend(
            SENTENCES
                .iter()
                .zip(figures)
                .map(|(text, figures)| Statement {
                    text: (*text).to_owned(),
                    figures,
                }),
        );
        Ok(statements)
    }

    /// The mean gap of an entrant on a web, over topics and starts, in percent.
    fn gap(&self, entrant: &str, web: &str) -> Result<f64> {
        let rows = self.rows.iter();
        let rows = rows.filter(|row| row.name.strategy == entrant && row.name.web == web);
        let gaps: Vec<f64> = rows.filter_map(|row| row.gap).collect();
        mean(&gaps).with_context(|| format!("no crawl of {entrant} on {web}"))
    }

    fn findings(&self, experiment: &str) -> Result<&[Value]> {
        let rows = self.findings.get(experiment);
        let rows = rows.with_context(|| format!("the experiment {experiment} was not run"))?;
        Ok(rows)
    }

    /// The mean gap over breadth-first from so many marked pages, in percent.
    fn gap_from_pages(&self, strategy: &str, targets: u64) -> Result<f64> {
        let rows = self.findings("cold-start")?.iter();
        let rows = rows.filter(|row| row["strategy"] == strategy && row["targets"] == targets);
        let gaps: Vec<f64> = rows
            .filter_map(|row| row["gap_over_breadth_first"].as_f64())
            .collect();
        mean(&gaps)
    }

    /// A mean of what a person gets from so many pages, in percent.
    fn person(&self, examples: u64, figure: &str) -> Result<f64> {
        let rows = self.findings(person::NAME)?.iter();
        let rows = rows.filter(|row| row["examples"] == examples);
        let shares: Vec<f64> = rows.filter_map(|row| row[figure].as_f64()).collect();
        Ok(100.0 * mean(&shares)?)
    }

    /// Relevant pages more for each hundred by asking, by topic and number of marked pages.
    fn questions(&self) -> Result<Vec<f64>> {
        let rows = self.findings("questions")?;
        let kinds: BTreeSet<(&str, u64)> = rows
            .iter()
            .filter_map(|row| Some((row["topic"].as_str()?, row["targets"].as_u64()?)))
            .collect();
        let harvest = |kind: (&str, u64), asked: &str| -> Result<f64> {
            let mut rows = rows.iter().filter(|row| row["asked"] == asked);
            let row = rows.find(|row| row["topic"] == kind.0 && row["targets"] == kind.1);
            let harvest = row.and_then(|row| row["harvest"].as_f64());
            harvest.with_context(|| format!("no crawl of {} with {asked}", kind.0))
        };
        let gain = |kind| -> Result<f64> {
            let before = harvest(kind, "nothing asked")?;
            Ok(100.0 * (harvest(kind, "three questions")? - before))
        };
        kinds.into_iter().map(gain).collect()
    }
}

fn mean(values: &[f64]) -> Result<f64> {
    if values.is_empty() {
        bail!("there is nothing to take the mean of");
    }
    Ok(values.iter().sum::<f64>() / values.len() as f64)
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The figures in a text, where it reads like the template.
fn stated(text: &str, template: &str) -> Option<Vec<String>> {
    let mut pieces = template.split("{}");
    let first = pieces.next()?;
    let pieces: Vec<&str> = pieces.collect();
    text.match_indices(first)
        .find_map(|(at, _)| figures_at(&text[at + first.len()..], &pieces))
}

fn figures_at(mut text: &str, pieces: &[&str]) -> Option<Vec<String>> {
    let mut figures = Vec::new();
    for piece in pieces {
        let belongs = |letter: char| letter.is_ascii_digit() || ".-−".contains(letter);
        let end = text.find(|letter| !belongs(letter)).unwrap_or(text.len());
        // A full stop ends the sentence, not the figure.
        let figure = text[..end].trim_end_matches('.');
        text = text[figure.len()..].strip_prefix(piece)?;
        let figure = figure.replace('−', "-");
        figure.parse::<f64>().ok()?;
        figures.push(figure);
    }
    Some(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_in_their_sentence_and_nowhere_else() {
        let text = "| apprentice-plain | 7 | 8 | | apprentice | 24 | −1.5 | it costs 2.5 of 3.";
        assert_eq!(
            stated(text, "| apprentice | {} | {} |").unwrap(),
            ["24", "-1.5"]
        );
        assert_eq!(stated(text, "costs {} of {}").unwrap(), ["2.5", "3"]);
        assert_eq!(stated(text, "| apprentice | {} | {} | {} |"), None);
        assert_eq!(stated(text, "brings {}"), None);
    }

    #[test]
    fn rounding_is_forgiven_and_nothing_else() {
        let figure = |stated: &str, found: f64| Compared {
            text: String::new(),
            stated: stated.to_owned(),
            found,
        };
        assert!(figure("43", 43.26).agrees() && figure("43", 42.5).agrees());
        assert!(!figure("43", 43.6).agrees() && !figure("43", f64::NAN).agrees());
        assert!(figure("-1.5", -1.54).agrees() && !figure("1.5", 1.56).agrees());
    }

    #[test]
    fn questions_are_worth_what_they_add_by_topic() {
        let row = |topic: &str, asked: &str, harvest: f64| serde_json::json!({ "topic": topic, "asked": asked, "targets": 1, "harvest": harvest });
        let mut results = Results::default();
        assert!(results.questions().is_err(), "not run");
        let rows = vec![
            row("a", "nothing asked", 0.2),
            row("a", "three questions", 0.25),
            row("b", "nothing asked", 0.3),
            row("b", "three questions", 0.28),
        ];
        results.findings.insert("questions".to_owned(), rows);
        let gains = results.questions().unwrap();
        assert!((gains[0] - 5.0).abs() < 1e-9 && (gains[1] + 2.0).abs() < 1e-9);
    }

    /// The README has every sentence whose figures are computed.
    #[test]
    fn the_readme_says_each_of_them() {
        let readme = include_str!("../../../README.md");
        let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
        for (label, _) in TABLE {
            let text = format!("| {label} | {{}} | {{}} | {{}} |");
            assert!(stated(&readme, &text).is_some(), "{text}");
        }
        for text in SENTENCES {
            assert!(stated(&readme, text).is_some(), "{text}");
        }
    }
}

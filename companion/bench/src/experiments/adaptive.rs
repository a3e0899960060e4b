//! ACHE against its own baseline (\[D\] figures 3, 5 and 6, table 2): targets found
//! by pages fetched, for the four configurations; and what the links on the paths
//! had in common, from one iteration of learning to the next.

use anyhow::Result;
use linkscent_core::strategies::{
    Adaptive, AdaptiveOptions, Chosen, LearningIteration, PathRepository, SPACES,
};
use linkscent_core::text::Vocabulary;
use serde_json::{Value, json};

use super::{Finding, Subject, crawls};
use crate::crawl::crawl;
use crate::report::Section;
use linkscent_charts as chart;

const CONFIGURATIONS: [&str; 4] = [
    "ache-baseline",
    "ache-offline",
    "ache-offline-online",
    "ache",
];
/// Points of a curve.
const POINTS: usize = 10;
/// Iterations shown in the table.
const SHOWN: usize = 4;
/// Words shown of an iteration, and words with a curve.
const WORDS: usize = 8;
const CURVES: usize = 6;

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let outcomes = crawls::of(subject, &CONFIGURATIONS)?;
    let longest = outcomes
        .iter()
        .map(|crawl| crawl.trace.relevant.len())
        .max()
        .unwrap_or(0);
    let stations: Vec<usize> = (0..=POINTS).map(|part| longest * part / POINTS).collect();
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    for name in CONFIGURATIONS {
        let of_name = crawls::by(&outcomes, name);
        let at = |&n: &usize| {
            let sum: f64 = of_name.iter().map(|crawl| crawl.trace.found_by(n)).sum();
            sum / of_name.len().max(1) as f64
        };
        let values: Vec<f64> = stations.iter().map(at).collect();
        rows.push(json!({
            "topic": subject.name, "configuration": name, "crawls": of_name.len(),
            "pages": stations, "found": values,
            "gap": crawls::mean(&of_name, |row| row.gap),
        }));
        lines.push(chart::Line { name, values });
    }
    let labels: Vec<String> = stations.iter().map(ToString::to_string).collect();
    let mut body = format!(
        "{}<p class=\"muted\">Targets found by pages fetched; means over the seed sets.</p>",
        chart::lines(&labels, &lines)
    );
    let iterations = iterations(subject)?;
    rows.extend(
        iterations
            .iter()
            .map(|iteration| row(&subject.name, iteration)),
    );
    body.push_str(&features(&iterations));
    Ok(Finding {
        rows,
        section: Section {
            title: format!("ACHE in four configurations: {}", subject.name),
            body,
        },
    })
}

/// The iterations of one online crawl.
fn iterations(subject: &Subject<'_>) -> Result<Vec<LearningIteration>> {
    let plan = &subject.plan;
    let ache = Adaptive::new(AdaptiveOptions::default());
    let scenario = plan.scenario(0, &plan.seed_sets[0], 1);
    let made = crawl(&scenario, Box::new(ache), Vocabulary::default(), None)?;
    let known_terms = made.topic_model.graph().vocabulary.len();
    let repository: Option<PathRepository> =
        made.topic_model.strategy().state().read(known_terms)?;
    Ok(repository.unwrap_or_default().iterations.into())
}

fn row(topic: &str, iteration: &LearningIteration) -> Value {
    let words = |chosen: &Vec<Chosen>| -> Vec<(String, u32)> {
        let chosen = chosen.iter().take(WORDS);
        chosen.map(|one| (one.word.clone(), one.links)).collect()
    };
    json!({
        "topic": topic, "pages": iteration.pages, "targets": iteration.targets,
        "url": words(&iteration.chosen[0]), "anchor": words(&iteration.chosen[1]),
        "around": words(&iteration.chosen[2]),
    })
}

/// Curves of the anchors' words that were chosen most at the end, and a table of
/// a few iterations.
fn features(iterations: &[LearningIteration]) -> String {
    let Some(last) = iterations.last() else {
        return "<p>Too few targets were found to learn from.</p>".to_owned();
    };
    let most = last.chosen[1].iter().take(CURVES);
    let names: Vec<String> = most.map(|one| one.word.clone()).collect();
    let of_word = |word: &String| {
        let share = |iteration: &LearningIteration| {
            let chosen = &iteration.chosen[1];
            let all: u32 = chosen.iter().map(|one| one.links).sum();
            let this = chosen.iter().find(|one| one.word == *word);
            f64::from(this.map_or(0, |one| one.links)) / f64::from(all.max(1))
        };
        iterations.iter().map(share).collect()
    };
    let lines: Vec<chart::Line<'_>> = names
        .iter()
        .map(|name| chart::Line {
            name,
            values: of_word(name),
        })
        .collect();
    let labels: Vec<String> = iterations.iter().map(|one| one.pages.to_string()).collect();
    let mut table = String::from("<table><thead><tr><th>Pages</th><th>Targets</th>");
    for space in SPACES {
        table.push_str(&format!("<th class=\"text\">{space}</th>"));
    }
    table.push_str("</tr></thead><tbody>");
    let step = iterations.len().div_ceil(SHOWN).max(1);
    for iteration in iterations.iter().step_by(step).chain([last]) {
        table.push_str(&format!(
            "<tr><td>{}</td><td>{}</td>",
            iteration.pages, iteration.targets
        ));
        for chosen in &iteration.chosen {
            let words: Vec<String> = chosen
                .iter()
                .take(WORDS)
                .map(|one| chart::escaped(&one.word))
                .collect();
            table.push_str(&format!("<td class=\"text\">{}</td>", words.join(", ")));
        }
        table.push_str("</tr>");
    }
    table.push_str("</tbody></table>");
    let few: Vec<String> = labels
        .iter()
        .map(|label| few_labels(label, &labels))
        .collect();
    format!(
        "{}<p class=\"muted\">Share of the anchors' words that were chosen, by pages fetched \
         when they were, in one online crawl; it set in after {} pages.</p>{table}",
        chart::lines(&few, &lines),
        iterations[0].pages
    )
}

/// Of many labels only some are written.
fn few_labels(label: &String, labels: &[String]) -> String {
    let place = labels.iter().position(|one| one == label).unwrap_or(0);
    let step = labels.len().div_ceil(8).max(1);
    if place.is_multiple_of(step) {
        label.clone()
    } else {
        String::new()
    }
}

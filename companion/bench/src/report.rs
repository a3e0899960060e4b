//! `report.html`: one page that a person looks at, all of it in the file:
//! curves as SVG, small multiples by topic, the table, and what each strategy
//! learned.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::Result;
use askama::Template;

use super::entrant::{BASELINE, ORACLE};
use super::figures::{Insight, Row, Trace};

/// A crawl with all that the report says of it.
pub struct Outcome {
    /// Its figures.
    pub row: Row,
    /// Its scored pages.
    pub trace: Trace,
    /// What its strategy had learned at the end.
    pub insight: Insight,
}

/// A section that an experiment adds.
pub struct Section {
    /// Its heading.
    pub title: String,
    /// HTML, escaped already.
    pub body: String,
}

#[derive(Template)]
#[template(path = "report.html")]
struct ReportPage<'a> {
    webs: Vec<WebPart<'a>>,
    legend: Vec<Style>,
    sections: &'a [Section],
}

struct WebPart<'a> {
    name: &'a str,
    topics: Vec<TopicPart<'a>>,
    table: Vec<TableRow>,
    columns: Vec<&'a str>,
}

struct TopicPart<'a> {
    name: &'a str,
    runs: usize,
    found: String,
    loss: String,
    insights: Vec<(String, Insight)>,
}

struct TableRow {
    strategy: String,
    cells: Vec<Cell>,
    mean_gap: String,
    worst_gap: String,
    half_by: String,
    effort: String,
}

struct Cell {
    auc: String,
    gap: String,
    best: bool,
}

/// How a strategy's line is drawn: by colour and by dashes, never by colour
/// alone.
struct Style {
    strategy: String,
    class: String,
}

/// Number of colours in the report's style sheet; dashes change after them.
const COLOURS: usize = 6;

fn styles(outcomes: &[Outcome]) -> Vec<Style> {
    let mut names: Vec<String> = Vec::new();
    for outcome in outcomes {
        if !names.contains(&outcome.row.name.strategy) {
            names.push(outcome.row.name.strategy.clone());
        }
    }
    let mut others = 0;
    let mut class = |name: &str| match name {
        ORACLE => "frame dotted".to_owned(),
        "random" => "frame dashed".to_owned(),
        BASELINE => "frame".to_owned(),
        _ => {
            others += 1;
            let dash = ["", " dashed", " dotted"][(others - 1) / COLOURS % 3];
            format!("c{}{dash}", (others - 1) % COLOURS)
        }
    };
    let style = |strategy: String| Style {
        class: class(&strategy),
        strategy,
    };
    names.into_iter().map(style).collect()
}

/// The report on these crawls.
pub fn html(outcomes: &[Outcome], sections: &[Section]) -> Result<String> {
    let legend = styles(outcomes);
    let mut webs: Vec<&str> = Vec::new();
    for outcome in outcomes {
        if !webs.contains(&outcome.row.name.web.as_str()) {
            webs.push(&outcome.row.name.web);
        }
    }
    let parts = webs.into_iter().map(|web| web_part(web, outcomes, &legend));
    let page = ReportPage {
        webs: parts.collect(),
        legend,
        sections,
    };
    // The columns of the legend are read by the style sheet's classes.
    Ok(page.render()?)
}

fn web_part<'a>(web: &'a str, outcomes: &'a [Outcome], legend: &[Style]) -> WebPart<'a> {
    let here: Vec<&Outcome> = outcomes.iter().filter(|o| o.row.name.web == web).collect();
    let mut topics: Vec<&str> = Vec::new();
    for outcome in &here {
        if !topics.contains(&outcome.row.name.topic.as_str()) {
            topics.push(&outcome.row.name.topic);
        }
    }
    let of = |topic: &str, strategy: &str| -> Vec<&Outcome> {
        let name = |o: &&&Outcome| o.row.name.topic == topic && o.row.name.strategy == strategy;
        here.iter().filter(name).copied().collect()
    };
    let topic_part = |&topic: &&'a str| TopicPart {
        name: topic,
        runs: of(topic, BASELINE).len(),
        found: chart(legend, |strategy| of(topic, strategy), Trace::found_by),
        loss: chart(legend, |strategy| of(topic, strategy), Trace::loss_by),
        insights: legend
            .iter()
            .filter_map(|style| {
                let first = of(topic, &style.strategy).first().copied()?;
                let insight = first.insight.clone();
                (!insight.is_empty()).then(|| (style.strategy.clone(), insight))
            })
            .collect(),
    };
    WebPart {
        name: web,
        table: table(&topics, legend, of),
        topics: topics.iter().map(topic_part).collect(),
        columns: topics,
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn table<'a>(
    topics: &[&str],
    legend: &[Style],
    of: impl Fn(&str, &str) -> Vec<&'a Outcome>,
) -> Vec<TableRow> {
    let auc = |topic: &str, strategy: &str| {
        mean(of(topic, strategy).iter().map(|outcome| outcome.row.auc))
    };
    let best: BTreeMap<&str, f64> = topics
        .iter()
        .map(|&topic| {
            let members = legend.iter().filter(|style| style.strategy != ORACLE);
            let aucs = members.map(|style| auc(topic, &style.strategy));
            (topic, aucs.fold(0.0, f64::max))
        })
        .collect();
    let row = |style: &Style| {
        let strategy = style.strategy.as_str();
        let cells = topics.iter().map(|&topic| {
            let runs = of(topic, strategy);
            let here = auc(topic, strategy);
            Cell {
                auc: format!("{here:.2}"),
                gap: format!("{:+.0}", mean(runs.iter().filter_map(|o| o.row.gap))),
                best: (here - best[topic]).abs() < 1e-9,
            }
        });
        let gaps: Vec<f64> = topics
            .iter()
            .map(|topic| mean(of(topic, strategy).iter().filter_map(|o| o.row.gap)))
            .collect();
        let all: Vec<&Outcome> = topics
            .iter()
            .flat_map(|topic| of(topic, strategy))
            .collect();
        let single = all.iter().filter_map(|o| o.row.gap);
        TableRow {
            strategy: strategy.to_owned(),
            cells: cells.collect(),
            mean_gap: format!("{:+.0}", mean(gaps.into_iter())),
            worst_gap: format!("{:+.0}", single.fold(f64::INFINITY, f64::min)),
            half_by: half_by(&all),
            effort: format!("{:.1} s", mean(all.iter().map(|o| o.row.cpu_s))),
        }
    };
    legend.iter().map(row).collect()
}

/// Pages until half of the relevant ones were found, in the mean over the crawls that came so
/// far, and how many did.
fn half_by(crawls: &[&Outcome]) -> String {
    let pages = crawls.iter().filter_map(|crawl| crawl.row.pages_to_half);
    let pages: Vec<f64> = pages.map(|pages| pages as f64).collect();
    let count = format!("{} of {}", pages.len(), crawls.len());
    if pages.is_empty() {
        return count;
    }
    format!("{:.0} ({count})", mean(pages.into_iter()))
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 46.0;
const BOTTOM: f64 = 30.0;
const TOP: f64 = 10.0;
/// Points of a curve.
const POINTS: usize = 120;

/// One chart: a line a strategy, the mean over its crawls, and behind it the
/// span from its worst to its best crawl.
fn chart<'a>(
    legend: &[Style],
    of: impl Fn(&str) -> Vec<&'a Outcome>,
    curve: impl Fn(&Trace, usize) -> f64,
) -> String {
    let length = |outcome: &&Outcome| outcome.trace.relevant.len();
    let lines: Vec<(&Style, Vec<&Outcome>)> = legend
        .iter()
        .map(|style| (style, of(&style.strategy)))
        .collect();
    let longest = lines
        .iter()
        .flat_map(|(_, runs)| runs.iter().map(length))
        .max();
    let longest = longest.unwrap_or(1).max(1);
    let mut tops = lines.iter().flat_map(|(_, runs)| runs);
    let is_share = tops.all(|run| curve(&run.trace, longest) <= 1.0);
    let top = if is_share {
        1.0
    } else {
        let ends = lines
            .iter()
            .flat_map(|(_, runs)| runs.iter().map(|run| curve(&run.trace, longest)));
        ends.fold(1.0, f64::max)
    };
    let x = |n: usize| LEFT + (WIDTH - LEFT - 8.0) * n as f64 / longest as f64;
    let y = |value: f64| TOP + (HEIGHT - BOTTOM - TOP) * (1.0 - value / top);
    let mut svg = format!(
        r#"<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img"><path class="axis" d="M{LEFT} {TOP}V{b}H{r}"/>"#,
        b = HEIGHT - BOTTOM,
        r = WIDTH - 8.0
    );
    for part in 0..=4 {
        let value = top * f64::from(part) / 4.0;
        let text = if is_share {
            format!("{:.0} %", 100.0 * value)
        } else {
            format!("{value:.0}")
        };
        let _ = write!(
            svg,
            r#"<path class="grid" d="M{LEFT} {0:.1}H{1}"/><text x="{2}" y="{3:.1}" text-anchor="end">{text}</text>"#,
            y(value),
            WIDTH - 8.0,
            LEFT - 5.0,
            y(value) + 4.0
        );
        let n = longest * part as usize / 4;
        let anchor = if part == 4 { "end" } else { "middle" };
        let _ = write!(
            svg,
            r#"<text x="{:.1}" y="{}" text-anchor="{anchor}">{n}</text>"#,
            x(n),
            HEIGHT - 10.0
        );
    }
    for (style, runs) in lines.iter().filter(|(_, runs)| !runs.is_empty()) {
        let shortest = runs.iter().map(length).max().unwrap_or(0);
        let stations: Vec<usize> = (1..=POINTS)
            .map(|step| (shortest * step / POINTS).max(1))
            .collect();
        let at = |n: usize| runs.iter().map(move |run| (run, n));
        let (mut line, mut upper, mut lower) = (String::new(), String::new(), Vec::new());
        for (place, &n) in stations.iter().enumerate() {
            let values: Vec<f64> = at(n).map(|(run, n)| curve(&run.trace, n)).collect();
            let command = if place == 0 { 'M' } else { 'L' };
            let (low, high) = values
                .iter()
                .fold((f64::INFINITY, 0.0_f64), |(low, high), &v| {
                    (low.min(v), high.max(v))
                });
            let _ = write!(
                line,
                "{command}{:.1} {:.1}",
                x(n),
                y(mean(values.into_iter()))
            );
            let _ = write!(upper, "{command}{:.1} {:.1}", x(n), y(high));
            lower.push(format!("L{:.1} {:.1}", x(n), y(low)));
        }
        lower.reverse();
        if runs.len() > 1 {
            let _ = write!(
                svg,
                r#"<path class="band {}" d="{upper}{}Z"/>"#,
                style.class,
                lower.concat()
            );
        }
        let _ = write!(
            svg,
            r#"<path class="line {}" d="{line}"><title>{}</title></path>"#,
            style.class, style.strategy
        );
    }
    svg.push_str("</svg>");
    svg
}

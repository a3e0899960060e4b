//! What is lost where several sessions share a crawl, and what is won: how far the harvest lies
//! behind that of one session, which part of the pages the busiest of them read, and what all of
//! them cost together, hearing of each other included.

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::Part;
use serde_json::json;

use super::{Finding, Subject, crawls};
use crate::entrant::SPLIT;
use crate::parts::Split;
use crate::report::{Outcome, Section};

const ALONE: &str = "ensemble";

/// The share of its pages that the busiest session read.
fn busiest(crawl: &Outcome, split: Split) -> f64 {
    let mut counts = vec![0.0_f64; split.parts as usize];
    for page in &crawl.trace.order {
        for (number, count) in (0..).zip(&mut counts) {
            let part = Part::new(number, split.parts).map(|part| part.keeping(split.kept_together));
            let page = Address::parse(page).ok();
            if part
                .zip(page)
                .is_some_and(|(part, page)| part.asks_for(&page))
            {
                *count += 1.0;
            }
        }
    }
    let most = counts.iter().copied().fold(0.0, f64::max);
    most / crawl.trace.order.len().max(1) as f64
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let names: Vec<&str> = SPLIT.iter().map(|form| form.0.name).collect();
    let outcomes = crawls::of(subject, &[&[ALONE], &names[..]].concat())?;
    let gap = |name| crawls::mean(&crawls::by(&outcomes, name), |row| row.gap);
    let alone = gap(ALONE);
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>Sessions</th><th>AUC</th><th>gap</th><th>behind one</th>\
         <th>busiest read</th><th>CPU, s</th></tr></thead><tbody>",
    );
    let split_of = |name| {
        SPLIT
            .iter()
            .find(|form| form.0.name == name)
            .map(|form| form.1)
    };
    for name in std::iter::once(ALONE).chain(names) {
        let of_form = crawls::by(&outcomes, name);
        let mean = |figure: fn(&crate::figures::Row) -> f64| {
            crawls::mean(&of_form, |row| Some(figure(row))).unwrap_or(0.0)
        };
        let (auc, cpu_s) = (mean(|row| row.auc), mean(|row| row.cpu_s));
        let behind = alone.zip(gap(name)).map(|(alone, gap)| alone - gap);
        let busiest = split_of(name).map_or(1.0, |split| {
            let shares = of_form.iter().map(|crawl| busiest(crawl, split));
            shares.sum::<f64>() / of_form.len().max(1) as f64
        });
        let show = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:+.1}"));
        body.push_str(&format!(
            "<tr><td>{name}</td><td>{auc:.3}</td><td>{}</td><td>{}</td><td>{:.0} %</td>\
             <td>{cpu_s:.1}</td></tr>",
            show(gap(name)),
            show(behind),
            100.0 * busiest,
        ));
        rows.push(json!({
            "topic": subject.name, "form": name, "auc": auc, "gap": gap(name), "behind": behind,
            "busiest": busiest, "cpu_s": cpu_s,
        }));
    }
    body.push_str("</tbody></table>");
    Ok(Finding {
        rows,
        section: Section {
            title: format!("One crawl by several sessions: {}", subject.name),
            body,
        },
    })
}

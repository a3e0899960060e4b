//! What is found on small webs: a site of at most 500 pages (or as many pages around one, where
//! the web has no sites so small), of which twenty are looked for. Which ones is drawn: once at
//! random, so that nothing but links tells where they are, and once as those most like one page.
//!
//! Of such a web half is read before there is much to learn from, so a strategy that knows how to
//! begin may do as well as one that learns.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use anyhow::{Context, Result};
use linkscent_core::strategies::{Rng, SplitMix};
use serde_json::{Value, json};

use super::{Finding, Subject};
use crate::bench::Plan;
use crate::entrant::{BASELINE, Entrant, ORACLE};
use crate::figures;
use crate::report::{Outcome, Section};
use crate::topic::{Label, Topic};
use crate::web::EvalWeb;

/// Small webs drawn for each topic of the bench; of each both kinds of targets.
const WEBS: usize = 3;
/// Pages that such a web has.
const PAGES: std::ops::RangeInclusive<usize> = 100..=500;
/// Pages looked for.
const TARGETS: usize = 20;
/// Pages that are brought, besides.
const EXAMPLES: usize = 2;
/// Fetches between two trainings: as where nobody says otherwise.
const RETRAIN_EVERY: u32 = 100;
/// Whose crawls are held against all others.
const ENSEMBLE: &str = "ensemble";
/// The set of seeds that the pages brought make.
const SEEDS: &str = "brought";

/// Which pages are looked for.
#[derive(Clone, Copy)]
enum Kind {
    /// Drawn at random.
    Any,
    /// Those most like one that was drawn.
    Alike,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Any => "any pages",
            Self::Alike => "pages alike",
        }
    }
}

/// A small web, and the page that most of it can be reached from.
struct SmallWeb {
    name: String,
    web: Arc<EvalWeb>,
    start: u32,
}

/// One of some things, at random.
fn draw<T: Copy>(of: &[T], rng: &mut SplitMix) -> Option<T> {
    of.get((rng.unit() * of.len() as f64) as usize).copied()
}

/// The pages of each host that is small.
fn small_sites(web: &EvalWeb) -> Vec<Vec<u32>> {
    let mut sites: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (page, number) in web.pages.iter().zip(0..) {
        sites.entry(page.address.host()).or_default().push(number);
    }
    let sites = sites.into_values();
    sites.filter(|pages| PAGES.contains(&pages.len())).collect()
}

/// The pages that are first reached from one, those of a page in an order that is drawn.
fn around(web: &EvalWeb, start: u32, rng: &mut SplitMix) -> Vec<u32> {
    let (mut met, mut open) = (vec![start], VecDeque::from([start]));
    let mut is_met = vec![false; web.pages.len()];
    is_met[start as usize] = true;
    while let Some(page) = open.pop_front() {
        let mut links = web.links[page as usize].clone();
        while !links.is_empty() && met.len() < *PAGES.end() {
            let link = links.swap_remove((rng.unit() * links.len() as f64) as usize);
            if !std::mem::replace(&mut is_met[link as usize], true) {
                met.push(link);
                open.push_back(link);
            }
        }
    }
    met
}

/// A small web out of a large one, whose pages can all be reached from one of them.
fn small_web(web: &EvalWeb, sites: &[Vec<u32>], rng: &mut SplitMix) -> Result<SmallWeb> {
    let all: Vec<u32> = (0..web.pages.len() as u32).collect();
    for _ in 0..100 {
        let drawn = draw(&all, rng).context("a web without pages")?;
        let pages = if sites.is_empty() {
            around(web, drawn, rng)
        } else {
            let site = (rng.unit() * sites.len() as f64) as usize;
            sites[site].clone()
        };
        let part = web.part(&pages);
        let reach = |start: &u32| part.reachable([*start]).iter().filter(|met| **met).count();
        let Some(start) = (0..part.pages.len() as u32).max_by_key(reach) else {
            continue;
        };
        let reached = part.reachable([start]);
        let reached: Vec<u32> = (0..)
            .zip(reached)
            .filter_map(|(n, met)| met.then_some(n))
            .collect();
        if PAGES.contains(&reached.len()) {
            let name = part.pages[start as usize]
                .address
                .without_scheme()
                .to_owned();
            let start = reached.binary_search(&start).unwrap_or_default() as u32;
            let web = Arc::new(part.part(&reached));
            return Ok(SmallWeb { name, web, start });
        }
    }
    anyhow::bail!("no part of this web has {PAGES:?} pages that can be reached from one of them")
}

/// The numbers of pages looked for, those brought first.
fn wanted(small: &SmallWeb, kind: Kind, rng: &mut SplitMix) -> Vec<u32> {
    let mut others: Vec<u32> = (0..small.web.pages.len() as u32).collect();
    others.retain(|page| *page != small.start);
    // In an order that is drawn.
    for place in (1..others.len()).rev() {
        others.swap(place, (rng.unit() * (place + 1) as f64) as usize);
    }
    if let Kind::Alike = kind {
        let mut one = topic(small, &others[..1]);
        one.labels[others[0] as usize].example = Some(true);
        let cosines = figures::cosines(&small.web, &one);
        let cosine = |page: &u32| {
            let address = small.web.pages[*page as usize].address.as_str();
            cosines.get(address).copied().unwrap_or_default()
        };
        others.sort_by(|a, b| cosine(b).total_cmp(&cosine(a)));
    }
    others.truncate(TARGETS + EXAMPLES);
    others
}

/// The topic of these pages, the first of which are brought.
fn topic(small: &SmallWeb, wanted: &[u32]) -> Topic {
    let mut labels = vec![
        Label {
            relevance: 0.0,
            log_odds: -1.0,
            example: None,
        };
        small.web.pages.len()
    ];
    let brought = &wanted[..EXAMPLES.min(wanted.len())];
    for &page in wanted {
        labels[page as usize] = Label {
            relevance: 1.0,
            log_odds: 1.0,
            example: brought.contains(&page).then_some(true),
        };
    }
    Topic {
        name: String::new(),
        labels,
        told: None,
        classes: None,
        seeds: BTreeMap::from([
            (SEEDS.to_owned(), brought.to_vec()),
            ("root".to_owned(), vec![small.start]),
        ]),
        missing: 0,
    }
}

/// All crawls of one small web with one kind of targets.
fn crawls(
    subject: &Subject<'_>,
    small: &SmallWeb,
    kind: Kind,
    place: usize,
) -> Result<Vec<Outcome>> {
    let own = &subject.plan;
    let mut rng = SplitMix(
        own.random_seed
            .wrapping_mul(1_000)
            .wrapping_add(place as u64),
    );
    let mut topic = topic(small, &wanted(small, kind, &mut rng));
    topic.name = format!("{} {place} {}", subject.topic.name, kind.name());
    let takes_part =
        |entrant: &&Entrant| !entrant.is_taught() || [BASELINE, ORACLE].contains(&entrant.name);
    let plan = Plan {
        web_name: format!("{}-part", own.web_name),
        web: Arc::clone(&small.web),
        topics: vec![(Arc::new(topic), RETRAIN_EVERY)],
        seed_sets: vec![SEEDS.to_owned()],
        budget: small.web.pages.len() as u64,
        entrants: own.entrants.iter().filter(takes_part).copied().collect(),
        ..own.clone()
    };
    plan.run(subject.on_crawl)?;
    plan.outcomes()
}

/// Rows of one small web: each strategy's AUC, and how far the ensemble's lies behind the best
/// of the others.
fn rows_of(outcomes: &[Outcome], name: &str, kind: Kind) -> Vec<Value> {
    let mut aucs: HashMap<&str, f64> = HashMap::new();
    for outcome in outcomes {
        let row = &outcome.row;
        if row.name.repeat == 1 && row.name.strategy != ORACLE {
            aucs.insert(&row.name.strategy, row.auc);
        }
    }
    let single = aucs.iter().filter(|row| !row.0.starts_with(ENSEMBLE));
    let best = single.map(|row| *row.1).fold(f64::NEG_INFINITY, f64::max);
    let rows = aucs.iter().map(|(strategy, auc)| {
        json!({
            "topic": name, "form": format!("{}: {strategy}", kind.name()), "kind": kind.name(),
            "strategy": strategy, "auc": auc,
            "behind": strategy.starts_with(ENSEMBLE).then_some(best - auc),
        })
    });
    rows.collect()
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let sites = small_sites(subject.web);
    let mut rng = SplitMix(subject.plan.random_seed);
    // Another part of the web for each topic.
    for letter in subject.topic.name.bytes() {
        rng = SplitMix(rng.bits() ^ u64::from(letter));
    }
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>Web</th><th>pages</th><th>looked for</th><th>ensemble</th>\
         <th>best other</th></tr></thead><tbody>",
    );
    for place in 0..WEBS {
        let small = small_web(subject.web, &sites, &mut rng)?;
        for kind in [Kind::Any, Kind::Alike] {
            let name = format!("{}: {}", subject.name, small.name);
            let found = rows_of(&crawls(subject, &small, kind, place)?, &name, kind);
            let ours = found.iter().find(|row| row["strategy"] == ENSEMBLE);
            let figure = |key: &str| ours.and_then(|row| row[key].as_f64()).unwrap_or(f64::NAN);
            body.push_str(&format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.2}</td><td>{:.2}</td></tr>",
                small.web.pages[small.start as usize].address.host(),
                small.web.pages.len(),
                kind.name(),
                figure("auc"),
                figure("auc") + figure("behind"),
            ));
            rows.extend(found);
        }
    }
    body.push_str("</tbody></table>");
    let title = format!("Small webs: {}", subject.name);
    Ok(Finding {
        section: Section { title, body },
        rows,
    })
}

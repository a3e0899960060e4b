//! What do pages cost that were made to attract crawlers? To the web comes a tenth
//! of such pages: stuffed with the words that speak most for the very pages that
//! the crawl is told of, and linking to each other as link farms do; some links of genuine pages were turned
//! towards them. Harvest with and without them: by a critic that is not fooled, and
//! by our own, from five marked pages.

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::page::Page;
use linkscent_core::strategies::{Ensemble, Rng, SplitMix};
use linkscent_core::text::Vocabulary;
use serde_json::json;

use super::marked::{self, found, mean};
use super::{Finding, Subject};
use crate::crawl::crawl;
use crate::own_critic::{self, CriticExample};
use crate::report::Section;
use crate::scenario::Scenario;
use crate::topic::Label;
use crate::web::page_of;

/// Attackers' pages, as a share of the web's.
const SHARE: f64 = 0.1;
/// Genuine pages one of whose links was turned towards attackers.
const TURNED: f64 = 0.05;
/// Pages of one farm, all on one host.
const FARM: usize = 40;
/// Words of such a page, and words that it is made of.
const LENGTH: usize = 300;
const TOP_FEATURES: usize = 60;
/// Links of such a page to others of its farm, and to other farms.
const LINKS: usize = 20;
const OTHER_FARMS: usize = 2;
/// Marked pages for our own critic.
const MARKED: usize = 5;

/// The same crawl on the web with attackers; their pages come behind all others.
pub(super) fn attacked(scenario: &Scenario, random_seed: u64) -> Result<Scenario> {
    let known = match &scenario.marked {
        Some(marked) => marked.clone(),
        None => scenario.topic.examples().collect(),
    };
    let mut rng = SplitMix(random_seed);
    let genuine = scenario.web.pages.len();
    let pages = (SHARE * genuine as f64) as usize;
    let examples = CriticExample::two(known, scenario.topic.chosen(false));
    let trained = own_critic::train(
        &scenario.web,
        &examples.complete(&scenario.web, random_seed),
    );
    let words: Vec<String> = trained
        .top_features(TOP_FEATURES)
        .into_iter()
        .map(|row| row.0)
        .collect();
    let address = |page: usize| format!("http://farm{}.test/{page}", page / FARM);
    let made: Vec<Page> = (0..pages)
        .map(|page| {
            let body = stuffed(page, pages, &words, address, &mut rng);
            page_of(&address(page), &body)
        })
        .collect::<Result<_>>()?;
    let addresses: Vec<Address> = made.iter().map(|page| page.address.clone()).collect();
    let made = made.into_iter().map(|page| (page, Label::default()));
    Ok(scenario.with_more(made.collect(), |_, page| {
        if rng.unit() < TURNED
            && let Some(address) = addresses.get(below(pages, &mut rng))
            && let Some(link) = page.outlinks.first_mut()
        {
            link.target = address.clone();
        }
    }))
}

fn below(most: usize, rng: &mut SplitMix) -> usize {
    (rng.unit() * most as f64) as usize
}

/// A page of the topic's strongest words and links.
fn stuffed(
    page: usize,
    pages: usize,
    words: &[String],
    address: impl Fn(usize) -> String,
    rng: &mut SplitMix,
) -> String {
    let stuffed = |count: usize, rng: &mut SplitMix| -> String {
        let words = (0..count).filter_map(|_| words.get(below(words.len(), rng)));
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    let farm = page / FARM * FARM;
    let mut body = String::new();
    for link in 0..LINKS + OTHER_FARMS {
        let other = if link < LINKS {
            farm + below(FARM, rng)
        } else {
            below(pages, rng)
        };
        let (before, anchor) = (stuffed(LENGTH / LINKS, rng), stuffed(3, rng));
        let target = address(other.min(pages - 1));
        body.push_str(&format!(
            "<p>{before} <a href=\"{target}\">{anchor}</a></p>"
        ));
    }
    let title = stuffed(6, rng);
    format!(
        "<!doctype html><html lang=\"en\"><head><title>{title}</title></head><body>{body}</body></html>"
    )
}

/// Harvest of the ensemble's crawl, and the share of attackers' pages in it.
fn harvest(scenario: &Scenario, every: u32, genuine: usize) -> Result<[f64; 2]> {
    let strategy = Box::new(Ensemble::every(every));
    let made = crawl(scenario, strategy, Vocabulary::default(), None)?;
    let curve = found(&scenario.topic, &made.visits);
    let spam = made
        .visits
        .iter()
        .filter(|visit| visit.page as usize >= genuine);
    let pages = curve.len().max(1) as f64;
    Ok([
        curve.last().copied().unwrap_or(0.0) / pages,
        spam.count() as f64 / pages,
    ])
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let plan = &subject.plan;
    let every = plan.topics[0].1;
    let genuine = plan.web.pages.len();
    let told: Vec<Scenario> = plan
        .seed_sets
        .iter()
        .map(|seeds| plan.scenario(0, seeds, 1))
        .collect();
    let own: Vec<Scenario> = (0..marked::CHOICES)
        .map(|choice| Ok(marked::scenario(plan, MARKED, choice)?.0))
        .collect::<Result<_>>()?;
    let (mut rows, mut lines) = (Vec::new(), String::new());
    for (critic, courses) in [("that is not fooled", told), ("of five marked pages", own)] {
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for scenario in &courses {
            without.push(harvest(scenario, every, genuine)?);
            with.push(harvest(
                &attacked(scenario, plan.random_seed)?,
                every,
                genuine,
            )?);
        }
        let of = |rows: &[[f64; 2]], place: usize| 100.0 * mean(rows.iter().map(|row| row[place]));
        let (before, after, spam) = (of(&without, 0), of(&with, 0), of(&with, 1));
        lines.push_str(&format!(
            "<tr><td>a critic {critic}</td><td>{before:.1}</td><td>{after:.1}</td>\
             <td>{spam:.1}</td></tr>"
        ));
        rows.push(json!({
            "topic": subject.name, "critic": critic, "harvest": before, "attacked": after,
            "cost": before - after, "attackers_fetched": spam,
        }));
    }
    Ok(Finding {
        section: Section {
            title: format!("Under attack: {}", subject.name),
            body: format!(
                "<table><thead><tr><th>Told by</th><th>Harvest, %</th><th>With a tenth of \
                 attackers' pages, %</th><th>Attackers' pages fetched, %</th></tr></thead>\
                 <tbody>{lines}</tbody></table>"
            ),
        },
        rows,
    })
}

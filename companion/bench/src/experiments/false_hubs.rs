//! What do pages cost that look as if much lay behind them, and lead to nothing new? To the web come as many
//! pages as a tenth of it: copies of its own hubs that link to each other, calendars that have a page
//! for every day, or clouds of tags; and some genuine pages have a link to them besides their own.
//! What a crawl finds with and without them: by the frozen critic, which says that none of them is
//! good, and by our own, from five marked pages and the topic's name. Pages that are nearly the same
//! and sites that repeat themselves are passed over as they are outside the bench.

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::page::Page;
use linkscent_core::strategies::{Ensemble, Rng, SplitMix};
use linkscent_core::text::Vocabulary;
use rustc_hash::FxHashMap;
use serde_json::json;

use super::{Finding, Subject, marked};
use crate::bench::Plan;
use crate::crawl::crawl;
use crate::report::Section;
use crate::scenario::Scenario;
use crate::topic::{Label, Topic};
use crate::web::page_of;

/// False hubs, as a share of the web's pages.
const SHARE: f64 = 0.1;
/// Genuine pages that have a link to one.
const LINKED: f64 = 0.05;
/// Hubs that are copied: those with the most links to relevant pages.
const COPIED: usize = 50;
/// Pages of a calendar: twelve months of thirty days.
const MONTHS: usize = 12;
const DAYS: usize = 30;
/// Tags of a cloud, and links of a page of tags to genuine pages.
const TAGS: usize = 60;
const POSTS: usize = 3;
/// Tags that a page lends.
const WORDS: usize = 3;
/// Marked pages for our own critic.
const MARKED: usize = 5;
/// Who judges.
const FROZEN: &str = "frozen critic";
const OWN: &str = "five pages";

/// What false hubs are made like.
#[derive(Clone, Copy)]
enum Kind {
    Copies,
    Calendars,
    Tags,
}

const KINDS: [(Kind, &str); 3] = [
    (Kind::Copies, "copied hubs"),
    (Kind::Calendars, "calendars"),
    (Kind::Tags, "clouds of tags"),
];

fn below(most: usize, rng: &mut SplitMix) -> usize {
    (rng.unit() * most as f64) as usize
}

/// Copies of the pages, not relevant themselves, that link to the most relevant ones. All their
/// links lead to other copies.
fn copies(scenario: &Scenario, count: usize, rng: &mut SplitMix) -> Result<Vec<(Page, Label)>> {
    let (web, labels) = (&scenario.web, &scenario.topic.labels);
    let good = |page: u32| labels[page as usize].is_taken();
    let worth = |page: u32| {
        let links = &web.links[page as usize];
        links.iter().filter(|link| good(**link)).count()
    };
    let mut hubs: Vec<u32> = (0..web.pages.len() as u32).filter(|p| !good(*p)).collect();
    hubs.sort_by_key(|page| std::cmp::Reverse(worth(*page)));
    hubs.truncate(COPIED);
    anyhow::ensure!(
        !hubs.is_empty(),
        "a web without a page that is not relevant"
    );
    let addresses = (0..count).map(|place| {
        let text = format!("http://copies{}.test/{place}", place / COPIED);
        Ok(Address::parse(&text)?)
    });
    let addresses: Vec<Address> = addresses.collect::<Result<_>>()?;
    let copy = |(place, address): (usize, &Address)| {
        let hub = hubs[place % hubs.len()] as usize;
        let mut page = web.pages[hub].clone();
        page.address = address.clone();
        for link in &mut page.outlinks {
            link.target = addresses[below(count, rng)].clone();
        }
        (
            page,
            Label {
                example: None,
                ..labels[hub]
            },
        )
    };
    Ok(addresses.iter().enumerate().map(copy).collect())
}

/// Calendars on genuine sites, a page for every month and day.
fn calendars(scenario: &Scenario, count: usize, rng: &mut SplitMix) -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    let web = &scenario.web;
    for year in 0.. {
        let site = web.pages[below(web.pages.len(), rng)].address.host();
        let of_month = |month: usize| format!("http://{site}/calendar{year}/{month}/");
        let of_day = |month: usize, day: usize| format!("{}{day}", of_month(month));
        for month in 0..MONTHS {
            let (before, after) = ((month + MONTHS - 1) % MONTHS, (month + 1) % MONTHS);
            let turns = format!(
                "<a href='{}'>previous month</a> <a href='{}'>next month</a>",
                of_month(before),
                of_month(after)
            );
            let days = (1..=DAYS).map(|day| format!("<a href='{}'>{day}</a>", of_day(month, day)));
            let days: Vec<String> = days.collect();
            let title = format!("<title>Calendar: month {}</title>", month + 1);
            let body = format!("{title}{turns}<table>{}</table>", days.join(" "));
            pages.push(page_of(&of_month(month), &body)?);
            for day in 1..=DAYS {
                let next = of_day(month, day % DAYS + 1);
                let body = format!(
                    "<title>Calendar: day {day} of month {}</title>{turns}<p>No events.</p>\
                     <a href='{}'>all of the month</a> <a href='{next}'>next day</a>",
                    month + 1,
                    of_month(month)
                );
                pages.push(page_of(&of_day(month, day), &body)?);
            }
            if pages.len() >= count {
                pages.truncate(count);
                return Ok(pages);
            }
        }
    }
    Ok(pages)
}

/// Clouds of tags on genuine sites: each page has the whole cloud, and a few pages of its site. Tags
/// are words that pages say often, and two of them together are a page.
fn clouds(scenario: &Scenario, count: usize, rng: &mut SplitMix) -> Result<Vec<Page>> {
    let web = &scenario.web;
    let most = (count as f64).sqrt() as usize;
    let mut pages = Vec::new();
    for cloud in 0.. {
        let site = web.pages[below(web.pages.len(), rng)].address.host();
        let of_site = web.pages.iter().filter(|page| page.address.host() == site);
        let of_site: Vec<&Page> = of_site.collect();
        let tags = tags(scenario, most.min(TAGS), rng);
        anyhow::ensure!(!tags.is_empty(), "a web without words");
        if pages.len() + tags.len().pow(2) > count {
            break;
        }
        let address = |one: &str, other: &str| format!("http://{site}/tags{cloud}/{one}+{other}");
        for one in &tags {
            for other in &tags {
                let mut body = format!("<title>Tagged {one}, {other}</title>");
                body.extend(tags.iter().map(|tag| {
                    let target = address(other, tag);
                    format!("<a href='{target}'>{other} {tag}</a> ")
                }));
                for _ in 0..POSTS {
                    let post = of_site[below(of_site.len(), rng)];
                    let title = post.title().replace(['<', '&'], " ");
                    body.push_str(&format!("<p><a href='{}'>{title}</a></p>", post.address));
                }
                pages.push(page_of(&address(one, other), &body)?);
            }
        }
    }
    Ok(pages)
}

/// Words that pages say often, each once.
fn tags(scenario: &Scenario, most: usize, rng: &mut SplitMix) -> Vec<String> {
    let web = &scenario.web;
    let mut tags: Vec<String> = Vec::new();
    for _ in 0..20 * most {
        let page = &web.pages[below(web.pages.len(), rng)];
        for (word, _) in page.heaviest_words(WORDS) {
            let is_plain = word.chars().all(char::is_alphanumeric);
            if is_plain && tags.len() < most && !tags.contains(&word) {
                tags.push(word);
            }
        }
    }
    tags
}

/// Each page with the label of a page that is not relevant.
fn not_relevant(pages: Vec<Page>, topic: &Topic, rng: &mut SplitMix) -> Vec<(Page, Label)> {
    let labels = topic.labels.iter().filter(|label| !label.is_taken());
    let labels: Vec<Label> = labels.copied().collect();
    let label = |rng: &mut SplitMix| labels.get(below(labels.len(), rng)).copied();
    let pages = pages.into_iter();
    // None of them trained the critic.
    let plain = |label| Label {
        example: None,
        ..label
    };
    pages
        .map(|page| (page, plain(label(rng).unwrap_or_default())))
        .collect()
}

/// The same crawl on the web with false hubs.
fn with_hubs(scenario: &Scenario, kind: Kind, random_seed: u64) -> Result<Scenario> {
    let mut rng = SplitMix(random_seed);
    let count = (SHARE * scenario.web.pages.len() as f64) as usize;
    let hubs = match kind {
        Kind::Copies => copies(scenario, count, &mut rng)?,
        Kind::Calendars => {
            let pages = calendars(scenario, count, &mut rng)?;
            not_relevant(pages, &scenario.topic, &mut rng)
        }
        Kind::Tags => {
            let pages = clouds(scenario, count, &mut rng)?;
            not_relevant(pages, &scenario.topic, &mut rng)
        }
    };
    let mut by_host: FxHashMap<String, Vec<Address>> = FxHashMap::default();
    let mut all = Vec::new();
    for (page, _) in &hubs {
        let host = page.address.host().to_owned();
        by_host.entry(host).or_default().push(page.address.clone());
        all.push(page.address.clone());
    }
    // A link like one of its own, to a false hub of the same site if there is one.
    let add_link = |_, page: &mut Page| {
        let (is_drawn, copied) = (rng.unit() < LINKED, below(page.outlinks.len(), &mut rng));
        let of_site = by_host.get(page.address.host()).unwrap_or(&all);
        let hub = of_site.get(below(of_site.len(), &mut rng));
        if let (true, Some(link), Some(hub)) = (is_drawn, page.outlinks.get(copied).cloned(), hub) {
            let target = hub.clone();
            page.outlinks
                .push(linkscent_core::page::Outlink { target, ..link });
        }
    };
    Ok(scenario.with_more(hubs, add_link))
}

/// What came of a crawl, over its first so many scored pages.
#[derive(Default, Clone, Copy)]
struct Harvest {
    /// Relevant pages that it had found, on the mean.
    found: f64,
    fetches: f64,
    hubs: f64,
}

/// A crawl of the ensemble, looked at over so many scored pages.
fn harvest(scenario: &Scenario, every: u32, genuine: usize, window: usize) -> Result<Harvest> {
    let strategy = Box::new(Ensemble::every(every));
    let made = crawl(scenario, strategy, Vocabulary::default(), None)?;
    let (mut harvest, mut scored, mut good, mut sum) = (Harvest::default(), 0, 0.0, 0.0);
    for visit in &made.visits {
        let label = scenario.topic.labels[visit.page as usize];
        harvest.fetches += 1.0;
        harvest.hubs += f64::from(u8::from(visit.page as usize >= genuine));
        // Of a page that only repeats another nothing is taken.
        if visit.judgment.is_none() || label.example.is_some() {
            continue;
        }
        good += f64::from(u8::from(label.counts()));
        sum += good;
        scored += 1;
        if scored == window {
            break;
        }
    }
    // A crawl that ended keeps what it had found.
    sum += good * (window - scored) as f64;
    harvest.found = sum / window.max(1) as f64;
    Ok(harvest)
}

/// The crawls of one critic, each with the number of scored pages over which it is looked at.
fn scenarios(plan: &Plan, critic: &str) -> Result<Vec<(Scenario, usize)>> {
    let mut scenarios = Vec::new();
    if critic == OWN {
        for choice in 0..marked::CHOICES {
            scenarios.push(marked::scenario(plan, MARKED, choice)?);
        }
    } else {
        for seeds in &plan.seed_sets {
            let scenario = plan.scenario(0, seeds, 1);
            let reachable = scenario.topic.reachable(seeds, &plan.web, None)?;
            let window = (plan.budget as usize).min(3 * reachable);
            scenarios.push((scenario, window));
        }
    }
    for (scenario, _) in &mut scenarios {
        scenario.takes_repeats = false;
        scenario.is_named = critic == OWN;
    }
    Ok(scenarios)
}

pub(super) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let plan = &subject.plan;
    let every = plan.topics[0].1;
    let genuine = plan.web.pages.len();
    let (mut rows, mut lines) = (Vec::new(), String::new());
    for critic in [FROZEN, OWN] {
        let scenarios = scenarios(plan, critic)?;
        let mut without = 0.0;
        for (scenario, window) in &scenarios {
            without += harvest(scenario, every, genuine, *window)?.found;
        }
        for (kind, name) in KINDS {
            // Summed up over the crawls: one that finds hardly anything says little.
            let mut with = Harvest::default();
            for (scenario, window) in &scenarios {
                let hubs = with_hubs(scenario, kind, plan.random_seed)
                    .with_context(|| format!("making {name}"))?;
                let one = harvest(&hubs, every, genuine, *window)?;
                with.found += one.found;
                with.fetches += one.fetches;
                with.hubs += one.hubs;
            }
            let cost = 100.0 * (1.0 - with.found / without.max(1.0));
            let fetched = 100.0 * with.hubs / with.fetches.max(1.0);
            lines.push_str(&format!(
                "<tr><td>{name}</td><td>{critic}</td><td>{without:.1}</td><td>{:.1}</td>\
                 <td>{cost:.1}</td><td>{fetched:.1}</td></tr>",
                with.found
            ));
            rows.push(json!({
                "topic": subject.name, "form": format!("{name}, {critic}"), "hubs": name,
                "critic": critic, "crawls": scenarios.len(), "found": without,
                "found_with_hubs": with.found, "cost": cost, "fetched": fetched,
            }));
        }
    }
    Ok(Finding {
        section: Section {
            title: format!("False hubs: {}", subject.name),
            body: format!(
                "<table><thead><tr><th>False hubs</th><th>Judged by</th><th>Found without</th>\
                 <th>with</th><th>cost, %</th><th>false hubs fetched, %</th></tr></thead>\
                 <tbody>{lines}</tbody></table>"
            ),
        },
        rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn false_hubs_come_behind_genuine_pages_that_keep_their_links() {
        let genuine = crate::tests::scenario(&|_| false);
        let (own, labels) = (genuine.web.pages.len(), &genuine.topic.labels);
        for (kind, name) in KINDS {
            let with = with_hubs(&genuine, kind, 3).unwrap();
            let hubs = own as u32..with.web.pages.len() as u32;
            let many = own / 20..=own / 10;
            assert!(many.contains(&hubs.len()), "{name}: {}", hubs.len());
            let new = &with.topic.labels[own..];
            assert!(new.iter().all(|label| !label.is_taken()), "{name}");
            assert_eq!(&with.topic.labels[..own], labels, "{name}");
            let mut linked = 0;
            for page in 0..own {
                let (before, after) = (&genuine.web.links[page], &with.web.links[page]);
                assert!(after.starts_with(before), "{name}: page {page}");
                linked += after.len() - before.len();
            }
            assert!((1..own / 8).contains(&linked), "{name}: {linked}");
            let links = hubs.clone().map(|hub| &with.web.links[hub as usize]);
            let links: Vec<u32> = links.flatten().copied().collect();
            let leaves = links.iter().filter(|link| !hubs.contains(link)).count();
            let stays = links.len() - leaves;
            assert!(stays >= 2 * hubs.len(), "{name}: {stays}");
            match kind {
                Kind::Copies | Kind::Calendars => assert_eq!(leaves, 0, "{name}"),
                Kind::Tags => assert!(leaves <= POSTS * hubs.len() && leaves > 0),
            }
        }
    }
}

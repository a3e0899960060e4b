//! What a person sees highlighted on a page of the real web: links that a careful reader labelled as worth
//! pointing out for a topic, as perhaps, or as not.
//!
//! A topic is its name alone, or its name and marked pages. Each page is read and its links are graded as
//! in the extension. A link that a page has several times counts once, by its highest probability.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use linkscent_archive::page::build;
use linkscent_core::address::Address;
use linkscent_core::critics;
use linkscent_core::page::Page;
use linkscent_core::strategies::promise::on_page;
use linkscent_core::strategies::{self, SplitMix};
use linkscent_core::topic_model::{TopicModel, Visit};
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::views::{grade, most_highlights};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use crate::report::Section;

/// Name of the bench.
pub const NAME: &str = "scent";
/// Folder of the material.
const FOLDER: &str = "scent";
/// Largest unpacked file of pages, in bytes.
const LARGEST: u64 = 1 << 30;
/// Grade of a link that is said to be likely.
const BEST: u8 = 3;

/// Marks and description that a person gives for a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brings {
    /// Whether the topic has its name.
    pub name: bool,
    /// Marked pages, 0 to 2.
    pub marks: usize,
    /// Whether a sentence describes it.
    pub description: bool,
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

/// Results of one run of the bench.
pub struct Found {
    /// A row a page.
    pub rows: Vec<Row>,
    /// A table of the report.
    pub section: Section,
    /// Results as lines for the shell.
    pub text: String,
}

/// A page's labels, and its topic.
#[derive(Debug, Deserialize)]
struct Labels {
    id: String,
    lang: String,
    topic: String,
    description: String,
    targets: Vec<Target>,
    yes: Vec<usize>,
    maybe: Vec<usize>,
    kind: String,
}

/// A page that the person has marked.
#[derive(Debug, Deserialize)]
struct Target {
    title: String,
    text: String,
}

/// A page with its links: number, address and text.
#[derive(Debug, Deserialize)]
struct Listed {
    id: String,
    url: String,
    links: Vec<(usize, String, String)>,
}

#[derive(Debug, Deserialize)]
struct Body {
    url: String,
    html: String,
}

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

/// A link of a page, with its cues.
#[derive(Debug, Clone, Serialize)]
pub struct CuedLink {
    /// What tells it from others of the page.
    pub name: String,
    /// Its label.
    pub worth: Worth,
    /// In the order of [`on_page::Cue::ALL`].
    pub cues: Vec<f64>,
}

/// A page with its labelled links.
#[derive(Debug, Clone, Serialize)]
pub struct CuedPage {
    /// Its name among the labels.
    pub id: String,
    /// Kind of topic for the page.
    pub kind: String,
    /// Its language.
    pub lang: String,
    /// Links to other pages, labelled or not.
    pub outlinks: usize,
    /// Labelled links, in document order, repeats included.
    pub links: Vec<CuedLink>,
}

/// A page that was read for its topic.
pub struct ReadPage {
    /// Its name among the labels.
    pub id: String,
    /// The page.
    pub page: Box<Page>,
    /// What the visit brought.
    pub visit: Visit,
    /// Who read it, taught as much as was brought.
    pub topic_model: TopicModel,
}

/// Calls `each` with every page of the material, read for its topic.
pub fn each_read(
    material: &Path,
    brings: Brings,
    each: &mut dyn FnMut(ReadPage) -> Result<()>,
) -> Result<()> {
    each_page(material, &|_, _| (), &mut |label, listed, html| {
        let mut topic_model = taught(label, brings)?;
        let (page, visit, _) = read(&mut topic_model, label, listed, html)?;
        each(ReadPage {
            id: label.id.clone(),
            page,
            visit,
            topic_model,
        })
    })
}

/// The cues of all labelled links.
pub fn cued(material: &Path, brings: Brings) -> Result<Vec<CuedPage>> {
    let mut pages = Vec::new();
    each_page(material, &|_, _| (), &mut |label, listed, html| {
        let mut topic_model = taught(label, brings)?;
        let (page, _, worths) = read(&mut topic_model, label, listed, html)?;
        let cues = on_page::cues(&page, topic_model.graph());
        let links = page.outlinks.iter().zip(cues).filter_map(|(link, cues)| {
            let name = name_of(link.target.as_str());
            let worth = *worths.get(&name)?;
            Some(CuedLink {
                name,
                worth,
                cues: cues.each().map(|cue| cue.1).collect(),
            })
        });
        pages.push(CuedPage {
            id: label.id.clone(),
            kind: label.kind.clone(),
            lang: label.lang.clone(),
            outlinks: page.outlinks.len(),
            links: links.collect(),
        });
        Ok(())
    })?;
    Ok(pages)
}

/// Reads every page of the material for a person who brings that much.
pub fn run(material: &Path, brings: Brings, on_page: &dyn Fn(usize, usize)) -> Result<Found> {
    let mut rows = Vec::new();
    each_page(material, on_page, &mut |label, listed, html| {
        rows.push(row(label, listed, html, brings)?);
        Ok(())
    })?;
    let text = format!("name and {} marks\n{}", brings.marks, text(&rows));
    let section = Section {
        title: "What is highlighted on real pages".to_owned(),
        body: format!("<pre>{text}</pre>"),
    };
    Ok(Found {
        rows,
        section,
        text,
    })
}

type OnPage<'a> = dyn FnMut(&Labels, &Listed, &str) -> Result<()> + 'a;

/// Calls `each` with every page of the material; `on_page` hears how many of how many are done.
fn each_page(material: &Path, on_page: &dyn Fn(usize, usize), each: &mut OnPage<'_>) -> Result<()> {
    let folder = material.join(FOLDER);
    let labels: Vec<Labels> = lines(
        File::open(folder.join("labels.jsonl"))
            .with_context(|| format!("reading {}", folder.join("labels.jsonl").display()))?,
    )?;
    let pages: Vec<Listed> = serde_json::from_reader(BufReader::new(
        File::open(folder.join("pages.json")).context("reading pages.json")?,
    ))?;
    let pages: HashMap<String, Listed> = pages
        .into_iter()
        .map(|page| (page.id.clone(), page))
        .collect();
    let bodies = bodies(&folder.join("bodies.jsonl.xz"))?;
    for (number, label) in labels.iter().enumerate() {
        on_page(number, labels.len());
        let listed = pages
            .get(&label.id)
            .with_context(|| format!("{} is no page", label.id))?;
        let html = bodies
            .get(&listed.url)
            .with_context(|| format!("{} has no body", listed.url))?;
        each(label, listed, html)?;
    }
    Ok(())
}

fn lines<T: for<'a> Deserialize<'a>>(file: impl std::io::Read) -> Result<Vec<T>> {
    let mut rows = Vec::new();
    for line in BufReader::new(file).lines() {
        let line = line?;
        if !line.trim().is_empty() {
            rows.push(serde_json::from_str(&line)?);
        }
    }
    Ok(rows)
}

/// Bodies by their addresses.
fn bodies(file: &Path) -> Result<HashMap<String, String>> {
    let reading = || format!("reading {}", file.display());
    let mut packed = BufReader::new(File::open(file).with_context(reading)?);
    let mut text = Vec::new();
    lzma_rs::xz_decompress(&mut packed, &mut text).with_context(reading)?;
    anyhow::ensure!(
        text.len() as u64 <= LARGEST,
        "{} is too large",
        file.display()
    );
    let rows: Vec<Body> = lines(&text[..])?;
    Ok(rows.into_iter().map(|row| (row.url, row.html)).collect())
}

/// Visits a page; with the worth of its labelled links by their names.
fn read(
    topic_model: &mut TopicModel,
    label: &Labels,
    listed: &Listed,
    html: &str,
) -> Result<(Box<Page>, Visit, BTreeMap<String, Worth>)> {
    let address = Address::parse(&listed.url)?;
    let (page, _) = build(address, html.as_bytes(), Some("text/html; charset=utf-8"));
    let visit = topic_model.visit(&page, &[], None, &mut SplitMix(0));
    let mut worths: BTreeMap<String, Worth> = BTreeMap::new();
    for (number, link, _) in &listed.links {
        let worth = if label.yes.contains(number) {
            Worth::Yes
        } else if label.maybe.contains(number) {
            Worth::Maybe
        } else {
            Worth::No
        };
        let known = worths.entry(name_of(link)).or_insert(worth);
        *known = worth.max(*known);
    }
    Ok((page, visit, worths))
}

fn row(label: &Labels, listed: &Listed, html: &str, brings: Brings) -> Result<Row> {
    let mut topic_model = taught(label, brings)?;
    let (page, visit, worths) = read(&mut topic_model, label, listed, html)?;
    let links = topic_model.page_links(&page, &visit);
    let given = page.outlinks.iter().enumerate().map(|(at, link)| {
        let name = name_of(link.target.as_str());
        (name, links.probability(at).unwrap_or(0.0))
    });
    let ranked = ranked(given, &worths);
    let outlinks = page.outlinks.len();
    let row = graded(&ranked, outlinks);
    Ok(Row {
        id: label.id.clone(),
        kind: label.kind.clone(),
        lang: label.lang.clone(),
        marks: brings.marks,
        ..row
    })
}

/// What a person would see if the links of pages were given these probabilities, and how far from
/// what they are worth those are.
pub fn judged(pages: &[CuedPage], given: &[Vec<f64>]) -> String {
    let mut bins = [(0.0, 0.0, 0.0); 10];
    let mut rows = Vec::new();
    for (page, given) in pages.iter().zip(given) {
        let names = page.links.iter().map(|link| link.name.clone());
        let worths = page
            .links
            .iter()
            .map(|link| (link.name.clone(), link.worth));
        let ranked = ranked(names.zip(given.iter().copied()), &worths.collect());
        for (probability, worth) in &ranked {
            let bin = &mut bins[((probability * 10.0) as usize).min(9)];
            bin.0 += 1.0;
            bin.1 += probability;
            bin.2 += f64::from(u8::from(*worth == Worth::Yes));
        }
        rows.push(Row {
            id: page.id.clone(),
            kind: page.kind.clone(),
            lang: page.lang.clone(),
            ..graded(&ranked, page.outlinks)
        });
    }
    let all: f64 = bins.iter().map(|bin| bin.0).sum();
    let error: f64 = bins.iter().map(|bin| (bin.1 - bin.2).abs()).sum();
    let bins = bins.iter().filter(|bin| bin.0 > 0.0);
    let bins = bins.map(|bin| {
        format!(
            "{:.2} said, {:.2} are, of {}",
            bin.1 / bin.0,
            bin.2 / bin.0,
            bin.0
        )
    });
    let bins: Vec<String> = bins.collect();
    let error = error / all.max(1.0);
    format!(
        "{}\ncalibration error {error:.3}: {}",
        text(&rows),
        bins.join("; ")
    )
}

/// What a person sees of ranked links on a page that has `links` in all.
fn graded(ranked: &[(f64, Worth)], links: usize) -> Row {
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

/// A topic model as the extension has it for that topic.
fn taught(label: &Labels, brings: Brings) -> Result<TopicModel> {
    let topic_model = TopicModel::new(critics::NAMES[0], strategies::default_name());
    let mut topic_model = topic_model.context("no critic or strategy of that name")?;
    if brings.name {
        topic_model.name_topic(&label.topic);
    }
    if brings.description {
        topic_model.take_phrases([(label.description.clone(), true)]);
    }
    for (number, target) in label.targets.iter().take(brings.marks).enumerate() {
        let address = Address::parse(&format!("http://marks{number}.test/{}", label.id))?;
        let page = target_page(address, target);
        topic_model.visit(&page, &[], None, &mut SplitMix(0));
        topic_model.mark(&page, Some(Mark::Target));
    }
    Ok(topic_model)
}

fn target_page(address: Address, target: &Target) -> Box<Page> {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let title = escaped(&target.title);
    let paragraphs: String = target
        .text
        .lines()
        .map(|line| format!("<p>{}</p>", escaped(line)))
        .collect();
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=utf-8><title>{title}</title>\
         <main><h1>{title}</h1>{paragraphs}</main></html>"
    );
    build(address, html.as_bytes(), Some("text/html; charset=utf-8")).0
}

/// Every labelled link once, by its highest probability, the likeliest first.
fn ranked(
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

/// An address without what does not tell pages apart: scheme, fragment, `www.`, case, a last slash.
fn name_of(address: &str) -> String {
    let address = address.split('#').next().unwrap_or_default();
    let rest = address.split_once("://").map_or(address, |parts| parts.1);
    let rest = rest.to_lowercase();
    let rest = rest.strip_prefix("www.").unwrap_or(&rest);
    let rest = percent_decode_str(rest).decode_utf8_lossy();
    match rest.split_once('?') {
        Some((path, query)) => format!("{}?{query}", path.trim_end_matches('/')),
        None => rest.trim_end_matches('/').to_owned(),
    }
}

/// A line for all pages, and one for each kind.
fn text(rows: &[Row]) -> String {
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

    #[test]
    fn addresses_that_lead_to_one_page_have_one_name() {
        for address in [
            "http://www.A.test/b/#part",
            "https://a.test/B",
            "https://a.test/%62/",
        ] {
            assert_eq!(name_of(address), "a.test/b", "{address}");
        }
        assert_eq!(name_of("http://a.test/b/?Q=1"), "a.test/b?q=1");
    }

    #[test]
    fn a_page_that_names_its_topic_is_taught() {
        let labels = Labels {
            id: "one".to_owned(),
            lang: "en".to_owned(),
            topic: "castles".to_owned(),
            description: "Strong houses.".to_owned(),
            targets: vec![Target {
                title: "A keep & more".to_owned(),
                text: "Walls.\nTowers <old>.".to_owned(),
            }],
            yes: vec![1],
            maybe: Vec::new(),
            kind: "about".to_owned(),
        };
        let listed = Listed {
            id: "one".to_owned(),
            url: "http://a.test/".to_owned(),
            links: vec![
                (1, "http://a.test/castles".to_owned(), "castles".to_owned()),
                (2, "http://a.test/trains".to_owned(), "trains".to_owned()),
            ],
        };
        let html = "<a href=/trains>trains</a> <a href=/castles>castles</a>";
        let brings = Brings {
            name: true,
            marks: 1,
            description: true,
        };
        let row = row(&labels, &listed, html, brings).unwrap();
        assert_eq!((row.links, row.yes, row.could), (2, 1, 1));
        assert_eq!(row.average_precision, Some(1.0), "{row:?}");
    }
}

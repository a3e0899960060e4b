//! What a person sees highlighted on a page of the real web: links that a careful reader labelled as worth
//! pointing out for a topic, as perhaps, or as not.
//!
//! A topic is its name alone, or its name and marked pages. Each page is read and its links are graded as
//! in the extension. A link that a page has several times counts once, by its highest probability.

mod cued;
mod figures;
mod material;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use linkscent_archive::page::build;
use linkscent_core::address::Address;
use linkscent_core::critics;
use linkscent_core::page::Page;
use linkscent_core::strategies::{self, SplitMix};
use linkscent_core::topic_model::{PageLinks, TopicModel, Visit};
use linkscent_core::web_graph::Mark;
use linkscent_sentences::{CHARACTERS, Meant};

pub use cued::{CuedLink, CuedPage, cued, judged, look};
pub use figures::{Row, Worth};

use figures::{graded, ranked, text};
use material::{Labels, Listed, Target, each_page, name_of};

use crate::report::Section;
use crate::sentences::Sentences;

/// Name of the bench.
pub const NAME: &str = "scent";
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

/// Results of one run of the bench.
pub struct Found {
    /// A row a page.
    pub rows: Vec<Row>,
    /// A table of the report.
    pub section: Section,
    /// Results as lines for the shell.
    pub text: String,
}

/// A page that was read for its topic.
pub struct ReadPage {
    /// Its name among the labels.
    pub id: String,
    /// The page.
    pub page: Box<Page>,
    /// What the visit brought.
    pub visit: Visit,
    /// How likely its links are.
    pub links: PageLinks,
    /// Who read it, taught as much as was brought.
    pub topic_model: TopicModel,
}

/// Calls `each` with every page of the material, read for its topic; the likeliest links by the
/// sentence model too, if there is one.
pub fn each_read(
    material: &Path,
    brings: Brings,
    model: Option<&Sentences>,
    each: &mut dyn FnMut(ReadPage) -> Result<()>,
) -> Result<()> {
    each_page(material, &|_, _| (), &mut |label, listed, html| {
        let mut topic_model = taught(label, brings)?;
        let (page, visit, _) = read(&mut topic_model, label, listed, html)?;
        each(ReadPage {
            id: label.id.clone(),
            links: match model {
                Some(model) => looked_at(&topic_model, (&page, &visit), (label, brings), model)?,
                None => topic_model.page_links(&page, &visit),
            },
            page,
            visit,
            topic_model,
        })
    })
}

/// Reads every page of the material for a person who brings that much.
pub fn run(material: &Path, brings: Brings, on_page: &dyn Fn(usize, usize)) -> Result<Found> {
    let mut rows = Vec::new();
    let model = Sentences::default();
    each_page(material, on_page, &mut |label, listed, html| {
        rows.push(row(label, listed, html, brings, &model)?);
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

/// How likely the links of a page are, read by the sentence model too.
fn looked_at(
    topic_model: &TopicModel,
    (page, visit): (&Page, &Visit),
    (label, brings): (&Labels, Brings),
    model: &Sentences,
) -> Result<PageLinks> {
    let targets = targets_read(label, brings, model)?;
    let links = topic_model.page_links(page, visit);
    let vectors_of = |texts: &[&str]| model.vectors(texts);
    Ok(topic_model.look_again(page, visit, links, &vectors_of, &targets))
}

/// What the sentence model says of the pages that the person has marked.
fn targets_read(label: &Labels, brings: Brings, model: &Sentences) -> Result<Vec<Meant>> {
    let mut texts = Vec::new();
    for (number, target) in label.targets.iter().take(brings.marks).enumerate() {
        let page = target_page(label, number, target)?;
        texts.push(page.document().main_text(CHARACTERS));
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    Ok(model.vectors(&texts).into_iter().flatten().collect())
}

fn row(
    label: &Labels,
    listed: &Listed,
    html: &str,
    brings: Brings,
    model: &Sentences,
) -> Result<Row> {
    let mut topic_model = taught(label, brings)?;
    let (page, visit, worths) = read(&mut topic_model, label, listed, html)?;
    let links = looked_at(&topic_model, (&page, &visit), (label, brings), model)?;
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
        let page = target_page(label, number, target)?;
        topic_model.visit(&page, &[], None, &mut SplitMix(0));
        topic_model.mark(&page, Some(Mark::Target));
    }
    Ok(topic_model)
}

fn target_page(label: &Labels, number: usize, target: &Target) -> Result<Box<Page>> {
    let address = Address::parse(&format!("http://marks{number}.test/{}", label.id))?;
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
    Ok(build(address, html.as_bytes(), Some("text/html; charset=utf-8")).0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let row = row(&labels, &listed, html, brings, &Sentences::default()).unwrap();
        assert_eq!((row.links, row.yes, row.could), (2, 1, 1));
        assert_eq!(row.average_precision, Some(1.0), "{row:?}");
    }
}

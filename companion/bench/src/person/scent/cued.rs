//! The labelled links of pages with all that is looked at of them, for those who learn from them.

use std::path::Path;

use anyhow::Result;
use linkscent_core::page::Page;
use linkscent_core::strategies::promise::on_page::{Look, SecondLook};
use linkscent_core::web_graph::WebGraph;
use linkscent_sentences::Meant;
use serde::Serialize;

use super::figures::{Row, Worth, graded, ranked, text};
use super::material::{each_page, name_of};
use super::{Brings, read, targets_read, taught};
use crate::sentences::Sentences;

/// A link of a page, with its cues.
#[derive(Debug, Clone, Serialize)]
pub struct CuedLink {
    /// What tells it from others of the page.
    pub name: String,
    /// Its label.
    pub worth: Worth,
    /// In the order of [`linkscent_core::strategies::promise::on_page::Cue::ALL`].
    pub cues: Vec<f64>,
    /// Whether the sentence model has read it.
    pub is_read: bool,
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

/// The cues of all labelled links, with the sentence model's if the model is `reading`.
pub fn cued(material: &Path, brings: Brings, reading: Option<&Sentences>) -> Result<Vec<CuedPage>> {
    let mut pages = Vec::new();
    each_page(material, &|_, _| (), &mut |label, listed, html| {
        let mut topic_model = taught(label, brings)?;
        let (page, _, worths) = read(&mut topic_model, label, listed, html)?;
        let targets = match reading {
            Some(model) => targets_read(label, brings, model)?,
            None => Vec::new(),
        };
        let look = look(&page, topic_model.graph(), reading, &targets);
        let links = page.outlinks.iter().enumerate().filter_map(|(at, link)| {
            let name = name_of(link.target.as_str());
            let worth = *worths.get(&name)?;
            Some(CuedLink::of(name, worth, &look, at))
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

/// The links of a page beside each other, the likeliest read by the sentence model if it is
/// `reading`, which says so much of marked pages.
pub fn look(page: &Page, graph: &WebGraph, reading: Option<&Sentences>, targets: &[Meant]) -> Look {
    let mut look = Look::first(page, graph).unwrap_or_default();
    if let Some(model) = reading
        && let Some(second) = SecondLook::of(page, graph, &look)
    {
        second.read(&mut look, &|texts| model.vectors(texts), targets);
    }
    look
}

impl CuedLink {
    /// A link of a page that was looked at.
    pub fn of(name: String, worth: Worth, look: &Look, outlink: usize) -> Self {
        Self {
            name,
            worth,
            cues: look.cues()[outlink].each().map(|cue| cue.1).collect(),
            is_read: look.is_second(outlink),
        }
    }
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

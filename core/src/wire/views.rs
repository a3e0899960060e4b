//! What screens are told: plain data with everything already decided.

use serde::{Deserialize, Serialize};

use crate::confidence::Confidence;
use crate::page::Page;
use crate::topic_model::{Reason, TopicModel, Visit};

/// Links highlighted on one page at most.
const MOST_HIGHLIGHTS: usize = 12;
/// So many may be highlighted on any page.
const FEWEST_HIGHLIGHTS: usize = 3;
/// Links that are sent along in case some of the best cannot be seen on the page.
const SPARE_HIGHLIGHTS: usize = 24;
/// No more than this share of a page's links is highlighted.
const HIGHLIGHT_SHARE: f64 = 0.2;
/// Least probabilities of the grades 1, 2 and 3: a link that is only a little likelier than
/// others to lead to a good page is not worth pointing out, and one of the best grade leads to
/// one in most cases.
const GRADES: [f64; 3] = [0.17, 0.4, 0.7];

/// A highlighted link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkView {
    /// Its place among all links of the page, in document order.
    pub place: usize,
    /// 3 (best), 2 or 1.
    pub grade: u8,
    /// Why, for the extension to say.
    #[serde(skip)]
    pub reasons: Vec<Reason>,
    /// Why, in one line, in the person's language: put by the extension.
    #[serde(default)]
    pub why: String,
    /// How likely it leads to a good page, 0..=1.
    pub probability: f64,
    /// What is known already of the page behind it; empty if nothing.
    #[serde(default)]
    pub known: String,
}

/// A link that is not promising, or not any more, to a page that the person marked or a crawl
/// found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickedLink {
    /// Its place among all links of the page, in document order.
    pub place: usize,
    /// What is known of the page behind it.
    pub known: String,
}

/// A page read in the browser.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageView {
    /// Its relevance, 0..=1.
    pub relevance: f64,
    /// The best links, best first: those to highlight, and behind them spare ones in
    /// case some cannot be seen.
    pub links: Vec<LinkView>,
    /// How many are to be highlighted.
    #[serde(default)]
    pub most: usize,
    /// Other links to pages that are known: put by the extension.
    #[serde(default)]
    pub ticked: Vec<TickedLink>,
    /// Whether links are shown in the side panel alone: set by the extension.
    #[serde(default)]
    pub panel_only: bool,
}

impl PageView {
    /// The view of a visit: the few links likeliest to lead to a good page, if there are any.
    pub fn of(page: &Page, visit: &Visit, topic_model: &TopicModel) -> Self {
        let page_links = topic_model.page_links(page, visit);
        let mut scored: Vec<(usize, f64)> = (0..page.outlinks.len())
            .filter_map(|index| Some((index, page_links.probability(index)?)))
            .filter(|(_, probability)| grade(*probability) > 0)
            .collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1));
        let most = most_highlights(page.outlinks.len());
        scored.truncate(most + SPARE_HIGHLIGHTS);
        let links: Vec<LinkView> = scored
            .into_iter()
            .map(|(index, probability)| LinkView {
                place: page.outlinks[index].place,
                grade: grade(probability),
                reasons: topic_model.reasons_on_page(page, visit, &page_links, index),
                why: String::new(),
                probability,
                known: String::new(),
            })
            .collect();
        Self {
            relevance: visit.judgment.relevance.value(),
            most: most.min(links.len()),
            links,
            ticked: Vec::new(),
            panel_only: false,
        }
    }
}

/// How many links are highlighted at most on a page with so many.
pub fn most_highlights(links: usize) -> usize {
    let share = (links as f64 * HIGHLIGHT_SHARE).ceil() as usize;
    MOST_HIGHLIGHTS.min(share.max(FEWEST_HIGHLIGHTS))
}

/// A probability, and what speaks for it.
pub type Why = (f64, Vec<Reason>);

/// How likely a link leads to a good page and why, or why it is not highlighted, by its place
/// among all links of its page; none where it leads to no other page.
pub fn why(page: &Page, visit: &Visit, topic_model: &TopicModel, place: usize) -> Option<Why> {
    let index = page.outlinks.iter().position(|link| link.place == place)?;
    let page_links = topic_model.page_links(page, visit);
    let probability = page_links.probability(index)?;
    let reasons = topic_model.reasons_on_page(page, visit, &page_links, index);
    Some((probability, reasons))
}

/// 3 (best), 2 or 1; 0 for a link that is not highlighted.
pub fn grade(probability: f64) -> u8 {
    let reached = GRADES.iter().filter(|from| probability >= **from);
    reached.count() as u8
}

/// How likely, and why: a sentence to show beside a link.
pub fn said(probability: f64, reason: &str) -> String {
    let confidence = Confidence::of(probability);
    let (words, range) = (confidence.words(), confidence.range());
    let (first, rest) = words.split_at(1);
    let likely = format!("{}{rest} ({range})", first.to_uppercase());
    if reason.is_empty() {
        likely
    } else {
        format!("{likely}: {reason}")
    }
}

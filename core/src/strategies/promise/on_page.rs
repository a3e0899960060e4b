//! What speaks for each link of a page, seen beside the other links of that page.
//!
//! A link says what it leads to in four places: in its own text, in its address, in the text
//! next to it and in the heading above it. Each is compared with the topic's name and with the
//! targets by meaning, and with the name word by word. How alike the page's other links are
//! tells how much that is worth: on a page where everything is about kidneys, a link about
//! kidneys is nothing special.
//!
//! All of it comes from the page and from what the person said, so that pages read before
//! change nothing. Addresses are read as English. Where a sentence model is at hand, it reads the
//! likeliest links once more ([`SecondLook`]), with weights of their own.

mod around;
mod cue;
mod second_look;
mod texts;
mod weights;

pub use cue::{Cue, Cues, Side};
pub use second_look::SecondLook;

use around::{Folders, Standing, beside, most};
use texts::{Texts, Topic};
use weights::{USUAL, WEIGHTS};

use super::{Promise, share};
use crate::page::Page;
use crate::text::terms;
use crate::web_graph::WebGraph;

/// Where weights stand in their table: for who brings a name, marked pages, or both, and the same
/// for links that a sentence model has read.
const BY_NAME: usize = 0;
const BY_TARGETS: usize = 1;
const BY_BOTH: usize = 2;
const READ_BY_NAME: usize = 3;
const READ_BY_TARGETS: usize = 4;
const READ_BY_BOTH: usize = 5;

/// Fewest links that a page counts as having: on smaller pages their number says nothing.
const FEW_LINKS: f64 = 20.0;
/// Most log-odds above usual that count of what was learned, and what each adds. Fewer than usual
/// take nothing away: pages that were merely passed speak against nothing.
const MOST_LEARNED: f64 = 4.0;
const LEARNED: f64 = 0.14;

/// What speaks for a link, in log-odds beyond those of a link like the mean of all.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct OnPage {
    /// Of a link like the mean of all.
    usual: f64,
    sides: [f64; Side::ALL.len()],
    learned: f64,
}

impl OnPage {
    fn of(cues: &Cues, set: usize) -> Self {
        let mut on_page = Self {
            usual: USUAL[set],
            ..Self::default()
        };
        for (cue, mean, weights) in WEIGHTS {
            let weight = weights[set];
            on_page.usual += weight * mean;
            on_page.sides[cue.side() as usize] += weight * (cues[cue] - mean);
        }
        on_page
    }

    /// With what the strategy says of the link.
    #[must_use]
    pub fn with_learned(self, promise: Promise) -> Self {
        Self {
            learned: LEARNED * promise.above_usual().clamp(0.0, MOST_LEARNED),
            ..self
        }
    }

    /// What one side speaks.
    pub fn side(&self, side: Side) -> f64 {
        self.sides[side as usize]
    }

    /// What the strategy has learned speaks, 0 at least.
    pub fn learned(&self) -> f64 {
        self.learned
    }

    /// All together, 0..=1.
    pub fn probability(&self) -> f64 {
        let log_odds = self.usual + self.sides.iter().sum::<f64>() + self.learned;
        1.0 / (1.0 + (-log_odds).exp())
    }
}

/// What speaks for the links of a page, in the order of its outlinks.
#[derive(Debug, Clone, Default)]
pub struct Look {
    cues: Vec<Cues>,
    /// Where their weights stand.
    sets: Vec<usize>,
}

impl Look {
    /// By cheap signals; none where nothing is known of the topic.
    pub fn first(page: &Page, graph: &WebGraph) -> Option<Self> {
        let language = graph.topic_meaning.language();
        let is_named = graph.wanted().any(|text| !terms(text, language).is_empty());
        let set = match (graph.topic_meaning.targets(), is_named) {
            (0, false) => return None,
            (0, true) => BY_NAME,
            (_, false) => BY_TARGETS,
            (_, true) => BY_BOTH,
        };
        let cues = cues(page, graph);
        Some(Self {
            sets: vec![set; cues.len()],
            cues,
        })
    }

    /// What speaks for a link.
    pub fn link(&self, outlink: usize) -> OnPage {
        OnPage::of(&self.cues[outlink], self.sets[outlink])
    }

    /// What is known of each link.
    pub fn cues(&self) -> &[Cues] {
        &self.cues
    }

    /// Whether a sentence model has read a link.
    pub fn is_second(&self, outlink: usize) -> bool {
        self.sets[outlink] > BY_BOTH
    }
}

/// A link compared with the topic: each in its own text, its address, the text next to it and the
/// heading above it.
struct Compared {
    to_name: [f64; 4],
    to_targets: [f64; 4],
    name_words: [f64; 4],
    name_words_among_own: f64,
    own_words: usize,
}

impl Compared {
    fn of(texts: &Texts<'_>, topic: &Topic, outlink: usize) -> Self {
        let said = texts.of_link(topic, outlink);
        Self {
            to_name: said.each_ref().map(|said| topic.to_name(said)),
            to_targets: said.each_ref().map(|said| topic.to_targets(said)),
            name_words: said.each_ref().map(|said| topic.share_of_name(said)),
            name_words_among_own: said[0].share_of_name_words(),
            own_words: said[0].words(),
        }
    }
}

/// Mean of the two greatest cosines to targets, or of the only one; 0 without any.
fn mean_of_nearest(cosines: impl Iterator<Item = f64>) -> f64 {
    let (mut first, mut second) = (None, None);
    for cosine in cosines {
        if first.is_none_or(|first| cosine > first) {
            (first, second) = (Some(cosine), first);
        } else if second.is_none_or(|second| cosine > second) {
            second = Some(cosine);
        }
    }
    match (first, second) {
        (Some(first), Some(second)) => first.midpoint(second),
        (first, _) => first.unwrap_or(0.0),
    }
}

/// One number of all links, and how they stand to each other in it.
struct Across {
    values: Vec<f64>,
    most: f64,
    standing: Standing,
}

impl Across {
    fn of(links: &[Compared], value: impl Fn(&Compared) -> f64) -> Self {
        let values: Vec<f64> = links.iter().map(value).collect();
        Self {
            most: most(&values),
            standing: Standing::of(&values),
            values,
        }
    }

    /// By the name and by the targets.
    fn of_both(links: &[Compared], value: impl Fn(&[f64; 4]) -> f64) -> [Self; 2] {
        [
            Self::of(links, |link| value(&link.to_name)),
            Self::of(links, |link| value(&link.to_targets)),
        ]
    }

    fn standing(&self, at: usize) -> f64 {
        self.standing.of_value(self.values[at])
    }
}

/// The cues of all links of a page, in the order of its outlinks.
fn cues(page: &Page, graph: &WebGraph) -> Vec<Cues> {
    let topic = Topic::of(graph);
    let texts = Texts::of(page, &topic);
    let links: Vec<Compared> = (0..page.outlinks.len())
        .map(|outlink| Compared::of(&texts, &topic, outlink))
        .collect();
    let own = Across::of_both(&links, |places| places[0]);
    let near = Across::of_both(&links, |places| places[2]);
    // The better of text and address.
    let best = Across::of_both(&links, |places| places[0].max(places[1]));
    let words = Across::of(&links, |link| link.name_words[0].max(link.name_words[1]));
    let folders = Folders::of(page);
    let title = texts.title(&topic);
    let title = [
        topic.to_name(&title),
        topic.to_targets(&title),
        topic.share_of_name(&title),
    ];
    let with_words = words.values.iter().filter(|share| **share > 0.0).count();
    let all = links.len() as f64;
    let of_link = |(at, link): (usize, &Compared)| {
        let mut cues = Cues::default();
        cues[Cue::OwnToName] = link.to_name[0];
        cues[Cue::AddressToName] = link.to_name[1];
        cues[Cue::NearToName] = link.to_name[2];
        cues[Cue::HeadingToName] = link.to_name[3];
        cues[Cue::OwnToTargets] = link.to_targets[0];
        cues[Cue::AddressToTargets] = link.to_targets[1];
        cues[Cue::NearToTargets] = link.to_targets[2];
        cues[Cue::HeadingToTargets] = link.to_targets[3];
        cues[Cue::OwnNameWords] = link.name_words[0];
        cues[Cue::AddressNameWords] = link.name_words[1];
        cues[Cue::NearNameWords] = link.name_words[2];
        cues[Cue::HeadingNameWords] = link.name_words[3];
        cues[Cue::NameWordsAmongOwn] = link.name_words_among_own;
        cues[Cue::BestToName] = best[0].values[at];
        cues[Cue::BestToTargets] = best[1].values[at];
        cues[Cue::BelowBestToName] = best[0].values[at] - best[0].most;
        cues[Cue::BelowBestToTargets] = best[1].values[at] - best[1].most;
        cues[Cue::OwnToNameStanding] = own[0].standing(at);
        cues[Cue::OwnToTargetsStanding] = own[1].standing(at);
        cues[Cue::BestToNameStanding] = best[0].standing(at);
        cues[Cue::BestToTargetsStanding] = best[1].standing(at);
        cues[Cue::NearToNameStanding] = near[0].standing(at);
        cues[Cue::NearToTargetsStanding] = near[1].standing(at);
        cues[Cue::NeighboursToName] = beside(&best[0].values, at);
        cues[Cue::NeighboursToTargets] = beside(&best[1].values, at);
        cues[Cue::NeighboursNameWords] = beside(&words.values, at);
        cues[Cue::FolderToName] = folders.mean(&best[0].values, at);
        cues[Cue::FolderToTargets] = folders.mean(&best[1].values, at);
        cues[Cue::FolderNameWords] = folders.mean(&words.values, at);
        cues[Cue::TitleToName] = title[0];
        cues[Cue::TitleToTargets] = title[1];
        cues[Cue::TitleNameWords] = title[2];
        cues[Cue::NameOnTopic] = best[0].values[at] * title[0];
        cues[Cue::TargetsOnTopic] = best[1].values[at] * title[1];
        cues[Cue::NameWordsOnTopic] = words.values[at] * title[2];
        cues[Cue::LinksWithNameWords] = share(with_words as f64, all);
        cues[Cue::OwnWords] = (link.own_words as f64).ln_1p();
        cues[Cue::IsWordless] = f64::from(u8::from(link.own_words == 0));
        cues[Cue::Position] = share(at as f64, all);
        cues[Cue::Links] = all.max(FEW_LINKS).ln();
        let target = &page.outlinks[at].target;
        cues[Cue::IsOnHost] = f64::from(u8::from(target.host() == page.address.host()));
        cues
    };
    links.iter().enumerate().map(of_link).collect()
}

//! The links that an apprentice would learn from if it saw the whole web: those
//! from relevant pages to pages of the web, each with the words around it and
//! what it leads to (\[A\] 3.3). No crawl is made.

use linkscent_core::dom::LeafRange;
use linkscent_core::features::{FeatureReader, LARGEST_CONTEXT};
use linkscent_core::page::{Outlink, Page};
use linkscent_core::text::Vocabulary;
use sha2::{Digest, Sha256};

use crate::topic::Topic;
use crate::web::EvalWeb;

/// Leaves looked at on both sides of a link.
pub const WIDEST: u32 = 8;

/// One link.
pub struct Instance {
    /// Term numbers with their DOM offsets, repeats included.
    pub words: Vec<(u32, i32)>,
    /// Whether that page is what is looked for.
    pub is_good: bool,
    /// The other links at most five leaves away.
    pub neighbours: Vec<Neighbour>,
    /// The page it stands on.
    pub source: u32,
    /// Its place among that page's links in the document.
    pub link: Option<usize>,
    /// The leaves inside it.
    pub leaves: LeafRange,
    /// By which its target is dealt to one half or the other, a bit a dealing.
    split: u8,
}

/// A link near another one.
pub struct Neighbour {
    /// Leaves from the link to it.
    pub offset: i32,
    /// Whether it leads to a relevant page.
    pub is_good: bool,
    /// By which its target is dealt.
    pub split: u8,
}

/// Whether a target belongs to the half that is learned from, and where it leads
/// is therefore known.
pub fn is_known(target_split: u8, split: u8) -> bool {
    (target_split >> split) & 1 == 1
}

/// Leaves between links that are neighbours.
const NEAR: i32 = 5;

/// How often targets are dealt into two halves; figures are means.
pub const SPLITS: u8 = 5;

/// The links of a topic.
pub struct LinkSet {
    /// Name of the web and topic.
    pub name: String,
    /// The links; two pages may be joined by several.
    pub links: Vec<Instance>,
    /// How many pages they stand on.
    pub sources: usize,
    /// How many links have more words within [`WIDEST`] leaves than a crawl keeps of one.
    pub cut: usize,
}

impl LinkSet {
    /// Reads all links of a topic's relevant pages. Pages that trained the
    /// critic are no targets.
    pub fn read(name: String, web: &EvalWeb, topic: &Topic) -> Self {
        let mut set = Self {
            name,
            links: Vec::new(),
            sources: 0,
            cut: 0,
        };
        let mut vocabulary = Vocabulary::default();
        for (number, page) in web.pages.iter().enumerate() {
            if !topic.labels[number].is_relevant() || page.outlinks.is_empty() {
                continue;
            }
            set.sources += 1;
            let reader = FeatureReader::new(page, &mut vocabulary);
            let near = neighbours(web, topic, page);
            for link in &page.outlinks {
                let label = web
                    .number(&link.target)
                    .map(|target| topic.labels[target as usize]);
                let Some(label) = label.filter(|label| label.example.is_none()) else {
                    continue;
                };
                let context = reader.context_within(link.leaves, WIDEST);
                let words = context.features().iter();
                let instance = Instance {
                    words: words.map(|word| (word.term().0, word.offset().0)).collect(),
                    is_good: label.is_relevant(),
                    neighbours: near(link),
                    source: number as u32,
                    link: (page.document().links.iter()).position(|one| one.leaves == link.leaves),
                    leaves: link.leaves,
                    split: split_of(link),
                };
                let is_longer = instance.words.len() > LARGEST_CONTEXT;
                set.cut += usize::from(is_longer);
                set.links.push(instance);
            }
        }
        set
    }

    /// One half of the links to learn from and one to be tested on; no page is
    /// the target of both. `split` below [`SPLITS`].
    pub fn halves(&self, split: u8) -> (Vec<&Instance>, Vec<&Instance>) {
        let links = self.links.iter();
        links.partition(|link| is_known(link.split, split))
    }
}

fn split_of(link: &Outlink) -> u8 {
    Sha256::digest(link.target.as_str().as_bytes())[0]
}

/// Finds the neighbours of a page's links.
fn neighbours<'a>(
    web: &'a EvalWeb,
    topic: &'a Topic,
    page: &'a Page,
) -> impl Fn(&Outlink) -> Vec<Neighbour> + 'a {
    let others: Vec<(&Outlink, bool, u8)> = page
        .outlinks
        .iter()
        .filter_map(|link| {
            let label = topic.labels[web.number(&link.target)? as usize];
            let is_other = label.example.is_none();
            is_other.then(|| (link, label.is_relevant(), split_of(link)))
        })
        .collect();
    move |link| {
        // The links stand in order: only those around are looked at.
        let first = link.leaves.first.saturating_sub(WIDEST);
        let start = others.partition_point(|(other, _, _)| other.leaves.first < first);
        let around = others[start..].iter();
        around
            .take_while(|(other, _, _)| other.leaves.first <= link.leaves.end + WIDEST)
            .filter(|(other, _, _)| other.target != link.target)
            .map(|&(other, is_good, split)| Neighbour {
                offset: link.leaves.offset_of(other.leaves.first).0,
                is_good,
                split,
            })
            .filter(|neighbour| neighbour.offset.abs() <= NEAR)
            .collect()
    }
}

//! The web that a crawl has seen, walked backwards from the targets (\[C\] 3.1):
//! which page lies how many clicks from a target.
//!
//! Pages as near to a target as [`PROMOTED`] are targets too. A layer holds at
//! most [`LAYER_SIZE`] pages; if more link to the layer below, each page there
//! gives about as many of its backlinks as the others.

use rustc_hash::FxHashMap;

use super::STATES;
use super::features::{
    FeatureGroups, FeatureIndex, PageText, known_features, link_features, page_features,
};
use super::likeness::likeness;
use crate::address::Address;
use crate::candidate::Candidate;
use crate::features::{FeatureReader, HEAVIEST_TERMS, PageTerms};
use crate::models::Feature;
use crate::page::Page;
use crate::web_graph::{Judgment, WebGraph};

/// Cosine to a target from which a page is a target itself.
const PROMOTED: f64 = 0.8;
/// Layers around the targets.
const LAYERS: usize = 4;
/// Pages in a layer.
const LAYER_SIZE: usize = 600;
/// Links kept of a page.
const MOST_LINKS: usize = 300;

/// Pages that were seen, with their links and features, to be walked over.
#[derive(Debug, Default)]
pub struct TrainingWeb {
    /// The features that occur.
    pub feature_index: FeatureIndex,
    pub(super) pages: Vec<TrainingPage>,
    numbers: FxHashMap<Address, usize>,
    groups: Option<FeatureGroups>,
}

#[derive(Debug)]
pub(super) struct TrainingPage {
    pub(super) address: Address,
    pub(super) is_target: bool,
    pub(super) terms: PageTerms,
    pub(super) features: Vec<Feature>,
    /// Where its links lead, with their features.
    pub(super) links: Vec<(Address, SeenLink)>,
}

/// What was seen of a link before its page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeenLink {
    /// Its features.
    pub features: Vec<Feature>,
    /// How like the targets it looks, 0..=1, see [`super::Likeness::words`].
    pub likeness: f64,
}

/// Distance of every page of a [`TrainingWeb`] to its nearest target, by number
/// of the page; `None` where it is in no layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layers(pub Vec<Option<usize>>);

impl Layers {
    /// The state of a page: its distance, or the farthest if it has none.
    pub fn state(&self, page: usize) -> u8 {
        self.0[page].map_or(STATES - 1, |far| far.min(STATES - 1)) as u8
    }
}

impl TrainingWeb {
    /// An empty one that reads these features.
    pub fn new(groups: FeatureGroups) -> Self {
        Self {
            groups: Some(groups),
            ..Self::default()
        }
    }

    /// Adds a page that was fetched, with its judgment. `graph` knows the
    /// targets and the words.
    pub fn add(&mut self, page: &Page, judgment: Judgment, graph: &mut WebGraph) {
        if self.numbers.contains_key(&page.address) {
            return;
        }
        let groups = self.groups.unwrap_or(FeatureGroups::ALL);
        let reader = FeatureReader::new(page, &mut graph.vocabulary);
        let terms = reader.terms().heaviest(HEAVIEST_TERMS);
        let links = page.outlinks.iter().take(MOST_LINKS);
        let links = links.map(|link| (link, reader.context(link.leaves)));
        let links: Vec<_> = links.collect();
        let graph = &*graph;
        let links = links.into_iter().map(|(link, context)| {
            let features = link_features(
                &context,
                &link.target,
                graph,
                groups,
                &mut self.feature_index,
            );
            let likeness = likeness(&context, &link.target, graph).words;
            (link.target.clone(), SeenLink { features, likeness })
        });
        let links = links.collect();
        let (at, text, index) = (&page.address, PageText::of(page), &mut self.feature_index);
        let features = page_features(at, &text, judgment, graph, groups, index);
        self.push(TrainingPage {
            address: at.clone(),
            is_target: Self::counts_as_target(judgment),
            terms,
            features,
            links,
        });
    }

    /// The number of a page that was added.
    pub(super) fn number(&self, address: &Address) -> Option<usize> {
        self.numbers.get(address).copied()
    }

    pub(super) fn push(&mut self, page: TrainingPage) -> usize {
        self.numbers.insert(page.address.clone(), self.pages.len());
        self.pages.push(page);
        self.pages.len() - 1
    }

    /// Whether a page so judged is walked backwards from.
    pub(super) fn counts_as_target(judgment: Judgment) -> bool {
        judgment.is_target || judgment.similarity >= PROMOTED
    }

    /// The same, with features that have numbers already: those of an earlier
    /// model, which is to be trained on.
    #[must_use]
    pub fn with_feature_index(self, feature_index: FeatureIndex) -> Self {
        Self {
            feature_index,
            ..self
        }
    }

    /// Leaves out terms with numbers from `known_words` on.
    pub fn without_new_words(&mut self, known_words: usize) {
        for page in &mut self.pages {
            page.terms = page.terms.below(known_words);
        }
    }

    /// Adds a link that a person followed; what was seen of it. Of pages that were not added whole
    /// only address and judgment are known.
    pub fn add_click(&mut self, link: &Candidate, graph: &WebGraph) -> Option<SeenLink> {
        self.add_known(&link.target, graph);
        self.add_link(link, graph)
    }

    /// Adds a link that a person saw; what was seen of it. The page it leads to is not added.
    pub fn add_link(&mut self, link: &Candidate, graph: &WebGraph) -> Option<SeenLink> {
        let source = link.source()?;
        let features = link_features(
            &link.context,
            &link.target,
            graph,
            self.groups(),
            &mut self.feature_index,
        );
        let page = self.add_known(source, graph);
        let likeness = likeness(&link.context, &link.target, graph).words;
        let seen = SeenLink { features, likeness };
        let links = &mut self.pages[page].links;
        if links.len() < MOST_LINKS && links.iter().all(|known| known.0 != link.target) {
            links.push((link.target.clone(), seen.clone()));
        }
        Some(seen)
    }

    /// Adds a page by what is remembered of it; its number.
    pub fn add_known(&mut self, address: &Address, graph: &WebGraph) -> usize {
        if let Some(&number) = self.numbers.get(address) {
            return number;
        }
        let judgment = graph.judgment(address).marked(graph.mark(address));
        let known = graph.page(address);
        let groups = self.groups();
        let features = known_features(address, judgment, groups, &mut self.feature_index);
        self.push(TrainingPage {
            address: address.clone(),
            is_target: Self::counts_as_target(judgment),
            terms: known.map(|page| page.terms.clone()).unwrap_or_default(),
            features,
            links: Vec::new(),
        })
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The features that are read.
    pub fn groups(&self) -> FeatureGroups {
        self.groups.unwrap_or(FeatureGroups::ALL)
    }

    /// Whether a page is a target.
    pub fn is_target(&self, page: usize) -> bool {
        self.pages[page].is_target
    }

    /// The heaviest terms of a page.
    pub fn terms(&self, page: usize) -> &PageTerms {
        &self.pages[page].terms
    }

    /// The address of a page.
    pub fn address(&self, page: usize) -> &Address {
        &self.pages[page].address
    }

    /// The links of a page that lead to pages of this web, each page once.
    pub(super) fn links(&self, page: usize) -> Vec<(usize, &SeenLink)> {
        let links = self.pages[page].links.iter();
        let mut inner: Vec<(usize, &SeenLink)> = links
            .filter_map(|(target, seen)| {
                let number = *self.numbers.get(target)?;
                (number != page).then_some((number, seen))
            })
            .collect();
        inner.sort_by_key(|row| row.0);
        inner.dedup_by_key(|row| row.0);
        inner
    }

    fn backlinks(&self) -> Vec<Vec<usize>> {
        let mut backlinks = vec![Vec::new(); self.pages.len()];
        for page in 0..self.pages.len() {
            for (target, _) in self.links(page) {
                backlinks[target].push(page);
            }
        }
        backlinks
    }

    /// The layers around the targets, by \[C\]'s rules.
    pub fn layers(&self) -> Layers {
        let backlinks = self.backlinks();
        let mut distances = vec![None; self.pages.len()];
        let targets = (0..self.pages.len()).filter(|&page| self.pages[page].is_target);
        let mut layer: Vec<usize> = targets.take(LAYER_SIZE).collect();
        for &page in &layer {
            distances[page] = Some(0);
        }
        for distance in 1..=LAYERS {
            let mut next = Vec::new();
            let mut open: Vec<_> = layer.iter().map(|&page| backlinks[page].iter()).collect();
            // A backlink of each page in turn, until the layer is full.
            while !open.is_empty() && next.len() < LAYER_SIZE {
                open.retain_mut(|links| {
                    let fresh = links.find(|&&page| distances[page].is_none());
                    if let Some(&page) = fresh.filter(|_| next.len() < LAYER_SIZE) {
                        distances[page] = Some(distance);
                        next.push(page);
                    }
                    fresh.is_some()
                });
            }
            layer = next;
        }
        Layers(distances)
    }

    /// Clicks from pages to their nearest target, however many there are and however far,
    /// without those from which none can be reached.
    pub fn target_distances(&self) -> FxHashMap<Address, usize> {
        let distances = self.distances().0.into_iter();
        let known = distances.zip(&self.pages);
        let known = known.filter_map(|(distance, page)| Some((page.address.clone(), distance?)));
        known.collect()
    }

    /// The distance of every page, however many there are and however far.
    pub fn distances(&self) -> Layers {
        let backlinks = self.backlinks();
        let mut distances = vec![None; self.pages.len()];
        let targets = (0..self.pages.len()).filter(|&page| self.pages[page].is_target);
        let mut layer: Vec<usize> = targets.collect();
        let mut distance = 0;
        while !layer.is_empty() {
            for &page in &layer {
                distances[page] = Some(distance);
            }
            distance += 1;
            let sources = layer.iter().flat_map(|&page| &backlinks[page]);
            let mut next: Vec<usize> = sources
                .copied()
                .filter(|&page| distances[page].is_none())
                .collect();
            next.sort_unstable();
            next.dedup();
            layer = next;
        }
        Layers(distances)
    }
}

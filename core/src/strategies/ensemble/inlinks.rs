//! Which pages link to one, as far as they were read, and how relevant they are.

use std::collections::hash_map::Entry;
use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::page::Page;
use crate::strategies::recent::Recent;
use crate::web_graph::{Relevance, WebGraph};

/// A page that was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Source {
    relevance: Relevance,
    /// Hashes of the pages it links to, each once.
    targets: Box<[u64]>,
}

/// The pages that link to one, added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sums {
    /// Pages.
    pub(super) all: u32,
    /// Those of them that are relevant.
    pub(super) relevant: u32,
    /// The relevance of all.
    pub(super) relevance: f64,
}

impl Sums {
    fn add(&mut self, relevance: Relevance) {
        self.all += 1;
        self.relevant += u32::from(relevance.is_high());
        self.relevance += relevance.value();
    }

    fn take_away(&mut self, relevance: Relevance) {
        self.all = self.all.saturating_sub(1);
        let relevant = u32::from(relevance.is_high());
        self.relevant = self.relevant.saturating_sub(relevant);
        self.relevance -= relevance.value();
    }
}

/// The pages that link to each waiting page, summed up.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Inlinks {
    sources: Recent<Source>,
    targets: FxHashMap<u64, Sums>,
}

impl Inlinks {
    /// Takes a page's links into account; read again, it counts once.
    pub(super) fn read(&mut self, page: &Page, relevance: Relevance) {
        let mut targets: Vec<u64> = page
            .outlinks
            .iter()
            .map(|link| hash(&link.target))
            .collect();
        targets.sort_unstable();
        targets.dedup();
        let source = Source {
            relevance,
            targets: targets.into(),
        };
        self.add(&source);
        if let Some(gone) = self.sources.keep(page.address.clone(), source) {
            self.take_away(&gone);
        }
    }

    fn add(&mut self, source: &Source) {
        for target in &source.targets {
            let sums = self.targets.entry(*target).or_default();
            sums.add(source.relevance);
        }
    }

    fn take_away(&mut self, source: &Source) {
        for target in &source.targets {
            if let Entry::Occupied(mut sums) = self.targets.entry(*target) {
                sums.get_mut().take_away(source.relevance);
                if sums.get().all == 0 {
                    sums.remove();
                }
            }
        }
    }

    /// The pages that link to one.
    pub(super) fn of(&self, target: &Address) -> Sums {
        self.targets.get(&hash(target)).copied().unwrap_or_default()
    }

    /// The same pages by their judgments now.
    pub(super) fn rejudged(&self, graph: &WebGraph) -> Self {
        let mut rebuilt = Self::default();
        for (page, source) in self.sources.iter() {
            let source = Source {
                relevance: graph
                    .page(page)
                    .map_or(source.relevance, |page| page.judgment.relevance),
                targets: source.targets.clone(),
            };
            rebuilt.add(&source);
            rebuilt.sources.keep(page.clone(), source);
        }
        rebuilt
    }
}

fn hash(address: &Address) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(address.without_scheme().as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Builder, LeafRange};
    use crate::features::PageTerms;
    use crate::web_graph::{Judgment, KnownPage};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    fn page(name: &str, links: &[&str]) -> Page {
        let mut builder = Builder::new();
        for link in links {
            let first = builder.next_leaf();
            builder.leaf("a link");
            let end = first + 1;
            builder.link(&format!("/{link}"), LeafRange { first, end });
        }
        Page::new(address(name), builder.finish().unwrap())
    }

    #[test]
    fn a_page_counts_once_however_often_it_is_read() {
        let mut inlinks = Inlinks::default();
        for relevance in [0.2, 0.2, 0.9] {
            let relevance = Relevance::new(relevance);
            inlinks.read(&page("from", &["x", "y", "x"]), relevance);
        }
        inlinks.read(&page("other", &["x"]), Relevance::new(0.1));
        let sums = inlinks.of(&address("x"));
        assert_eq!((sums.all, sums.relevant), (2, 1));
        assert!((sums.relevance - 1.0).abs() < 1e-12);
        assert_eq!(inlinks.of(&address("from")), Sums::default());
        // A link that is no longer there is none.
        inlinks.read(&page("from", &["y"]), Relevance::new(0.9));
        assert_eq!(inlinks.of(&address("x")).all, 1);
        // Nor is anything kept of a page to which none leads.
        inlinks.read(&page("other", &[]), Relevance::new(0.1));
        assert_eq!(inlinks.targets.len(), 1);
    }

    #[test]
    fn pages_rejudged_count_by_the_new_judgment() {
        let mut inlinks = Inlinks::default();
        inlinks.read(&page("from", &["x"]), Relevance::new(0.9));
        let mut graph = WebGraph::default();
        graph.remember(KnownPage {
            address: address("from"),
            judgment: Judgment::default(),
            unmarked: Judgment::default(),
            counted: false,
            terms: PageTerms::default(),
        });
        let sums = inlinks.rejudged(&graph).of(&address("x"));
        assert_eq!((sums.all, sums.relevant), (1, 0));
    }
}

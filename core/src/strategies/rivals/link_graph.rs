//! Which pages link where, as far as they were read: what the strategies that rank by
//! links alone compute on.
//!
//! Pages are told apart by a hash of their address, so the graph is small enough to be
//! kept from one crawl to the next. A graph that is full takes no more pages and links.

use rustc_hash::FxHashMap;

use crate::address::Address;
use crate::web_graph::{Relevance, WebGraph};

/// Pages known at most, read or only linked to.
const MOST_PAGES: usize = 200_000;
/// Links kept at most.
const MOST_LINKS: usize = 2_000_000;

/// Pages by number, and the links between them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LinkGraph {
    numbers: FxHashMap<u64, u32>,
    /// By number: the hash of the page's address.
    keys: Vec<u64>,
    /// By number: the pages it links to, in ascending order; of one that was not read,
    /// none.
    outlinks: Vec<Vec<u32>>,
    links: usize,
}

impl LinkGraph {
    /// Number of pages.
    pub fn pages(&self) -> usize {
        self.keys.len()
    }

    /// The number of a page, if it is known.
    pub fn number(&self, page: &Address) -> Option<usize> {
        let number = self.numbers.get(&page.key())?;
        Some(*number as usize)
    }

    /// The pages to which a page links, by number, in ascending order.
    pub fn outlinks(&self, page: usize) -> &[u32] {
        self.outlinks.get(page).map_or(&[], Vec::as_slice)
    }

    fn intern(&mut self, page: &Address) -> Option<u32> {
        let key = page.key();
        if let Some(&number) = self.numbers.get(&key) {
            return Some(number);
        }
        if self.keys.len() == MOST_PAGES {
            return None;
        }
        let number = self.keys.len() as u32;
        self.numbers.insert(key, number);
        self.keys.push(key);
        self.outlinks.push(Vec::new());
        Some(number)
    }

    /// Takes in the links of a page that was read; what it linked to before is
    /// forgotten. Its number, if there is room for it.
    pub fn read<'a>(
        &mut self,
        page: &Address,
        targets: impl Iterator<Item = &'a Address>,
    ) -> Option<usize> {
        let number = self.intern(page)?;
        let mut row: Vec<u32> = targets.filter_map(|target| self.intern(target)).collect();
        row.sort_unstable();
        row.dedup();
        row.retain(|&target| target != number);
        let number = number as usize;
        self.links -= self.outlinks[number].len();
        row.truncate(MOST_LINKS - self.links);
        self.links += row.len();
        self.outlinks[number] = row;
        Some(number)
    }

    /// Takes in one link. The number of the page it stands on, if it is new.
    pub fn link(&mut self, from: &Address, to: &Address) -> Option<usize> {
        let (from, to) = (self.intern(from)?, self.intern(to)?);
        let row = &mut self.outlinks[from as usize];
        let place = row.binary_search(&to).err()?;
        if from == to || self.links == MOST_LINKS {
            return None;
        }
        row.insert(place, to);
        self.links += 1;
        Some(from as usize)
    }

    /// By number: how relevant the page is, `None` for one that was not fetched or is
    /// forgotten.
    pub fn relevance(&self, known: &WebGraph) -> Vec<Option<Relevance>> {
        let mut relevance = vec![None; self.pages()];
        for page in known.pages() {
            if let Some(number) = self.number(&page.address) {
                relevance[number] = Some(page.judgment.relevance);
            }
        }
        relevance
    }

    /// Hashes of the pages' addresses, and the pages each links to.
    pub fn rows(&self) -> (&[u64], &[Vec<u32>]) {
        (&self.keys, &self.outlinks)
    }

    /// Back from [`Self::rows`]; `None` if they are those of no graph.
    pub fn from_rows(keys: Vec<u64>, outlinks: Vec<Vec<u32>>) -> Option<Self> {
        if keys.len() != outlinks.len() || keys.len() > MOST_PAGES {
            return None;
        }
        let pages = keys.len() as u32;
        let is_row = |row: &Vec<u32>| {
            let ascends = row.windows(2).all(|pair| pair[0] < pair[1]);
            ascends && row.last().is_none_or(|&last| last < pages)
        };
        let links = outlinks.iter().map(Vec::len).sum();
        let numbers: FxHashMap<u64, u32> = keys.iter().copied().zip(0..).collect();
        let makes_sense =
            outlinks.iter().all(is_row) && links <= MOST_LINKS && numbers.len() == keys.len();
        makes_sense.then_some(Self {
            numbers,
            keys,
            outlinks,
            links,
        })
    }
}

/// Webs of pages with judgments, for tests of what is computed over the graph.
#[cfg(test)]
pub(in crate::strategies) mod fixture {
    use crate::address::Address;
    use crate::features::PageTerms;
    use crate::web_graph::{Judgment, KnownPage, Relevance, WebGraph};

    pub(in crate::strategies) fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    pub(in crate::strategies) fn judged_pages(pages: &[(&str, f64)]) -> WebGraph {
        let mut graph = WebGraph::default();
        for &(name, relevance) in pages {
            graph.remember(KnownPage {
                address: address(name),
                judgment: Judgment {
                    relevance: Relevance::new(relevance),
                    ..Judgment::default()
                },
                unmarked: Judgment::default(),
                counted: false,
                terms: PageTerms::default(),
            });
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    #[test]
    fn links_count_once_and_a_page_read_again_has_its_new_links() {
        let mut graph = LinkGraph::default();
        let [a, b, c] = ["a", "b", "c"].map(address);
        assert_eq!(graph.read(&a, [&c, &b, &c, &a].into_iter()), Some(0));
        assert_eq!(graph.outlinks(0), [1, 2]);
        assert_eq!(graph.link(&a, &b), None);
        assert_eq!(graph.link(&b, &a), Some(2));
        assert_eq!((graph.pages(), graph.links), (3, 3));
        graph.read(&a, [&b].into_iter());
        assert_eq!(graph.outlinks(0), [2]);
        assert_eq!(graph.links, 2);
        let (keys, rows) = graph.rows();
        let again = LinkGraph::from_rows(keys.to_vec(), rows.to_vec()).unwrap();
        assert_eq!(again, graph);
    }

    #[test]
    fn rows_of_no_graph_are_refused() {
        let refused = |keys: &[u64], rows: &[&[u32]]| {
            let rows = rows.iter().map(|row| row.to_vec()).collect();
            LinkGraph::from_rows(keys.to_vec(), rows).is_none()
        };
        assert!(!refused(&[7, 9], &[&[1], &[0, 1]]));
        assert!(refused(&[7, 9], &[&[1]]), "a row is missing");
        assert!(refused(&[7, 7], &[&[1], &[]]), "a page twice");
        assert!(refused(&[7, 9], &[&[2], &[]]), "beyond the pages");
        assert!(refused(&[7, 9], &[&[1, 0], &[]]), "out of order");
        assert!(refused(&[7, 9], &[&[1, 1], &[]]), "a link twice");
    }

    /// The hash of the empty text and of "a" by the published algorithm.
    #[test]
    fn hashes_are_those_of_fnv() {
        let by_hand = (0xcbf2_9ce4_8422_2325_u64 ^ u64::from(b'a')).wrapping_mul(0x0100_0000_01b3);
        assert_eq!(by_hand, 0xaf63_dc4c_8601_ec8c);
        let http = Address::parse("http://a.test/").unwrap();
        let https = Address::parse("https://a.test/").unwrap();
        assert_eq!(http.key(), https.key());
        assert_ne!(http.key(), address("b").key());
    }
}

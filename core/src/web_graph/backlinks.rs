//! Which of the pages read link to a page (\[B\]: `linked from`, and evidence of all
//! inlinks). Whoever asks gets them exactly, whatever a frontier keeps of its links.
//!
//! Only kept for a critic or a strategy that asks. A page linked to is told by a hash of its
//! address, a page with links by its number in the [`super::WebGraph`]; pages that are
//! forgotten there are backlinks no more. Nothing is known of pages that were not read.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::address::Address;

/// Backlinks known of one page at most; later ones are not taken in.
pub const MOST_BACKLINKS: usize = 256;
/// Backlinks known of all pages together at most: about 60 MB.
const MOST_LINKS: usize = 4_000_000;

/// Pages by the hash of their address, each with the numbers of pages that link there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Backlinks {
    sources: FxHashMap<u64, Vec<u32>>,
    links: usize,
}

impl Backlinks {
    /// Takes in the links of a page of this number. Links that it had when it was read
    /// before go on to count.
    pub(super) fn read<'a>(&mut self, number: u64, targets: impl Iterator<Item = &'a Address>) {
        let Ok(number) = u32::try_from(number) else {
            return;
        };
        for target in targets {
            self.put(target.key(), number);
        }
    }

    /// One link; nothing changes where there is no more room.
    pub(super) fn put(&mut self, target: u64, number: u32) {
        if self.links == MOST_LINKS {
            return;
        }
        let sources = self.sources.entry(target).or_default();
        if sources.len() == MOST_BACKLINKS {
            return;
        }
        if let Err(place) = sources.binary_search(&number) {
            sources.insert(place, number);
            self.links += 1;
        }
    }

    /// Numbers of the pages that link to a page, in ascending order.
    pub(super) fn of(&self, page: &Address) -> &[u32] {
        self.sources.get(&page.key()).map_or(&[], Vec::as_slice)
    }

    /// Hashes of the pages linked to, each with the numbers of its backlinks.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u64, &[u32])> {
        let rows = self.sources.iter();
        rows.map(|(&target, sources)| (target, sources.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(path: &str) -> Address {
        Address::parse(&format!("http://a.test/{path}")).unwrap()
    }

    #[test]
    fn a_page_has_each_backlink_once_and_not_too_many() {
        let mut backlinks = Backlinks::default();
        let targets = [address("x"), address("y"), address("x")];
        for number in [3, 1, 3] {
            backlinks.read(number, targets.iter());
        }
        assert_eq!(backlinks.of(&address("x")), [1, 3]);
        assert_eq!(backlinks.of(&address("z")), [0u32; 0]);
        for number in 0..1_000 {
            backlinks.read(number, [address("x")].iter());
        }
        assert_eq!(backlinks.of(&address("x")).len(), MOST_BACKLINKS);
        assert_eq!(backlinks.of(&address("y")), [1, 3]);
        assert_eq!(backlinks.links, MOST_BACKLINKS + 2);
    }

    #[test]
    fn both_schemes_are_one_page() {
        let mut backlinks = Backlinks::default();
        backlinks.read(7, [address("x")].iter());
        let secure = Address::parse("https://a.test/x").unwrap();
        assert_eq!(backlinks.of(&secure), [7]);
    }
}

//! What is kept of the pages passed last; the oldest are forgotten first.

use std::collections::VecDeque;
use std::hash::Hash;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::address::Address;

/// Pages remembered.
const MOST: usize = 50_000;

/// Values by address, or by what else pages are told apart by, of which the newest are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Recent<T, K: Eq + Hash = Address> {
    pages: FxHashMap<K, T>,
    order: VecDeque<K>,
}

impl<T, K: Eq + Hash> Default for Recent<T, K> {
    fn default() -> Self {
        Self {
            pages: FxHashMap::default(),
            order: VecDeque::new(),
        }
    }
}

impl<T, K: Clone + Eq + Hash> Recent<T, K> {
    /// What is kept of a page.
    pub(super) fn get(&self, page: &K) -> Option<&T> {
        self.pages.get(page)
    }

    /// Keeps something of a page. Returns what had to go for it: what was kept of
    /// the page before, or of the oldest.
    pub(super) fn keep(&mut self, page: K, value: T) -> Option<T> {
        let before = self.pages.insert(page.clone(), value);
        if before.is_some() {
            return before;
        }
        self.order.push_back(page);
        if self.order.len() <= MOST {
            return None;
        }
        let oldest = self.order.pop_front()?;
        self.pages.remove(&oldest)
    }

    /// All that is kept, oldest first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &T)> {
        let pages = self.order.iter();
        pages.filter_map(|page| Some((page, self.pages.get(page)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first_and_nothing_is_kept_twice() {
        let page = |n: usize| Address::parse(&format!("http://a.org/{n}")).unwrap();
        let mut recent = Recent::default();
        for n in 0..MOST + 3 {
            let gone = recent.keep(page(n), n);
            assert_eq!(gone, n.checked_sub(MOST));
        }
        assert_eq!(recent.keep(page(5), 99), Some(5));
        assert_eq!(recent.iter().count(), MOST);
        assert_eq!(recent.get(&page(2)), None);
        assert_eq!(
            (recent.get(&page(3)), recent.get(&page(5))),
            (Some(&3), Some(&99))
        );
    }
}

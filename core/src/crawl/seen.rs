//! The pages of which the answer is in, or that are passed over: eight bytes of a hash each, so that
//! millions take little room.
//!
//! They are the first of its SHA-256: nobody can name a page so that a certain other one counts as
//! seen. Of a million pages two agree by chance in one of 30 million crawls. `http` and `https` of an
//! address are one page.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::address::Address;

/// See the module.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Seen(FxHashSet<u64>);

impl Seen {
    /// Notes a page.
    pub(super) fn insert(&mut self, page: &Address) {
        self.0.insert(hash(page));
    }

    /// Whether a page was noted.
    pub(super) fn contains(&self, page: &Address) -> bool {
        self.0.contains(&hash(page))
    }

    /// As if it had not been noted.
    pub(super) fn remove(&mut self, page: &Address) {
        self.0.remove(&hash(page));
    }
}

fn hash(page: &Address) -> u64 {
    let digest = Sha256::digest(page.without_scheme());
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_seen_by_either_scheme_and_no_other_is() {
        let page = |text: &str| Address::parse(text).unwrap();
        let mut seen = Seen::default();
        seen.insert(&page("http://a.test/1?x=2"));
        assert!(seen.contains(&page("https://a.test/1?x=2")));
        for other in [
            "http://a.test/1",
            "http://a.test/1?x=3",
            "http://b.test/1?x=2",
        ] {
            assert!(!seen.contains(&page(other)), "{other}");
        }
        seen.remove(&page("https://a.test/1?x=2"));
        assert!(!seen.contains(&page("http://a.test/1?x=2")));
    }
}

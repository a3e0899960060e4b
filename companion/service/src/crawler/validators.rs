//! What tells whether a page has changed since it was read last.

use linkscent_core::page::Page;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What tells whether a page is as it was when it was read last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// What it shows, see [`shown`].
    pub shown: u64,
    /// When it was read or changed last, as HTTP writes dates.
    pub since: Option<String>,
    /// The tag that its server gave it.
    pub etag: Option<String>,
    /// When the copy was fetched that is compared with, as WARC dates are written.
    pub date: String,
}

/// What of a page tells whether it has changed for who reads it: its text and where it links to.
pub fn shown(page: &Page) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(page.document().raw_text());
    for link in &page.outlinks {
        hasher.update([0]);
        hasher.update(link.target.as_str());
    }
    let hash = hasher.finalize();
    let mut half = [0; 8];
    half.copy_from_slice(&hash[..8]);
    u64::from_le_bytes(half)
}

#[cfg(test)]
mod tests {
    use linkscent_archive::page::build;
    use linkscent_core::address::Address;

    use super::*;

    #[test]
    fn a_page_has_changed_if_its_text_or_its_links_have() {
        let page = |html: &str| {
            let address = Address::parse("http://a.test/").unwrap();
            shown(&build(address, html.as_bytes(), Some("text/html")).0)
        };
        let first = page("<p>bees <a href=/1>one</a><script>a = 1</script>");
        let nonce = page("<p>bees <a href=/1>one</a><script nonce=x>a = 2</script>");
        assert_eq!(first, nonce, "what nobody sees");
        assert_ne!(first, page("<p>bees <a href=/2>one</a>"));
        assert_ne!(first, page("<p>wasps <a href=/1>one</a>"));
    }
}

//! What tells whether a page has changed since it was read last.

use std::hash::{DefaultHasher, Hash, Hasher};

use linkscent_core::page::Page;

/// What tells whether a page is as it was when it was read last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
/// Only compared within one process.
pub fn shown(page: &Page) -> u64 {
    let mut hasher = DefaultHasher::new();
    page.document().raw_text().hash(&mut hasher);
    for link in &page.outlinks {
        link.target.as_str().hash(&mut hasher);
    }
    hasher.finish()
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

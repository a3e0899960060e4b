//! Pages from bytes: as they come, and as they stand in an archive.

use std::path::Path;

use linkscent_core::address::Address;
use linkscent_core::dom::html;
use linkscent_core::page::Page;
use sha2::{Digest, Sha256};

use crate::charset;
use crate::feeds::with_feed;
use crate::warc::{Reader, WarcError};

/// The page in a body, and the digest that tells it from others.
pub fn build(address: Address, body: &[u8], content_type: Option<&str>) -> (Box<Page>, u64) {
    of_html(address, &charset::decode(body, content_type), body)
}

/// The page as HTML that was made of a body says it, with a feed that its head names as its last
/// link. The digest is the body's: what is made of
/// the same bytes may come out otherwise another time.
pub fn of_html(address: Address, html: &str, body: &[u8]) -> (Box<Page>, u64) {
    let page = Page::new(address, html::parse(&with_feed(html)));
    let hash = Sha256::digest(body);
    let mut half = [0; 8];
    half.copy_from_slice(&hash[..8]);
    (Box::new(page), u64::from_le_bytes(half))
}

/// The page whose record begins at an offset, and the first half of a hash of its body. It
/// is the page of that address, or an error. If it has a conversion, that is what it says.
pub fn page_at(
    archive: &Path,
    offset: u64,
    address: &Address,
) -> Result<(Box<Page>, u64), WarcError> {
    let response = Reader::response_at(archive, offset, address.as_str())?;
    let (mut page, digest) = of_html(address.clone(), &response.html(), &response.body);
    if response.no_follow {
        page.ask_not_to_follow();
    }
    Ok((page, digest))
}

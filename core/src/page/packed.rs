//! A page that was read, as bytes for whoever learns from it elsewhere: its document and its words. Its
//! links and what it says are made again, which takes little.
//!
//! The bytes come from outside: what cannot be a page is an error, and nothing of them is believed
//! that another part would stumble over.

use std::sync::OnceLock;

use thiserror::Error;

use super::{Page, PageWords, read_outlinks};
use crate::address::Address;
use crate::codec::{CodecError, decode, encode};
use crate::dom::{BuildError, Document};
use crate::text::Language;

/// Why bytes are no page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PackedError {
    /// They are no such data.
    #[error("page: {0}")]
    Codec(#[from] CodecError),
    /// They hold no document.
    #[error("page: {0}")]
    Document(#[from] BuildError),
    /// Words and leaves do not go together.
    #[error("page: its words are not those of its leaves")]
    Words,
}

impl Page {
    /// The page as bytes, without its address.
    pub fn pack(&self) -> Vec<u8> {
        encode(&(self.language, &self.document, &self.words))
    }

    /// The page of that address that was packed so. An error names what is wrong with it.
    pub fn unpack(address: Address, bytes: &[u8]) -> Result<Self, PackedError> {
        let (language, document, words): (Language, Document, PageWords) = decode(bytes)?;
        document.check()?;
        if !words.are_of(&document) {
            return Err(PackedError::Words);
        }
        Ok(Self {
            outlinks: read_outlinks(&address, &document),
            address,
            language,
            document,
            words,
            content: OnceLock::new(),
        })
    }
}

impl PageWords {
    /// Whether they can be a document's: each of them known, each leaf's behind those of the one before.
    fn are_of(&self, document: &Document) -> bool {
        let mut positions = self.all();
        let last = self.ends.last().map_or(0, |end| *end as usize);
        self.surfaces.len() == self.terms.len()
            && positions.all(|position| (position as usize) < self.terms.len())
            && self.ends.len() == document.leaf_count() as usize
            && self.ends.is_sorted()
            && last == self.body.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Builder, Heading, LeafRange, MOST_LINKS};

    fn address() -> Address {
        Address::parse("http://a.org/start").unwrap()
    }

    fn page(leaves: &[&str]) -> Page {
        let mut builder = Builder::new();
        builder.title("Kidney clinic – où");
        builder.base("/below/");
        for (number, leaf) in leaves.iter().enumerate() {
            builder.leaf(leaf);
            let first = number as u32;
            let end = first + 1;
            builder.link(&format!("page{number}"), LeafRange { first, end });
        }
        Page::new(address(), builder.finish().unwrap())
    }

    #[test]
    fn a_page_comes_out_as_it_went_in() {
        for leaves in [&[][..], &["About dialysis:", "où – 透析"]] {
            let page = page(leaves);
            let back = Page::unpack(address(), &page.pack()).unwrap();
            assert_eq!(back.address, page.address);
            assert_eq!(back.language, page.language);
            assert_eq!(back.outlinks, page.outlinks);
            assert_eq!(back.document(), page.document());
            assert_eq!(back.words(), page.words());
        }
    }

    /// Whatever comes, it is an error or a page that can be looked at.
    #[test]
    fn broken_bytes_do_no_harm() {
        let whole = page(&["About dialysis:", "où – 透析"]).pack();
        let mut read = 0;
        for at in 0..whole.len() {
            for to in [0, 1, 2, 3, 5, 9, 0x7F, 0x80, 0xFB, 0xFF] {
                let mut bytes = whole.clone();
                bytes[at] = to;
                let Ok(page) = Page::unpack(address(), &bytes) else {
                    continue;
                };
                read += 1;
                for leaf in 0..page.document().leaf_count() {
                    let _ = page.document().leaf(leaf);
                    for term in page.words().leaf(leaf) {
                        let _ = &page.words().terms[*term as usize];
                    }
                }
                for outlink in &page.outlinks {
                    let _ = page.anchor_text(outlink);
                }
                let _ = (page.content(), page.title(), page.snippet());
                let _ = page.heaviest_words(5);
            }
            let cut = Page::unpack(address(), &whole[..at]);
            assert!(cut.is_err(), "{at} bytes of {}", whole.len());
        }
        assert!(read > whole.len(), "letters may be others: {read}");
    }

    #[test]
    fn what_is_no_page_is_said() {
        let pack = |document: &Document, words: &PageWords| {
            let bytes = encode(&(Language::English, document, words));
            Page::unpack(address(), &bytes).map(|_| ())
        };
        let page = page(&["kidneys", "dialysis"]);
        let words = page.words();
        assert_eq!(pack(page.document(), words), Ok(()));
        let mut far = page.document().clone();
        far.links[0].leaves.end = 9;
        assert!(matches!(pack(&far, words), Err(PackedError::Document(_))));
        let mut many = page.document().clone();
        let leaves = LeafRange { first: 0, end: 1 };
        many.headings = vec![Heading { level: 1, leaves }; MOST_LINKS + 1];
        let too_many = pack(&many, words);
        assert!(matches!(
            too_many,
            Err(PackedError::Document(BuildError::TooMany { .. }))
        ));
        let mut unknown = words.clone();
        unknown.body[0] = 99;
        let mut fewer = words.clone();
        fewer.ends.pop();
        let mut backwards = words.clone();
        backwards.ends[0] = 7;
        let mut longer = words.clone();
        longer.body.push(0);
        let mut without = words.clone();
        without.surfaces.pop();
        for odd in [unknown, fewer, backwards, longer, without] {
            assert_eq!(pack(page.document(), &odd), Err(PackedError::Words));
        }
        let none = Page::unpack(address(), b"no page").map(|_| ());
        assert!(matches!(none, Err(PackedError::Codec(_))));
    }
}

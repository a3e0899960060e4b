//! The words near a link and in its address, as hashed features.

use crate::features::LinkContext;

/// A bit that the signals of words have and those of members have not.
pub(super) const FIRST_WORD: u32 = 1 << 10;
/// Length of all words of a link together.
const LENGTH: f64 = 2.0;

/// Adds the words of a context and of an address to an instance, words near the
/// link first, in the order of [`LinkContext::counts`].
pub(super) fn add(context: &LinkContext, url: &[String], instance: &mut Vec<(u32, f64)>) {
    let first = instance.len();
    for (feature, count) in context.counts() {
        let near = 1.0 / (1.0 + f64::from(feature.offset().0.abs()));
        instance.push((word_near(feature.to_bits()), near * f64::from(count).sqrt()));
    }
    for token in url {
        instance.push((word_number(hashed(token), 1), 1.0));
    }
    let squares: f64 = instance[first..].iter().map(|cell| cell.1 * cell.1).sum();
    let scale = LENGTH / squares.sqrt().max(1e-9);
    for cell in &mut instance[first..] {
        cell.1 *= scale;
    }
}

/// The feature of a word near a link, by its bits.
pub(in crate::strategies) fn word_near(bits: u32) -> u32 {
    word_number(bits.wrapping_mul(0x9e37_79b1), 0)
}

/// Whether a feature is one of [`word_near`].
pub(in crate::strategies) fn is_word_near(feature: u32) -> bool {
    feature & FIRST_WORD != 0 && feature.is_multiple_of(2)
}

/// The number of a word's feature: never one of a member's, and odd for addresses.
fn word_number(hash: u32, place: u32) -> u32 {
    (hash << 1) | FIRST_WORD | place
}

/// FNV-1a: the same on every machine.
fn hashed(token: &str) -> u32 {
    token.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::super::signals::SIGNALS;
    use super::*;
    use crate::address::Address;
    use crate::dom::DomOffset;
    use crate::features::OffsetTerm;
    use crate::text::TermId;

    #[test]
    fn words_never_take_the_place_of_numbers() {
        for hash in [0, 1, 7, 1 << 31, (1 << 31) + 5, u32::MAX] {
            for place in [0, 1] {
                let number = word_number(hash, place);
                assert!(number >= SIGNALS as u32, "{hash} {place}: {number}");
                assert_eq!(number % 2, place, "{hash}");
            }
        }
        for term in [0, 1, 77, (1 << 26) - 1, (1 << 27) - 1] {
            let feature = OffsetTerm::new(TermId(term), DomOffset(5));
            let address = format!("http://a{term}.test/page/{term}?q=zzz");
            let url = Address::parse(&address).unwrap().words();
            let context = LinkContext::new(vec![feature, OffsetTerm::of_page(TermId(term))]);
            let mut instance = Vec::new();
            add(&context, &url, &mut instance);
            assert!(instance.iter().all(|cell| cell.0 >= SIGNALS as u32));
            let squares: f64 = instance.iter().map(|cell| cell.1 * cell.1).sum();
            assert!((squares - LENGTH * LENGTH).abs() < 1e-9);
        }
    }
}

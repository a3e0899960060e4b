//! What a page and a query mean, as eight numbers of eight bytes each: what pages say of themselves
//! in other words than the query's counts beside those words. Only English is known.

use linkscent_core::meaning::{DIMENSIONS, Meaning};
use linkscent_core::text::Language;

/// Numbers that a meaning is packed into.
pub(crate) const PACKED: usize = DIMENSIONS / 8;
/// Characters of a page by which its meaning is told, behind its title.
const BEGINNING: usize = 600;
/// Characters from which on a passage is running text.
const RUNNING: usize = 60;

/// A meaning, packed: bytes from -127 to 127, of a vector of length one.
pub(crate) type Packed = [u64; PACKED];

/// What a page means, by its title and the beginning of its running text; nothing where its
/// language is not known.
pub(crate) fn of_page(title: &str, passages: &[String], language: Language) -> Packed {
    if language != Language::English {
        return [0; PACKED];
    }
    let mut text = format!("{title}. ");
    for passage in passages.iter().filter(|passage| passage.len() >= RUNNING) {
        text.push_str(passage);
        text.push(' ');
        if text.len() >= BEGINNING {
            break;
        }
    }
    packed(&linkscent_core::text::shorten(&text, BEGINNING))
}

/// What a text means; nothing where none of its words is known.
pub(crate) fn packed(text: &str) -> Packed {
    let mut packed = [0; PACKED];
    let unit = Meaning::of_text(text).unit();
    for (place, number) in unit.numbers().enumerate() {
        let byte = (number * 127.0).round() as i8;
        packed[place / 8] |= u64::from(byte.cast_unsigned()) << (8 * (place % 8));
    }
    packed
}

/// The cosine of two meanings, -1..=1; 0 where one is nothing.
pub(crate) fn cosine(a: &Packed, b: impl Iterator<Item = u64>) -> f32 {
    let products = a.iter().zip(b).map(|(a, b)| {
        let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        let products = pairs.map(|(a, b)| i32::from(a.cast_signed()) * i32::from(b.cast_signed()));
        products.sum::<i32>()
    });
    products.sum::<i32>() as f32 / (127.0 * 127.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_much_the_same_lies_near() {
        let castle = packed("castle");
        let near = cosine(&castle, packed("fortress").into_iter());
        let far = cosine(&castle, packed("railway").into_iter());
        assert!(near > 0.3 && near > far + 0.2, "{near} {far}");
        assert!((cosine(&castle, castle.into_iter()) - 1.0).abs() < 0.05);
        assert_eq!(cosine(&castle, [0; PACKED].into_iter()), 0.0);
        assert_eq!(
            of_page("Burg", &[], Language::from_code("de").unwrap()),
            [0; PACKED]
        );
    }
}

//! Pages that are nearly the same as one fetched before, by sketches of their running text.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::content::Sketch;

/// The pages so far, to be compared with.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct NearDuplicates {
    pages: Vec<Sketch>,
    /// By group of places, the first page that has them so.
    first: FxHashMap<u32, u32>,
}

impl NearDuplicates {
    /// Whether a page is nearly the same as one before; if not, it is noted.
    pub fn has_or_add(&mut self, page: &Sketch) -> bool {
        let is_known = page.confidences().any(|confidence| {
            let place = self.first.get(&confidence);
            place.is_some_and(|&place| self.pages[place as usize].is_near(page))
        });
        if !is_known && let Ok(place) = u32::try_from(self.pages.len()) {
            for confidence in page.confidences() {
                self.first.entry(confidence).or_insert(place);
            }
            self.pages.push(page.clone());
        }
        is_known
    }
}

#[cfg(test)]
#[cfg(feature = "html")]
mod tests {
    use super::*;
    use crate::dom::html;
    use crate::strategies::{Rng, SplitMix};

    /// A page of 200 words, which hang on a number, and some more.
    fn page(number: u64, more: &str) -> Sketch {
        let mut rng = SplitMix(number);
        let words = (0..200).map(|_| format!("w{:x}", (rng.unit() * 5_000.0) as u64));
        let words = words.collect::<Vec<_>>().join(" ");
        Sketch::of(&html::parse(&format!("<p>{words} {more}</p>")).passages()).unwrap()
    }

    #[test]
    fn near_pages_are_found_among_many() {
        let mut pages = NearDuplicates::default();
        for number in 0..500 {
            assert!(!pages.has_or_add(&page(number, "")), "{number}");
        }
        for number in 0..500 {
            let twin = page(number, "and so on");
            assert!(pages.has_or_add(&twin), "{number}");
        }
    }
}

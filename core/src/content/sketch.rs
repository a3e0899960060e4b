//! Texts that are nearly the same: with another date, another advertisement, without a menu.
//!
//! A page's running text is the set of all three words that follow each other in it. Of that set a
//! sketch is kept (minhash; Broder; of each value one byte; one order for all places: Li, Owen and
//! Zhang): sketches agree in about the share of places that two texts have in common. Pages are compared that agree wholly in one of a few groups of
//! places. A page whose words do not stand in running text for the most part has no sketch: lists of
//! links and pictures differ by what they link to, and many have one introduction or footer. Neither
//! has a text without spaces between its words.

use serde::{Deserialize, Serialize};

/// Threes of words below which a page is not compared: of a short text a sentence more is much.
const FEW: usize = 120;
/// Words of a passage below which it is no running text, but an entry of a menu.
const SHORT_PASSAGE: usize = 8;
/// Places of a sketch.
const PLACES: usize = 64;
/// Places that agree at least in pages that are nearly the same: so many do of texts that have 19
/// of 20 threes in common nearly always, of those with four of five in common once in ten times.
const ALIKE: usize = 56;
/// Groups of places by which pages are looked up, and places in each.
const BANDS: usize = 4;
const ROWS: usize = 6;

/// The running text of a page, to be compared with that of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct Sketch(Box<[u8; PLACES]>);

impl From<Sketch> for Vec<u8> {
    fn from(Sketch(places): Sketch) -> Self {
        places.to_vec()
    }
}

impl TryFrom<Vec<u8>> for Sketch {
    type Error = &'static str;

    fn try_from(places: Vec<u8>) -> Result<Self, Self::Error> {
        let places = places.into_boxed_slice().try_into();
        places
            .map(Self)
            .map_err(|_| "a sketch has another number of places")
    }
}

impl Sketch {
    /// Of a page's passages; none if they have too little running text.
    pub fn of(passages: &[String]) -> Option<Self> {
        let mut least = [u64::MAX; PLACES];
        let (mut threes, mut elsewhere) = (0, 0);
        for passage in passages {
            let words = passage.split(' ').count();
            if words < SHORT_PASSAGE {
                elsewhere += words;
                continue;
            }
            let words = passage.split(|sign: char| !sign.is_alphanumeric());
            let (mut first, mut second) = (0_u64, 0_u64);
            for word in words.filter(|word| !word.is_empty()) {
                let third = hash(word);
                if first != 0 {
                    threes += 1;
                    let three = mixed(first.rotate_left(2) ^ second.rotate_left(1) ^ third);
                    let least = &mut least[(three % PLACES as u64) as usize];
                    *least = (*least).min(three);
                }
                (first, second) = (second, third);
            }
        }
        (threes >= FEW.max(elsewhere)).then(|| Self(Box::new(places(&least))))
    }

    /// Whether two pages are nearly the same.
    pub fn is_near(&self, other: &Self) -> bool {
        let places = self.0.iter().zip(&*other.0);
        places.filter(|(one, other)| one == other).count() >= ALIKE
    }

    /// A number for each group of places. Of a million pages one in a thousand groups has the number
    /// of another, with which it is compared in vain; the page is found by its other groups.
    pub fn confidences(&self) -> impl Iterator<Item = u32> {
        let rows = self.0.chunks_exact(ROWS).take(BANDS);
        (0..).zip(rows).map(|(confidence, rows)| {
            let rows = rows
                .iter()
                .fold(confidence, |key, &row| key << 8 | u64::from(row));
            mixed(rows + 1) as u32
        })
    }
}

/// A byte of the least three that fell to each place. To one to which none fell stands for it the one
/// of another place, the same in all texts in which that has one (optimal densification;
/// Shrivastava).
fn places(least: &[u64; PLACES]) -> [u8; PLACES] {
    let of_place = |place: usize| {
        let others = (0..).map(|turn| mixed((place as u64) << 32 | turn) as usize % PLACES);
        let mut tried = std::iter::once(place).chain(others).zip(0_u64..);
        // Some place has one: there are more threes than none.
        let found = tried.find(|(other, _)| least[*other] != u64::MAX);
        let (other, turn) = found.unwrap_or_default();
        mixed(least[other].wrapping_add(turn)).to_le_bytes()[0]
    };
    std::array::from_fn(of_place)
}

/// A word as a number, in whatever case (FNV-1a, its bits mixed); never 0.
fn hash(word: &str) -> u64 {
    let of = |hash: u64, sign: u64| (hash ^ sign).wrapping_mul(0x0100_0000_01b3);
    let hash = if word.is_ascii() {
        let signs = word.bytes().map(|sign| sign.to_ascii_lowercase());
        signs.map(u64::from).fold(0xcbf2_9ce4_8422_2325, of)
    } else {
        let signs = word.chars().flat_map(char::to_lowercase);
        signs.map(u64::from).fold(0xcbf2_9ce4_8422_2325, of)
    };
    mixed(hash).max(1)
}

/// Its bits mixed, so that each hangs on all (the end of splitmix64).
fn mixed(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
#[cfg(feature = "html")]
mod tests {
    use super::*;
    use crate::dom::html;

    fn of(html: &str) -> Option<Sketch> {
        Sketch::of(&html::parse(html).passages())
    }

    /// A text of so many words, each drawn from `from` on.
    fn text(words: u64, from: u64) -> String {
        let words = (from..from + words).map(|word| format!("w{:x}", mixed(word) % 5_000));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_few_words_make_no_other_page() {
        let plain = text(300, 0);
        let one = of(&format!("<p>{plain}</p>")).unwrap();
        let menu = "<ul><li><a href=/a>Home</a><li><a href=/b>All our pages</a></ul>";
        for twin in [
            format!("{menu}<p>{plain}</p>"),
            format!("<p>{}</p>", plain.to_uppercase()),
            format!("<p>Read on the 24th of May at nine</p><p>{plain}</p>"),
            format!("<p>{}</p>", plain.replacen(" w1", " other", 2)),
        ] {
            assert!(of(&twin).unwrap().is_near(&one), "{twin}");
        }
        for other in [
            text(300, 1_000),
            format!("{} {}", text(220, 0), text(80, 900)),
        ] {
            assert!(!of(&format!("<p>{other}</p>")).unwrap().is_near(&one));
        }
        assert_eq!(of(&format!("<p>{}</p>", text(40, 0))), None);
        let links = (0..100).map(|n| format!("<li><a href=/{n}>Page {n}</a>"));
        let links: String = links.collect();
        assert_eq!(of(&links), None);
        // What they have in common is the smaller part.
        assert_eq!(of(&format!("{links}<p>{}</p>", text(150, 0))), None);
    }

    #[test]
    fn places_agree_as_far_as_texts_do() {
        // Three of four words are the same, so about six of ten threes of both are.
        let (mut agree, all) = (0, 200);
        for number in 0..all {
            let (from, other) = (number * 10_000, number * 10_000 + 5_000);
            let one = of(&format!("<p>{}</p>", text(400, from))).unwrap();
            let half = format!("<p>{} {}</p>", text(300, from), text(100, other));
            let places = one
                .0
                .iter()
                .zip(&*of(&half).unwrap().0)
                .filter(|(a, b)| a == b)
                .count();
            agree += places;
        }
        let share = agree as f64 / (all as f64 * PLACES as f64);
        // 298 of 498 threes, and one place in 256 by chance.
        assert!((share - 0.6).abs() < 0.02, "{share}");
    }
}

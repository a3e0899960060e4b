//! A web that is made up as it is asked for: 2,000,000 pages on 500 hosts, 50 links each, a hundredth of
//! them in each of a hundred groups, whose pages share words and link to each other more often.

use std::fmt::Write as _;

use linkscent_core::strategies::{Rng, SplitMix};

const WEB: u64 = 2_000_000;
const HOSTS: u64 = 500;
const GROUPS: u64 = 100;
/// On each page.
pub const LINKS: u64 = 50;

/// The address of a page by its number.
pub fn address(page: u64) -> String {
    format!("http://host{}.test/folder{}/{page}", page % HOSTS, page % 7)
}

/// A word of a group, the commonest first.
pub fn word(group: u64, rank: u64) -> String {
    let syllables = ["ka", "lo", "mi", "ne", "pu", "ra", "so", "ti", "va", "zu"];
    let digits = format!("{group:02}{rank}");
    let digits = digits
        .bytes()
        .map(|digit| syllables[usize::from(digit - b'0')]);
    digits.collect()
}

/// Words of a group, as skewed as words are.
fn words(group: u64, count: u64, rng: &mut SplitMix) -> String {
    let drawn = |rng: &mut SplitMix| {
        let rank = 5_000.0f64.powf(rng.unit()) as u64;
        let own = rng.unit() < 0.3;
        word(if own { group } else { GROUPS }, rank)
    };
    let words: Vec<String> = (0..count).map(|_| drawn(rng)).collect();
    words.join(" ")
}

/// A page by its number.
pub fn page(number: u64) -> String {
    let (group, mut rng) = (number % GROUPS, SplitMix(number));
    let said = words(group, 60, &mut rng);
    let mut page = format!("<title>{}</title><p>{said}", word(number, 0));
    for _ in 0..LINKS {
        let near = rng.unit() < 0.33;
        let target = (rng.unit() * WEB as f64) as u64;
        let target = if near {
            target / GROUPS * GROUPS + group
        } else {
            target
        };
        let (before, anchor) = (
            words(group, 6, &mut rng),
            words(target % GROUPS, 3, &mut rng),
        );
        let address = address(target);
        let _ = write!(page, "<p>{before} <a href='{address}'>{anchor}</a>");
    }
    page
}

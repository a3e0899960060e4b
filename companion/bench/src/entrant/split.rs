//! The ensemble as two, four and eight sessions that share a crawl, each with some of the hosts; and,
//! as most frozen webs have few hosts, with some of the pages wherever these lie, which no crawl does.

use linkscent_core::address::Address;

use super::{Entrant, Regime, ensemble};
use crate::parts::Split;

/// Pages at most that all read together before they hear of each other.
const USUAL: usize = 50;
const MANY: usize = 250;

/// The forms.
pub(crate) static SPLIT: [(Entrant, Split); 8] = [
    split("ensemble-2-parts", 2, USUAL, Address::host),
    split("ensemble-4-parts", 4, USUAL, Address::host),
    split("ensemble-8-parts", 8, USUAL, Address::host),
    split("ensemble-8-parts-late", 8, MANY, Address::host),
    split(
        "ensemble-2-parts-by-page",
        2,
        USUAL,
        Address::without_scheme,
    ),
    split(
        "ensemble-4-parts-by-page",
        4,
        USUAL,
        Address::without_scheme,
    ),
    split(
        "ensemble-8-parts-by-page",
        8,
        USUAL,
        Address::without_scheme,
    ),
    split(
        "ensemble-8-parts-by-page-late",
        8,
        MANY,
        Address::without_scheme,
    ),
];

const fn split(
    name: &'static str,
    parts: u32,
    most: usize,
    kept_together: fn(&Address) -> &str,
) -> (Entrant, Split) {
    let split = Split {
        parts,
        most,
        kept_together,
    };
    let regime = Regime::Split(|every| ensemble(every, |options| options), split);
    (Entrant { name, regime }, split)
}

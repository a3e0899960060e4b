//! The meaning of the words of a link and near it, as numbers that the model weighs: what one
//! link taught counts for others in other words.

use crate::meaning::{DIMENSIONS, LinkMeaning};

/// Numbers of the features begin here: behind all signals, before guests and words.
const FIRST: u32 = 1 << 8;
const _: () = assert!(FIRST as usize + DIMENSIONS <= 1 << 9);
/// Length of all of them together.
const LENGTH: f32 = 0.7;

/// Whether a feature is one of these numbers: where they point is one topic's own.
pub(in crate::strategies) fn is_meaning(feature: u32) -> bool {
    (FIRST..FIRST + DIMENSIONS as u32).contains(&feature)
}

/// Adds the numbers to an instance.
pub(super) fn add(meaning: &LinkMeaning, instance: &mut Vec<(u32, f64)>) {
    let numbers = meaning.all().scaled(LENGTH);
    instance.extend((FIRST..).zip(numbers.numbers().map(f64::from)));
}

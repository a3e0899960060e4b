//! The meaning of the words of a link and near it, as numbers that the model weighs: what one
//! link taught counts for others in other words.

use crate::features::LinkContext;
use crate::meaning::{DIMENSIONS, Meaning, TopicMeaning};
use crate::text::Vocabulary;

/// Numbers of the features begin here: behind all signals, before guests and words.
const FIRST: u32 = 1 << 8;
const _: () = assert!(FIRST as usize + DIMENSIONS <= 1 << 9);
/// Length of all of them together.
const LENGTH: f32 = 0.7;
/// Leaves on either side of a link that count as near it, and how much their words weigh.
const NEAR: i32 = 2;
const NEAR_WEIGHT: f32 = 0.3;

/// Whether a feature is one of these numbers: where they point is one topic's own.
pub(in crate::strategies) fn is_meaning(feature: u32) -> bool {
    (FIRST..FIRST + DIMENSIONS as u32).contains(&feature)
}

/// What a link says by its own words, and with those near it; of length 1 each.
pub(super) struct LinkMeaning {
    anchor: Meaning,
    all: Meaning,
}

impl LinkMeaning {
    pub(super) fn of(context: &LinkContext, vocabulary: &Vocabulary) -> Self {
        let (mut anchor, mut near) = (Meaning::default(), Meaning::default());
        for (feature, count) in context.counts() {
            let offset = feature.offset().0;
            if feature.is_of_page() || offset.abs() > NEAR {
                continue;
            }
            let sum = if offset == 0 { &mut anchor } else { &mut near };
            sum.add(&vocabulary.pieces(feature.term()), (count as f32).sqrt());
        }
        let anchor = anchor.unit();
        let mut all = anchor;
        all += &near.unit().scaled(NEAR_WEIGHT);
        Self {
            anchor,
            all: all.unit(),
        }
    }

    /// Cosines of the link's words and of all words near it to the targets, and of the link's
    /// to the topic's name.
    pub(super) fn cosines(&self, topic: &TopicMeaning) -> [f64; 3] {
        [
            topic.to_words(&self.anchor),
            topic.to_words(&self.all),
            topic.to_name(&self.anchor),
        ]
    }

    /// Adds the numbers to an instance.
    pub(super) fn add(&self, instance: &mut Vec<(u32, f64)>) {
        let numbers = self.all.scaled(LENGTH);
        instance.extend((FIRST..).zip(numbers.numbers().map(f64::from)));
    }
}

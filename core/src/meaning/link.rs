//! What a link says, by the meaning of its words and of those near it.

use super::{Meaning, TopicMeaning};
use crate::features::LinkContext;
use crate::text::Vocabulary;

/// Leaves on either side of a link that count as near it, and how much their words weigh.
const NEAR: i32 = 2;
const NEAR_WEIGHT: f32 = 0.3;

/// What a link says by its own words, and with those near it; of length 1 each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkMeaning {
    anchor: Meaning,
    all: Meaning,
}

impl LinkMeaning {
    /// By the words of a link's context.
    pub fn of(context: &LinkContext, vocabulary: &Vocabulary) -> Self {
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
    pub fn cosines(&self, topic: &TopicMeaning) -> [f64; 3] {
        [
            topic.to_words(&self.anchor),
            topic.to_words(&self.all),
            topic.to_name(&self.anchor),
        ]
    }

    /// Of the link's words and of all words near it together.
    pub fn all(&self) -> &Meaning {
        &self.all
    }
}

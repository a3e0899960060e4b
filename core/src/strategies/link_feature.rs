//! What the apprentice counts of a link: words at their offsets, and links nearby whose
//! pages are known (\[A\] 2.2.2-2.2.3, methods 3.1).

use super::Known;
use crate::dom::DomOffset;
use crate::features::OffsetTerm;
use crate::text::TermId;

/// How much what is said of the whole page counts, where a word in the link
/// counts 1.
const PAGE_WEIGHT: f64 = 0.5;
/// Where neighbours of either kind are counted: no vocabulary gives out such numbers.
const RELEVANT_NEIGHBOUR: TermId = TermId((1 << 26) - 1);
const OTHER_NEIGHBOUR: TermId = TermId((1 << 26) - 2);

/// Whether a number among the counts is that of a neighbour.
pub(super) fn is_neighbour(key: u32) -> bool {
    let term = OffsetTerm::from_bits(key).term();
    [RELEVANT_NEIGHBOUR, OTHER_NEIGHBOUR].contains(&term)
}

/// Something that is counted of links, and whether they led to a good page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkFeature {
    /// A word near the link, or of its page.
    Word(OffsetTerm),
    /// A link nearby whose page is known.
    Neighbour {
        /// Whether that page is relevant.
        is_relevant: bool,
        /// Where it stands, seen from the link.
        offset: DomOffset,
    },
}

impl LinkFeature {
    /// Its number among the counts: that of a word at its offset, or one that no
    /// vocabulary gives out.
    pub(super) fn key(self) -> u32 {
        let feature = match self {
            Self::Word(feature) => feature,
            Self::Neighbour {
                is_relevant,
                offset,
            } => {
                let kind = if is_relevant {
                    RELEVANT_NEIGHBOUR
                } else {
                    OTHER_NEIGHBOUR
                };
                OffsetTerm::new(kind, offset)
            }
        };
        feature.to_bits()
    }

    /// How much it counts, by where it stands.
    pub(super) fn nearness(self) -> f64 {
        match self {
            Self::Word(feature) if feature.is_of_page() => PAGE_WEIGHT,
            Self::Word(feature) => near(feature.offset()),
            Self::Neighbour { offset, .. } => near(offset),
        }
    }

    /// What is known of it before anything was learned: of a word, what the critic makes
    /// of it.
    pub(super) fn prior(self, known: Known<'_>) -> f64 {
        match self {
            Self::Word(feature) => known.critic.word_weight(feature.term()),
            Self::Neighbour { .. } => 0.0,
        }
    }

    /// What it is called in an explanation.
    pub(super) fn label(self, known: Known<'_>) -> String {
        match self {
            Self::Word(word) => {
                let surface = known.graph.vocabulary.surface(word.term());
                if word.is_of_page() {
                    format!("the page: {surface}")
                } else {
                    format!("{surface} at offset {}", word.offset().0)
                }
            }
            Self::Neighbour {
                is_relevant,
                offset: DomOffset(offset),
            } => {
                let kind = if is_relevant { "a relevant" } else { "another" };
                format!("a link to {kind} page at offset {offset}")
            }
        }
    }
}

/// How much something counts that stands at this offset.
fn near(offset: DomOffset) -> f64 {
    1.0 / (1.0 + f64::from(offset.0.abs()))
}

//! MEMM and CRF with words only and with all but words (\[C\] 6.2, 6.4, figures 11 and 13).

use linkscent_core::hops::FeatureGroups;
use linkscent_core::models::ChainKind;
use linkscent_core::strategies::HopTraining;

use super::{Entrant, Regime, hop_chain};

const WORDS: FeatureGroups = FeatureGroups {
    words: true,
    rest: false,
    likeness: false,
};
const REST: FeatureGroups = FeatureGroups {
    words: false,
    rest: true,
    likeness: false,
};

/// The forms.
pub(super) static GROUPS: [Entrant; 4] = [
    with("memm-words", WORDS, ChainKind::Memm),
    with("memm-rest", REST, ChainKind::Memm),
    with("crf-words", WORDS, ChainKind::Crf),
    with("crf-rest", REST, ChainKind::Crf),
];

const fn with(name: &'static str, groups: FeatureGroups, kind: ChainKind) -> Entrant {
    let regime = match kind {
        ChainKind::Memm => Regime::Trained(groups, |web, rng, _| {
            hop_chain(web, rng, HopTraining::new(ChainKind::Memm))
        }),
        ChainKind::Crf => Regime::Trained(groups, |web, rng, _| {
            hop_chain(web, rng, HopTraining::new(ChainKind::Crf))
        }),
    };
    Entrant { name, regime }
}

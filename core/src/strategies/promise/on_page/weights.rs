//! What each cue weighs, for a topic that has a name, marked pages, or both. Fitted to links
//! of the real web and of an encyclopedia by `linkscent-lab links`, which writes this file.

use super::Cue;

/// Log-odds of a link without any cue.
pub(super) const USUAL: [f64; 3] = [-2.864, -3.331, -3.292];

/// Each cue with its mean over those links and its weights.
#[rustfmt::skip]
pub(super) const WEIGHTS: [(Cue, f64, [f64; 3]); 41] = [
    (Cue::OwnToName, 0.070, [-0.566, 0.000, -0.839]),
    (Cue::AddressToName, 0.079, [-0.389, 0.000, -0.435]),
    (Cue::BestToName, 0.096, [1.324, 0.000, 0.984]),
    (Cue::BelowBestToName, -0.383, [-0.266, 0.000, -0.421]),
    (Cue::OwnToNameStanding, -0.047, [0.247, 0.000, 0.128]),
    (Cue::BestToNameStanding, -0.033, [0.529, 0.000, 0.464]),
    (Cue::OwnToTargets, 0.105, [0.000, -1.548, 0.429]),
    (Cue::AddressToTargets, 0.109, [0.000, -0.671, -0.803]),
    (Cue::BestToTargets, 0.122, [0.000, 2.902, 1.676]),
    (Cue::BelowBestToTargets, -0.265, [0.000, 1.803, 1.099]),
    (Cue::OwnToTargetsStanding, 0.004, [0.000, 0.345, 0.168]),
    (Cue::BestToTargetsStanding, 0.019, [0.000, 0.411, 0.092]),
    (Cue::OwnNameWords, 0.015, [0.881, 0.000, 1.118]),
    (Cue::AddressNameWords, 0.026, [1.367, 0.000, 1.379]),
    (Cue::NameWordsAmongOwn, 0.012, [-0.898, 0.000, -0.611]),
    (Cue::NameOnTopic, 0.029, [-2.259, 0.000, -1.229]),
    (Cue::TargetsOnTopic, 0.030, [0.000, -5.878, -3.461]),
    (Cue::NameWordsOnTopic, 0.013, [0.065, 0.000, -0.294]),
    (Cue::NearToName, 0.121, [-0.515, 0.000, -1.117]),
    (Cue::HeadingToName, 0.079, [0.073, 0.000, 0.519]),
    (Cue::NearToTargets, 0.192, [0.000, 0.028, 1.188]),
    (Cue::HeadingToTargets, 0.092, [0.000, 0.010, -0.939]),
    (Cue::NearNameWords, 0.063, [0.601, 0.000, 0.658]),
    (Cue::HeadingNameWords, 0.029, [0.376, 0.000, 0.342]),
    (Cue::NearToNameStanding, 0.013, [0.305, 0.000, 0.225]),
    (Cue::NearToTargetsStanding, 0.113, [0.000, 0.361, 0.089]),
    (Cue::NeighboursToName, 0.074, [4.473, 0.000, 2.442]),
    (Cue::NeighboursToTargets, 0.095, [0.000, 5.756, 3.598]),
    (Cue::NeighboursNameWords, 0.023, [-0.776, 0.000, -0.497]),
    (Cue::FolderToName, 0.072, [1.323, 0.000, 2.354]),
    (Cue::FolderToTargets, 0.099, [0.000, -1.295, -2.074]),
    (Cue::FolderNameWords, 0.019, [-2.693, 0.000, -2.565]),
    (Cue::TitleToName, 0.169, [1.667, 0.000, 1.539]),
    (Cue::TitleToTargets, 0.180, [0.000, 2.796, 0.920]),
    (Cue::TitleNameWords, 0.104, [-0.072, 0.000, -0.077]),
    (Cue::LinksWithNameWords, 0.049, [-1.059, 0.000, -1.034]),
    (Cue::OwnWords, 0.906, [0.442, 0.503, 0.285]),
    (Cue::IsWordless, 0.038, [0.349, 0.711, 0.456]),
    (Cue::Position, 0.488, [-0.188, -0.269, -0.136]),
    (Cue::Links, 4.307, [-0.383, -0.182, -0.313]),
    (Cue::IsOnHost, 0.921, [0.039, -0.253, -0.021]),
];

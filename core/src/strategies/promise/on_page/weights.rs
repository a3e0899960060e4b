//! What each cue weighs, for a topic that has a name, marked pages, or both. Fitted to 120 pages
//! of the real web by `linkscent-lab links`, which writes this file.

use super::Cue;

/// Log-odds of a link without any cue.
pub(super) const USUAL: [f64; 3] = [-0.842, -1.008, -1.006];

/// Each cue with its mean over those links and its weights.
#[rustfmt::skip]
pub(super) const WEIGHTS: [(Cue, f64, [f64; 3]); 41] = [
    (Cue::OwnToName, 0.093, [-0.790, 0.000, -1.162]),
    (Cue::AddressToName, 0.117, [-0.127, 0.000, 0.001]),
    (Cue::BestToName, 0.159, [-0.155, 0.000, -0.269]),
    (Cue::BelowBestToName, -0.489, [0.326, 0.000, 0.121]),
    (Cue::OwnToNameStanding, 0.003, [0.273, 0.000, 0.185]),
    (Cue::BestToNameStanding, 0.033, [0.472, 0.000, 0.421]),
    (Cue::OwnToTargets, 0.093, [0.000, -1.347, 0.448]),
    (Cue::AddressToTargets, 0.101, [0.000, 0.054, -0.552]),
    (Cue::BestToTargets, 0.136, [0.000, -0.117, -0.008]),
    (Cue::BelowBestToTargets, -0.265, [0.000, 1.654, 0.595]),
    (Cue::OwnToTargetsStanding, 0.006, [0.000, 0.341, 0.168]),
    (Cue::BestToTargetsStanding, 0.038, [0.000, 0.460, 0.179]),
    (Cue::OwnNameWords, 0.035, [1.107, 0.000, 1.152]),
    (Cue::AddressNameWords, 0.066, [1.337, 0.000, 1.275]),
    (Cue::NameWordsAmongOwn, 0.028, [-0.811, 0.000, -0.465]),
    (Cue::NameOnTopic, 0.060, [-0.541, 0.000, 0.086]),
    (Cue::TargetsOnTopic, 0.032, [0.000, -4.590, -4.095]),
    (Cue::NameWordsOnTopic, 0.035, [-0.226, 0.000, -0.236]),
    (Cue::NearToName, 0.146, [-0.731, 0.000, -1.161]),
    (Cue::HeadingToName, 0.106, [0.507, 0.000, 0.910]),
    (Cue::NearToTargets, 0.152, [0.000, 0.786, 1.326]),
    (Cue::HeadingToTargets, 0.080, [0.000, 0.483, -0.737]),
    (Cue::NearNameWords, 0.091, [0.651, 0.000, 0.709]),
    (Cue::HeadingNameWords, 0.062, [-0.030, 0.000, -0.138]),
    (Cue::NearToNameStanding, 0.032, [0.317, 0.000, 0.229]),
    (Cue::NearToTargetsStanding, 0.049, [0.000, 0.261, 0.055]),
    (Cue::NeighboursToName, 0.125, [2.926, 0.000, 1.826]),
    (Cue::NeighboursToTargets, 0.107, [0.000, 3.371, 2.318]),
    (Cue::NeighboursNameWords, 0.061, [-0.153, 0.000, -0.262]),
    (Cue::FolderToName, 0.097, [0.575, 0.000, 0.352]),
    (Cue::FolderToTargets, 0.081, [0.000, -0.237, 0.312]),
    (Cue::FolderNameWords, 0.047, [-2.082, 0.000, -1.759]),
    (Cue::TitleToName, 0.296, [0.870, 0.000, 1.026]),
    (Cue::TitleToTargets, 0.206, [0.000, 1.484, 0.606]),
    (Cue::TitleNameWords, 0.266, [-0.083, 0.000, -0.176]),
    (Cue::LinksWithNameWords, 0.127, [-0.743, 0.000, -0.643]),
    (Cue::OwnWords, 0.976, [0.143, 0.240, 0.052]),
    (Cue::IsWordless, 0.105, [-0.048, 0.221, 0.086]),
    (Cue::Position, 0.491, [-0.262, -0.420, -0.245]),
    (Cue::Links, 4.687, [-0.505, -0.411, -0.506]),
    (Cue::IsOnHost, 0.775, [0.216, -0.009, 0.150]),
];

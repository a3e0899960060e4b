//! What each cue weighs, for a topic that has a name, marked pages, or both, and the same for links
//! that a sentence model has read. Fitted to links of the real web and of an encyclopedia by
//! `linkscent-lab links`, which writes this file.

use super::Cue;

/// Log-odds of a link without any cue.
pub(super) const USUAL: [f64; 6] = [-2.864, -3.331, -3.292, -4.420, -3.438, -4.484];

/// Each cue with its mean over those links and its weights.
#[rustfmt::skip]
pub(super) const WEIGHTS: [(Cue, f64, [f64; 6]); 49] = [
    (Cue::OwnToName, 0.070, [-0.566, 0.000, -0.838, -1.486, 0.000, -1.345]),
    (Cue::AddressToName, 0.079, [-0.389, 0.000, -0.435, -0.463, 0.000, -0.198]),
    (Cue::BestToName, 0.096, [1.324, 0.000, 0.983, 0.963, 0.000, 0.713]),
    (Cue::BelowBestToName, -0.383, [-0.266, 0.000, -0.421, -0.007, 0.000, -0.321]),
    (Cue::OwnToNameStanding, -0.047, [0.247, 0.000, 0.127, 0.041, 0.000, -0.040]),
    (Cue::BestToNameStanding, -0.033, [0.529, 0.000, 0.464, 0.424, 0.000, 0.417]),
    (Cue::OwnToTargets, 0.105, [0.000, -1.548, 0.429, 0.000, -1.768, 0.239]),
    (Cue::AddressToTargets, 0.109, [0.000, -0.671, -0.803, 0.000, 0.043, -0.522]),
    (Cue::BestToTargets, 0.122, [0.000, 2.902, 1.677, 0.000, 0.680, 0.014]),
    (Cue::BelowBestToTargets, -0.265, [0.000, 1.803, 1.099, 0.000, 3.561, 2.554]),
    (Cue::OwnToTargetsStanding, 0.004, [0.000, 0.345, 0.168, 0.000, 0.084, 0.021]),
    (Cue::BestToTargetsStanding, 0.019, [0.000, 0.411, 0.092, 0.000, 0.291, -0.037]),
    (Cue::OwnNameWords, 0.015, [0.881, 0.000, 1.118, 0.257, 0.000, 0.788]),
    (Cue::AddressNameWords, 0.026, [1.367, 0.000, 1.379, 1.558, 0.000, 1.366]),
    (Cue::NameWordsAmongOwn, 0.012, [-0.898, 0.000, -0.611, -1.031, 0.000, -0.892]),
    (Cue::NameOnTopic, 0.029, [-2.259, 0.000, -1.229, -1.920, 0.000, -0.764]),
    (Cue::TargetsOnTopic, 0.030, [0.000, -5.878, -3.461, 0.000, -6.285, -4.153]),
    (Cue::NameWordsOnTopic, 0.013, [0.065, 0.000, -0.294, 0.404, 0.000, 0.287]),
    (Cue::SentenceToName, 0.227, [0.000, 0.000, 0.000, 2.575, 0.000, 0.404]),
    (Cue::SentenceBelowBest, -0.293, [0.000, 0.000, 0.000, -1.142, 0.000, -1.081]),
    (Cue::SentenceStanding, 0.210, [0.000, 0.000, 0.000, 0.455, 0.000, 0.383]),
    (Cue::SentenceToTargets, 0.100, [0.000, 0.000, 0.000, 0.000, 6.019, 4.758]),
    (Cue::SentenceBelowBestToTargets, -0.179, [0.000, 0.000, 0.000, 0.000, -1.804, -0.718]),
    (Cue::SentenceToTargetsStanding, -0.026, [0.000, 0.000, 0.000, 0.000, 0.608, 0.181]),
    (Cue::SentenceRank, 2.675, [0.000, 0.000, 0.000, -0.131, 0.023, -0.129]),
    (Cue::SentenceToLeaders, 0.429, [0.000, 0.000, 0.000, -0.537, -0.873, -0.148]),
    (Cue::NearToName, 0.121, [-0.515, 0.000, -1.117, -0.476, 0.000, -1.196]),
    (Cue::HeadingToName, 0.079, [0.073, 0.000, 0.519, 0.111, 0.000, 0.732]),
    (Cue::NearToTargets, 0.192, [0.000, 0.028, 1.188, 0.000, 0.261, 1.211]),
    (Cue::HeadingToTargets, 0.092, [0.000, 0.010, -0.939, 0.000, -0.103, -1.075]),
    (Cue::NearNameWords, 0.063, [0.601, 0.000, 0.659, 0.562, 0.000, 0.689]),
    (Cue::HeadingNameWords, 0.029, [0.376, 0.000, 0.342, 0.478, 0.000, 0.339]),
    (Cue::NearToNameStanding, 0.013, [0.305, 0.000, 0.225, 0.296, 0.000, 0.248]),
    (Cue::NearToTargetsStanding, 0.113, [0.000, 0.361, 0.089, 0.000, 0.355, 0.059]),
    (Cue::NeighboursToName, 0.074, [4.473, 0.000, 2.443, 4.679, 0.000, 2.679]),
    (Cue::NeighboursToTargets, 0.095, [0.000, 5.756, 3.598, 0.000, 4.134, 3.144]),
    (Cue::NeighboursNameWords, 0.023, [-0.776, 0.000, -0.497, -1.709, 0.000, -1.294]),
    (Cue::FolderToName, 0.072, [1.323, 0.000, 2.354, 1.056, 0.000, 1.576]),
    (Cue::FolderToTargets, 0.099, [0.000, -1.295, -2.074, 0.000, -1.195, -1.256]),
    (Cue::FolderNameWords, 0.019, [-2.693, 0.000, -2.565, -2.635, 0.000, -2.265]),
    (Cue::TitleToName, 0.169, [1.667, 0.000, 1.539, 1.436, 0.000, 1.598]),
    (Cue::TitleToTargets, 0.180, [0.000, 2.796, 0.920, 0.000, 2.622, 0.629]),
    (Cue::TitleNameWords, 0.104, [-0.072, 0.000, -0.077, -0.113, 0.000, -0.159]),
    (Cue::LinksWithNameWords, 0.049, [-1.059, 0.000, -1.034, -0.602, 0.000, -1.203]),
    (Cue::OwnWords, 0.906, [0.442, 0.503, 0.285, 0.697, 0.455, 0.414]),
    (Cue::IsWordless, 0.038, [0.349, 0.711, 0.456, 0.913, 0.873, 0.677]),
    (Cue::Position, 0.488, [-0.188, -0.269, -0.136, -0.112, -0.390, -0.129]),
    (Cue::Links, 4.307, [-0.383, -0.182, -0.313, -0.132, -0.114, -0.062]),
    (Cue::IsOnHost, 0.921, [0.039, -0.253, -0.021, 0.046, -0.334, -0.040]),
];

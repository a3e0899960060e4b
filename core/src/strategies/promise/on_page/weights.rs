//! What each cue weighs, for a topic that has a name, marked pages, or both, and for links that a
//! sentence model has read, with a name, or with both. Fitted to links of the real web and of an
//! encyclopedia by `linkscent-lab links`, which writes this file.

use super::Cue;

/// Log-odds of a link without any cue.
pub(super) const USUAL: [f64; 5] = [-2.864, -3.331, -3.292, -4.420, -4.761];

/// Each cue with its mean over those links and its weights.
#[rustfmt::skip]
pub(super) const WEIGHTS: [(Cue, f64, [f64; 5]); 46] = [
    (Cue::OwnToName, 0.070, [-0.566, 0.000, -0.839, -1.486, -1.644]),
    (Cue::AddressToName, 0.079, [-0.389, 0.000, -0.435, -0.463, -0.542]),
    (Cue::BestToName, 0.096, [1.324, 0.000, 0.984, 0.963, 0.846]),
    (Cue::BelowBestToName, -0.383, [-0.266, 0.000, -0.421, -0.007, -0.408]),
    (Cue::OwnToNameStanding, -0.047, [0.247, 0.000, 0.128, 0.041, -0.043]),
    (Cue::BestToNameStanding, -0.033, [0.529, 0.000, 0.464, 0.424, 0.371]),
    (Cue::OwnToTargets, 0.105, [0.000, -1.548, 0.429, 0.000, 0.683]),
    (Cue::AddressToTargets, 0.109, [0.000, -0.671, -0.803, 0.000, -0.579]),
    (Cue::BestToTargets, 0.122, [0.000, 2.902, 1.676, 0.000, 1.201]),
    (Cue::BelowBestToTargets, -0.265, [0.000, 1.803, 1.099, 0.000, 1.582]),
    (Cue::OwnToTargetsStanding, 0.004, [0.000, 0.345, 0.168, 0.000, 0.124]),
    (Cue::BestToTargetsStanding, 0.019, [0.000, 0.411, 0.092, 0.000, 0.016]),
    (Cue::OwnNameWords, 0.015, [0.881, 0.000, 1.118, 0.257, 0.462]),
    (Cue::AddressNameWords, 0.026, [1.367, 0.000, 1.379, 1.558, 1.512]),
    (Cue::NameWordsAmongOwn, 0.012, [-0.898, 0.000, -0.611, -1.031, -0.661]),
    (Cue::NameOnTopic, 0.029, [-2.259, 0.000, -1.229, -1.920, -1.012]),
    (Cue::TargetsOnTopic, 0.030, [0.000, -5.878, -3.461, 0.000, -2.831]),
    (Cue::NameWordsOnTopic, 0.013, [0.065, 0.000, -0.294, 0.404, 0.087]),
    (Cue::SentenceToName, 0.227, [0.000, 0.000, 0.000, 2.575, 1.740]),
    (Cue::SentenceBelowBest, -0.293, [0.000, 0.000, 0.000, -1.142, -1.003]),
    (Cue::SentenceStanding, 0.210, [0.000, 0.000, 0.000, 0.455, 0.408]),
    (Cue::SentenceRank, 2.672, [0.000, 0.000, 0.000, -0.131, -0.141]),
    (Cue::SentenceToLeaders, 0.429, [0.000, 0.000, 0.000, -0.537, 0.141]),
    (Cue::NearToName, 0.121, [-0.515, 0.000, -1.117, -0.476, -1.160]),
    (Cue::HeadingToName, 0.079, [0.073, 0.000, 0.519, 0.111, 0.685]),
    (Cue::NearToTargets, 0.192, [0.000, 0.028, 1.188, 0.000, 1.098]),
    (Cue::HeadingToTargets, 0.092, [0.000, 0.010, -0.939, 0.000, -1.168]),
    (Cue::NearNameWords, 0.063, [0.601, 0.000, 0.658, 0.562, 0.621]),
    (Cue::HeadingNameWords, 0.029, [0.376, 0.000, 0.342, 0.478, 0.399]),
    (Cue::NearToNameStanding, 0.013, [0.305, 0.000, 0.225, 0.296, 0.236]),
    (Cue::NearToTargetsStanding, 0.113, [0.000, 0.361, 0.089, 0.000, 0.077]),
    (Cue::NeighboursToName, 0.074, [4.473, 0.000, 2.442, 4.679, 2.739]),
    (Cue::NeighboursToTargets, 0.095, [0.000, 5.756, 3.598, 0.000, 3.967]),
    (Cue::NeighboursNameWords, 0.023, [-0.776, 0.000, -0.497, -1.709, -1.579]),
    (Cue::FolderToName, 0.072, [1.323, 0.000, 2.354, 1.056, 1.811]),
    (Cue::FolderToTargets, 0.099, [0.000, -1.295, -2.074, 0.000, -1.850]),
    (Cue::FolderNameWords, 0.019, [-2.693, 0.000, -2.565, -2.635, -2.331]),
    (Cue::TitleToName, 0.169, [1.667, 0.000, 1.539, 1.436, 1.566]),
    (Cue::TitleToTargets, 0.180, [0.000, 2.796, 0.920, 0.000, 0.347]),
    (Cue::TitleNameWords, 0.104, [-0.072, 0.000, -0.077, -0.113, -0.125]),
    (Cue::LinksWithNameWords, 0.049, [-1.059, 0.000, -1.034, -0.602, -0.590]),
    (Cue::OwnWords, 0.906, [0.442, 0.503, 0.285, 0.697, 0.551]),
    (Cue::IsWordless, 0.038, [0.349, 0.711, 0.456, 0.913, 1.000]),
    (Cue::Position, 0.488, [-0.188, -0.269, -0.136, -0.112, -0.148]),
    (Cue::Links, 4.307, [-0.383, -0.182, -0.313, -0.132, -0.060]),
    (Cue::IsOnHost, 0.921, [0.039, -0.253, -0.021, 0.046, -0.041]),
];

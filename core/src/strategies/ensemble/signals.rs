//! What the ensemble knows of a link, as named signals: the members' words on it as it
//! stands before the page is fetched, and statistics. One table says of each what it is
//! called, to which group it belongs and how it is read; explanation, ablation and model
//! follow from it.

use serde::{Deserialize, Serialize};

use super::evidence::Evidence;
use crate::strategies::MemberScores;

/// How many there are.
pub(super) const SIGNALS: usize = 28;

/// A number that the ensemble knows of a link. Its place is its feature's number, also in
/// model files: new ones are added at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    AnyLink,
    PageRelevance,
    PageLogOdds,
    PageSimilarity,
    RelevanceBefore,
    Apprentice,
    ContentRatio,
    UrlRatio,
    LinkRatio,
    SiblingRatio,
    Site,
    Template,
    RelevantInlinks,
    InlinkShare,
    Inlinks,
    AnchorWeight,
    TrailLength,
    OneLinkAway,
    OnPath,
    HopTarget,
    HopClicks,
    AnchorToTargets,
    NearToTargets,
    AnchorToName,
    Remembered,
    LeadsOn,
    Inherited,
    WordsToTargets,
}

/// What a signal is.
pub(super) struct Description {
    signal: Signal,
    /// What it is called in explanations.
    pub(super) name: &'static str,
    /// The part of the ensemble it belongs to, if it can be left out.
    group: Option<SignalGroup>,
    read: fn(&Evidence<'_>) -> f64,
}

const fn row(
    signal: Signal,
    name: &'static str,
    group: Option<SignalGroup>,
    read: fn(&Evidence<'_>) -> f64,
) -> Description {
    Description {
        signal,
        name,
        group,
        read,
    }
}

/// All signals, each at its place.
pub(super) const TABLE: [Description; SIGNALS] = {
    use SignalGroup::{
        Apprentice, Cosine, Critic, Groups, Hops, Inlinks, Levels, Likeness, Meaning, Memory,
        Ratios,
    };
    [
        row(Signal::AnyLink, "any link", None, |_| 1.0),
        row(
            Signal::PageRelevance,
            "relevance of the page with the link",
            Some(Critic),
            |link| link.page.judgment.relevance.value(),
        ),
        row(
            Signal::PageLogOdds,
            "its log-odds per word",
            Some(Critic),
            |link| link.page.judgment.log_odds,
        ),
        row(
            Signal::PageSimilarity,
            "its similarity to a target",
            Some(Cosine),
            |link| link.page.judgment.similarity,
        ),
        row(
            Signal::RelevanceBefore,
            "relevance of the page before it",
            Some(Critic),
            |link| link.page.before,
        ),
        row(Signal::Apprentice, "apprentice", Some(Apprentice), |link| {
            link.apprentice
        }),
        row(
            Signal::ContentRatio,
            "interest ratio of the page's words",
            Some(Ratios),
            |link| link.page.content,
        ),
        row(
            Signal::UrlRatio,
            "interest ratio of URL tokens",
            Some(Ratios),
            |link| link.url_ratio,
        ),
        row(
            Signal::LinkRatio,
            "interest ratio of links",
            Some(Ratios),
            |link| link.page.link,
        ),
        row(
            Signal::SiblingRatio,
            "interest ratio of siblings",
            Some(Ratios),
            |link| link.page.sibling,
        ),
        row(Signal::Site, "the site so far", Some(Groups), |link| {
            link.site
        }),
        row(
            Signal::Template,
            "pages with such an address so far",
            Some(Groups),
            |link| link.template,
        ),
        row(
            Signal::RelevantInlinks,
            "relevant pages that link there",
            Some(Inlinks),
            |link| f64::from(link.inlinks.relevant).ln_1p(),
        ),
        row(
            Signal::InlinkShare,
            "share of relevant pages among those that link there",
            Some(Inlinks),
            |link| (link.inlinks.relevance + 0.5) / (f64::from(link.inlinks.all) + 1.0),
        ),
        row(
            Signal::Inlinks,
            "pages that link there",
            Some(Inlinks),
            |link| f64::from(link.inlinks.all).ln_1p(),
        ),
        row(
            Signal::AnchorWeight,
            "words of the anchor, to the critic",
            Some(Critic),
            |link| link.anchor_weight,
        ),
        row(Signal::TrailLength, "clicks from the seed", None, |link| {
            link.trail_length
        }),
        row(
            Signal::OneLinkAway,
            "one link from a target, by paths so far",
            Some(Levels),
            |link| link.one_link_away,
        ),
        row(
            Signal::OnPath,
            "on a path to a target, by paths so far",
            Some(Levels),
            |link| link.on_path,
        ),
        row(
            Signal::HopTarget,
            "a target, by hop distances",
            Some(Hops),
            |link| link.hop_target,
        ),
        row(
            Signal::HopClicks,
            "clicks to a target, by hop distances",
            Some(Hops),
            |link| link.hop_clicks,
        ),
        row(
            Signal::AnchorToTargets,
            "meaning of the link's words, by the targets",
            Some(Meaning),
            |link| link.cosines[0],
        ),
        row(
            Signal::NearToTargets,
            "meaning of the words near it, by the targets",
            Some(Meaning),
            |link| link.cosines[1],
        ),
        row(
            Signal::AnchorToName,
            "meaning of the link's words, by the topic's name",
            Some(Meaning),
            |link| link.cosines[2],
        ),
        row(
            Signal::Remembered,
            "what earlier crawls read there",
            Some(Memory),
            |link| link.remembered,
        ),
        row(
            Signal::LeadsOn,
            "what earlier crawls found by such pages",
            Some(Memory),
            |link| link.page.leads_on,
        ),
        row(
            Signal::Inherited,
            "what is left of the similarity of a page before it",
            Some(Likeness),
            |link| link.page.inherited,
        ),
        row(
            Signal::WordsToTargets,
            "similarity of the link's words to a target",
            Some(Likeness),
            |link| link.words_to_targets,
        ),
    ]
};

/// The signals of a link, those left out as 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signals([f64; SIGNALS]);

impl Signals {
    /// By what is known of the link, but for what is left out.
    pub(super) fn of_evidence(evidence: &Evidence<'_>, without: Option<SignalGroup>) -> Self {
        let is_left_out = |row: &Description| row.group.is_some() && row.group == without;
        let mut signals = [0.0; SIGNALS];
        for row in TABLE.iter().filter(|row| !is_left_out(row)) {
            signals[row.signal as usize] = (row.read)(evidence);
        }
        Self(signals)
    }

    /// One of them.
    pub(super) fn of(&self, signal: Signal) -> f64 {
        self.0[signal as usize]
    }

    /// All but the first, which is the same for any link, with their places.
    pub(super) fn varying(&self) -> impl Iterator<Item = (usize, f64)> + use<> {
        self.0.into_iter().enumerate().skip(1)
    }

    /// The log-odds of a link before anything was learned: that good pages link to
    /// good pages, by words that the critic knows, and by hop distances, which were
    /// learned before.
    pub(super) fn prior_log_odds(&self) -> f64 {
        self.of(Signal::PageRelevance)
            + self.of(Signal::PageLogOdds)
            + self.of(Signal::Apprentice)
            + self.of(Signal::HopTarget).clamp(-FARTHEST, FARTHEST)
            + self.of(Signal::Remembered)
            + COSINE_LOG_ODDS * (self.of(Signal::NearToTargets) + self.of(Signal::AnchorToName))
    }

    /// How like the targets a page before the link and its words are, 0..=2.
    pub(super) fn likeness(&self) -> f64 {
        self.of(Signal::Inherited) + self.of(Signal::WordsToTargets)
    }

    /// What other rankings make of the link: the log-odds of the page with it, the
    /// apprentice, the interest ratios together, and hop distances or the paths so far.
    pub(super) fn members(&self, has_hops: bool) -> MemberScores {
        let ratios = self.of(Signal::ContentRatio)
            + self.of(Signal::UrlRatio)
            + self.of(Signal::LinkRatio)
            + self.of(Signal::SiblingRatio);
        let distance = if has_hops {
            Signal::HopTarget
        } else {
            Signal::OneLinkAway
        };
        MemberScores::new([
            self.of(Signal::PageLogOdds),
            self.of(Signal::Apprentice),
            ratios,
            self.of(distance),
        ])
    }
}

/// Numbers are cut off at so many standard deviations.
const FARTHEST: f64 = 4.0;
/// Log-odds that words of the very meaning of the targets or of the name are worth before
/// anything was learned.
const COSINE_LOG_ODDS: f64 = 2.0;

/// A part of the ensemble, to be left out where its worth is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalGroup {
    /// What the critic makes of the page with the link and of the anchor.
    Critic,
    /// The similarity of the page with the link to the targets.
    Cosine,
    /// Likeness to the targets of pages before the link and of its words.
    Likeness,
    /// The apprentice.
    Apprentice,
    /// The interest ratios.
    Ratios,
    /// How often pages of the same site and template were good.
    Groups,
    /// The pages that link there.
    Inlinks,
    /// ACHE's levels.
    Levels,
    /// Hop distances.
    Hops,
    /// Hashed words.
    Words,
    /// Vectors of words.
    Meaning,
    /// What earlier crawls read.
    Memory,
}

/// Mean and spread of a number so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RunningStats {
    /// Links looked at.
    pub count: f64,
    /// Their mean.
    pub mean: f64,
    /// Squares of what they were off the mean, summed up.
    pub squares: f64,
}

impl RunningStats {
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1.0;
        let off = value - self.mean;
        self.mean += off / self.count;
        self.squares += off * (value - self.mean);
    }

    /// Standard deviations off the mean.
    pub(super) fn standardised(&self, value: f64) -> f64 {
        if self.count < 2.0 {
            return 0.0;
        }
        let deviation = (self.squares / self.count).sqrt().max(1e-6);
        ((value - self.mean) / deviation).clamp(-FARTHEST, FARTHEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signal_stands_at_its_place() {
        let places = TABLE.iter().map(|row| row.signal as usize);
        assert!(places.eq(0..SIGNALS));
        let without = TABLE.iter().filter(|row| row.group.is_none());
        let without: Vec<Signal> = without.map(|row| row.signal).collect();
        assert_eq!(without, [Signal::AnyLink, Signal::TrailLength]);
    }

    #[test]
    fn numbers_are_measured_in_deviations_and_cut_off() {
        let mut stats = RunningStats::default();
        assert_eq!(stats.standardised(5.0), 0.0, "nothing to measure by");
        for value in [1.0, 3.0, 1.0, 3.0] {
            stats.add(value);
        }
        assert!((stats.standardised(3.0) - 1.0).abs() < 1e-12);
        assert_eq!(stats.standardised(1e9), FARTHEST);
    }
}

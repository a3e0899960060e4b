//! What the ensemble knows of a link, as named signals: the members' words on it as it
//! stands before the page is fetched, and statistics. One table says of each what it is
//! called, to which group it belongs and how it is read; explanation, ablation and model
//! follow from it.

use serde::{Deserialize, Serialize};

use super::Ensemble;
use super::inlinks::Sums;
use crate::meaning::LinkMeaning;
use crate::strategies::{Candidate, Known, MemberScores, shark_search};
use crate::web_graph::{Judgment, Lead};

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

/// What signals are read from.
pub(super) struct Evidence<'a> {
    page: &'a PageSignals,
    apprentice: f64,
    url_ratio: f64,
    site: f64,
    template: f64,
    inlinks: Sums,
    anchor_weight: f64,
    trail_length: f64,
    one_link_away: f64,
    on_path: f64,
    hop_target: f64,
    hop_clicks: f64,
    /// See [`LinkMeaning::cosines`].
    cosines: [f64; 3],
    /// See [`crate::web_graph::Remembered::log_odds`].
    remembered: f64,
    /// See [`shark_search::likeness`].
    words_to_targets: f64,
}

/// The signals of a link, those left out as 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signals([f64; SIGNALS]);

impl Signals {
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
/// Pages by which what was found by pages of one folder is drawn towards what is usual.
const LEAD_SMOOTHING: f64 = 4.0;
/// Log-odds of members are cut off there.
const MOST_LOG_ODDS: f64 = 10.0;

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

/// What all links of a page have in common.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageSignals {
    judgment: Judgment,
    /// Relevance of the page before it on the way.
    before: f64,
    content: f64,
    link: f64,
    sibling: f64,
    /// `ln` of how much more relevant than usual pages are that earlier crawls found by such pages.
    leads_on: f64,
    /// See [`shark_search::inheritance`].
    inherited: f64,
}

impl Ensemble {
    /// What is known of the page with a link, by its judgment now.
    pub(super) fn of_page(&self, link: &Candidate, known: Known<'_>) -> PageSignals {
        let before = link.trail.steps().nth(1).map_or(0.0, |step| {
            let page = known.graph.page(&step.address);
            let relevance = page.map_or(step.relevance, |page| page.judgment.relevance);
            relevance.value()
        });
        let Some(page) = link.source().and_then(|page| known.graph.page(page)) else {
            return PageSignals {
                before,
                ..PageSignals::default()
            };
        };
        let content = self.contents.get(&page.address).copied();
        let (lead, all) = known.graph.remembered.lead(&page.address);
        PageSignals {
            inherited: shark_search::inheritance(link, known),
            leads_on: leads_on(lead, all),
            judgment: page.judgment,
            before,
            content: content.unwrap_or_else(|| self.ratios.content(page)),
            link: self.ratios.link(page),
            sibling: self.ratios.sibling(page),
        }
    }

    /// What is known of a link; `url` is the words of its address.
    pub(super) fn signals(
        &self,
        link: &Candidate,
        url: &[String],
        page: &PageSignals,
        meaning: &LinkMeaning,
        known: Known<'_>,
    ) -> Signals {
        let [site, template] = self.groups.log_rates(&link.target);
        let [one_link_away, on_path] =
            self.levels
                .log_odds(url, &link.context, &known.graph.vocabulary);
        let [hop_target, hop_clicks] = self.hop_signals(link, known);
        let evidence = Evidence {
            page,
            apprentice: self.apprentice.log_odds(link, known),
            url_ratio: self.ratios.url(url),
            site,
            template,
            inlinks: self.inlinks.of(&link.target),
            anchor_weight: anchor_weight(link, known),
            trail_length: f64::from(link.trail.len()),
            one_link_away,
            on_path,
            hop_target,
            hop_clicks,
            cosines: meaning.cosines(&known.graph.topic_meaning),
            remembered: known.graph.remembered.log_odds(&link.target),
            words_to_targets: shark_search::likeness(link, known),
        };
        let is_left_out =
            |row: &Description| row.group.is_some() && row.group == self.options.without;
        let mut signals = [0.0; SIGNALS];
        for row in TABLE.iter().filter(|row| !is_left_out(row)) {
            signals[row.signal as usize] = (row.read)(&evidence);
        }
        Signals(signals)
    }

    /// Log-odds of a target, and clicks that one is expected to be away.
    fn hop_signals(&self, link: &Candidate, known: Known<'_>) -> [f64; 2] {
        let Some(hops) = &self.hops else {
            return [0.0; 2];
        };
        let belief = hops.belief(link, known);
        let clicks = belief
            .iter()
            .zip(0..)
            .map(|(share, far)| share * f64::from(far));
        [log_odds(belief[0]), clicks.sum()]
    }
}

/// `ln` of how much more relevant than all that is remembered those pages are; 0 where nothing is.
fn leads_on(lead: Lead, all: Lead) -> f64 {
    let usual = (all.good + 0.5) / (all.pages + 1.0);
    let rate = (lead.good + LEAD_SMOOTHING * usual) / (lead.pages + LEAD_SMOOTHING);
    (rate / usual).ln()
}

/// Log-odds of a probability, cut off.
pub(super) fn log_odds(share: f64) -> f64 {
    let odds = (share / (1.0 - share)).ln();
    if odds.is_nan() {
        return 0.0;
    }
    odds.clamp(-MOST_LOG_ODDS, MOST_LOG_ODDS)
}

/// What the critic makes of the words of the anchor, per word.
fn anchor_weight(link: &Candidate, known: Known<'_>) -> f64 {
    let (mut sum, mut words) = (0.0, 1.0);
    for (feature, count) in link.context.counts() {
        if feature.offset().0 == 0 && !feature.is_of_page() {
            sum += f64::from(count) * known.critic.word_weight(feature.term());
            words += f64::from(count);
        }
    }
    sum / words
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
        assert_eq!(log_odds(0.0), -MOST_LOG_ODDS);
        assert_eq!(log_odds(1.0), MOST_LOG_ODDS);
        assert_eq!(log_odds(f64::NAN), 0.0);
        assert!(log_odds(0.5).abs() < 1e-12);
    }
}

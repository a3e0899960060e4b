//! What the ensemble knows of a link, as signals: the members' words on it as it
//! stands before the page is fetched, and statistics.

use super::Ensemble;
use crate::strategies::{Candidate, Known};
use crate::web_graph::Judgment;

/// How many there are.
pub(super) const NUMBERS: usize = 21;

/// What they are called, in their order.
pub(super) const NAMES: [&str; NUMBERS] = [
    "any link",
    "relevance of the page with the link",
    "its log-odds per word",
    "its similarity to a target",
    "relevance of the page before it",
    "apprentice",
    "interest ratio of the page's words",
    "interest ratio of URL tokens",
    "interest ratio of links",
    "interest ratio of siblings",
    "the site so far",
    "pages with such an address so far",
    "relevant pages that link there",
    "share of relevant pages among those that link there",
    "pages that link there",
    "words of the anchor, to the critic",
    "clicks from the seed",
    "one link from a target, by paths so far",
    "on a path to a target, by paths so far",
    "a target, by hop distances",
    "clicks to a target, by hop distances",
];

/// Numbers are cut off at so many standard deviations.
const FARTHEST: f64 = 4.0;
/// Log-odds of members are cut off there.
const MOST_LOG_ODDS: f64 = 10.0;

/// A part of the ensemble, to be left out where its worth is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalGroup {
    /// What the critic makes of the page with the link and of the anchor.
    Critic,
    /// The similarity of the page with the link to the targets.
    Cosine,
    /// The apprentice.
    Apprentice,
    /// The interest ratios.
    Ratios,
    /// How site and template fared.
    Groups,
    /// The pages that link there.
    Inlinks,
    /// ACHE's levels.
    Levels,
    /// Hop distances.
    Hops,
    /// Hashed words.
    Words,
}

impl SignalGroup {
    /// Its signals' places in [`NAMES`].
    fn places(self) -> &'static [usize] {
        match self {
            Self::Critic => &[1, 2, 4, 15],
            Self::Cosine => &[3],
            Self::Apprentice => &[5],
            Self::Ratios => &[6, 7, 8, 9],
            Self::Groups => &[10, 11],
            Self::Inlinks => &[12, 13, 14],
            Self::Levels => &[17, 18],
            Self::Hops => &[19, 20],
            Self::Words => &[],
        }
    }
}

/// Mean and spread of a number so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
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
}

impl Ensemble {
    /// What is known of the page with a link, by what is thought of it now.
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
        PageSignals {
            judgment: page.judgment,
            before,
            content: content.unwrap_or_else(|| self.ratios.content(page)),
            link: self.ratios.link(page),
            sibling: self.ratios.sibling(page),
        }
    }

    /// What is known of a link, in the order of [`NAMES`]; `url` is the words of
    /// its address.
    pub(super) fn signals(
        &self,
        link: &Candidate,
        url: &[String],
        page: &PageSignals,
        known: Known<'_>,
    ) -> [f64; NUMBERS] {
        let inlinks = self.inlinks.of(&link.target);
        let [site, template] = self.groups.log_rates(&link.target);
        let [near, on_path] = self.levels.log_odds(url, &link.context);
        let [is_target, clicks] = self.hop_numbers(link, known);
        let mut signals = [
            1.0,
            page.judgment.relevance.value(),
            page.judgment.log_odds,
            page.judgment.similarity,
            page.before,
            self.apprentice.log_odds(link, known),
            page.content,
            self.ratios.url(url),
            page.link,
            page.sibling,
            site,
            template,
            inlinks.relevant.ln_1p(),
            (inlinks.relevance + 0.5) / (inlinks.all + 1.0),
            inlinks.all.ln_1p(),
            anchor_weight(link, known),
            f64::from(link.trail.len()),
            near,
            on_path,
            is_target,
            clicks,
        ];
        for &place in self.options.without.map_or(&[][..], SignalGroup::places) {
            signals[place] = 0.0;
        }
        signals
    }

    /// Log-odds of a target, and clicks that one is expected to be away.
    fn hop_numbers(&self, link: &Candidate, known: Known<'_>) -> [f64; 2] {
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

/// What is thought of a link before anything was learned: that good pages link to
/// good pages, by words that the critic knows, and by hop distances, which were
/// learned before.
pub(super) fn prior_log_odds(signals: &[f64; NUMBERS]) -> f64 {
    signals[1] + signals[2] + signals[5] + signals[19].clamp(-FARTHEST, FARTHEST)
}

/// What other rankings make of the link, to be followed in turn: the log-odds of
/// the page with it, the apprentice, the interest ratios together, and hop
/// distances or the paths so far.
pub(super) fn members(signals: &[f64; NUMBERS], has_hops: bool) -> [f64; 4] {
    let ratios = signals[6] + signals[7] + signals[8] + signals[9];
    let far = if has_hops { 19 } else { 17 };
    [signals[2], signals[5], ratios, signals[far]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_but_the_first_and_the_clicks_belongs_to_one_part() {
        let parts = [
            SignalGroup::Critic,
            SignalGroup::Cosine,
            SignalGroup::Apprentice,
            SignalGroup::Ratios,
            SignalGroup::Groups,
            SignalGroup::Inlinks,
            SignalGroup::Levels,
            SignalGroup::Hops,
            SignalGroup::Words,
        ];
        let mut places: Vec<usize> = parts
            .iter()
            .flat_map(|part| part.places())
            .copied()
            .collect();
        places.extend([0, 16]);
        places.sort_unstable();
        assert!(places.into_iter().eq(0..NUMBERS));
    }

    #[test]
    fn numbers_are_measured_in_deviations_and_cut_off() {
        let mut spread = RunningStats::default();
        assert_eq!(spread.standardised(5.0), 0.0, "nothing to measure by");
        for value in [1.0, 3.0, 1.0, 3.0] {
            spread.add(value);
        }
        assert!((spread.standardised(3.0) - 1.0).abs() < 1e-12);
        assert_eq!(spread.standardised(1e9), FARTHEST);
        assert_eq!(log_odds(0.0), -MOST_LOG_ODDS);
        assert_eq!(log_odds(1.0), MOST_LOG_ODDS);
        assert_eq!(log_odds(f64::NAN), 0.0);
        assert!(log_odds(0.5).abs() < 1e-12);
    }
}

//! What the ensemble reads its signals from: what is known of a link, and of the page it stands on,
//! before the page behind it is fetched.

use super::Ensemble;
use super::inlinks::Sums;
use crate::meaning::LinkMeaning;
use crate::strategies::Candidate;
use crate::strategies::Known;
use crate::strategies::rivals::shark_search;
use crate::web_graph::{Judgment, Lead};

/// Pages by which what was found by pages of one folder is drawn towards what is usual.
const LEAD_SMOOTHING: f64 = 4.0;
/// Log-odds of members are cut off there.
const MOST_LOG_ODDS: f64 = 10.0;

/// What all links of a page have in common.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageSignals {
    pub(super) judgment: Judgment,
    /// Relevance of the page before it on the way.
    pub(super) before: f64,
    pub(super) content: f64,
    pub(super) link: f64,
    pub(super) sibling: f64,
    /// `ln` of how much more relevant than usual pages are that earlier crawls found by such pages.
    pub(super) leads_on: f64,
    /// See [`shark_search::inheritance`].
    pub(super) inherited: f64,
}

/// What signals are read from.
pub(super) struct Evidence<'a> {
    pub(super) page: &'a PageSignals,
    pub(super) apprentice: f64,
    pub(super) url_ratio: f64,
    pub(super) site: f64,
    pub(super) template: f64,
    pub(super) inlinks: Sums,
    pub(super) anchor_weight: f64,
    pub(super) trail_length: f64,
    pub(super) one_link_away: f64,
    pub(super) on_path: f64,
    pub(super) hop_target: f64,
    pub(super) hop_clicks: f64,
    /// See [`LinkMeaning::cosines`].
    pub(super) cosines: [f64; 3],
    /// See [`crate::web_graph::Remembered::log_odds`].
    pub(super) remembered: f64,
    /// See [`shark_search::likeness`].
    pub(super) words_to_targets: f64,
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
    pub(super) fn evidence<'a>(
        &self,
        link: &Candidate,
        url: &[String],
        page: &'a PageSignals,
        meaning: &LinkMeaning,
        known: Known<'_>,
    ) -> Evidence<'a> {
        let [site, template] = self.groups.log_rates(&link.target);
        let [one_link_away, on_path] =
            self.levels
                .log_odds(url, &link.context, &known.graph.vocabulary);
        let [hop_target, hop_clicks] = self.hop_signals(link, known);
        Evidence {
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
        }
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
    fn log_odds_are_cut_off() {
        assert_eq!(log_odds(0.0), -MOST_LOG_ODDS);
        assert_eq!(log_odds(1.0), MOST_LOG_ODDS);
        assert_eq!(log_odds(f64::NAN), 0.0);
        assert!(log_odds(0.5).abs() < 1e-12);
    }
}

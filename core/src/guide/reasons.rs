//! Why a link is worth following, in one line for people.

use super::Guide;
use crate::dom::DomOffset;
use crate::strategies::{Candidate, Cue, Subject};

impl Guide {
    /// The main reason for a link's score in one line: the strategy's own words,
    /// or the strongest word near the link. Empty if it was chosen for neither.
    pub fn reason(&self, link: &Candidate) -> String {
        let explanation = self.explain(link);
        let strongest = explanation
            .nodes()
            .filter_map(|node| node.cue.map(|cue| (node.value, cue)))
            .filter(|(value, _)| *value > 0.0)
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let phrase = strongest.map(|(_, cue)| self.phrase(cue));
        let described = self.strategy.describe(Subject::Link(link), self.known());
        described.or(phrase).unwrap_or_default()
    }

    fn phrase(&self, cue: Cue) -> String {
        let term = cue.feature.term();
        let word = self.graph.vocabulary.surface(term);
        let place = place_of(cue.feature.offset());
        let targets = self.graph.targets().count();
        let with_word = self
            .graph
            .targets()
            .filter(|target| target.terms.contains(term));
        let with_word = with_word.count();
        let (high, low) = (cue.high.round(), cue.low.round());
        let mut reasons = Vec::new();
        if with_word > 0 {
            let plural = if targets == 1 { "" } else { "s" };
            reasons.push(format!("in {with_word} of your {targets} target{plural}"));
        }
        if high > 0.0 {
            let all = high + low;
            reasons.push(format!("led to a good page {high} of {all} times"));
        }
        format!("“{word}” {place}; {}", reasons.join("; "))
            .trim_end_matches("; ")
            .to_owned()
    }
}

fn place_of(offset: DomOffset) -> &'static str {
    match offset.0 {
        0 => "in the link",
        -1 => "just before the link",
        1 => "just after the link",
        ..0 => "before the link",
        _ => "after the link",
    }
}

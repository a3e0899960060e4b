//! Why a link of a page is as likely as it is said to be: what moved its probability most, in the
//! order that fits the verdict.
//!
//! Of a likely link it is told what speaks for it, of an unlikely one what speaks against it, of one
//! in between both. So a reason never sounds surer than the verdict, nor less sure.

use super::{MOST_REASONS, Part, Place, Reason, Reasons, Tie};
use crate::confidence::Confidence;
use crate::features::HEAVIEST_TERMS;
use crate::meaning::Gist;
use crate::page::Page;
use crate::strategies::Candidate;
use crate::strategies::promise::on_page::{OnPage, Side};
use crate::topic_model::page_links::{Basis, PageLinks};
use crate::topic_model::{TopicModel, Visit};

/// A second reason is told if it moved the probability at least by this share of the first.
const WORTH_TELLING: f64 = 0.3;
/// What moved it by fewer log-odds is not told.
const LEAST: f64 = 0.1;
/// Cosine from which on a person would agree that a word is close to the topic.
const AGREED: f32 = 0.4;
/// Leaves on either side of a link in which a word of the topic's name is looked for.
const BESIDE: u32 = 2;

impl TopicModel {
    /// The main reasons for or against a link of a page that was visited, in one line of English;
    /// empty if there are none.
    pub fn reason_on_page(
        &self,
        page: &Page,
        visit: &Visit,
        links: &PageLinks,
        outlink: usize,
    ) -> String {
        let reasons = self.reasons_on_page(page, visit, links, outlink);
        let told: Vec<String> = reasons.iter().map(Reason::to_string).collect();
        told.join("; ")
    }

    /// The main reasons for or against a link of a page that was visited, the strongest first.
    pub fn reasons_on_page(
        &self,
        page: &Page,
        visit: &Visit,
        links: &PageLinks,
        outlink: usize,
    ) -> Vec<Reason> {
        let Some((found, (link, _))) = links.link(outlink).zip(visit.outlinks.get(outlink)) else {
            return Vec::new();
        };
        match found.basis {
            Basis::Mark(mark) => vec![Reason::Marked(mark)],
            Basis::Alone => self.reasons(link),
            Basis::OnPage(on_page) => {
                let reasons = Reasons {
                    topic_model: self,
                    graph: &self.graph,
                };
                let moved = reasons.moved(page, outlink, link, &on_page);
                told(moved, Confidence::of(found.probability))
            }
        }
    }
}

/// Of what moved a probability, by how much each, what is told beside a verdict.
fn told(moved: Vec<(f64, Reason)>, verdict: Confidence) -> Vec<Reason> {
    let (mut good, mut bad): (Vec<_>, Vec<_>) = moved
        .into_iter()
        .filter(|row| row.0.abs() >= LEAST)
        .partition(|row| row.0 > 0.0);
    good.sort_by(|a, b| b.0.total_cmp(&a.0));
    bad.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ordered: Vec<(f64, Reason)> = match verdict {
        Confidence::Unlikely => bad,
        Confidence::Perhaps => good
            .into_iter()
            .take(1)
            .chain(bad.into_iter().take(1))
            .collect(),
        _ => good,
    };
    let Some(first) = ordered.first().map(|row| row.0) else {
        return vec![Reason::LittleSpeaks];
    };
    let strong = ordered
        .into_iter()
        .filter(|row| row.0.abs() >= WORTH_TELLING * first.abs());
    strong.map(|row| row.1).take(MOST_REASONS).collect()
}

impl Reasons<'_> {
    /// By how much each side moved the log-odds, and how that is said.
    fn moved(
        &self,
        page: &Page,
        outlink: usize,
        link: &Candidate,
        on_page: &OnPage,
    ) -> Vec<(f64, Reason)> {
        let mut moved = Vec::new();
        let mut put = |amount: f64, for_it: &dyn Fn() -> Reason, part: Part| {
            let reason = if amount > 0.0 {
                for_it()
            } else {
                Reason::SaysLittle(part)
            };
            moved.push((amount, reason));
        };
        put(on_page.side(Side::Own), &|| self.by_own(link), Part::Link);
        put(
            on_page.side(Side::Beside),
            &|| self.by_beside(page, outlink),
            Part::Beside,
        );
        let around = || Reason::SaysMuch(Part::Links);
        put(on_page.side(Side::Around), &around, Part::Links);
        let by_page = || Reason::SaysMuch(Part::Page);
        put(on_page.side(Side::Page), &by_page, Part::Page);
        let learned = self.learned(link).map(|reason| (on_page.learned(), reason));
        moved.extend(learned);
        moved
    }

    /// The word of a link that has most to do with the topic.
    fn by_own(&self, link: &Candidate) -> Reason {
        let mut own = self.of_itself(link);
        own.retain(|(_, reason)| self.would_agree(reason));
        own.sort_by(|a, b| b.0.total_cmp(&a.0));
        if let Some((_, reason)) = own.into_iter().next() {
            return reason;
        }
        let words = link.target.words().join(" ");
        self.named(&words, Place::Address)
            .unwrap_or(Reason::SaysMuch(Part::Link))
    }

    /// Whether a person would agree that a word has to do with the topic: one of the name has, another
    /// if it is close to the name or a target, and not where it merely stands in a target.
    fn would_agree(&self, reason: &Reason) -> bool {
        let Reason::Word(word, ties) = reason else {
            return true;
        };
        let word = Gist::of_text(word).unit();
        if ties.contains(&Tie::InName) || word == Gist::default() {
            return true;
        }
        let wanted = self.graph.wanted().map(|text| Gist::of_text(text).unit());
        let targets = self.graph.targets().map(|page| {
            let heaviest = page.terms.heaviest(HEAVIEST_TERMS);
            Gist::of_page(&heaviest, &self.graph.vocabulary).unit()
        });
        wanted.chain(targets).any(|near| word.dot(&near) >= AGREED)
    }

    /// A word of the topic's name next to a link or in the heading above it.
    fn by_beside(&self, page: &Page, outlink: usize) -> Reason {
        let leaves = page.outlinks[outlink].leaves;
        let count = page.document().leaf_count();
        let behind = (leaves.end..leaves.end.saturating_add(BESIDE).min(count))
            .map(|leaf| (leaf, Place::JustAfter));
        let before = (leaves.first.saturating_sub(BESIDE)..leaves.first)
            .rev()
            .map(|leaf| (leaf, Place::JustBefore));
        let headings = page.headings();
        let above = headings.partition_point(|heading| heading.leaves.end <= leaves.first);
        let heading = above.checked_sub(1).map(|at| headings[at].leaves);
        let heading = heading
            .and_then(|heading| self.named(&page.document().text_of(heading), Place::Heading));
        let beside = before
            .chain(behind)
            .find_map(|(leaf, place)| self.named(page.document().leaf(leaf), place));
        heading.or(beside).unwrap_or(Reason::SaysMuch(Part::Beside))
    }

    /// That a word of the topic's name stands in a text.
    fn named(&self, text: &str, place: Place) -> Option<Reason> {
        Some(Reason::Near {
            word: self.word_of_name(text)?,
            place,
            tie: Some(Tie::InName),
            led: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved() -> Vec<(f64, Reason)> {
        vec![
            (-0.9, Reason::SaysLittle(Part::Link)),
            (0.05, Reason::SaysMuch(Part::Beside)),
            (0.4, Reason::SaysMuch(Part::Links)),
            (1.2, Reason::SaysMuch(Part::Page)),
            (-0.2, Reason::SaysLittle(Part::Beside)),
        ]
    }

    #[test]
    fn what_is_told_goes_with_the_verdict() {
        let (page, links) = (Reason::SaysMuch(Part::Page), Reason::SaysMuch(Part::Links));
        let little = Reason::SaysLittle(Part::Link);
        for (verdict, expected) in [
            (Confidence::VeryLikely, vec![page.clone(), links.clone()]),
            (Confidence::Even, vec![page.clone(), links]),
            (Confidence::Perhaps, vec![page, little.clone()]),
            // The other moved it too little beside the first.
            (Confidence::Unlikely, vec![little]),
        ] {
            assert_eq!(told(moved(), verdict), expected, "{verdict}");
        }
    }

    #[test]
    fn where_nothing_can_be_named_that_is_said() {
        let good = vec![(0.5, Reason::SaysMuch(Part::Page))];
        assert_eq!(told(good, Confidence::Unlikely), [Reason::LittleSpeaks]);
        assert_eq!(
            told(Vec::new(), Confidence::Perhaps),
            [Reason::LittleSpeaks]
        );
    }
}

//! Why a link is worth following, or why not, in one line for people.

use unicode_segmentation::UnicodeSegmentation;

use super::Guide;
use crate::dom::DomOffset;
use crate::meaning::Meaning;
use crate::strategies::promise::Evidence;
use crate::strategies::{Candidate, Cue, Promise, Subject};
use crate::text::{Language, TermId, terms};

/// Words from this cosine on are called close in meaning.
const CLOSE: f64 = 0.3;
/// Words that led to good pages at least once in so many times and one are told.
const OFTEN: f32 = 2.0;
/// Reasons that are told of one link.
const MOST_REASONS: usize = 2;

impl Guide {
    /// The main reasons for or against a link in one line: the strategy's own words; what it
    /// says of itself, seen from the topic; or the strongest word near it. Empty if nothing
    /// speaks for it and nothing is known of the topic.
    pub fn reason(&self, link: &Candidate) -> String {
        if let Some(described) = self.strategy.describe(Subject::Link(link), self.known()) {
            return described;
        }
        let learned = self.learned_reason(link);
        if !self.critic.goes_by_meaning() {
            return learned.unwrap_or_default();
        }
        let topic = &self.graph.topic_meaning;
        if topic.targets() == 0 && !topic.is_named() {
            return String::new();
        }
        let mut reasons = self.reasons_of_itself(link);
        reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut told: Vec<String> = reasons.into_iter().map(|row| row.1).collect();
        told.extend(learned);
        if told.is_empty() {
            told.push("its words say little of your topic".to_owned());
        }
        let page = link.source().map(|page| self.graph.judgment(page));
        if page.is_some_and(|page| page.relevance.is_high()) {
            told.push("this page looks like what you look for".to_owned());
        }
        told.truncate(MOST_REASONS);
        told.join("; ")
    }

    /// What speaks for a link by its own words, a reason a word, with its weight.
    fn reasons_of_itself(&self, link: &Candidate) -> Vec<(f64, String)> {
        let evidence = Evidence::of(link, Promise::AboveUsual(0.0), self.known());
        let topic = &self.graph.topic_meaning;
        let mut said: Vec<(f64, String, String)> = Vec::new();
        if let Some(word) = self.word_of_name(&link.anchor) {
            let weight = evidence.name_words + evidence.name;
            said.push((weight, word, "is in your topic's name".to_owned()));
        } else if let Some(word) = nearest_word(&link.anchor, |word| topic.to_name(word))
            && topic.to_name(&Meaning::of_text(&word).unit()) >= CLOSE
        {
            let what = format!("is close in meaning to “{}”", self.graph.topic_name);
            said.push((evidence.name, word, what));
        }
        if let Some(word) = nearest_word(&link.anchor, |word| topic.to_words(word))
            && let Some(what) = self.near_targets(&word)
        {
            match said.iter_mut().find(|row| row.1 == word) {
                Some(row) => {
                    row.0 += evidence.targets;
                    row.2 = format!("{} and {}", row.2, what.trim_start_matches("is "));
                }
                None => said.push((evidence.targets, word, what)),
            }
        }
        let reasons = said.into_iter();
        reasons
            .map(|(weight, word, what)| (weight, format!("“{word}” {what}")))
            .collect()
    }

    /// Whether a word stands in the targets or is close to them.
    fn near_targets(&self, word: &str) -> Option<String> {
        let cosine = self
            .graph
            .topic_meaning
            .to_words(&Meaning::of_text(word).unit());
        let targets = self.graph.targets().count();
        let terms = terms(word, Language::English);
        let ids = terms
            .iter()
            .filter_map(|term| self.graph.vocabulary.id(term));
        let ids: Vec<TermId> = ids.collect();
        let with_word = self.graph.targets();
        let with_word = with_word.filter(|page| ids.iter().any(|id| page.terms.contains(*id)));
        Some(match (with_word.count(), targets) {
            (0, _) if cosine < CLOSE => return None,
            (0, 1) => "is close in meaning to your target".to_owned(),
            (0, _) => "is close in meaning to your targets".to_owned(),
            (_, 1) => "is in your target".to_owned(),
            (count, _) if count == targets => "is in all your targets".to_owned(),
            (count, _) => format!("is in {count} of your {targets} targets"),
        })
    }

    /// A word of the topic's name among those of a link, as it stands there.
    fn word_of_name(&self, anchor: &str) -> Option<String> {
        let name = self.graph.topic_meaning.name_terms();
        let is_of_name = |word: &&str| {
            terms(word, Language::English).iter().any(|term| {
                let id = self.graph.vocabulary.id(term);
                id.is_some_and(|id| name.binary_search(&id).is_ok())
            })
        };
        anchor.unicode_words().find(is_of_name).map(str::to_owned)
    }

    /// What was learned of the strongest word near a link that is worth telling.
    fn learned_reason(&self, link: &Candidate) -> Option<String> {
        let explanation = self.explain(link);
        let strongest = explanation
            .nodes()
            .filter_map(|node| node.cue.map(|cue| (node.value, cue)))
            .filter(|(value, cue)| *value > 0.0 && self.is_telling(*cue))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        strongest.map(|(_, cue)| self.phrase(cue))
    }

    /// Beside what a link says of itself a word is told only if it often led to good pages.
    fn is_telling(&self, cue: Cue) -> bool {
        !self.critic.goes_by_meaning() || cue.high.round() > 0.0 && cue.high * OFTEN >= cue.low
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
        if self.critic.goes_by_meaning() {
            let all = high + low;
            return format!("“{word}” {place} led to a good page {high} of {all} times");
        }
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

/// The word of a text that something is nearest to, as it stands there.
fn nearest_word(text: &str, cosine: impl Fn(&Meaning) -> f64) -> Option<String> {
    let words = text.unicode_words().filter_map(|word| {
        let meaning = Meaning::of_text(word);
        let near = cosine(&meaning.unit()) * f64::from(meaning.dot(&meaning).sqrt());
        (near > 0.0).then_some((near, word))
    });
    let nearest = words.max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|row| row.1.to_owned())
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

//! Why a link is worth following, or why not: as plain data, for people in any language, and in
//! English.

mod on_page;

use std::fmt;

use super::TopicModel;
use crate::dom::DomOffset;
use crate::meaning::Meaning;
use crate::strategies::promise::Evidence;
use crate::strategies::{Candidate, Cue, Promise, Subject};
use crate::text::{Language, TermId, terms, words};
use crate::web_graph::{Mark, WebGraph};

/// Words from this cosine on are called close in meaning.
const CLOSE: f64 = 0.3;
/// Words that led to good pages at least once in so many times and one are told.
const OFTEN: f32 = 2.0;
/// Reasons that are told of one link.
const MOST_REASONS: usize = 2;

/// A reason for or against a link.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The strategy's own words.
    Described(String),
    /// A word of the link and what it has to do with the topic.
    Word(String, Vec<Tie>),
    /// A word near the link, and what was learned of it.
    Near {
        /// As it stands on pages.
        word: String,
        /// Where it stands.
        place: Place,
        /// What it has to do with the topic, if that is told.
        tie: Option<Tie>,
        /// How often it led to a good page, of how often it was met; none if it never did.
        led: Option<(f32, f32)>,
    },
    /// A part of the page says much of the topic.
    SaysMuch(Part),
    /// A part of the page says little of it.
    SaysLittle(Part),
    /// Nothing that could be named speaks for it.
    LittleSpeaks,
    /// The person marked the page behind it.
    Marked(Mark),
}

/// A part of a page, as seen from a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The link's text and its address.
    Link,
    /// The text next to it and the heading above it.
    Beside,
    /// Other links.
    Links,
    /// The whole page.
    Page,
}

/// What a word has to do with the topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tie {
    /// It is one of the topic's name.
    InName,
    /// It means much the same as the topic's name, which is this.
    CloseToName(String),
    /// It stands in the only target.
    InTarget,
    /// It stands in so many of so many targets.
    InTargets(usize, usize),
    /// It means much the same as words of the only target.
    CloseToTarget,
    /// It means much the same as words of the targets.
    CloseToTargets,
}

/// Where a word stands, as seen from a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Before it, with others between.
    Before,
    /// Next to it.
    JustBefore,
    /// In it.
    Within,
    /// Next to it.
    JustAfter,
    /// Behind it, with others between.
    After,
    /// In its address.
    Address,
    /// In the heading above it.
    Heading,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Described(text) => f.write_str(text),
            Self::Word(word, ties) => {
                let ties: Vec<String> = ties.iter().map(Tie::to_string).collect();
                write!(f, "“{word}” is {}", ties.join(" and "))
            }
            Self::Near {
                word,
                place,
                tie,
                led,
            } => {
                write!(f, "“{word}” {place}")?;
                if let Some(tie) = tie {
                    write!(f, "; {tie}")?;
                }
                match led {
                    Some((good, all)) if tie.is_some() => {
                        write!(f, "; led to a good page {good} of {all} times")
                    }
                    Some((good, all)) => write!(f, " led to a good page {good} of {all} times"),
                    None => Ok(()),
                }
            }
            Self::SaysMuch(part) => f.write_str(match part {
                Part::Link => "its words are close to your topic",
                Part::Beside => "the text beside it is close to your topic",
                Part::Links => "the links around it are close to your topic",
                Part::Page => "this page looks like what you look for",
            }),
            Self::SaysLittle(part) => f.write_str(match part {
                Part::Link => "its words say little of your topic",
                Part::Beside => "the text beside it says little of your topic",
                Part::Links => "the links around it say little of your topic",
                Part::Page => "this page says little of your topic",
            }),
            Self::LittleSpeaks => f.write_str("little speaks for it"),
            Self::Marked(Mark::Target) => f.write_str("you marked the page behind it"),
            Self::Marked(Mark::NotTarget) => {
                f.write_str("you said that the page behind it is not what you look for")
            }
        }
    }
}

impl fmt::Display for Tie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InName => f.write_str("in your topic's name"),
            Self::CloseToName(name) => write!(f, "close in meaning to “{name}”"),
            Self::InTarget => f.write_str("in your target"),
            Self::InTargets(some, all) if some == all => f.write_str("in all your targets"),
            Self::InTargets(some, all) => write!(f, "in {some} of your {all} targets"),
            Self::CloseToTarget => f.write_str("close in meaning to your target"),
            Self::CloseToTargets => f.write_str("close in meaning to your targets"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Before => "before the link",
            Self::JustBefore => "just before the link",
            Self::Within => "in the link",
            Self::JustAfter => "just after the link",
            Self::After => "after the link",
            Self::Address => "in the link's address",
            Self::Heading => "in the heading above the link",
        })
    }
}

impl From<DomOffset> for Place {
    fn from(offset: DomOffset) -> Self {
        match offset.0 {
            0 => Self::Within,
            -1 => Self::JustBefore,
            1 => Self::JustAfter,
            ..0 => Self::Before,
            _ => Self::After,
        }
    }
}

impl TopicModel {
    /// The main reasons for or against a link in one line of English; empty if there are none.
    pub fn reason(&self, link: &Candidate) -> String {
        let reasons = self.reasons(link).into_iter();
        let told: Vec<String> = reasons.map(|reason| reason.to_string()).collect();
        told.join("; ")
    }

    /// The main reasons for or against a link: the strategy's own words; what it says of itself,
    /// seen from the topic; or the strongest word near it. None if nothing speaks for it and
    /// nothing is known of the topic.
    pub fn reasons(&self, link: &Candidate) -> Vec<Reason> {
        if let Some(described) = self.strategy.describe(Subject::Link(link), self.known()) {
            return vec![Reason::Described(described)];
        }
        let reasons = Reasons {
            topic_model: self,
            graph: &self.graph,
        };
        let learned = reasons.learned(link);
        if !self.critic.goes_by_meaning() {
            return learned.into_iter().collect();
        }
        let topic = &self.graph.topic_meaning;
        if topic.targets() == 0 && !topic.is_named() {
            return Vec::new();
        }
        let mut own = reasons.of_itself(link);
        own.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut told: Vec<Reason> = own.into_iter().map(|row| row.1).collect();
        told.extend(learned);
        if told.is_empty() {
            told.push(Reason::SaysLittle(Part::Link));
        }
        let page = link.source().map(|page| self.graph.judgment(page));
        if page.is_some_and(|page| page.relevance.is_high()) {
            told.push(Reason::SaysMuch(Part::Page));
        }
        told.truncate(MOST_REASONS);
        told
    }
}

/// What a topic model can say of links.
struct Reasons<'a> {
    topic_model: &'a TopicModel,
    graph: &'a WebGraph,
}

impl Reasons<'_> {
    /// What speaks for a link by its own words, a reason a word, with its weight.
    fn of_itself(&self, link: &Candidate) -> Vec<(f64, Reason)> {
        let evidence = Evidence::of(link, Promise::AboveUsual(0.0), self.topic_model.known());
        let topic = &self.graph.topic_meaning;
        let mut said: Vec<(f64, String, Vec<Tie>)> = Vec::new();
        if let Some(word) = self.word_of_name(&link.anchor) {
            let weight = evidence.name_words + evidence.name;
            said.push((weight, word, vec![Tie::InName]));
        } else if self.has_vectors()
            && let Some(word) = nearest_word(&link.anchor, |word| topic.to_name(word))
            && topic.to_name(&Meaning::of_text(&word).unit()) >= CLOSE
        {
            let tie = Tie::CloseToName(self.graph.topic_name.clone());
            said.push((evidence.name, word, vec![tie]));
        }
        let nearest = if self.has_vectors() {
            nearest_word(&link.anchor, |word| topic.to_words(word))
        } else {
            self.word_of_targets(&link.anchor)
        };
        if let Some(word) = nearest
            && let Some(tie) = self.near_targets(&word)
        {
            match said.iter_mut().find(|row| row.1 == word) {
                Some(row) => {
                    row.0 += evidence.targets;
                    row.2.push(tie);
                }
                None => said.push((evidence.targets, word, vec![tie])),
            }
        }
        let reasons = said.into_iter();
        reasons
            .map(|(weight, word, ties)| (weight, Reason::Word(word, ties)))
            .collect()
    }

    /// Whether vectors of words tell what is close in meaning: they are of English words, and of
    /// others say only how alike they are spelled. A language that cannot be told counts as English.
    fn has_vectors(&self) -> bool {
        self.graph.topic_meaning.language() == Language::English
    }

    /// Of the words of a text the one that stands in the most targets, the first of equals.
    fn word_of_targets(&self, text: &str) -> Option<String> {
        let words = words(text).into_iter().rev();
        let counted = words.map(|word| (self.targets_with(word), word));
        let most = counted.max_by_key(|row| row.0)?;
        (most.0 > 0).then(|| most.1.to_owned())
    }

    /// In how many targets a word stands.
    fn targets_with(&self, word: &str) -> usize {
        let terms = terms(word, self.graph.topic_meaning.language());
        let ids = terms
            .iter()
            .filter_map(|term| self.graph.vocabulary.id(term));
        let ids: Vec<TermId> = ids.collect();
        let targets = self.graph.targets();
        let with_word = targets.filter(|page| ids.iter().any(|id| page.terms.contains(*id)));
        with_word.count()
    }

    /// Whether a word stands in the targets or is close to them.
    fn near_targets(&self, word: &str) -> Option<Tie> {
        let direction = Meaning::of_text(word).unit();
        let cosine = self.graph.topic_meaning.to_words(&direction);
        Some(
            match (self.targets_with(word), self.graph.targets().count()) {
                (0, _) if cosine < CLOSE => return None,
                (0, 1) => Tie::CloseToTarget,
                (0, _) => Tie::CloseToTargets,
                (_, 1) => Tie::InTarget,
                (count, targets) => Tie::InTargets(count, targets),
            },
        )
    }

    /// A word of the topic's name among those of a link, as it stands there.
    fn word_of_name(&self, anchor: &str) -> Option<String> {
        let name = self.graph.topic_meaning.name_terms();
        let language = self.graph.topic_meaning.language();
        let is_of_name = |word: &&str| {
            terms(word, language).iter().any(|term| {
                let id = self.graph.vocabulary.id(term);
                id.is_some_and(|id| name.binary_search(&id).is_ok())
            })
        };
        let mut words = words(anchor).into_iter();
        words.find(is_of_name).map(str::to_owned)
    }

    /// What was learned of the strongest word near a link that is worth telling.
    fn learned(&self, link: &Candidate) -> Option<Reason> {
        let explanation = self.topic_model.explain(link);
        let strongest = explanation
            .nodes()
            .filter_map(|node| node.cue.map(|cue| (node.value, cue)))
            .filter(|(value, cue)| *value > 0.0 && self.is_telling(*cue))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        strongest.map(|(_, cue)| self.near(cue))
    }

    /// Beside what a link says of itself a word is told only if it often led to good pages.
    fn is_telling(&self, cue: Cue) -> bool {
        !self.topic_model.critic.goes_by_meaning()
            || cue.high.round() > 0.0 && cue.high * OFTEN >= cue.low
    }

    fn near(&self, cue: Cue) -> Reason {
        let term = cue.feature.term();
        let targets = self.graph.targets();
        let with_word = targets.filter(|target| target.terms.contains(term)).count();
        let (high, low) = (cue.high.round(), cue.low.round());
        let tie =
            (!self.topic_model.critic.goes_by_meaning() && with_word > 0).then(|| {
                match self.graph.targets().count() {
                    1 => Tie::InTarget,
                    targets => Tie::InTargets(with_word, targets),
                }
            });
        Reason::Near {
            word: self.graph.vocabulary.surface(term).to_owned(),
            place: cue.feature.offset().into(),
            tie,
            led: (high > 0.0).then_some((high, high + low)),
        }
    }
}

/// The word of a text that something is nearest to, as it stands there.
fn nearest_word(text: &str, cosine: impl Fn(&Meaning) -> f64) -> Option<String> {
    let words = words(text).into_iter().filter_map(|word| {
        let meaning = Meaning::of_text(word);
        let near = cosine(&meaning.unit()) * f64::from(meaning.dot(&meaning).sqrt());
        (near > 0.0).then_some((near, word))
    });
    let nearest = words.max_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map(|row| row.1.to_owned())
}

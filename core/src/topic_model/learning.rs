//! What a visit and a mark change: pages are recorded, the critic and the strategy
//! learn, and what hangs on a mark that is set or taken back is learned again from the
//! log, so that taking it back leaves no trace in what the strategy learned.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::log::LogEntry;
use super::{TopicModel, TrainingExample};
use crate::address::Address;
use crate::critics::SentenceVectors;
use crate::features::{HEAVIEST_TERMS, PageTerms};
use crate::page::Page;
use crate::strategies::{Arrival, Candidate, Event, Known, Learned};
use crate::text::{TermReader, shorten};
use crate::web_graph::{
    CorrectedPage, Judgment, KnownPage, MARKED_TERMS, Mark, MarkedPage, WebGraph,
};

/// Characters of a topic's name that are read.
const LONGEST_NAME: usize = 200;
/// The same of something that the person said of the topic.
pub const LONGEST_PHRASE: usize = 1_000;
/// Things said of a topic at most.
pub const MOST_PHRASES: usize = 50;
/// Characters of a subtopic's name at most.
pub const LONGEST_SUBTOPIC: usize = 80;
/// Pages that are said to be of subtopics at most.
pub const MOST_WITH_SUBTOPICS: usize = 1_000;
/// The critic is refreshed when the pages seen have grown by this share.
const CRITIC_GROWTH: f64 = 0.25;

impl TopicModel {
    pub(super) fn record(&mut self, page: &Page, terms: &PageTerms, critic: Judgment) {
        let seen_before = self.graph.page(&page.address).map(|known| known.counted);
        if seen_before.is_none() {
            // A page that is marked counts like any other: what a mark changes must
            // go when it is taken back.
            self.graph.vocabulary.count_document(&terms.damped());
        }
        self.graph.remember(KnownPage {
            address: page.address.clone(),
            judgment: critic.marked(self.graph.mark(&page.address)),
            unmarked: critic,
            counted: seen_before.unwrap_or(!terms.rows().is_empty()),
            terms: terms.heaviest(HEAVIEST_TERMS),
        });
    }

    pub(super) fn learn(
        &mut self,
        address: &Address,
        via: &[Candidate],
        unmarked: Judgment,
    ) -> Learned {
        if via.is_empty() {
            return Learned::Nothing;
        }
        let past = TrainingExample {
            via: via.to_vec(),
            address: address.clone(),
            judgment: unmarked,
        };
        let arrival = Arrival {
            via,
            judgment: unmarked.marked(self.graph.mark(address)),
        };
        let known = Known {
            graph: &self.graph,
            critic: &*self.critic,
        };
        let learned = self.strategy.learn(&Event::Arrival(arrival), known);
        self.log.arrived(past);
        learned
    }

    /// Links to pages seen before teach at once where such links lead. Asked of
    /// a page's links when it is first seen: read again, it has nothing new.
    pub(super) fn learn_known_link<'a>(&mut self, links: impl Iterator<Item = &'a Candidate>) {
        let known = Known {
            graph: &self.graph,
            critic: &*self.critic,
        };
        for link in links {
            if let Some(page) = self.graph.page(&link.target) {
                let event = Event::KnownLink(link, page.judgment);
                self.strategy.learn(&event, known);
                self.log.met(link.clone());
            }
        }
    }

    /// Sets or takes back marks and learns everything again that hangs on them, once.
    /// False if nothing changed.
    pub(super) fn put_marks<'a>(
        &mut self,
        marks: impl IntoIterator<Item = (&'a Address, &'a PageTerms, Option<Mark>)>,
    ) -> bool {
        let mut changed = false;
        for (address, terms, mark) in marks {
            changed |= set_mark(&mut self.graph, address, terms, mark);
        }
        if changed {
            self.rebuild();
        }
        changed
    }

    /// Puts down what class the person says pages are of, or takes that back, and learns
    /// everything again that hangs on it, once. False if nothing changed.
    pub fn correct_classes(
        &mut self,
        pages: impl IntoIterator<Item = (Address, PageTerms, Option<String>)>,
    ) -> bool {
        let mut changed = false;
        for (address, terms, class) in pages {
            let before = self.graph.corrected.get(&address).map(|page| &page.class);
            if before == class.as_ref() {
                continue;
            }
            changed = true;
            match class {
                Some(class) => {
                    let terms = terms.heaviest(HEAVIEST_TERMS);
                    let page = CorrectedPage { class, terms };
                    self.graph.corrected.insert(address, page);
                }
                None => {
                    self.graph.corrected.remove(&address);
                }
            }
        }
        if changed {
            self.rebuild();
        }
        changed
    }

    /// Takes in what the person calls the topic, and learns everything again that hangs on
    /// it. False if nothing changed.
    pub fn name_topic(&mut self, name: &str) -> bool {
        let name = shorten(name, LONGEST_NAME);
        if self.graph.topic_name == name {
            return false;
        }
        self.graph.topic_name = name;
        self.rebuild();
        true
    }

    /// Takes in all that the person said of the topic in words, each with whether that is what
    /// they look for, and learns everything again that hangs on it; of more than
    /// [`MOST_PHRASES`] the first by their letters. False if nothing changed.
    pub fn take_phrases(&mut self, phrases: impl IntoIterator<Item = (String, bool)>) -> bool {
        let phrases = phrases.into_iter();
        let phrases = phrases.map(|(text, wanted)| (shorten(&text, LONGEST_PHRASE), wanted));
        let mut phrases: BTreeMap<String, bool> = phrases.collect();
        phrases.remove("");
        while phrases.len() > MOST_PHRASES {
            phrases.pop_last();
        }
        if self.graph.phrases == phrases {
            return false;
        }
        self.graph.phrases = phrases;
        self.rebuild();
        true
    }

    /// Takes in of which subtopic of the topic the person says pages are, marked or not, and learns
    /// everything again that hangs on it; of more than [`MOST_WITH_SUBTOPICS`] the first by their
    /// addresses. False if nothing changed.
    pub fn take_subtopics(
        &mut self,
        subtopics: impl IntoIterator<Item = (Address, String)>,
    ) -> bool {
        let subtopics = subtopics.into_iter();
        let subtopics =
            subtopics.map(|(page, subtopic)| (page, shorten(&subtopic, LONGEST_SUBTOPIC)));
        let subtopics = subtopics.filter(|(_, subtopic)| !subtopic.is_empty());
        let mut subtopics: BTreeMap<Address, String> = subtopics.collect();
        while subtopics.len() > MOST_WITH_SUBTOPICS {
            subtopics.pop_last();
        }
        if self.graph.subtopics == subtopics {
            return false;
        }
        self.graph.subtopics = subtopics;
        self.rebuild();
        true
    }

    /// Everything that hangs on the marks, from the pages and the log alone: what was
    /// learned or judged before does not matter.
    pub(super) fn rebuild(&mut self) {
        self.refresh_critic();
        self.rejudge();
        self.relearn();
    }

    pub(super) fn refresh_critic(&mut self) {
        self.refreshed_at = self.graph.vocabulary.documents_seen();
        self.renewals += 1;
        know_what_was_said(&mut self.graph);
        self.graph.topic_meaning = self.graph.meaning_of_topic();
        self.critic.refresh(&self.graph);
        self.graph.remembered = self.memory.judged(&*self.critic, &self.graph);
        self.form_filter.refresh(&self.graph);
    }

    /// Has the critic learn from all that was seen, and judges all pages by it; by page, what
    /// is said of them now.
    pub fn judge_again(&mut self) -> Vec<(Address, Judgment)> {
        self.refresh_critic();
        self.rejudge();
        let pages = self.graph.pages();
        pages
            .map(|page| (page.address.clone(), page.judgment))
            .collect()
    }

    /// Judges pages again by what whole sentences mean, where the critic goes by meaning; by
    /// page, what is said of those now of which there is a vector. What the critic says of
    /// them has to be fresh, see [`Self::judge_again`].
    pub fn judge_by_sentences(&mut self, vectors: &SentenceVectors) -> Vec<(Address, Judgment)> {
        if !self.critic.goes_by_meaning() {
            return Vec::new();
        }
        let judged = vectors.judge(&self.graph);
        let by_page: FxHashMap<&Address, Judgment> = judged
            .iter()
            .map(|(page, judgment)| (page, *judgment))
            .collect();
        self.graph
            .rejudge(|page| by_page.get(&page.address).copied().unwrap_or(page.unmarked));
        judged
    }

    /// Judges all pages seen by the critic as it is now.
    fn rejudge(&mut self) {
        let judged: FxHashMap<Address, Judgment> = self
            .graph
            .pages()
            .map(|page| {
                let corrected = self.critic.corrected(&page.address, &self.graph);
                let by_critic = || self.critic.judge_terms(&page.terms, &self.graph);
                let judged = corrected.or_else(by_critic);
                (page.address.clone(), judged.unwrap_or(page.unmarked))
            })
            .collect();
        self.graph
            .rejudge(|page| judged.get(&page.address).copied().unwrap_or_default());
    }

    /// The strategy starts over from the log, by today's judgments where the page is
    /// still remembered.
    pub(super) fn relearn(&mut self) {
        let known = self.known();
        let Some(mut strategy) = self.strategy.reset(known) else {
            return;
        };
        if let Some(beginning) = &self.beginning {
            // It was read when it was taken in, so it can be.
            let known_terms = self.graph.vocabulary.len();
            let _ = strategy.begin_with(&beginning.learned, known_terms);
        }
        for entry in self.log.entries() {
            let past = match entry {
                LogEntry::Arrival(past) => past,
                LogEntry::KnownLink(link) => {
                    if let Some(page) = self.graph.page(&link.target) {
                        strategy.learn(&Event::KnownLink(link, page.judgment), known);
                    }
                    continue;
                }
            };
            let judgment = match self.graph.page(&past.address) {
                Some(page) => page.judgment,
                None => past.judgment.marked(self.graph.mark(&past.address)),
            };
            let arrival = Arrival {
                via: &past.via,
                judgment,
            };
            strategy.learn(&Event::Arrival(arrival), known);
        }
        self.strategy = strategy;
    }
}

/// Pages are to be known by the words that the topic is told in before any of them was read.
fn know_what_was_said(graph: &mut WebGraph) {
    let said = graph.wanted().chain(graph.unwanted());
    let said = said.collect::<Vec<_>>().join("\n");
    if said.is_empty() {
        return;
    }
    let mut words = TermReader::new(graph.language_of_topic());
    words.read(&said, |_| {});
    let (terms, spelled) = words.into_terms();
    for (term, spelled) in terms.iter().zip(&spelled) {
        graph.vocabulary.intern(term, spelled);
    }
}

fn set_mark(
    graph: &mut WebGraph,
    address: &Address,
    terms: &PageTerms,
    mark: Option<Mark>,
) -> bool {
    if graph.mark(address) == mark {
        return false;
    }
    match mark {
        Some(mark) => {
            let terms = terms.heaviest(MARKED_TERMS);
            let page = MarkedPage { mark, terms };
            graph.marks.insert(address.clone(), page);
        }
        None => {
            graph.marks.remove(address);
        }
    }
    true
}

/// Whether so much was read since the critic was refreshed that it is to be refreshed again.
pub(super) fn is_due(graph: &WebGraph, refreshed_at: u32) -> bool {
    let seen = f64::from(graph.vocabulary.documents_seen());
    seen >= 5.0 && seen >= f64::from(refreshed_at) * (1.0 + CRITIC_GROWTH)
}

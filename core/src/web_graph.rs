//! What is known of the pages seen so far: where they are, how they were
//! judged, which words are heaviest in them, which the person marked.

mod backlinks;
mod language;
mod remembered;
mod saving;

pub use backlinks::MOST_BACKLINKS;
pub use remembered::{Lead, Remembered};

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::features::PageTerms;
use crate::forms::FormWords;
use crate::meaning::{Told, ToldTarget, TopicMeaning};
use crate::text::Vocabulary;
use backlinks::Backlinks;

/// Terms kept of a page that was marked.
pub const MARKED_TERMS: usize = 400;
/// Recent unmarked pages that tell what the rest of the web is like.
pub const MOST_UNMARKED: usize = 300;
/// Pages remembered; the oldest are forgotten first.
const MOST_PAGES: usize = 200_000;
/// Searchable forms remembered.
const MOST_FORMS: usize = 300;

/// How good a page is, 0 (of no use) to 1 (just what is looked for).
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
pub struct Relevance(f64);

impl Relevance {
    /// From any number; what is no number counts as 0.
    pub fn new(value: f64) -> Self {
        if value.is_nan() {
            Self(0.0)
        } else {
            Self(value.clamp(0.0, 1.0))
        }
    }

    /// 0..=1.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Whether it is in the upper half: \[A\]'s two classes.
    pub fn is_high(self) -> bool {
        self.0 >= 0.5
    }
}

/// The person's own word on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// "This is what I look for."
    Target,
    /// "This is not."
    NotTarget,
}

/// What a critic says of a page.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Judgment {
    /// How good the page is.
    pub relevance: Relevance,
    /// Log-odds per term that the page is on topic, before saturation;
    /// 0 where the critic has no such number.
    pub log_odds: f64,
    /// Cosine to the nearest marked target, 0..=1.
    pub similarity: f64,
    /// Whether the page is what is looked for.
    pub is_target: bool,
}

impl Judgment {
    /// The person's mark wins over the critic.
    pub fn marked(mut self, mark: Option<Mark>) -> Self {
        match mark {
            Some(Mark::Target) => (self.relevance, self.is_target) = (Relevance(1.0), true),
            Some(Mark::NotTarget) => (self.relevance, self.is_target) = (Relevance(0.0), false),
            None => {}
        }
        self
    }
}

/// A page that was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownPage {
    /// Where it is.
    pub address: Address,
    /// The critic's judgment, the person's mark applied.
    pub judgment: Judgment,
    /// The critic's own, marks aside.
    pub unmarked: Judgment,
    /// Whether its words were counted into the vocabulary.
    pub counted: bool,
    /// Its [`HEAVIEST_TERMS`](crate::features::HEAVIEST_TERMS).
    pub terms: PageTerms,
}

/// A page the person marked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkedPage {
    /// What they said.
    pub mark: Mark,
    /// Its [`MARKED_TERMS`].
    pub terms: PageTerms,
}

/// A page of which the person said what class it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrectedPage {
    /// Path of the class.
    pub class: String,
    /// Its [`HEAVIEST_TERMS`](crate::features::HEAVIEST_TERMS).
    pub terms: PageTerms,
}

/// A form of a page: the page and what the form is called by, see
/// [`crate::critics::FoundForm`].
pub type FormPlace = (Address, String);

/// Whether two pages of a host hold the same form, as a site's search box.
pub fn is_same_form(a: &FormPlace, b: &FormPlace) -> bool {
    a.1 == b.1 && a.0.host() == b.0.host()
}

/// A form that the person marked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkedForm {
    /// Whether it leads to a database that is looked for.
    pub is_wanted: bool,
    /// Its words.
    pub words: FormWords,
}

/// Everything known so far.
#[derive(Debug, Clone, Default)]
pub struct WebGraph {
    /// What the person calls the topic; evidence beside the pages. Empty where not told.
    pub topic_name: String,
    /// What the person said of it in words, and whether that is what they look for (true) or
    /// is not.
    pub phrases: BTreeMap<String, bool>,
    /// Subtopics of the topic, by the pages that the person said are of them, marked or not.
    pub subtopics: BTreeMap<Address, String>,
    /// What all that and the marks mean, as it was when the critic learned last.
    pub topic_meaning: TopicMeaning,
    /// All terms, with the counts of all pages seen that are not stuffed, marked or not.
    pub vocabulary: Vocabulary,
    /// Marked pages, in order of their address.
    pub marks: BTreeMap<Address, MarkedPage>,
    /// Pages whose class the person corrected.
    pub corrected: BTreeMap<Address, CorrectedPage>,
    /// Marked forms.
    pub form_marks: BTreeMap<FormPlace, MarkedForm>,
    /// The searchable forms seen last, with their words: what a form looks like
    /// that nobody marked.
    forms: VecDeque<(FormPlace, FormWords)>,
    pages: VecDeque<KnownPage>,
    /// Address -> number of the page, counted from the first ever seen.
    numbers: FxHashMap<Address, u64>,
    forgotten: u64,
    backlinks: Backlinks,
    /// What earlier crawls read of sites, as the critic judges it now; not saved.
    pub remembered: Remembered,
}

impl WebGraph {
    /// A graph that knows these terms and nothing else.
    pub fn with_vocabulary(vocabulary: Vocabulary) -> Self {
        Self {
            vocabulary,
            ..Self::default()
        }
    }

    /// The same words, marks and topic without any page, to read other pages with.
    #[must_use]
    pub fn without_pages(&self) -> Self {
        Self {
            topic_name: self.topic_name.clone(),
            phrases: self.phrases.clone(),
            subtopics: self.subtopics.clone(),
            topic_meaning: self.topic_meaning.clone(),
            marks: self.marks.clone(),
            corrected: self.corrected.clone(),
            form_marks: self.form_marks.clone(),
            ..Self::with_vocabulary(self.vocabulary.clone())
        }
    }

    /// Remembers a page; one seen before is replaced.
    pub fn remember(&mut self, page: KnownPage) {
        if let Some(known) = self.page_mut(&page.address) {
            *known = page;
            return;
        }
        if self.pages.len() == MOST_PAGES
            && let Some(oldest) = self.pages.pop_front()
        {
            self.numbers.remove(&oldest.address);
            self.forgotten += 1;
        }
        let number = self.forgotten + self.pages.len() as u64;
        self.numbers.insert(page.address.clone(), number);
        self.pages.push_back(page);
    }

    /// The page at an address, if it was seen and is remembered.
    pub fn page(&self, address: &Address) -> Option<&KnownPage> {
        let number = self.numbers.get(address)?;
        self.pages.get((number - self.forgotten) as usize)
    }

    fn page_mut(&mut self, address: &Address) -> Option<&mut KnownPage> {
        let number = self.numbers.get(address)?;
        self.pages.get_mut((number - self.forgotten) as usize)
    }

    /// The judgment of the page at an address; that of a page never seen is
    /// "no use".
    pub fn judgment(&self, address: &Address) -> Judgment {
        self.page(address)
            .map(|page| page.judgment)
            .unwrap_or_default()
    }

    /// How many pages were first seen before the one at an address, if that is remembered.
    pub fn pages_before(&self, address: &Address) -> Option<u64> {
        self.numbers.get(address).copied()
    }

    /// Takes in where a remembered page links to, other pages than itself.
    pub fn read_links<'a>(&mut self, page: &Address, targets: impl Iterator<Item = &'a Address>) {
        if let Some(&number) = self.numbers.get(page) {
            let others = targets.filter(|target| target.without_scheme() != page.without_scheme());
            self.backlinks.read(number, others);
        }
    }

    /// Remembered pages that link to a page, as far as their links were taken in, oldest
    /// first: at most [`MOST_BACKLINKS`].
    pub fn backlinks(&self, page: &Address) -> impl Iterator<Item = &KnownPage> {
        let numbers = self.backlinks.of(page).iter();
        numbers.filter_map(|&number| self.numbered(u64::from(number)))
    }

    fn numbered(&self, number: u64) -> Option<&KnownPage> {
        let place = number.checked_sub(self.forgotten)?;
        self.pages.get(usize::try_from(place).ok()?)
    }

    /// All backlinks: hashes of the pages linked to, each with the places of the pages that
    /// link there among [`Self::pages`].
    pub fn backlink_rows(&self) -> impl Iterator<Item = (u64, Vec<u32>)> {
        self.backlinks.rows().filter_map(|(target, numbers)| {
            let numbers = numbers.iter().map(|&number| u64::from(number));
            let places = numbers.filter_map(|number| number.checked_sub(self.forgotten));
            let places: Vec<u32> = places.map(|place| place as u32).collect();
            (!places.is_empty()).then_some((target, places))
        })
    }

    /// Puts back what [`Self::backlink_rows`] gave, by places among [`Self::pages`]. False
    /// if there is no page at a place.
    pub fn put_backlinks(&mut self, target: u64, places: &[u32]) -> bool {
        for &place in places {
            if place as usize >= self.pages.len() {
                return false;
            }
            let number = self.forgotten + u64::from(place);
            if let Ok(number) = u32::try_from(number) {
                self.backlinks.put(target, number);
            }
        }
        true
    }

    /// Takes over the backlinks of another graph from pages that both remember; all of
    /// them, or those of pages that this one remembers.
    pub fn put_backlinks_of(&mut self, other: &Self, of_known_pages: bool) {
        let known: FxHashSet<u64> = self.pages.iter().map(|page| page.address.key()).collect();
        for (target, numbers) in other.backlinks.rows() {
            if of_known_pages && !known.contains(&target) {
                continue;
            }
            let pages = numbers
                .iter()
                .filter_map(|&number| other.numbered(u64::from(number)));
            for page in pages {
                if let Some(&number) = self.numbers.get(&page.address)
                    && let Ok(number) = u32::try_from(number)
                {
                    self.backlinks.put(target, number);
                }
            }
        }
    }

    /// Remembered pages, oldest first.
    pub fn pages(&self) -> impl DoubleEndedIterator<Item = &KnownPage> + ExactSizeIterator {
        self.pages.iter()
    }

    /// The words of pages that were seen lately and not marked, the newest first.
    pub fn unmarked(&self) -> impl Iterator<Item = &PageTerms> {
        let unmarked = self.pages.iter().rev();
        unmarked
            .filter(|page| self.mark(&page.address).is_none())
            .map(|page| &page.terms)
            .filter(|terms| !terms.rows().is_empty())
            .take(MOST_UNMARKED)
    }

    /// What the topic's name, the phrases, the marks and the pages seen mean, for [`Self::topic_meaning`].
    pub fn meaning_of_topic(&self) -> TopicMeaning {
        let marked = |mark| {
            let pages = self.marks.iter();
            pages.filter(move |(_, page)| page.mark == mark)
        };
        let targets = marked(Mark::Target).map(|(address, page)| ToldTarget {
            terms: &page.terms,
            subtopic: self.subtopics.get(address).map(String::as_str),
        });
        let not_targets = marked(Mark::NotTarget).map(|(_, page)| &page.terms);
        TopicMeaning::of(&Told {
            wanted: self.wanted().collect(),
            unwanted: self.unwanted().collect(),
            targets: targets.collect(),
            not_targets: not_targets.collect(),
            unmarked: self.unmarked().collect(),
            vocabulary: &self.vocabulary,
            language: self.language_of_topic(),
        })
    }

    /// The topic's name, if it has one, and what the person said of it.
    pub fn wanted(&self) -> impl Iterator<Item = &str> {
        let name = [self.topic_name.as_str()].into_iter();
        let phrases = self.phrases.iter().filter(|phrase| *phrase.1);
        let named = name.filter(|name| !name.is_empty());
        named.chain(phrases.map(|phrase| phrase.0.as_str()))
    }

    /// What the person said that it is not.
    pub fn unwanted(&self) -> impl Iterator<Item = &str> {
        let phrases = self.phrases.iter().filter(|phrase| !*phrase.1);
        phrases.map(|phrase| phrase.0.as_str())
    }

    /// Judges every remembered page again, by what the critic says of it now.
    pub fn rejudge(&mut self, mut judge: impl FnMut(&KnownPage) -> Judgment) {
        for page in &mut self.pages {
            page.unmarked = judge(page);
            let mark = self.marks.get(&page.address).map(|marked| marked.mark);
            page.judgment = page.unmarked.marked(mark);
        }
    }

    /// Says what the critic says of the pages, marks aside, page by page.
    pub fn set_unmarked(&mut self, judgments: &[Judgment]) {
        for (page, judgment) in self.pages.iter_mut().zip(judgments) {
            page.unmarked = *judgment;
        }
    }

    /// Remembers a searchable form; one that a page of the same host had before is
    /// passed over.
    pub fn remember_form(&mut self, place: FormPlace, words: FormWords) {
        if self
            .forms
            .iter()
            .any(|(known, _)| is_same_form(known, &place))
        {
            return;
        }
        if self.forms.len() == MOST_FORMS {
            self.forms.pop_front();
        }
        self.forms.push_back((place, words));
    }

    /// The searchable forms seen last, oldest first.
    pub fn forms(&self) -> impl Iterator<Item = &(FormPlace, FormWords)> {
        self.forms.iter()
    }

    /// The person's mark on a page.
    pub fn mark(&self, address: &Address) -> Option<Mark> {
        self.marks.get(address).map(|page| page.mark)
    }

    /// Pages marked as targets.
    pub fn targets(&self) -> impl Iterator<Item = &MarkedPage> {
        let marked = self.marks.values();
        marked.filter(|page| page.mark == Mark::Target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevance_is_always_a_share() {
        assert_eq!(Relevance::new(f64::NAN).value(), 0.0);
        assert_eq!(Relevance::new(7.0).value(), 1.0);
        assert!(Relevance::new(0.5).is_high());
    }

    #[test]
    fn a_mark_wins_over_the_critic() {
        let judged = Judgment {
            relevance: Relevance::new(0.2),
            ..Judgment::default()
        };
        assert!(judged.marked(Some(Mark::Target)).is_target);
        assert_eq!(judged.marked(Some(Mark::NotTarget)).relevance.value(), 0.0);
        assert_eq!(judged.marked(None), judged);
    }

    #[test]
    fn a_page_seen_again_replaces_itself() {
        let address = Address::parse("http://a.org/").unwrap();
        let mut graph = WebGraph::default();
        for relevance in [0.1, 0.9] {
            graph.remember(KnownPage {
                address: address.clone(),
                judgment: Judgment {
                    relevance: Relevance::new(relevance),
                    ..Judgment::default()
                },
                unmarked: Judgment::default(),
                counted: false,
                terms: PageTerms::default(),
            });
        }
        assert_eq!(graph.pages().len(), 1);
        assert_eq!(graph.judgment(&address).relevance.value(), 0.9);
    }
}

//! Intelligent crawling (\[B\], methods 3.2): how much likelier
//! than usual a page is to be what is looked for, given what is known of a link
//! to it. Starts from anywhere and needs no example.
//!
//! The interest ratio of an event is `P(C | E) / P(C)`, estimated on the pages
//! fetched so far and smoothed towards 1. Four factors, each of which can stand
//! alone: words of the page with the link, tokens of the URL, whether the page
//! with the link was itself what is looked for, and how often its other links led there.
//! Of words and tokens only those count that deviate significantly, and the sum
//! of their logarithms is divided by the root of their number.
//!
//! What a page is worth to which several links lead is a matter of the [`Form`]. The counts
//! can be kept, so that a later crawl, or one for something related, starts with knowledge;
//! those of single pages (siblings) cannot: they are of that crawl alone.

mod counts;
mod explaining;
mod forms;

pub use counts::{Counts, IntelligentCounts};
pub use forms::{Factors, Form, Inlinks, WeightsError};

use super::recent::Recent;
use super::{
    Arrival, Candidate, Event, Explanation, Known, Learned, LinkPolicy, LinkScore, Priority,
    Profile, Reading, StateError, Strategy, StrategyState, Subject,
};
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::text::TermId;
use crate::web_graph::KnownPage;
use counts::SMOOTHING;

/// Arrivals after which waiting links are scored again.
const BATCH: u32 = 100;

/// Scores links by how much likelier than usual targets are, given page, address and neighbours.
#[derive(Debug, Clone)]
pub struct Intelligent {
    form: Form,
    counts: IntelligentCounts,
    /// By page with links: those of them that were followed.
    siblings: Recent<Counts>,
    batch: u32,
    since_rebuilt: u32,
}

/// Events of one kind that deviate, such as the words of a page, with their counts.
struct Telling<E> {
    events: Vec<(E, Counts)>,
    base_rate: f64,
}

impl<E> Telling<E> {
    /// By which the sum of their logarithms is divided.
    fn root(&self) -> f64 {
        (self.events.len().max(1) as f64).sqrt()
    }

    fn log_ratio(&self) -> f64 {
        let logs = self.events.iter();
        let sum: f64 = logs
            .map(|(_, counts)| counts.ratio(self.base_rate).ln())
            .sum();
        sum / self.root()
    }
}

impl Intelligent {
    /// One of this form that has waiting links scored again after every `batch`
    /// arrivals.
    pub fn every(batch: u32, form: Form) -> Self {
        Self {
            form,
            counts: IntelligentCounts::default(),
            siblings: Recent::default(),
            batch: batch.max(1),
            since_rebuilt: 0,
        }
    }

    /// One of this form, as usual.
    pub fn new(form: Form) -> Self {
        Self::every(BATCH, form)
    }

    /// The same with what was learned before.
    #[must_use]
    pub fn with_counts(self, counts: IntelligentCounts) -> Self {
        Self { counts, ..self }
    }

    /// What it has learned.
    pub fn counts(&self) -> &IntelligentCounts {
        &self.counts
    }

    fn telling<E>(&self, events: impl Iterator<Item = (E, Counts)>) -> Telling<E> {
        let (base_rate, pages) = (self.counts.base_rate(), self.counts.all.seen.max(1.0));
        let events = events.filter(|(_, counts)| counts.deviates(base_rate, pages));
        Telling {
            events: events.collect(),
            base_rate,
        }
    }

    fn telling_words(&self, page: &KnownPage) -> Telling<TermId> {
        let words = page.terms.rows().iter();
        self.telling(words.filter_map(|&(term, _)| Some((term, *self.counts.words.get(&term)?))))
    }

    fn telling_tokens<'a>(&self, tokens: &'a [String]) -> Telling<&'a str> {
        let tokens = tokens.iter().map(String::as_str);
        self.telling(tokens.filter_map(|token| Some((token, *self.counts.tokens.get(token)?))))
    }

    /// `ln` of the ratio by the words of the page with the link.
    pub(super) fn content(&self, page: &KnownPage) -> f64 {
        self.telling_words(page).log_ratio()
    }

    /// `ln` of the ratio by the distinct tokens of a URL.
    pub(super) fn url(&self, tokens: &[String]) -> f64 {
        self.telling_tokens(tokens).log_ratio()
    }

    fn link_ratio(&self, page: &KnownPage) -> f64 {
        self.counts.links[usize::from(page.judgment.is_target)].ratio(self.counts.base_rate())
    }

    /// `ln` of the ratio by whether the page with the link is what is looked for.
    pub(super) fn link(&self, page: &KnownPage) -> f64 {
        self.link_ratio(page).ln()
    }

    fn sibling_ratio(&self, page: &KnownPage) -> f64 {
        let counts = self.siblings.get(&page.address);
        let counts = counts.copied().unwrap_or_default();
        (counts.held + SMOOTHING) / (counts.seen * self.counts.base_rate() + SMOOTHING)
    }

    /// `ln` of the ratio by the other links of the page with the link.
    pub(super) fn sibling(&self, page: &KnownPage) -> f64 {
        self.sibling_ratio(page).ln()
    }

    /// The pages with links to a page that are asked: that of this link, or all.
    fn inlinks<'a>(&self, link: &Candidate, known: Known<'a>) -> Vec<&'a KnownPage> {
        let mut pages: Vec<&KnownPage> = match self.form.inlinks {
            Inlinks::Each => Vec::new(),
            Inlinks::Product => known.graph.backlinks(&link.target).collect(),
        };
        if pages.is_empty() {
            pages.extend(link.source().and_then(|source| known.graph.page(source)));
        }
        pages
    }

    /// What a page with a link says of it, as a logarithm.
    fn page_log(&self, page: &KnownPage) -> f64 {
        let factors = self.form.factors;
        let mut sum = 0.0;
        if factors.content != 0.0 {
            sum += factors.content * self.content(page);
        }
        if factors.link != 0.0 {
            sum += factors.link * self.link(page);
        }
        if factors.sibling != 0.0 {
            sum += factors.sibling * self.sibling(page);
        }
        sum
    }

    fn score_of(&self, link: &Candidate, known: Known<'_>) -> f64 {
        let mut sum = 0.0;
        if self.form.factors.url != 0.0 {
            sum += self.form.factors.url * self.url(&distinct_tokens(link));
        }
        let pages = self.inlinks(link, known);
        sum + pages.iter().map(|page| self.page_log(page)).sum::<f64>()
    }

    fn learn_arrival(&mut self, arrival: &Arrival<'_>, known: Known<'_>) -> Learned {
        let Some(first) = arrival.via.first() else {
            return Learned::Nothing;
        };
        let holds = arrival.judgment.is_target;
        self.counts.all.add(holds);
        let pages: Vec<&KnownPage> = match self.form.inlinks {
            Inlinks::Each => {
                let sources = arrival.via.iter().filter_map(Candidate::source);
                sources
                    .filter_map(|source| known.graph.page(source))
                    .collect()
            }
            Inlinks::Product => self.inlinks(first, known),
        };
        let mut words: Vec<TermId> = Vec::new();
        for page in pages {
            words.extend(page.terms.rows().iter().map(|row| row.0));
            self.counts.links[usize::from(page.judgment.is_target)].add(holds);
            let siblings = self.siblings.get(&page.address);
            let mut siblings = siblings.copied().unwrap_or_default();
            siblings.add(holds);
            self.siblings.keep(page.address.clone(), siblings);
        }
        words.sort_unstable();
        words.dedup();
        for word in words {
            self.counts.add_word(word, holds);
        }
        for token in distinct_tokens(first) {
            self.counts.add_token(&token, holds);
        }
        self.since_rebuilt += 1;
        if self.since_rebuilt < self.batch {
            return Learned::Refined;
        }
        self.since_rebuilt = 0;
        Learned::Rebuilt
    }
}

fn distinct_tokens(link: &Candidate) -> Vec<String> {
    let mut tokens = link.target.words();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

impl Strategy for Intelligent {
    fn profile(&self) -> Profile {
        let asks_each = self.form.inlinks == Inlinks::Each;
        Profile {
            policy: if asks_each {
                LinkPolicy::Both
            } else {
                LinkPolicy::Newest
            },
            reading: Reading {
                backlinks: !asks_each,
                ..Reading::default()
            },
            ..Profile::new(self.form.name)
        }
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score =
            |link: &Candidate| LinkScore::Follow(Priority::new(0, self.score_of(link, known)));
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        match event {
            Event::Arrival(arrival) => self.learn_arrival(arrival, known),
            _ => Learned::Nothing,
        }
    }

    fn full_name(&self) -> String {
        self.form.full_name()
    }

    fn begin_with(
        &mut self,
        learned: &StrategyState,
        known_terms: usize,
    ) -> Result<(), StateError> {
        self.counts = learned.read(known_terms)?.unwrap_or_default();
        Ok(())
    }

    /// The ratio that speaks most for it.
    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        match subject {
            Subject::Link(link) => self.strongest(link, known),
            Subject::Page(_) => None,
        }
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        self.explained(link, known)
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.counts)
    }

    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.counts)?;
        to.put(&self.siblings)?;
        to.put(&self.since_rebuilt)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.counts = from.take()?;
        self.siblings = from.take()?;
        self.since_rebuilt = from.take()?;
        Ok(())
    }
}

impl Default for Intelligent {
    fn default() -> Self {
        Self::new(Form::ALL)
    }
}

#[cfg(test)]
mod tests;

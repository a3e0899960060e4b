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
//! A page reached by several links is worth what the link policy says, where \[B\]
//! adds up over all inlinks. The counts can be kept, so that a later crawl, or one
//! for something related, starts with knowledge; those of single pages (siblings)
//! cannot: they are of that crawl alone.

use rustc_hash::FxHashMap;

use super::recent::Recent;
use super::{
    Candidate, Event, Explanation, Known, Learned, LinkPolicy, LinkScore, Priority, Profile,
    Strategy, StrategyState, Subject,
};
use crate::text::TermId;
use crate::web_graph::KnownPage;

/// Pages by which every ratio is drawn towards 1.
const SMOOTHING: f64 = 5.0;
/// Standard deviations that a word has to deviate by.
const NOISE: f64 = 2.0;
/// Arrivals between two scorings of the whole frontier.
const BATCH: u32 = 100;
/// Words and tokens counted at most; later ones are not learned.
const MOST_EVENTS: usize = 500_000;
/// Words named in an explanation.
const NAMED: usize = 6;

/// How much each factor weighs; one of weight 0 is not looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factors {
    /// Words of the page with the link.
    pub content: f64,
    /// Tokens of the URL that the link points to.
    pub url: f64,
    /// Whether the page with the link is what is looked for.
    pub link: f64,
    /// How often the other links of that page led to what is looked for.
    pub sibling: f64,
}

impl Factors {
    /// All of them, with equal weights.
    pub const ALL: Self = Self {
        content: 1.0,
        url: 1.0,
        link: 1.0,
        sibling: 1.0,
    };
    /// None of them.
    pub const NONE: Self = Self {
        content: 0.0,
        url: 0.0,
        link: 0.0,
        sibling: 0.0,
    };
    /// Words alone.
    pub const CONTENT: Self = Self {
        content: 1.0,
        ..Self::NONE
    };
    /// URL tokens alone.
    pub const URL: Self = Self {
        url: 1.0,
        ..Self::NONE
    };
    /// Links alone.
    pub const LINK: Self = Self {
        link: 1.0,
        ..Self::NONE
    };
    /// Siblings alone.
    pub const SIBLING: Self = Self {
        sibling: 1.0,
        ..Self::NONE
    };
}

/// How often an event was seen, and how often the page then was what is looked
/// for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// Pages with the event.
    pub seen: f64,
    /// Those of them that were what is looked for.
    pub held: f64,
}

impl Counts {
    fn add(&mut self, holds: bool) {
        self.seen += 1.0;
        self.held += f64::from(u8::from(holds));
    }

    /// `ln` of the interest ratio; `base_rate` is `P(C)`.
    fn log_ratio(self, base_rate: f64) -> f64 {
        let rate = (self.held + SMOOTHING * base_rate) / (self.seen + SMOOTHING);
        (rate / base_rate).ln()
    }

    /// Whether event and condition come together more or less often than chance
    /// explains, of `pages` pages.
    fn deviates(self, base_rate: f64, pages: f64) -> bool {
        let expected = base_rate * self.seen / pages;
        let deviation = (expected * (1.0 - expected) / pages).sqrt();
        (self.held / pages - expected).abs() > NOISE * deviation
    }
}

/// What it knows from one crawl to the next.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IntelligentCounts {
    /// By word of the page with the link.
    pub words: FxHashMap<TermId, Counts>,
    /// By token of the URL.
    pub tokens: FxHashMap<Box<str>, Counts>,
    /// By whether the page with the link was what is looked for.
    pub links: [Counts; 2],
    /// All pages.
    pub all: Counts,
}

impl IntelligentCounts {
    /// The same with only the `most` words and tokens that were seen most often.
    #[must_use]
    pub fn trimmed(mut self, most: usize) -> Self {
        seen_most(&mut self.words, most);
        seen_most(&mut self.tokens, most);
        self
    }
}

fn seen_most<E: Ord + std::hash::Hash>(events: &mut FxHashMap<E, Counts>, most: usize) {
    if events.len() <= most {
        return;
    }
    let mut rows: Vec<(E, Counts)> = events.drain().collect();
    rows.sort_by(|a, b| b.1.seen.total_cmp(&a.1.seen).then_with(|| a.0.cmp(&b.0)));
    rows.truncate(most);
    events.extend(rows);
}

/// Scores links by how much likelier than usual targets are, given page, address and neighbours.
#[derive(Debug, Clone)]
pub struct Intelligent {
    factors: Factors,
    counts: IntelligentCounts,
    /// By page with links: those of them that were followed.
    siblings: Recent<Counts>,
    batch: u32,
    since_rebuilt: u32,
}

/// A factor's part of the score.
struct Part {
    label: String,
    log_ratio: f64,
}

impl Intelligent {
    /// One that looks at these factors and has the whole frontier scored again
    /// after every `batch` arrivals.
    pub fn every(batch: u32, factors: Factors) -> Self {
        Self {
            factors,
            counts: IntelligentCounts::default(),
            siblings: Recent::default(),
            batch: batch.max(1),
            since_rebuilt: 0,
        }
    }

    /// One that starts with what was learned before.
    pub fn with_counts(counts: IntelligentCounts) -> Self {
        Self {
            counts,
            ..Self::default()
        }
    }

    /// What it has learned.
    pub fn counts(&self) -> &IntelligentCounts {
        &self.counts
    }

    /// The same with other factors and another batch.
    #[must_use]
    pub fn and_every(mut self, batch: u32, factors: Factors) -> Self {
        (self.batch, self.factors) = (batch.max(1), factors);
        self
    }

    /// `P(C)`; half a page is taken to have held, so that it is never 0.
    fn base_rate(&self) -> f64 {
        (self.counts.all.held + 0.5) / (self.counts.all.seen + 1.0)
    }

    /// The events that deviate, with their logarithms, damped by their number.
    fn damped<E>(&self, events: impl Iterator<Item = (E, Counts)>) -> Vec<(E, f64)> {
        let (base_rate, pages) = (self.base_rate(), self.counts.all.seen.max(1.0));
        let mut kept: Vec<(E, f64)> = events
            .filter(|(_, counts)| counts.deviates(base_rate, pages))
            .map(|(event, counts)| (event, counts.log_ratio(base_rate)))
            .collect();
        let root = (kept.len().max(1) as f64).sqrt();
        for (_, log_ratio) in &mut kept {
            *log_ratio /= root;
        }
        kept
    }

    fn content_events(&self, page: &KnownPage) -> Vec<(TermId, f64)> {
        let words = page.terms.rows().iter();
        self.damped(words.filter_map(|&(term, _)| Some((term, *self.counts.words.get(&term)?))))
    }

    fn url_events<'a>(&self, tokens: &'a [String]) -> Vec<(&'a str, f64)> {
        let tokens = tokens.iter().map(String::as_str);
        self.damped(tokens.filter_map(|token| Some((token, *self.counts.tokens.get(token)?))))
    }

    /// `ln` of the ratio by the words of the page with the link.
    pub(super) fn content(&self, page: &KnownPage) -> f64 {
        self.content_events(page).iter().map(|event| event.1).sum()
    }

    /// `ln` of the ratio by the distinct tokens of a URL.
    pub(super) fn url(&self, tokens: &[String]) -> f64 {
        self.url_events(tokens).iter().map(|event| event.1).sum()
    }

    /// `ln` of the ratio by whether the page with the link is what is looked for.
    pub(super) fn link(&self, page: &KnownPage) -> f64 {
        self.counts.links[usize::from(page.judgment.is_target)].log_ratio(self.base_rate())
    }

    /// `ln` of the ratio by the other links of the page with the link.
    pub(super) fn sibling(&self, page: &KnownPage) -> f64 {
        let counts = self.siblings.get(&page.address);
        let counts = counts.copied().unwrap_or_default();
        ((counts.held + SMOOTHING) / (counts.seen * self.base_rate() + SMOOTHING)).ln()
    }

    fn parts(&self, link: &Candidate, known: Known<'_>) -> Vec<Part> {
        let factors = self.factors;
        let mut parts = Vec::new();
        let page = link.source().and_then(|source| known.graph.page(source));
        if let Some(page) = page.filter(|_| factors.content != 0.0) {
            parts.extend(self.content_events(page).into_iter().map(|(term, log)| {
                let word = known.graph.vocabulary.surface(term);
                Part::new(format!("word {word}"), log, factors.content)
            }));
        }
        if factors.url != 0.0 {
            let tokens = distinct_tokens(link);
            let events = self.url_events(&tokens).into_iter();
            parts.extend(
                events
                    .map(|(token, log)| Part::new(format!("URL token {token}"), log, factors.url)),
            );
        }
        if let Some(page) = page.filter(|_| factors.link != 0.0) {
            let from = if page.judgment.is_target {
                "a link from a page looked for"
            } else {
                "a link from another page"
            };
            parts.push(Part::new(from.to_owned(), self.link(page), factors.link));
        }
        if let Some(page) = page.filter(|_| factors.sibling != 0.0) {
            let others = "its other links".to_owned();
            parts.push(Part::new(others, self.sibling(page), factors.sibling));
        }
        parts
    }

    fn score_of(&self, link: &Candidate, known: Known<'_>) -> f64 {
        let factors = self.factors;
        let mut sum = 0.0;
        if factors.url != 0.0 {
            sum += factors.url * self.url(&distinct_tokens(link));
        }
        let Some(page) = link.source().and_then(|source| known.graph.page(source)) else {
            return sum;
        };
        if factors.content != 0.0 {
            sum += factors.content * self.content(page);
        }
        sum + factors.link * self.link(page) + factors.sibling * self.sibling(page)
    }
}

impl Part {
    fn new(name: String, log_ratio: f64, weight: f64) -> Self {
        Self {
            label: format!("{name}: {:.1} times the base rate", log_ratio.exp()),
            log_ratio: weight * log_ratio,
        }
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
        Profile {
            policy: LinkPolicy::Both,
            ..Profile::new("intelligent")
        }
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score =
            |link: &Candidate| LinkScore::Follow(Priority::new(0, self.score_of(link, known)));
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        let Event::Arrival(arrival) = event else {
            return Learned::Nothing;
        };
        let Some(first) = arrival.via.first() else {
            return Learned::Nothing;
        };
        let holds = arrival.judgment.is_target;
        self.counts.all.add(holds);
        let mut words: Vec<TermId> = Vec::new();
        for link in arrival.via {
            let Some(page) = link.source().and_then(|source| known.graph.page(source)) else {
                continue;
            };
            words.extend(page.terms.rows().iter().map(|row| row.0));
            self.counts.links[usize::from(page.judgment.is_target)].add(holds);
            let mut siblings = self
                .siblings
                .get(&page.address)
                .copied()
                .unwrap_or_default();
            siblings.add(holds);
            self.siblings.keep(page.address.clone(), siblings);
        }
        words.sort_unstable();
        words.dedup();
        for word in words {
            if self.counts.words.len() < MOST_EVENTS || self.counts.words.contains_key(&word) {
                self.counts.words.entry(word).or_default().add(holds);
            }
        }
        for token in distinct_tokens(first) {
            if self.counts.tokens.len() < MOST_EVENTS
                || self.counts.tokens.contains_key(token.as_str())
            {
                self.counts
                    .tokens
                    .entry(token.into())
                    .or_default()
                    .add(holds);
            }
        }
        self.since_rebuilt += 1;
        if self.since_rebuilt < self.batch {
            return Learned::Refined;
        }
        self.since_rebuilt = 0;
        Learned::Rebuilt
    }

    /// The ratio that speaks most for it.
    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        let Subject::Link(link) = subject else {
            return None;
        };
        let parts = self.parts(link, known).into_iter();
        let top_features = parts.max_by(|a, b| a.log_ratio.total_cmp(&b.log_ratio))?;
        (top_features.log_ratio > 0.0).then_some(top_features.label)
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let mut parts: Vec<Explanation> = self
            .parts(link, known)
            .into_iter()
            .map(|part| Explanation::given(part.label, part.log_ratio))
            .collect();
        parts.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
        if parts.len() > NAMED {
            let others = parts.split_off(NAMED);
            let sum = others.iter().map(|part| part.value).sum();
            parts.push(Explanation::given(format!("{} more", others.len()), sum));
        }
        Explanation::sum("logarithm of the interest ratio", parts)
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.counts)
    }
}

impl Default for Intelligent {
    fn default() -> Self {
        Self::every(BATCH, Factors::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_by_hand() {
        let counts = Counts {
            seen: 15.0,
            held: 10.0,
        };
        // (10 + 5 * 0.2) / (15 + 5) = 0.55, against 0.2.
        assert!((counts.log_ratio(0.2) - (0.55f64 / 0.2).ln()).abs() < 1e-12);
        assert!(
            Counts::default().log_ratio(0.3).abs() < 1e-12,
            "nothing seen, nothing said"
        );
        // Of 100 pages 20 held; the event came 15 times. Expected 0.03, found
        // 0.10, two deviations are 0.034.
        assert!(counts.deviates(0.2, 100.0));
        let base_rate = Counts {
            seen: 15.0,
            held: 4.0,
        };
        assert!(!base_rate.deviates(0.2, 100.0));
    }
}

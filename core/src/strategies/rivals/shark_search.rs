//! Shark search (Hersovici and others 1998; methods 3.6): fish search with shades of grey.
//! A link is worth half what it inherits of the pages on the way to it, half what the words
//! in and around it say, by their cosine to the nearest marked target.
//!
//! What is inherited is the similarity of the nearest relevant page on the way, halved at
//! each click from there; the paper takes the nearest page with any similarity at all,
//! which between long texts is always the last one. Words around a link are looked at
//! only if those in it say nothing, as in the paper. Without marked targets a page's
//! relevance stands for its similarity, and words say nothing.
//!
//! Left out: fish search's limit of depth, which the decay makes up for. It learns nothing
//! and saves nothing.

use crate::codec::{SaveError, Saver};
use crate::features::PageTerms;
use crate::strategies::Candidate;
use crate::strategies::Explanation;
use crate::strategies::Known;
use crate::strategies::LinkScore;
use crate::strategies::Priority;
use crate::strategies::Profile;
use crate::strategies::Step;
use crate::strategies::Strategy;
use crate::strategies::Subject;
use crate::text::TermId;

/// What is left of an inherited score after a click.
const DELTA: f64 = 0.5;
/// Weight of the words in the link; the others' is the rest.
const BETA: f64 = 0.8;
/// Weight of what is inherited; the words' is the rest.
const GAMMA: f64 = 0.5;
/// Words on fewer than all pages but one in so many count in full.
const FRAME: f64 = 3.0;
/// Targets that words are compared with, the first by their address; more take too long.
const MOST_TARGETS: usize = 12;
/// Pages on the way that are looked at: behind them nothing is left.
const MOST_STEPS: usize = 20;

/// Scores links by similarity to the targets, inherited and read near the link.
#[derive(Debug, Clone, Copy, Default)]
pub struct SharkSearch;

/// What a link's potential is made of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Parts {
    /// Similarity of the nearest relevant page on the way, 0..=1.
    similarity: f64,
    /// What is left of it.
    decay: f64,
    /// Cosine of the words in the link to the nearest target, 0..=1.
    anchor: f64,
    /// The same of the words around it; 1 if those in it say something.
    context: f64,
}

impl Parts {
    fn of(link: &Candidate, known: Known<'_>) -> Self {
        let (similarity, decay) = inherited(link, known);
        let nearest = |words: &PageTerms| nearest(words, known, |_| 1.0);
        let anchor = nearest(&words(link, true));
        let context = if anchor > 0.0 {
            1.0
        } else {
            nearest(&words(link, false))
        };
        Self {
            similarity,
            decay,
            anchor,
            context,
        }
    }

    fn potential(self) -> f64 {
        let neighbourhood = BETA * self.anchor + (1.0 - BETA) * self.context;
        GAMMA * (self.similarity * self.decay) + (1.0 - GAMMA) * neighbourhood
    }
}

/// What a link inherits of the similarity of the nearest relevant page on the way to it, 0..=1; 0
/// where there are no targets.
pub(in crate::strategies) fn inheritance(link: &Candidate, known: Known<'_>) -> f64 {
    if known.graph.targets().next().is_none() {
        return 0.0;
    }
    let (similarity, decay) = inherited(link, known);
    similarity * decay
}

/// How much the words in a link are like the nearest target, or a fifth of how much those around it
/// are, where those in it are like none; 0..=1. Words that stand on nearly all pages seen, such as those
/// of menus, count little.
pub(in crate::strategies) fn likeness(link: &Candidate, known: Known<'_>) -> f64 {
    let vocabulary = &known.graph.vocabulary;
    let pages = f64::from(vocabulary.documents_seen()) + 1.0;
    let elsewhere = |term| {
        let share = f64::from(vocabulary.document_count(term)) / pages;
        (FRAME * (1.0 - share)).min(1.0)
    };
    let anchor = nearest(&words(link, true), known, elsewhere);
    if anchor > 0.0 {
        return anchor;
    }
    (1.0 - BETA) * nearest(&words(link, false), known, elsewhere)
}

/// The similarity of the nearest relevant page on the way, and what is left of it.
fn inherited(link: &Candidate, known: Known<'_>) -> (f64, f64) {
    let has_targets = known.graph.targets().next().is_some();
    let similarity = |step: &Step| match known.graph.page(&step.address) {
        Some(page) if !page.judgment.relevance.is_high() => None,
        Some(page) if has_targets => Some(page.judgment.similarity),
        Some(page) => Some(page.judgment.relevance.value()),
        None => step.relevance.is_high().then_some(step.relevance.value()),
    };
    let steps = link.trail.steps().take(MOST_STEPS).enumerate();
    let mut relevant =
        steps.filter_map(|(clicks, step)| Some((similarity(step)?, DELTA.powi(clicks as i32 + 1))));
    relevant.next().unwrap_or((0.0, 0.0))
}

/// Words in the link, or around it, each with its count.
fn words(link: &Candidate, is_inside: bool) -> PageTerms {
    let here = link.context.features().iter();
    let here = here.filter(|one| !one.is_of_page() && (one.offset().0 == 0) == is_inside);
    PageTerms::counted(here.map(|one| one.term()))
}

/// Cosine of words to the nearest target, each shared word by its weight; 0 where there is none.
fn nearest(words: &PageTerms, known: Known<'_>, weight: impl Fn(TermId) -> f64) -> f64 {
    let rows = words.rows();
    let squares = |rows: &[(TermId, u32)]| -> f64 {
        rows.iter()
            .map(|row| f64::from(row.1) * f64::from(row.1))
            .sum()
    };
    let own = squares(rows);
    let cosine = |target: &PageTerms| {
        let theirs = target.rows();
        let shared = rows.iter().filter_map(|&(term, count)| {
            let place = theirs.binary_search_by_key(&term, |row| row.0).ok()?;
            Some(weight(term) * f64::from(count) * f64::from(theirs[place].1))
        });
        let dot: f64 = shared.sum();
        if dot == 0.0 {
            0.0
        } else {
            dot / (own * squares(theirs)).sqrt()
        }
    };
    let targets = known.graph.targets().take(MOST_TARGETS);
    targets
        .map(|target| cosine(&target.terms))
        .fold(0.0, f64::max)
}

impl Strategy for SharkSearch {
    fn profile(&self) -> Profile {
        Profile::new("shark-search")
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            LinkScore::Follow(Priority::new(0, Parts::of(link, known).potential()))
        };
        links.iter().map(score).collect()
    }

    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        let Subject::Link(link) = subject else {
            return None;
        };
        let parts = Parts::of(link, known);
        let percent = |share: f64| (100.0 * share).round();
        if parts.anchor > 0.0 {
            let share = percent(parts.anchor);
            return Some(format!("the words in the link are {share} % like a target"));
        }
        (parts.similarity > 0.0).then(|| {
            let share = percent(parts.similarity);
            format!("behind a page that is {share} % like a target")
        })
    }

    fn save(&self, _: &mut Saver<'_>) -> Result<(), SaveError> {
        Ok(())
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let parts = Parts::of(link, known);
        let inherited = Explanation::product(
            "inherited",
            vec![
                Explanation::given("weight of what is inherited", GAMMA),
                Explanation::given("similarity of the nearest relevant page", parts.similarity),
                Explanation::given("what the clicks from there leave of it", parts.decay),
            ],
        );
        let said = |label: &str, weight: f64, similarity: f64| {
            Explanation::product(
                label,
                vec![
                    Explanation::given("weight", (1.0 - GAMMA) * weight),
                    Explanation::given("similarity to the nearest target", similarity),
                ],
            )
        };
        let context = if parts.anchor > 0.0 {
            "words around the link, taken for granted as those in it say something"
        } else {
            "words around the link"
        };
        Explanation::sum(
            "potential",
            vec![
                inherited,
                said("words in the link", BETA, parts.anchor),
                said(context, 1.0 - BETA, parts.context),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::critics;
    use crate::dom::DomOffset;
    use crate::features::{LinkContext, OffsetTerm};
    use crate::strategies::Trail;
    use crate::web_graph::{Judgment, KnownPage, Mark, MarkedPage, Relevance, WebGraph};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    /// Two targets: one with the words 1 (three times) and 2 (four times), one with word 5.
    /// Page `good` is relevant with a cosine of 0.8, `bad` is not, with one of 0.3.
    fn graph() -> WebGraph {
        let mut graph = WebGraph::default();
        for (name, rows) in [("t", vec![(1, 3), (2, 4)]), ("u", vec![(5, 1)])] {
            let rows = rows.into_iter().map(|(term, count)| (TermId(term), count));
            let marked = MarkedPage {
                mark: Mark::Target,
                terms: PageTerms::from_rows(rows.collect()),
            };
            graph.marks.insert(address(name), marked);
        }
        for (name, relevance, similarity) in [("good", 0.9, 0.8), ("bad", 0.1, 0.3)] {
            let judgment = Judgment {
                relevance: Relevance::new(relevance),
                similarity,
                ..Judgment::default()
            };
            graph.remember(KnownPage {
                address: address(name),
                judgment,
                unmarked: judgment,
                counted: false,
                terms: PageTerms::default(),
            });
        }
        graph
    }

    fn link(pages: &[&str], words: &[(u32, i32)]) -> Candidate {
        let steps = pages.iter().map(|name| Step {
            address: address(name),
            relevance: Relevance::new(0.0),
        });
        let words = words
            .iter()
            .map(|&(term, offset)| OffsetTerm::new(TermId(term), DomOffset(offset)));
        Candidate {
            trail: Trail::from_oldest(steps),
            context: LinkContext::new(words.collect()),
            ..Candidate::seed(address("x"))
        }
    }

    /// Pages on the way, words with their offsets, and the potential.
    type Case<'a> = (&'a [&'a str], &'a [(u32, i32)], f64);

    #[test]
    fn potentials_by_hand() {
        let (graph, critic) = (graph(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let cases: [Case<'_>; 6] = [
            (&[], &[], 0.0),
            // 0.5 * (0.5 * 0.8)
            (&["good"], &[], 0.2),
            // Two clicks behind: 0.5 * (0.25 * 0.8)
            (&["good", "bad"], &[(9, 0)], 0.1),
            // The anchor is word 2: cosine 4 / 5; 0.5 * (0.8 * 0.8 + 0.2 * 1).
            (&["bad"], &[(2, 0), (5, 1)], 0.42),
            // The anchor says nothing, around it stand words 1 and 9: 3 / (5 * sqrt 2).
            (
                &["bad"],
                &[(9, 0), (1, -2), (9, 3)],
                0.1 * 3.0 / 50f64.sqrt(),
            ),
            // Word 5 is the whole of the other target.
            (&["good", "good"], &[(5, 0)], 0.2 + 0.5),
        ];
        for (pages, words, expected) in cases {
            let link = link(pages, words);
            let found = Parts::of(&link, known).potential();
            assert!(
                (found - expected).abs() < 1e-12,
                "{pages:?} {words:?}: {found}"
            );
        }
        let anchor = words(&link(&[], &[(1, 0), (2, 0), (2, 0), (7, 0)]), true);
        let by_cosine = critics::similarity(&anchor, known.graph);
        assert!((nearest(&anchor, known, |_| 1.0) - by_cosine).abs() < 1e-12);
    }

    #[test]
    fn words_that_stand_on_nearly_all_pages_make_nothing_alike() {
        let (mut graph, critic) = (graph(), critics::Topic::default());
        for word in ["zero", "menu", "kidney"] {
            graph.vocabulary.intern(word, word);
        }
        let (menu, kidney) = ((TermId(1), 1.0), (TermId(2), 1.0));
        graph.vocabulary.count_document(&[menu, kidney]);
        for _ in 0..8 {
            graph.vocabulary.count_document(&[menu]);
        }
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        // Nine pages of nine and one more have the one word, one has the other.
        let cases: [(&[(u32, i32)], f64); 4] = [
            (&[(1, 0)], 3.0 * 0.1 * 0.6),
            (&[(2, 0)], 0.8),
            (&[(9, 0), (2, 1)], 0.2 * 0.8),
            (&[(9, 0)], 0.0),
        ];
        for (words, expected) in cases {
            let found = likeness(&link(&[], words), known);
            assert!((found - expected).abs() < 1e-12, "{words:?}: {found}");
        }
        let behind = link(&["good", "bad"], &[]);
        assert!((inheritance(&behind, known) - 0.25 * 0.8).abs() < 1e-12);
    }

    #[test]
    fn without_targets_relevance_speaks_and_words_say_nothing() {
        let (mut graph, critic) = (graph(), critics::Topic::default());
        graph.marks.clear();
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let link = link(&["good"], &[(1, 0)]);
        let found = Parts::of(&link, known).potential();
        assert!((found - 0.5 * 0.5 * 0.9).abs() < 1e-12, "{found}");
        assert_eq!(inheritance(&link, known), 0.0);
    }
}

//! Links by the hop distance that a hidden Markov model believes in, which sees of a page the
//! cluster it falls into (Liu, Janssen, Milios 2006; \[C\]'s rival), and of a link how like
//! the targets it looks.
//!
//! Pages are embedded by latent semantic indexing and clustered by X-means; the targets form
//! cluster 0. A new page falls into the cluster of its nearest neighbours. The rival of the
//! paper gives all links of a page one priority; the second observation, of the link itself,
//! is ours: given the distance of its page, both are taken to be independent.

use rustc_hash::FxHashMap;

use super::hop_chain::{BeliefOrder, in_words, judged, marked, target_probability};
use super::recent::Recent;
use super::{
    Candidate, Event, Explanation, HopChain, Known, Learned, LinkScore, Priority, Profile, Promise,
    Rng, Strategy, StrategyState, Subject,
};
use crate::features::PageTerms;
use crate::hops::{Observed, STATES, TrainingWeb, WalkRules, Walks, likeness};
use crate::models::svd::{Svd, truncated};
use crate::models::{Feature, Hmm, Inference, clusters};
use crate::text::TermId;
use crate::web_graph::Relevance;

/// Dimensions of the space that pages are embedded in.
const DIMENSIONS: usize = 30;
/// Clusters besides that of the targets.
pub(super) const MOST_CLUSTERS: usize = 24;
/// Pages that are embedded; of more, evenly spaced ones.
pub(super) const MOST_PAGES: usize = 1_200;
/// Terms that pages are embedded by: those of most pages.
pub(super) const MOST_TERMS: usize = 6_000;
/// Neighbours that say which cluster a page falls into.
const NEIGHBOURS: usize = 7;
/// Added to every count.
const ADDED: f64 = 0.5;
/// Likenesses of links that are told apart, besides none at all.
const LIKENESSES: usize = 12;

/// Nearest first.
const ORDER: BeliefOrder = BeliefOrder::Expected;

/// A trained hidden Markov model over clusters of pages and likenesses of links, and what it
/// believes of pages passed.
#[derive(Debug, Clone)]
pub struct HopClusters {
    pub(super) pages: Hmm,
    /// Only its emissions are asked for.
    pub(super) links: Hmm,
    pub(super) space: Space,
    pub(super) inference: Inference,
    /// The belief of every page that was fetched, and the same one step on.
    passed: Recent<(Vec<f64>, Vec<f64>)>,
}

/// Where pages lie, and the clusters there.
#[derive(Debug, Clone)]
pub(super) struct Space {
    pub(super) svd: Svd,
    /// By term: its column, and how much it counts.
    pub(super) columns: FxHashMap<TermId, (u32, f32)>,
    /// Places of the pages that are no targets, with their clusters, from 1.
    pub(super) known: Vec<(Vec<f64>, usize)>,
}

impl Space {
    fn learn(all: &[(&PageTerms, bool)], rng: &mut dyn Rng) -> Self {
        let step = all.len().div_ceil(MOST_PAGES).max(1);
        let pages: Vec<&(&PageTerms, bool)> = all.iter().step_by(step).collect();
        let mut documents: FxHashMap<TermId, u32> = FxHashMap::default();
        for (terms, _) in &pages {
            for &(term, _) in terms.rows() {
                *documents.entry(term).or_default() += 1;
            }
        }
        let mut ranked: Vec<(TermId, u32)> = documents.into_iter().collect();
        ranked.sort_unstable_by_key(|&(term, count)| (std::cmp::Reverse(count), term));
        ranked.truncate(MOST_TERMS);
        let idf = |count: u32| (pages.len() as f32 / count as f32).ln();
        let columns = ranked.into_iter().zip(0..);
        let mut space = Self {
            svd: Svd {
                values: Vec::new(),
                vectors: Vec::new(),
            },
            columns: columns
                .map(|((term, count), column)| (term, (column, idf(count))))
                .collect(),
            known: Vec::new(),
        };
        let rows: Vec<Vec<Feature>> = pages.iter().map(|page| space.row(page.0)).collect();
        space.svd = truncated(&rows, space.columns.len(), DIMENSIONS, rng);
        let others: Vec<Vec<f64>> = pages
            .iter()
            .zip(&rows)
            .filter(|(page, _)| !page.1)
            .map(|(_, row)| space.svd.embed(row))
            .collect();
        let found = clusters::x_means(&others, MOST_CLUSTERS, rng);
        let numbers = found.of.into_iter().map(|cluster| cluster + 1);
        space.known = others.into_iter().zip(numbers).collect();
        space
    }

    fn row(&self, terms: &PageTerms) -> Vec<Feature> {
        let damped = terms.damped().into_iter();
        damped
            .filter_map(|(term, weight)| {
                let &(column, idf) = self.columns.get(&term)?;
                Some((column, weight * idf))
            })
            .collect()
    }

    /// Number of clusters, that of the targets among them.
    fn clusters(&self) -> usize {
        self.known.iter().map(|row| row.1).max().unwrap_or(0) + 1
    }

    /// The cluster that most of the nearest pages are in; 0 is for targets.
    fn cluster(&self, terms: &PageTerms, is_target: bool) -> usize {
        if is_target || self.known.is_empty() {
            return 0;
        }
        let place = self.svd.embed(&self.row(terms));
        let near = |known: &(Vec<f64>, usize)| -> f64 {
            known.0.iter().zip(&place).map(|(a, b)| a * b).sum()
        };
        let mut ranked: Vec<(f64, usize)> =
            self.known.iter().map(|row| (near(row), row.1)).collect();
        let neighbours = NEIGHBOURS.min(ranked.len());
        ranked.select_nth_unstable_by(neighbours - 1, |a, b| b.0.total_cmp(&a.0));
        let mut votes = vec![0; self.clusters()];
        for (_, cluster) in &ranked[..neighbours] {
            votes[*cluster] += 1;
        }
        let most = votes
            .iter()
            .enumerate()
            .max_by_key(|row| (row.1, std::cmp::Reverse(row.0)));
        most.map_or(0, |row| row.0)
    }
}

/// Which of the likenesses a link's falls into.
fn likeness_bin(value: f64) -> usize {
    if value > 0.0 {
        1 + ((value * LIKENESSES as f64) as usize).min(LIKENESSES - 1)
    } else {
        0
    }
}

impl HopClusters {
    /// Trains on walks over a web that was seen, by \[C\]'s rules.
    pub fn train(web: &TrainingWeb, inference: Inference, rng: &mut dyn Rng) -> Self {
        let walks = web.walks(WalkRules::new(Walks::Downhill), rng);
        let pages: Vec<(&PageTerms, bool)> = (0..web.len())
            .map(|page| (web.terms(page), web.is_target(page)))
            .collect();
        Self::learn_from(&pages, &web.observed_walks(&walks), inference, rng)
    }

    /// Lays the space by pages (their terms, whether each is a target), and counts sequences.
    pub fn learn_from(
        pages: &[(&PageTerms, bool)],
        sequences: &[Vec<Observed>],
        inference: Inference,
        rng: &mut dyn Rng,
    ) -> Self {
        let space = Space::learn(pages, rng);
        let clustered = sequences.iter().map(|sequence| {
            let steps = sequence.iter();
            let steps = steps.map(|step| (step.state, space.cluster(&step.terms, step.is_target)));
            steps.collect::<Vec<(usize, usize)>>()
        });
        let clustered: Vec<Vec<(usize, usize)>> = clustered.collect();
        let linked = sequences.iter().map(|sequence| {
            let steps = sequence.iter();
            let steps = steps.filter_map(|step| Some((step.state, likeness_bin(step.likeness?))));
            steps.collect::<Vec<(usize, usize)>>()
        });
        let linked: Vec<Vec<(usize, usize)>> = linked.collect();
        let count = |symbols: usize, sequences: &[Vec<(usize, usize)>]| {
            Hmm::count(
                (STATES, symbols),
                sequences.iter().map(Vec::as_slice),
                ADDED,
            )
        };
        Self::of(
            count(space.clusters(), &clustered),
            count(LIKENESSES + 1, &linked),
            space,
            inference,
        )
    }

    pub(super) fn of(pages: Hmm, links: Hmm, space: Space, inference: Inference) -> Self {
        Self {
            pages,
            links,
            space,
            inference,
            passed: Recent::default(),
        }
    }

    /// Number of symbols that links can be seen as.
    pub(super) const LINK_SYMBOLS: usize = LIKENESSES + 1;

    /// Probabilities of the distances at which the page of a link may lie.
    pub fn belief(&self, link: &Candidate, known: Known<'_>) -> Vec<f64> {
        let page = link.source().and_then(|source| self.passed.get(source));
        let ahead = page.map_or(self.pages.tables().0, |page| page.1.as_slice());
        let seen = likeness(&link.context, &link.target, known.graph).words;
        let belief = self.links.observe(Some(ahead), likeness_bin(seen));
        marked(belief, known.graph.mark(&link.target))
    }
}

impl Strategy for HopClusters {
    fn profile(&self) -> Profile {
        Profile::new("hmm")
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            LinkScore::Follow(HopChain::priority(&self.belief(link, known), ORDER))
        };
        links.iter().map(score).collect()
    }

    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        Some(Relevance::new(self.belief(link, known)[0]))
    }

    /// The probability of a target.
    fn promise(&self, priority: Priority) -> Promise {
        Promise::Probability(target_probability(priority, ORDER))
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        let Event::Page(passing) = event else {
            return Learned::Nothing;
        };
        let before = passing.via.first().map(|link| self.belief(link, known));
        let is_target = passing.judgment.is_target;
        let cluster = self.space.cluster(passing.terms, is_target);
        let belief = judged(
            self.pages.observe(before.as_deref(), cluster),
            passing.judgment,
        );
        let ahead = match self.inference {
            Inference::Marginal => self.pages.predict(&belief),
            Inference::Viterbi => self.pages.predict_best(&belief),
        };
        let address = passing.page.address.clone();
        self.passed.keep(address, (belief, ahead));
        Learned::Nothing
    }

    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        let belief = match subject {
            Subject::Link(link) => self.belief(link, known),
            Subject::Page(page) => self.passed.get(page)?.0.clone(),
        };
        Some(in_words(&belief))
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let belief = self.belief(link, known);
        let parts = belief.iter().enumerate();
        let parts = parts.map(|(distance, probability)| {
            Explanation::given(format!("distance {distance}"), *probability)
        });
        let value = HopChain::priority(&belief, ORDER).value();
        Explanation::because(in_words(&belief), value, parts.collect())
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(self)
    }
}

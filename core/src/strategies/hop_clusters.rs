//! Links by the hop distance that a hidden Markov model believes in, which sees
//! of a page only the cluster it falls into (Liu, Janssen, Milios 2006; \[C\]'s
//! rival).
//!
//! Pages of the training web are embedded by latent semantic indexing and
//! clustered by X-means; the targets form cluster 0. A new page falls into the
//! cluster of its nearest neighbours. All links of a page share one priority:
//! the belief one step on.
//!
//! It is here to be measured: nothing of it is saved.

use rustc_hash::FxHashMap;

use super::recent::Recent;
use super::{
    Candidate, Event, Explanation, HopChain, Known, Learned, LinkScore, Profile, Rng, Strategy,
};
use crate::features::PageTerms;
use crate::hops::{STATES, TrainingWeb, WalkRules, Walks};
use crate::models::svd::{Svd, truncated};
use crate::models::{Feature, Hmm, Inference, clusters};
use crate::text::TermId;
use crate::web_graph::Relevance;

/// Dimensions of the space that pages are embedded in.
const DIMENSIONS: usize = 30;
/// Clusters besides that of the targets.
const MOST_CLUSTERS: usize = 24;
/// Pages that are embedded; of more, evenly spaced ones.
const MOST_PAGES: usize = 2_400;
/// Neighbours that say which cluster a page falls into.
const NEIGHBOURS: usize = 7;
/// Added to every count.
const ADDED: f64 = 0.5;

/// A trained hidden Markov model over clusters of pages, and what it believes of pages passed.
#[derive(Debug, Clone)]
pub struct HopClusters {
    hmm: Hmm,
    space: Space,
    inference: Inference,
    /// The belief of every page that was fetched, one step on.
    ahead: Recent<Vec<f64>>,
}

/// Where pages lie, and the clusters there.
#[derive(Debug, Clone)]
struct Space {
    svd: Svd,
    /// By term: its column, and how much it counts.
    columns: FxHashMap<TermId, (u32, f32)>,
    /// Places of the pages that are no targets, with their clusters, from 1.
    known: Vec<(Vec<f64>, usize)>,
}

impl Space {
    fn learn(web: &TrainingWeb, rng: &mut dyn Rng) -> Self {
        let step = web.len().div_ceil(MOST_PAGES).max(1);
        let pages: Vec<usize> = (0..web.len()).step_by(step).collect();
        let mut documents: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut order = Vec::new();
        for &page in &pages {
            for &(term, _) in web.terms(page).rows() {
                let count = documents.entry(term).or_insert_with(|| {
                    order.push(term);
                    0
                });
                *count += 1;
            }
        }
        let idf = |count: u32| (pages.len() as f32 / count as f32).ln();
        let columns = order.into_iter().zip(0..);
        let mut space = Self {
            svd: Svd {
                values: Vec::new(),
                vectors: Vec::new(),
            },
            columns: columns
                .map(|(term, column)| (term, (column, idf(documents[&term]))))
                .collect(),
            known: Vec::new(),
        };
        let rows: Vec<Vec<Feature>> = pages
            .iter()
            .map(|&page| space.row(web.terms(page)))
            .collect();
        space.svd = truncated(&rows, space.columns.len(), DIMENSIONS, rng);
        let others: Vec<Vec<f64>> = pages
            .iter()
            .zip(&rows)
            .filter(|(page, _)| !web.is_target(**page))
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

impl HopClusters {
    /// Trains on walks over a web that was seen, by \[C\]'s rules.
    pub fn train(web: &TrainingWeb, inference: Inference, rng: &mut dyn Rng) -> Self {
        let space = Space::learn(web, rng);
        let clusters: Vec<usize> = (0..web.len())
            .map(|page| space.cluster(web.terms(page), web.is_target(page)))
            .collect();
        let walks = web.walks(WalkRules::new(Walks::Downhill), rng);
        let sequences: Vec<Vec<(usize, usize)>> = walks
            .into_iter()
            .map(|walk| {
                walk.into_iter()
                    .map(|(page, state)| (state, clusters[page]))
                    .collect()
            })
            .collect();
        let hmm = Hmm::count(
            (STATES, space.clusters()),
            sequences.iter().map(Vec::as_slice),
            ADDED,
        );
        Self {
            hmm,
            space,
            inference,
            ahead: Recent::default(),
        }
    }

    fn belief(&self, link: &Candidate) -> Vec<f64> {
        let page = link.source().and_then(|source| self.ahead.get(source));
        page.map_or_else(|| self.hmm.tables().0.to_vec(), Vec::clone)
    }
}

impl Strategy for HopClusters {
    fn profile(&self) -> Profile {
        Profile::new("hmm")
    }

    fn score(&self, links: &[Candidate], _: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| LinkScore::Follow(HopChain::priority(&self.belief(link)));
        links.iter().map(score).collect()
    }

    fn expected(&self, link: &Candidate, _: Known<'_>) -> Option<Relevance> {
        Some(Relevance::new(self.belief(link)[0]))
    }

    fn learn(&mut self, event: &Event<'_>, _: Known<'_>) -> Learned {
        let Event::Page(passing) = event else {
            return Learned::Nothing;
        };
        let before = passing.via.first().map(|link| self.belief(link));
        let cluster = self
            .space
            .cluster(passing.terms, passing.judgment.is_target);
        let belief = self.hmm.observe(before.as_deref(), cluster);
        let ahead = match self.inference {
            Inference::Marginal => self.hmm.predict(&belief),
            Inference::Viterbi => self.hmm.predict_best(&belief),
        };
        self.ahead.keep(passing.page.address.clone(), ahead);
        Learned::Nothing
    }

    fn explain(&self, link: &Candidate, _: Known<'_>) -> Explanation {
        let belief = self.belief(link);
        let parts = belief.iter().enumerate();
        let parts = parts.map(|(distance, probability)| {
            Explanation::given(format!("distance {distance}"), *probability)
        });
        let value = HopChain::priority(&belief).value();
        Explanation::because("probability of a target", value, parts.collect())
    }
}

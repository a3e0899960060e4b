//! A hidden Markov model of hop distances as bytes. What it believes of pages passed is not
//! among them: a crawl that goes on meets its pages again in its log.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, known, saved};
use crate::codec;
use crate::hops::STATES;
use crate::models::svd::Svd;
use crate::models::{Hmm, Inference};
use crate::strategies::HopClusters;
use crate::strategies::hop_clusters::{MOST_CLUSTERS, MOST_PAGES, MOST_TERMS, Space};

#[derive(Serialize, Deserialize)]
struct SavedHopClusters {
    pages: SavedHmm,
    links: SavedHmm,
    by_best_path: bool,
    rank: u32,
    values: Vec<f32>,
    vectors: Vec<f32>,
    /// Terms in the order of their columns, with how much they count.
    columns: Vec<(u32, f32)>,
    /// Places of pages, one behind the other, and their clusters.
    places: Vec<f32>,
    clusters: Vec<u8>,
}

/// Tables row by row.
#[derive(Serialize, Deserialize)]
struct SavedHmm {
    initial: Vec<f64>,
    transitions: Vec<f64>,
    emissions: Vec<f64>,
}

impl SavedHmm {
    fn of(hmm: &Hmm) -> Self {
        let (initial, transitions, emissions) = hmm.tables();
        Self {
            initial: initial.to_vec(),
            transitions: transitions.to_vec(),
            emissions: emissions.to_vec(),
        }
    }

    fn into_hmm(self) -> Result<Hmm, StateError> {
        let sums_to_one = |rows: &[f64], width: usize| {
            let mut rows = rows.chunks(width.max(1));
            rows.all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-6)
        };
        let symbols = self.emissions.len() / STATES;
        let is_sound = self.initial.len() == STATES
            && sums_to_one(&self.initial, STATES)
            && sums_to_one(&self.transitions, STATES)
            && sums_to_one(&self.emissions, symbols);
        let hmm = Hmm::from_tables(self.initial, self.transitions, self.emissions);
        hmm.filter(|_| is_sound)
            .ok_or(StateError::Content("a table of probabilities is none"))
    }
}

impl SavedHopClusters {
    fn of(model: &HopClusters) -> Self {
        let space = &model.space;
        let small = |values: &[f64]| values.iter().map(|&value| value as f32).collect();
        let mut columns: Vec<(u32, u32, f32)> = space
            .columns
            .iter()
            .map(|(term, &(column, weight))| (column, term.0, weight))
            .collect();
        columns.sort_unstable_by_key(|row| row.0);
        let places = space.known.iter().flat_map(|row| &row.0);
        Self {
            pages: SavedHmm::of(&model.pages),
            links: SavedHmm::of(&model.links),
            by_best_path: model.inference == Inference::Viterbi,
            rank: space.svd.values.len() as u32,
            values: small(&space.svd.values),
            vectors: small(&space.svd.vectors),
            columns: columns.into_iter().map(|row| (row.1, row.2)).collect(),
            places: places.map(|&value| value as f32).collect(),
            clusters: space.known.iter().map(|row| row.1 as u8).collect(),
        }
    }

    fn into_model(self, known_terms: usize) -> Result<HopClusters, StateError> {
        let wrong = |what| Err(StateError::Content(what));
        let rank = self.rank as usize;
        let mut numbers = self.values.iter().chain(&self.vectors).chain(&self.places);
        let mut weights = self.columns.iter().map(|row| row.1);
        if !numbers.all(|value| value.is_finite()) || !weights.all(f32::is_finite) {
            return wrong("a place of a page is none");
        }
        let fits = self.values.len() == rank
            && self.vectors.len() == self.columns.len() * rank
            && self.places.len() == self.clusters.len() * rank
            && self.columns.len() <= MOST_TERMS
            && self.clusters.len() <= MOST_PAGES;
        if !fits {
            return wrong("places of pages do not fit their space");
        }
        let (pages, links) = (self.pages.into_hmm()?, self.links.into_hmm()?);
        let most = self.clusters.iter().copied().max().map_or(0, usize::from);
        if links.symbols() != HopClusters::LINK_SYMBOLS
            || most > MOST_CLUSTERS
            || pages.symbols() <= most
            || self.clusters.contains(&0)
        {
            return wrong("a cluster is none");
        }
        let mut columns = rustc_hash::FxHashMap::default();
        for (&(term, weight), column) in self.columns.iter().zip(0..) {
            columns.insert(known(term, known_terms)?, (column, weight));
        }
        let large = |values: Vec<f32>| -> Vec<f64> { values.into_iter().map(f64::from).collect() };
        let places = large(self.places);
        let places = places.chunks(rank.max(1)).map(<[f64]>::to_vec);
        let space = Space {
            svd: Svd {
                values: large(self.values),
                vectors: large(self.vectors),
            },
            columns,
            known: places
                .zip(self.clusters.into_iter().map(usize::from))
                .collect(),
        };
        let inference = if self.by_best_path {
            Inference::Viterbi
        } else {
            Inference::Marginal
        };
        Ok(HopClusters::of(pages, links, space, inference))
    }
}

impl Saved for HopClusters {
    const LEARNER: &'static str = "hop-clusters";

    fn encode(&self) -> Vec<u8> {
        codec::encode(&SavedHopClusters::of(self))
    }

    fn decode(bytes: &[u8], known_terms: usize) -> Result<Self, StateError> {
        saved::<SavedHopClusters>(bytes)?.into_model(known_terms)
    }
}

//! Links by the hop distance that a MEMM or a CRF believes their pages lie at
//! (\[C\] 3.2-3.5).
//!
//! The belief of a link is one forward step from the belief of the page it
//! stands on, with what is observed there and on the link; marginal (\[C\] eq. 19,
//! 37, 38) or by the best path (eq. 24, 39). Links are ordered as \[C\] 3.5 has it, by the
//! probability of distance 0, those equal in it by that of distance 1, and so on; by the
//! expected distance people's clicks are ranked better and crawls go worse, so that order is
//! kept to be compared ([`BeliefOrder`]). Once a page is fetched the critic has
//! the word: a target lies at distance 0, another page does not.
//!
//! The model is trained beforehand ([`crate::hops`]) and does not change while
//! links are followed.

use serde::{Deserialize, Serialize};

use super::recent::Recent;
use super::{
    Candidate, Event, Explanation, Known, Learned, LinkScore, Passing, Priority, Profile, Promise,
    Rank, Strategy, StrategyState, Subject,
};
use crate::address::Address;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::hops::{
    FeatureGroups, FeatureIndex, PageText, STATES, known_features, link_features, page_features,
};
use crate::models::{ChainKind, ChainModel, Feature, Inference, Scores};
use crate::web_graph::{Judgment, Mark, Relevance};

/// Probabilities are equal if they are after rounding to this.
const EPSILON: f64 = 0.001;
/// Features named in an explanation.
const NAMED: usize = 8;

/// Which of two beliefs comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BeliefOrder {
    /// That of the smaller expected distance; of equal ones that of the likelier target.
    Expected,
    /// \[C\] 3.5's: by the probabilities in turn, equal after rounding to a thousandth, which
    /// makes a total order of the paper's "equal within epsilon".
    #[default]
    Probabilities,
}

/// A trained model of hop distances, and what it believes of the pages passed.
#[derive(Debug, Clone, PartialEq)]
pub struct HopChain {
    model: ChainModel,
    feature_index: FeatureIndex,
    groups: FeatureGroups,
    inference: Inference,
    order: BeliefOrder,
    passed: Recent<PassedPage>,
}

/// What is kept of a page that was fetched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassedPage {
    /// Where it is.
    pub address: Address,
    /// Over its own distance.
    pub belief: Vec<f64>,
    /// What it adds to the scores of where its links lead.
    pub scores: Scores,
}

impl HopChain {
    /// With a model over [`STATES`] distances and the features it knows.
    pub fn new(
        model: ChainModel,
        feature_index: FeatureIndex,
        groups: FeatureGroups,
        inference: Inference,
    ) -> Self {
        Self {
            model,
            feature_index,
            groups,
            inference,
            order: BeliefOrder::default(),
            passed: Recent::default(),
        }
    }

    /// Writes what is kept of the pages passed.
    pub(super) fn save_passed(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.passed)
    }

    /// Takes that back.
    pub(super) fn load_passed(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.passed = from.take()?;
        Ok(())
    }

    /// The model.
    pub fn model(&self) -> &ChainModel {
        &self.model
    }

    /// The features it knows.
    pub fn feature_index(&self) -> &FeatureIndex {
        &self.feature_index
    }

    /// Which features it reads.
    pub fn groups(&self) -> FeatureGroups {
        self.groups
    }

    /// How beliefs are carried on.
    pub fn inference(&self) -> Inference {
        self.inference
    }

    /// The same with beliefs carried on in another way.
    #[must_use]
    pub fn inferring(self, inference: Inference) -> Self {
        Self { inference, ..self }
    }

    /// The same with links in another order.
    #[must_use]
    pub fn ordering(self, order: BeliefOrder) -> Self {
        Self { order, ..self }
    }

    /// The same with only the `most` features whose weights differ most.
    #[must_use]
    pub fn pruned(&self, most: usize) -> Self {
        let weights = &self.model.weights;
        let spread = |feature: u32| {
            let row = weights.by_state(feature).iter();
            let highest = row.clone().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            highest - row.fold(f64::INFINITY, |a, &b| a.min(b))
        };
        let mut kept: Vec<u32> = (0..weights.features() as u32).collect();
        kept.sort_by(|&a, &b| spread(b).total_cmp(&spread(a)));
        kept.truncate(most);
        kept.sort_unstable();
        let mut feature_index = FeatureIndex::default();
        for &feature in &kept {
            feature_index.intern(self.feature_index.name(feature));
        }
        let weights = weights.with_features(&kept);
        let model = ChainModel {
            kind: self.model.kind,
            weights,
        };
        Self {
            passed: self.passed.clone(),
            ..Self::new(model, feature_index, self.groups, self.inference)
        }
    }

    /// The pages whose belief is kept, oldest first.
    pub fn passed(&self) -> impl Iterator<Item = PassedPage> + '_ {
        self.passed.iter().map(|row| row.1.clone())
    }

    /// Keeps a page's belief.
    pub fn pass(&mut self, page: PassedPage) {
        self.passed.keep(page.address.clone(), page);
    }

    /// Believes of a page what the way to it and the page itself say.
    fn pass_page(&mut self, passing: &Passing<'_>, known: Known<'_>) {
        let before = passing.via.first().map(|link| self.belief(link, known));
        let features = page_features(
            &passing.page.address,
            &PageText::of(passing.page),
            passing.judgment,
            known.graph,
            self.groups,
            &self.feature_index,
        );
        self.pass(PassedPage {
            address: passing.page.address.clone(),
            belief: judged(before.unwrap_or_else(unknown), passing.judgment),
            scores: self.model.weights.scores(&features),
        });
    }

    /// The same of a page that only a click tells of.
    fn pass_click(&mut self, link: &Candidate, judgment: Judgment, known: Known<'_>) {
        if self.passed.get(&link.target).is_some() {
            return;
        }
        let before = self.belief(link, known);
        let features = known_features(&link.target, judgment, self.groups, &self.feature_index);
        self.pass(PassedPage {
            address: link.target.clone(),
            belief: judged(before, judgment),
            scores: self.model.weights.scores(&features),
        });
    }

    fn observe(&self, link: &Candidate, known: Known<'_>) -> Vec<Feature> {
        link_features(
            &link.context,
            &link.target,
            known.graph,
            self.groups,
            &self.feature_index,
        )
    }

    /// Probabilities of the distances at which the page of a link may lie.
    pub fn belief(&self, link: &Candidate, known: Known<'_>) -> Vec<f64> {
        let observation = self.observe(link, known);
        let passed = link.source().and_then(|source| self.passed.get(source));
        let weights = &self.model.weights;
        let belief = match passed {
            Some(page) => {
                let scores = weights.more_scores(page.scores.clone(), &observation);
                self.model.forward(&page.belief, &scores, self.inference)
            }
            None => self
                .model
                .forward(&[], &weights.scores(&observation), self.inference),
        };
        marked(belief, known.graph.mark(&link.target))
    }

    /// What a belief makes of a link.
    pub(super) fn priority(belief: &[f64], order: BeliefOrder) -> Priority {
        if order == BeliefOrder::Expected {
            let rank = Rank::new(&[-expected_distance(belief), belief[0]]);
            return Priority::ranked(0, rank);
        }
        let rounded: Vec<f64> = belief
            .iter()
            .map(|probability| (probability / EPSILON).round() * EPSILON)
            .collect();
        Priority::ranked(0, Rank::new(&rounded))
    }

    /// How much a feature moves the odds of lying nearer than the last distance
    /// against lying there.
    fn pull(&self, (feature, value): Feature) -> f64 {
        let weights = self.model.weights.by_state(feature);
        let Some((last, nearer)) = weights.split_last() else {
            return 0.0;
        };
        f64::from(value) * (nearer[0] - last)
    }
}

/// The belief of a page that is no target and to which no link led.
fn unknown() -> Vec<f64> {
    let mut belief = vec![1.0 / (STATES - 1) as f64; STATES];
    belief[0] = 0.0;
    belief
}

/// The probability of a target, by what [`HopChain::priority`] made of the belief.
pub(super) fn target_probability(priority: Priority, order: BeliefOrder) -> f64 {
    match order {
        BeliefOrder::Expected => priority.rank.number(1),
        BeliefOrder::Probabilities => priority.value(),
    }
}

/// The mean distance, all that is farther than the last counting as the last.
fn expected_distance(belief: &[f64]) -> f64 {
    let shares = belief.iter().zip(0..);
    shares.map(|(share, far)| share * f64::from(far)).sum()
}

/// The likeliest distance.
pub(super) fn in_words(belief: &[f64]) -> String {
    let likeliest = belief.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    match likeliest.map(|row| row.0) {
        Some(0) => "looks like a target".to_owned(),
        Some(1) => "looks 1 hop from a target".to_owned(),
        Some(far) if far + 1 < STATES => format!("looks {far} hops from a target"),
        _ => format!("looks {} hops from a target or farther", STATES - 1),
    }
}

/// A belief once the person has spoken, if they did.
pub(super) fn marked(belief: Vec<f64>, mark: Option<Mark>) -> Vec<f64> {
    match mark {
        Some(mark) => judged(belief, Judgment::default().marked(Some(mark))),
        None => belief,
    }
}

/// A belief once the critic has spoken: a target lies at distance 0, another
/// page does not.
pub(super) fn judged(mut belief: Vec<f64>, judgment: Judgment) -> Vec<f64> {
    if judgment.is_target {
        belief.fill(0.0);
        belief[0] = 1.0;
        return belief;
    }
    belief[0] = 0.0;
    let rest: f64 = belief.iter().sum();
    if rest <= 0.0 {
        return unknown();
    }
    for probability in &mut belief {
        *probability /= rest;
    }
    belief
}

impl Strategy for HopChain {
    fn profile(&self) -> Profile {
        Profile::new(match (self.model.kind, self.inference) {
            (kind, Inference::Marginal) => kind.name(),
            (ChainKind::Crf, Inference::Viterbi) => "crf-viterbi",
            (ChainKind::Memm, Inference::Viterbi) => "memm-viterbi",
        })
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            LinkScore::Follow(Self::priority(&self.belief(link, known), self.order))
        };
        links.iter().map(score).collect()
    }

    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        Some(Relevance::new(self.belief(link, known)[0]))
    }

    /// The probability of a target.
    fn promise(&self, priority: Priority) -> Promise {
        Promise::Probability(target_probability(priority, self.order))
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        match event {
            Event::Page(passing) => self.pass_page(passing, known),
            Event::Click(link, judgment) => self.pass_click(link, *judgment, known),
            Event::Arrival(_) | Event::KnownLink(..) => {}
        }
        Learned::Nothing
    }

    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        let belief = match subject {
            Subject::Link(link) => self.belief(link, known),
            Subject::Page(page) => self.passed.get(page)?.belief.clone(),
        };
        // Nothing led to the page and it is no target: nobody knows.
        let is_known = matches!(subject, Subject::Link(_)) || belief != unknown();
        is_known.then(|| in_words(&belief))
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let belief = self.belief(link, known);
        let hops = in_words(&belief);
        let mut parts: Vec<Explanation> = belief
            .iter()
            .enumerate()
            .map(|(distance, probability)| {
                Explanation::given(format!("distance {distance}"), *probability)
            })
            .collect();
        let mut pulls: Vec<(f64, u32)> = self
            .observe(link, known)
            .into_iter()
            .map(|feature| (self.pull(feature), feature.0))
            .collect();
        pulls.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        parts.extend(pulls.into_iter().take(NAMED).map(|(pull, feature)| {
            let name = self.feature_index.name(feature);
            Explanation::given(
                format!("{name} (weight for a target against far away)"),
                pull,
            )
        }));
        Explanation::because(hops, Self::priority(&belief, self.order).value(), parts)
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(self)
    }
}

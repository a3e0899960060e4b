//! The strategy that joins the others (methods 3.5): one logistic model,
//! learned online, over what the members say of a link as it stood before the page
//! was fetched, over statistics of site, page template and inlinks, and over the
//! words near the link and in its address themselves.
//!
//! The members' own rankings go along with each score, so that a crawl can follow
//! them in turn and tell by what they bring whether the whole is worth more than
//! its parts ([`crate::crawl::Bandit`]). A model of hop distances joins where one
//! was trained; without it the others do.

mod evidence;
mod explaining;
mod groups;
mod guests;
mod inlinks;
mod meaning;
mod saving;
mod signals;
mod state;
mod words;

use rustc_hash::FxHashMap;

pub use groups::{Group, Groups};
pub use guests::MakeGuest;
pub use signals::{RunningStats, SignalGroup};
pub use state::{EnsembleState, trimmed};
pub(super) use words::{is_word_near, word_near};

use evidence::{PageSignals, log_odds};
use guests::Guests;
use inlinks::Inlinks;
pub(super) use meaning::is_meaning;
use signals::{SIGNALS, Signals};
use state::used_most;
use words::FIRST_WORD;

use super::{
    Adaptive, AdaptiveOptions, Apprentice, ArmRule, Arrival, Candidate, Event, Explanation, Form,
    HopChain, Intelligent, Known, Learned, LearningThreshold, LinkPolicy, LinkScore, Passing,
    Priority, Profile, Promise, Reading, StateError, Strategy, StrategyState, Subject,
};
use crate::address::Address;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::meaning::{DIMENSIONS, LinkMeaning};
use crate::models::{Ftrl, FtrlParams};
use crate::web_graph::{Judgment, Relevance};

/// Arrivals after which waiting links are scored again.
const BATCH: u32 = 100;
/// Of the first arrivals so many are enough for one.
const FIRST_SHARE: u32 = 4;
/// Links to a page that are learned from.
const LEARNED_LINKS: usize = 3;
/// Weights that are kept.
const MOST_WEIGHTS: usize = 60_000;
/// Links of paths that are kept, and as many that lay on none.
const MOST_PATH_LINKS: usize = 500;
/// Pages, the newest, whose interest ratio is computed ahead.
const MOST_CONTENTS: usize = 5_000;
/// Features that count as the strongest.
const TOP_FEATURES: usize = 100;

/// Of signals: a few numbers that every link has, of which none is to outshout the prior soon.
const RATES: FtrlParams = FtrlParams {
    alpha: 0.1,
    beta: 1.0,
    l1: 0.2,
    l2: 1.0,
};
/// Of words: many, of which each is seen seldom.
const WORD_RATES: FtrlParams = FtrlParams {
    alpha: 1.0,
    beta: 0.1,
    l1: 0.0,
    l2: 1.0,
};

/// Rankings that go along with its own.
///
/// In the order of [`Signals::members`].
const MEMBERS: [&str; 4] = [
    "how good the page with the link is",
    "words near links that led to good pages",
    "which words and sites brought more than usual",
    "how few clicks a good page is away",
];

/// The apprentice and the distance among them.
const APPRENTICE: usize = 1;
const DISTANCE: usize = 3;
/// Pages from which on its own word on a link means something by itself.
const ENOUGH_LEARNED: f64 = 20.0;
/// Good pages among them from which on it is believed in full.
const ENOUGH_GOOD: f64 = 5.0;

/// What a link with the very words of a target is ranked higher by before anything was found, in
/// log-odds, and good pages after which it is half of that.
const EARLY_LOG_ODDS: f64 = 8.0;
const EARLY_FINDS: f64 = 10.0;

/// How it goes about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnsembleOptions {
    /// A part that is left out.
    pub without: Option<SignalGroup>,
    /// Whether members take turns with it.
    pub members: bool,
    /// Whether pages are now and then taken at random.
    pub explores: bool,
}

impl Default for EnsembleOptions {
    fn default() -> Self {
        Self {
            without: None,
            members: true,
            explores: true,
        }
    }
}

/// The members, the model that weighs what they say, and the statistics it reads besides.
pub struct Ensemble {
    options: EnsembleOptions,
    model: Ftrl,
    apprentice: Apprentice,
    ratios: Intelligent,
    levels: Adaptive,
    hops: Option<HopChain>,
    guests: Guests,
    groups: Groups,
    inlinks: Inlinks,
    /// The interest ratio by a page's words, as it was when links were last to be scored again.
    contents: FxHashMap<Address, f64>,
    stats: [RunningStats; SIGNALS],
    batch: u32,
    since_rebuilt: u32,
}

/// A link as the model sees it.
struct Instance {
    signals: Signals,
    features: Vec<(u32, f64)>,
    offset: f64,
    /// What guests say.
    guests: Vec<f64>,
}

impl Ensemble {
    /// One that has waiting links scored again after every `batch` arrivals.
    pub fn every(batch: u32) -> Self {
        let paths = AdaptiveOptions {
            threshold: Some(LearningThreshold {
                targets: batch.max(1),
                pages: batch.saturating_mul(5),
            }),
            most_links: MOST_PATH_LINKS,
            ..AdaptiveOptions::default()
        };
        Self {
            options: EnsembleOptions::default(),
            model: Ftrl::new(RATES).with_rates_from(FIRST_WORD, WORD_RATES),
            apprentice: Apprentice::every(batch),
            ratios: Intelligent::every(batch, Form::ALL),
            levels: Adaptive::new(paths),
            hops: None,
            guests: Guests::default(),
            groups: Groups::default(),
            inlinks: Inlinks::default(),
            contents: FxHashMap::default(),
            stats: [RunningStats::default(); SIGNALS],
            batch: batch.max(1),
            since_rebuilt: 0,
        }
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(self, options: EnsembleOptions) -> Self {
        Self { options, ..self }
    }

    /// The same with a model of hop distances as one more member.
    #[must_use]
    pub fn with_hops(mut self, hops: HopChain) -> Self {
        self.hops = Some(hops);
        self
    }

    /// The same with the word of one more strategy among its signals.
    #[must_use]
    pub fn with_guest(mut self, make: MakeGuest) -> Self {
        self.guests.welcome(make);
        self
    }

    /// One that goes on from what was kept of it; a member of which nothing was kept
    /// starts afresh.
    pub fn resumed(state: &StrategyState, known_terms: usize) -> Result<Self, StateError> {
        let mut ensemble = Self {
            hops: state.read(known_terms)?,
            ..Self::default()
        };
        if state.has::<EnsembleState>() {
            ensemble.take_over(state, known_terms)?;
        }
        Ok(ensemble)
    }

    /// Goes on from what was kept of it and of its members; nothing changes where that
    /// cannot be read.
    fn take_over(&mut self, state: &StrategyState, known_terms: usize) -> Result<(), StateError> {
        let own = state.read::<EnsembleState>(known_terms)?;
        let counts = state.read(known_terms)?;
        let ratios = state.read(known_terms)?;
        let paths = state.read(known_terms)?;
        if let Some(own) = own {
            if let Some(model) = Ftrl::from_rows(RATES, own.weights) {
                self.model = model.with_rates_from(FIRST_WORD, WORD_RATES);
            }
            for (stats, kept) in self.stats.iter_mut().zip(own.stats) {
                *stats = kept;
            }
            self.groups = own.groups;
        }
        if let Some(counts) = counts {
            self.apprentice = Apprentice::with_counts(counts);
        }
        if let Some(counts) = ratios {
            self.ratios = self.ratios.clone().with_counts(counts);
        }
        if let Some(paths) = paths {
            self.levels = self.levels.clone().and_repository(paths);
        }
        Ok(())
    }

    /// What the model learns and judges.
    fn instance(&self, link: &Candidate, page: &PageSignals, known: Known<'_>) -> Instance {
        let url = distinct_words(link);
        let meaning = LinkMeaning::of(&link.context, &known.graph.vocabulary);
        let evidence = self.evidence(link, &url, page, &meaning, known);
        let signals = Signals::of_evidence(&evidence, self.options.without);
        let most = SIGNALS + link.context.features().len() + url.len() + DIMENSIONS;
        let mut features = Vec::with_capacity(most);
        features.push((0, 1.0));
        for (place, value) in signals.varying() {
            features.push((place as u32, self.stats[place].standardised(value)));
        }
        if self.options.without != Some(SignalGroup::Words) {
            words::add(&link.context, &url, &mut features);
        }
        if self.options.without != Some(SignalGroup::Meaning) {
            meaning::add(&meaning, &mut features);
        }
        let guests = self.guests.values(link, known);
        features.extend(self.guests.features(&guests));
        Instance {
            guests,
            offset: signals.prior_log_odds(),
            features,
            signals,
        }
    }

    /// What the model adds to the prior log-odds.
    fn learned(&self, instance: &Instance) -> f64 {
        self.trust() * self.model.log_odds(&instance.features)
    }

    /// How far the model is believed, 0..=1. From bad pages alone it learns that whatever
    /// was chosen is bad, and so to turn away from its prior.
    fn trust(&self) -> f64 {
        (self.groups.all.good / ENOUGH_GOOD).min(1.0)
    }

    /// What likeness to the targets adds to a link's rank as long as little was found. It says
    /// nothing of how probable a good page is, so neither is it learned against nor expected.
    fn early(&self, instance: &Instance) -> f64 {
        let fading = EARLY_FINDS / (EARLY_FINDS + self.groups.all.good);
        EARLY_LOG_ODDS * fading * instance.signals.likeness()
    }

    fn score_on(&self, link: &Candidate, page: &PageSignals, known: Known<'_>) -> LinkScore {
        let instance = self.instance(link, page, known);
        let own = instance.offset + self.learned(&instance);
        let members = instance.signals.members(self.hops.is_some());
        let priority = Priority::new(0, own).boosted(self.early(&instance));
        LinkScore::Follow(priority.with_members(members))
    }

    fn pass_page(&mut self, passing: &Passing<'_>, known: Known<'_>) {
        self.inlinks.read(passing.page, passing.judgment.relevance);
        if let Some(page) = known.graph.page(&passing.page.address) {
            if self.contents.len() > 2 * MOST_CONTENTS {
                self.contents.clear();
            }
            let content = self.ratios.content(page);
            self.contents.insert(page.address.clone(), content);
        }
    }

    fn learn_arrival(
        &mut self,
        arrival: &Arrival<'_>,
        event: &Event<'_>,
        known: Known<'_>,
    ) -> Learned {
        let links = &arrival.via[..arrival.via.len().min(LEARNED_LINKS)];
        let Some(first) = links.first() else {
            return Learned::Nothing;
        };
        // What the critic is not sure of is learned as such.
        let good = arrival.judgment.relevance.value();
        let importance = 1.0 / links.len() as f64;
        for link in links {
            let page = self.of_page(link, known);
            let mut instance = self.instance(link, &page, known);
            for (place, value) in instance.signals.varying() {
                self.stats[place].add(value);
                // By what they are measured now, this link included.
                instance.features[place].1 = self.stats[place].standardised(value);
            }
            let behind = instance.features.len() - instance.guests.len();
            instance.features.truncate(behind);
            self.guests.add(&instance.guests);
            let guests = self.guests.features(&instance.guests);
            instance.features.extend(guests);
            self.model
                .learn(&instance.features, instance.offset, good, importance);
        }
        let is_good = arrival.judgment.relevance.is_high();
        self.groups.count(&first.target, is_good);
        self.apprentice.learn(event, known);
        self.ratios.learn(event, known);
        self.levels.learn(event, known);
        self.since_rebuilt += 1;
        let early = self.groups.all.pages < f64::from(self.batch);
        let due = self.since_rebuilt >= self.batch
            || (early && self.since_rebuilt >= (self.batch / FIRST_SHARE).max(1));
        if !due {
            return Learned::Refined;
        }
        self.since_rebuilt = 0;
        self.renew_contents(known);
        Learned::Rebuilt
    }

    /// Computes the interest ratios of the newest pages by what was learned since.
    fn renew_contents(&mut self, known: Known<'_>) {
        self.contents.clear();
        let pages = known.graph.pages();
        let older = pages.len().saturating_sub(MOST_CONTENTS);
        for page in pages.skip(older) {
            let content = self.ratios.content(page);
            self.contents.insert(page.address.clone(), content);
        }
    }

    /// From a link to a known page only its words are learned: members know that page
    /// already.
    fn learn_words(&mut self, link: &Candidate, judgment: Judgment, known: Known<'_>) {
        let mut features = vec![(0, 1.0)];
        if self.options.without != Some(SignalGroup::Words) {
            words::add(&link.context, &distinct_words(link), &mut features);
        }
        if self.options.without != Some(SignalGroup::Meaning) {
            let meaning = LinkMeaning::of(&link.context, &known.graph.vocabulary);
            meaning::add(&meaning, &mut features);
        }
        self.model
            .learn(&features, 0.0, judgment.relevance.value(), 0.5);
    }
}

/// The distinct words of a link's address.
fn distinct_words(link: &Candidate) -> Vec<String> {
    let mut words = link.target.words();
    words.sort_unstable();
    words.dedup();
    words
}

impl Strategy for Ensemble {
    fn profile(&self) -> Profile {
        Profile {
            policy: LinkPolicy::Both,
            arms: ArmRule {
                members: if self.options.members { &MEMBERS } else { &[] },
                explores: self.options.explores,
            },
            is_log_odds: true,
            reading: Reading {
                memory: true,
                ..Reading::default()
            },
            ..Profile::new("ensemble")
        }
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let Some(first) = links.first() else {
            return Vec::new();
        };
        let page = self.of_page(first, known);
        let scores = links.iter().map(|link| self.score_on(link, &page, known));
        scores.collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        if let (Event::Page(_) | Event::Click(..), Some(hops)) = (event, &mut self.hops) {
            hops.learn(event, known);
        }
        let learned = match event {
            Event::Page(passing) => {
                self.pass_page(passing, known);
                Learned::Nothing
            }
            Event::Arrival(arrival) => self.learn_arrival(arrival, event, known),
            Event::KnownLink(link, judgment) => {
                self.learn_words(link, *judgment, known);
                self.apprentice.learn(event, known);
                Learned::Refined
            }
            Event::Click(..) => Learned::Nothing,
        };
        self.guests.learn(event, known);
        learned
    }

    fn expected(&self, link: &Candidate, known: Known<'_>) -> Option<Relevance> {
        let instance = self.instance(link, &self.of_page(link, known), known);
        let own = instance.offset + self.learned(&instance);
        Some(Relevance::new(1.0 / (1.0 + (-own).exp())))
    }

    /// The strongest of its words and members.
    fn top_features(&self) -> Vec<u32> {
        let mut rows = self.model.weights();
        let stronger =
            |a: &(u32, f64), b: &(u32, f64)| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0));
        // Nearly every word that was met has a weight.
        if rows.len() > TOP_FEATURES {
            rows.select_nth_unstable_by(TOP_FEATURES, stronger);
            rows.truncate(TOP_FEATURES);
        }
        rows.sort_unstable_by(stronger);
        rows.into_iter().map(|row| row.0).collect()
    }

    /// As long as little was learned, the word of the apprentice or of hop distances;
    /// then how much likelier than usual the page is to be good.
    fn promise(&self, priority: Priority) -> Promise {
        if self.groups.all.pages >= ENOUGH_LEARNED {
            let usual = log_odds(self.groups.base_rate());
            return Promise::AboveUsual(priority.log_odds() - usual);
        }
        let apprentice = Promise::AboveUsual(priority.members.by(APPRENTICE));
        if self.hops.is_none() {
            return apprentice;
        }
        let is_target = 1.0 / (1.0 + (-priority.members.by(DISTANCE)).exp());
        let hops = Promise::Probability(is_target);
        Promise::AboveUsual(apprentice.above_usual().max(hops.above_usual()))
    }

    fn describe(&self, subject: Subject<'_>, known: Known<'_>) -> Option<String> {
        self.hops.as_ref()?.describe(subject, known)
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        self.explained(link, known)
    }

    fn begin_with(
        &mut self,
        learned: &StrategyState,
        known_terms: usize,
    ) -> Result<(), StateError> {
        self.take_over(learned, known_terms)
    }

    fn reset(&self, known: Known<'_>) -> Option<Box<dyn Strategy>> {
        Some(Box::new(Self {
            hops: self.hops.clone(),
            guests: self.guests.afresh(),
            inlinks: self.inlinks.rejudged(known.graph),
            ..Self::every(self.batch).with_options(self.options)
        }))
    }

    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        self.save_all(to)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.load_all(from)
    }

    fn state(&self) -> StrategyState {
        let own = EnsembleState {
            weights: used_most(self.model.rows(), MOST_WEIGHTS),
            groups: self.groups.clone(),
            stats: self.stats.to_vec(),
        };
        let state = StrategyState::of(&own)
            .with(self.apprentice.counts())
            .with(self.ratios.counts())
            .with(self.levels.repository());
        match &self.hops {
            Some(hops) => state.with(hops),
            None => state,
        }
    }
}

impl Default for Ensemble {
    fn default() -> Self {
        Self::every(BATCH)
    }
}

//! Who takes part in the bench: name -> how a crawl of it is made.

mod apprentices;
mod hop_groups;
mod split;

use anyhow::{Context, Result};
use cpu_time::ThreadTime;
use linkscent_core::hops::{FeatureGroups, TrainingWeb, WalkRules, Walks};
use linkscent_core::models::{ChainKind, Inference, TwoClassCounts};
use linkscent_core::strategies::{
    Adaptive, AdaptiveOptions, Apprentice, BeliefOrder, BestFirst, Configuration, ContextGraph,
    DepthFirst, Ensemble, EnsembleOptions, FishSearch, Focus, HopClusters, HopTraining, Hub,
    InfoSpiders, LearningThreshold, Make, MakeGuest, QLinear, REGISTRY, Reinforcement, SharkSearch,
    SignalGroup, SplitMix, Strategy, TopicPageRank, TrainedPaths,
};
use linkscent_core::text::Vocabulary;
use linkscent_core::topic_model::Knowledge;

use apprentices::APPRENTICES;
use hop_groups::GROUPS;
pub(crate) use split::SPLIT;

use super::crawl::crawl;
use super::figures::RunStats;
use super::insight;
use super::oracle;
use super::parts::{Split, crawl_split};
use super::scenario::Scenario;
use super::visits::Visit;

/// Best-first, which others are measured against.
pub const BASELINE: &str = "best-first";
/// The oracle, which frames every plot.
pub const ORACLE: &str = "oracle";
/// Best-first by cosine, the baseline of \[C\] eq. 40.
pub const COSINE: &str = "best-first-cosine";

/// How a crawl is made.
#[derive(Clone, Copy)]
enum Regime {
    /// By one who knows the web.
    Oracle,
    /// By a strategy of the registry, retrained every so many fetches.
    Registered(Make),
    /// By a form of a strategy that only experiments ask for.
    Online(fn(u32) -> Box<dyn Strategy>),
    /// By a strategy trained on a baseline crawl from another seed set.
    Offline(fn(&Knowledge, u32) -> Box<dyn Strategy>),
    /// By ACHE with the paths that lie, seen backwards, on the pages that a baseline crawl
    /// from another seed set saw.
    Backward(fn(TrainedPaths) -> Adaptive),
    /// By a strategy trained on the web that a baseline crawl from another seed
    /// set saw; it learns no more.
    Trained(
        FeatureGroups,
        fn(TrainingWeb, &mut SplitMix, u32) -> Box<dyn Strategy>,
    ),
    /// By a strategy trained on every link between two pages of a baseline crawl from
    /// another seed set (\[A\] 3.5).
    EveryPair(fn(TwoClassCounts) -> Box<dyn Strategy>),
    /// By several sessions that share the crawl.
    Split(fn(u32) -> Box<dyn Strategy>, Split),
    /// By one trained so on the baseline crawl from the same seeds, and confined to its pages
    /// (\[A\] 3.6); or trained on the one from another seed set, where `elsewhere`.
    Recall {
        make: fn(TwoClassCounts) -> Box<dyn Strategy>,
        elsewhere: bool,
    },
}

/// One who takes part.
#[derive(Clone, Copy)]
pub struct Entrant {
    /// Its name in summaries and on the command line.
    pub name: &'static str,
    regime: Regime,
}

/// Who takes part besides the strategies of the registry: regimes of the papers that only
/// the bench knows.
static BENCH_ONLY: [Entrant; 10] = [
    Entrant {
        name: "apprentice-offline",
        regime: Regime::Offline(|knowledge, _| {
            Box::new(Apprentice::fixed(insight::counts_of(knowledge)))
        }),
    },
    recall("apprentice-recall", false, |counts| {
        Box::new(Apprentice::fixed(counts))
    }),
    trained("ensemble-hops", |web, rng, every| {
        let hops = HopTraining::new(ChainKind::Crf).train(web, rng, |_| {});
        Box::new(Ensemble::every(every).with_hops(hops))
    }),
    Entrant {
        name: "ache-offline",
        regime: Regime::Backward(|paths| ache(Configuration::Offline).and_trained(paths)),
    },
    Entrant {
        name: "ache-offline-online",
        regime: Regime::Backward(|paths| ache(Configuration::OfflineOnline).and_trained(paths)),
    },
    trained("hmm", |web, rng, _| {
        Box::new(HopClusters::train(&web, Inference::Marginal, rng))
    }),
    trained("context-graph", |web, _, _| {
        Box::new(ContextGraph::train(&web))
    }),
    trained("memm", |web, rng, _| {
        hop_chain(web, rng, HopTraining::new(ChainKind::Memm))
    }),
    trained("crf", |web, rng, _| {
        hop_chain(web, rng, HopTraining::new(ChainKind::Crf))
    }),
    Entrant {
        name: ORACLE,
        regime: Regime::Oracle,
    },
];

/// Forms of a strategy that only experiments ask for.
static VARIANTS: [Entrant; 32] = [
    online("ensemble-and-fish-search", |every| {
        and(every, || Box::new(FishSearch::default()))
    }),
    online("ensemble-and-shark-search", |every| {
        and(every, || Box::new(SharkSearch))
    }),
    online("ensemble-and-info-spiders", |every| {
        and(every, || Box::new(InfoSpiders::default()))
    }),
    online("ensemble-and-reinforcement", |every| {
        and(every, || Box::new(Reinforcement::default()))
    }),
    online("ensemble-and-q-linear", |every| {
        and(every, || Box::new(QLinear::default()))
    }),
    online("ensemble-and-hub", |every| {
        and(every, || Box::new(Hub::default()))
    }),
    online("ensemble-and-topic-pagerank", |every| {
        and(every, || Box::new(TopicPageRank::default()))
    }),
    online("ensemble-and-depth-first", |every| {
        and(every, || Box::new(DepthFirst))
    }),
    online("ensemble-and-all", with_all),
    online("ensemble-without-critic", |every| {
        without(every, SignalGroup::Critic)
    }),
    online("ensemble-without-cosine", |every| {
        without(every, SignalGroup::Cosine)
    }),
    online("ensemble-without-likeness", |every| {
        without(every, SignalGroup::Likeness)
    }),
    online("ensemble-without-apprentice", |every| {
        without(every, SignalGroup::Apprentice)
    }),
    online("ensemble-without-ratios", |every| {
        without(every, SignalGroup::Ratios)
    }),
    online("ensemble-without-groups", |every| {
        without(every, SignalGroup::Groups)
    }),
    online("ensemble-without-inlinks", |every| {
        without(every, SignalGroup::Inlinks)
    }),
    online("ensemble-without-levels", |every| {
        without(every, SignalGroup::Levels)
    }),
    online("ensemble-without-words", |every| {
        without(every, SignalGroup::Words)
    }),
    online("ensemble-without-meaning", |every| {
        without(every, SignalGroup::Meaning)
    }),
    online("ensemble-without-turns", |every| {
        let members = false;
        ensemble(every, |options| EnsembleOptions { members, ..options })
    }),
    online("ensemble-without-exploration", |every| {
        let explores = false;
        ensemble(every, |options| EnsembleOptions {
            explores,
            ..options
        })
    }),
    online("ache-paths-only", |_| {
        Box::new(Adaptive::new(AdaptiveOptions {
            farther: false,
            ..AdaptiveOptions::default()
        }))
    }),
    online("ache-no-batches", |_| {
        Box::new(Adaptive::new(AdaptiveOptions {
            batch: None,
            ..AdaptiveOptions::default()
        }))
    }),
    online("ache-plain", |_| {
        Box::new(Adaptive::new(AdaptiveOptions {
            batch: None,
            farther: false,
            ..AdaptiveOptions::default()
        }))
    }),
    online("ache-batches-5", |_| {
        Box::new(Adaptive::new(AdaptiveOptions {
            batch: Some(5),
            ..AdaptiveOptions::default()
        }))
    }),
    online("ache-as-published", |_| {
        let threshold = LearningThreshold {
            targets: 100,
            pages: 500,
        };
        Box::new(Adaptive::new(AdaptiveOptions {
            threshold: Some(threshold),
            ..AdaptiveOptions::default()
        }))
    }),
    trained("hmm-viterbi", |web, rng, _| {
        Box::new(HopClusters::train(&web, Inference::Viterbi, rng))
    }),
    trained("crf-downhill", |web, rng, _| {
        hop_chain(web, rng, downhill(ChainKind::Crf))
    }),
    trained("memm-downhill", |web, rng, _| {
        hop_chain(web, rng, downhill(ChainKind::Memm))
    }),
    trained("crf-by-distance", |web, rng, _| {
        let chain = HopTraining::new(ChainKind::Crf).train(web, rng, |_| {});
        Box::new(chain.ordering(BeliefOrder::Expected))
    }),
    trained("crf-viterbi", |web, rng, _| {
        hop_chain(web, rng, viterbi(ChainKind::Crf))
    }),
    trained("memm-viterbi", |web, rng, _| {
        hop_chain(web, rng, viterbi(ChainKind::Memm))
    }),
];

fn ache(configuration: Configuration) -> Adaptive {
    Adaptive::new(AdaptiveOptions::of(configuration))
}

const fn trained(
    name: &'static str,
    train: fn(TrainingWeb, &mut SplitMix, u32) -> Box<dyn Strategy>,
) -> Entrant {
    Entrant {
        name,
        regime: Regime::Trained(FeatureGroups::OF_ONE_TOPIC, train),
    }
}

const fn recall(
    name: &'static str,
    elsewhere: bool,
    make: fn(TwoClassCounts) -> Box<dyn Strategy>,
) -> Entrant {
    Entrant {
        name,
        regime: Regime::Recall { make, elsewhere },
    }
}

fn hop_chain(web: TrainingWeb, rng: &mut SplitMix, training: HopTraining) -> Box<dyn Strategy> {
    Box::new(training.train(web, rng, |_| {}))
}

fn downhill(kind: ChainKind) -> HopTraining {
    HopTraining {
        rules: WalkRules::new(Walks::Downhill),
        ..HopTraining::new(kind)
    }
}

fn viterbi(kind: ChainKind) -> HopTraining {
    HopTraining {
        inference: Inference::Viterbi,
        ..HopTraining::new(kind)
    }
}

fn ensemble(every: u32, change: impl Fn(EnsembleOptions) -> EnsembleOptions) -> Box<dyn Strategy> {
    let options = change(EnsembleOptions::default());
    Box::new(Ensemble::every(every).with_options(options))
}

fn without(every: u32, part: SignalGroup) -> Box<dyn Strategy> {
    let without = Some(part);
    ensemble(every, |options| EnsembleOptions { without, ..options })
}

fn and(every: u32, guest: MakeGuest) -> Box<dyn Strategy> {
    Box::new(Ensemble::every(every).with_guest(guest))
}

/// The ensemble with the word of every rival.
fn with_all(every: u32) -> Box<dyn Strategy> {
    let guests: [MakeGuest; 8] = [
        || Box::new(FishSearch::default()),
        || Box::new(SharkSearch),
        || Box::new(InfoSpiders::default()),
        || Box::new(Reinforcement::default()),
        || Box::new(QLinear::default()),
        || Box::new(Hub::default()),
        || Box::new(TopicPageRank::default()),
        || Box::new(DepthFirst),
    ];
    let ensemble = guests.into_iter();
    Box::new(ensemble.fold(Ensemble::every(every), Ensemble::with_guest))
}

const fn online(name: &'static str, make: fn(u32) -> Box<dyn Strategy>) -> Entrant {
    Entrant {
        name,
        regime: Regime::Online(make),
    }
}

fn baseline() -> Box<dyn Strategy> {
    Box::new(BestFirst(Focus::Soft))
}

/// All who take part: every strategy of the registry, and what only the bench knows.
pub fn all() -> Vec<Entrant> {
    let registered = REGISTRY.iter().filter_map(|row| {
        Some(Entrant {
            name: row.name,
            regime: Regime::Registered(row.make?),
        })
    });
    registered.chain(BENCH_ONLY).collect()
}

/// All, the forms included that only experiments ask for.
pub fn everyone() -> Vec<Entrant> {
    let forms = VARIANTS.into_iter().chain(APPRENTICES).chain(GROUPS);
    let forms = forms.chain(SPLIT.into_iter().map(|form| form.0));
    all().into_iter().chain(forms).collect()
}

/// The entrant of that name.
pub fn named(name: &str) -> Result<Entrant> {
    let found = everyone().into_iter().find(|entrant| entrant.name == name);
    found.with_context(|| {
        let names: Vec<&str> = all().iter().map(|entrant| entrant.name).collect();
        format!(
            "there is no strategy {name:?}; there are {}",
            names.join(", ")
        )
    })
}

/// A crawl that was made, and what it took.
pub struct Run {
    /// What was fetched, in order.
    pub visits: Vec<Visit>,
    /// What it took.
    pub effort: RunStats,
}

impl Entrant {
    /// Whether it learns beforehand, from a crawl or from the web itself.
    pub fn is_taught(&self) -> bool {
        !matches!(self.regime, Regime::Registered(_) | Regime::Online(_))
    }

    /// Whether a training crawl from another seed set comes first.
    pub fn is_offline(&self) -> bool {
        matches!(
            self.regime,
            Regime::Offline(_)
                | Regime::Backward(_)
                | Regime::Trained(..)
                | Regime::EveryPair(_)
                | Regime::Recall {
                    elsewhere: true,
                    ..
                }
        )
    }

    /// Whether it learns only from its own crawl, wherever that leads.
    pub fn is_online(&self) -> bool {
        matches!(self.regime, Regime::Registered(_) | Regime::Online(_))
    }

    /// A strategy of it that begins without training, retrained every so many fetches; none where it
    /// learns beforehand or is no strategy.
    pub fn untrained(&self, every: u32) -> Option<Box<dyn Strategy>> {
        match self.regime {
            Regime::Registered(make) => Some(make(Some(every))),
            Regime::Online(make) => Some(make(every)),
            _ => None,
        }
    }

    /// Makes the crawl. `training` is where an offline strategy trains.
    pub fn run(&self, scenario: &Scenario, training: &Scenario, every: u32) -> Result<Run> {
        let clock = ThreadTime::now();
        let nothing = Vocabulary::default;
        let (made, training_fetches) = match self.regime {
            Regime::Oracle => {
                let visits = oracle::crawl(scenario)?;
                return Ok(Run {
                    effort: RunStats {
                        insight: insight::best_sources(scenario, &visits),
                        cpu_s: clock.elapsed().as_secs_f64(),
                        ..RunStats::default()
                    },
                    visits,
                });
            }
            Regime::Registered(make) => (crawl(scenario, make(Some(every)), nothing(), None)?, 0),
            Regime::Online(make) => (crawl(scenario, make(every), nothing(), None)?, 0),
            Regime::Split(make, split) => (crawl_split(scenario, || make(every), split)?, 0),
            Regime::Offline(train) => {
                let before = crawl(training, baseline(), nothing(), None)?;
                let knowledge = before.topic_model.knowledge();
                let strategy = train(&knowledge, every);
                let words = knowledge.graph.vocabulary;
                let mut made = crawl(scenario, strategy, words, None)?;
                made.retrainings += 1;
                (made, before.visits.len() as u64)
            }
            Regime::Backward(begin) => {
                let before = crawl(training, baseline(), nothing(), None)?;
                let (paths, words) = before.backward_paths(training);
                let mut made = crawl(scenario, Box::new(begin(paths)), words, None)?;
                made.retrainings += 1;
                (made, before.visits.len() as u64)
            }
            Regime::Trained(groups, train) => {
                let before = crawl(training, baseline(), nothing(), None)?;
                let seen = before.seen(training, groups);
                let strategy = train(seen, &mut SplitMix(scenario.random_seed), every);
                let words = before.topic_model.graph().vocabulary.clone();
                let mut made = crawl(scenario, strategy, words, None)?;
                made.retrainings = 1;
                (made, before.visits.len() as u64)
            }
            Regime::EveryPair(make) => {
                let before = crawl(training, baseline(), nothing(), None)?;
                let strategy = make(before.every_pair(training));
                let words = before.topic_model.graph().vocabulary.clone();
                let made = crawl(scenario, strategy, words, None)?;
                (made, before.visits.len() as u64)
            }
            Regime::Recall { make, elsewhere } => {
                let confined = crawl(scenario, baseline(), nothing(), None)?;
                let mut only = vec![false; scenario.web.pages.len()];
                for visit in &confined.visits {
                    only[visit.page as usize] = true;
                }
                let (taught_on, before) = if elsewhere {
                    (training, crawl(training, baseline(), nothing(), None)?)
                } else {
                    (scenario, confined)
                };
                let strategy = make(before.every_pair(taught_on));
                let words = before.topic_model.graph().vocabulary.clone();
                let made = crawl(scenario, strategy, words, Some(&only))?;
                (made, before.visits.len() as u64)
            }
        };
        let cpu_s = clock.elapsed().as_secs_f64();
        let mut insight = insight::learned(&made.topic_model.knowledge());
        insight.extend(insight::best_sources(scenario, &made.visits));
        Ok(Run {
            effort: RunStats {
                insight,
                retrainings: made.retrainings,
                training_fetches,
                cpu_s,
                ..RunStats::default()
            },
            visits: made.visits,
        })
    }
}

//! A topic's model of hop distances: learned from the paths the person took and from the
//! pages that its last crawl kept, and from then on one of the ensemble's members, in
//! crawls and in the browser. Also the paths that ACHE begins with, found backwards over the
//! same pages.

mod material;
mod sources;

pub use crate::learning::distance_model::DistanceModel;
pub use sources::{KeptPages, Sources};

use std::path::Path;

use anyhow::{Result, bail};
use linkscent_core::hops::{FeatureGroups, FeatureIndex, LINK_LIKENESS, STATES};
use linkscent_core::models::lbfgs::Iteration;
use linkscent_core::models::{ChainWeights, Inference};
use linkscent_core::rng::SplitMix;
use linkscent_core::strategies::{
    Adaptive, AdaptiveOptions, Configuration, ContextGraph, HopChain, HopClusters, HopTraining,
    Strategy, StrategyState, TrainedPaths,
};
use linkscent_core::text::Vocabulary;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::write_model;

use crate::learning::topic_model;
use linkscent_archive::sequences_file::Named;
use linkscent_store::{Store, Topic};
use material::Material;

/// Features of the model that stay; the browser has to hold it.
const MOST_FEATURES: usize = 20_000;

/// A model that was trained.
#[derive(Debug)]
pub enum Trained {
    /// A conditional random field or a maximum-entropy Markov model.
    Chain(HopChain),
    /// A hidden Markov model.
    Hmm(HopClusters),
    /// A context graph.
    ContextGraph(ContextGraph),
    /// The paths that ACHE begins with.
    AchePaths(TrainedPaths),
}

impl Trained {
    fn put_into(&self, state: StrategyState) -> StrategyState {
        match self {
            Self::Chain(chain) => state.with(chain),
            Self::Hmm(hmm) => state.with(hmm),
            Self::ContextGraph(layers) => state.with(layers),
            Self::AchePaths(paths) => state.with(paths),
        }
    }

    /// The strategy that goes by it alone, beliefs being carried on in this way.
    pub fn into_strategy(self, inference: Inference) -> Box<dyn Strategy> {
        match self {
            Self::Chain(chain) => Box::new(chain.inferring(inference)),
            Self::Hmm(hmm) => Box::new(hmm),
            Self::ContextGraph(layers) => Box::new(layers),
            Self::AchePaths(paths) => {
                let options = AdaptiveOptions::of(Configuration::Offline);
                Box::new(Adaptive::new(options).and_trained(paths))
            }
        }
    }
}

/// Of which words a model may speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// All there are; those that the topic does not know yet join its vocabulary.
    All,
    /// Those the topic knows.
    Known,
}

/// What was learned from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingReport {
    /// Pages that the person or a crawl saw.
    pub pages: usize,
    /// Links that the person followed, repeated ones too.
    pub clicks: usize,
    /// Paths that they took.
    pub paths: usize,
    /// Paths that they took to targets of other topics.
    pub other_paths: usize,
    /// Walks over what was seen, added where paths are few.
    pub walks: usize,
    /// Whether an earlier model was trained on.
    pub went_on: bool,
    /// What in the log of paths contradicts itself, for people.
    pub faults: Vec<String>,
}

/// Trains the model of a topic and keeps it beside what else was learned. An earlier chain of
/// the same kind is trained on; the other models are counted again from all there is.
/// `export` gets the sequences if it is given; `on_iteration` hears of every iteration. Takes
/// a while; not for a thread that serves others.
pub async fn learn(
    store: &Store,
    topic: &Topic,
    model: DistanceModel,
    export: Option<&Path>,
    on_iteration: impl FnMut(Iteration),
) -> Result<TrainingReport> {
    // A crawl that goes on would put its own model in place of this one.
    let crawls = store.web_crawls(Some(topic.id)).await?;
    if let Some(crawl) = crawls.iter().find(|crawl| crawl.state.is_running()) {
        bail!(
            "crawl {} for “{}” is running: let it end, or stop it first",
            crawl.id,
            topic.name
        );
    }
    let topic_model = topic_model::of(store, topic, None, None).await?;
    let sources = Sources::read(store, topic, crawls.first()).await?;
    let (trained, vocabulary, report) = train(
        &sources,
        &topic_model,
        model,
        Words::All,
        export,
        on_iteration,
    )?;
    let mut knowledge = topic_model.knowledge();
    knowledge.learned = trained.put_into(knowledge.learned);
    if !matches!(trained, Trained::Chain(_)) {
        // Its words are numbered as the material has them.
        knowledge.graph.vocabulary = vocabulary;
    }
    // It joins the other members, unless the topic was taken away from them, or goes by it
    // already.
    let goes_by_it = DistanceModel::needed_by(&knowledge.strategy) == Some(model);
    if knowledge.strategy != "ensemble" && !goes_by_it {
        model.strategy().clone_into(&mut knowledge.strategy);
    }
    store.set_model(topic.id, &write_model(&knowledge)?).await?;
    Ok(report)
}

/// Trains a model of a topic on its paths and on what a crawl kept, as the topic model judges it; an
/// earlier chain of the same kind, which the topic model knows, is trained on. With it comes the
/// vocabulary by which it numbers words.
pub fn train(
    sources: &Sources,
    topic_model: &TopicModel,
    model: DistanceModel,
    words: Words,
    export: Option<&Path>,
    on_iteration: impl FnMut(Iteration),
) -> Result<(Trained, Vocabulary, TrainingReport)> {
    let earlier = earlier(&topic_model.strategy().state(), model);
    let known = earlier.as_ref().map(|chain| chain.feature_index().clone());
    let mut rng = SplitMix(1);
    let mut material = material::collect(sources, topic_model, known.unwrap_or_default(), &mut rng);
    if words == Words::Known {
        material.without_new_words(topic_model.graph().vocabulary.len());
    }
    check(&material, &sources.topic.name)?;
    let report = TrainingReport {
        pages: material.pages,
        clicks: material.clicks,
        paths: material.paths,
        other_paths: material.other_paths,
        walks: material.walks,
        went_on: earlier.is_some(),
        faults: std::mem::take(&mut material.faults),
    };
    let mut named = Named::of_hops(
        std::mem::take(&mut material.sequences),
        std::mem::take(&mut material.feature_index),
    );
    named.origins = std::mem::take(&mut material.origins);
    if let Some(path) = export {
        named.write_file(path)?;
    }
    let trained = match model {
        DistanceModel::Chain(kind) => {
            let training = HopTraining::new(kind);
            Trained::Chain(fit(training, earlier.as_ref(), named, on_iteration))
        }
        DistanceModel::Hmm => {
            let (pages, ways) = (material.page_terms(), &material.observed);
            let hmm = HopClusters::learn_from(&pages, ways, Inference::Marginal, &mut rng);
            Trained::Hmm(hmm)
        }
        DistanceModel::ContextGraph => Trained::ContextGraph(ContextGraph::train(&material.web)),
        DistanceModel::AchePaths => {
            let paths = material::backward_paths(sources, topic_model, &mut material);
            if paths.links.is_empty() {
                bail!(
                    "“{}” has no link to a target yet: let a crawl find some",
                    sources.topic.name
                );
            }
            Trained::AchePaths(paths)
        }
    };
    Ok((trained, material.vocabulary, report))
}

/// There must be a way, and a target somewhere.
fn check(material: &Material, topic: &str) -> Result<()> {
    if material.sequences.is_empty() || !(material.has_target || material.other_paths > 0) {
        bail!(
            "“{topic}” has no way to a target yet: mark a page that you reached by links, or let a \
             crawl find some"
        );
    }
    Ok(())
}

/// Trains from zero, or on from an earlier model.
fn fit(
    training: HopTraining,
    earlier: Option<&HopChain>,
    named: Named,
    on_iteration: impl FnMut(Iteration),
) -> HopChain {
    let features: FeatureIndex = named.features;
    let start = match earlier {
        Some(chain) => chain.model().weights.clone(),
        None => ChainWeights::new(STATES, features.len(), training.with_steps),
    };
    let model = training.fit(start, &named.sequences, on_iteration);
    let groups = FeatureGroups {
        likeness: features.id(LINK_LIKENESS).is_some(),
        ..FeatureGroups::ALL
    };
    let chain = HopChain::new(model, features, groups, training.inference);
    chain.pruned(MOST_FEATURES)
}

/// The model of hop distances among what was learned.
pub fn hops(state: &StrategyState) -> Option<HopChain> {
    // It belongs to no vocabulary: it names its features itself.
    state.read(0).ok().flatten()
}

fn earlier(state: &StrategyState, model: DistanceModel) -> Option<HopChain> {
    let chain = hops(state)?;
    (DistanceModel::Chain(chain.model().kind) == model).then_some(chain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use linkscent_archive::sequences_file::Format;
    use linkscent_core::address::Address;
    use linkscent_core::models::{ChainKind, TwoClassCounts};
    use linkscent_core::topic_model::TopicModel;
    use linkscent_core::wire::api::{Event, EventKind, PassedOver};
    use linkscent_core::wire::read_model;

    const CRF: DistanceModel = DistanceModel::Chain(ChainKind::Crf);

    fn address(name: &str) -> String {
        format!("http://a.test/{name}")
    }

    fn click(number: usize, from: &str, to: &str, word: &str, relevance: f64) -> Event {
        Event {
            id: format!("click-{number}"),
            topic: "bees".to_owned(),
            time: number as u64,
            what: EventKind::Click {
                from: address(from),
                to: address(to),
                anchor: word.to_owned(),
                context: vec![(word.to_owned(), 0)],
                relevance,
                passed_over: Vec::new(),
            },
        }
    }

    fn mark(name: &str) -> Event {
        Event {
            id: format!("mark-{name}"),
            topic: "bees".to_owned(),
            time: 1_000,
            what: EventKind::Mark {
                address: address(name),
                title: String::new(),
                target: Some(true),
                words: vec![("hive".to_owned(), 3)],
            },
        }
    }

    /// Forty starts; from each one tab goes by "garden" and "hive" to a target,
    /// another astray and back. What the person did in order is told in order.
    fn clicks() -> Vec<Event> {
        let mut events = Vec::new();
        for n in 0..40 {
            let [start, garden, hive, away] =
                ["start", "garden", "hive", "away"].map(|kind| format!("{kind}{n}"));
            for (from, to, word, relevance) in [
                (&start, &away, "trains", 0.0),
                (&start, &garden, "garden", 0.1),
                (&away, &start, "back", 0.0),
                (&garden, &hive, "hive", 0.9),
            ] {
                events.push(click(events.len(), from, to, word, relevance));
            }
            events.push(mark(&hive));
        }
        events
    }

    /// What a strategy makes of three links.
    fn beliefs(knowledge: &linkscent_core::topic_model::Knowledge, strategy: &str) -> [f64; 3] {
        let mut knowledge = knowledge.clone();
        strategy.clone_into(&mut knowledge.strategy);
        let topic_model = TopicModel::with_knowledge(knowledge).unwrap();
        ["hive", "garden", "trains"].map(|word| {
            let mut words = topic_model.graph().vocabulary.clone();
            let link = click(0, "new", "page", word, 0.0).what.followed(&mut words);
            let link = link.unwrap();
            if strategy == "ensemble" {
                return topic_model.score(&link).priority().unwrap().value();
            }
            topic_model.expected(&link).unwrap().value()
        })
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_paths_a_person_took_order_links_and_are_trained_on() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let store = Store::open(folder.path()).await?;
        let topic = store.topic_named("bees").await?;
        let nothing = learn(&store, &topic, CRF, None, |_| {}).await.unwrap_err();
        assert!(nothing.to_string().contains("mark a page"), "{nothing}");
        store.take_events(&clicks()).await?;
        for kind in [ChainKind::Crf, ChainKind::Memm] {
            let mut first = 0;
            let file = folder.path().join("ways.jsonl");
            let model = DistanceModel::Chain(kind);
            let learned = learn(&store, &topic, model, Some(&file), |_| first += 1).await?;
            let lines = std::fs::read_to_string(&file)?.lines().count();
            assert_eq!(lines, learned.paths + learned.walks);
            assert_eq!((learned.clicks, learned.paths), (160, 80));
            assert_eq!((learned.went_on, learned.faults.len()), (false, 0));
            let knowledge = read_model(&store.model(topic.id).await?.unwrap())?;
            assert_eq!(knowledge.strategy, "ensemble", "it joins the others");
            let [hive, garden, trains] = beliefs(&knowledge, "ensemble");
            assert!(hive > garden && hive > trains, "{hive} {garden} {trains}");
            let [hive, garden, trains] = beliefs(&knowledge, kind.name());
            assert!(
                hive > garden && hive > trains && hive > 0.5,
                "{hive} {garden} {trains}"
            );
            // Beliefs follow from the log, so the browser gets them with the model.
            let topic_model = topic_model::of(&store, &topic, None, None).await?;
            let described =
                |name: &str| topic_model.describe_page(&Address::parse(&address(name)).unwrap());
            assert_eq!(described("hive7").as_deref(), Some("looks like a target"));
            assert_eq!(
                described("garden7").as_deref(),
                Some("looks 1 hop from a target")
            );
            assert_eq!(described("nowhere"), None);
            let mut again = 0;
            let learned = learn(&store, &topic, model, None, |_| again += 1).await?;
            assert!(learned.went_on && again < first, "{again} after {first}");
        }
        // The apprentice is still there, with what its log teaches.
        let topic_model = topic_model::of(&store, &topic, None, Some("apprentice")).await?;
        let terms = topic_model.graph().vocabulary.len();
        let counts: Option<TwoClassCounts> = topic_model.strategy().state().read(terms)?;
        let counts = counts.expect("the apprentice's");
        assert_eq!(counts.instances().0 + counts.instances().1, 160);
        Ok(())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn ache_begins_with_the_paths_that_were_taken() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let store = Store::open(folder.path()).await?;
        let topic = store.topic_named("bees").await?;
        store.take_events(&clicks()).await?;
        for name in ["ache-offline", "ache-offline-online"] {
            let untrained = topic_model::of(&store, &topic, None, Some(name)).await;
            let said = untrained.err().map(|error| error.to_string());
            let said = said.unwrap_or_default();
            assert!(said.contains("--model ache-offline"), "{said}");
        }
        learn(&store, &topic, DistanceModel::AchePaths, None, |_| {}).await?;
        let knowledge = read_model(&store.model(topic.id).await?.unwrap())?;
        assert_eq!(knowledge.strategy, "ensemble", "it goes on choosing");
        let known_terms = knowledge.graph.vocabulary.len();
        let paths: TrainedPaths = knowledge.learned.read(known_terms)?.expect("it was kept");
        // Of each of forty starts: a link to the target, one to the page before it, and one
        // back to the start, which lies two clicks from the target.
        let at = |level: usize| paths.links.iter().filter(|link| link.1 == level).count();
        assert_eq!([at(0), at(1), at(2)], [40, 40, 40]);
        assert_eq!(paths.farther.len(), 40, "those that lead astray");
        for name in ["ache-offline", "ache-offline-online"] {
            let topic_model = topic_model::of(&store, &topic, None, Some(name)).await?;
            assert_eq!(topic_model.strategy().profile().name, name);
            let mut words = topic_model.graph().vocabulary.clone();
            let mut priority = |word: &str| {
                let link = click(0, "new", "page", word, 0.0).what.followed(&mut words);
                topic_model.score(&link.unwrap()).priority().unwrap()
            };
            assert!(priority("hive") > priority("garden"), "{name}");
            assert!(priority("hive") > priority("trains"), "{name}");
        }
        Ok(())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_export_gives_the_paths_back() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let store = Store::open(folder.path()).await?;
        let topic = store.topic_named("bees").await?;
        let mut events = Vec::new();
        for _ in 0..100 {
            for (from, to) in [("start", "garden"), ("garden", "hive"), ("hive", "bees")] {
                events.push(click(events.len(), from, to, to, 0.0));
            }
        }
        for _ in 0..2 {
            let mut astray = click(events.len(), "start", "quarry", "quarry", 0.0);
            if let EventKind::Click { passed_over, .. } = &mut astray.what {
                passed_over.push(PassedOver {
                    to: address("pond"),
                    context: vec![("pond".to_owned(), 0)],
                });
            }
            events.push(astray);
        }
        events.push(mark("bees"));
        store.take_events(&events).await?;
        let way: Vec<String> = ["start", "garden", "hive", "bees"].map(address).to_vec();
        for (name, format) in [
            ("paths.jsonl", Format::Json),
            ("paths.txt", Format::Crfsuite),
        ] {
            let file = folder.path().join(name);
            let report = learn(&store, &topic, CRF, Some(&file), |_| {}).await?;
            assert_eq!((report.paths, report.clicks), (102, 302));
            let file = std::fs::File::open(&file)?;
            let back = Named::read(format, std::io::BufReader::new(file))?;
            let taken = back.origins.iter().zip(back.sequences.iter());
            let taken: Vec<_> = taken
                .filter(|row| row.0.kind == "path" && row.0.pages == way)
                .collect();
            assert_eq!(taken.len(), 100, "{name}");
            for (_, positions) in taken {
                let labels: Vec<&str> = positions
                    .map(|at| back.labels[back.sequences.state(at)].as_str())
                    .collect();
                assert_eq!(labels, ["T3", "T2", "T1", "T0"]);
            }
            let kind = "link passed over";
            let aside: Vec<_> = back.origins.iter().filter(|row| row.kind == kind).collect();
            assert_eq!(aside.len(), 2, "{name}");
            assert_eq!(aside[0].pages, ["start", "pond"].map(address));
        }
        Ok(())
    }
}

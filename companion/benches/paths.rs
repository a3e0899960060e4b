//! What browsing paths are worth: trails of real people through Wikispeedia go into a
//! companion's log as an extension sends them, the model is trained by what `linkscent
//! train` calls, and the links of every page of held-out trails are ranked by what `linkscent
//! inspect` prints. Each target is a topic of its own, and no target is in both parts: the
//! model has only what holds for every topic.
//!
//! `cargo bench --package linkscent --bench paths -- MATERIAL [PATHS...]`

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use linkscent_bench::next_click::{ClickPath, TRAILS, Trails, WEB, expected_rank};
use linkscent_bench::web::EvalWeb;
use linkscent_core::models::ChainKind;
use linkscent_core::rng::SplitMix;
use linkscent_core::strategies::{Candidate, Priority};
use linkscent_core::topic_model::{Knowledge, TopicModel};
use linkscent_core::web_graph::{Judgment, WebGraph};
use linkscent_core::wire::api::{Event, EventKind, Transition, Visit};
use linkscent_core::wire::{read_model, write_model};
use linkscent_service::Services;
use linkscent_service::crawler::way::Way;
use linkscent_service::learning::hop_training::{self, DistanceModel};
use linkscent_service::learning::topic_model;
use linkscent_store::Store;

/// Paths that are learned from, unless others are asked for.
const PATHS: [usize; 4] = [10, 100, 1_000, 4_000];
/// Held-out trails that are ranked.
const TESTED: usize = 1_500;
/// Events taken in at a time.
const BATCH: usize = 1_000;
const CRF: DistanceModel = DistanceModel::Chain(ChainKind::Crf);
/// The topic whose model is trained: it has no paths of its own.
const NEW: &str = "a new topic";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut arguments = arguments.iter().filter(|argument| *argument != "--bench");
    let material = Path::new(arguments.next().context("where is the material?")?);
    let counts: Vec<usize> = arguments
        .map(|count| count.parse())
        .collect::<Result<_, _>>()?;
    let counts = if counts.is_empty() {
        PATHS.to_vec()
    } else {
        counts
    };
    let web = EvalWeb::read(&[material.join(WEB)], |_| {})?;
    let trails = Trails::read(&material.join(TRAILS), &web)?;
    let runtime = tokio::runtime::Runtime::new()?;
    for count in counts {
        for kind in [CRF, DistanceModel::Hmm] {
            runtime.block_on(measure(&web, &trails, count, kind))?;
        }
    }
    Ok(())
}

async fn measure(web: &EvalWeb, trails: &Trails, count: usize, kind: DistanceModel) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(folder.path()).await?;
    let service = Services::new(store.clone(), Way::default());
    let step = trails.train.len().div_ceil(count).max(1);
    let chosen: Vec<&ClickPath> = trails.train.iter().step_by(step).collect();
    let mut events = Vec::new();
    for (number, path) in chosen.iter().enumerate() {
        events.extend(log_of(web, path, number)?);
        if events.len() > BATCH {
            let rest = events.split_off(BATCH);
            service
                .topics
                .take_events(std::mem::replace(&mut events, rest))
                .await?;
        }
    }
    for part in events.chunks(BATCH) {
        service.topics.take_events(part.to_vec()).await?;
    }
    let topic = service.topics.create_topic(NEW, &[]).await?;
    let began = Instant::now();
    let report = hop_training::learn(&store, &topic, kind, None, |_| {}).await?;
    let trained = began.elapsed();
    let model = store.model(topic.id).await?.context("no model was kept")?;
    let knowledge = read_model(&model)?;
    let sums = rank((&service, &store), web, trails, &knowledge, kind).await?;
    println!(
        "{:5} paths, {}: MRR {:.3}, hit@5 {:.3}; where the target is not linked MRR {:.3}, \
         hit@5 {:.3}; {} clicks; trained in {trained:.1?} on {} paths",
        chosen.len(),
        kind.strategy(),
        sums[0].mean(0),
        sums[0].mean(1),
        sums[1].mean(0),
        sums[1].mean(1),
        sums[0].clicks,
        report.other_paths
    );
    Ok(())
}

/// What an extension logs of a trail: a visit and a click each step, at the end the mark.
fn log_of(web: &EvalWeb, path: &ClickPath, number: usize) -> Result<Vec<Event>> {
    let target = &web.pages[path.target() as usize];
    let event = |id: String, what| Event {
        id,
        topic: target.address.to_string(),
        time: number as u64,
        what,
    };
    let mut topic_model = TopicModel::new("topic", "ensemble").context("no topic model")?;
    let mut rng = SplitMix(number as u64);
    let mut events = Vec::new();
    let mut before: Option<String> = None;
    for (at, &page) in path.pages.iter().enumerate() {
        let read = &web.pages[page as usize];
        let how = if at == 0 {
            Transition::Typed
        } else {
            Transition::Link
        };
        let mut visit = Visit::of(read, Judgment::default(), 1, how);
        visit.from = before.take();
        visit.click = (at > 0).then(|| format!("click {number} {}", at - 1));
        let id = format!("visit {number} {at}");
        events.push(event(id.clone(), EventKind::Visit(visit)));
        before = Some(id);
        let Some(&next) = path.pages.get(at + 1) else {
            break;
        };
        let next = &web.pages[next as usize].address;
        let outlink = read.outlinks.iter().position(|link| link.target == *next);
        let Some(outlink) = outlink else {
            break;
        };
        let (link, passed_over) = topic_model.followed(read, outlink, &mut rng);
        let words = &topic_model.graph().vocabulary;
        let click = EventKind::click(
            &link,
            &passed_over,
            &read.address,
            Judgment::default(),
            words,
        );
        events.push(event(format!("click {number} {at}"), click));
    }
    events.push(event(
        format!("mark {number}"),
        EventKind::mark(target, Some(true)),
    ));
    Ok(events)
}

/// Sums of reciprocal ranks and of hits among the first five.
#[derive(Debug, Default)]
struct Sums {
    sums: [f64; 2],
    clicks: usize,
}

impl Sums {
    fn add(&mut self, (reciprocal, hit): (f64, f64)) {
        self.sums[0] += reciprocal;
        self.sums[1] += hit;
        self.clicks += 1;
    }

    fn mean(&self, which: usize) -> f64 {
        self.sums[which] / self.clicks.max(1) as f64
    }
}

/// All clicks, and those on pages where the target is not linked.
async fn rank(
    (service, store): (&Services, &Store),
    web: &EvalWeb,
    trails: &Trails,
    learned: &Knowledge,
    kind: DistanceModel,
) -> Result<[Sums; 2]> {
    let step = trails.test.len().div_ceil(TESTED).max(1);
    let mut by_target: BTreeMap<u32, Vec<&ClickPath>> = BTreeMap::new();
    for path in trails.test.iter().step_by(step) {
        by_target.entry(path.target()).or_default().push(path);
    }
    let mut sums = [Sums::default(), Sums::default()];
    for (target, paths) in by_target {
        let page = &web.pages[target as usize];
        let topic = service
            .topics
            .create_topic(&format!("held out {target}"), &[])
            .await?;
        let begun = Knowledge {
            strategy: kind.strategy().to_owned(),
            // The hidden Markov model's words are numbered so.
            graph: WebGraph::with_vocabulary(learned.graph.vocabulary.clone()),
            arrivals: Vec::new(),
            ..learned.clone()
        };
        store.set_model(topic.id, &write_model(&begun)?).await?;
        let mark = EventKind::mark(page, Some(true));
        store.note(&topic, vec![mark]).await?;
        for path in paths {
            let topic_model = topic_model::of(store, &topic, None, None).await?;
            ensure!(
                topic_model.strategy().profile().name == kind.strategy(),
                "{}",
                topic_model.strategy().profile().name
            );
            follow(web, path, topic_model, &mut sums);
        }
    }
    Ok(sums)
}

fn follow(web: &EvalWeb, path: &ClickPath, mut topic_model: TopicModel, sums: &mut [Sums; 2]) {
    let mut via: Vec<Candidate> = Vec::new();
    for pair in path.pages.windows(2) {
        let (page, next) = (&web.pages[pair[0] as usize], &web.pages[pair[1] as usize]);
        let visit = topic_model.visit(page, &via, None, &mut SplitMix(1));
        let mut seen = HashSet::new();
        let mut links: Vec<(Candidate, Option<Priority>)> = Vec::new();
        for (link, score) in visit.outlinks {
            if web.number(&link.target).is_some() && seen.insert(link.target.clone()) {
                links.push((link, score.priority()));
            }
        }
        let clicked = links.iter().position(|row| row.0.target == next.address);
        let Some(clicked) = clicked else {
            return;
        };
        let worse = |than: &(Candidate, Option<Priority>)| {
            links.iter().filter(|one| one.1 < than.1).count() as f64
        };
        let scores: Vec<f64> = links.iter().map(worse).collect();
        let found = expected_rank(&scores, clicked);
        sums[0].add(found);
        if !seen.contains(&web.pages[path.target() as usize].address) {
            sums[1].add(found);
        }
        via = vec![links.swap_remove(clicked).0];
    }
}

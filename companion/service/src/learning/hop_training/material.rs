//! What a model of hop distances is trained on: the paths a person took, those to the
//! targets of other topics, and walks over the crawled web where paths are few.

use std::collections::HashSet;

use linkscent_archive::sequences_file::Origin;
use linkscent_core::address::Address;
use linkscent_core::critics;
use linkscent_core::features::PageTerms;
use linkscent_core::hops::{
    BrowsingPath, FeatureGroups, FeatureIndex, Observed, PageText, PathStep, TrainingWeb,
    WalkRules, Walks,
};
use linkscent_core::models::Sequences;
use linkscent_core::page::Page;
use linkscent_core::rng::Rng;
use linkscent_core::strategies::{BackwardPaths, TrainedPaths};
use linkscent_core::text::Vocabulary;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::{Judgment, MarkedPage, Relevance, WebGraph};
use linkscent_core::wire::api::{Event, EventKind, Visit, mark_of, marked_terms};

use super::sources::{Sources, count_clicks};
use crate::learning::browsing_paths::{Paths, Step};

/// Kept pages that are read.
const MOST_PAGES: usize = 2_000;
/// Walks that a path of the person's own stands for.
const WALKS_PER_PATH: usize = 10;
/// Sequences of its own with which a topic needs no paths to the targets of others.
const ENOUGH: usize = 200;
/// Paths of other topics that are learned from, the newest topics first.
const MOST_OTHER_PATHS: usize = 5_000;

/// Labelled sequences, and where they are from.
#[derive(Debug, Default)]
pub struct Material {
    /// The sequences: paths, walks, paths of other topics.
    pub sequences: Sequences,
    /// Of each sequence.
    pub origins: Vec<Origin>,
    /// Their features.
    pub feature_index: FeatureIndex,
    /// Pages of the topic that the person or a crawl saw.
    pub pages: usize,
    /// Links that the person followed, repeated ones too.
    pub clicks: usize,
    /// Paths of the person.
    pub paths: usize,
    /// Paths of theirs to targets of other topics.
    pub other_paths: usize,
    /// Walks over what was seen.
    pub walks: usize,
    /// Whether some page of the topic is a target.
    pub has_target: bool,
    /// What in the log contradicts itself, for people.
    pub faults: Vec<String>,
    /// The same sequences, as a model sees them that looks at whole pages.
    pub observed: Vec<Vec<Observed>>,
    /// The pages of the topic.
    pub web: TrainingWeb,
    /// The words by which all this names terms.
    pub vocabulary: Vocabulary,
}

impl Material {
    /// Leaves out what is said of words with numbers from `known_words` on.
    pub fn without_new_words(&mut self, known_words: usize) {
        self.web.without_new_words(known_words);
        for step in self.observed.iter_mut().flatten() {
            step.terms = step.terms.below(known_words);
        }
    }

    /// Adds the links that were passed over on paths.
    fn add_passed_over(&mut self, web: &TrainingWeb, paths: &[BrowsingPath]) {
        self.sequences.extend(&web.passed_over_sequences(paths));
        for path in paths {
            for (at, step) in path.iter().enumerate() {
                let origins = step.passed_over.iter().map(|(target, _)| Origin {
                    kind: "link passed over".to_owned(),
                    pages: vec![
                        web.address(path[at - 1].page).to_string(),
                        target.to_string(),
                    ],
                });
                self.origins.extend(origins);
            }
        }
    }

    /// Terms of pages, and whether each is a target: of the topic, and those on the paths of
    /// others.
    pub fn page_terms(&self) -> Vec<(&PageTerms, bool)> {
        let own = (0..self.web.len()).map(|page| (self.web.terms(page), self.web.is_target(page)));
        let others = self.observed[self.paths + self.walks..].iter().flatten();
        let others = others.map(|step| (&step.terms, step.is_target));
        let all = own.chain(others);
        all.filter(|page| !page.0.rows().is_empty()).collect()
    }
}

/// Puts together what there is for a topic. `feature_index` has the features of an earlier
/// model.
pub fn collect(
    sources: &Sources,
    topic_model: &TopicModel,
    feature_index: FeatureIndex,
    rng: &mut dyn Rng,
) -> Material {
    let pages: Vec<Page> = sources.kept.last(MOST_PAGES).collect();
    let own = Own {
        events: &sources.events,
        pages: &pages,
        topic_model,
    };
    let groups = FeatureGroups::OF_ONE_TOPIC;
    let (mut material, mut graph) = own.collect(feature_index.clone(), groups, rng);
    if material.sequences.len() < ENOUGH {
        let groups = FeatureGroups::ALL;
        (material, graph) = own.collect(feature_index, groups, rng);
        add_other_topics(&sources.others, &mut graph.vocabulary, &mut material);
    }
    material.vocabulary = graph.vocabulary;
    material
}

/// What there is of the topic itself.
struct Own<'a> {
    events: &'a [Event],
    /// Of a crawl.
    pages: &'a [Page],
    topic_model: &'a TopicModel,
}

impl Own<'_> {
    /// By these features; with what is known of the topic.
    fn collect(
        &self,
        feature_index: FeatureIndex,
        groups: FeatureGroups,
        rng: &mut dyn Rng,
    ) -> (Material, WebGraph) {
        let (topic_model, events) = (self.topic_model, self.events);
        let rules = WalkRules::new(Walks::Anywhere);
        let mut graph = topic_model.graph().clone();
        let mut web = TrainingWeb::new(groups).with_feature_index(feature_index);
        for (page, judgment) in self.pages.iter().zip(topic_model.judge_all(self.pages)) {
            web.add(page, judgment, &mut graph);
        }
        let log = Paths::of(events);
        let paths = add_paths(&mut web, &log, &mut graph);
        for past in &topic_model.knowledge().arrivals {
            for link in &past.via {
                web.add_click(link, &graph);
            }
        }
        let rules = WalkRules {
            // A few pages need no thousands of walks.
            count: rules
                .count
                .min(web.len() * 20)
                .saturating_sub(paths.len() * WALKS_PER_PATH),
            ..rules
        };
        let walks = web.walks(rules, rng);
        let mut material = Material {
            sequences: web.path_sequences(&paths),
            origins: paths
                .iter()
                .map(|path| origin("path", &web, path))
                .collect(),
            pages: web.len(),
            clicks: count_clicks(events),
            paths: paths.len(),
            walks: walks.len(),
            has_target: (0..web.len()).any(|page| web.is_target(page)),
            faults: log.faults,
            observed: web.observed_paths(&paths),
            ..Material::default()
        };
        let walked_pages = web.observed_walks(&walks);
        let walked = web.sequences(&walks);
        let walked_over = walks.iter().map(|walk| Origin {
            kind: "walk".to_owned(),
            pages: walk
                .iter()
                .map(|step| web.address(step.0).to_string())
                .collect(),
        });
        let walked_over: Vec<Origin> = walked_over.collect();
        material.feature_index = std::mem::take(&mut web.feature_index);
        material.sequences.extend(&walked);
        material.origins.extend(walked_over);
        material.add_passed_over(&web, &paths);
        material.observed.extend(walked_pages);
        material.web = web;
        (material, graph)
    }
}

fn origin(kind: &str, web: &TrainingWeb, path: &[PathStep]) -> Origin {
    let pages = path.iter().map(|step| web.address(step.page).to_string());
    Origin {
        kind: kind.to_owned(),
        pages: pages.collect(),
    }
}

/// The paths to the targets of other topics, by what means the same whatever the topic.
fn add_other_topics(topics: &[Vec<Event>], vocabulary: &mut Vocabulary, material: &mut Material) {
    for events in topics {
        if material.other_paths >= MOST_OTHER_PATHS {
            break;
        }
        let log = Paths::of(events);
        if log.paths.is_empty() {
            continue;
        }
        let mut graph = marked(events, std::mem::take(vocabulary));
        if graph.targets().next().is_some() {
            let index = std::mem::take(&mut material.feature_index);
            let web = TrainingWeb::new(FeatureGroups::OF_ANY_TOPIC);
            let mut web = web.with_feature_index(index);
            let paths = add_paths(&mut web, &log, &mut graph);
            material.sequences.extend(&web.path_sequences(&paths));
            material.observed.extend(web.observed_paths(&paths));
            let kind = "path of another topic";
            let origins = paths.iter().map(|path| origin(kind, &web, path));
            material.origins.extend(origins);
            material.add_passed_over(&web, &paths);
            material.other_paths += paths.len();
            material.feature_index = web.feature_index;
        }
        *vocabulary = graph.vocabulary;
    }
}

/// What is known of a topic by its marks alone.
fn marked(events: &[Event], vocabulary: Vocabulary) -> WebGraph {
    let mut graph = WebGraph::with_vocabulary(vocabulary);
    for event in events {
        let EventKind::Mark {
            address,
            target,
            words,
            ..
        } = &event.what
        else {
            continue;
        };
        let Ok(address) = Address::parse(address) else {
            continue;
        };
        match mark_of(*target) {
            Some(mark) => {
                let terms = marked_terms(words, &mut graph.vocabulary);
                graph.marks.insert(address, MarkedPage { mark, terms });
            }
            None => {
                graph.marks.remove(&address);
            }
        }
    }
    graph
}

/// Adds the pages and links of paths to a web; the paths by its numbers. One with an address
/// that is none ends before it.
fn add_paths(web: &mut TrainingWeb, log: &Paths<'_>, graph: &mut WebGraph) -> Vec<BrowsingPath> {
    let mut paths = Vec::new();
    for path in &log.paths {
        let steps: Vec<PathStep> = path
            .iter()
            .map_while(|step| add_step(web, step, graph))
            .collect();
        if steps.len() > 1 {
            paths.push(steps);
        }
    }
    paths
}

fn add_step(web: &mut TrainingWeb, step: &Step<'_>, graph: &mut WebGraph) -> Option<PathStep> {
    let address = Address::parse(step.page).ok()?;
    let page = match step.visit {
        Some(visit) => add_visited(web, &address, visit, graph),
        None => web.add_known(&address, graph),
    };
    let link = step
        .click
        .and_then(|click| Some((click, click.what.followed(&mut graph.vocabulary)?)));
    let Some((click, mut link)) = link else {
        return Some(PathStep::unlinked(page));
    };
    // A redirect: the link led to the page that came.
    link.target = address;
    let passed_over = click.what.passed_over(&mut graph.vocabulary);
    Some(web.step(&link, &passed_over, page, graph))
}

fn add_visited(
    web: &mut TrainingWeb,
    address: &Address,
    visit: &Visit,
    graph: &mut WebGraph,
) -> usize {
    let text = PageText {
        title: visit.title_words.clone(),
        headings: visit.heading_words.clone(),
    };
    let terms = marked_terms(&visit.words, &mut graph.vocabulary);
    let judgment = match graph.page(address) {
        Some(known) => known.judgment,
        None => Judgment {
            relevance: Relevance::new(visit.relevance),
            similarity: critics::similarity(&terms, graph),
            is_target: Relevance::new(visit.relevance).is_high(),
            ..Judgment::default()
        },
    };
    let judgment = judgment.marked(graph.mark(address));
    web.add_visited(address, &text, &terms, judgment, graph)
}

/// Links on the paths to the targets of a web and links on none, as they stand on the pages
/// that a crawl kept and as they were followed elsewhere.
pub fn backward_paths(
    sources: &Sources,
    topic_model: &TopicModel,
    material: &mut Material,
) -> TrainedPaths {
    let mut paths = BackwardPaths::new(material.web.target_distances());
    let mut read: HashSet<Address> = HashSet::new();
    for page in sources.kept.last(MOST_PAGES) {
        paths.read(&page, &mut material.vocabulary);
        read.insert(page.address);
    }
    for past in &topic_model.knowledge().arrivals {
        for link in &past.via {
            if link.source().is_some_and(|source| !read.contains(source)) {
                paths.add(link);
            }
        }
    }
    paths.into_trained()
}

//! What every strategy must keep, for all of them at once.

mod trained;

use super::*;
use crate::address::Address;
use crate::critics;
use crate::dom::{Builder, LeafRange};
use crate::features::{LinkContext, OffsetTerm};
use crate::hops::{FeatureGroups, STATES, TrainingWeb, link_features};
use crate::models::{ChainKind, ChainModel, ChainWeights, Inference};
use crate::page::Page;
use crate::text::Vocabulary;
use crate::topic_model::TopicModel;
use crate::web_graph::Mark;
use crate::wire::{read_model, write_model};

fn page(address: &str, words: &str) -> Page {
    let mut builder = Builder::new();
    for word in words.split(' ') {
        let first = builder.next_leaf();
        builder.leaf(word);
        builder.link(
            &format!("/{word}"),
            LeafRange {
                first,
                end: first + 1,
            },
        );
    }
    Page::new(Address::parse(address).unwrap(), builder.finish().unwrap())
}

/// What is visited, by address; the first page is marked as a target.
const PAGES: [(&str, &str); 3] = [
    ("http://a.org/1", "kidney dialysis patients blood"),
    ("http://a.org/2", "railway trains timetable station"),
    ("http://a.org/3", "kidney transplant railway blood"),
];

/// A topic model that has seen, marked and learned something, and links to score.
fn taught(strategy: &str) -> (TopicModel, Vec<Candidate>) {
    let mut topic_model = TopicModel::new("topic", strategy).unwrap();
    let links = teach(&mut topic_model);
    (topic_model, links)
}

/// Visits [`PAGES`]; their links.
fn teach(topic_model: &mut TopicModel) -> Vec<Candidate> {
    let mut rng = SplitMix(11);
    let mut links: Vec<Candidate> = Vec::new();
    for (number, (address, words)) in PAGES.into_iter().enumerate() {
        let mark = (number == 0).then_some(Mark::Target);
        let via: Vec<Candidate> = links.iter().take(2).cloned().collect();
        let visit = topic_model.visit(&page(address, words), &via, mark, &mut rng);
        links.extend(visit.outlinks.into_iter().map(|(link, _)| link));
    }
    links
}

/// A strategy under a topic model, by name, and links to score.
fn all_taught() -> Vec<(String, TopicModel, Vec<Candidate>)> {
    let mut all: Vec<(String, TopicModel, Vec<Candidate>)> = Vec::new();
    for name in names() {
        let (topic_model, links) = taught(name);
        all.push((name.to_owned(), topic_model, links));
    }
    let (hmm, layers, _) = trained::page_models();
    let trained: [Box<dyn Strategy>; 4] = [
        Box::new(chain(ChainKind::Crf)),
        Box::new(chain(ChainKind::Memm)),
        Box::new(hmm),
        Box::new(layers),
    ];
    for strategy in trained {
        let name = strategy.profile().name.to_owned();
        let critic = Box::new(critics::Topic::default());
        let mut topic_model = TopicModel::joining(critic, strategy, Vocabulary::default());
        let links = teach(&mut topic_model);
        all.push((name, topic_model, links));
    }
    all
}

/// What the leaves of an explanation come to: nothing is taken from the nodes between.
fn evaluated(node: &Explanation) -> f64 {
    let parts: Vec<f64> = node.parts.iter().map(evaluated).collect();
    match node.operation {
        Operation::Given => node.value,
        Operation::Sum => parts.iter().sum(),
        Operation::Product => parts.iter().product(),
        Operation::Quotient => parts[0] / parts[1],
        Operation::Maximum => parts.into_iter().fold(f64::NEG_INFINITY, f64::max),
        Operation::Logistic => 1.0 / (1.0 + (-parts[0]).exp()),
        Operation::Logarithm => parts.iter().sum::<f64>().ln(),
    }
}

#[test]
fn every_explanation_comes_to_the_score() {
    for (name, topic_model, links) in all_taught() {
        let mut explained = 0;
        for link in &links {
            let Some(priority) = topic_model.score(link).priority() else {
                continue;
            };
            explained += 1;
            let explanation = topic_model.explain(link);
            let gap = (evaluated(&explanation) - priority.value()).abs();
            assert!(
                gap < 1e-5,
                "{name}: {explanation}score {}",
                priority.value()
            );
        }
        assert!(explained >= 4, "{name}: {explained} links");
    }
}

/// A link without one word of its context.
fn without(link: &Candidate, feature: OffsetTerm) -> Candidate {
    let left = link.context.features().iter().copied();
    Candidate {
        context: LinkContext::new(left.filter(|one| *one != feature).collect()),
        ..link.clone()
    }
}

/// What an explanation says a word near a link does, it does: without the word the score
/// moves the other way.
#[test]
fn a_word_that_is_named_moves_the_score() {
    for name in ["apprentice", "ensemble"] {
        // One that has learned from every arrival, whatever its usual batch.
        let strategy = (descriptor(name).unwrap().make.unwrap())(Some(1));
        let critic = Box::new(critics::Topic::default());
        let mut topic_model = TopicModel::joining(critic, strategy, Vocabulary::default());
        let links = teach(&mut topic_model);
        let mut moved = 0;
        for link in &links {
            let Some(before) = topic_model.score(link).priority() else {
                continue;
            };
            let explanation = topic_model.explain(link);
            let word = explanation
                .nodes()
                .filter(|node| node.value.abs() > 1e-3)
                .find_map(|node| Some((node.value, node.cue?.feature)));
            let Some((pull, feature)) = word else {
                continue;
            };
            let after = topic_model
                .score(&without(link, feature))
                .priority()
                .unwrap();
            let change = after.value() - before.value();
            assert!(
                change * pull < 0.0,
                "{name}: {pull:+.4} for the word, {change:+.4} without it\n{explanation}"
            );
            moved += 1;
        }
        assert!(moved > 0, "{name} names no word");
    }
}

#[test]
fn what_is_saved_scores_the_same() {
    for name in names() {
        let (mut topic_model, links) = taught(name);
        // A mark set and taken back: all is learned from marks and log, as on loading.
        let page = page("http://a.org/1", "kidney dialysis patients blood");
        topic_model.mark(&page, None);
        topic_model.mark(&page, Some(Mark::Target));
        let is_by_ratios = name.starts_with("intelligent");
        if is_by_ratios || ["ensemble", "apprentice-plain", "fish-search"].contains(&name) {
            // Not kept: which pages link where, whether the first batch was full, siblings,
            // which links come first on a page.
            topic_model = TopicModel::with_knowledge(topic_model.knowledge()).unwrap();
        }
        let again = TopicModel::with_knowledge(topic_model.knowledge()).unwrap();
        for link in &links {
            assert_eq!(topic_model.score(link), again.score(link), "{name}");
        }
    }
}

/// Those that learn in batches learn nothing of three pages; here a batch is one page.
#[test]
fn what_is_learned_of_every_page_is_explained_and_comes_back() {
    let learners = [
        "hub",
        "info-spiders",
        "q-linear",
        "reinforcement",
        "topic-pagerank",
    ];
    for name in names() {
        let make = descriptor(name).unwrap().make.unwrap();
        let critic = Box::new(critics::Topic::default());
        let mut topic_model = TopicModel::joining(critic, make(Some(1)), Vocabulary::default());
        let links = teach(&mut topic_model);
        for link in &links {
            let Some(priority) = topic_model.score(link).priority() else {
                continue;
            };
            let explanation = topic_model.explain(link);
            let gap = (evaluated(&explanation) - priority.value()).abs();
            assert!(gap < 1e-5, "{name}: {explanation}{}", priority.value());
        }
        if !learners.contains(&name) {
            continue;
        }
        assert_ne!(
            topic_model.strategy().state(),
            make(None).state(),
            "{name} learned nothing"
        );
        let file = write_model(&topic_model.knowledge()).unwrap();
        let again = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
        assert_eq!(
            topic_model.strategy().state(),
            again.strategy().state(),
            "{name}"
        );
        for link in &links {
            assert_eq!(topic_model.score(link), again.score(link), "{name}");
        }
        // Its bytes, cut off anywhere, are refused.
        let learned = topic_model.strategy().state();
        let (learner, bytes) = learned.parts().next().unwrap();
        for length in 0..bytes.len() {
            let cut = StrategyState::owned_by(learner).with_part(learner, bytes[..length].into());
            let words = topic_model.graph().vocabulary.len();
            assert!(check_state(&cut, words).is_err(), "{name}: {length} bytes");
        }
    }
}

#[test]
fn names_are_their_own() {
    for name in names() {
        assert_eq!(named(name).unwrap().profile().name, name);
    }
    assert!(named("nonesuch").is_none());
}

#[test]
fn hard_focus_rejects_links_of_pages_that_are_no_targets() {
    for (name, expected) in [
        ("best-first-hard", 4),
        ("best-first-cosine-hard", 4),
        ("best-first", 0),
        ("best-first-cosine", 0),
    ] {
        let (topic_model, links) = taught(name);
        let rejected = links
            .iter()
            .filter(|link| topic_model.score(link) == LinkScore::Reject);
        // The links of the railway page alone.
        assert_eq!(rejected.count(), expected, "{name}");
    }
}

#[test]
fn priorities_order_by_queue_then_key() {
    let best = Priority::new(0, 0.5);
    assert!(best > Priority::new(0, 0.4));
    assert!(Priority::new(0, -9.0) > Priority::new(1, 9.0));
    assert!(Priority::new(0, f64::NAN) < Priority::new(0, -1e9));
}

/// A chain whose weights were drawn at random, over what `taught` reads.
fn chain(kind: ChainKind) -> HopChain {
    let (topic_model, links) = taught("best-first");
    let mut web = TrainingWeb::new(FeatureGroups::ALL);
    for link in &links {
        web.add_click(link, topic_model.graph());
    }
    let mut rng = SplitMix(3);
    let empty = ChainWeights::new(STATES, web.feature_index.len(), false);
    let values = empty.values().iter().map(|_| 2.0 * rng.unit() - 1.0);
    let weights = ChainWeights::from_values(STATES, false, values.collect()).unwrap();
    let model = ChainModel { kind, weights };
    HopChain::new(
        model,
        web.feature_index,
        FeatureGroups::ALL,
        Inference::Marginal,
    )
}

/// All that a strategy has to bring: the least there is, best by the longest anchor.
struct LongestAnchor;

impl Strategy for LongestAnchor {
    fn profile(&self) -> Profile {
        Profile::new("longest-anchor")
    }

    fn score(&self, links: &[Candidate], _: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| Priority::new(0, link.anchor.len() as f64);
        links
            .iter()
            .map(|link| LinkScore::Follow(score(link)))
            .collect()
    }

    fn explain(&self, link: &Candidate, _: Known<'_>) -> Explanation {
        Explanation::given("letters of the anchor", link.anchor.len() as f64)
    }
}

#[test]
fn a_new_strategy_is_one_file() {
    let make: Make = |_| Box::new(LongestAnchor);
    let row = Descriptor {
        name: "longest-anchor",
        sentence: "Those with the longest anchor first.",
        make: Some(make),
        learner: "",
        resume: |_, _| Ok(None),
    };
    let critic = Box::new(critics::Topic::default());
    let strategy = (row.make.unwrap())(None);
    let mut topic_model = TopicModel::joining(critic, strategy, Vocabulary::default());
    for words in ["kidney dialysis", "railway trains timetable"] {
        let page = page("http://a.org/1", words);
        let visit = topic_model.visit(&page, &[], None, &mut SplitMix(1));
        for (link, score) in visit.outlinks {
            let priority = score.priority().unwrap();
            assert_eq!(topic_model.explain(&link).value, priority.value());
            assert_eq!(topic_model.score(&link), score);
            assert_eq!(topic_model.expected(&link), None);
        }
    }
    assert_eq!(topic_model.strategy().profile().name, row.name);
    assert_eq!(topic_model.knowledge().learned, StrategyState::default());
}

#[test]
fn every_strategy_is_registered_by_its_own_name() {
    for row in &REGISTRY {
        let Some(make) = row.make else { continue };
        assert_eq!(make(None).profile().name, row.name);
        assert_eq!(
            make(Some(7)).profile(),
            make(None).profile(),
            "{}",
            row.name
        );
        let state = make(None).state();
        assert_eq!(state.owner(), row.learner);
        let again = from_state(row.name, &state, 0).unwrap().unwrap();
        assert_eq!(again.profile().name, row.name);
    }
    assert!(names().contains(&default_name()) && named("crf").is_none());
}

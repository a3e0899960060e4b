//! What every strategy must keep, for all of them at once.

use super::*;
use crate::address::Address;
use crate::critics;
use crate::dom::{Builder, LeafRange};
use crate::features::{LinkContext, OffsetTerm};
use crate::guide::Guide;
use crate::hops::{FeatureGroups, STATES, TrainingWeb, link_features};
use crate::models::{ChainKind, ChainModel, ChainWeights, Inference};
use crate::page::Page;
use crate::text::Vocabulary;
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

/// A guide that has seen, marked and learned something, and links to score.
fn taught(strategy: &str) -> (Guide, Vec<Candidate>) {
    let mut guide = Guide::new("topic", strategy).unwrap();
    let links = teach(&mut guide);
    (guide, links)
}

/// Visits [`PAGES`]; their links.
fn teach(guide: &mut Guide) -> Vec<Candidate> {
    let mut rng = SplitMix(11);
    let mut links: Vec<Candidate> = Vec::new();
    for (number, (address, words)) in PAGES.into_iter().enumerate() {
        let mark = (number == 0).then_some(Mark::Target);
        let via: Vec<Candidate> = links.iter().take(2).cloned().collect();
        let visit = guide.visit(&page(address, words), &via, mark, &mut rng);
        links.extend(visit.outlinks.into_iter().map(|(link, _)| link));
    }
    links
}

/// A strategy under a guide, by name, and links to score.
fn all_taught() -> Vec<(String, Guide, Vec<Candidate>)> {
    let mut all: Vec<(String, Guide, Vec<Candidate>)> = Vec::new();
    for name in names() {
        let (guide, links) = taught(name);
        all.push((name.to_owned(), guide, links));
    }
    let (seen, _) = taught("best-first");
    let mut web = TrainingWeb::new(FeatureGroups::ALL);
    let mut graph = seen.graph().clone();
    for (address, words) in PAGES {
        let page = page(address, words);
        let judgment = graph.page(&page.address).unwrap().judgment;
        web.add(&page, judgment, &mut graph);
    }
    let hmm = HopClusters::train(&web, Inference::Marginal, &mut SplitMix(5));
    let trained: [Box<dyn Strategy>; 4] = [
        Box::new(chain(ChainKind::Crf)),
        Box::new(chain(ChainKind::Memm)),
        Box::new(hmm),
        Box::new(ContextGraph::train(&web)),
    ];
    for strategy in trained {
        let name = strategy.profile().name.to_owned();
        let critic = Box::new(critics::Topic::default());
        let mut guide = Guide::joining(critic, strategy, Vocabulary::default());
        let links = teach(&mut guide);
        all.push((name, guide, links));
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
    for (name, guide, links) in all_taught() {
        let mut explained = 0;
        for link in &links {
            let Some(priority) = guide.score(link).priority() else {
                continue;
            };
            explained += 1;
            let explanation = guide.explain(link);
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
        let mut guide = Guide::joining(critic, strategy, Vocabulary::default());
        let links = teach(&mut guide);
        let mut moved = 0;
        for link in &links {
            let Some(before) = guide.score(link).priority() else {
                continue;
            };
            let explanation = guide.explain(link);
            let word = explanation
                .nodes()
                .filter(|node| node.value.abs() > 1e-3)
                .find_map(|node| Some((node.value, node.cue?.feature)));
            let Some((pull, feature)) = word else {
                continue;
            };
            let after = guide.score(&without(link, feature)).priority().unwrap();
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

/// Probabilities of distances, from the weights alone: of a link on a page that was never
/// passed, each state's weights for what is observed, normalised.
#[test]
fn distances_in_an_explanation_are_those_of_the_weights() {
    for kind in [ChainKind::Crf, ChainKind::Memm] {
        let strategy = chain(kind);
        let (guide, links) = taught("best-first");
        let critic = critics::Topic::default();
        let known = Known {
            graph: guide.graph(),
            critic: &critic,
        };
        for link in &links {
            let feature_index = strategy.feature_index();
            let observed = link_features(
                &link.context,
                &link.target,
                known.graph,
                FeatureGroups::ALL,
                feature_index,
            );
            assert!(!observed.is_empty());
            let mut expected = [0.0; STATES];
            for &(feature, value) in &observed {
                let weights = strategy.model().weights.by_state(feature);
                for (sum, weight) in expected.iter_mut().zip(weights) {
                    *sum += f64::from(value) * weight;
                }
            }
            let all: f64 = expected.iter().map(|score| score.exp()).sum();
            let explanation = strategy.explain(link, known);
            let shown = explanation.parts.iter();
            let shown = shown.filter(|part| part.label.starts_with("distance"));
            let shown: Vec<f64> = shown.map(|part| part.value).collect();
            assert_eq!(shown.len(), STATES);
            for (probability, score) in shown.iter().zip(expected) {
                assert!((probability - score.exp() / all).abs() < 1e-9);
            }
            let named = explanation.parts.iter();
            let named = named.filter_map(|part| Some((part.value, part.label.split_once(" (")?.0)));
            for (pull, name) in named {
                let feature = feature_index.id(name).unwrap();
                let value = observed.iter().find(|one| one.0 == feature).unwrap().1;
                let weights = strategy.model().weights.by_state(feature);
                let by_hand = f64::from(value) * (weights[0] - weights[STATES - 1]);
                assert!((pull - by_hand).abs() < 1e-9, "{name}");
            }
        }
    }
}

#[test]
fn what_is_saved_scores_the_same() {
    for name in names() {
        let (mut guide, links) = taught(name);
        // A mark set and taken back: all is learned from marks and log, as on loading.
        let page = page("http://a.org/1", "kidney dialysis patients blood");
        guide.mark(&page, None);
        guide.mark(&page, Some(Mark::Target));
        let is_by_ratios = name.starts_with("intelligent");
        if is_by_ratios || ["ensemble", "apprentice-plain", "fish-search"].contains(&name) {
            // Not kept: which pages link where, whether the first batch was full, siblings,
            // which links come first on a page.
            guide = Guide::with_knowledge(guide.knowledge()).unwrap();
        }
        let again = Guide::with_knowledge(guide.knowledge()).unwrap();
        for link in &links {
            assert_eq!(guide.score(link), again.score(link), "{name}");
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
        let mut guide = Guide::joining(critic, make(Some(1)), Vocabulary::default());
        let links = teach(&mut guide);
        for link in &links {
            let Some(priority) = guide.score(link).priority() else {
                continue;
            };
            let explanation = guide.explain(link);
            let gap = (evaluated(&explanation) - priority.value()).abs();
            assert!(gap < 1e-5, "{name}: {explanation}{}", priority.value());
        }
        if !learners.contains(&name) {
            continue;
        }
        assert_ne!(
            guide.learned(),
            make(None).state(),
            "{name} learned nothing"
        );
        let file = write_model(&guide.knowledge()).unwrap();
        let again = Guide::with_knowledge(read_model(&file).unwrap()).unwrap();
        assert_eq!(guide.learned(), again.learned(), "{name}");
        for link in &links {
            assert_eq!(guide.score(link), again.score(link), "{name}");
        }
        // Its bytes, cut off anywhere, are refused.
        let learned = guide.learned();
        let (learner, bytes) = learned.parts().next().unwrap();
        for length in 0..bytes.len() {
            let cut = StrategyState::owned_by(learner).with_part(learner, bytes[..length].into());
            let words = guide.graph().vocabulary.len();
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
        let (guide, links) = taught(name);
        let rejected = links
            .iter()
            .filter(|link| guide.score(link) == LinkScore::Reject);
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
    let (guide, links) = taught("best-first");
    let mut web = TrainingWeb::new(FeatureGroups::ALL);
    for link in &links {
        web.add_click(link, guide.graph());
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

#[test]
fn a_chain_of_beliefs_is_carried_on_explained_and_brought_back() {
    for kind in [ChainKind::Crf, ChainKind::Memm] {
        let (before, links) = taught("best-first");
        let mut knowledge = before.knowledge();
        let strategy = chain(kind);
        strategy.profile().name.clone_into(&mut knowledge.strategy);
        knowledge.learned = StrategyState::of(&strategy);
        let mut guide = Guide::with_knowledge(knowledge).unwrap();
        let mut rng = SplitMix(11);
        let first = page("http://a.org/new", "kidney railway blood");
        let visit = guide.visit(&first, &links[..1], Some(Mark::Target), &mut rng);
        assert_eq!(
            guide.describe_page(&first.address).as_deref(),
            Some("looks like a target"),
            "the person's word holds"
        );
        // One more step from there; all of it comes back out of a file.
        let file = write_model(&guide.knowledge()).unwrap();
        let again = Guide::with_knowledge(read_model(&file).unwrap()).unwrap();
        for (link, score) in &visit.outlinks {
            assert_eq!(again.score(link), *score);
            let explanation = guide.explain(link);
            let priority = score.priority().unwrap();
            assert!((explanation.value - priority.value()).abs() < 1e-12);
            let shares = explanation.parts.iter();
            let shares = shares.filter(|part| part.label.starts_with("distance"));
            let all: f64 = shares.map(|part| part.value).sum();
            assert!((all - 1.0).abs() < 1e-9, "{explanation}");
            assert!(
                guide.reason(link).starts_with("looks "),
                "{}",
                guide.reason(link)
            );
            let expected = guide.expected(link).unwrap().value();
            let shown = guide.highlight_score(priority);
            assert!(
                (expected - shown).abs() <= 0.0005 + 1e-12,
                "but for rounding"
            );
            let strategy: HopChain = guide.learned().read(0).unwrap().unwrap();
            let strategy = strategy.ordering(BeliefOrder::Expected);
            let by_hand = explanation.parts.iter().take(STATES).zip(0..);
            let clicks: f64 = by_hand.map(|(part, far)| part.value * f64::from(far)).sum();
            let known = Known {
                graph: guide.graph(),
                critic: &critics::Topic::default(),
            };
            let nearest = strategy.score(std::slice::from_ref(link), known)[0];
            let nearest = nearest.priority().unwrap();
            assert!((clicks + nearest.value()).abs() < 1e-9, "{explanation}");
            assert!((strategy.highlight_score(nearest) - expected).abs() < 1e-9);
        }
        // Damage in the weights is found.
        let learned = guide.knowledge().learned;
        let terms = guide.graph().vocabulary.len();
        let broken: HopChain = learned.read(terms).unwrap().expect("the same strategy");
        let broken = broken.pruned(3);
        assert_eq!(broken.feature_index().len(), 3);
        assert_eq!(broken.model().weights.features(), 3);
    }
}

#[test]
fn beliefs_are_ordered_by_the_expected_distance() {
    let order = BeliefOrder::Expected;
    let above = |a: &[f64], b: &[f64]| HopChain::priority(a, order) > HopChain::priority(b, order);
    // Expected 0.5 against 0.6 clicks, then 0.8 against 1.2 although the target is less likely.
    assert!(above(&[0.5, 0.5, 0.0], &[0.4, 0.6, 0.0]));
    assert!(above(&[0.2, 0.8, 0.0], &[0.4, 0.0, 0.6]));
    assert!(
        above(&[0.5, 0.0, 0.5], &[0.25, 0.5, 0.25]),
        "the likelier target"
    );
}

#[test]
fn the_papers_order_of_beliefs_is_lexicographic_with_epsilon() {
    let order = BeliefOrder::Probabilities;
    let above = |a: &[f64], b: &[f64]| HopChain::priority(a, order) > HopChain::priority(b, order);
    assert!(above(&[0.5, 0.1], &[0.4, 0.6]));
    assert!(
        above(&[0.5001, 0.3], &[0.5004, 0.2]),
        "equal within epsilon"
    );
    assert!(!above(&[0.5, 0.3], &[0.502, 0.2]));
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
    let mut guide = Guide::joining(critic, strategy, Vocabulary::default());
    for words in ["kidney dialysis", "railway trains timetable"] {
        let page = page("http://a.org/1", words);
        let visit = guide.visit(&page, &[], None, &mut SplitMix(1));
        for (link, score) in visit.outlinks {
            let priority = score.priority().unwrap();
            assert_eq!(guide.explain(&link).value, priority.value());
            assert_eq!(guide.score(&link), score);
            assert_eq!(guide.expected(&link), None);
        }
    }
    assert_eq!(guide.profile().name, row.name);
    assert_eq!(guide.knowledge().learned, StrategyState::default());
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

/// Models of hop distances that see whole pages, trained on the pages of `taught`.
fn page_models() -> (HopClusters, ContextGraph, WebGraph) {
    let (seen, _) = taught("best-first");
    let mut web = TrainingWeb::new(FeatureGroups::ALL);
    let mut graph = seen.graph().clone();
    for (address, words) in PAGES {
        let page = page(address, words);
        let judgment = graph.page(&page.address).unwrap().judgment;
        web.add(&page, judgment, &mut graph);
    }
    let hmm = HopClusters::train(&web, Inference::Marginal, &mut SplitMix(5));
    (hmm, ContextGraph::train(&web), graph)
}

#[test]
fn trained_models_go_on_from_what_was_saved() {
    let (hmm, layers, graph) = page_models();
    let terms = graph.vocabulary.len();
    let (hmm_bytes, layer_bytes) = (hmm.encode(), layers.encode());
    let again = HopClusters::decode(&hmm_bytes, terms).unwrap();
    assert_eq!(again.encode(), hmm_bytes);
    let again = ContextGraph::decode(&layer_bytes, terms).unwrap();
    assert_eq!(again.encode(), layer_bytes);
    // Damage is an error, and a word beyond the vocabulary too.
    assert!(HopClusters::decode(&hmm_bytes, 1).is_err());
    assert!(ContextGraph::decode(&layer_bytes, 1).is_err());
    for end in 0..hmm_bytes.len().min(400) {
        assert!(
            HopClusters::decode(&hmm_bytes[..end], terms).is_err(),
            "{end}"
        );
    }
    for end in 0..layer_bytes.len().min(400) {
        assert!(
            ContextGraph::decode(&layer_bytes[..end], terms).is_err(),
            "{end}"
        );
    }
}

#[test]
fn what_other_strategies_learned_is_kept_beside() {
    let (hmm, _, graph) = page_models();
    let (before, _) = taught("ensemble");
    let mut knowledge = before.knowledge();
    knowledge.graph.vocabulary = graph.vocabulary;
    knowledge.learned = knowledge.learned.with(&hmm);
    let mut kept = Guide::with_knowledge(knowledge).unwrap().knowledge();
    assert_eq!(kept.strategy, "ensemble");
    assert!(kept.learned.has::<HopClusters>() && kept.learned.has::<EnsembleState>());
    // Another strategy is chosen, and the first again.
    for name in ["hmm", "ensemble"] {
        name.clone_into(&mut kept.strategy);
        kept = Guide::with_knowledge(kept).unwrap().knowledge();
        assert_eq!(kept.strategy, name);
        assert!(kept.learned.has::<HopClusters>(), "{name}");
    }
    "context-graph".clone_into(&mut kept.strategy);
    assert!(Guide::with_knowledge(kept).is_none(), "it was not trained");
}

#[test]
fn a_marked_page_lies_where_the_person_says() {
    let (hmm, _, _) = page_models();
    for strategy in [
        Box::new(hmm) as Box<dyn Strategy>,
        Box::new(chain(ChainKind::Crf)),
    ] {
        let critic = Box::new(critics::Topic::default());
        let mut guide = Guide::joining(critic, strategy, Vocabulary::default());
        let links = teach(&mut guide);
        let link = &links[0];
        let target = page(link.target.as_str(), "kidney");
        guide.mark(&target, Some(Mark::Target));
        assert_eq!(guide.expected(link).map(Relevance::value), Some(1.0));
        guide.mark(&target, Some(Mark::NotTarget));
        assert_eq!(guide.expected(link).map(Relevance::value), Some(0.0));
    }
}

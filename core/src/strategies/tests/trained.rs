//! What models of hop distances keep, that are trained before a crawl.

use super::*;

/// Probabilities of distances, from the weights alone: of a link on a page that was never
/// passed, each state's weights for what is observed, normalised.
#[test]
fn distances_in_an_explanation_are_those_of_the_weights() {
    for kind in [ChainKind::Crf, ChainKind::Memm] {
        let strategy = chain(kind);
        let (topic_model, links) = taught("best-first");
        let critic = critics::Topic::default();
        let known = Known {
            graph: topic_model.graph(),
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
fn a_chain_of_beliefs_is_carried_on_explained_and_brought_back() {
    for kind in [ChainKind::Crf, ChainKind::Memm] {
        let (before, links) = taught("best-first");
        let mut knowledge = before.knowledge();
        let strategy = chain(kind);
        strategy.profile().name.clone_into(&mut knowledge.strategy);
        knowledge.learned = StrategyState::of(&strategy);
        let mut topic_model = TopicModel::with_knowledge(knowledge).unwrap();
        let mut rng = SplitMix(11);
        let first = page("http://a.org/new", "kidney railway blood");
        let visit = topic_model.visit(&first, &links[..1], Some(Mark::Target), &mut rng);
        assert_eq!(
            topic_model.describe_page(&first.address).as_deref(),
            Some("looks like a target"),
            "the person's word holds"
        );
        // One more step from there; all of it comes back out of a file.
        let file = write_model(&topic_model.knowledge()).unwrap();
        let again = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
        for (link, score) in &visit.outlinks {
            assert_eq!(again.score(link), *score);
            let explanation = topic_model.explain(link);
            let priority = score.priority().unwrap();
            assert!((explanation.value - priority.value()).abs() < 1e-12);
            let shares = explanation.parts.iter();
            let shares = shares.filter(|part| part.label.starts_with("distance"));
            let all: f64 = shares.map(|part| part.value).sum();
            assert!((all - 1.0).abs() < 1e-9, "{explanation}");
            assert!(
                topic_model.reason(link).starts_with("looks "),
                "{}",
                topic_model.reason(link)
            );
            let expected = topic_model.expected(link).unwrap().value();
            let shown = topic_model.probability(link, priority);
            assert!(
                (expected - shown).abs() <= 0.0005 + 1e-12,
                "but for rounding"
            );
            let strategy: HopChain = topic_model.strategy().state().read(0).unwrap().unwrap();
            let strategy = strategy.ordering(BeliefOrder::Expected);
            let by_hand = explanation.parts.iter().take(STATES).zip(0..);
            let clicks: f64 = by_hand.map(|(part, far)| part.value * f64::from(far)).sum();
            let known = Known {
                graph: topic_model.graph(),
                critic: &critics::Topic::default(),
            };
            let nearest = strategy.score(std::slice::from_ref(link), known)[0];
            let nearest = nearest.priority().unwrap();
            assert!((clicks + nearest.value()).abs() < 1e-9, "{explanation}");
            let Promise::Probability(shown) = strategy.promise(nearest) else {
                panic!("no probability");
            };
            assert!((shown - expected).abs() < 1e-9);
        }
        // Damage in the weights is found.
        let learned = topic_model.knowledge().learned;
        let terms = topic_model.graph().vocabulary.len();
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

/// Models of hop distances that see whole pages, trained on the pages of `taught`.
pub(super) fn page_models() -> (HopClusters, ContextGraph, WebGraph) {
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
    let mut kept = TopicModel::with_knowledge(knowledge).unwrap().knowledge();
    assert_eq!(kept.strategy, "ensemble");
    assert!(kept.learned.has::<HopClusters>() && kept.learned.has::<EnsembleState>());
    // Another strategy is chosen, and the first again.
    for name in ["hmm", "ensemble"] {
        name.clone_into(&mut kept.strategy);
        kept = TopicModel::with_knowledge(kept).unwrap().knowledge();
        assert_eq!(kept.strategy, name);
        assert!(kept.learned.has::<HopClusters>(), "{name}");
    }
    "context-graph".clone_into(&mut kept.strategy);
    assert!(
        TopicModel::with_knowledge(kept).is_none(),
        "it was not trained"
    );
}

#[test]
fn a_marked_page_lies_where_the_person_says() {
    let (hmm, _, _) = page_models();
    for strategy in [
        Box::new(hmm) as Box<dyn Strategy>,
        Box::new(chain(ChainKind::Crf)),
    ] {
        let critic = Box::new(critics::Topic::default());
        let mut topic_model = TopicModel::joining(critic, strategy, Vocabulary::default());
        let links = teach(&mut topic_model);
        let link = &links[0];
        let target = page(link.target.as_str(), "kidney");
        topic_model.mark(&target, Some(Mark::Target));
        assert_eq!(topic_model.expected(link).map(Relevance::value), Some(1.0));
        topic_model.mark(&target, Some(Mark::NotTarget));
        assert_eq!(topic_model.expected(link).map(Relevance::value), Some(0.0));
    }
}

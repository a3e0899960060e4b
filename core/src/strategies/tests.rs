//! What every strategy must keep, for all of them at once.

use super::*;
use crate::address::Address;
use crate::critics;
use crate::dom::{Builder, LeafRange};
use crate::guide::Guide;
use crate::hops::{FeatureGroups, STATES, TrainingWeb};
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

/// A guide that has seen, marked and learned something, and links to score.
fn taught(strategy: &str) -> (Guide, Vec<Candidate>) {
    let mut guide = Guide::new("topic", strategy).unwrap();
    let mut rng = SplitMix(11);
    let pages = [
        (
            "http://a.org/1",
            "kidney dialysis patients blood",
            Some(Mark::Target),
        ),
        ("http://a.org/2", "railway trains timetable station", None),
        ("http://a.org/3", "kidney transplant railway blood", None),
    ];
    let mut links: Vec<Candidate> = Vec::new();
    for (address, words, mark) in pages {
        let via: Vec<Candidate> = links.iter().take(2).cloned().collect();
        let visit = guide.visit(&page(address, words), &via, mark, &mut rng);
        links.extend(visit.outlinks.into_iter().map(|(link, _)| link));
    }
    (guide, links)
}

#[test]
fn every_explanation_adds_up_to_the_score() {
    for name in names() {
        let (guide, links) = taught(name);
        for link in &links {
            let Some(priority) = guide.score(link).priority() else {
                continue;
            };
            let explanation = guide.explain(link);
            let gap = (explanation.value - priority.value()).abs();
            assert!(
                gap < 1e-5,
                "{name}: {explanation}score {}",
                priority.value()
            );
            for node in explanation.nodes() {
                let gap = (node.value - node.recomputed()).abs();
                assert!(gap < 1e-9, "{name}: {node}");
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
        if ["ensemble", "apprentice-plain", "intelligent"].contains(&name) {
            // Not kept: which pages link where, whether the first batch was full, siblings.
            guide = Guide::with_knowledge(guide.knowledge()).unwrap();
        }
        let again = Guide::with_knowledge(guide.knowledge()).unwrap();
        for link in &links {
            assert_eq!(guide.score(link), again.score(link), "{name}");
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
    let (guide, links) = taught("best-first-hard");
    let rejected = links
        .iter()
        .filter(|link| guide.score(link) == LinkScore::Reject);
    assert_eq!(rejected.count(), 4, "the links of the railway page alone");
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
    let empty = ChainWeights::new(STATES, web.dictionary.len(), false);
    let values = empty.values().iter().map(|_| 2.0 * rng.unit() - 1.0);
    let weights = ChainWeights::from_values(STATES, false, values.collect()).unwrap();
    let model = ChainModel { kind, weights };
    HopChain::new(
        model,
        web.dictionary,
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
            assert!((expected - priority.value()).abs() <= 0.0005 + 1e-12);
        }
        // Damage in the weights is found.
        let learned = guide.knowledge().learned;
        let terms = guide.graph().vocabulary.len();
        let broken: HopChain = learned.read(terms).unwrap().expect("the same strategy");
        let broken = broken.pruned(3);
        assert_eq!(broken.dictionary().len(), 3);
        assert_eq!(broken.model().weights.features(), 3);
    }
}

#[test]
fn beliefs_are_ordered_lexicographically_with_epsilon() {
    let above = |a: &[f64], b: &[f64]| HopChain::priority(a) > HopChain::priority(b);
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

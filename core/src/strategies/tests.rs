//! What every strategy must keep, for all of them at once.

use super::*;
use crate::address::Address;
use crate::dom::{Builder, LeafRange};
use crate::guide::Guide;
use crate::page::Page;
use crate::web_graph::Mark;

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
    let mut draw = SplitMix(11);
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
        let visit = guide.visit(&page(address, words), &via, mark, &mut draw);
        links.extend(visit.outlinks.into_iter().map(|(link, _)| link));
    }
    (guide, links)
}

#[test]
fn every_explanation_adds_up_to_the_score() {
    for name in NAMES {
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
    for name in NAMES {
        let (guide, links) = taught(name);
        // The critic is refreshed on loading, so the first loading may differ.
        let guide = Guide::with_knowledge(guide.knowledge()).unwrap();
        let again = Guide::with_knowledge(guide.knowledge()).unwrap();
        for link in &links {
            assert_eq!(guide.score(link), again.score(link), "{name}");
        }
    }
}

#[test]
fn names_are_their_own() {
    for name in NAMES {
        assert_eq!(named(name).unwrap().name(), name);
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

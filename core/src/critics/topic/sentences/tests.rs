use super::*;
use crate::critics::{Critic, Topic};
use crate::features::PageTerms;
use crate::text::TermId;
use crate::web_graph::{KnownPage, MarkedPage, Relevance};

fn address(name: &str) -> Address {
    Address::parse(&format!("http://a.test/{name}")).unwrap()
}

/// A graph of pages that the critic all finds as likely, and their vectors.
fn graph(pages: &[(&str, Option<Mark>, [f32; 3])]) -> (WebGraph, SentenceVectors) {
    let mut graph = WebGraph::default();
    let mut vectors = SentenceVectors::default();
    for (name, mark, vector) in pages {
        let terms = PageTerms::counted([TermId(0)]);
        let judgment = Judgment {
            relevance: Relevance::new(0.3),
            log_odds: 0.7,
            ..Judgment::default()
        };
        graph.remember(KnownPage {
            address: address(name),
            judgment,
            unmarked: judgment,
            counted: false,
            terms: terms.clone(),
        });
        if let Some(mark) = *mark {
            graph
                .marks
                .insert(address(name), MarkedPage { mark, terms });
        }
        vectors.pages.insert(address(name), unit(vector.to_vec()));
    }
    (graph, vectors)
}

fn relevance(judged: &[(Address, Judgment)], name: &str) -> f64 {
    let row = judged.iter().find(|row| row.0 == address(name));
    row.unwrap().1.relevance.value()
}

const WEB: [(&str, Option<Mark>, [f32; 3]); 5] = [
    ("target", Some(Mark::Target), [1.0, 0.1, 0.0]),
    ("near", None, [1.0, 0.2, 0.1]),
    ("far", None, [0.0, 1.0, 0.2]),
    ("farther", None, [0.1, 1.0, 0.0]),
    ("named", None, [0.0, 0.2, 1.0]),
];

#[test]
fn pages_near_the_targets_or_the_name_gain() {
    let (graph, mut vectors) = graph(&WEB);
    let judged = vectors.judge(&graph);
    assert_eq!(judged.len(), 4, "all but the marked one");
    assert!(relevance(&judged, "near") > 0.5, "{judged:?}");
    assert!(relevance(&judged, "far") < 0.2, "{judged:?}");
    assert!(relevance(&judged, "named") < 0.2, "{judged:?}");
    assert_eq!(
        judged[0].1.log_odds, 0.7,
        "what it says else is the critic's"
    );
    vectors.name = Some(vec![0.0, 0.0, 1.0]);
    let judged = vectors.judge(&graph);
    assert!(relevance(&judged, "named") > 0.5, "{judged:?}");
    assert!(relevance(&judged, "far") < 0.2, "{judged:?}");
}

#[test]
fn words_that_the_topic_is_not_take_away_where_they_are_nearer() {
    let (mut graph, vectors) = graph(&WEB);
    graph.topic_name = "near".to_owned();
    let axes = |text: &str| match text {
        "near" => Some(vec![1.0, 0.0, 0.0]),
        "named" => Some(vec![0.0, 0.0, 1.0]),
        _ => None,
    };
    let all = |texts: &[&str]| texts.iter().map(|text| axes(text)).collect();
    let judge = |graph: &WebGraph| {
        let vectors = SentenceVectors {
            pages: vectors.pages.clone(),
            ..SentenceVectors::of_topic(graph, &all)
        };
        vectors.judge(graph)
    };
    let before = judge(&graph);
    graph.phrases.insert("named".to_owned(), false);
    graph.phrases.insert("without a vector".to_owned(), true);
    let not_named = judge(&graph);
    assert!(relevance(&not_named, "named") < 0.5 * relevance(&before, "named"));
    assert_eq!(relevance(&not_named, "near"), relevance(&before, "near"));
    graph.phrases.insert("named".to_owned(), true);
    assert!(relevance(&judge(&graph), "named") > relevance(&before, "named"));
}

#[test]
fn not_this_takes_away_only_where_it_is_nearer() {
    let (mut graph, vectors) = graph(&WEB);
    let before = vectors.judge(&graph);
    let terms = PageTerms::counted([TermId(0)]);
    let not_this = MarkedPage {
        mark: Mark::NotTarget,
        terms,
    };
    graph.marks.insert(address("farther"), not_this);
    let after = vectors.judge(&graph);
    assert!(relevance(&after, "far") < relevance(&before, "far"));
    assert!(relevance(&after, "near") > 0.5);
}

#[test]
fn without_a_target_or_a_name_nothing_is_said() {
    let (mut graph, mut vectors) = graph(&WEB);
    vectors.pages.remove(&address("target"));
    assert!(vectors.judge(&graph).is_empty());
    graph.marks.clear();
    assert!(vectors.judge(&graph).is_empty());
    vectors.name = Some(vec![0.0, 0.0, 1.0]);
    assert_eq!(vectors.judge(&graph).len(), 4);
}

#[test]
fn a_page_without_a_vector_or_without_words_stays_as_it_is() {
    let (mut graph, mut vectors) = graph(&WEB);
    vectors.pages.remove(&address("near"));
    let mut silent = graph.page(&address("far")).unwrap().clone();
    silent.terms = PageTerms::default();
    graph.remember(silent);
    let judged: Vec<Address> = vectors.judge(&graph).into_iter().map(|row| row.0).collect();
    assert_eq!(judged, [address("farther"), address("named")]);
}

#[test]
fn of_a_large_crawl_the_likeliest_and_some_others_are_wanted() {
    let (mut graph, _) = graph(&WEB[..1]);
    let count = 2 * MOST_JUDGED;
    for number in 0..count {
        let judgment = Judgment {
            relevance: Relevance::new(number as f64 / count as f64),
            ..Judgment::default()
        };
        graph.remember(KnownPage {
            address: address(&format!("page{number}")),
            judgment,
            unmarked: judgment,
            counted: false,
            terms: PageTerms::counted([TermId(0)]),
        });
    }
    let wanted = SentenceVectors::pages_wanted(&graph);
    assert_eq!(wanted[..2], [address("target"), address("page999")]);
    assert_eq!(wanted.len(), 1 + MOST_JUDGED + MOST_OTHERS);
    assert!(wanted.contains(&address(&format!("page{}", count - MOST_JUDGED))));
}

#[test]
fn it_is_the_topic_critic_whose_word_is_joined() {
    assert!(Topic::default().goes_by_meaning());
    let (graph, vectors) = graph(&WEB);
    let mut surer = graph.clone();
    surer.rejudge(|page| Judgment {
        relevance: Relevance::new(0.9),
        ..page.unmarked
    });
    let (usual, surer) = (vectors.judge(&graph), vectors.judge(&surer));
    assert!(relevance(&surer, "far") > relevance(&usual, "far"));
}

use super::*;
use crate::address::Address;
use crate::critics;
use crate::features::PageTerms;
use crate::strategies::{Operation, Relevance, Step, Trail, from_state};
use crate::topic_model::TopicModel;
use crate::web_graph::{Judgment, WebGraph};
use crate::wire::{read_model, write_model};

fn address(path: &str) -> Address {
    Address::parse(&format!("http://a.test/{path}")).unwrap()
}

/// A page with these words; good or not.
fn see(graph: &mut WebGraph, path: &str, words: &[&str], is_target: bool) {
    let ids = words
        .iter()
        .map(|word| graph.vocabulary.intern(word, word).unwrap());
    let mut rows: Vec<(TermId, u32)> = ids.map(|id| (id, 1)).collect();
    rows.sort_unstable();
    let judgment = Judgment {
        is_target,
        ..Judgment::default()
    };
    graph.remember(KnownPage {
        address: address(path),
        judgment,
        unmarked: judgment,
        counted: true,
        terms: PageTerms::from_rows(rows),
    });
}

fn link(from: &str, to: &str) -> Candidate {
    let step = Step {
        address: address(from),
        relevance: Relevance::default(),
    };
    Candidate {
        trail: Trail::default().then(step),
        ..Candidate::seed(address(to))
    }
}

/// 100 pages, 20 of them good; of 15 behind pages with “bees” 10 were, of 9 behind pages
/// with “hive” 6, and of 12 with “x” in their address 8.
fn counted(form: Form, graph: &WebGraph) -> Intelligent {
    let counts = |seen, held| Counts { seen, held };
    let term = |word: &str| graph.vocabulary.id(word).unwrap();
    let words = [
        (term("bees"), counts(15.0, 10.0)),
        (term("hive"), counts(9.0, 6.0)),
    ];
    Intelligent::new(form).with_counts(IntelligentCounts {
        words: words.into_iter().collect(),
        tokens: [("x".into(), counts(12.0, 8.0))].into_iter().collect(),
        links: [counts(80.0, 8.0), counts(20.0, 12.0)],
        all: counts(100.0, 20.0),
    })
}

/// `P(C)` of [`counted`], by half a page.
const BASE_RATE: f64 = 20.5 / 101.0;

fn ratio(seen: f64, held: f64) -> f64 {
    (held + 5.0 * BASE_RATE) / (seen + 5.0) / BASE_RATE
}

fn value_of(explanation: &Explanation, label: &str) -> f64 {
    let node = explanation.nodes().find(|node| node.label == label);
    node.unwrap_or_else(|| panic!("{label}: {explanation}"))
        .value
}

#[test]
fn ratios_that_are_shown_are_true_and_what_damps_them_stands_beside() {
    let mut graph = WebGraph::default();
    see(&mut graph, "from", &["bees", "hive"], true);
    let critic = critics::Topic::default();
    let known = Known {
        graph: &graph,
        critic: &critic,
    };
    let (bees, hive) = (ratio(15.0, 10.0), ratio(9.0, 6.0));
    let (token, from_target) = (ratio(12.0, 8.0), ratio(20.0, 12.0));
    let by_hand = (bees.ln() + hive.ln()) / 2f64.sqrt() + token.ln() + from_target.ln();
    let strategy = counted(Form::ALL, &graph);
    let to_x = link("from", "x");
    let score = strategy.score(std::slice::from_ref(&to_x), known)[0];
    let score = score.priority().unwrap().value();
    assert!((score - by_hand).abs() < 1e-12, "{score} {by_hand}");
    let explanation = strategy.explain(&to_x, known);
    assert!((explanation.value - by_hand).abs() < 1e-12, "{explanation}");
    for (shown, true_ratio) in [
        (
            "interest ratio; 10 of 15 pages were what is looked for",
            bees,
        ),
        ("interest ratio; 6 of 9 pages were what is looked for", hive),
        (
            "interest ratio; 8 of 12 pages were what is looked for",
            token,
        ),
        (
            "interest ratio; 12 of 20 pages were what is looked for",
            from_target,
        ),
    ] {
        assert!(
            (value_of(&explanation, shown) - true_ratio).abs() < 1e-12,
            "{shown}"
        );
    }
    let nodes = explanation
        .nodes()
        .filter(|node| node.operation == Operation::Quotient);
    let roots: Vec<f64> = nodes.map(|node| node.parts[1].value).collect();
    assert_eq!(roots, [1.0, 2f64.sqrt()]);
    // “bees” has a ratio of 2.97, the token of 2.62 counts more: its root is 1.
    let said = strategy.describe(Subject::Link(&to_x), known).unwrap();
    assert_eq!(said, format!("URL token x: {token:.1} times the base rate"));
}

#[test]
fn a_single_factor_is_all_that_counts() {
    let mut graph = WebGraph::default();
    see(&mut graph, "from", &["bees", "hive"], true);
    let critic = critics::Topic::default();
    let known = Known {
        graph: &graph,
        critic: &critic,
    };
    let words = (ratio(15.0, 10.0).ln() + ratio(9.0, 6.0).ln()) / 2f64.sqrt();
    let mut taught = counted(Form::SIBLING, &graph);
    // Of two links of the page that were followed one led to what is looked for.
    let siblings = Counts {
        seen: 2.0,
        held: 1.0,
    };
    taught.siblings.keep(address("from"), siblings);
    let sibling = (6.0 / (2.0 * BASE_RATE + 5.0)).ln();
    for (strategy, by_hand) in [
        (counted(Form::CONTENT, &graph), words),
        (counted(Form::URL, &graph), ratio(12.0, 8.0).ln()),
        (counted(Form::LINK, &graph), ratio(20.0, 12.0).ln()),
        (taught, sibling),
    ] {
        let to_x = link("from", "x");
        let score = strategy.score(std::slice::from_ref(&to_x), known)[0];
        let name = strategy.profile().name;
        let value = score.priority().unwrap().value();
        assert!((value - by_hand).abs() < 1e-12, "{name}: {value} {by_hand}");
        assert!((strategy.explain(&to_x, known).value - by_hand).abs() < 1e-12);
    }
}

#[test]
fn factors_weigh_as_they_were_told_and_the_model_file_keeps_the_weights() {
    let mut graph = WebGraph::default();
    graph.vocabulary.intern("bees", "bees");
    graph.vocabulary.intern("hive", "hive");
    see(&mut graph, "from", &["bees", "hive"], true);
    let critic = critics::Topic::default();
    let known = Known {
        graph: &graph,
        critic: &critic,
    };
    let to_x = link("from", "x");
    let value = |strategy: &dyn Strategy| {
        let score = strategy.score(std::slice::from_ref(&to_x), known)[0];
        score.priority().unwrap().value()
    };
    let [content, url, linked] =
        [Form::CONTENT, Form::URL, Form::LINK].map(|form| value(&counted(form, &graph)));
    let name = "intelligent:content=2,url=0.5,link=1,sibling=0";
    let weighted = counted(Form::weighted(name).unwrap(), &graph);
    let expected = 2.0 * content + 0.5 * url + linked;
    assert!((value(&weighted) - expected).abs() < 1e-12);
    assert!((weighted.explain(&to_x, known).value - expected).abs() < 1e-12);
    let mut topic_model = TopicModel::new("topic", name).unwrap();
    for _ in 0..2 {
        assert_eq!(
            (
                topic_model.strategy().profile().name,
                &*topic_model.strategy().full_name()
            ),
            ("intelligent", name)
        );
        let file = write_model(&topic_model.knowledge()).unwrap();
        topic_model = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
    }
    let again = from_state(name, &weighted.state(), graph.vocabulary.len()).unwrap();
    assert!((value(&*again.unwrap()) - expected).abs() < 1e-12);
    assert!(TopicModel::new("topic", "intelligent:words=1").is_none());
}

/// 20 pages link to one, 5 of them good: the frontier keeps few of the links, and all count.
#[test]
fn all_inlinks_count_whatever_the_frontier_keeps() {
    let mut graph = WebGraph::default();
    graph.vocabulary.intern("bees", "bees");
    graph.vocabulary.intern("hive", "hive");
    let paths: Vec<String> = (0..20).map(|number| format!("hub{number}")).collect();
    for (number, path) in paths.iter().enumerate() {
        see(&mut graph, path, &["hive"], number < 5);
        graph.read_links(&address(path), [address("y")].iter());
    }
    let critic = critics::Topic::default();
    let known = Known {
        graph: &graph,
        critic: &critic,
    };
    let (good, other) = (ratio(20.0, 12.0), ratio(80.0, 8.0));
    let hive = ratio(9.0, 6.0);
    let product = 5.0 * good.ln() + 15.0 * other.ln() + 20.0 * hive.ln();
    let strategy = counted(Form::PRODUCT, &graph);
    assert!(strategy.profile().reading.backlinks);
    let to_y = link("hub7", "y");
    let score = strategy.score(std::slice::from_ref(&to_y), known)[0];
    let score = score.priority().unwrap().value();
    assert!((score - product).abs() < 1e-9, "{score} {product}");
    let explanation = strategy.explain(&to_y, known);
    assert!((explanation.value - product).abs() < 1e-9, "{explanation}");
    assert!(
        explanation
            .to_string()
            .contains("pages known to link there: 20")
    );
    // What one of them led to is learned of every page that links there.
    let mut strategy = strategy;
    let arrival = Arrival {
        via: std::slice::from_ref(&to_y),
        judgment: Judgment {
            is_target: true,
            ..Judgment::default()
        },
    };
    strategy.learn(&Event::Arrival(arrival), known);
    assert_eq!(strategy.counts.links[0].seen, 95.0);
    assert_eq!(strategy.counts.links[1].held, 17.0);
    let hive = graph.vocabulary.id("hive").unwrap();
    assert_eq!(
        strategy.counts.words[&hive].seen, 10.0,
        "one page more, not twenty"
    );
}

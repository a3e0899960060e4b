use super::*;
use crate::critics::taxonomy::ClassPage;
use crate::critics::{CriticError, Sources, as_kept, described};
use crate::dom::{Builder, LeafRange};
use crate::strategies::SplitMix;
use crate::topic_model::{ToForget, TopicModel};
use crate::web_graph::Mark;
use crate::wire::{read_model, write_model};

fn page(at: &str, text: &str, link: &str) -> Page {
    let mut builder = Builder::new();
    builder.leaf(text);
    let first = builder.next_leaf();
    builder.leaf("more");
    let end = builder.next_leaf();
    builder.link(link, LeafRange { first, end });
    let address = Address::parse(at).unwrap();
    Page::new(address, builder.finish().unwrap())
}

const TEXTS: [(&str, &str, [&str; 4]); 3] = [
    (
        "Science/Bees",
        "bees",
        ["pollen nest", "queen hive", "swarm pollen", "nest wing"],
    ),
    (
        "Science/Wasps",
        "wasps",
        ["paper nest", "sting wing", "queen sting", "paper wing"],
    ),
    (
        "Shopping",
        "shop",
        ["price basket", "offer honey", "basket offer", "price honey"],
    ),
];

fn taxonomy() -> Arc<Taxonomy> {
    let classes = TEXTS.iter().map(|(name, all, texts)| {
        let pages = texts.iter().zip(0..).map(|(text, number)| {
            let at = format!("http://{all}.test/{number}");
            let page = page(&at, &format!("{all} {all} {text}"), "/x");
            ClassPage {
                address: Some(page.address.clone()),
                words: page.heaviest_words(HEAVIEST_TERMS),
            }
        });
        ((*name).to_owned(), pages.collect())
    });
    Arc::new(Taxonomy::of(classes.collect()).unwrap().0)
}

fn topic_model(good: &[&str], strategy: &str) -> TopicModel {
    let mut knowledge = TopicModel::new("topic", strategy).unwrap().knowledge();
    let good: Vec<String> = good.iter().map(ToString::to_string).collect();
    knowledge.critic = by_class(&good);
    knowledge.sources.taxonomy = Some(taxonomy());
    TopicModel::with_knowledge(knowledge).unwrap()
}

const WILD: &str = "wild bees carry pollen to the nest of the queen";

#[test]
fn relevance_is_the_sum_over_good_classes_and_targets_go_by_the_likeliest() {
    let wild = page("http://new.test/", WILD, "/x");
    let all = topic_model(&["Science"], "best-first");
    let shares = all.classes(&wild);
    assert_eq!(shares[0].0, "Science/Bees");
    let share = |topic_model: &TopicModel| topic_model.judge(&wild).relevance.value();
    let (bees, wasps) = (
        topic_model(&["Science/Bees"], "best-first"),
        topic_model(&["Science/Wasps"], "best-first"),
    );
    let (both, shop) = (
        share(&all),
        share(&topic_model(&["Shopping"], "best-first")),
    );
    assert!((share(&bees) + share(&wasps) - both).abs() < 1e-12);
    assert!((both + shop - 1.0).abs() < 1e-12);
    assert!((shares[0].1 - share(&bees)).abs() < 1e-12);
    assert!(bees.judge(&wild).is_target && !wasps.judge(&wild).is_target);
    assert!(all.judge(&wild).is_target, "below a good node");
    // Nothing said: nothing good.
    let empty = page("http://empty.test/", "", "/x");
    assert_eq!(all.judge(&empty).relevance.value(), 0.0);
    assert_eq!(share(&topic_model(&[], "best-first")), 0.0);
}

#[test]
fn links_of_other_classes_are_left_in_hard_focus() {
    let mut rng = SplitMix(1);
    let wasps = "wasps sting from a paper nest";
    let wasps = page("http://new.test/w", wasps, "/y");
    let bees = page("http://new.test/b", WILD, "/z");
    for (strategy, kept) in [("best-first", 1), ("best-first-hard", 0)] {
        let mut topic_model = topic_model(&["Science/Bees"], strategy);
        let of_bees = topic_model.visit(&bees, &[], None, &mut rng).outlinks;
        let of_wasps = topic_model.visit(&wasps, &[], None, &mut rng).outlinks;
        assert!(of_bees[0].1.priority().is_some());
        let followed = of_wasps.iter().filter(|link| link.1.priority().is_some());
        assert_eq!(followed.count(), kept, "{strategy}");
    }
}

#[test]
fn a_corrected_class_wins_is_learned_from_and_taken_back_without_trace() {
    let mut rng = SplitMix(1);
    let mut topic_model = topic_model(&["Science/Bees"], "best-first");
    let text = |number: u32| format!("offer {number} of mead and comb honey in jars");
    let first = page("http://keeper.test/1", &text(1), "/x");
    let second = page("http://keeper.test/2", &text(2), "/x");
    let visit = topic_model.visit(&first, &[], None, &mut rng);
    assert_eq!(
        (visit.class.as_str(), visit.judgment.is_target),
        ("Shopping", false)
    );
    let before = topic_model.judge(&second).relevance.value();
    let judged_before = topic_model.graph().judgment(&first.address);
    let terms = topic_model
        .graph()
        .page(&first.address)
        .unwrap()
        .terms
        .clone();
    let correct = |topic_model: &mut TopicModel, class: Option<&str>| {
        let class = class.map(ToOwned::to_owned);
        topic_model.correct_classes([(first.address.clone(), terms.clone(), class)])
    };
    assert!(correct(&mut topic_model, Some("Science/Bees")));
    assert!(
        !correct(&mut topic_model, Some("Science/Bees")),
        "said before"
    );
    assert!(topic_model.graph().judgment(&first.address).is_target);
    assert_eq!(
        topic_model.classes(&first),
        [("Science/Bees".to_owned(), 1.0)]
    );
    assert!(topic_model.judge(&first).relevance.value() == 1.0);
    let after = topic_model.judge(&second).relevance.value();
    assert!(after > before + 0.1, "others like it: {before} {after}");
    // A mark is above the class.
    topic_model.mark(&first, Some(Mark::NotTarget));
    assert!(!topic_model.judge(&first).is_target);
    topic_model.mark(&first, None);
    assert!(correct(&mut topic_model, None));
    assert_eq!(
        topic_model.judge(&second).relevance.value().to_bits(),
        before.to_bits()
    );
    assert_eq!(topic_model.graph().judgment(&first.address), judged_before);
}

#[test]
fn taxonomy_and_corrections_travel_in_the_model_file_and_can_be_forgotten() {
    let mut rng = SplitMix(1);
    let mut topic_model = topic_model(&["Science/Bees"], "apprentice-classes");
    let canary = page("http://keeper.test/canary", "offer of canary mead", "/x");
    topic_model.visit(&canary, &[], None, &mut rng);
    let terms = topic_model
        .graph()
        .page(&canary.address)
        .unwrap()
        .terms
        .clone();
    let class = Some("Science/Bees".to_owned());
    topic_model.correct_classes([(canary.address.clone(), terms, class)]);
    let file = write_model(&topic_model.knowledge()).unwrap();
    let again = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
    let new = page("http://new.test/", WILD, "/x");
    assert_eq!(again.judge(&new), topic_model.judge(&new));
    assert_eq!(again.classes(&canary), topic_model.classes(&canary));
    assert_eq!(again.critic().name(), "taxonomy \"Science/Bees\"");
    let trimmed = TopicModel::with_knowledge(topic_model.knowledge().trimmed(10, 10)).unwrap();
    assert_eq!(trimmed.judge(&new), topic_model.judge(&new), "in a browser");
    let mut gone = ToForget::default();
    gone.pages.insert(canary.address.clone());
    gone.pages
        .insert(Address::parse("http://bees.test/0").unwrap());
    assert!(topic_model.knowledge().mentions(&gone));
    let left = topic_model.knowledge().forget(&gone);
    assert!(!left.mentions(&gone));
    let file = write_model(&TopicModel::with_knowledge(left).unwrap().knowledge()).unwrap();
    for word in ["canary", "bees.test/0"] {
        let has = file.windows(word.len()).any(|part| part == word.as_bytes());
        assert!(!has, "{word}");
    }
}

/// \[A\] 3.8: the class of the page with the link and those above it are features.
#[test]
fn the_apprentice_is_given_classes_and_the_nodes_above_them() {
    let mut rng = SplitMix(1);
    let names = |strategy: &str, rng: &mut SplitMix| -> Vec<String> {
        let mut topic_model = topic_model(&["Science"], strategy);
        let page = page("http://new.test/", WILD, "/x");
        let link = topic_model.visit(&page, &[], None, rng).outlinks[0]
            .0
            .clone();
        let of_page = link
            .context
            .features()
            .iter()
            .filter(|row| row.is_of_page());
        let words = &topic_model.graph().vocabulary;
        let mut names: Vec<String> = of_page
            .map(|row| words.term(row.term()).to_owned())
            .collect();
        names.dedup();
        names
    };
    assert!(names("apprentice", &mut rng).is_empty());
    let of_page = names("apprentice-classes", &mut rng);
    for name in ["class Science", "class Science/Bees"] {
        assert!(of_page.iter().any(|known| known == name), "{of_page:?}");
    }
}

#[test]
fn good_nodes_are_written_and_read_back_and_what_is_missing_is_said() {
    let nodes = vec!["A \"b\" \\c".to_owned(), "Science/Bees".to_owned()];
    let written = by_class(&nodes);
    assert_eq!(good_nodes(&written), Some(Ok(nodes)));
    assert_eq!(good_nodes("taxonomy"), Some(Ok(Vec::new())));
    assert!(good_nodes("topic").is_none() && good_nodes("taxonomyx").is_none());
    assert_eq!(
        as_kept(" taxonomy  \"B\" \"A\" \"B\"").unwrap(),
        "taxonomy \"A\" \"B\""
    );
    for (wrong, position) in [("taxonomy Bees", 10), ("taxonomy \"Bees", 10)] {
        let error = good_nodes(wrong).unwrap().unwrap_err();
        assert_eq!(error.position, position, "{error}");
    }
    let missing = described("taxonomy \"A\"", Sources::default());
    assert!(matches!(missing, Err(CriticError::NoTaxonomy)));
}

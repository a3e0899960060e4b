use super::*;
use crate::address::Address;
use crate::dom::{Builder, LeafRange};
use crate::features::OffsetTerm;
use crate::models::TwoClassCounts;
use crate::page::Page;
use crate::strategies::{EnsembleState, IntelligentCounts, LinkScore, SplitMix, StrategyState};
use crate::text::TermId;
use crate::topic_model::ToForget;
use crate::web_graph::Mark;
use crate::wire::{read_model, write_model};

fn page(address: &str, text: &str, links: &[(&str, &str)]) -> Page {
    let mut builder = Builder::new();
    builder.title(text);
    builder.leaf(text);
    for (href, anchor) in links {
        let first = builder.next_leaf();
        builder.leaf(anchor);
        let end = builder.next_leaf();
        builder.link(href, LeafRange { first, end });
    }
    Page::new(Address::parse(address).unwrap(), builder.finish().unwrap())
}

/// A topic model that followed links with the word “archive” to pages of which its condition holds,
/// and links with the word “imprint” to others.
fn taught(strategy: &str) -> TopicModel {
    let mut topic_model = TopicModel::new(r#"text has "locomotive""#, strategy).unwrap();
    let rng = &mut SplitMix(1);
    for number in 0..30 {
        let (host, good) = (format!("http://trains{number}.test"), number % 2 == 0);
        let anchor = if good { "archive" } else { "imprint" };
        let hub = page(&format!("{host}/"), "railways", &[("/next", anchor)]);
        let links = topic_model.visit(&hub, &[], None, rng).outlinks;
        let text = if good { "locomotive" } else { "nothing" };
        let next = page(&format!("{host}/next"), text, &[]);
        topic_model.visit(&next, &[links[0].0.clone()], None, rng);
    }
    topic_model
}

/// Scores of a link with the word “archive” and of one with “imprint”, on a page of bees.
fn scores(topic_model: &mut TopicModel) -> [Priority; 2] {
    let links = [("/1", "archive"), ("/2", "imprint")];
    let hub = page("http://bees.test/", "hives and honey", &links);
    let visit = topic_model.visit(&hub, &[], None, &mut SplitMix(2));
    let score = |place: usize| match visit.outlinks[place].1 {
        LinkScore::Follow(priority) => priority,
        LinkScore::Reject => panic!("rejected"),
    };
    [score(0), score(1)]
}

fn bees(strategy: &str) -> TopicModel {
    let mut topic_model = TopicModel::new(r#"text has "honey""#, strategy).unwrap();
    // Words have other numbers here.
    for word in ["wax", "imprint", "hives"] {
        topic_model.vocabulary_mut().intern(word, word);
    }
    topic_model
}

#[test]
fn what_one_topic_learned_orders_the_links_of_another() {
    for strategy in ["apprentice", "apprentice-plain", "ensemble"] {
        let [archive, imprint] = scores(&mut bees(strategy));
        assert_eq!(archive.value(), imprint.value(), "{strategy} knows nothing");
        let mut topic_model = bees(strategy);
        let taught = topic_model.begin_with("trains", taught(strategy).knowledge());
        assert!(taught.unwrap().near_links >= 2);
        let [archive, imprint] = scores(&mut topic_model);
        assert!(archive > imprint, "{strategy}: {archive:?} {imprint:?}");
        assert_eq!(topic_model.beginning().unwrap().topic, "trains");
    }
}

#[test]
fn words_are_told_by_their_term_and_speak_for_few_pages() {
    let teacher = taught("ensemble");
    let mut topic_model = bees("ensemble");
    let counts = topic_model
        .begin_with("trains", teacher.knowledge())
        .unwrap();
    let learned = &topic_model.beginning().unwrap().learned;
    let terms = topic_model.graph().vocabulary.len();
    let near: TwoClassCounts = learned.read(terms).unwrap().unwrap();
    let before: TwoClassCounts = {
        let terms = teacher.graph().vocabulary.len();
        teacher.strategy().state().read(terms).unwrap().unwrap()
    };
    // 30 links are few: they count in full.
    assert_eq!(near.instances(), before.instances());
    assert_eq!(near.len(), counts.near_links);
    for (bits, count) in before.rows().0 {
        let feature = OffsetTerm::from_bits(bits);
        let term = teacher.graph().vocabulary.term(feature.term());
        let id = topic_model.graph().vocabulary.id(term).unwrap();
        let here = near.feature(OffsetTerm::new(id, feature.offset()).to_bits());
        assert_eq!(here, count, "{term}");
    }
    let ratios: IntelligentCounts = learned.read(terms).unwrap().unwrap();
    assert_eq!(ratios.all.seen, 30.0);
    let own: EnsembleState = learned.read(terms).unwrap().unwrap();
    assert!(
        own.groups.sites.is_empty(),
        "sites are those of the other topic"
    );
    assert_eq!(own.groups.all.pages, 30.0);
    assert!(own.weights.len() > 5);

    // 2,000 pages, 500 of them held, 400 of 1,000 behind “wax”: as 200, 50, 40 of 100.
    let mut knowledge = bees("intelligent").knowledge();
    let pair = |seen, held| strategies::Counts { seen, held };
    let mut many = IntelligentCounts {
        all: pair(2_000.0, 500.0),
        ..IntelligentCounts::default()
    };
    many.words.insert(TermId(0), pair(1_000.0, 400.0));
    many.tokens.insert("wax".into(), pair(10.0, 5.0));
    knowledge.learned = StrategyState::of(&many);
    let mut topic_model = TopicModel::new("topic", "intelligent").unwrap();
    topic_model.vocabulary_mut().intern("other", "other");
    topic_model.begin_with("bees", knowledge).unwrap();
    let read: IntelligentCounts = {
        let terms = topic_model.graph().vocabulary.len();
        topic_model.strategy().state().read(terms).unwrap().unwrap()
    };
    let wax = topic_model.graph().vocabulary.id("wax").unwrap();
    assert_ne!(wax, TermId(0));
    assert_eq!(read.all, pair(200.0, 50.0));
    assert_eq!(read.words[&wax], pair(100.0, 40.0));
    assert_eq!(read.tokens["wax"], pair(1.0, 0.5));
}

#[test]
fn it_stays_below_what_is_learned_and_goes_where_pages_are_forgotten() {
    let mut topic_model = bees("apprentice");
    topic_model
        .begin_with("trains", taught("ensemble").knowledge())
        .unwrap();
    let before = scores(&mut topic_model);
    // A mark makes all be learned again from the log.
    let hub = page("http://bees.test/hub", "hives and honey", &[]);
    topic_model.mark(&hub, Some(Mark::Target));
    topic_model.mark(&hub, None);
    assert_eq!(scores(&mut topic_model), before);
    let file = write_model(&topic_model.knowledge()).unwrap();
    let mut again = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
    assert_eq!(again.beginning(), topic_model.beginning());
    again.mark(&hub, Some(Mark::Target));
    again.mark(&hub, None);
    assert_eq!(scores(&mut again), before);

    let mut gone = ToForget::default();
    gone.pages
        .insert(Address::parse("http://trains0.test/").unwrap());
    let knowledge = topic_model.knowledge();
    assert!(knowledge.mentions(&gone), "nobody can tell");
    let mut after = TopicModel::with_knowledge(knowledge.forget(&gone)).unwrap();
    assert_eq!(after.beginning(), None);
    let [archive, imprint] = scores(&mut after);
    assert_eq!(archive.value(), imprint.value());
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let refused = |topic_model: &mut TopicModel, knowledge| {
        let error = topic_model.begin_with("trains", knowledge).unwrap_err();
        assert_eq!(topic_model.beginning(), None);
        error.to_string()
    };
    let mut topic_model = TopicModel::new("topic", "breadth-first").unwrap();
    let said = refused(&mut topic_model, taught("apprentice").knowledge());
    assert!(
        said.starts_with("“breadth-first” takes in nothing"),
        "{said}"
    );
    let mut topic_model = bees("apprentice");
    let nothing = TopicModel::new("topic", "ensemble").unwrap().knowledge();
    let said = refused(&mut topic_model, nothing);
    assert!(said.contains("nothing was learned for “trains”"), "{said}");
    // Damage in it is found where a file is read.
    topic_model
        .begin_with("trains", taught("apprentice").knowledge())
        .unwrap();
    let mut knowledge = topic_model.knowledge();
    let beginning = knowledge.beginning.as_mut().unwrap();
    beginning.learned = beginning
        .learned
        .clone()
        .with_part("apprentice", vec![255; 9]);
    assert!(read_model(&write_model(&knowledge).unwrap()).is_err());
}

#[test]
fn what_it_was_worth_is_told_by_pairs_of_links() {
    let mut topic_model = bees("apprentice");
    assert_eq!(topic_model.worth_of_beginning(), None);
    topic_model
        .begin_with("trains", taught("apprentice").knowledge())
        .unwrap();
    assert_eq!(
        topic_model.worth_of_beginning(),
        None,
        "nothing was followed"
    );
    let anchors = ["archive", "imprint", "archive", "imprint"];
    let texts = ["honey", "nothing", "nothing", "nothing"];
    let rng = &mut SplitMix(4);
    for (number, (anchor, text)) in anchors.into_iter().zip(texts).enumerate() {
        let path = format!("/{number}");
        let hub = page(
            &format!("http://b{number}.test/"),
            "hives",
            &[(path.as_str(), anchor)],
        );
        let links = topic_model.visit(&hub, &[], None, rng).outlinks;
        let next = page(&format!("http://b{number}.test{path}"), text, &[]);
        topic_model.visit(&next, &[links[0].0.clone()], None, rng);
    }
    let worth = topic_model.worth_of_beginning().unwrap();
    assert_eq!((worth.links, worth.good), (4, 1));
    // The good link has “archive”: above both with “imprint”, and as good as the other.
    let (with, without) = worth.order.unwrap();
    assert!((with - 2.5 / 3.0).abs() < 1e-12, "{worth:?}");
    assert!((without - 0.5).abs() < 1e-12, "{worth:?}");
    let said = worth.to_string();
    assert!(
        said.contains("83 times in 100") && said.contains("without it 50"),
        "{said}"
    );
}

//! Classes of pages in a world in memory: a topic whose taxonomy comes from the companion.

use std::collections::BTreeMap;
use std::sync::Arc;

use linkscent_core::critics::taxonomy::ClassPage;
use linkscent_core::critics::{Sources, Taxonomy, by_class, described};
use linkscent_core::strategies;
use linkscent_core::text::Vocabulary;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::EventKind;
use linkscent_core::wire::{Snapshot, write_model};

use crate::fakes::companion::{CODE, PORT};
use crate::fakes::{Stage, page};
use crate::problem::Problem;
use crate::request::Request;

const BEES: &str = "Bees in the hive make honey from pollen.";
const TRAINS: &str = "Railway trains stop at stations.";

fn bees() -> Snapshot {
    page("http://bees.test/", "Hives", BEES, &[])
}

fn trains() -> Snapshot {
    page("http://trains.test/", "Stations", TRAINS, &[])
}

/// A model by the classes of two kinds of pages, of which bees are good.
fn model() -> Vec<u8> {
    let of = |text: &Snapshot| {
        let words = text.to_page().unwrap().heaviest_words(50);
        let one = |_| ClassPage {
            address: None,
            words: words.clone(),
        };
        (0..6).map(one).collect()
    };
    let classes = BTreeMap::from([
        ("Science/Bees".to_owned(), of(&bees())),
        ("Travel/Trains".to_owned(), of(&trains())),
    ]);
    let (taxonomy, _) = Taxonomy::of(classes).unwrap();
    let sources = Sources {
        taxonomy: Some(Arc::new(taxonomy)),
        ..Sources::default()
    };
    let critic = described(&by_class(&["Science".to_owned()]), sources).unwrap();
    let strategy = strategies::named(strategies::default_name()).unwrap();
    let topic_model = TopicModel::joining(critic, strategy, Vocabulary::default());
    write_model(&topic_model.knowledge()).unwrap()
}

/// A browser that has taken the model from the companion.
fn stage() -> Stage {
    let mut stage = Stage::with_topic("bees");
    stage.world.companion.borrow_mut().model = Some((model(), 3));
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
    stage
}

fn correct(stage: &mut Stage, tab: i32, class: Option<&str>) -> Result<(), Problem> {
    let class = class.map(str::to_owned);
    stage.own(Request::CorrectClass { tab, class }).map(drop)
}

#[test]
fn a_page_shows_its_class_and_the_person_corrects_it() {
    let mut stage = stage();
    stage.open(7, &trains());
    let state = stage.state(7);
    let line = state.class.unwrap();
    assert_eq!(line.class.as_deref(), Some("Travel/Trains"));
    assert!(line.share > 0.5 && !line.is_corrected, "{line:?}");
    assert_eq!(line.all, ["Science/Bees", "Travel/Trains"]);
    let before = state.relevance;
    assert!(before < 0.5, "{before}");
    let waiting = state.waiting;

    correct(&mut stage, 7, Some("Science/Bees")).unwrap();
    // It outlives the background, and counts.
    stage.restart();
    let state = stage.state(7);
    let line = state.class.unwrap();
    assert_eq!(line.class.as_deref(), Some("Science/Bees"));
    assert!(line.is_corrected && line.share == 1.0, "{line:?}");
    assert_eq!(state.relevance, 1.0);
    assert_eq!(state.waiting, waiting + 1);
    stage.own(Request::Sync).unwrap();
    correct(&mut stage, 7, None).unwrap();
    stage.own(Request::Sync).unwrap();
    let state = stage.state(7);
    assert!(!state.class.unwrap().is_corrected);
    assert!((state.relevance - before).abs() < 1e-9);
    let companion = stage.world.companion.borrow();
    let said = companion
        .events
        .iter()
        .filter_map(|event| match &event.what {
            EventKind::Class {
                address,
                class,
                words,
                ..
            } => {
                assert_eq!((&*event.topic, &**address), ("bees", "http://trains.test/"));
                assert!(
                    words.iter().any(|row| row.0.starts_with("train")),
                    "{words:?}"
                );
                Some(class.clone())
            }
            _ => None,
        });
    let said: Vec<Option<String>> = said.collect();
    assert_eq!(said, [Some("Science/Bees".to_owned()), None]);
}

#[test]
fn what_is_no_class_is_refused_and_changes_nothing() {
    let mut stage = stage();
    stage.open(7, &trains());
    let before = stage.kept();
    for wrong in ["Science", "Science/Wasps", ""] {
        let refused = correct(&mut stage, 7, Some(wrong)).unwrap_err();
        assert!(matches!(refused, Problem::NoClass), "{wrong}: {refused}");
    }
    assert_eq!(stage.kept(), before);
    let mut plain = Stage::with_topic("bees");
    plain.open(7, &trains());
    assert_eq!(plain.state(7).class, None);
    let refused = correct(&mut plain, 7, Some("Science/Bees")).unwrap_err();
    assert!(matches!(refused, Problem::NoClasses), "{refused}");
}

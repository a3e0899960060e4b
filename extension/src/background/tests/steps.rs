//! What a topic model has read outlives the background, at the cost of a page a page, in a world in
//! memory.

use std::collections::BTreeSet;

use linkscent_core::topic_model::Knowledge;
use linkscent_core::wire::{Snapshot, read_model};

use crate::fakes::bees::{PAGES, SITE, bees, follow};
use crate::fakes::town::{TO_DIET, diet, marked, town};
use crate::fakes::{Stage, page};
use crate::ports::{Table, Value};
use crate::request::{News, Request};
use crate::store::MOST_STEPS;

fn numbered(number: u32) -> Snapshot {
    let address = format!("http://kidney.test/page{number}");
    let words = format!("Dialysis on day{number} of the week.");
    page(&address, "A day", &words, &[("/diet", "diet")])
}

fn bytes(stage: &Stage, table: Table) -> Vec<Vec<u8>> {
    let rows = stage.world.rows.borrow();
    let rows = rows.iter().filter(|((of, _), _)| *of == table);
    rows.map(|(_, value)| match value {
        Value::Bytes(bytes) => bytes.clone(),
        Value::Json(value) => panic!("{value}"),
    })
    .collect()
}

/// All that is known of the one topic.
fn known(stage: &mut Stage) -> Knowledge {
    stage.own(Request::KeepTopicModel).unwrap();
    let steps = bytes(stage, Table::Steps);
    assert!(steps.is_empty(), "a topic model kept whole needs none");
    read_model(&bytes(stage, Table::TopicModels)[0]).unwrap()
}

fn pages(knowledge: &Knowledge) -> BTreeSet<String> {
    let pages = knowledge.graph.pages();
    pages.map(|page| page.address.to_string()).collect()
}

fn clicks(knowledge: &Knowledge) -> Vec<(String, String)> {
    let click = |past: &linkscent_core::topic_model::TrainingExample| {
        let source = past.via[0].source().unwrap();
        (source.to_string(), past.address.to_string())
    };
    knowledge.arrivals.iter().map(click).collect()
}

/// A way over a site by clicks.
fn way(is_restarted: bool) -> Knowledge {
    let mut stage = Stage::with_topic("bees");
    stage.open(7, &bees(PAGES[0]));
    stage.mark(7, Some(true));
    let file = bytes(&stage, Table::TopicModels);
    for (from, to) in PAGES.iter().zip(&PAGES[1..]) {
        follow(&mut stage, 7, from, to);
        if is_restarted {
            stage.restart();
        }
    }
    assert_eq!(
        bytes(&stage, Table::TopicModels),
        file,
        "it was not written again"
    );
    assert_eq!(bytes(&stage, Table::Steps).len(), PAGES.len() - 1);
    // A look brings what is kept into memory.
    stage.state(7);
    known(&mut stage)
}

#[test]
fn what_was_read_is_the_same_however_often_the_background_stops() {
    let (never, always) = (way(false), way(true));
    assert_eq!(pages(&always), pages(&never));
    assert_eq!(pages(&always).len(), PAGES.len());
    let links = PAGES.iter().zip(&PAGES[1..]);
    let followed = links.map(|(from, to)| (format!("{SITE}{from}"), format!("{SITE}{to}")));
    assert_eq!(clicks(&always), followed.collect::<Vec<_>>());
    assert_eq!(clicks(&never), clicks(&always));
    for term in ["bee", "nest"] {
        let count = |known: &Knowledge| {
            let words = &known.graph.vocabulary;
            words.document_count(words.id(term).unwrap())
        };
        assert_eq!((count(&always), count(&never)), (5, 5), "{term}");
    }
    for page in never.graph.pages() {
        let again = always.graph.page(&page.address).unwrap();
        let [again, before] = [again, page].map(|page| page.judgment.relevance.value());
        assert!((again - before).abs() < 0.05, "{}", page.address);
    }
}

#[test]
fn a_page_read_writes_as_much_after_many_as_after_few() {
    let mut stage = marked();
    let file = bytes(&stage, Table::TopicModels);
    let mut due = Vec::new();
    for number in 0..MOST_STEPS {
        let handled = stage.open(8, &numbered(number));
        due.push(handled.news.is_full);
        assert_eq!(bytes(&stage, Table::Steps).len() as u32, number + 1);
        assert_eq!(bytes(&stage, Table::TopicModels), file);
    }
    assert!(
        due.is_sorted() && due[MOST_STEPS as usize / 2] && !due[0],
        "{due:?}"
    );
    let lengths: Vec<usize> = bytes(&stage, Table::Steps).iter().map(Vec::len).collect();
    assert!(lengths.iter().all(|length| *length < 700), "{lengths:?}");
    // Nobody kept it whole: the next page does.
    let handled = stage.open(8, &numbered(MOST_STEPS));
    assert_eq!(handled.news, News::default());
    assert!(bytes(&stage, Table::Steps).is_empty());
    assert_ne!(bytes(&stage, Table::TopicModels), file);
    stage.open(8, &numbered(MOST_STEPS + 1));
    assert_eq!(pages(&known(&mut stage)).len() as u32, MOST_STEPS + 3);
}

#[test]
fn to_keep_a_topic_model_whole_without_one_does_nothing() {
    let mut stage = Stage::new();
    stage.own(Request::KeepTopicModel).unwrap();
    assert!(bytes(&stage, Table::TopicModels).is_empty());
}

#[test]
fn a_mark_keeps_all_that_was_read_before() {
    let mut stage = marked();
    stage.open(8, &town());
    stage.follow(8, &town(), TO_DIET, &diet());
    assert_eq!(bytes(&stage, Table::Steps).len(), 2);
    stage.restart();
    stage.mark(8, Some(true));
    assert!(bytes(&stage, Table::Steps).is_empty());
    let known = read_model(&bytes(&stage, Table::TopicModels)[0]).unwrap();
    assert_eq!((pages(&known).len(), clicks(&known).len()), (3, 1));
}

#[test]
fn a_damaged_page_takes_none_but_those_behind_it_along() {
    let mut stage = marked();
    for number in 0..4 {
        stage.open(8, &numbered(number));
    }
    let key = (Table::Steps, "kidneys\n0002".to_owned());
    let damaged = Value::Bytes(vec![7; 9]);
    assert!(stage.world.rows.borrow_mut().insert(key, damaged).is_some());
    stage.restart();
    stage.open(8, &numbered(9));
    assert!(bytes(&stage, Table::Steps).is_empty(), "kept whole");
    let known = pages(&known(&mut stage));
    let numbered = [0, 1, 9].map(|number| numbered(number).url);
    assert_eq!(known.len(), 4, "{known:?}");
    assert!(
        numbered.iter().all(|page| known.contains(page)),
        "{known:?}"
    );
}

#[test]
fn nothing_of_a_forgotten_page_is_left_beside_a_topic_model() {
    let mut stage = marked();
    stage.open(8, &town());
    stage.follow(8, &town(), TO_DIET, &diet());
    assert!(stage.kept().contains("timetable"));
    let address = "http://trains.test/timetable".to_owned();
    // It was never read: only a page that was has a link to it.
    stage.own(Request::ForgetPage { tab: 9, address }).unwrap();
    assert!(
        !stage.kept().contains("trains.test/timetable"),
        "{}",
        stage.kept()
    );
    assert_eq!(pages(&known(&mut stage)).len(), 3);
    stage.open(8, &numbered(1));
    assert_eq!(bytes(&stage, Table::Steps).len(), 1);
    stage.own(Request::Forget { id: None }).unwrap();
    assert!(bytes(&stage, Table::Steps).is_empty());
}

#[test]
fn no_secret_of_an_address_is_kept() {
    let mut stage = marked();
    let links = [
        ("/next?session=CANARY", "next"),
        ("mailto:CANARY@a.test", "mail"),
    ];
    stage.open(
        8,
        &page("http://a.test/?token=CANARY", "A", "Kidneys.", &links),
    );
    assert_eq!(bytes(&stage, Table::Steps).len(), 1);
    let kept = stage.kept();
    assert!(
        kept.contains("http://a.test/next") && !kept.contains("CANARY"),
        "{kept}"
    );
}

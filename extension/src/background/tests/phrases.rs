//! Topics told in words, in a world in memory.

use linkscent_core::topic_model::{LONGEST_PHRASE, MOST_PHRASES, TopicModel};
use linkscent_core::wire::api::EventKind;
use linkscent_core::wire::{Snapshot, write_model};

use crate::fakes::companion::{CODE, PORT};
use crate::fakes::{Stage, page};
use crate::ports::Look;
use crate::problem::Problem;
use crate::request::Request;

fn castle() -> Snapshot {
    let words = "A fortress of stone with towers, walls and a moat, built by the Normans.";
    page("http://stones.test/", "Ruins", words, &[])
}

fn say(stage: &mut Stage, text: &str, wanted: Option<bool>) -> Result<(), Problem> {
    let text = text.to_owned();
    let said = stage.own(Request::Say {
        tab: 7,
        text,
        wanted,
    });
    said.map(drop)
}

fn pair(stage: &mut Stage) {
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
}

fn sent(stage: &Stage) -> Vec<(String, Option<bool>)> {
    let companion = stage.world.companion.borrow();
    let events = companion.events.iter();
    let said = events.filter_map(|event| match &event.what {
        EventKind::Phrase { text, wanted } => Some((text.clone(), *wanted)),
        _ => None,
    });
    said.collect()
}

fn of(text: &str, wanted: bool) -> (String, bool) {
    (text.to_owned(), wanted)
}

#[test]
fn what_is_said_counts_is_kept_and_is_taken_back() {
    let mut stage = Stage::with_topic("holidays");
    stage.open(7, &castle());
    let before = stage.state(7).relevance;
    say(&mut stage, " old castles\n with a moat ", Some(true)).unwrap();
    say(&mut stage, "hotels", Some(false)).unwrap();
    stage.restart();
    let state = stage.state(7);
    assert!(
        state.relevance > before + 0.2,
        "{} {before}",
        state.relevance
    );
    let both = [of("old castles with a moat", true), of("hotels", false)];
    assert_eq!(state.said, both);
    say(&mut stage, "old castles with a moat", None).unwrap();
    assert_eq!(stage.state(7).said, [of("hotels", false)]);
    say(&mut stage, "hotels", None).unwrap();
    assert!((stage.state(7).relevance - before).abs() < 1e-9);
    // A topic model that has to be made again knows it too.
    say(&mut stage, "old castles with a moat", Some(true)).unwrap();
    stage.own(Request::Forget { id: None }).unwrap();
    assert!(stage.state(7).relevance > before + 0.2);
}

#[test]
fn the_companion_hears_of_it_and_says_what_it_was_told() {
    let mut stage = Stage::with_topic("holidays");
    say(&mut stage, "castles", Some(true)).unwrap();
    pair(&mut stage);
    let castles = ("castles".to_owned(), Some(true));
    assert!(sent(&stage).contains(&castles));
    // A companion that is new hears of what an earlier one knows.
    stage.own(Request::Unpair).unwrap();
    stage.world.companion.borrow_mut().events.clear();
    pair(&mut stage);
    assert_eq!(sent(&stage), [castles]);
    // What was said on the dashboard comes with the model.
    let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
    topic_model.take_phrases([of("castles", true), of("museums", false)]);
    let model = write_model(&topic_model.knowledge()).unwrap();
    stage.world.companion.borrow_mut().model = Some((model, 9));
    stage.own(Request::Sync).unwrap();
    assert_eq!(
        stage.state(7).said,
        [of("castles", true), of("museums", false)]
    );
}

#[test]
fn too_much_or_nothing_is_refused_and_changes_nothing() {
    let mut stage = Stage::with_topic("holidays");
    let before = stage.kept();
    for wrong in ["", " \n ", &"x".repeat(LONGEST_PHRASE + 1)] {
        let refused = say(&mut stage, wrong, Some(true)).unwrap_err();
        assert!(matches!(refused, Problem::Phrase), "{refused}");
    }
    assert_eq!(stage.kept(), before);
    for number in 0..MOST_PHRASES {
        say(&mut stage, &number.to_string(), Some(true)).unwrap();
    }
    let refused = say(&mut stage, "one more", Some(true)).unwrap_err();
    assert!(matches!(refused, Problem::TooManyPhrases), "{refused}");
    say(&mut stage, "7", Some(false)).unwrap();
    say(&mut stage, "7", None).unwrap();
    say(&mut stage, "one more", Some(true)).unwrap();
}

#[test]
fn words_selected_on_a_page_are_proposed_where_it_is_read() {
    let mut stage = Stage::with_topic("holidays");
    stage.open(7, &castle());
    let mut look = Look {
        page: Some(castle()),
        refused: None,
        selected: "  a moat ".to_owned(),
    };
    stage.world.tabs.borrow_mut().insert(7, look.clone());
    assert_eq!(stage.state(7).selected.as_deref(), Some("a moat"));
    say(&mut stage, "a moat", Some(true)).unwrap();
    assert_eq!(stage.state(7).selected, None, "it was said");
    look.page = None;
    stage.world.tabs.borrow_mut().insert(7, look);
    assert_eq!(stage.state(7).selected, None);
}

#[test]
fn what_was_searched_for_on_the_way_is_proposed_and_counts_only_if_said() {
    let mut stage = Stage::with_topic("holidays");
    let found = [("http://stones.test/", "Ruins")];
    let search = "http://find.test/?q=norman+castles&page=2";
    stage.open(7, &page(search, "Results", "One found.", &found));
    stage.open(7, &castle());
    let before = stage.state(7);
    assert_eq!(before.searched.as_deref(), Some("norman castles"));
    assert!(before.said.is_empty());
    stage.open(8, &castle());
    assert_eq!(stage.state(8).searched, None, "another tab");
    say(&mut stage, "norman castles", Some(true)).unwrap();
    let after = stage.state(7);
    assert_eq!(after.searched, None, "it was said");
    assert!(after.relevance > before.relevance);
}

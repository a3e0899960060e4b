//! Topics that are called otherwise, in a world in memory.

use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::EventKind;
use linkscent_core::wire::write_model;

use crate::fakes::companion::{CODE, PORT};
use crate::fakes::{Stage, page};
use crate::problem::Problem;
use crate::request::Request;

fn choose(stage: &mut Stage, name: &str) -> Result<(), Problem> {
    let (tab, name) = (7, name.to_owned());
    stage.own(Request::Topic { tab, name }).map(drop)
}

fn rename(stage: &mut Stage, name: &str) -> Result<(), Problem> {
    let (tab, name) = (7, name.to_owned());
    stage.own(Request::Rename { tab, name }).map(drop)
}

/// Key of the topic and name, of every event that names one.
fn sent(stage: &Stage) -> Vec<(String, String)> {
    let companion = stage.world.companion.borrow();
    let events = companion.events.iter();
    let said = events.filter_map(|event| match &event.what {
        EventKind::Name { name } => Some((event.topic.clone(), name.clone())),
        _ => None,
    });
    said.collect()
}

fn pair(stage: &mut Stage) {
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
}

fn row(topic: &str, name: &str) -> (String, String) {
    (topic.to_owned(), name.to_owned())
}

#[test]
fn a_new_name_counts_and_all_that_hangs_on_the_topic_stays() {
    let mut stage = Stage::with_topic("holidays");
    let words = "A castle with towers, walls and a moat, built by the Normans.";
    stage.open(7, &page("http://stones.test/", "Castle", words, &[]));
    let (tab, wanted) = (7, Some(false));
    let text = "hotels".to_owned();
    stage.own(Request::Say { tab, text, wanted }).unwrap();
    let before = stage.state(7).relevance;
    rename(&mut stage, " medieval castles ").unwrap();
    let state = stage.state(7);
    assert_eq!(state.current.as_deref(), Some("medieval castles"));
    assert_eq!(state.topics, ["medieval castles"]);
    assert_eq!(state.said, [("hotels".to_owned(), false)]);
    assert!(state.relevance > before + 0.2, "{}", state.relevance);
    let renamed = state.relevance;
    // A topic model that is read or made again is called so too.
    stage.restart();
    assert!((stage.state(7).relevance - renamed).abs() < 1e-9);
    stage.own(Request::Forget { id: None }).unwrap();
    assert!(stage.state(7).relevance > before + 0.2);
    rename(&mut stage, "holidays").unwrap();
    assert_eq!(stage.state(7).topics, ["holidays"]);
}

#[test]
fn topics_are_chosen_by_what_they_are_called_now() {
    let mut stage = Stage::with_topic("holidays");
    rename(&mut stage, "castles").unwrap();
    choose(&mut stage, "holidays").unwrap();
    assert_eq!(stage.state(7).topics, ["castles", "holidays"]);
    assert!(stage.state(7).said.is_empty());
    let refused = rename(&mut stage, "castles").unwrap_err();
    assert!(matches!(refused, Problem::NameTaken), "{refused}");
    choose(&mut stage, "castles").unwrap();
    choose(&mut stage, "holidays").unwrap();
    assert_eq!(stage.state(7).topics.len(), 2);
    pair(&mut stage);
    let sent = sent(&stage);
    assert!(sent.contains(&row("holidays", "castles")), "{sent:?}");
    let other = sent.iter().find(|row| row.1 == "holidays").unwrap();
    assert!(other.0.starts_with("holidays "), "{other:?}");
}

#[test]
fn the_companion_hears_of_a_name_and_says_what_it_was_told() {
    let mut stage = Stage::with_topic("holidays");
    pair(&mut stage);
    rename(&mut stage, "castles").unwrap();
    stage.own(Request::Sync).unwrap();
    assert_eq!(sent(&stage).last(), Some(&row("holidays", "castles")));
    // A companion that is new hears of what an earlier one knows.
    stage.own(Request::Unpair).unwrap();
    stage.world.companion.borrow_mut().events.clear();
    pair(&mut stage);
    assert_eq!(sent(&stage), [row("holidays", "castles")]);
    // What was said on the dashboard comes with the model.
    let model = |name: &str| {
        let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
        topic_model.name_topic(name);
        write_model(&topic_model.knowledge()).unwrap()
    };
    stage.world.companion.borrow_mut().model = Some((model("forts"), 9));
    stage.own(Request::Sync).unwrap();
    assert_eq!(stage.state(7).current.as_deref(), Some("forts"));
    stage.world.companion.borrow_mut().model = Some((model(""), 10));
    stage.own(Request::Sync).unwrap();
    assert_eq!(stage.state(7).current.as_deref(), Some("forts"));
}

#[test]
fn what_is_no_name_is_refused_and_changes_nothing() {
    let mut stage = Stage::with_topic("holidays");
    let before = stage.kept();
    for wrong in ["", " \n ", &"x".repeat(81)] {
        let refused = rename(&mut stage, wrong).unwrap_err();
        assert!(matches!(refused, Problem::TopicName), "{refused}");
    }
    rename(&mut stage, "holidays").unwrap();
    assert_eq!(stage.kept(), before);
}

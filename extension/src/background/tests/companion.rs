//! What passes between the background and the companion, in a world in memory.

use std::collections::BTreeSet;

use linkscent_core::crawl::{CrawlSpec, Scope, StoppingRule};
use linkscent_core::critics;
use linkscent_core::strategies;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::CrawlState;
use linkscent_core::wire::api::{Answer, EventKind, QuestionView, TopicView, mark_of};
use linkscent_core::wire::{Snapshot, write_model};

use crate::fakes::companion::{CODE, PORT, crawl};
use crate::fakes::{English, Stage, page};
use crate::request::{Request, Response};

fn dialysis(number: usize) -> Snapshot {
    page(
        &format!("http://kidney.test/{number}"),
        "Dialysis",
        "Dialysis cleans the blood of kidney patients.",
        &[],
    )
}

fn marked() -> Stage {
    let mut stage = Stage::with_topic("kidneys");
    stage.open(7, &dialysis(0));
    stage.mark(7, Some(true));
    stage
}

fn pair(stage: &mut Stage) {
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
}

/// How many events the companion was sent, and how many different ones.
fn sent(stage: &Stage) -> (usize, usize) {
    let companion = stage.world.companion.borrow();
    let ids: BTreeSet<&str> = companion.events.iter().map(|event| &*event.id).collect();
    (companion.events.len(), ids.len())
}

#[test]
fn a_wrong_code_pairs_nobody_and_tells_nothing() {
    let mut stage = marked();
    let (port, code) = (PORT, "87654321".to_owned());
    let refused = stage.own(Request::Pair { port, code }).unwrap_err();
    assert!(refused.text(&English).contains("does not fit"), "{refused}");
    assert!(!stage.state(7).paired);
    let companion = stage.world.companion.borrow();
    assert!(companion.events.is_empty());
    for seen in &companion.seen {
        let seen = String::from_utf8_lossy(seen);
        assert!(!seen.contains("87654321") && !seen.contains("kidney"));
    }
}

#[test]
fn nobody_on_the_port_is_said() {
    let mut stage = marked();
    let (port, code) = (PORT + 1, CODE.to_owned());
    let refused = stage.own(Request::Pair { port, code }).unwrap_err();
    let expected = "the companion does not answer on port 7475: is it running?";
    assert_eq!(refused.text(&English), expected);
}

#[test]
fn a_companion_hears_of_every_mark_when_it_is_paired() {
    let mut stage = marked();
    pair(&mut stage);
    let state = stage.state(7);
    assert!(state.paired && state.port == PORT && state.waiting == 0);
    let events = stage.world.companion.borrow().events.clone();
    assert!(events.iter().all(|event| event.topic == "kidneys"));
    let address = events.iter().filter_map(|event| match &event.what {
        EventKind::Mark { address, .. } => Some(address.as_str()),
        EventKind::Visit(_) | EventKind::Name { .. } => None,
        other => panic!("{other:?}"),
    });
    // As it happened, and once more for a companion that never heard of it.
    let addresses: Vec<&str> = address.collect();
    assert_eq!(addresses, ["http://kidney.test/0"; 2]);
    // The key is kept, and never sent.
    let kept = stage.kept();
    let key = kept.split("\"key\":\"").nth(1).unwrap();
    let key = &key[..64];
    for seen in &stage.world.companion.borrow().seen {
        assert!(!String::from_utf8_lossy(seen).contains(key));
    }
}

#[test]
fn events_are_sent_once() {
    let mut stage = marked();
    pair(&mut stage);
    let (before, _) = sent(&stage);
    stage.own(Request::Sync).unwrap();
    assert_eq!(sent(&stage).0, before);
    stage.mark(7, None);
    assert_eq!(stage.state(7).waiting, 1);
    stage.own(Request::Sync).unwrap();
    stage.restart();
    stage.own(Request::Sync).unwrap();
    assert_eq!(sent(&stage), (before + 1, before + 1));
    assert_eq!(stage.state(7).waiting, 0);
}

#[test]
fn what_does_not_arrive_is_kept_and_sent_again() {
    let mut stage = marked();
    pair(&mut stage);
    let (before, _) = sent(&stage);
    // 120 pages with their marks go in three calls; the companion ends after the first.
    for number in 1..=120 {
        stage.wait(10.0);
        stage.open(7, &dialysis(number));
        stage.mark(7, Some(true));
    }
    let to_open_the_channel = 1;
    stage.world.reach.set(Some(to_open_the_channel + 1));
    assert!(stage.own(Request::Sync).is_err());
    assert_eq!(sent(&stage), (before + 100, before + 100));
    let state = stage.state(7);
    assert_eq!(state.waiting, 140);
    assert!(
        state.problem.contains("does not answer"),
        "{}",
        state.problem
    );
    stage.restart();
    stage.world.reach.set(None);
    stage.own(Request::Sync).unwrap();
    assert_eq!(sent(&stage), (before + 240, before + 240));
    let events = &stage.world.companion.borrow().events;
    assert!(events.is_sorted_by_key(|event| event.time), "oldest first");
}

#[test]
fn a_companion_that_was_started_again_is_asked_in_a_new_channel() {
    let mut stage = marked();
    pair(&mut stage);
    stage.mark(7, None);
    let before = stage.world.companion.borrow().seen.len();
    // After the channel was opened and the mark was sent, before the model is asked for.
    stage.world.companion.borrow_mut().restarts_in = Some(2);
    stage.own(Request::Sync).unwrap();
    {
        let companion = stage.world.companion.borrow();
        let opened = companion.seen[before..].iter();
        let opened = opened.filter(|seen| String::from_utf8_lossy(seen).contains("\"device\""));
        assert_eq!(opened.count(), 2, "a channel was opened again");
    }
    assert_eq!(stage.state(7).waiting, 0);
}

#[test]
fn another_program_on_the_port_is_told_nothing() {
    let mut stage = marked();
    pair(&mut stage);
    stage.mark(7, None);
    stage.world.companion.borrow_mut().take_its_place();
    let refused = stage.own(Request::Sync).unwrap_err().text(&English);
    assert!(refused.contains("told nothing"), "{refused}");
    assert_eq!(stage.state(7).waiting, 1);
    let companion = stage.world.companion.borrow();
    assert!(companion.events.is_empty());
    for seen in &companion.seen {
        let seen = String::from_utf8_lossy(seen);
        assert!(seen.contains("\"device\""), "only the name: {seen}");
    }
}

#[test]
fn a_newer_model_is_taken_in_once() {
    let mut stage = marked();
    pair(&mut stage);
    // The companion knows a page that was never read here.
    let mut topic_model = TopicModel::new(critics::NAMES[0], strategies::default_name()).unwrap();
    let far = page("http://far.test/", "Zeppelins", "Zeppelins fly.", &[]);
    topic_model.mark(&far.to_page().unwrap(), mark_of(Some(true)));
    let file = write_model(&topic_model.knowledge()).unwrap();
    stage.world.companion.borrow_mut().model = Some((file, 4));
    stage.own(Request::Sync).unwrap();
    assert!(stage.kept().contains("far.test"), "{}", stage.kept());
    stage.restart();
    let near = page("http://near.test/", "Zeppelins", "Zeppelins land.", &[]);
    stage.open(8, &near);
    let other = page("http://near.test/o", "Onions", "Onions are cut.", &[]);
    stage.open(9, &other);
    assert!(stage.state(8).relevance > stage.state(9).relevance);
    // The same version is not taken again over what was learned since.
    stage.own(Request::Sync).unwrap();
    let before = stage.kept();
    stage.own(Request::Sync).unwrap();
    assert_eq!(stage.kept(), before);
}

#[test]
fn a_model_that_cannot_be_read_changes_nothing() {
    let mut stage = marked();
    pair(&mut stage);
    let kept = |stage: &Stage| {
        let kept = stage.kept();
        let lines = kept
            .lines()
            .filter(|line| !line.starts_with("values seen "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = kept(&stage);
    stage.world.companion.borrow_mut().model = Some((b"no model".to_vec(), 4));
    assert!(stage.own(Request::Sync).is_err());
    assert_eq!(kept(&stage), before);
    let problem = stage.state(7).problem;
    assert!(problem.contains("not a Linkscent model file"), "{problem}");
}

#[test]
fn a_topic_is_handed_over_with_what_is_known_first() {
    let mut stage = marked();
    let seeds = vec!["http://kidney.test/0".to_owned()];
    let order = || Request::HandOver {
        seeds: seeds.clone(),
        spec: CrawlSpec {
            stopping: StoppingRule {
                pages: Some(40),
                targets: None,
            },
            scope: Scope {
                hosts: vec!["kidney.test".to_owned()],
                ..Scope::default()
            },
            ..CrawlSpec::new(6)
        },
        start_from: Some("trains".to_owned()),
        strategy: Some("best-first".to_owned()),
    };
    let refused = stage.own(order()).unwrap_err().text(&English);
    assert_eq!(refused, "pair with the companion first");
    pair(&mut stage);
    stage.mark(7, Some(true));
    let begun = stage.own(order()).unwrap().answer;
    assert!(matches!(begun, Response::Crawl(crawl) if crawl.state == CrawlState::Running));
    assert_eq!(stage.state(7).waiting, 0);
    let companion = stage.world.companion.borrow();
    let order = &companion.orders[0];
    assert_eq!((order.topic.as_str(), order.spec.budget), ("kidneys", 6));
    assert_eq!(order.seeds, seeds);
    assert_eq!(order.spec.stopping.pages, Some(40));
    assert_eq!(order.spec.stopping.targets, None);
    assert_eq!(order.spec.scope.hosts, ["kidney.test"]);
    assert_eq!(order.start_from.as_deref(), Some("trains"));
    assert_eq!(order.strategy.as_deref(), Some("best-first"));
}

#[test]
fn nothing_is_handed_over_while_marks_cannot_be_sent() {
    let mut stage = marked();
    pair(&mut stage);
    stage.mark(7, None);
    stage.world.reach.set(Some(0));
    let order = Request::HandOver {
        seeds: Vec::new(),
        spec: CrawlSpec::new(6),
        start_from: None,
        strategy: None,
    };
    assert!(stage.own(order).is_err());
    assert!(stage.world.companion.borrow().orders.is_empty());
}

#[test]
fn topics_that_were_taught_something_are_offered_to_begin_with() {
    let mut stage = marked();
    let topic = |name: &str, is_taught| TopicView {
        key: name.to_owned(),
        name: name.to_owned(),
        is_taught,
        is_removed: false,
        is_deleted: false,
    };
    let topics = vec![
        topic("birds", false),
        topic("trains", true),
        topic("kidneys", true),
    ];
    stage.world.companion.borrow_mut().topics = topics;
    assert!(stage.state(7).teachers.is_empty(), "not paired");
    pair(&mut stage);
    assert_eq!(stage.state(7).teachers, ["trains"]);
}

#[test]
fn a_crawls_question_comes_first_and_its_answer_goes_to_the_crawl() {
    let mut stage = marked();
    pair(&mut stage);
    let mut running = crawl("kidneys");
    running.question = Some(QuestionView {
        address: "http://far.test/".to_owned(),
        title: "Far away".to_owned(),
    });
    stage.world.companion.borrow_mut().crawls = vec![running];
    stage.own(Request::Sync).unwrap();
    let question = stage.state(7).question.unwrap();
    assert_eq!(question.crawl, Some(3));
    assert_eq!(question.title, "Far away");
    let request = Request::Answer {
        tab: 7,
        crawl: question.crawl,
        page: question.address,
        answer: Answer::No,
    };
    stage.own(request).unwrap();
    let next = stage.state(7).question;
    assert!(next.is_none_or(|next| next.crawl.is_none()), "answered");
    let companion = stage.world.companion.borrow();
    let (path, given) = &companion.answers[0];
    assert_eq!(path, "crawls/3/answer");
    assert_eq!(given.address, "http://far.test/");
    assert_eq!(given.answer, Answer::No);
}

#[test]
fn the_dashboard_is_opened_by_a_link_that_is_asked_for() {
    let mut stage = marked();
    assert!(stage.own(Request::Dashboard).is_err());
    pair(&mut stage);
    let link = stage.own(Request::Dashboard).unwrap().answer;
    assert!(matches!(link, Response::Text(link) if link == "http://127.0.0.1:7474/once"));
}

#[test]
fn a_companion_that_is_forgotten_hears_nothing_more() {
    let mut stage = marked();
    pair(&mut stage);
    let seen = stage.world.companion.borrow().seen.len();
    stage.own(Request::Unpair).unwrap();
    let state = stage.state(7);
    assert!(!state.paired);
    assert_eq!(state.mark, Some(true), "marks stay");
    stage.mark(7, None);
    stage.own(Request::Sync).unwrap();
    assert_eq!(stage.world.companion.borrow().seen.len(), seen);
    assert!(!stage.kept().contains("\"key\":\""), "{}", stage.kept());
}

#[test]
fn a_crawl_that_goes_on_is_had_start_at_the_page_in_view() {
    let mut stage = Stage::with_topic("kidneys");
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
    stage.open(1, &page("http://a.test/here", "Kidneys", "Dialysis.", &[]));
    assert!(
        stage.own(Request::StartHere { tab: 1 }).is_err(),
        "no crawl"
    );
    stage.world.companion.borrow_mut().crawls = vec![crawl("kidneys")];
    stage.own(Request::Sync).unwrap();
    assert!(!stage.state(1).starts_here);
    stage.own(Request::StartHere { tab: 1 }).unwrap();
    let sent = stage.world.companion.borrow().seeds.clone();
    assert_eq!(sent.len(), 1);
    let (path, more) = &sent[0];
    assert_eq!(
        (&**path, &*more.seeds),
        ("crawls/3/seeds", &["http://a.test/here".to_owned()][..])
    );
    stage.own(Request::Sync).unwrap();
    assert!(stage.state(1).starts_here);
    // Of another crawl nothing was said.
    stage.world.companion.borrow_mut().crawls[0].id = 4;
    stage.own(Request::Sync).unwrap();
    assert!(!stage.state(1).starts_here);
}

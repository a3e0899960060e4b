//! Requests that were under way when a crawl was killed.

use super::*;
use linkscent_store::{InFlight, Unfinished};

/// Asks for the page that is next; the answer, which is not taken in.
fn answer(runner: &mut Runner) -> Message {
    let page = next_page(runner);
    let task = tracing::Span::none();
    runner
        .requests
        .ask(page, false, None, Duration::ZERO, &task);
    let came = runner.receiver.recv_timeout(Duration::from_mins(1));
    came.unwrap()
}

fn is_page(message: &Message) -> bool {
    matches!(message, Message::Page(page, Ok(Answered { reply: Reply::Page(_), .. })) if *page == start())
}

#[test]
fn a_page_that_was_answered_before_a_kill_is_not_asked_for_again() {
    let mut stage = Stage::new(5, endless_web);
    assert_eq!(stage.crawl.state, CrawlState::Running);
    let mut killed = stage.resume().unwrap();
    assert!(is_page(&answer(&mut killed)));
    drop(killed);
    assert!(stage.log().is_empty());

    // Nobody answers any more.
    stage.way = no_web();
    let mut runner = stage.resume().unwrap();
    let came = answer(&mut runner);
    assert!(is_page(&came));
    assert!(runner.handle(came).unwrap().is_none());
    runner.commit().unwrap();
    assert_eq!(stage.log(), [START]);
    drop(runner);

    // What is in the log is under way no more.
    let path = stage.store.requests_path(stage.crawl.id);
    let opened = stage.runtime.block_on(InFlight::open(&path, clock::now()));
    assert_eq!(opened.unwrap().1, Unfinished::default());
}

#[test]
fn requests_of_a_crawl_that_has_ended_are_forgotten() {
    let stage = Stage::new(5, endless_web);
    let path = stage.store.requests_path(stage.crawl.id);
    let runner = stage.resume().unwrap();
    assert!(path.exists());
    runner.run(|_| {}).unwrap();
    assert!(!path.exists());
}

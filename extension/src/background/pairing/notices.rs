//! Notices of the browser, off by default: a crawl of the current topic has ended, or asks; a recrawl
//! of watching has found something.

use linkscent_core::wire::api::CrawlView;

use crate::ports::Texts;
use crate::rows::Seen;

/// What is to be told of what the companion says now and did not say before. A crawl that is
/// seen for the first time is no news, unless it began and ended since the last look, as recrawls of
/// watching do, and has found something.
pub(super) fn news(texts: &impl Texts, before: &Seen, now: &Seen) -> Option<String> {
    let crawl = now.crawl.as_ref()?;
    let earlier = before.crawl.as_ref()?;
    let CrawlView {
        topic,
        relevant,
        pages,
        ..
    } = crawl;
    let has_ended = if earlier.id == crawl.id {
        earlier.state.is_running() && !crawl.state.is_running()
    } else {
        let is_next = before.topic == now.topic && earlier.id < crawl.id;
        is_next && crawl.state.is_over() && *relevant > 0
    };
    if has_ended {
        let values = [&**topic, &relevant.to_string(), &pages.to_string()];
        return Some(texts.text("notice_crawl_ended", &values));
    }
    if earlier.id != crawl.id {
        return None;
    }
    let asked = crawl.question.as_ref()?;
    (earlier.question.as_ref() != Some(asked))
        .then(|| texts.text("notice_crawl_asks", &[topic, &asked.title]))
}

#[cfg(test)]
mod tests {
    use linkscent_core::wire::CrawlState;
    use linkscent_core::wire::api::QuestionView;

    use crate::fakes::Stage;
    use crate::fakes::companion::{CODE, PORT, crawl};
    use crate::fakes::town::marked;
    use crate::request::Request;

    fn told(stage: &mut Stage) -> Vec<String> {
        stage.own(Request::Sync).unwrap();
        std::mem::take(&mut *stage.world.notices.borrow_mut())
    }

    #[test]
    fn the_end_of_a_crawl_and_its_questions_are_told_once_if_that_is_wanted() {
        let mut stage = marked();
        let (port, code) = (PORT, CODE.to_owned());
        stage.own(Request::Pair { port, code }).unwrap();
        let mut view = crawl("kidneys");
        view.question = None;
        let show = |stage: &Stage, view: &_| {
            stage.world.companion.borrow_mut().crawls = vec![Clone::clone(view)];
        };
        show(&stage, &view);
        stage.own(Request::TellOfCrawls { on: true }).unwrap();
        assert!(stage.world.looks_often.get());
        assert_eq!(told(&mut stage), Vec::<String>::new(), "it is no news");
        view.question = Some(QuestionView {
            address: "http://a.test/".to_owned(),
            title: "\u{202e}Sa\u{200b}lt".to_owned(),
        });
        show(&stage, &view);
        let asks = "A crawl for “kidneys” asks whether “Salt” is what you look for.";
        assert_eq!(told(&mut stage), [asks]);
        assert_eq!(told(&mut stage), Vec::<String>::new());
        view.question = None;
        (view.state, view.pages, view.relevant) = (CrawlState::Done, 30, 4);
        show(&stage, &view);
        let ended = "The crawl for “kidneys” has ended: 4 of 30 pages are relevant.";
        assert_eq!(told(&mut stage), [ended]);
        assert_eq!(told(&mut stage), Vec::<String>::new());
        // A recrawl came and went between two looks; the next found nothing.
        (view.id, view.pages, view.relevant) = (view.id + 1, 12, 2);
        show(&stage, &view);
        let ended = "The crawl for “kidneys” has ended: 2 of 12 pages are relevant.";
        assert_eq!(told(&mut stage), [ended]);
        (view.id, view.relevant) = (view.id + 1, 0);
        show(&stage, &view);
        assert_eq!(told(&mut stage), Vec::<String>::new());
        // Nothing is told to whoever does not want it.
        stage.own(Request::TellOfCrawls { on: false }).unwrap();
        assert!(!stage.world.looks_often.get());
        view.state = CrawlState::Running;
        show(&stage, &view);
        told(&mut stage);
        view.state = CrawlState::Stopped;
        show(&stage, &view);
        assert_eq!(told(&mut stage), Vec::<String>::new());
    }
}

//! Links kept for later, and what the address bar suggests, in a world in memory.

use linkscent_core::wire::api::{CrawlView, FindView};

use crate::fakes::Stage;
use crate::fakes::companion::{CODE, PORT};
use crate::fakes::town::marked;
use crate::request::{Request, Response};
use crate::rows::Seen;
use crate::shown::{FoundPage, LaterView};

fn keep(stage: &mut Stage, address: &str, title: &str) {
    let (address, title) = (address.to_owned(), title.to_owned());
    stage.own(Request::KeepForLater { address, title }).unwrap();
}

fn later(stage: &mut Stage) -> LaterView {
    match stage.own(Request::Later).unwrap().answer {
        Response::Later(view) => view,
        other => panic!("{other:?}"),
    }
}

fn find(stage: &mut Stage, text: &str) -> Vec<FoundPage> {
    let text = text.to_owned();
    match stage.own(Request::Find { text }).unwrap().answer {
        Response::Found(found) => found,
        other => panic!("{other:?}"),
    }
}

#[test]
fn links_are_kept_for_later_by_topic_without_secrets_and_let_go() {
    let mut stage = marked();
    keep(
        &mut stage,
        "http://a.test/1?session=SECRET",
        " One \n link ",
    );
    keep(&mut stage, "http://a.test/2", "Two");
    keep(&mut stage, "http://a.test/1", "One again");
    let view = later(&mut stage);
    let rows: Vec<(&str, &str)> = view
        .rows
        .iter()
        .map(|row| (&*row.address, &*row.title))
        .collect();
    assert_eq!(
        rows,
        [("http://a.test/1", "One again"), ("http://a.test/2", "Two")]
    );
    assert!(!view.can_crawl, "nobody is there to crawl");
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
    assert!(later(&mut stage).can_crawl);
    let (tab, name) = (1, "trains".to_owned());
    stage.own(Request::Topic { tab, name }).unwrap();
    assert_eq!(later(&mut stage).rows, []);
    let (tab, name) = (1, "kidneys".to_owned());
    stage.own(Request::Topic { tab, name }).unwrap();
    let address = "http://a.test/2".to_owned();
    stage.own(Request::NotLater { address }).unwrap();
    assert_eq!(later(&mut stage).rows.len(), 1);
    let address = "http://a.test/1".to_owned();
    stage.own(Request::ForgetPage { tab: 9, address }).unwrap();
    assert_eq!(later(&mut stage).rows, []);
    let (address, title) = ("about:blank".to_owned(), String::new());
    let refused = stage.own(Request::KeepForLater { address, title });
    assert!(refused.is_err());
}

#[test]
fn what_was_kept_for_later_is_bounded() {
    let mut stage = marked();
    for number in 0..520 {
        keep(&mut stage, &format!("http://a.test/{number}"), "a link");
    }
    let view = later(&mut stage);
    assert_eq!(view.rows.len(), 500);
    assert_eq!(view.rows[0].address, "http://a.test/519");
}

#[test]
fn pages_are_found_by_all_words_of_title_and_address() {
    let mut stage = marked();
    keep(&mut stage, "http://a.test/salt", "Salt and the kidney");
    let find_view = |address: &str, title: &str| FindView {
        address: address.to_owned(),
        snippet: String::new(),
        title: title.to_owned(),
        relevance: 0.9,
        probability: 0.7,
        reason: String::new(),
        path: Vec::new(),
    };
    let crawl: CrawlView = serde_json::from_value(serde_json::json!({
        "id": 1, "topic": "kidneys", "state": "done", "stop_reason": "", "pages": 9,
        "budget": 9, "relevant": 2, "harvest": 0.2, "finds": [
            find_view("http://kidney.test/dialysis", "Dialysis for kidney patients"),
            find_view("http://b.test/donors", "Kidney donors"),
        ],
    }))
    .unwrap();
    let seen = Seen {
        topic: "kidneys".to_owned(),
        crawl: Some(crawl),
        ..Seen::default()
    };
    let key = (crate::ports::Table::Values, "seen".to_owned());
    let value = crate::ports::Value::Json(serde_json::to_value(&seen).unwrap());
    stage.world.rows.borrow_mut().insert(key, value);
    let kinds = |found: &[FoundPage]| -> Vec<String> {
        found.iter().map(|page| page.kind.clone()).collect()
    };
    let all = find(&mut stage, "KIDNEY");
    assert_eq!(kinds(&all), ["target", "found", "for later"]);
    assert_eq!(all[0].address, "http://kidney.test/dialysis", "named once");
    let donors = find(&mut stage, "donors b.test");
    assert_eq!(kinds(&donors), ["found"]);
    assert_eq!(find(&mut stage, "trains"), []);
    assert_eq!(find(&mut stage, "").len(), 3);
}

#[test]
fn the_companions_library_is_searched_where_there_is_one() {
    let mut stage = marked();
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
    let text = "renal care";
    assert!(find(&mut stage, text).is_empty(), "it has no library");
    let page = |address: &str| {
        serde_json::json!({
            "topic": "kidneys", "crawl": 1, "number": 1, "address": address, "title": "Renal care",
            "site": "a.test", "language": "en", "probability": 0.9, "mark": null, "snippet": [],
            "reason": "", "path": []
        })
    };
    let found = serde_json::json!({
        "total": 2, "is_relaxed": false, "sites": [], "languages": [],
        "pages": [page("http://a.test/renal"), page("http://kidney.test/dialysis")]
    });
    stage.world.companion.borrow_mut().library = Some(serde_json::from_value(found).unwrap());
    let found = find(&mut stage, text);
    let kinds: Vec<&str> = found.iter().map(|page| &*page.kind).collect();
    assert_eq!(kinds, ["in the library", "in the library"]);
    let asked = stage.world.companion.borrow().searched.clone();
    assert_eq!(
        asked.last().unwrap(),
        "topic=kidneys&q=renal%20care&all=true&most=8"
    );
    // What is known here comes first, and once.
    let found = find(&mut stage, "dialysis");
    let first = (&*found[0].address, &*found[0].kind);
    assert_eq!(first, ("http://kidney.test/dialysis", "target"));
    assert_eq!(found.len(), 2);
    // Without words nobody is asked, and who is gone is not waited for.
    let before = stage.world.companion.borrow().searched.len();
    find(&mut stage, " ");
    assert_eq!(stage.world.companion.borrow().searched.len(), before);
    stage.world.reach.set(Some(0));
    assert_eq!(find(&mut stage, "dialysis").len(), 1);
}

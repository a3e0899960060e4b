//! Messages of the extension's scripts, and what browsers send the companion: a message as JSON, a zero
//! byte, what the browser says of its sender.
//!
//! Promises: a message that is taken is the same when it is written and read again; a snapshot becomes a
//! page within its bounds or an error; what is kept of it has no secrets left to lose and gives the
//! same page; events know whether they are sound.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{CrawlOrder, Event, Forget, Reading, Rendering, Visit};
use linkscent_extension::{read_message, read_sender};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Seeds, html};
use crate::input::Input;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (text, facts) = (input.text(), input.text());
    if let Some(written) = read_message(&text) {
        assert_eq!(read_message(&written).as_ref(), Some(&written));
        let parts: Option<serde_json::Value> = serde_json::from_str(&written).ok();
        let page = parts.and_then(|mut parts| serde_json::from_value(parts["page"].take()).ok());
        if let Some(page) = page {
            check_snapshot(&page, written.len());
        }
    }
    if let Some(sender) = read_sender(&facts) {
        assert!(!sender.is_empty());
    }
    if let Some(snapshot) = same::<Snapshot>(&text) {
        check_snapshot(&snapshot, text.len());
    }
    if let Some(event) = same::<Event>(&text) {
        let _ = event.is_sound();
        assert!(event.pages().len() <= text.len());
    }
    if let Some(forget) = same::<Forget>(&text) {
        let pages = forget.to_forget().pages;
        assert!(pages.len() <= forget.pages.len());
    }
    same::<Visit>(&text);
    same::<CrawlOrder>(&text);
    same::<Reading>(&text);
    same::<Rendering>(&text);
}

/// Reads JSON, and holds it to being the same when it is written and read again.
fn same<T: DeserializeOwned + Serialize>(text: &str) -> Option<T> {
    let value: T = serde_json::from_str(text).ok()?;
    let written = serde_json::to_string(&value).expect("what was read can be written");
    let again: T = serde_json::from_str(&written).expect("what was written can be read");
    let rewritten = serde_json::to_string(&again).expect("what was read can be written");
    assert_eq!(rewritten, written);
    Some(value)
}

fn check_snapshot(snapshot: &Snapshot, bytes: usize) {
    let Ok(page) = snapshot.to_page() else {
        return;
    };
    html::check(&page, bytes);
    let kept = snapshot.without_secrets(&page);
    let again = kept.to_page().expect("what is kept is a page");
    assert_eq!(again.address, page.address);
    assert_eq!(again.outlinks, page.outlinks);
    assert_eq!(kept.without_secrets(&again), kept);
}

pub fn seeds() -> Seeds {
    let facts = r#"{"id":"abc","ownId":"abc","ownPages":"chrome-extension://abc/","url":"http://a.test/","tab":7,"tabUrl":"http://a.test/","frame":0}"#;
    let page = r#"{"url":"http://a.test/x?token=SECRET&page=2","title":"Bees","description":"d","lang":"en","base":"/b/?session=SECRET","leafCount":2,"leaves":"about\u0001centres","links":[1,2,0,1],"hrefs":["/c?sid=SECRET","mailto:a@b"],"headings":[1,0,1],"forms":[{"action":"/s?q","method":"get","naming":"n","fields":[{"kind":"text","naming":"q","label":"l","options":2}],"leaves":[0,1]}],"truncated":false}"#;
    let case = |text: &str| format!("{text}\0{facts}").into_bytes();
    vec![
        (
            "page",
            case(&format!(
                r#"{{"kind":"page","page":{page},"started":1.5e12,"showing":{{"at":1.0,"how":"navigate","referrer":""}},"loaded":"http://a.test/"}}"#
            )),
        ),
        (
            "followed",
            case(&format!(
                r#"{{"kind":"followed","page":{page},"place":-1,"newTab":true,"loaded":null}}"#
            )),
        ),
        ("snapshot", case(page)),
        (
            "may-read",
            case(r#"{"kind":"may_read","loaded":"http://a.test/","isPrivate":true}"#),
        ),
        (
            "hand-over",
            case(
                r#"{"kind":"hand_over","budget":200,"seeds":["http://a.test/"],"depth":3,"strategy":"ensemble"}"#,
            ),
        ),
        (
            "rendered",
            case(
                r#"{"kind":"rendered","page":{"crawl":1,"address":"http://a.test/","html":"<p>x","problem":""}}"#,
            ),
        ),
        (
            "event",
            case(
                r#"{"id":"e1","topic":"bees","time":7,"kind":"mark","address":"http://a.test/","title":"t","target":true,"words":[["bee",3]]}"#,
            ),
        ),
        (
            "forget",
            case(
                r#"{"every_click":false,"pages":["http://a.test/"],"hosts":["b.test"],"visits_since":5,"clicks":[["http://a.test/","http://b.test/"]]}"#,
            ),
        ),
    ]
}

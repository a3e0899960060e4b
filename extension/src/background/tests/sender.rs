//! Who may ask for what, and that the scripts and the requests name the same kinds.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::fakes::companion::{CODE, PORT};
use crate::fakes::{Stage, page};
use crate::ports::TabMessage;
use crate::problem::Problem;
use crate::request::Request;
use crate::sender::Sender;

/// What pages may send, and nothing else.
const FROM_PAGES: [&str; 5] = ["followed", "may_read", "open_panel", "page", "why"];
/// What frames may send.
const FROM_FRAMES: [&str; 3] = ["frame", "may_read", "why"];
const HERE: &str = "http://kidney.test/";

/// How a page says that it came to be shown.
fn showing() -> Value {
    json!({ "at": 1.5, "how": "navigate", "referrer": "" })
}

/// A message of each kind, as it is sent.
fn messages() -> Vec<Value> {
    let page = serde_json::to_value(page(HERE, "Kidneys", "Dialysis.", &[])).unwrap();
    vec![
        json!({ "kind": "may_read", "loaded": HERE }),
        json!({ "kind": "page", "page": page, "started": 1.5, "showing": showing(), "loaded": HERE }),
        json!({ "kind": "frame", "page": page, "loaded": HERE }),
        json!({ "kind": "followed", "page": page, "place": -1, "newTab": false, "loaded": HERE }),
        json!({ "kind": "why", "page": page, "place": 0, "loaded": HERE }),
        json!({ "kind": "open_panel" }),
        json!({ "kind": "opened", "tab": 8, "opener": 7 }),
        json!({ "kind": "state", "tab": 7 }),
        json!({ "kind": "mark", "tab": 7, "target": true }),
        json!({ "kind": "mark_form", "tab": 7, "form": 0, "wanted": null }),
        json!({ "kind": "correct_class", "tab": 7, "class": null }),
        json!({ "kind": "say", "tab": 7, "text": "moats", "wanted": true }),
        json!({ "kind": "answer", "tab": 7, "crawl": null, "page": HERE, "answer": "skip" }),
        json!({ "kind": "topic", "tab": 7, "name": "EVIL" }),
        json!({ "kind": "rename", "tab": 7, "name": "EVIL" }),
        json!({ "kind": "remove", "tab": 7 }),
        json!({ "kind": "bring_back", "tab": 7, "name": "EVIL" }),
        json!({ "kind": "delete_topic", "name": "EVIL" }),
        json!({ "kind": "topics" }),
        json!({ "kind": "way", "tab": 7 }),
        json!({ "kind": "pause", "tab": 7, "on": true }),
        json!({ "kind": "trails" }),
        json!({ "kind": "forget", "id": null }),
        json!({ "kind": "forget_page", "tab": 7, "address": HERE }),
        json!({ "kind": "excluded" }),
        json!({ "kind": "exclude", "patterns": "EVIL" }),
        json!({ "kind": "pair", "port": PORT, "code": CODE }),
        json!({ "kind": "unpair" }),
        json!({ "kind": "sync" }),
        json!({ "kind": "keep_topic_model" }),
        json!({ "kind": "forget_since", "minutes": 60 }),
        json!({ "kind": "panel_only", "on": true }),
        json!({ "kind": "reads", "on": false }),
        json!({ "kind": "ledger" }),
        json!({ "kind": "tell_of_crawls", "on": true }),
        json!({ "kind": "keep_for_later", "address": HERE, "title": "EVIL" }),
        json!({ "kind": "not_later", "address": HERE }),
        json!({ "kind": "later" }),
        json!({ "kind": "dry_run", "seeds": [HERE] }),
        json!({ "kind": "propose", "pages": [[HERE, "EVIL"]] }),
        json!({ "kind": "finds" }),
        json!({ "kind": "find", "text": "EVIL" }),
        json!({ "kind": "waiting_sites" }),
        json!({ "kind": "look_through", "host": "EVIL", "on": true }),
        json!({ "kind": "next_renderings" }),
        json!({ "kind": "rendered", "page": { "crawl": 3, "address": HERE, "html": "EVIL" } }),
        json!({ "kind": "keep_reading", "tab": 7, "everySite": true, "on": true }),
        json!({ "kind": "keep_read", "tab": 7, "url": HERE, "html": "EVIL" }),
        json!({ "kind": "start_here", "tab": 7 }),
        json!({ "kind": "everything" }),
        json!({ "kind": "delete_everything" }),
        json!({ "kind": "forget_site", "tab": 7 }),
        json!({ "kind": "dashboard" }),
        json!({ "kind": "hand_over", "budget": 6, "seeds": [] }),
    ]
}

fn kind(message: &Value) -> &str {
    message["kind"].as_str().unwrap()
}

fn request(message: &Value) -> Request {
    serde_json::from_value(message.clone()).unwrap()
}

/// All kinds of requests, as serde knows them.
fn kinds() -> BTreeSet<String> {
    let error = serde_json::from_value::<Request>(json!({ "kind": "?" })).unwrap_err();
    let error = error.to_string();
    let quoted = error.split('`').skip(1).step_by(2);
    quoted
        .filter(|name| *name != "?")
        .map(str::to_owned)
        .collect()
}

fn stage() -> Stage {
    let mut stage = Stage::with_topic("kidneys");
    stage.open(7, &page(HERE, "Kidneys", "Dialysis.", &[]));
    stage
}

#[test]
fn there_is_a_message_of_each_kind() {
    let tried: BTreeSet<String> = messages().iter().map(|one| kind(one).to_owned()).collect();
    assert_eq!(tried, kinds());
    assert!(kinds().len() > 15, "{:?}", kinds());
}

#[test]
fn pages_may_send_five_kinds_frames_three_and_own_pages_the_others() {
    for message in messages() {
        let is_from_page = FROM_PAGES.contains(&kind(&message));
        let mut stage = stage();
        let before = stage.kept();
        let as_page = stage.as_page(7, HERE, request(&message));
        let refused = matches!(as_page, Err(Problem::NotTaken));
        assert_eq!(refused, !is_from_page, "{message} of a page: {as_page:?}");
        if refused {
            assert_eq!(stage.kept(), before, "{message}");
            assert!(stage.world.companion.borrow().seen.is_empty());
        }
        let frame = Sender::Frame {
            tab: 7,
            url: HERE.to_owned(),
            around: HERE.to_owned(),
        };
        let is_from_frame = FROM_FRAMES.contains(&kind(&message));
        let as_frame = stage.as_sender(&frame, request(&message));
        let refused = matches!(as_frame, Err(Problem::NotTaken));
        assert_eq!(
            refused, !is_from_frame,
            "{message} of a frame: {as_frame:?}"
        );
        let as_own = stage.own(request(&message));
        let refused = matches!(as_own, Err(Problem::NotTaken));
        let is_from_own = !is_from_page && !is_from_frame;
        assert_eq!(refused, !is_from_own, "{message} of our own: {as_own:?}");
    }
}

#[test]
fn a_page_speaks_for_its_own_site_only() {
    let words = "Dialysis.";
    for address in [
        "http://other.test/",
        "https://kidney.test/",
        "http://kidney.test:81/",
        "file:///etc/passwd",
        "no address",
    ] {
        let mut stage = stage();
        let before = stage.kept();
        let page = page(address, "Kidneys", words, &[("/diet", "diet")]);
        let page = serde_json::to_value(page).unwrap();
        for message in [
            json!({ "kind": "page", "page": page, "started": 1, "showing": showing(), "loaded": null }),
            json!({ "kind": "followed", "page": page, "place": 0, "newTab": true }),
        ] {
            stage.as_page(7, HERE, request(&message)).unwrap();
        }
        assert_eq!(stage.kept(), before, "{address}");
    }
    // The rest of its address a page may change by itself.
    let mut stage = stage();
    let page = page("http://kidney.test/inside", "Diet", words, &[]);
    stage.open(7, &page);
    assert!(stage.kept().contains("kidney.test/inside"));
    let opaque = "file:///home/a.html";
    let page = crate::fakes::page(opaque, "Diet", words, &[]);
    let page = serde_json::to_value(page).unwrap();
    let message = json!({ "kind": "page", "page": page, "started": 1, "showing": showing() });
    stage.as_page(7, opaque, request(&message)).unwrap();
    assert!(!stage.kept().contains("a.html"));
}

#[test]
fn only_the_dashboard_of_the_paired_companion_opens_the_panel() {
    let mut stage = stage();
    let dashboard = format!("http://127.0.0.1:{PORT}/d/secret/");
    let opened = |stage: &mut Stage, url: &str| {
        stage.as_page(7, url, Request::OpenPanel).unwrap();
        stage.world.panels.take()
    };
    assert_eq!(opened(&mut stage, &dashboard), 0, "it is not paired");
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
    assert_eq!(opened(&mut stage, &dashboard), 1);
    let other = format!("http://127.0.0.1:{}/", PORT + 1);
    let secure = format!("https://127.0.0.1:{PORT}/");
    let named = format!("http://127.0.0.1.evil.test:{PORT}/");
    for url in [HERE, &other, &secure, &named, "no address"] {
        assert_eq!(opened(&mut stage, url), 0, "{url}");
    }
}

#[test]
fn what_is_no_request_is_none() {
    for message in [
        json!(null),
        json!("sync"),
        json!({}),
        json!({ "kind": null }),
        json!({ "kind": "toString" }),
        json!({ "kind": "Sync" }),
        json!({ "kind": "pair", "port": 70_000, "code": "" }),
        json!({ "kind": "hand_over" }),
    ] {
        let read = serde_json::from_value::<Request>(message.clone());
        assert!(read.is_err(), "{message}");
    }
}

/// The kinds that stand in a script right behind `before`.
fn named(script: &str, before: &str) -> BTreeSet<String> {
    let found = script.split(before).skip(1);
    let name = found.filter_map(|rest| rest.split('"').next());
    name.map(str::to_owned).collect()
}

/// A kind cannot exist on one side only.
#[test]
fn the_scripts_name_the_same_kinds() {
    let content = include_str!("../../../js/content.js");
    let set = |names: &[&str]| -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    };
    // What content scripts send is what pages and frames may send.
    let dashboard = include_str!("../../../js/dashboard.js");
    let sent = [content, dashboard].concat();
    let from_outside = set(&[&FROM_PAGES[..], &FROM_FRAMES].concat());
    assert_eq!(named(&sent, "kind: \""), from_outside);
    // What they listen to is what tabs are told, and what they are asked.
    let told = [TabMessage::Refresh, TabMessage::Forgotten].map(|what| {
        let name = serde_json::to_value(what).unwrap();
        name.as_str().unwrap().to_owned()
    });
    let mut heard = set(&[
        "rendered", "snapshot", "shown", "reach", "link", "told", "jump", "why", "pointed",
    ]);
    heard.extend(told);
    assert_eq!(named(content, "message.kind === \""), heard);
    // The background script makes messages of its own and of what the browser's menus, keys and
    // address bar are used for, asks tabs, and knows no other kind.
    let to_tabs = ["rendered", "link", "refresh", "snapshot", "told", "pointed"];
    let background = [
        include_str!("../../../js/background.js"),
        include_str!("../../../js/menus.js"),
        include_str!("../../../js/looking.js"),
    ]
    .concat();
    let by_itself = [
        "keep_topic_model",
        "keep_read",
        "next_renderings",
        "rendered",
        "opened",
        "refresh",
        "snapshot",
        "sync",
    ];
    let by_the_browser = [
        "find",
        "keep_for_later",
        "link",
        "mark",
        "say",
        "told",
        "pointed",
    ];
    let own = set(&[&by_itself[..], &by_the_browser[..]].concat());
    assert_eq!(named(&background, "kind: \""), own);
    assert!(
        own.iter()
            .all(|kind| to_tabs.contains(&&**kind) || kinds().contains(kind))
    );
    // Popup and panel send the others but what is only the background's, by the enum itself.
    let screens = [
        include_str!("../../screens/ask.rs"),
        include_str!("../../screens/popup.rs"),
        include_str!("../../screens/popup/companion.rs"),
        include_str!("../../screens/panel.rs"),
        include_str!("../../screens/later.rs"),
        include_str!("../../screens/finds.rs"),
        include_str!("../../screens/topics.rs"),
        include_str!("../../screens/trails.rs"),
        include_str!("../../screens/way.rs"),
        include_str!("../../screens/dry_run.rs"),
        include_str!("../../screens/sites.rs"),
        include_str!("../../screens/proposals.rs"),
        include_str!("../../screens/searching.rs"),
    ]
    .concat();
    let mut others = from_outside;
    others.extend(set(&[
        "opened",
        "keep_topic_model",
        "keep_read",
        "next_renderings",
        "rendered",
    ]));
    for kind in kinds().difference(&others) {
        let words = kind.split('_').map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + rest
        });
        let variant = format!("Request::{}", words.collect::<String>());
        assert!(screens.contains(&variant), "nobody sends {kind}");
    }
    let page = include_str!("../../../js/page.js");
    // Screens ask a tab for what is drawn there by themselves.
    assert_eq!(named(page, "kind: \""), set(&["shown", "reach"]));
}

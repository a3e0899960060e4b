//! Topics, events and browsers.

use linkscent_core::address::Address;
use linkscent_core::topic_model::ToForget;
use linkscent_core::wire::api::{Event, EventKind, EventName};
use linkscent_core::wire::channel::DeviceKey;

use super::{NOBODY, click, crawl, mark};
use crate::{ModelOf, Store};

promises! {
    a_character_zero_hinders_no_event,
    topics_are_listed_newest_first,
    a_key_has_one_topic,
    a_topic_is_called_what_was_said_last,
    a_topic_is_removed_if_that_was_said_last,
    what_was_set_last_is_in_force,
    a_taxonomy_belongs_to_its_topic,
    a_model_or_a_click_makes_a_topic_one_that_was_taught,
    a_version_rises_with_what_the_model_is_made_from,
    a_topic_that_is_not_there_reads_as_nothing,
    an_event_sent_twice_is_taken_once,
    of_many_senders_of_an_event_one_is_first,
    events_are_in_the_order_they_happened,
    marks_and_phrases_are_heard_after_a_number,
    events_make_their_topics,
    events_are_found_by_their_kind,
    the_last_mark_on_a_page_is_in_force,
    what_is_noted_is_an_event_of_its_own,
    a_browser_is_known_until_it_is_removed,
    browsers_of_one_name_stay_apart,
}

async fn version(store: &Store, name: &str) -> i64 {
    store.find_topic(name).await.unwrap().unwrap().version
}

async fn ids(store: &Store, topic: i64) -> Vec<String> {
    let events = store.events(topic).await.unwrap();
    events.into_iter().map(|event| event.id).collect()
}

async fn topics_are_listed_newest_first(store: &Store) {
    assert!(store.topics().await.unwrap().is_empty());
    for name in ["b", "c", "a"] {
        store.topic_named(name).await.unwrap();
    }
    let topics = store.topics().await.unwrap();
    let names: Vec<&str> = topics.iter().map(|topic| &*topic.name).collect();
    assert_eq!(names, ["a", "c", "b"]);
    assert!(topics.is_sorted_by(|newer, older| newer.id > older.id));
    for topic in topics {
        assert_eq!(store.topic(topic.id).await.unwrap(), Some(topic));
    }
}

async fn a_key_has_one_topic(store: &Store) {
    let first = store.topic_named("bees").await.unwrap();
    assert_eq!(first.version, 0);
    assert_eq!(store.topic_named("bees").await.unwrap(), first);
    assert_eq!(store.find_topic("bees").await.unwrap(), Some(first.clone()));
    for other in ["Bees", "bees ", "bee", ""] {
        assert_eq!(store.find_topic(other).await.unwrap(), None, "{other:?}");
    }
    let other = store.topic_named("Bees").await.unwrap();
    assert!(other.id > first.id);
    assert_eq!(store.topics().await.unwrap().len(), 2);
}

async fn a_topic_is_called_what_was_said_last(store: &Store) {
    let name = |id: &str, topic: &str, name: &str| Event {
        what: EventKind::Name {
            name: name.to_owned(),
        },
        ..mark(id, topic, "http://a.test/")
    };
    let first = store.topic_named("bees").await.unwrap();
    assert_eq!((&*first.key, &*first.name), ("bees", "bees"));
    let said = [name("1", "bees", "wasps"), name("2", "bees", "wild bees")];
    store.take_events(&said).await.unwrap();
    // What was said before is passed over, also if it comes after it.
    let early = Event {
        time: 0,
        ..name("3", "bees", "hornets")
    };
    let late = [early.clone(), said[0].clone()];
    assert_eq!(store.take_events(&late).await.unwrap(), 1);
    let now = store.find_topic("bees").await.unwrap().unwrap();
    assert_eq!((now.id, &*now.name), (first.id, "wild bees"));
    assert_eq!(store.topic(now.id).await.unwrap().as_ref(), Some(&now));
    assert_eq!(store.topics().await.unwrap(), std::slice::from_ref(&now));
    assert_eq!(store.topic_named("bees").await.unwrap(), now);
    let called = async |name: &str| store.topic_called(name).await.unwrap().map(|one| one.id);
    assert_eq!(called("wild bees").await, Some(now.id));
    for other in ["bees", "wasps", ""] {
        assert_eq!(called(other).await, None, "{other:?}");
    }
    // Of several the newest; a topic may have for its key what another is called.
    let other = store.topic_named("wild bees").await.unwrap();
    assert_eq!(called("wild bees").await, Some(other.id));
    let [first, second] = said;
    assert_eq!(store.events(now.id).await.unwrap(), [early, first, second]);
}

async fn a_topic_is_removed_if_that_was_said_last(store: &Store) {
    let said = |id: &str, time: u64, removed: bool| Event {
        what: EventKind::Remove {
            removed,
            for_good: false,
        },
        time,
        ..mark(id, "bees", "http://a.test/")
    };
    let is_removed = async || {
        let topic = store.topic_named("bees").await.unwrap();
        assert_eq!(store.topics().await.unwrap(), std::slice::from_ref(&topic));
        topic.is_removed
    };
    assert!(!is_removed().await);
    store.take_events(&[said("1", 10, true)]).await.unwrap();
    assert!(is_removed().await);
    store.take_events(&[said("2", 20, false)]).await.unwrap();
    assert!(!is_removed().await);
    // Said before, and heard of now.
    store.take_events(&[said("3", 15, true)]).await.unwrap();
    assert!(!is_removed().await);
    let named = Event {
        what: EventKind::Name {
            name: "wasps".to_owned(),
        },
        ..said("4", 30, true)
    };
    let batch = [said("5", 25, true), named];
    store.take_events(&batch).await.unwrap();
    assert!(is_removed().await);
}

async fn what_was_set_last_is_in_force(store: &Store) {
    let topic = store.topic_named("bees").await.unwrap().id;
    assert_eq!(store.critic(topic).await.unwrap(), None);
    assert_eq!(store.model(topic).await.unwrap(), None);
    for last in ["first", "“second”"] {
        store.set_critic(topic, last).await.unwrap();
        store.set_model(topic, last.as_bytes()).await.unwrap();
    }
    let critic = store.critic(topic).await.unwrap();
    assert_eq!(critic.as_deref(), Some("“second”"));
    store.set_model(topic, &[0, 255, 0]).await.unwrap();
    let model = store.model(topic).await.unwrap();
    assert_eq!(model, Some(vec![0, 255, 0]));
}

async fn a_taxonomy_belongs_to_its_topic(store: &Store) {
    let [bees, birds] = ["bees", "birds"];
    let (bees, birds) = (
        store.topic_named(bees).await.unwrap().id,
        store.topic_named(birds).await.unwrap().id,
    );
    assert_eq!(store.taxonomy(bees).await.unwrap(), None);
    assert!(store.taxonomies().await.unwrap().is_empty());
    let before = version(store, "bees").await;
    for last in [&b"first"[..], &[0, 255, 0]] {
        store.set_taxonomy(bees, last).await.unwrap();
    }
    assert!(version(store, "bees").await > before);
    assert_eq!(store.taxonomy(bees).await.unwrap(), Some(vec![0, 255, 0]));
    assert_eq!(store.taxonomy(birds).await.unwrap(), None);
    assert_eq!(store.taxonomy(birds + 9).await.unwrap(), None);
    store.set_taxonomy(birds, b"birds").await.unwrap();
    let mut kept = store.taxonomies().await.unwrap();
    kept.sort();
    assert_eq!(kept, [(bees, vec![0, 255, 0]), (birds, b"birds".to_vec())]);
}

async fn a_model_or_a_click_makes_a_topic_one_that_was_taught(store: &Store) {
    let of = async |name: &str| store.topic_named(name).await.unwrap().id;
    let [modelled, clicked, _] = [of("modelled").await, of("clicked").await, of("new").await];
    let marked = [mark("1", "marked", "http://a.test/")];
    store.take_events(&marked).await.unwrap();
    assert!(store.taught().await.unwrap().is_empty());
    store.set_model(modelled, b"model").await.unwrap();
    let followed = [click("2", "clicked", "http://a.test/", "http://b.test/")];
    store.take_events(&followed).await.unwrap();
    assert_eq!(store.taught().await.unwrap(), [clicked, modelled]);
}

async fn events_are_found_by_their_kind(store: &Store) {
    let mark = mark("1", "bees", "http://a.test/");
    let click = Event {
        id: "2".to_owned(),
        what: EventKind::Click {
            from: "http://a.test/".to_owned(),
            to: "http://b.test/".to_owned(),
            anchor: "\"kind\":\"mark\"".to_owned(),
            context: Vec::new(),
            relevance: 0.5,
            passed_over: Vec::new(),
        },
        ..mark.clone()
    };
    store
        .take_events(&[click.clone(), mark.clone()])
        .await
        .unwrap();
    let topic = store.find_topic("bees").await.unwrap().unwrap().id;
    let of = async |kind| store.events_of(topic, kind).await.unwrap();
    assert_eq!(of(EventName::Mark).await, [mark]);
    assert_eq!(of(EventName::Click).await, [click]);
    assert_eq!(of(EventName::Form).await, []);
    assert_eq!(
        store.events_of(topic + 1, EventName::Mark).await.unwrap(),
        []
    );
}

async fn a_version_rises_with_what_the_model_is_made_from(store: &Store) {
    let topic = store.topic_named("bees").await.unwrap().id;
    let other = store.topic_named("birds").await.unwrap();
    let crawl = crawl(&**store).await;
    let mut last = version(store, "bees").await;
    for change in 0..4 {
        match change {
            0 => store.set_critic(topic, "topic").await.unwrap(),
            1 => store.set_model(topic, b"model").await.unwrap(),
            2 => {
                let of = ModelOf::Topic(topic);
                store.replace_model(of, b"another").await.unwrap();
            }
            _ => {
                let event = mark("1", "bees", "http://a.test/");
                store.take_events(&[event]).await.unwrap();
            }
        }
        let now = version(store, "bees").await;
        assert!(now > last, "change {change}");
        last = now;
    }
    let of = ModelOf::Crawl(crawl);
    store.replace_model(of, b"another").await.unwrap();
    store.add_notice(topic, None, "said", 1).await.unwrap();
    assert_eq!(version(store, "bees").await, last);
    assert_eq!(store.topic(other.id).await.unwrap(), Some(other));
}

async fn a_topic_that_is_not_there_reads_as_nothing(store: &Store) {
    store.set_critic(NOBODY, "topic").await.unwrap();
    store.set_model(NOBODY, b"model").await.unwrap();
    let of = ModelOf::Topic(NOBODY);
    store.replace_model(of, b"model").await.unwrap();
    for id in [NOBODY, 0, -1, i64::MIN, i64::MAX] {
        assert_eq!(store.topic(id).await.unwrap(), None);
        assert_eq!(store.critic(id).await.unwrap(), None);
        assert_eq!(store.model(id).await.unwrap(), None);
        assert_eq!(store.events(id).await.unwrap(), []);
    }
    assert!(store.topics().await.unwrap().is_empty());
}

async fn an_event_sent_twice_is_taken_once(store: &Store) {
    let first = mark("1", "bees", "http://a.test/");
    // Known by its identifier, whatever else it says.
    let again = mark("1", "birds", "http://b.test/");
    let second = mark("2", "bees", "http://a.test/");
    let batch = [first.clone(), again.clone(), second.clone()];
    assert_eq!(store.take_events(&batch).await.unwrap(), 2);
    let before = version(store, "bees").await;
    assert_eq!(store.take_events(&batch).await.unwrap(), 0);
    assert_eq!(store.take_events(&[]).await.unwrap(), 0);
    assert_eq!(version(store, "bees").await, before, "nothing was new");
    let third = mark("3", "bees", "http://c.test/");
    let batch = [second.clone(), third.clone()];
    assert_eq!(store.take_events(&batch).await.unwrap(), 1);
    assert!(version(store, "bees").await > before);
    let topic = store.find_topic("bees").await.unwrap().unwrap();
    let kept = store.events(topic.id).await.unwrap();
    assert_eq!(kept, [first, second, third]);
    let birds = store.find_topic("birds").await.unwrap().unwrap();
    assert_eq!(store.events(birds.id).await.unwrap(), []);
}

async fn of_many_senders_of_an_event_one_is_first(store: &Store) {
    let senders = (0..4).map(|_| {
        let store = store.clone();
        tokio::spawn(async move {
            let batch = ["1", "2", "3"].map(|id| mark(id, "bees", "http://a.test/"));
            store.take_events(&batch).await.unwrap()
        })
    });
    let mut taken = 0;
    for sender in senders.collect::<Vec<_>>() {
        taken += sender.await.unwrap();
    }
    assert_eq!(taken, 3);
    assert_eq!(store.topics().await.unwrap().len(), 1);
}

async fn events_are_in_the_order_they_happened(store: &Store) {
    let at = |id: &str, topic: &str, time: u64| Event {
        time,
        ..click(id, topic, "http://a.test/", "http://b.test/")
    };
    let batch = [
        at("z", "bees", 30),
        at("m", "birds", 1),
        at("a", "bees", 20),
    ];
    assert_eq!(store.latest_time().await.unwrap(), 0);
    store.take_events(&batch).await.unwrap();
    let late = [at("k", "bees", 10), at("b", "bees", 20)];
    store.take_events(&late).await.unwrap();
    assert_eq!(store.latest_time().await.unwrap(), 30);
    let bees = store.topic_named("bees").await.unwrap().id;
    assert_eq!(ids(store, bees).await, ["k", "a", "b", "z"]);
    let clicks = store.events_of(bees, EventName::Click).await.unwrap();
    assert_eq!(clicks, store.events(bees).await.unwrap());
    let birds = store.topic_named("birds").await.unwrap().id;
    assert_eq!(store.events(birds).await.unwrap(), [batch[1].clone()]);
}

async fn marks_and_phrases_are_heard_after_a_number(store: &Store) {
    let phrase = Event {
        what: EventKind::Phrase {
            text: "keeps".to_owned(),
            wanted: Some(true),
        },
        ..mark("3", "birds", "http://a.test/")
    };
    let first = mark("1", "bees", "http://a.test/");
    let click = click("2", "bees", "http://a.test/", "http://b.test/");
    let heard = async |after, most| {
        let said = store.said_after(after, most).await.unwrap();
        let ids = said.events.into_iter().map(|event| event.id);
        (ids.collect::<Vec<_>>(), said.until)
    };
    let nothing: [String; 0] = [];
    assert_eq!(heard(0, 9).await, (nothing.to_vec(), 0));
    store.take_events(&[first, click, phrase]).await.unwrap();
    let (ids, until) = heard(0, 9).await;
    assert_eq!(ids, ["1", "3"]);
    assert_eq!(heard(until, 9).await, (nothing.to_vec(), until));
    assert_eq!(heard(until + 1, 9).await.0, ["1", "3"], "not given yet");
    let (ids, between) = heard(0, 1).await;
    assert_eq!(ids, ["1"]);
    assert_eq!(heard(between, 1).await.0, ["3"]);
    // A number is never given twice, also if the last event goes.
    let gone = mark("4", "bees", "http://gone.test/");
    store.take_events(&[gone]).await.unwrap();
    let (_, until) = heard(0, 9).await;
    let page = Address::parse("http://gone.test/").unwrap();
    let gone = ToForget {
        pages: [page].into(),
        ..ToForget::default()
    };
    let spellings = store.spellings(&gone).await.unwrap();
    store.forget_rows(&gone, &spellings).await.unwrap();
    assert_eq!(heard(until, 9).await.0, nothing);
    let next = mark("5", "bees", "http://next.test/");
    store.take_events(&[next]).await.unwrap();
    assert_eq!(heard(until, 9).await.0, ["5"]);
}

async fn events_make_their_topics(store: &Store) {
    let known = mark("1", "bees", "http://a.test/");
    store
        .take_events(std::slice::from_ref(&known))
        .await
        .unwrap();
    let bees = version(store, "bees").await;
    let batch = [known, mark("2", "birds", "http://a.test/")];
    store.take_events(&batch).await.unwrap();
    assert!(version(store, "birds").await > 0);
    assert!(version(store, "bees").await > bees, "it is named too");
}

async fn the_last_mark_on_a_page_is_in_force(store: &Store) {
    let topic = store.topic_named("bees").await.unwrap();
    let marked = |page: &str, target| EventKind::mark_unread(page, target);
    let [a, b, c] = ["http://a.test/", "http://b.test/", "http://c.test/"];
    let marks = vec![
        marked(a, Some(true)),
        marked(b, Some(true)),
        marked(c, Some(true)),
        marked(a, Some(false)),
        marked(b, None),
    ];
    store.note(&topic, marks).await.unwrap();
    let marks = store.marks(topic.id).await.unwrap();
    let marks: Vec<(&str, bool)> = marks.iter().map(|m| (&*m.address, m.target)).collect();
    assert_eq!(marks, [(a, false), (c, true)]);
}

async fn what_is_noted_is_an_event_of_its_own(store: &Store) {
    let topic = store.topic_named("bees").await.unwrap();
    for _ in 0..2 {
        let what = click("", "", "http://a.test/", "http://b.test/").what;
        store.note(&topic, vec![what]).await.unwrap();
    }
    let ids = ids(store, topic.id).await;
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    let clicks = store.clicks().await.unwrap();
    let ends = clicks.iter().map(|(from, to)| (from.as_str(), to.as_str()));
    assert_eq!(
        ends.collect::<Vec<_>>(),
        [("http://a.test/", "http://b.test/"); 2]
    );
}

fn key(byte: u8) -> DeviceKey {
    DeviceKey::from_bytes(&[byte; 32]).unwrap()
}

async fn a_browser_is_known_until_it_is_removed(store: &Store) {
    let origin = "moz-extension://1";
    let first = store.add_device("first", origin, &key(1)).await.unwrap();
    let second = store.add_device("second", "", &key(2)).await.unwrap();
    let devices = store.devices().await.unwrap();
    let names: Vec<(&str, &str)> = devices.iter().map(|d| (&*d.name, &*d.origin)).collect();
    assert_eq!(names, [("second", ""), ("first", origin)]);
    for (identifier, key, device) in [
        (&first, key(1), &devices[1]),
        (&second, key(2), &devices[0]),
    ] {
        assert_eq!(identifier.len(), 32);
        assert!(identifier.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let known = store.device_key(identifier).await.unwrap();
        assert_eq!(known, Some((device.id, key)));
        assert!(store.has_device(device.id).await.unwrap());
    }
    store.remove_device(devices[1].id).await.unwrap();
    store.remove_device(NOBODY).await.unwrap();
    assert_eq!(store.device_key(&first).await.unwrap(), None);
    assert!(!store.has_device(devices[1].id).await.unwrap());
    assert_eq!(store.devices().await.unwrap(), devices[..1]);
    assert_eq!(store.device_key("").await.unwrap(), None);
    assert!(!store.has_device(NOBODY).await.unwrap());
}

async fn browsers_of_one_name_stay_apart(store: &Store) {
    let first = store.add_device("one", "", &key(1)).await.unwrap();
    let second = store.add_device("one", "", &key(2)).await.unwrap();
    assert_ne!(first, second);
    let (id, _) = store.device_key(&first).await.unwrap().unwrap();
    store.remove_device(id).await.unwrap();
    let kept = store.device_key(&second).await.unwrap();
    assert_eq!(kept.map(|(_, kept)| kept), Some(key(2)));
}

async fn a_character_zero_hinders_no_event(store: &Store) {
    let mut marked = mark("1", "bees", "http://a.test/");
    if let EventKind::Mark { title, .. } = &mut marked.what {
        "a\u{0}b".clone_into(title);
    }
    let taken = store
        .take_events(&[marked, mark("2", "bees", "http://b.test/")])
        .await;
    assert_eq!(taken.unwrap(), 2);
    let topic = store.topic_named("bees").await.unwrap().id;
    let marks = store.events_of(topic, EventName::Mark).await.unwrap();
    assert_eq!(marks.len(), 2);
}

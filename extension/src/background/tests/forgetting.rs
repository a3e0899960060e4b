//! What is forgotten is gone from every row, in a world in memory.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::Forget;

use crate::fakes::companion::{CODE, PORT};
use crate::fakes::{English, Stage, page};
use crate::ports::TabMessage;
use crate::request::Request;

fn clinic() -> Snapshot {
    page(
        "http://town.test/clinic",
        "Opioid treatment",
        "Methadone and counselling for patients in our town. Methadone treatment.",
        &[("/beds", "beds")],
    )
}

fn news() -> Snapshot {
    page(
        "http://news.test/",
        "News of the day",
        "Tomatoes and potatoes grow in every garden.",
        &[
            ("http://news.test/bait", "opioid treatment with methadone"),
            ("http://news.test/garden", "gardens"),
        ],
    )
}

fn bait() -> Snapshot {
    page(
        "http://news.test/bait",
        "Zeppelins",
        "Zeppelins above the garden.",
        &[],
    )
}

/// A page marked, a link followed.
fn browsed() -> Stage {
    let mut stage = Stage::with_topic("methadone");
    stage.open(7, &clinic());
    stage.mark(7, Some(true));
    stage.open(8, &news());
    stage.follow(8, &news(), 0, &bait());
    assert_eq!(stage.trails().len(), 1);
    stage
}

fn pair(stage: &mut Stage) {
    let (port, code) = (PORT, CODE.to_owned());
    stage.own(Request::Pair { port, code }).unwrap();
}

fn trail_id(stage: &mut Stage) -> String {
    match stage.own(Request::Trails).unwrap().answer {
        crate::request::Response::Trails(trails) => trails[0].id.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn everything_that_was_read_goes_and_marks_stay() {
    let mut stage = browsed();
    for kept in ["news.test/bait", "zeppelin", "tomato"] {
        assert!(stage.kept().contains(kept), "{kept} was never kept");
    }
    assert!(stage.own(Request::Forget { id: None }).unwrap().news.sync);
    let kept = stage.kept();
    for gone in ["news.test", "zeppelin", "tomato", "opioid treatment with"] {
        assert!(!kept.contains(gone), "{gone}: {kept}");
    }
    assert!(stage.trails().is_empty());
    assert!(kept.contains("town.test/clinic"), "{kept}");
    // The topic model is made again from the mark.
    stage.open(7, &clinic());
    assert_eq!(stage.state(7).mark, Some(true));
    assert!(!stage.kept().contains("zeppelin"));
}

#[test]
fn a_click_that_waits_is_forgotten_too() {
    let mut stage = browsed();
    let request = Request::Followed {
        page: news(),
        place: 1,
        new_tab: false,
        loaded: None,
    };
    let again = request.clone();
    stage.as_page(8, "http://news.test/", again).unwrap();
    assert!(stage.kept().contains("news.test/garden"));
    stage.own(Request::Forget { id: None }).unwrap();
    assert!(!stage.kept().contains("news.test/garden"));

    let mut stage = browsed();
    stage.as_page(8, "http://news.test/", request).unwrap();
    let (tab, address) = (8, "http://news.test/garden".to_owned());
    stage.own(Request::ForgetPage { tab, address }).unwrap();
    assert!(!stage.kept().contains("news.test/garden"));
}

#[test]
fn a_page_goes_with_its_mark_its_words_and_its_links() {
    let mut stage = browsed();
    let forget = |stage: &mut Stage, address: &str| {
        let (tab, address) = (7, address.to_owned());
        stage.own(Request::ForgetPage { tab, address }).unwrap();
    };
    forget(&mut stage, "http://town.test/clinic");
    let kept = stage.kept();
    for gone in ["town.test/clinic", "counsel"] {
        assert!(!kept.contains(gone), "{gone}: {kept}");
    }
    assert!(kept.contains("news.test/bait"), "other pages stay: {kept}");
    forget(&mut stage, "http://news.test/bait");
    let kept = stage.kept();
    for gone in ["news.test/bait", "zeppelin"] {
        assert!(!kept.contains(gone), "{gone}: {kept}");
    }
    assert!(stage.trails().is_empty());
    // Its tab is told not to send it again.
    let told = stage.world.told.borrow();
    assert!(told.contains(&(7, TabMessage::Forgotten)));
}

#[test]
fn a_trail_goes_with_the_page_it_led_to_unless_that_is_marked() {
    let mut stage = browsed();
    let id = Some(trail_id(&mut stage));
    stage.own(Request::Forget { id }).unwrap();
    let kept = stage.kept();
    assert!(!kept.contains("news.test/bait"), "{kept}");
    assert!(stage.trails().is_empty());

    let mut stage = browsed();
    stage.mark(8, Some(false));
    let id = Some(trail_id(&mut stage));
    stage.own(Request::Forget { id }).unwrap();
    assert!(stage.trails().is_empty());
    assert_eq!(stage.state(8).mark, Some(false));
    // One that is not there any more changes nothing.
    let before = stage.kept();
    let id = Some("000-x".to_owned());
    stage.own(Request::Forget { id }).unwrap();
    assert_eq!(stage.kept(), before);
}

#[test]
fn the_companion_forgets_as_soon_as_it_answers() {
    let mut stage = browsed();
    pair(&mut stage);
    stage.world.reach.set(Some(0));
    stage.own(Request::Forget { id: None }).unwrap();
    assert!(stage.own(Request::Sync).is_err());
    assert!(stage.world.companion.borrow().forgotten.is_empty());
    stage.world.reach.set(None);
    stage.restart();
    stage.own(Request::Sync).unwrap();
    let every_click = Forget {
        every_click: true,
        ..Forget::default()
    };
    let told = stage.world.companion.borrow().forgotten.clone();
    assert_eq!(told, [every_click]);
    stage.own(Request::Sync).unwrap();
    assert_eq!(stage.world.companion.borrow().forgotten.len(), 1);
}

#[test]
fn what_the_companion_cannot_forget_is_said() {
    let mut stage = browsed();
    pair(&mut stage);
    stage.world.companion.borrow_mut().left = vec!["crawl-1.warc".to_owned()];
    let (tab, address) = (7, "http://town.test/clinic".to_owned());
    stage.own(Request::ForgetPage { tab, address }).unwrap();
    let said = stage.own(Request::Sync).unwrap_err().text(&English);
    assert!(said.contains("crawl-1.warc"), "{said}");
    let asked = stage.world.companion.borrow().forgotten.clone();
    assert_eq!(asked[0].pages, ["http://town.test/clinic"]);
    stage.own(Request::Sync).unwrap();
}

#[test]
fn a_companion_that_is_forgotten_leaves_no_page_behind() {
    let mut stage = browsed();
    pair(&mut stage);
    stage.world.reach.set(Some(0));
    let (tab, address) = (7, "http://town.test/clinic".to_owned());
    stage.own(Request::ForgetPage { tab, address }).unwrap();
    assert!(stage.kept().contains("town.test/clinic"), "to be forgotten");
    stage.own(Request::Unpair).unwrap();
    assert!(!stage.kept().contains("town.test/clinic"));
}

#[test]
fn without_a_companion_no_page_waits_to_be_forgotten() {
    let mut stage = browsed();
    let (tab, address) = (7, "http://town.test/clinic".to_owned());
    stage.own(Request::ForgetPage { tab, address }).unwrap();
    assert!(!stage.kept().contains("town.test/clinic"));
}

#[test]
fn a_site_is_forgotten_with_every_page_of_it() {
    let mut stage = browsed();
    pair(&mut stage);
    stage.open(9, &bait());
    stage.open(10, &clinic());
    stage.mark(9, Some(false));
    assert!(stage.kept().contains("news.test"));
    assert!(stage.own(Request::ForgetSite { tab: 8 }).unwrap().news.sync);
    // The companion has yet to be told of which.
    let told = "settings {\"";
    let kept = stage.kept();
    let lines = kept.lines().filter(|line| line.contains("news.test"));
    assert_eq!(lines.count(), 1, "{kept}");
    let waiting = kept
        .lines()
        .find(|line| line.contains("\"hosts\":[\"news.test\"]"));
    assert!(waiting.is_some_and(|line| line.contains(told)), "{kept}");
    for word in ["zeppelin", "tomato", "potato"] {
        assert!(!kept.contains(word), "{word}: {kept}");
    }
    assert!(kept.contains("http://town.test/clinic"), "other sites stay");
    assert_eq!(stage.trails(), []);
    stage.own(Request::Sync).unwrap();
    assert!(!stage.kept().contains("news.test"), "{}", stage.kept());
    let asked = stage.world.companion.borrow().forgotten.clone();
    let hosts = asked.iter().map(|asked| asked.hosts.clone());
    assert!(hosts.eq([vec!["news.test".to_owned()]]), "{asked:?}");
    // Tabs that show a page of it are told, and nothing of them is read.
    let told = stage.world.told.borrow().clone();
    for tab in [8, 9] {
        assert!(told.contains(&(tab, TabMessage::Forgotten)), "{told:?}");
    }
    assert!(!told.contains(&(10, TabMessage::Forgotten)), "{told:?}");
}

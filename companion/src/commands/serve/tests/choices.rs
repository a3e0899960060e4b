//! What a person chooses on the dashboard: good nodes of a taxonomy, classes of pages, the
//! topic to begin with.

use std::collections::BTreeMap;

use linkscent_core::critics::Taxonomy;
use linkscent_core::critics::taxonomy::ClassPage;

use super::*;
use linkscent_service::crawler::fake_web::{archives, web_about};
use linkscent_service::{NewCrawl, Starts};

const BEES: &str = "bees in the hive, honey and pollen";
const TRAINS: &str = "trains at the station, a railway timetable";

/// Every third page is about bees.
fn about(number: u64) -> &'static str {
    if number.is_multiple_of(3) {
        BEES
    } else {
        TRAINS
    }
}

/// Two classes with six and four pages.
fn taxonomy() -> Taxonomy {
    let class = |path: &str, words: [&str; 3], pages: u64| {
        let page = |_| ClassPage {
            address: None,
            words: words.map(|word| (word.to_owned(), 1)).to_vec(),
        };
        (path.to_owned(), (0..pages).map(page).collect())
    };
    let classes = BTreeMap::from([
        class("Science/Bees", ["bee", "hive", "honey"], 6),
        class("Travel/Rail & sea", ["train", "station", "railway"], 4),
    ]);
    Taxonomy::of(classes).unwrap().0
}

/// The part of a page from a text to the next of another.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let start = page
        .find(from)
        .unwrap_or_else(|| panic!("{from} is not in {page}"));
    let rest = &page[start..];
    &rest[..rest.find(to).unwrap_or(rest.len())]
}

#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
async fn good_nodes_are_chosen_and_every_page_of_a_crawl_can_be_corrected() {
    let server = Server::on_web(web_about(about).await).await;
    let base = server.enter().await;
    let service = &server.app.service;
    service
        .topics
        .import_taxonomy("bees", &taxonomy(), None)
        .await
        .unwrap();
    let page = async |path: &str| {
        let reply = server.get(&format!("{base}{path}")).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}: {}", reply.text);
        reply.text
    };
    let send = async |path: &str, fields: &str| server.send(&format!("{base}{path}"), fields).await;

    // The tree with its counts; nothing is good yet, so there is nothing to crawl for.
    let topic = page("/topic/1").await;
    let tree = between(&topic, "id=\"classes\"", "</section>");
    for node in [
        "Science (6)",
        "Bees (6)",
        "Travel (4)",
        "Rail &#38; sea (4)",
    ] {
        assert!(tree.contains(node), "{node} is not in {tree}");
    }
    assert_eq!(tree.matches("type=\"checkbox\"").count(), 4);
    assert_eq!(
        tree.matches("<details").count(),
        tree.matches("</details>").count()
    );
    assert!(!tree.contains(" checked") && !tree.contains("<details open"));
    let crawl = "budget=60&starts=http://a.test/1";
    let refused = send("/topic/1/crawl", crawl).await.err().unwrap();
    assert!(
        refused.text.contains("No class is good"),
        "{}",
        refused.text
    );

    // Good nodes take the place of those before; one that is not there is refused.
    let choose = "/topic/1/classes";
    let led = send(choose, "good=Science%2FBees&good=Travel")
        .await
        .unwrap();
    assert_eq!(led, format!("{base}/topic/1"));
    let wrong = send(choose, "good=Sports").await.err().unwrap();
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(wrong.text.contains("no node “Sports”"), "{}", wrong.text);
    let checked = async || {
        let topic = page("/topic/1").await;
        let tree = between(&topic, "id=\"classes\"", "</section>").to_owned();
        let boxes = tree.split("name=\"good\" value=\"").skip(1);
        let checked = boxes.filter(|one| one.split('>').next().unwrap().ends_with(" checked"));
        let nodes = checked.map(|one| one.split('"').next().unwrap().to_owned());
        (
            nodes.collect::<Vec<_>>(),
            tree.matches("<details open").count(),
        )
    };
    assert_eq!(
        checked().await,
        (["Science/Bees", "Travel"].map(str::to_owned).to_vec(), 1)
    );
    send(choose, "good=Science%2FBees").await.unwrap();
    assert_eq!(checked().await, (vec!["Science/Bees".to_owned()], 1));

    // All pages of a crawl can be reached, so many at a time, or those of a class.
    let led = send("/topic/1/crawl", crawl).await.unwrap();
    assert_eq!(led, format!("{base}/crawl/1"));
    server.rest(1).await;
    let shown = page("/crawl/1").await;
    assert!(shown.contains(&format!("href=\"{base}/crawl/1/classes\"")));
    assert_eq!(shown.matches("Another class").count(), 15);
    let first = page("/crawl/1/classes").await;
    let second = page("/crawl/1/classes?page=1").await;
    let count = |page: &str| page.matches("Another class").count();
    assert_eq!((count(&first), count(&second)), (50, 10));
    assert!(first.contains("?node=&amp;page=1") && !first.contains("Newer ones"));
    assert!(second.contains("?node=&amp;page=0") && !second.contains(">More<"));
    let addresses = |page: &str| {
        let found = page.split("name=\"address\" value=\"").skip(1);
        let found = found.map(|rest| rest.split('"').next().unwrap().to_owned());
        found.collect::<std::collections::BTreeSet<String>>()
    };
    assert_eq!(addresses(&first).union(&addresses(&second)).count(), 60);
    let of_bees = page("/crawl/1/classes?node=Science").await;
    assert!(of_bees.contains("<option value=\"Science\" selected>Science</option>"));
    let bees = addresses(&of_bees);
    assert!(!bees.is_empty() && bees.len() < 50, "{}", bees.len());
    for address in &bees {
        let number: u64 = address.rsplit('/').next().unwrap().parse().unwrap();
        assert_eq!(about(number), BEES, "{address}");
    }
    let none = page("/crawl/1/classes?node=Sports&page=-3").await;
    assert!(none.contains("No page of this class here."));

    // A page far down the list is corrected where it stands, and that is taken back.
    let one = addresses(&of_bees).pop_first().unwrap();
    let place = "node=Science&page=0";
    let to = format!("address={one}&class=Travel/Rail+%26+sea&{place}");
    let led = send("/crawl/1/class", &to).await.unwrap();
    assert_eq!(led, format!("{base}/crawl/1/classes?{place}"));
    let corrected = page("/crawl/1/classes?node=Science").await;
    let said = "Travel/Rail &#38; sea, as you said";
    assert_eq!(corrected.matches(said).count(), 1);
    assert_eq!(corrected.matches("Take it back").count(), 1);
    let topic = service.topics.topic(1).await.unwrap();
    let topic_model = service.models.topic_model(&topic).await.unwrap();
    assert_eq!(topic_model.graph().corrected.len(), 1);
    for (class, why) in [("Travel", "no class “Travel”"), ("Bees", "no class “Bees”")] {
        let wrong = format!("address={one}&class={class}&{place}");
        let refused = send("/crawl/1/class", &wrong).await.err().unwrap();
        assert_eq!(refused.status, StatusCode::BAD_REQUEST);
        assert!(refused.text.contains(why), "{}", refused.text);
    }
    let odd = "address=http://a.test/x&class=&node=A%26B%2FC&page=2";
    let missing = send("/crawl/1/class", odd).await.err().unwrap();
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    let back = format!("address={one}&class=&node=Travel%2FRail+%26+sea&page=2");
    let led = send("/crawl/1/class", &back).await.unwrap();
    let expected = "/crawl/1/classes?node=Travel%2FRail%20%26%20sea&page=2";
    assert_eq!(led, format!("{base}{expected}"));
    assert!(!page("/crawl/1/classes?node=Science").await.contains(said));
    let topic = service.topics.topic(1).await.unwrap();
    let topic_model = service.models.topic_model(&topic).await.unwrap();
    assert!(topic_model.graph().corrected.is_empty());
}

#[tokio::test]
async fn a_topic_without_a_taxonomy_has_no_pages_by_class() {
    let server = Server::new().await;
    let base = server.enter().await;
    let service = &server.app.service;
    let topic = service.topics.create_topic("birds", &[]).await.unwrap();
    let starts = Starts {
        seeds: vec!["http://a.test/".to_owned()],
        ..Starts::default()
    };
    let new = NewCrawl::new(starts, 1);
    service.crawls.prepare_crawl(&topic, &new).await.unwrap();
    assert!(
        !server
            .get(&format!("{base}/crawl/1"))
            .await
            .text
            .contains("by class")
    );
    let reply = server.get(&format!("{base}/crawl/1/classes")).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert!(reply.text.contains("import one first"), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_begins_with_a_topic_that_is_offered() {
    let server = Server::on_web(archives().await).await;
    let base = server.enter().await;
    let service = &server.app.service;
    let topic = async |name: &str| {
        let topic = service.topics.create_topic(name, &[]).await.unwrap();
        let critic = format!("text has \"{name}\"");
        service.topics.choose_critic(&topic, &critic).await.unwrap();
        topic.id
    };
    let (trains, bees) = (topic("trains").await, topic("bees").await);
    topic("untaught").await;
    let offered = async |topic: i64| {
        let page = server.get(&format!("{base}/topic/{topic}")).await.text;
        page.contains("start_from").then(|| {
            let select = between(&page, "name=\"start_from\"", "</select>").to_owned();
            let options = select.split("<option").skip(2);
            let name = |one: &str| one.split(['>', '<']).nth(1).unwrap().to_owned();
            options.map(name).collect::<Vec<_>>()
        })
    };
    let crawl = async |topic: i64, fields: &str| {
        let fields = format!("budget=40&{fields}");
        let path = format!("{base}/topic/{topic}/crawl");
        let led = server
            .send(&path, &fields)
            .await
            .map_err(|reply| reply.text)?;
        let id: i64 = led.rsplit('/').next().unwrap().parse().unwrap();
        server.rest(id).await;
        Ok::<_, String>(server.get(&led).await.text)
    };
    assert_eq!(offered(bees).await, None, "nobody was taught anything");
    let alone = crawl(trains, "starts=http://trains.test/1&start_from=")
        .await
        .unwrap();
    assert!(!alone.contains("it began with"), "{alone}");
    assert_eq!(offered(bees).await.unwrap(), ["trains"]);
    assert_eq!(offered(trains).await, None, "itself is no other");
    let begun = crawl(bees, "starts=http://bees.test/1&start_from=trains")
        .await
        .unwrap();
    let notices = between(&begun, "id=\"notices\"", "</section>");
    assert!(
        notices.contains("it began with what “trains” taught"),
        "{notices}"
    );
    let refused = crawl(bees, "starts=http://bees.test/1&start_from=untaught").await;
    assert!(
        refused
            .unwrap_err()
            .contains("Nothing was learned for “untaught”")
    );
}

#[tokio::test]
async fn factors_of_a_strategy_that_has_some_are_weighed() {
    let server = Server::new().await;
    let base = server.enter().await;
    server
        .app
        .service
        .topics
        .create_topic("bees", &[])
        .await
        .unwrap();
    let path = format!("{base}/topic/1");
    let choose = async |fields: &str| server.send(&format!("{path}/strategy"), fields).await;
    let shown = async || {
        let page = server.get(&path).await.text;
        let form = between(&page, "/topic/1/strategy", "</form>");
        let chosen = between(form, " selected", "<").to_owned();
        let weights = between(form, "name=\"weights\"", "placeholder");
        let weights = weights.split('"').nth(5).unwrap_or_default();
        (chosen, weights.to_owned())
    };
    assert_eq!(shown().await.1, "", "none at first");
    choose("strategy=intelligent&weights=content%3D2%2C+url%3D0.5")
        .await
        .unwrap();
    let (chosen, weights) = shown().await;
    assert!(chosen.ends_with(">intelligent"), "{chosen}");
    assert_eq!(weights, "content=2,url=0.5,link=1,sibling=1");
    let wrong = choose("strategy=intelligent&weights=words%3D1").await;
    let wrong = wrong.err().unwrap();
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(wrong.text.contains("“words=1”"), "{}", wrong.text);
    assert_eq!(shown().await.1, weights, "those before stay");
    // What stands in the field is of no account to a strategy without factors.
    choose("strategy=apprentice&weights=content%3D2")
        .await
        .unwrap();
    let (chosen, weights) = shown().await;
    assert!(chosen.ends_with(">apprentice"), "{chosen}");
    assert_eq!(weights, "");
}

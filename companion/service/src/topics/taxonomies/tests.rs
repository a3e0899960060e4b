//! The tree as it is told, and who hears of a class that was corrected.

use linkscent_core::address::Address;
use linkscent_core::critics::taxonomy::ClassPage;
use tempfile::TempDir;

use super::*;

use crate::Services;
use crate::crawler::way::Way;
use crate::{NewCrawl, Starts};
use linkscent_store::{CrawlState, Store};

const PAGE: &str = "http://a.test/";

/// A taxonomy of these classes, with as many pages of each.
fn taxonomy(classes: &[(&str, usize)]) -> Taxonomy {
    let class = |&(path, pages): &(&str, usize)| {
        let words = path.rsplit('/').next().unwrap_or_default().to_lowercase();
        let page = |number| ClassPage {
            address: Address::parse(&format!("http://{words}.test/{number}")).ok(),
            words: vec![(words.clone(), 2)],
        };
        (path.to_owned(), (0..pages).map(page).collect())
    };
    Taxonomy::of(classes.iter().map(class).collect()).unwrap().0
}

async fn service() -> (TempDir, Services, Topic) {
    let folder = linkscent_store::fixtures::folder();
    let service = Services::new(Store::open(folder.path()).await.unwrap(), Way::default());
    let classes = taxonomy(&[("Top/Bees", 2), ("Top/Bees-wax", 1), ("Top/Bees/Wild", 3)]);
    let good = ["Top/Bees/Wild".to_owned()];
    let topic = service
        .topics
        .import_taxonomy("bees", &classes, Some(&good))
        .await;
    (folder, service, topic.unwrap())
}

fn said(id: &str, topic: &str, class: Option<&str>) -> Event {
    Event {
        id: id.to_owned(),
        topic: topic.to_owned(),
        time: 1,
        what: EventKind::Class {
            address: PAGE.to_owned(),
            title: String::new(),
            class: class.map(str::to_owned),
            words: vec![("hive".to_owned(), 2)],
        },
    }
}

#[tokio::test]
async fn a_tree_is_told_from_above_with_all_pages_below_a_node() {
    let (_folder, service, topic) = service().await;
    let told = || async {
        let classes = service.topics.needed_classes(&topic).await.unwrap();
        assert!(classes.by_class);
        let line = |node: ClassNode| {
            let mark = |holds: bool, mark| if holds { mark } else { "" };
            let (class, good) = (mark(node.is_class, " class"), mark(node.is_good, " good"));
            format!("{} {}{class}{good}", node.path, node.pages)
        };
        classes.nodes().into_iter().map(line).collect::<Vec<_>>()
    };
    let expected = [
        "Top 6",
        "Top/Bees 5 class",
        "Top/Bees/Wild 3 class good",
        "Top/Bees-wax 1 class",
    ];
    assert_eq!(told().await, expected);
    let both = ["Top/Bees-wax", "Top"].map(str::to_owned);
    service.topics.choose_good(&topic, &both).await.unwrap();
    let told = told().await;
    assert_eq!(
        (&*told[0], &*told[3]),
        ("Top 6 good", "Top/Bees-wax 1 class good")
    );
    let plain = service.topics.create_topic("plain", &[]).await.unwrap();
    let refused = service.topics.needed_classes(&plain).await.err().unwrap();
    assert!(refused.to_string().contains("has no taxonomy"), "{refused}");
}

#[tokio::test]
async fn every_crawl_of_the_topic_that_runs_hears_of_a_class() {
    let (_folder, service, topic) = service().await;
    let begin = async |topic: &Topic| {
        let starts = Starts {
            seeds: vec![PAGE.to_owned()],
            ..Starts::default()
        };
        let new = NewCrawl::new(starts, 10);
        service.crawls.prepare_crawl(topic, &new).await.unwrap().id
    };
    let other = service.topics.create_topic("birds", &[]).await.unwrap();
    let (first, second, over, of_other) = (
        begin(&topic).await,
        begin(&topic).await,
        begin(&topic).await,
        begin(&other).await,
    );
    let store = &service.context.store;
    let done = store.set_state(over, CrawlState::Done, "budget");
    done.await.unwrap();
    // Each is run elsewhere, by whoever holds its lock.
    let crawls = [first, second, over, of_other];
    let _locks = crawls.map(|crawl| store.lock_crawl(crawl).unwrap());
    let heard = async |events: Vec<Event>| {
        let taken = service.topics.take_events(events).await.unwrap();
        let mut heard = Vec::new();
        for crawl in crawls {
            let commands = store.take_commands(crawl).await.unwrap();
            assert!(commands.iter().all(|one| *one == Command::Said));
            heard.push(commands.len());
        }
        (taken.taken, taken.refused, heard)
    };
    let wild = said("1", "bees", Some("Top/Bees/Wild"));
    assert_eq!(heard(vec![wild]).await, (1, 0, vec![1, 1, 0, 0]));
    let back = said("2", "bees", None);
    assert_eq!(heard(vec![back]).await, (1, 0, vec![1, 1, 0, 0]));
    // Only what the topic's taxonomy has is a class of its pages.
    let wrong = vec![
        said("3", "bees", Some("Top")),
        said("4", "bees", Some("Top/Wasps")),
        said("5", "birds", Some("Top/Bees")),
        said("6", "nobody", Some("Top/Bees")),
    ];
    assert_eq!(heard(wrong).await, (0, 4, vec![0; 4]));
    assert!(store.find_topic("nobody").await.unwrap().is_none());
    let mark = Event {
        what: EventKind::mark_unread(PAGE, Some(true)),
        ..said("7", "bees", None)
    };
    assert_eq!(heard(vec![mark]).await, (1, 0, vec![0; 4]));
    // A taxonomy that cannot be read has no classes, and holds up nothing else.
    store.set_taxonomy(topic.id, b"damaged").await.unwrap();
    let both = vec![said("8", "bees", Some("Top/Bees")), said("9", "bees", None)];
    assert_eq!(heard(both).await, (1, 1, vec![1, 1, 0, 0]));
}

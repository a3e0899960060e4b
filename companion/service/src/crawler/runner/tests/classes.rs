//! A topic from a folder tree of pages, from its classes to the class of each page, and to a
//! class that is corrected while the crawl runs.

use linkscent_archive::taxonomy::{Choice, Taxonomy};
use linkscent_core::critics::{self, taxonomy::ClassPage};
use linkscent_core::page::Page;
use linkscent_core::wire::api::EventKind;

use super::*;
use crate::crawler::fake_web::web_about;
use crate::page_archive;

const BEES: &str = "bees in the hive, honey and pollen";
const TRAINS: &str = "trains at the station, a railway timetable";

fn about(number: u64) -> &'static str {
    if number % 2 == 1 { BEES } else { TRAINS }
}

/// Pages of two classes, in a folder tree.
fn tree(folder: &std::path::Path) {
    for (class, text) in [("Science/Bees", BEES), ("Travel/Trains", TRAINS)] {
        let class = folder.join(class);
        std::fs::create_dir_all(&class).unwrap();
        for number in 0..6 {
            let html = format!("<title>Page {number}</title><p>{text}</p>");
            std::fs::write(class.join(format!("{number}.html")), html).unwrap();
        }
    }
}

/// The classes of the pages in a folder tree.
fn classes_of(folder: &std::path::Path) -> critics::Taxonomy {
    let choice = Choice {
        focus: Vec::new(),
        depth: 3,
        most: 60,
        least: 3,
    };
    let mut read = Taxonomy::new(choice, 1);
    read.read_folders(folder).unwrap();
    let classes = read.classes(500, usize::MAX).into_iter().map(|class| {
        let page = |page: linkscent_archive::taxonomy::Entry| ClassPage {
            address: Address::parse(&page.address).ok(),
            words: page.known_words(),
        };
        let pages = class.pages.into_iter().map(page).collect();
        (class.name, pages)
    });
    critics::Taxonomy::of(classes.collect()).unwrap().0
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
fn a_folder_becomes_a_topic_whose_pages_have_classes_that_can_be_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let (pages, data) = (folder.path().join("pages"), folder.path().join("data"));
    tree(&pages);
    let runtime = Runtime::new().unwrap();

    let store = runtime.block_on(Store::open(&data)).unwrap();
    let way = runtime.block_on(web_about(about));
    let service = Services::new(store.clone(), way.clone());
    let (classes, good) = (classes_of(&pages), ["Science".to_owned()]);
    let imported = service
        .topics
        .import_taxonomy("bees", &classes, Some(&good));
    let topic = runtime.block_on(imported).unwrap();
    let starts = Starts {
        seeds: vec![START.to_owned()],
        ..Starts::default()
    };
    let new = NewCrawl {
        strategy: Some("apprentice-classes".to_owned()),
        ..NewCrawl::new(starts, 12)
    };
    let crawl = runtime
        .block_on(service.crawls.prepare_crawl(&topic, &new))
        .unwrap();
    let resume = |on_way: Way| {
        let fetcher = Fetcher::new(on_way).unwrap();
        let handle = runtime.handle().clone();
        Runner::resume(store.clone(), crawl.clone(), fetcher, handle, |_, _| {}).unwrap()
    };
    resume(way.clone()).run(|_| {}).unwrap();
    let results = runtime.block_on(store.last_results(crawl.id, 100)).unwrap();
    assert_eq!(results.len(), 12);
    for row in &results {
        let number: u64 = row.address.rsplit('/').next().unwrap().parse().unwrap();
        let class = if number % 2 == 1 {
            "Science/Bees"
        } else {
            "Travel/Trains"
        };
        assert_eq!(
            (row.class.as_str(), row.is_target),
            (class, number % 2 == 1),
            "{number}"
        );
    }

    // The word of the person reaches the topic's model and a crawl under way, holds when the
    // crawl is told its log again, and can be taken back.
    let wrong = results.iter().find(|row| !row.is_target).unwrap();
    let address = Address::parse(&wrong.address).unwrap();
    let correct = |class| {
        let said = service
            .topics
            .correct_class(&crawl, &topic, &wrong.address, class);
        runtime.block_on(said)
    };
    assert!(
        correct(Some("Science/Wasps"))
            .unwrap_err()
            .to_string()
            .contains("Wasps")
    );
    let mut running = resume(no_web());
    let relevance = |runner: &Runner| {
        let graph = runner.session().topic_model().graph();
        graph.judgment(&address).relevance.value()
    };
    let before = relevance(&running);
    assert!(before < 0.5);
    correct(Some("Science/Bees")).unwrap();
    running.listen().unwrap();
    assert_eq!(relevance(&running), 1.0);
    // What a browser says of a class comes the same way.
    let kept = page_archive::page(&store, crawl.id, &wrong.address);
    let page: Page = runtime.block_on(kept).unwrap().unwrap();
    let event = |class: &str| {
        let said = EventKind::class(&page, Some(class.to_owned()));
        runtime.block_on(store.happens(&topic, said)).unwrap()
    };
    let take = |class| {
        runtime
            .block_on(service.topics.take_events(vec![event(class)]))
            .unwrap()
    };
    assert_eq!(take("Travel/Trains").taken, 1);
    running.listen().unwrap();
    assert_eq!(relevance(&running), 0.0);
    assert_eq!(take("Science/Bees").taken, 1);
    assert_eq!(take("Science/Wasps").refused, 1);
    running.listen().unwrap();
    assert_eq!(relevance(&running), 1.0);
    drop(running);
    let again = resume(no_web());
    assert_eq!(relevance(&again), 1.0);
    drop(again);
    let topic_model = || {
        let topic = runtime.block_on(service.topics.topic(topic.id)).unwrap();
        runtime
            .block_on(service.models.topic_model(&topic))
            .unwrap()
    };
    assert!(topic_model().judge(&page).is_target);
    assert_eq!(topic_model().classes(&page)[0].0, "Science/Bees");
    correct(None).unwrap();
    assert!(!topic_model().judge(&page).is_target);
    assert_eq!(topic_model().classes(&page)[0].0, "Travel/Trains");
    assert_eq!(relevance(&resume(no_web())), before);

    // Other nodes can be good later; none at all is no topic.
    let choose = |nodes: &[&str]| {
        let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
        let topic = runtime.block_on(service.topics.topic(topic.id)).unwrap();
        runtime.block_on(service.topics.choose_good(&topic, &nodes))
    };
    choose(&["Travel/Trains"]).unwrap();
    assert!(topic_model().judge(&page).is_target);
    assert!(choose(&["Travel/Ships"]).is_err());
    choose(&[]).unwrap();
    let topic = runtime.block_on(service.topics.topic(topic.id)).unwrap();
    let refused = runtime
        .block_on(service.crawls.prepare_crawl(&topic, &new))
        .unwrap_err();
    assert!(
        refused.to_string().contains("No class is good"),
        "{refused}"
    );
}

use super::*;
use crate::Annotation;
use crate::Services;
use crate::crawler::way::Way;
use crate::fixtures::{crawled, words};
use linkscent_store::Store;

async fn stranger() -> (tempfile::TempDir, Services) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).await.unwrap();
    (folder, Services::new(store, Way::default()))
}

#[tokio::test(flavor = "multi_thread")]
async fn who_takes_a_topic_in_judges_as_its_giver_and_learns_no_address_but_marks() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, crawl) = crawled(folder.path()).await;
    service.library.catch_up(|_| {}).await.unwrap();
    let keys = service
        .annotations
        .found_keys(Some(&topic), &words("trains"))
        .await;
    let not = Annotation::read("not", "").unwrap();
    service
        .annotations
        .annotate(&keys.unwrap()[..1], &not)
        .await
        .unwrap();
    let tag = Annotation::read("tag", "secret").unwrap();
    let keys = service
        .annotations
        .found_keys(Some(&topic), &words("honey"))
        .await;
    service
        .annotations
        .annotate(&keys.unwrap()[..1], &tag)
        .await
        .unwrap();
    service
        .topics
        .say(&topic, "hives of wood", Some(true))
        .await
        .unwrap();

    let topic = service.topics.topic(topic.id).await.unwrap();
    let bytes = service.topics.topic_file(&topic, false).await.unwrap();
    let file = TopicFile::read(&bytes).unwrap();
    assert_eq!((&*file.name, file.targets()), ("bees", 1));
    assert_eq!(file.said.len(), 3);
    let (_other_folder, other) = stranger().await;
    let taken = other.topics.take_topic_in(&file, None).await.unwrap();
    assert_eq!(taken.name, "bees");
    let (mine, theirs) = (
        service.models.topic_model(&topic).await.unwrap(),
        other.models.topic_model(&taken).await.unwrap(),
    );
    assert!(!file.learned.is_empty());
    assert!(
        theirs.knowledge().beginning.is_some(),
        "what was learned goes along"
    );
    let marks = other.context.store.marks(taken.id).await.unwrap();
    assert_eq!(marks.len(), 2);

    // Marked pages are named, others are not; nor are tags.
    let named: Vec<String> = marks.into_iter().map(|mark| mark.address).collect();
    let rows = service.context.store.fetches(crawl).await.unwrap();
    let mut others = rows.iter().filter(|row| !named.contains(&row.address));
    let says = |text: &str| {
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    assert!(named.iter().all(|page| says(page)));
    let told = |row: &&linkscent_store::FetchRow| {
        let begins = named.iter().any(|page| page.starts_with(&row.address));
        !begins && says(&row.address)
    };
    assert!(rows.len() > named.len());
    assert_eq!(others.find(told), None);
    assert!(!says("secret"));
    let with = service.topics.topic_file(&topic, true).await.unwrap();
    let with = TopicFile::read(&with).unwrap();
    assert_eq!(with.said.len(), 4, "tags go along if it is asked for");

    // It means the same: what the giver looks for stands before all else. Strangers know less of
    // the rest of the web, so numbers differ.
    assert_eq!(mine.critic().name(), theirs.critic().name());
    let (mut bees, mut trains) = (Vec::new(), Vec::new());
    for row in service
        .context
        .store
        .kept_after(crawl, 0, 100)
        .await
        .unwrap()
    {
        let page = service.library.kept_page(crawl, row.number).await.unwrap();
        let relevance = theirs.judge(&page).relevance.value();
        if page.document().raw_text().contains("trains") {
            trains.push(relevance);
        } else {
            bees.push(relevance);
        }
    }
    let least = bees.iter().copied().fold(1.0, f64::min);
    assert!(trains.iter().all(|one| *one < least), "{bees:?} {trains:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_and_half_files_are_refused_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, _) = crawled(folder.path()).await;
    let bytes = service.topics.topic_file(&topic, false).await.unwrap();
    let file = TopicFile::read(&bytes).unwrap();
    let (_other_folder, other) = stranger().await;
    for length in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
        // What was learned may be missing whole, never in part.
        if let Ok(file) = TopicFile::read(&bytes[..length]) {
            assert!(file.learned.is_empty(), "{length} of {}", bytes.len());
        }
    }
    let mut damaged = bytes.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xFF;
    assert!(TopicFile::read(&damaged).is_err());

    let mut hostile = file.clone();
    hostile
        .said
        .push(EventKind::mark_unread("javascript:alert(1)", Some(true)));
    assert!(other.topics.take_topic_in(&hostile, None).await.is_err());
    let mut hostile = file.clone();
    hostile.critic = "regex \"(((\"".to_owned();
    assert!(other.topics.take_topic_in(&hostile, None).await.is_err());
    let mut hostile = file.clone();
    // Nothing is made of a topic that could not be used.
    hostile.critic = "form about \"wasps\"".to_owned();
    let refused = other.topics.take_topic_in(&hostile, None).await;
    assert!(refused.is_err(), "there are no wasps");
    assert!(other.context.store.topics().await.unwrap().is_empty());
    let mut hostile = file.clone();
    hostile.said.push(EventKind::Remove {
        removed: true,
        for_good: true,
    });
    assert!(other.context.store.topics().await.unwrap().is_empty());
    let taken = other
        .topics
        .take_topic_in(&hostile, Some("bees of others"))
        .await;
    assert!(!taken.unwrap().is_removed, "that is not said by a file");
    let twice = other
        .topics
        .take_topic_in(&file, Some("bees of others"))
        .await;
    assert!(twice.is_err(), "one that is there is left alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_learned_by_a_strategy_that_is_unknown_here_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, _) = crawled(folder.path()).await;
    service.library.catch_up(|_| {}).await.unwrap();
    let keys = service
        .annotations
        .found_keys(Some(&topic), &words("trains"))
        .await;
    let not = Annotation::read("not", "").unwrap();
    service
        .annotations
        .annotate(&keys.unwrap()[..1], &not)
        .await
        .unwrap();
    let topic = service.topics.topic(topic.id).await.unwrap();
    let bytes = service.topics.topic_file(&topic, false).await.unwrap();
    let mut file = TopicFile::read(&bytes).unwrap();
    let mut knowledge = read_model(&file.learned).unwrap();
    knowledge.strategy = "of a later time".to_owned();
    file.learned = write_model(&knowledge).unwrap();
    let read = TopicFile::read(&file.write().unwrap()).unwrap();
    assert!(read.learned.is_empty());
    let (_other_folder, other) = stranger().await;
    let taken = other.topics.take_topic_in(&read, None).await.unwrap();
    assert!(other.models.topic_model(&taken).await.is_ok());
    let times = other.context.store.events(taken.id).await.unwrap();
    let now = clock::now() as u64;
    assert!(
        times.iter().all(|event| event.time <= now + 10),
        "{times:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn marked_pages_of_private_networks_stay_at_home() {
    let (folder, service) = stranger().await;
    let topic = service.topics.create_topic("bees", &[]).await.unwrap();
    for page in [
        "http://wiki.corp/secret",
        "http://10.0.0.7/hives",
        "http://a.test/bees",
    ] {
        let mark = EventKind::mark_unread(page, Some(true));
        service
            .context
            .store
            .note(&topic, vec![mark])
            .await
            .unwrap();
    }
    let bytes = service.topics.topic_file(&topic, false).await.unwrap();
    let file = TopicFile::read(&bytes).unwrap();
    assert_eq!(
        file.said,
        [EventKind::mark_unread("http://a.test/bees", Some(true))]
    );
    let path = folder.path().join("bees.topic");
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(TopicFile::open(&path).unwrap().said, file.said);
    let refused = TopicFile::open(Path::new("/dev/zero"))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("no file"), "{refused}");
}

#[test]
fn a_part_that_is_in_a_file_twice_is_refused() {
    let said = r#"{"linkscent_topic":1,"name":"x","critic":"topic","strategy":"x","said":[]}"#;
    let mut twice = tar::Builder::new(Vec::new());
    for (name, part) in [(SAID, said), (LEARNED, "ab"), (LEARNED, "cd")] {
        let mut header = tar::Header::new_gnu();
        header.set_size(part.len() as u64);
        twice
            .append_data(&mut header, name, part.as_bytes())
            .unwrap();
    }
    let refused = TopicFile::read(&twice.into_inner().unwrap()).unwrap_err();
    assert!(refused.to_string().contains("twice"), "{refused}");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for path in [&*pipe, folder.path()] {
        let refused = TopicFile::open(path).unwrap_err().to_string();
        assert!(refused.contains("it is no file"), "{refused}");
    }
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    assert!(TopicFile::open(&empty).is_err());
}

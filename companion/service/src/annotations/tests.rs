use super::*;
use crate::fixtures::{crawled, words};

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_judged_many_at_once_and_that_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, _) = crawled(folder.path()).await;
    let annotations = &service.annotations;
    service.library.catch_up(|_| {}).await.unwrap();
    let found = async |text: &str| {
        service
            .library
            .search(Some(&topic), &words(text))
            .await
            .unwrap()
    };
    let honey = annotations.found_keys(Some(&topic), &words("honey")).await;
    let honey = honey.unwrap();
    assert_eq!(honey.len(), found("honey").await.total);
    let second_page = LibraryQuery {
        skip: 2,
        ..words("honey")
    };
    let all = annotations.found_keys(Some(&topic), &second_page).await;
    assert_eq!(all.unwrap(), honey, "all, wherever one is");
    // The start was marked when the topic was made.
    let before = found("is:relevant").await;
    assert_eq!(before.total, 1);

    let not = Annotation::read("not", "").unwrap();
    let done = annotations.annotate(&honey, &not).await.unwrap();
    assert_eq!(done.len(), honey.len() - 1, "the start keeps its mark");
    assert_eq!(found("is:irrelevant").await.total, done.len());
    assert_eq!(found("is:relevant").await.total, 1);
    assert!(annotations.annotate(&honey, &not).await.unwrap().is_empty());
    // What is said of one page later is not taken back with what was said of many.
    let undo = Annotation::Judge(None);
    annotations.annotate(&done, &undo).await.unwrap();
    let many = annotations
        .annotate_once(&honey, not.clone())
        .await
        .unwrap();
    annotations.annotate(&done[..1], &undo).await.unwrap();
    let yes = Annotation::Judge(Some(true));
    annotations.annotate(&done[..1], &yes).await.unwrap();
    annotations.undo(many.id).await.unwrap();
    assert_eq!(found("is:relevant").await.total, 2);
    assert_eq!(annotations.annotate(&done, &undo).await.unwrap(), done[..1]);
    assert_eq!(found("is:irrelevant").await.total, 0);
    assert_eq!(found("is:relevant").await.total, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_tagged_many_at_once_and_that_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, _) = crawled(folder.path()).await;
    let annotations = &service.annotations;
    service.library.catch_up(|_| {}).await.unwrap();
    let found = async |text: &str| {
        service
            .library
            .search(Some(&topic), &words(text))
            .await
            .unwrap()
    };
    let honey = annotations.found_keys(Some(&topic), &words("honey")).await;
    let honey = honey.unwrap();

    let tag = Annotation::read("tag", "To read").unwrap();
    assert_eq!(annotations.annotate(&honey, &tag).await.unwrap(), honey);
    assert!(annotations.annotate(&honey, &tag).await.unwrap().is_empty());
    let tagged = found("tag:to-read").await;
    assert_eq!(tagged.total, honey.len());
    assert_eq!(tagged.pages[0].tags, ["to-read"]);
    let all = found("").await.total;
    assert_eq!(found("-tag:to-read").await.total, all - honey.len());
    assert_eq!(found("tag:nonesuch").await.total, 0);
    let label = tagged.labels.iter().find(|label| label.field == "tag");
    assert_eq!(label.map(|label| label.pages), Some(honey.len()));
    let off = Annotation::read("untag", "to-read").unwrap();
    annotations.annotate(&honey[..1], &off).await.unwrap();
    assert_eq!(found("tag:to-read").await.total, honey.len() - 1);
    let done = annotations.annotate_once(&honey, tag).await.unwrap();
    assert_eq!(done.pages, honey[..1], "only the one that was not tagged");
    annotations.undo(done.id).await.unwrap();
    assert_eq!(found("tag:to-read").await.total, honey.len() - 1);
    assert!(annotations.undo(done.id).await.is_err(), "taken back once");
    assert!(Annotation::read("tag", " , ").is_err() && Annotation::read("love", "").is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_written_found_and_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, crawl) = crawled(folder.path()).await;
    service.library.catch_up(|_| {}).await.unwrap();
    let noted = async || {
        let found = service
            .library
            .search(Some(&topic), &words("is:noted"))
            .await;
        found.unwrap().pages
    };
    let number = service.context.store.kept_after(crawl, 0, 1).await.unwrap()[0].number;
    service
        .annotations
        .write_note(crawl, number, " one\r\ntwo ")
        .await
        .unwrap();
    let pages = noted().await;
    assert_eq!((pages.len(), &*pages[0].note), (1, "one\ntwo"));
    let long = "x".repeat(linkscent_core::wire::api::LONGEST_NOTE + 1);
    assert!(
        service
            .annotations
            .write_note(crawl, number, &long)
            .await
            .is_err()
    );
    assert!(
        service
            .annotations
            .write_note(crawl, 7_777, "lost")
            .await
            .is_err()
    );
    assert_eq!(noted().await[0].note, "one\ntwo");
    service
        .annotations
        .write_note(crawl, number, "")
        .await
        .unwrap();
    assert!(noted().await.is_empty());
}

use super::*;
use crate::fixtures::crawled;
use crate::learning::topic_model;

#[tokio::test(flavor = "multi_thread")]
async fn a_find_is_explained_with_the_link_that_led_there() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, crawl) = crawled(folder.path()).await;
    let kept = service
        .context
        .store
        .kept_after(crawl, 0, 100)
        .await
        .unwrap();
    let mut linked = 0;
    for row in &kept {
        let found = service.library.explain(crawl, row.number).await.unwrap();
        assert_eq!(found.topic.id, topic.id);
        assert_eq!(found.row.address, row.address);
        assert!((0.0..=1.0).contains(&found.probability));
        let Some(link) = found.link else {
            assert!(found.row.trail.is_empty(), "{row:?} has its way");
            continue;
        };
        linked += 1;
        assert_eq!(Some(&link.from.to_string()), found.row.trail.first());
        // It is the very number by which the topic model orders links.
        let topic_model = topic_model::of(&service.context.store, &topic, None, None).await;
        let (offset, _) = service
            .context
            .store
            .kept_page(crawl, link.from.as_str())
            .await
            .unwrap()
            .unwrap();
        let page = read(
            &service.context.store.warc_path(crawl),
            offset,
            link.from.as_str(),
        )
        .unwrap();
        let visit = topic_model
            .unwrap()
            .visit(&page, &[], None, &mut SplitMix(0));
        let scores = visit.outlinks.iter();
        let mut scores = scores
            .filter(|(candidate, _)| candidate.target.as_str() == row.address)
            .filter_map(|(_, score)| Some(score.priority()?.value()));
        assert!(
            scores.any(|score| (score - link.score.value).abs() < 1e-9),
            "{}",
            link.score
        );
        assert!(!link.score.parts.is_empty());
    }
    assert!(linked > 3, "{linked} of {}", kept.len());
    let start = service
        .library
        .explain(crawl, kept[0].number)
        .await
        .unwrap();
    assert!(start.link.is_none(), "the crawl began there");
    assert!(service.library.explain(crawl, 9_999).await.is_err());
    assert!(service.library.explain(9_999, 1).await.is_err());
}

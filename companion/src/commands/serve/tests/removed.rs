//! What a person removes on the dashboard, brings back, deletes, takes away.

use super::*;
use linkscent_service::{NewCrawl, Starts};

/// A server with a topic that has a target and a crawl at rest, and where its pages lie.
async fn with_a_crawl() -> (Server, String) {
    let server = Server::new().await;
    let base = server.enter().await;
    let service = &server.app.service;
    let pages = ["http://a.test/".to_owned()];
    let topic = service.topics.create_topic("bees", &pages).await.unwrap();
    let new = NewCrawl::new(Starts::default(), 10);
    let crawl = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
    service.crawls.pause(&crawl).await.unwrap();
    (server, base)
}

#[tokio::test]
async fn crawls_and_topics_are_removed_and_only_then_deleted() {
    let (server, base) = with_a_crawl().await;
    let topic = async || server.get(&format!("{base}/topic/1")).await.text;
    let send = async |path: &str, fields: &str| server.send(&format!("{base}{path}"), fields).await;
    let refused = send("/crawl/1/delete", "").await.unwrap_err();
    assert!(refused.text.contains("Remove the crawl first"));
    assert!(!topic().await.contains("Removed crawls"));
    send("/crawl/1/hide", "removed=true").await.unwrap();
    assert!(topic().await.contains("Removed crawls (1)"));
    let list = server.get(&format!("{base}/")).await.text;
    assert!(!list.contains("last crawl"), "it is not spoken of: {list}");
    let crawl = server.get(&format!("{base}/crawl/1")).await.text;
    assert!(crawl.contains("This crawl was removed"));
    send("/crawl/1/hide", "removed=false").await.unwrap();
    assert!(!topic().await.contains("Removed crawls"));
    send("/crawl/1/hide", "removed=true").await.unwrap();
    let to = send("/crawl/1/delete", "").await.unwrap();
    assert!(to.ends_with("/topic/1#crawls"), "{to}");
    let gone = server.get(&format!("{base}/crawl/1")).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);

    let refused = send("/topic/1/delete", "").await.unwrap_err();
    assert!(refused.text.contains("Remove the topic first"));
    send("/topic/1/remove", "removed=true").await.unwrap();
    let list = server.get(&format!("{base}/")).await.text;
    assert!(list.contains("Delete bees for good"), "{list}");
    send("/topic/1/delete", "").await.unwrap();
    let list = server.get(&format!("{base}/")).await.text;
    assert!(!list.contains("bees"), "{list}");
}

#[tokio::test]
async fn browsers_are_called_otherwise() {
    let (server, base) = with_a_crawl().await;
    let path = format!("{base}/settings/rename");
    server
        .send(&path, "id=1&called=+in+the+attic+")
        .await
        .unwrap();
    let settings = server.get(&format!("{base}/settings")).await.text;
    assert!(settings.contains("value=\"in the attic\""), "{settings}");
    for wrong in ["+", &"a".repeat(LONGEST_NAME + 1)] {
        let refused = server.send(&path, &format!("id=1&called={wrong}")).await;
        assert_eq!(refused.unwrap_err().status, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_taken_away_and_then_deleted() {
    let (server, base) = with_a_crawl().await;
    let store = server.app.service.rows();
    std::fs::write(store.warc_path(1), "").unwrap();
    let path = format!("{base}/settings/everything.tar");
    let request = Request::get(&path).header("host", HOST);
    let request = request.body(Body::empty()).unwrap();
    let reply = server.router.clone().oneshot(request).await.unwrap();
    assert_eq!(reply.headers()["content-type"], "application/x-tar");
    let tar = to_bytes(reply.into_body(), 64 << 20).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    tar::Archive::new(&*tar).unpack(folder.path()).unwrap();
    let copy = Store::open(folder.path()).await.unwrap();
    let topics = copy.topics().await.unwrap();
    assert_eq!(topics, store.topics().await.unwrap());
    assert_eq!(copy.crawls(None).await.unwrap().len(), 1);
    assert!(copy.warc_path(1).exists());

    let path = format!("{base}/settings/delete");
    let refused = server.send(&path, "").await.unwrap_err();
    assert!(refused.text.contains("Tick the box first"));
    assert_eq!(store.topics().await.unwrap().len(), 1);
    server.send(&path, "sure=true").await.unwrap();
    assert!(store.topics().await.unwrap().is_empty());
    assert!(store.devices().await.unwrap().is_empty());
    assert!(!store.warc_path(1).exists());
}

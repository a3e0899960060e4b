//! The sites that crawls remember, in the settings.

use axum::http::StatusCode;

use super::Server;
use linkscent_service::crawler::fake_web::web_about;
use linkscent_service::{NewCrawl, Starts};

#[tokio::test]
async fn sites_are_listed_and_forgotten_in_the_settings() {
    let server = Server::on_web(web_about(|_| "bees in the hive").await).await;
    let base = server.enter().await;
    let page = format!("{base}/settings/sites");
    assert!(server.get(&page).await.text.contains("Nothing yet"));
    let service = &server.app.service;
    let start = "http://host0.test/1".to_owned();
    let topic = service.topics.create_topic("bees", &[start]).await.unwrap();
    let new = NewCrawl::new(Starts::default(), 20);
    let crawl = service.crawls.begin_crawl(&topic, &new).await.unwrap();
    server.rest(crawl.id).await;
    let button = "aria-label=\"Forget host0.test\"";
    assert!(server.get(&page).await.text.contains(button));
    let (path, other) = (format!("{base}/settings/site"), "no%20host");
    let fields = |host: &str, forgotten| format!("host={host}&forgotten={forgotten}");
    let led = server.send(&path, &fields("host0.test", true)).await;
    assert!(led.unwrap().ends_with("/settings/sites"));
    let shown = server.get(&page).await.text;
    assert!(!shown.contains(button) && shown.contains("Remember host0.test again"));
    let refused = server.send(&path, &fields(other, true)).await.unwrap_err();
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    server
        .send(&path, &fields("host0.test", false))
        .await
        .unwrap();
    assert!(server.get(&page).await.text.contains(button));
}

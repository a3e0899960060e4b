//! What a person brings in on the dashboard and gives away: archives, topics, crawls gone on with;
//! and the screens that say what a crawl brought and why.

use super::library::with_a_library;
use super::*;
use linkscent_service::{NewCrawl, Starts};
use linkscent_store::CrawlState;

const BYTES: (&str, &str) = ("content-type", "application/octet-stream");

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_is_looked_into_taken_in_and_gone_on_with() {
    let (server, base) = with_a_library().await;
    let archive = server.app.service.rows().warc_path(1);
    let file: String =
        form_urlencoded::byte_serialize(archive.display().to_string().as_bytes()).collect();
    let look = server
        .get(&format!("{base}/topic/1/intake?file={file}"))
        .await;
    assert!(look.text.contains("host0.test <span"), "{}", look.text);
    assert!(look.text.contains("Take them in"));
    for (wrong, said) in [
        ("web.wacz", "whole path"),
        ("%2Fnowhere%2Fweb.wacz", "/nowhere/web.wacz"),
    ] {
        let reply = server
            .get(&format!("{base}/topic/1/intake?file={wrong}"))
            .await;
        assert!(reply.status.is_client_error(), "{wrong}: {}", reply.status);
        assert!(reply.text.contains(said), "{}", reply.text);
    }
    let to = server
        .send(&format!("{base}/topic/1/intake"), &format!("file={file}"))
        .await;
    assert!(to.unwrap().ends_with("/crawl/2"));
    server.rest(2).await;
    let crawl = server.get(&format!("{base}/crawl/2")).await.text;
    assert!(crawl.contains("pages were taken in from"), "{crawl}");
    assert!(crawl.contains("Go on</button>"), "{crawl}");
    let pages = async |crawl| server.app.service.crawls.counts(crawl).await.unwrap().pages;
    let before = pages(2).await;
    let more = format!("{base}/crawl/2/more");
    for (wrong, said) in [
        ("pages=some", "“some” is no number"),
        ("pages=0", "budget is 1 to"),
    ] {
        let refused = server.send(&more, wrong).await.unwrap_err();
        assert!(refused.text.contains(said), "{}", refused.text);
    }
    server.send(&more, "pages=3").await.unwrap();
    server.rest(2).await;
    assert_eq!(pages(2).await, before + 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_is_given_away_and_taken_in() {
    let (server, base) = with_a_library().await;
    // As a program would: the file's bytes are no text.
    let topic = server.app.service.topics.topic(1).await.unwrap();
    let bytes = server
        .app
        .service
        .topics
        .topic_file(&topic, false)
        .await
        .unwrap();
    let given = server.get(&format!("{base}/topic/1/file")).await;
    assert_eq!(
        given.headers["content-disposition"],
        "attachment; filename=\"linkscent.topic\""
    );
    assert!(given.text.starts_with("topic.json"));
    let file = server.folder.path().join("bees.topic");
    std::fs::write(&file, bytes).unwrap();
    let send = async |more: &str| {
        let fields = format!("file={}{more}", file.display());
        server.send(&format!("{base}/topics/file"), &fields).await
    };
    let twice = send("").await.unwrap_err();
    assert!(
        twice.text.contains("is a topic “bees” already"),
        "{}",
        twice.text
    );
    // Chosen in the browser it comes as it is.
    let csrf = server.app.access.csrf();
    let chosen = |csrf: &str| format!("{base}/topics/file/bytes?csrf={csrf}&name=bees+chosen");
    let bytes = std::fs::read(&file).unwrap();
    let sent = server.post(&chosen(csrf), BYTES, bytes.clone()).await;
    assert_eq!(sent.status, StatusCode::SEE_OTHER, "{}", sent.text);
    let forged = server.post(&chosen("x"), BYTES, bytes).await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
    let to = send("&name=bees+of+others").await.unwrap();
    let page = server.get(&to).await.text;
    assert!(page.contains("<h1>bees of others</h1>"), "{page}");
    assert!(page.contains("http://host0.test/1"), "its target is there");
    std::fs::write(&file, "no topic").unwrap();
    let refused = send("&name=x").await.unwrap_err();
    assert!(refused.text.contains("no topic file"), "{}", refused.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_says_what_it_brought_and_a_page_why() {
    let (server, base) = with_a_library().await;
    let brought = server.get(&format!("{base}/crawl/1/yield")).await.text;
    assert!(
        brought.contains("<th scope=\"row\">host0.test</th>"),
        "{brought}"
    );
    let research = server.get(&format!("{base}/crawl/1/research")).await;
    assert!(research.text.starts_with("contents.json"));
    let why = server.get(&format!("{base}/library/why/1/2")).await.text;
    assert!(why.contains("how its score comes about"), "{why}");
    assert_eq!(
        why.matches("<details").count(),
        why.matches("</details>").count()
    );
    let versions = server
        .get(&format!("{base}/library/versions/1/2"))
        .await
        .text;
    assert!(versions.contains("the oldest of these"), "{versions}");
    let none = server.get(&format!("{base}/library/why/1/999")).await;
    assert_eq!(none.status, StatusCode::NOT_FOUND);
    let made = server
        .get(&format!("{base}/library/suggest?q=site:ho&of=all"))
        .await
        .text;
    assert_eq!(made, "[\"site:host0.test\"]");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_has_its_own_strategy_and_is_given_more_pages_while_it_rests() {
    let (server, base) = with_a_library().await;
    let begin = format!("{base}/topic/1/crawl");
    let refused = server.send(&begin, "budget=2&strategy=odd").await;
    assert!(refused.unwrap_err().text.contains("odd"));
    let to = server.send(&begin, "budget=2&strategy=breadth-first").await;
    assert!(to.unwrap().ends_with("/crawl/2"));
    server.rest(2).await;
    let start = server.app.service.rows().start_model(2).await.unwrap();
    let knowledge = linkscent_core::wire::read_model(&start).unwrap();
    assert_eq!(knowledge.strategy, "breadth-first");

    let topic = server.app.service.topics.topic(1).await.unwrap();
    let new = NewCrawl::new(Starts::default(), 2);
    let crawl = server.app.service.crawls.prepare_crawl(&topic, &new).await;
    let id = crawl.unwrap().id;
    let page = server.get(&format!("{base}/crawl/{id}")).await.text;
    assert!(page.contains("Start there too"), "{page}");
    let seeds = format!("{base}/crawl/{id}/seeds");
    let refused = server.send(&seeds, "starts=nowhere").await.unwrap_err();
    assert!(refused.text.contains("Line 1"), "{}", refused.text);
    let twice = "starts=http%3A%2F%2Fhost3.test%2F9%0Ahttp%3A%2F%2Fhost3.test%2F9";
    server.send(&seeds, twice).await.unwrap();
    let (row, _) = server.app.service.crawls.crawl(id).await.unwrap();
    let last = row.order.seeds.last().unwrap();
    assert_eq!(last, &("http://host3.test/9".to_owned(), false));
    assert_eq!(row.order.seeds.len(), 2);
    assert!(page.contains("If it loses its way, it says so"), "{page}");
    let drift = format!("{base}/crawl/{id}/drift");
    let refused = server.send(&drift, "on_drift=dance").await.unwrap_err();
    assert!(refused.text.contains("not “dance”"), "{}", refused.text);
    server.send(&drift, "on_drift=pause").await.unwrap();
    let page = server.get(&format!("{base}/crawl/{id}")).await.text;
    assert!(page.contains("If it loses its way, it pauses"), "{page}");
    let over = server.send(&format!("{base}/crawl/2/seeds"), twice).await;
    assert!(over.unwrap_err().text.contains("it is over"));
    let page = server.get(&format!("{base}/crawl/2")).await.text;
    assert!(!page.contains("Start there too"));
}

#[tokio::test(flavor = "multi_thread")]
async fn how_long_hosts_rest_is_changed_on_their_page() {
    let (server, base) = with_a_library().await;
    let topic = server.app.service.topics.topic(1).await.unwrap();
    let mut new = NewCrawl::new(Starts::default(), 2);
    new.spec.delay = Some(1_500);
    let crawl = server.app.service.crawls.prepare_crawl(&topic, &new).await;
    let id = crawl.unwrap().id;
    let hosts = format!("{base}/crawl/{id}/hosts");
    let change = format!("{base}/crawl/{id}/delay");
    let page = server.get(&hosts).await.text;
    assert!(page.contains("value=\"1.5\""), "{page}");
    for (wrong, said) in [
        ("delay=soon", "“soon” is no number of seconds"),
        ("delay=NaN", "“NaN” is no number of seconds"),
        ("delay=0", "a tenth of a second to a minute"),
        ("delay=-3", "a tenth of a second to a minute"),
        ("delay=1e300", "a tenth of a second to a minute"),
    ] {
        let refused = server.send(&change, wrong).await.unwrap_err();
        assert!(refused.text.contains(said), "{}", refused.text);
    }
    server.send(&change, "delay=0%2C25").await.unwrap();
    let page = server.get(&hosts).await.text;
    assert!(page.contains("value=\"0.25\""), "{page}");
    let over = server
        .app
        .service
        .rows()
        .set_state(id, CrawlState::Stopped, "");
    over.await.unwrap();
    let refused = server.send(&change, "delay=3").await;
    assert!(refused.unwrap_err().text.contains("not over"));
    let page = server.get(&hosts).await.text;
    assert!(!page.contains("name=\"delay\""), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_get_tokens_in_the_settings_that_are_shown_once() {
    let (server, base) = with_a_library().await;
    let make = format!("{base}/settings/token");
    for (wrong, said) in [
        ("program=+&read=true", "called something"),
        ("program=x", "permits something"),
    ] {
        let refused = server.send(&make, wrong).await.unwrap_err();
        assert!(refused.text.contains(said), "{}", refused.text);
    }
    let csrf = server.app.access.csrf();
    let fields = format!("csrf={csrf}&program=%3Cnotes%3E&read=true&crawl=true");
    let made = server.post(&make, FORM, fields).await;
    assert_eq!(made.status, StatusCode::OK);
    let (_, token) = made.text.split_once("<code id=\"token\">").unwrap();
    let (token, _) = token.split_once('<').unwrap();
    assert!(
        made.text.contains("may read, crawl; made 2"),
        "{}",
        made.text
    );
    let settings = server.get(&format!("{base}/settings")).await.text;
    assert!(!settings.contains(token), "it is shown once");
    assert!(settings.contains("&#60;notes&#62;") && settings.contains("never used"));
    let digest = linkscent_store::secret::digest(token);
    let row = server.app.service.rows().token(&digest).await.unwrap();
    let row = row.unwrap();
    let revoke = format!("{base}/settings/revoke");
    server
        .send(&revoke, &format!("id={}", row.id))
        .await
        .unwrap();
    assert!(server.app.service.rows().tokens().await.unwrap().is_empty());
}

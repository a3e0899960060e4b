//! The library's screen: what is searched, judged and opened there.

use super::*;
use linkscent_service::crawler::fake_web::web_about;
use linkscent_service::{NewCrawl, Starts};

fn about(_: u64) -> &'static str {
    "bees in the hive. <b>Honey</b> & pollen are kept <script>there</script>"
}

/// A server with a topic, whose crawl has ended and lies in the library.
pub(super) async fn with_a_library() -> (Server, String) {
    let server = Server::on_web(web_about(about).await).await;
    let base = server.enter().await;
    let service = &server.app.service;
    let pages = ["http://host0.test/1".to_owned()];
    let topic = service.topics.create_topic("bees", &pages).await.unwrap();
    let new = NewCrawl::new(Starts::default(), 30);
    let crawl = service.crawls.begin_crawl(&topic, &new).await.unwrap();
    server.rest(crawl.id).await;
    service.library.catch_up(|_| {}).await.unwrap();
    (server, base)
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_searched_paged_and_narrowed_down() {
    let (server, base) = with_a_library().await;
    let get = async |query: &str| server.get(&format!("{base}/library?{query}")).await;
    let all = get("of=all&q=honey").await.text;
    assert!(all.contains("<mark>Honey</mark>"), "{all}");
    assert!(all.contains("rel=\"next\""), "there is another page");
    let site = get("of=all&q=honey+site%3Ahost0.test").await.text;
    assert!(site.contains("<mark>Honey</mark>"));
    let elsewhere = get("of=all&q=honey+site%3Aother.test").await.text;
    assert!(elsewhere.contains("Nothing was found"), "{elsewhere}");
    let next = get("of=all&q=honey&topic=1&page=1").await.text;
    assert!(next.contains("start=\"21\""), "{next}");
    assert!(next.contains("rel=\"prev\""));
    let nothing = get("q=zeppelin&topic=").await.text;
    assert!(nothing.contains("Nothing was found among the finds"));
    let written = get("q=%22%3E%3Cscript%3Ex").await.text;
    assert!(!written.contains("<script>x"), "{written}");
    let far = get("of=all&page=9223372036854775807").await;
    assert_eq!(far.status, StatusCode::OK, "{}", far.text);
    for wrong in ["order=odd", "topic=x", "page=-1"] {
        assert_eq!(get(wrong).await.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    assert_eq!(get("topic=77").await.status, StatusCode::NOT_FOUND);
    let topic = server.get(&format!("{base}/topic/1")).await.text;
    assert!(topic.contains("Search what was found"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_judged_with_and_without_a_script() {
    let (server, base) = with_a_library().await;
    let first = "address=http%3A%2F%2Fhost0.test%2F1&crawl=1&back=q%3Dhoney%26page%3D0";
    let path = format!("{base}/library/mark");
    let form = |verdict: &str| {
        let csrf = server.app.access.csrf();
        format!("csrf={csrf}&{first}&verdict={verdict}")
    };
    let post = async |verdict: &str, accept: &str| {
        let headers = [("host", HOST), FORM, ("accept", accept)];
        server.ask("POST", &path, &headers, form(verdict)).await
    };
    let reply = post("not", "text/html,*/*").await;
    assert_eq!(reply.status, StatusCode::SEE_OTHER);
    let to = reply.headers["location"].to_str().unwrap();
    assert_eq!(to, format!("{base}/library?q=honey&page=0"));
    let marks = server.app.service.rows().marks(1).await.unwrap();
    assert!(!marks[0].target);
    let headers = [("host", HOST), FORM, ("accept", "text/html")];
    let forged = form("not").replace("page%3D0", "%0D%0Ax-evil%3A+1%C3%BC");
    let reply = server.ask("POST", &path, &headers, forged).await;
    let to = reply.headers["location"].to_str().unwrap();
    assert_eq!(to, format!("{base}/library?q=honey&x-evil:1"));
    assert!(!reply.headers.contains_key("x-evil"));
    let reply = post("undo", "application/json").await;
    assert_eq!(reply.status, StatusCode::NO_CONTENT);
    assert!(server.app.service.rows().marks(1).await.unwrap().is_empty());
    assert_eq!(post("odd", "*/*").await.status, StatusCode::BAD_REQUEST);
    let forged = form("target").replace("csrf=", "csrf=x");
    let reply = server.post(&path, FORM, forged).await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_page_is_shut_in() {
    let (server, base) = with_a_library().await;
    let open = async |number: &str| {
        let request = Request::builder().uri(format!("{base}/library/kept/{number}"));
        let request = request.header("host", HOST).body(Body::empty()).unwrap();
        server.router.clone().oneshot(request).await.unwrap()
    };
    let page = open("1/1").await;
    assert_eq!(page.status(), StatusCode::OK);
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'") && policy.ends_with("; sandbox"));
    assert!(!policy.contains("script-src") && !policy.contains("connect-src"));
    assert_eq!(page.headers()["referrer-policy"], "no-referrer");
    let body = to_bytes(page.into_body(), usize::MAX).await.unwrap();
    let body = String::from_utf8_lossy(&body);
    assert!(
        body.contains("<b>Honey</b>") && !body.contains("<script"),
        "{body}"
    );
    for missing in ["1/0", "1/999", "9/1"] {
        assert_eq!(
            open(missing).await.status(),
            StatusCode::NOT_FOUND,
            "{missing}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_search_finds_is_taken_away() {
    let (server, base) = with_a_library().await;
    let take = async |path: &str| server.get(&format!("{base}/library/take/{path}")).await;
    let all = take("csv?of=all&q=honey").await;
    assert_eq!(all.headers["content-type"], "text/csv; charset=utf-8");
    let disposition = all.headers["content-disposition"].to_str().unwrap();
    assert_eq!(disposition, "attachment; filename=\"linkscent.csv\"");
    // A line of the table's head, and one for each page, not for the first twenty alone.
    assert_eq!(all.text.lines().count(), 31, "{}", all.text);
    let lines = take("jsonl?of=all&q=honey&topic=1").await.text;
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(first["topic"], "bees");
    assert!(first["text"][0].as_str().unwrap().contains("Honey"));
    assert!(first["read"].as_str().unwrap().starts_with("20"), "{first}");
    assert_eq!(take("odd").await.status, StatusCode::NOT_FOUND);
    assert_eq!(take("csv?topic=77").await.status, StatusCode::NOT_FOUND);
    let nothing = take("urls?q=zeppelin").await;
    assert_eq!((nothing.status, &*nothing.text), (StatusCode::OK, ""));
}

#[tokio::test]
async fn lists_of_other_programs_are_read_and_what_is_wrong_is_said() {
    let server = Server::new().await;
    let base = server.enter().await;
    let read = async |text: &str| {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.append_pair("csrf", server.app.access.csrf());
        form.append_pair("text", text);
        server
            .post(&format!("{base}/lists"), FORM, form.finish())
            .await
    };
    let references = "TY  - ELEC\r\nUR  - http://a.test/x\r\nER  - \r\n";
    assert_eq!(read(references).await.text, "http://a.test/x");
    assert_eq!(
        read("http://a.test/1\nhttp://b.test").await.text,
        "http://a.test/1\nhttp://b.test/"
    );
    let wrong = read("http://a.test/\nno address").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(wrong.text.contains("Line 2"), "{}", wrong.text);
    let broken = read("<opml><body></opml>").await;
    assert!(broken.text.contains("broken at byte"), "{}", broken.text);
    let page = server.get(&format!("{base}/")).await.text;
    assert!(page.contains("/lists.js"));
    let script = server.get("/lists.js").await;
    assert_eq!(script.headers["content-type"], "text/javascript");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_seen_is_new_no_more() {
    let (server, base) = with_a_library().await;
    let get = async |path: &str| server.get(&format!("{base}/{path}")).await.text;
    let new = get("library?of=new").await;
    assert!(new.contains("<span class=\"badge\">new</span>"), "{new}");
    assert!(get("topic/1/finds").await.contains("new find"));
    let to = server
        .send(&format!("{base}/library/seen"), "topic=1")
        .await
        .unwrap();
    assert_eq!(to, format!("{base}/library?topic=1"));
    assert!(
        get("library?of=new")
            .await
            .contains("Nothing was found that is new")
    );
    let all = get("library").await;
    assert!(
        !all.contains(">new</span>") && !all.contains("I have seen"),
        "{all}"
    );
    assert!(!get("topic/1/finds").await.contains("new find"));
    for wrong in ["topic=x", "topic=77"] {
        let refused = server.send(&format!("{base}/library/seen"), wrong).await;
        assert_eq!(refused.unwrap_err().status, StatusCode::NOT_FOUND);
    }
}

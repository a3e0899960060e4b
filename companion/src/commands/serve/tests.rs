//! The whole server without a port: who is let in, what is found, what is too much.

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use linkscent_core::wire::api::{LONGEST_NAME, PROPOSED_BUDGET};
use linkscent_core::wire::channel::DeviceKey;
use linkscent_core::{critics, strategies};
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt;

use super::*;
use linkscent_core::crawl::{LARGEST_BUDGET, Reaction};
use linkscent_service::RunBy;
use linkscent_service::crawler::way::Way;
use linkscent_service::learning::hop_training::DistanceModel;
use linkscent_store::Store;

mod brought_in;
mod choices;
mod library;
mod provider;
mod public;
mod removed;
mod shared;
mod sites;

const PORT: u16 = 7000;
const HOST: &str = "127.0.0.1:7000";
const EXTENSION: &str = "moz-extension://paired";
const JSON: (&str, &str) = ("content-type", "application/json");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

struct Server {
    app: App,
    router: Router,
    folder: TempDir,
}

#[derive(Debug)]
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Reply {
    /// What is wrong, as the API says it.
    fn error(&self) -> String {
        let json: Value = serde_json::from_str(&self.text).unwrap();
        json["error"].as_str().unwrap().to_owned()
    }
}

impl Server {
    async fn new() -> Self {
        Self::on_web(Way::default()).await
    }

    /// A server whose crawls make requests that way.
    async fn on_web(way: Way) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let key = DeviceKey::from_bytes(&[7; 32]).unwrap();
        store
            .add_device("a browser", EXTENSION, &key)
            .await
            .unwrap();
        let app = App::new(Services::new(store, way), PORT);
        Self {
            router: router(app.clone()),
            app,
            folder,
        }
    }

    /// A request with these headers alone.
    async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Reply {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.into()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        // Every answer is hardened, those that refuse too.
        let policy = head.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert_eq!(head.headers["cache-control"], "no-store", "{path}");
        assert_eq!(head.headers["referrer-policy"], "same-origin", "{path}");
        assert!(!head.headers.contains_key("set-cookie"), "{path}");
        assert!(!head.headers.contains_key("access-control-allow-origin"));
        Reply {
            status: head.status,
            headers: head.headers,
            text: String::from_utf8_lossy(&body).into_owned(),
        }
    }

    async fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[("host", HOST)], Body::empty())
            .await
    }

    async fn post(&self, path: &str, kind: (&str, &str), body: impl Into<Body>) -> Reply {
        self.ask("POST", path, &[("host", HOST), kind], body).await
    }

    /// Sends a form of the dashboard; where it leads.
    async fn send(&self, path: &str, fields: &str) -> Result<String, Reply> {
        let form = format!("csrf={}&{fields}", self.app.access.csrf());
        let reply = self.post(path, FORM, form).await;
        if reply.status != StatusCode::SEE_OTHER {
            return Err(reply);
        }
        Ok(reply.headers["location"].to_str().unwrap().to_owned())
    }

    /// Waits until a crawl does not run any more.
    async fn rest(&self, crawl: i64) {
        let supervisor = &self.app.service.supervisor;
        let mut changes = supervisor.changes();
        loop {
            let (crawl, _) = self.app.service.crawls.crawl(crawl).await.unwrap();
            if supervisor.run_by(&crawl) != Some(RunBy::Us) {
                return;
            }
            changes.changed().await.unwrap();
        }
    }

    /// Where the dashboard lies, by a link that was just given out.
    async fn enter(&self) -> String {
        let link = self.app.access.entry_link();
        let (_, path) = link.split_once(HOST).unwrap();
        let reply = self.get(path).await;
        assert_eq!(reply.status, StatusCode::SEE_OTHER);
        let base = reply.headers["location"].to_str().unwrap();
        base.trim_end_matches('/').to_owned()
    }
}

#[tokio::test]
async fn a_request_names_this_machine_and_port_once() {
    let server = Server::new().await;
    let health = async |headers: &[(&str, &str)]| {
        let path = "/api/v1/health";
        server.ask("GET", path, headers, Body::empty()).await
    };
    for host in [HOST, "localhost:7000"] {
        assert_eq!(health(&[("host", host)]).await.status, StatusCode::OK);
    }
    for headers in [
        &[][..],
        &[("host", "127.0.0.1:7001")],
        &[("host", "127.0.0.1")],
        &[("host", "evil.example:7000")],
        &[("host", HOST), ("host", HOST)],
    ] {
        let reply = health(headers).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{headers:?}");
        assert!(reply.error().contains("not taken"), "{headers:?}");
    }
}

#[tokio::test]
async fn origins_are_those_of_paired_browsers_and_of_the_dashboard() {
    let server = Server::new().await;
    let own = "http://127.0.0.1:7000";
    let stranger = "chrome-extension://stranger";
    let cases = [
        ("/api/v1/health", EXTENSION, 200),
        ("/api/v1/health", stranger, 403),
        ("/api/v1/health", own, 403),
        ("/api/v1/health", "http://evil.example", 403),
        ("/api/v1/health", "null", 403),
        // An extension that wants to pair is none that is paired: it is heard (and told
        // here that this is none of the methods).
        ("/api/v1/pair", stranger, 405),
        ("/api/v1/pair", "http://evil.example", 403),
        ("/style.css", own, 200),
        ("/style.css", EXTENSION, 403),
    ];
    for (path, origin, status) in cases {
        let headers = [("host", HOST), ("origin", origin)];
        let reply = server.ask("GET", path, &headers, Body::empty()).await;
        assert_eq!(reply.status.as_u16(), status, "{path} from {origin}");
    }
    let twice = [("host", HOST), ("origin", EXTENSION), ("origin", EXTENSION)];
    let reply = server.ask("GET", "/api/v1/health", &twice, Body::empty());
    assert_eq!(reply.await.status, StatusCode::FORBIDDEN);
    // A browser that is forgotten is a stranger again.
    server.app.service.rows().remove_device(1).await.unwrap();
    let headers = [("host", HOST), ("origin", EXTENSION)];
    let reply = server.ask("GET", "/api/v1/health", &headers, Body::empty());
    assert_eq!(reply.await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn nobody_pairs_without_a_code() {
    let server = Server::new().await;
    let start = format!(r#"{{"step":"start","message":"41{}"}}"#, "58".repeat(32));
    let finish = r#"{"step":"finish","attempt":"1","proof":"00","name":"x"}"#;
    let pair = async |body: &str| server.post("/api/v1/pair", JSON, body.to_owned()).await;
    let reply = pair(&start).await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN);
    assert!(reply.error().contains("no code is out"));
    assert_eq!(pair(finish).await.status, StatusCode::FORBIDDEN);
    server.app.pairing.new_code();
    let reply = pair(r#"{"step":"start","message":"zz"}"#).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    assert!(reply.error().contains("malformed"));
    assert_eq!(pair(finish).await.status, StatusCode::FORBIDDEN);
    let devices = server.app.service.rows().devices().await.unwrap();
    assert_eq!(devices.len(), 1, "the one that was paired before");
}

#[tokio::test]
async fn what_is_not_there_and_what_is_asked_wrongly() {
    let server = Server::new().await;
    let base = server.enter().await;
    // A stranger cannot tell what is there from what is not.
    for path in [
        "/",
        "/nothing",
        "/settings",
        "/d/x/",
        "/d//settings",
        "/enter/x",
    ] {
        let reply = server.get(path).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}");
        assert!(reply.text.contains("locked"), "{path}");
    }
    let reply = server.get("/api/v1/nothing").await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN);
    assert!(reply.error().contains("not taken"));
    assert_eq!(server.get("/api").await.status, StatusCode::FORBIDDEN);
    let inside = server.get(&format!("{base}/nothing")).await;
    assert_eq!(inside.status, StatusCode::NOT_FOUND);
    let reply = server.get(&format!("{base}/crawl/7")).await;
    assert_eq!(reply.status, StatusCode::NOT_FOUND);
    assert!(
        reply.text.contains(&format!("href=\"{base}/\"")),
        "the way back"
    );
    for (method, path, allowed) in [
        ("POST", "/api/v1/health", "GET,HEAD"),
        ("GET", "/api/v1/pair", "POST"),
        ("DELETE", "/enter", "GET,HEAD"),
    ] {
        let headers = [("host", HOST)];
        let reply = server.ask(method, path, &headers, Body::empty()).await;
        assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(reply.headers["allow"], allowed, "{path}");
    }
}

#[tokio::test]
async fn what_other_pages_and_strangers_ask_for_is_refused_before_it_is_read() {
    let server = Server::new().await;
    let ask = async |method: &str, path: &str, more: (&str, &str)| {
        let headers = [("host", HOST), more];
        server
            .ask(method, path, &headers, Body::empty())
            .await
            .status
    };
    let health = "/api/v1/health";
    for (site, status) in [
        ("cross-site", StatusCode::FORBIDDEN),
        ("same-site", StatusCode::FORBIDDEN),
        ("same-origin", StatusCode::OK),
        ("none", StatusCode::OK),
    ] {
        assert_eq!(ask("GET", health, ("sec-fetch-site", site)).await, status);
    }
    // A link elsewhere may lead to the dashboard.
    let entry = ask("GET", "/enter?key=x", ("sec-fetch-site", "cross-site")).await;
    assert_eq!(entry, StatusCode::FORBIDDEN, "wrong key");
    let elsewhere = format!("http://evil.example{health}");
    let as_proxy = ask("GET", &elsewhere, ("accept", "*/*")).await;
    assert_eq!(as_proxy, StatusCode::FORBIDDEN);
    // A body that never comes.
    for (method, path) in [
        ("POST", "/api/v1/events"),
        ("PUT", "/api/v1/x"),
        ("POST", "/mcp"),
    ] {
        let headers = [("host", HOST), ("content-length", "9000000")];
        let nothing = futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>();
        let body = Body::from_stream(nothing);
        let status = server.ask(method, path, &headers, body).await.status;
        assert_eq!(status, StatusCode::FORBIDDEN, "{method} {path}");
    }
}

#[tokio::test]
async fn who_only_looks_at_the_link_does_not_use_it_up() {
    let server = Server::new().await;
    let link = server.app.access.entry_link();
    let path = link.split_once(HOST).unwrap().1.to_owned();
    let headers = [("host", HOST)];
    let looked = server.ask("HEAD", &path, &headers, Body::empty()).await;
    assert_eq!(looked.status, StatusCode::METHOD_NOT_ALLOWED);
    let ahead = [("host", HOST), ("sec-purpose", "prefetch")];
    let fetched = server.ask("GET", &path, &ahead, Body::empty()).await;
    assert_eq!(fetched.status, StatusCode::SERVICE_UNAVAILABLE);
    let opened = server.ask("GET", &path, &headers, Body::empty()).await;
    assert_eq!(opened.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn the_dashboard_lies_behind_its_secret() {
    let server = Server::new().await;
    let wrong = server.get("/enter?key=wrong").await;
    assert_eq!(wrong.status, StatusCode::FORBIDDEN);
    let base = server.enter().await;
    assert!(base.starts_with("/d/") && base.len() > 60, "{base}");
    let page = server.get(&format!("{base}/")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("New topic"));
    // Its links lead to where it lies, and another secret leads nowhere.
    assert!(page.text.contains(&format!("{base}/settings")));
    let other = format!("/d/{}/", "0".repeat(64));
    assert_eq!(server.get(&other).await.status, StatusCode::FORBIDDEN);
    // Nothing of the API lies there.
    let health = server.get(&format!("{base}/api/v1/health")).await;
    assert_eq!(health.status, StatusCode::FORBIDDEN);
    // Forms carry a token; a redirect stays behind the secret.
    let topics = format!("{base}/topics");
    let refused = server
        .post(&topics, FORM, "csrf=x&name=bees&examples=")
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    let form = format!("csrf={}&name=bees&examples=", server.app.access.csrf());
    let made = server.post(&topics, FORM, form).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER);
    assert_eq!(made.headers["location"], format!("{base}/topic/1"));
}

#[tokio::test]
async fn a_body_may_be_so_large_and_no_larger() {
    let server = Server::new().await;
    let spaces = |length| Bytes::from(vec![b' '; length]);
    let small = 64 << 10;
    for path in ["/api/v1/pair", "/api/v1/channel", "/api/v1/call", "/enter"] {
        let reply = server.post(path, JSON, spaces(small + 1)).await;
        assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        assert!(reply.error().contains("65536"), "{path}: {}", reply.text);
    }
    let reply = server.post("/api/v1/pair", JSON, spaces(small)).await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST, "it was read");
    // Who may ask may send more.
    let lists = format!("{}/lists", server.enter().await);
    let reply = server.post(&lists, FORM, spaces(api::LARGEST_BODY)).await;
    assert_eq!(
        reply.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "it was read"
    );
    let reply = server
        .post(&lists, FORM, spaces(api::LARGEST_BODY + 1))
        .await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(reply.error().contains(&api::LARGEST_BODY.to_string()));
}

/// On the one thread of this server others are answered while a large list is read.
#[tokio::test]
async fn a_large_list_keeps_nobody_waiting() {
    let server = Server::new().await;
    let lists = format!("{}/lists", server.enter().await);
    let csrf = server.app.access.csrf();
    let commas = ",".repeat(12 << 20);
    let form = format!("csrf={csrf}&text=url,title%0A{commas}");
    let answered = std::cell::Cell::new(0_u32);
    let reading = async {
        let reply = server.post(&lists, FORM, form).await;
        (reply, answered.get())
    };
    let asking = async {
        loop {
            let health = server.get("/api/v1/health").await;
            assert_eq!(health.status, StatusCode::OK);
            answered.set(answered.get() + 1);
            tokio::task::yield_now().await;
        }
    };
    let (reply, meanwhile) = tokio::select! {
        read = reading => read,
        () = asking => unreachable!("it never ends"),
    };
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert!(meanwhile >= 3, "{meanwhile} were answered meanwhile");
}

/// A body that never comes is not waited for where the head is enough to refuse it.
#[tokio::test]
async fn of_strangers_nothing_is_read() {
    let server = Server::new().await;
    let never = || {
        let chunks = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
        Body::from_stream(chunks)
    };
    let evil = [("host", "evil.example"), JSON];
    let reply = server.ask("POST", "/api/v1/pair", &evil, never()).await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN);
    let outside = server.post("/topics", FORM, never()).await;
    assert_eq!(outside.status, StatusCode::FORBIDDEN);
}

/// Forms offer what there is, and no more than is taken.
#[tokio::test]
async fn forms_repeat_names_and_limits_rightly() {
    let server = Server::new().await;
    let base = server.enter().await;
    let store = server.app.service.rows();
    let topic = store.topic_named("bees").await.unwrap();
    let page = server.get(&format!("{base}/topic/{}", topic.id)).await.text;
    for critic in critics::NAMES {
        assert!(
            page.contains(&format!("name=\"kind\" value=\"{critic}\"")),
            "{critic}"
        );
    }
    for reaction in &Reaction::ALL {
        let option = format!("<option value=\"{}\">", reaction.code());
        assert!(page.contains(&option), "{option}");
    }
    for row in &strategies::REGISTRY {
        let option = format!("<option value=\"{}\" title=\"", row.name);
        let at = page.find(&option).expect(row.name);
        let line = &page[at..][..page[at..].find("</option>").unwrap()];
        // What has to be trained first, or needs a taxonomy, cannot be chosen yet and says so.
        let lacks_taxonomy = line.contains("(it needs a taxonomy)");
        assert_eq!(lacks_taxonomy, row.name == "apprentice-classes", "{line}");
        assert_eq!(
            line.contains(" disabled"),
            row.make.is_none() || lacks_taxonomy,
            "{line}"
        );
        assert_eq!(
            line.contains("(train it first)"),
            row.make.is_none(),
            "{line}"
        );
        assert_eq!(
            line.contains(" selected"),
            row.name == strategies::default_name()
        );
    }
    for model in DistanceModel::ALL {
        let option = format!("<option>{}</option>", model.strategy());
        assert!(page.contains(&option), "{option}");
    }
    // A crawl is offered the topic's strategy and those that can be used as things stand.
    let usable = strategies::REGISTRY.iter();
    let usable = usable.filter(|row| row.make.is_some() && row.name != "apprentice-classes");
    let of_a_crawl = 1 + usable.count();
    let offered =
        Reaction::ALL.len() + strategies::REGISTRY.len() + of_a_crawl + DistanceModel::ALL.len();
    assert_eq!(page.matches("<option").count(), offered);
    let proposed = format!("value=\"{PROPOSED_BUDGET}\" min=\"1\" max=\"{LARGEST_BUDGET}\"");
    assert!(page.contains(&proposed), "{proposed}");
    for most in ["site_pages", "site_targets"] {
        let input = format!("name=\"{most}\" min=\"1\" max=\"{LARGEST_BUDGET}\"");
        assert!(page.contains(&input), "{input}");
    }
    assert!(page.contains("name=\"until_recall\" min=\"50\" max=\"99\""));
    let csrf = server.app.access.csrf();
    let crawl = |most: &str| format!("csrf={csrf}&budget=3&starts=http://a.test/&{most}");
    for (most, said) in [
        ("site_pages=0", "after 1 to 1000000 pages"),
        ("site_targets=some", "“some” is no number"),
        ("until_recall=20", "50 to 99 per cent"),
        ("megabytes=0", "a megabyte (1000000 bytes) at least"),
        ("until_recall=90&strategy=breadth-first", "choose another"),
    ] {
        let path = format!("{base}/topic/1/crawl");
        let refused = server.post(&path, FORM, crawl(most)).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{most}");
        assert!(refused.text.contains(said), "{}", refused.text);
    }
    let topics = server.get(&format!("{base}/")).await.text;
    let longest = format!("maxlength=\"{LONGEST_NAME}\"");
    assert!(topics.contains(&longest), "{longest}");
}

//! Where people sign in: nobody else comes in, each does what the role is for, and what they change is
//! put down.

use super::*;
use linkscent_server::api::PublicSite;
use linkscent_service::Provider;

const SITE: &str = "links.example.org";
pub(super) const PASSWORD: &str = "long enough 1";

pub(super) struct Public(Server);

impl Public {
    pub(super) async fn new() -> Self {
        let server = Server::new().await;
        let service = server.app.service.clone();
        for role in Role::ALL {
            let added = service
                .accounts
                .add_account(role.name(), role, Some(PASSWORD));
            added.await.unwrap();
        }
        Self::serving(server, service)
    }

    /// A site of what is kept there.
    pub(super) async fn on(service: Services) -> Self {
        Self::serving(Server::new().await, service)
    }

    /// The same where people can also sign in by a provider.
    pub(super) fn with_provider(mut self, provider: Provider) -> Self {
        self.0.app = self.0.app.with_provider(Some(provider));
        self.0.router = router(self.0.app.clone());
        self
    }

    pub(super) fn server(&self) -> &Server {
        &self.0
    }

    fn serving(mut server: Server, service: Services) -> Self {
        let site = PublicSite::named("https://Links.example.org/").unwrap();
        server.app = App::public(service, PORT, site);
        server.router = router(server.app.clone());
        Self(server)
    }

    /// A request of a browser that keeps this secret.
    pub(super) async fn ask(&self, method: &str, path: &str, key: &str, body: &str) -> Reply {
        let cookie = format!("a=b; __Host-linkscent={key}");
        let headers = [("host", SITE), ("cookie", &cookie), FORM];
        self.ask_with(method, path, &headers, body).await
    }

    pub(super) async fn ask_with(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let response = self.0.router.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        assert!(head.headers.contains_key("content-security-policy"));
        Reply {
            status: head.status,
            headers: head.headers,
            text: String::from_utf8_lossy(&body).into_owned(),
        }
    }

    pub(super) async fn get(&self, path: &str, key: &str) -> Reply {
        self.ask("GET", path, key, "").await
    }

    /// Sends a form of the dashboard.
    pub(super) async fn send(&self, path: &str, key: &str, fields: &str) -> Reply {
        let form = format!("csrf={}&{fields}", self.0.app.access.csrf());
        self.ask("POST", path, key, &form).await
    }

    /// Signs in; the secret that the browser is to keep.
    pub(super) async fn sign_in(&self, name: &str, password: &str) -> Result<String, Reply> {
        let password = password.replace(' ', "+");
        let form = format!("name={name}&password={password}&to=%2Fworkers");
        let reply = self.ask("POST", "/sign-in", "", &form).await;
        if reply.status != StatusCode::SEE_OTHER {
            assert!(!reply.headers.contains_key("set-cookie"));
            return Err(reply);
        }
        assert_eq!(reply.headers["location"], "/workers");
        Ok(kept(&reply))
    }
}

/// The secret that an answer has a browser keep.
fn kept(reply: &Reply) -> String {
    let cookie = reply.headers["set-cookie"].to_str().unwrap();
    assert!(
        cookie.contains("; Secure; HttpOnly; SameSite=Lax"),
        "{cookie}"
    );
    let (key, _) = cookie.split_once(';').unwrap();
    key.strip_prefix("__Host-linkscent=").unwrap().to_owned()
}

/// Changes, each by another file of the dashboard.
const CHANGES: [&str; 22] = [
    "/topics",
    "/topics/file",
    "/lists",
    "/topic/1/mark",
    "/topic/1/remove",
    "/topic/1/delete",
    "/topic/1/watch",
    "/topic/1/intake",
    "/topic/1/subtopics",
    "/topic/1/classes",
    "/topic/1/crawl",
    "/crawl/1/pause",
    "/crawl/1/hosts",
    "/crawl/1/strategy",
    "/crawl/1/form",
    "/crawl/1/more",
    "/crawl/1/delete",
    "/library/mark",
    "/library/pages",
    "/settings/pair",
    "/settings/token",
    "/settings/delete",
];

#[tokio::test]
async fn nobody_comes_in_who_has_not_signed_in() {
    let site = Public::new().await;
    for key in ["", "0123456789abcdef"] {
        for path in [
            "/",
            "/topic/1?a=b",
            "/library",
            "/settings",
            "/accounts",
            "/enter?key=x",
        ] {
            let reply = site.get(path, key).await;
            assert_eq!(reply.status, StatusCode::SEE_OTHER, "{path}");
            let to = reply.headers["location"].to_str().unwrap();
            assert!(to.starts_with("/sign-in?to=%2F"), "{path} leads to {to}");
        }
        for path in CHANGES {
            let reply = site.send(path, key, "").await;
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{path}");
        }
    }
    for path in ["/api/v1/topics", "/mcp"] {
        assert_eq!(
            site.get(path, "").await.status,
            StatusCode::FORBIDDEN,
            "{path}"
        );
    }
    for path in ["/api/v1/pair", "/api/v1/channel", "/api/v1/call"] {
        let reply = site.ask("POST", path, "", "{}").await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}");
    }
    assert_eq!(site.get("/sign-in", "").await.status, StatusCode::OK);
    assert_eq!(site.get("/style.css", "").await.status, StatusCode::OK);
    assert!(site.0.app.service.topics.topics().await.unwrap().is_empty());
}

#[tokio::test]
async fn only_requests_of_the_site_are_taken() {
    let site = Public::new().await;
    let form = format!("name=owner&password={}", PASSWORD.replace(' ', "+"));
    for (name, value) in [
        ("host", HOST),
        ("host", "evil.example"),
        ("origin", "https://evil.example"),
        ("origin", "http://links.example.org"),
        ("origin", "null"),
        ("sec-fetch-site", "cross-site"),
    ] {
        let mut headers = vec![FORM, (name, value)];
        if name != "host" {
            headers.push(("host", SITE));
        }
        let reply = site.ask_with("POST", "/sign-in", &headers, &form).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{name}: {value}");
    }
    let headers = [
        FORM,
        ("host", SITE),
        ("origin", "https://links.example.org"),
    ];
    let reply = site.ask_with("POST", "/sign-in", &headers, &form).await;
    assert_eq!(reply.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn each_does_what_the_role_is_for() {
    let site = Public::new().await;
    let service = &site.0.app.service;
    let reader = site.sign_in("reader", PASSWORD).await.unwrap();
    let editor = site.sign_in(" Editor ", PASSWORD).await.unwrap();
    let owner = site.sign_in("owner", PASSWORD).await.unwrap();
    let name = "name=Castles&examples=";
    let refused = site.send("/topics", &reader, name).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert!(service.topics.topics().await.unwrap().is_empty());
    let made = site.send("/topics", &owner, name).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER, "{}", made.text);
    // Those about crawls and their pages are tried where there is one.
    let of_crawls = |path: &str| path.starts_with("/crawl/") || path.starts_with("/library/");
    for path in CHANGES {
        if of_crawls(path) || path == "/lists" {
            continue;
        }
        let reply = site.send(path, &reader, name).await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path}");
        assert!(
            reply.text.contains("Ask an owner"),
            "{path}: {}",
            reply.text
        );
    }
    let topic = service.rows().topics().await.unwrap()[0].id;
    let page = site.get(&format!("/topic/{topic}"), &reader).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.contains("Castles") && page.text.contains("class=\"reader\""));
    for (key, status) in [
        (&reader, StatusCode::FORBIDDEN),
        (&editor, StatusCode::FORBIDDEN),
        (&owner, StatusCode::OK),
    ] {
        for path in ["/settings", "/accounts", "/settings/everything.tar"] {
            assert_eq!(site.get(path, key).await.status, status, "{path}");
        }
        let path = format!("/topic/{topic}/delete");
        if status != StatusCode::OK {
            assert_eq!(site.send(&path, key, "sure=true").await.status, status);
        }
    }
    let forged = site
        .ask("POST", "/topics", &editor, "csrf=x&name=Towers&examples=")
        .await;
    assert_eq!(forged.status, StatusCode::FORBIDDEN);
    let audit_entries = service.rows().audit_entries(9).await.unwrap();
    let audit_entries: Vec<(&str, &str)> = audit_entries
        .iter()
        .map(|audit_entry| (audit_entry.account.as_str(), audit_entry.what.as_str()))
        .collect();
    assert_eq!(
        audit_entries,
        [("owner", "/topics")],
        "and no sign-in, nor what was refused"
    );
    let page = site.get("/accounts", &owner).await;
    assert!(
        page.text.contains("<td>owner</td><td><code>/topics</code>"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn who_is_signed_out_or_changed_is_so_at_once() {
    let site = Public::new().await;
    let service = &site.0.app.service;
    let wrong = site.sign_in("reader", "wrong").await.unwrap_err();
    assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    assert!(
        wrong.text.contains("Name or password are wrong"),
        "{}",
        wrong.text
    );
    let key = site.sign_in("reader", PASSWORD).await.unwrap();
    service
        .accounts
        .change_role("reader", Role::Editor)
        .await
        .unwrap();
    let made = site.send("/topics", &key, "name=Castles&examples=").await;
    assert_eq!(made.status, StatusCode::SEE_OTHER);
    let out = site.ask("POST", "/sign-out", &key, "").await;
    assert_eq!(kept(&out), "");
    assert_eq!(site.get("/", &key).await.status, StatusCode::SEE_OTHER);
    let key = site.sign_in("reader", PASSWORD).await.unwrap();
    assert_eq!(site.get("/", &key).await.status, StatusCode::OK);
    service.accounts.remove_account("reader").await.unwrap();
    assert_eq!(site.get("/", &key).await.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn people_change_their_own_password() {
    let site = Public::new().await;
    let key = site.sign_in("reader", PASSWORD).await.unwrap();
    let elsewhere = site.sign_in("reader", PASSWORD).await.unwrap();
    let page = site.get("/account", &key).await;
    assert!(
        page.text.contains("<b>reader</b>, as reader"),
        "{}",
        page.text
    );
    let wrong = site
        .send("/account", &key, "password=wrong&new=another+one+2")
        .await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    let short = format!("password={}&new=short", PASSWORD.replace(' ', "+"));
    let short = site.send("/account", &key, &short).await;
    assert!(short.text.contains("10 to 200"), "{}", short.text);
    let fields = format!("password={}&new=another+one+2", PASSWORD.replace(' ', "+"));
    let changed = site.send("/account", &key, &fields).await;
    let renewed = kept(&changed);
    assert_eq!(site.get("/", &renewed).await.status, StatusCode::OK);
    for gone in [&key, &elsewhere] {
        assert_eq!(site.get("/", gone).await.status, StatusCode::SEE_OTHER);
    }
    site.sign_in("reader", "another one 2").await.unwrap();
}

#[tokio::test]
async fn nobody_from_elsewhere_names_files_of_the_machine() {
    let site = Public::new().await;
    let owner = site.sign_in("owner", PASSWORD).await.unwrap();
    let made = site.send("/topics", &owner, "name=Castles&examples=").await;
    assert_eq!(made.status, StatusCode::SEE_OTHER);
    let file = "file=%2Fetc%2Fpasswd";
    for reply in [
        site.get(&format!("/topic/1/intake?{file}"), &owner).await,
        site.send("/topic/1/intake", &owner, file).await,
        site.send("/topics/file", &owner, file).await,
    ] {
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{}", reply.text);
        assert!(reply.text.contains("by its shell"), "{}", reply.text);
    }
}

#[tokio::test]
async fn little_is_taken_from_anybody() {
    let site = Public::new().await;
    let much = format!("name={}&password=x", "n".repeat(9_000));
    for length in ["9000", "x"] {
        let headers = [("host", SITE), FORM, ("content-length", length)];
        let reply = site.ask_with("POST", "/sign-in", &headers, &much).await;
        assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE, "{length}");
    }
    let headers = [("host", SITE), FORM, ("transfer-encoding", "chunked")];
    let reply = site.ask_with("POST", "/sign-in", &headers, &much).await;
    assert_eq!(reply.status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn who_comes_again_stays_signed_in() {
    let site = Public::new().await;
    let key = site.sign_in("reader", PASSWORD).await.unwrap();
    let reply = site.get("/", &key).await;
    assert!(
        !reply.headers.contains_key("set-cookie"),
        "it was put down just now"
    );
    let digest = linkscent_store::secret::digest(&key);
    let earlier = linkscent_store::clock::now() - 3_600_000;
    let store = site.0.app.service.rows();
    store.sign_in_used(&digest, earlier).await.unwrap();
    assert_eq!(kept(&site.get("/", &key).await), key);
    assert!(!site.get("/", &key).await.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn a_program_comes_with_its_token() {
    let site = Public::new().await;
    let read = [linkscent_store::Permission::Read];
    let token = site
        .0
        .app
        .service
        .accounts
        .make_token("notes", &read)
        .await
        .unwrap();
    let bearer = format!("Bearer {token}");
    let headers = [("host", SITE), ("authorization", bearer.as_str())];
    let reply = site.ask_with("GET", "/api/v1/topics", &headers, "").await;
    assert_eq!(reply.status, StatusCode::OK);
    let accept = ("accept", "application/json, text/event-stream");
    let headers = [headers[0], headers[1], JSON, accept];
    let ask = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let reply = site.ask_with("POST", "/mcp", &headers, ask).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert!(reply.text.contains("search"), "{}", reply.text);
}

#[tokio::test]
async fn where_one_person_is_nobody_signs_in() {
    let server = Server::new().await;
    let base = server.enter().await;
    let at = |path: &str| format!("{base}{path}");
    for path in ["/sign-in", "/account"] {
        let reply = server.get(&at(path)).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(server.get("/sign-in").await.status, StatusCode::FORBIDDEN);
    let accounts = server.get(&at("/accounts")).await;
    assert!(
        accounts.text.contains("linkscent team account"),
        "{}",
        accounts.text
    );
}

#[test]
fn a_site_is_https_and_a_host() {
    for address in [
        "https://a.example",
        "https://a.example:8443/",
        "https://[::1]:9",
    ] {
        assert!(PublicSite::named(address).is_some(), "{address}");
    }
    for address in [
        "",
        "a.example",
        "http://a.example",
        "https://",
        "https://a/b",
        "https://me@a",
    ] {
        assert!(PublicSite::named(address).is_none(), "{address}");
    }
}

//! Signing in by an OpenID Connect provider: a small one on this machine, which keeps to the standard
//! but where it is told not to.

use std::sync::{Arc, Mutex};

use axum::Json;
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::routing::{get, post};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::public::{PASSWORD, Public};
use super::*;
use linkscent_service::Provider;
use linkscent_store::Role;

/// What the provider says of whoever comes, and what it was asked for last.
#[derive(Default)]
struct Said {
    subject: String,
    email: Option<String>,
    /// Another nonce than it was asked for.
    nonce: Option<String>,
    /// What the browser was sent with.
    challenge: String,
    asked_nonce: String,
    /// What it says that it is, and where people go, if not as it should.
    issuer: Option<String>,
    authorize: Option<String>,
    is_away: bool,
    /// Whether it names itself when it sends people back.
    names_itself: bool,
}

#[derive(Clone)]
struct Fake {
    address: String,
    said: Arc<Mutex<Said>>,
}

impl Fake {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let fake = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            said: Arc::default(),
        };
        let routes = Router::new()
            .route("/.well-known/openid-configuration", get(configuration))
            .route("/token", post(token))
            .with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        fake
    }

    fn says(&self, subject: &str, email: Option<&str>) {
        let mut said = self.said.lock().unwrap();
        said.subject = subject.to_owned();
        said.email = email.map(str::to_owned);
    }
}

async fn configuration(State(fake): State<Fake>) -> Json<Value> {
    let at = |path: &str| format!("{}{path}", fake.address);
    let said = fake.said.lock().unwrap();
    let authorize = at("/authorize?realm=a");
    Json(json!({
        "issuer": said.issuer.as_ref().unwrap_or(&fake.address),
        "authorization_endpoint": said.authorize.as_ref().unwrap_or(&authorize),
        "token_endpoint": at("/token"),
        "authorization_response_iss_parameter_supported": said.names_itself,
    }))
}

async fn token(
    State(fake): State<Fake>,
    headers: HeaderMap,
    body: String,
) -> Result<Json<Value>, StatusCode> {
    let said = fake.said.lock().unwrap();
    if said.is_away {
        return Err(StatusCode::BAD_GATEWAY);
    }
    let fields: Vec<(String, String)> = form_urlencoded::parse(body.as_bytes())
        .into_owned()
        .collect();
    let field = |name: &str| {
        let field = fields.iter().find(|(field, _)| field == name);
        field.map_or("", |(_, value)| value)
    };
    let verifier = Sha256::digest(field("code_verifier").as_bytes());
    let basic = STANDARD.encode("link+scent:se%3Acret");
    let is_fine = headers[AUTHORIZATION] == format!("Basic {basic}")
        && field("grant_type") == "authorization_code"
        && field("code") == "the code"
        && field("redirect_uri") == "https://links.example.org/sign-in/back"
        && URL_SAFE_NO_PAD.encode(verifier) == said.challenge;
    if !is_fine {
        return Err(StatusCode::BAD_REQUEST);
    }
    let claims = json!({
        "iss": fake.address, "sub": said.subject, "aud": "link scent",
        "exp": linkscent_store::clock::now() / 1_000 + 60, "iat": linkscent_store::clock::now() / 1_000,
        "nonce": said.nonce.as_ref().unwrap_or(&said.asked_nonce),
        "email": said.email, "email_verified": said.email.is_some(),
    });
    let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
    Ok(Json(
        json!({ "id_token": format!("e30.{claims}.c2ln"), "token_type": "Bearer" }),
    ))
}

/// A site with a provider.
struct WithProvider {
    site: Public,
    fake: Fake,
}

impl WithProvider {
    async fn new() -> Self {
        let fake = Fake::start().await;
        let back = "https://links.example.org/sign-in/back".to_owned();
        let provider = Provider::new(&fake.address, "link scent", "se:cret\n", back, None);
        let site = Public::new().await.with_provider(provider.unwrap());
        Self { site, fake }
    }

    /// Sends a browser away; what it keeps, and the state with which it comes back.
    async fn away(&self) -> (String, String) {
        let reply = self.site.get("/sign-in/provider?to=%2Fworkers", "").await;
        assert_eq!(reply.status, StatusCode::SEE_OTHER, "{}", reply.text);
        let to = reply.headers["location"].to_str().unwrap();
        let query = to.strip_prefix(&format!("{}/authorize?realm=a&", self.fake.address));
        let fields = form_urlencoded::parse(query.unwrap().as_bytes());
        let fields: Vec<(String, String)> = fields.into_owned().collect();
        let field = |name: &str| {
            let field = fields.iter().find(|(field, _)| field == name);
            field.unwrap().1.clone()
        };
        assert_eq!(field("response_type"), "code");
        assert_eq!(field("client_id"), "link scent");
        assert_eq!(field("scope"), "openid email");
        assert_eq!(field("code_challenge_method"), "S256");
        let mut said = self.fake.said.lock().unwrap();
        said.challenge = field("code_challenge");
        said.asked_nonce = field("nonce");
        let cookie = reply.headers["set-cookie"].to_str().unwrap();
        assert!(
            cookie.contains("; Secure; HttpOnly; SameSite=Lax"),
            "{cookie}"
        );
        let (pair, _) = cookie.split_once(';').unwrap();
        (pair.to_owned(), field("state"))
    }

    async fn back(&self, kept: &str, query: &str) -> Reply {
        self.back_from("192.0.2.1", kept, query).await
    }

    async fn back_from(&self, from: &str, kept: &str, query: &str) -> Reply {
        let path = format!("/sign-in/back?{query}");
        // A browser says that another site sends it.
        let headers = [
            ("host", "links.example.org"),
            ("cookie", kept),
            ("sec-fetch-site", "cross-site"),
            ("x-forwarded-for", from),
        ];
        let reply = self.site.ask_with("GET", &path, &headers, "").await;
        let mut cookies = reply.headers.get_all("set-cookie").iter();
        let forgotten = |value: &axum::http::HeaderValue| {
            value
                .to_str()
                .unwrap()
                .starts_with("__Host-linkscent-away=;")
        };
        assert!(cookies.any(forgotten), "a code is good once");
        reply
    }

    /// Comes in as the provider says; the secret that the browser keeps, or the page that says why not.
    async fn come(&self) -> Result<String, Reply> {
        let (kept, state) = self.away().await;
        let reply = self
            .back(&kept, &format!("code=the+code&state={state}"))
            .await;
        if reply.status != StatusCode::SEE_OTHER {
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{}", reply.text);
            return Err(reply);
        }
        assert_eq!(reply.headers["location"], "/workers");
        Ok(signed_in(&reply).unwrap())
    }
}

/// The secret by which a browser is signed in from then on.
fn signed_in(reply: &Reply) -> Option<String> {
    let mut cookies = reply.headers.get_all("set-cookie").iter();
    cookies.find_map(|value| {
        let value = value.to_str().unwrap().strip_prefix("__Host-linkscent=")?;
        Some(value.split_once(';').unwrap().0.to_owned())
    })
}

#[tokio::test]
async fn people_come_in_by_a_provider() {
    let there = WithProvider::new().await;
    let (site, fake) = (&there.site, &there.fake);
    let service = &site.server().app.service;
    let page = site.get("/sign-in?to=%2Fworkers", "").await;
    assert!(
        page.text.contains("Sign in with 127.0.0.1"),
        "{}",
        page.text
    );
    assert!(
        page.text.contains("/sign-in/provider?to=%2Fworkers"),
        "{}",
        page.text
    );

    fake.says("1", Some("Ada@example.org"));
    let refused = there.come().await.unwrap_err();
    assert!(
        refused
            .text
            .contains("There is no account for you ada@example.org")
    );
    let added = service
        .accounts
        .add_account_without("ada@example.org", Role::Reader);
    added.await.unwrap();
    for password in ["", PASSWORD] {
        assert!(site.sign_in("ada@example.org", password).await.is_err());
    }
    let key = there.come().await.unwrap();
    let page = site.get("/account", &key).await;
    assert!(
        page.text.contains("<b>ada@example.org</b>, as reader"),
        "{}",
        page.text
    );
    assert!(!page.text.contains("Change the password"));

    // The address may go to somebody else; the account does not.
    fake.says("2", Some("ada@example.org"));
    there.come().await.unwrap_err();
    fake.says("1", None);
    there.come().await.unwrap();
    // Nobody has an account by an address that nobody verified.
    service
        .accounts
        .bind_account("ada@example.org", None)
        .await
        .unwrap();
    assert_eq!(site.get("/", &key).await.status, StatusCode::SEE_OTHER);
    let refused = there.come().await.unwrap_err();
    let subject = format!("{} 1", fake.address);
    assert!(refused.text.contains(&subject), "{}", refused.text);
    service
        .accounts
        .bind_account("editor", Some(&subject))
        .await
        .unwrap();
    let key = there.come().await.unwrap();
    let page = site.get("/account", &key).await;
    assert!(
        page.text.contains("<b>editor</b>, as editor"),
        "{}",
        page.text
    );
    assert!(page.text.contains("Change the password"));
    let taken = service.accounts.bind_account("owner", Some(&subject)).await;
    assert!(taken.unwrap_err().to_string().contains("another account"));
    let again = service.accounts.bind_account("editor", Some("x 2")).await;
    assert!(
        again
            .unwrap_err()
            .to_string()
            .contains("somebody's already")
    );
}

#[tokio::test]
async fn nobody_is_signed_in_by_what_another_began() {
    let there = WithProvider::new().await;
    let service = &there.site.server().app.service;
    service
        .accounts
        .bind_account("owner", Some(&format!("{} 1", there.fake.address)))
        .await
        .unwrap();
    there.fake.says("1", None);
    let (kept, state) = there.away().await;
    let (_, other) = there.away().await;
    let (kept_last, last) = there.away().await;
    for (kept, query) in [
        ("", format!("code=the+code&state={state}")),
        (&*kept, format!("code=the+code&state={other}")),
        (&*kept, "code=the+code".to_owned()),
        (
            "__Host-linkscent-away=.x",
            "code=the+code&state=".to_owned(),
        ),
        (&*kept_last, format!("code=the+code&state={other}")),
        // The code of another browser.
        (&*kept, format!("code=the+code&state={state}")),
        (&*kept_last, format!("code=another&state={last}")),
        (&*kept_last, format!("error=access_denied&state={last}")),
    ] {
        let reply = there.back(kept, &query).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{query}");
        assert!(
            !format!("{:?}", reply.headers).contains("linkscent=\""),
            "{query}"
        );
    }
    let fine = format!("code=the+code&state={last}");
    assert_eq!(
        there.back(&kept_last, &fine).await.status,
        StatusCode::SEE_OTHER
    );
    there.fake.said.lock().unwrap().nonce = Some("old".to_owned());
    let refused = there.come().await.unwrap_err();
    assert!(
        refused.text.contains("speaks of another sign-in"),
        "{}",
        refused.text
    );
    there.fake.said.lock().unwrap().is_away = true;
    let refused = there.come().await.unwrap_err();
    assert!(
        refused.text.contains("refuses with 502"),
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn a_provider_that_is_away_or_another_is_told() {
    let (gone, fake) = (
        TcpListener::bind("127.0.0.1:0").await.unwrap(),
        Fake::start().await,
    );
    let (other, open) = (Fake::start().await, Fake::start().await);
    other.said.lock().unwrap().issuer = Some("https://evil.example".to_owned());
    open.said.lock().unwrap().authorize = Some("http://id.example.org/in".to_owned());
    let away = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let back = || "https://links.example.org/sign-in/back".to_owned();
    for (issuer, said) in [
        (away, "does not answer"),
        (format!("{}/x", fake.address), "refuses with 404"),
        (other.address, "says that it is https://evil.example"),
        (open.address, "where no https:// is"),
    ] {
        let provider = Provider::new(&issuer, "x", "", back(), None).unwrap();
        let site = Public::new().await.with_provider(provider);
        let reply = site.get("/sign-in/provider", "").await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
        assert!(reply.text.contains(said), "{issuer}: {}", reply.text);
        // It is not asked again at once.
        let reply = site.get("/sign-in/provider", "").await;
        assert!(reply.text.contains("a moment ago"), "{}", reply.text);
    }
    // Without one there is no such way in.
    let site = Public::new().await;
    for path in ["/sign-in/provider", "/sign-in/back"] {
        assert_eq!(
            site.get(path, "").await.status,
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
    assert!(!site.get("/sign-in", "").await.text.contains("Sign in with"));
}

#[tokio::test]
async fn who_comes_in_vain_again_and_again_waits() {
    let there = WithProvider::new().await;
    there.fake.says("1", None);
    let come = async |from: &str| {
        let (kept, state) = there.away().await;
        let query = format!("code=the+code&state={state}");
        there.back_from(from, &kept, &query).await.text
    };
    // Whoever has one IPv6 address has its whole network.
    for address in 0..30 {
        let refused = come(&format!("2001:db8::{address:x}:1")).await;
        assert!(refused.contains("There is no account"), "{refused}");
    }
    let refused = come("2001:db8::2").await;
    assert!(refused.contains("too many tries"), "{refused}");
    let refused = come("2001:db8:0:1::2").await;
    assert!(refused.contains("There is no account"), "{refused}");
}

/// Somebody who is sent back by another provider than the one they were sent to (RFC 9207).
#[tokio::test]
async fn nobody_comes_in_by_what_another_provider_sent() {
    for names_itself in [false, true] {
        let there = WithProvider::new().await;
        let (service, fake) = (&there.site.server().app.service, &there.fake);
        fake.said.lock().unwrap().names_itself = names_itself;
        let subject = format!("{} 1", fake.address);
        service
            .accounts
            .bind_account("owner", Some(&subject))
            .await
            .unwrap();
        fake.says("1", None);
        let come = async |named: &str| {
            let (kept, state) = there.away().await;
            let query = format!("code=the+code&state={state}{named}");
            there.back(&kept, &query).await
        };
        for wrong in ["http://evil.test", &format!("{}/", fake.address), ""] {
            for answer in ["", "&error=access_denied"] {
                let reply = come(&format!("{answer}&iss={wrong}")).await;
                assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{wrong}");
                assert!(
                    reply.text.contains("another provider did"),
                    "{}",
                    reply.text
                );
            }
        }
        let right = come(&format!("&iss={}", fake.address)).await;
        assert_eq!(right.status, StatusCode::SEE_OTHER, "{}", right.text);
        let unnamed = come("").await;
        if names_itself {
            assert_eq!(unnamed.status, StatusCode::UNAUTHORIZED);
            assert!(
                unnamed.text.contains("it would name itself"),
                "{}",
                unnamed.text
            );
        } else {
            assert_eq!(unnamed.status, StatusCode::SEE_OTHER, "{}", unnamed.text);
        }
    }
}

//! Signing in by an OpenID Connect provider: the authorization code flow with PKCE (RFC 7636).
//!
//! What a browser is sent away with, and is held to when it comes back, all comes from one secret that
//! it keeps in a cookie: the state, the nonce and the code verifier. The ID token comes from the
//! provider's token endpoint over TLS, which says who made it, so its signature is not looked at
//! (OpenID Connect Core 1.0, section 3.1.3.7, item 6); all else that is asked for there is.
//!
//! Left out: signing out at the provider, what it tells of people besides, signed or encrypted requests.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::{Client, Proxy, Url};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};
use thiserror::Error;
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use linkscent_store::tls::choose_cryptography;
use linkscent_store::{clock, secret};

/// Bytes of an answer of a provider at most.
const LARGEST_ANSWER: usize = 256 << 10;
/// An answer is waited for so long.
const PATIENCE: Duration = Duration::from_secs(10);
/// What the provider says of itself is asked for again after this.
const KNOWN_FOR: Duration = Duration::from_hours(1);
/// People who are on the way to it or back at once, at most.
const MOST_AT_ONCE: usize = 8;
/// And who comes then waits so long.
const IN_TURN: Duration = Duration::from_secs(3);
/// A provider that did not say what it is is asked again after this.
const AGAIN: Duration = Duration::from_secs(5);
/// Seconds by which clocks may differ.
const CLOCKS_DIFFER: f64 = 120.0;
/// Seconds from issuing an ID token to its arrival here: it is asked for and comes at once.
const LONGEST_ISSUED: f64 = 600.0;
/// Characters of a subject at most, as the standard has it.
const LONGEST_SUBJECT: usize = 255;

/// Who says who people are, and what this program is to them.
pub struct Provider {
    issuer: Url,
    client: String,
    secret: String,
    /// Where people come back to.
    back: String,
    http: Client,
    known: Mutex<Option<(Instant, Known)>>,
    /// When it was last asked in vain what it is.
    asked: Mutex<Option<Instant>>,
    under_way: Semaphore,
}

/// Somebody as a provider has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Who they are to it, with its own name: nobody else is or will be called so.
    pub subject: String,
    /// Their address, if it says that it is theirs.
    pub email: Option<String>,
}

/// Why nobody is signed in by a provider.
#[derive(Debug, Error)]
pub enum ProviderError {
    /// It is configured in a way that cannot work; the sentence says how.
    #[error("{0}")]
    Settings(String),
    /// It does not answer.
    #[error("{0} does not answer")]
    Away(String, #[source] reqwest::Error),
    /// It fails by itself; how.
    #[error("{0} {1}")]
    Failing(String, String),
    /// It answers something else than it should; what that is.
    #[error("{0} {1}")]
    Wrong(String, String),
    /// Too many are coming back from it just now.
    #[error("too many people are signing in just now")]
    Busy,
}

/// What a provider says of itself.
#[derive(Clone, Deserialize)]
struct Known {
    issuer: String,
    #[serde(deserialize_with = "address")]
    authorization_endpoint: Url,
    #[serde(deserialize_with = "address")]
    token_endpoint: Url,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Whether it names itself when it sends people back (RFC 9207).
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

/// What is looked at of an ID token.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    #[serde(deserialize_with = "one_or_more")]
    aud: Vec<String>,
    azp: Option<String>,
    /// When it ends, was issued, and begins to hold, in seconds since 1970.
    exp: f64,
    iat: f64,
    nbf: Option<f64>,
    nonce: Option<String>,
    email: Option<String>,
    #[serde(default, deserialize_with = "truth")]
    email_verified: bool,
}

impl Claims {
    /// What is wrong with its times at `now`, in seconds since 1970, if anything is.
    fn check_times(&self, now: f64) -> Result<(), &'static str> {
        if self.exp < now - CLOCKS_DIFFER {
            return Err("says what has ended: does this machine's clock tell the right time?");
        }
        let begins = self.nbf.unwrap_or(self.iat).max(self.iat);
        if begins > now + CLOCKS_DIFFER {
            return Err(
                "says what does not hold yet: does this machine's clock tell the right time?",
            );
        }
        if self.iat < now - LONGEST_ISSUED - CLOCKS_DIFFER {
            return Err(
                "says what was issued long ago: does this machine's clock tell the right time?",
            );
        }
        Ok(())
    }
}

impl Provider {
    /// One by its issuer's address, to which this program is called `client` and shows that it is by a
    /// secret, if it has one; people come `back` there.
    pub fn new(
        issuer: &str,
        client: &str,
        secret: &str,
        back: String,
        proxy: Option<&Url>,
    ) -> Result<Self, ProviderError> {
        choose_cryptography();
        let issuer: Url = issuer
            .parse()
            .map_err(|error| ProviderError::Settings(format!("the provider {issuer}: {error}")))?;
        if !is_safe(&issuer) {
            let text = format!("the provider {issuer} is not reached over https://");
            return Err(ProviderError::Settings(text));
        }
        let mut http = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(PATIENCE)
            .no_proxy();
        let failed = |error| ProviderError::Away(issuer.to_string(), error);
        if let Some(proxy) = proxy {
            http = http.proxy(Proxy::all(proxy.clone()).map_err(failed)?);
        }
        Ok(Self {
            http: http.build().map_err(failed)?,
            issuer,
            client: client.to_owned(),
            secret: secret.trim().to_owned(),
            back,
            known: Mutex::default(),
            asked: Mutex::default(),
            under_way: Semaphore::new(MOST_AT_ONCE),
        })
    }

    /// What people know it by.
    pub fn host(&self) -> &str {
        self.issuer.host_str().unwrap_or_default()
    }

    /// Where a browser that keeps this secret is sent.
    pub async fn away(&self, kept: &str) -> Result<Url, ProviderError> {
        let _permit = self.permit().await?;
        let mut to = self.known().await?.authorization_endpoint;
        let challenge = Sha256::digest(of("verifier", kept).as_bytes());
        to.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client)
            .append_pair("redirect_uri", &self.back)
            .append_pair("scope", "openid email")
            .append_pair("state", &of("state", kept))
            .append_pair("nonce", &of("nonce", kept))
            .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(challenge))
            .append_pair("code_challenge_method", "S256");
        Ok(to)
    }

    /// Whether a browser that keeps this secret was sent away with that state.
    pub fn was_sent(kept: &str, state: &str) -> bool {
        !kept.is_empty() && secret::same(&of("state", kept), state)
    }

    /// Checks who sent somebody back, by the `iss` parameter of the address (RFC 9207): a provider that says that it
    /// names itself must, and whoever is named must be this one.
    pub async fn check_sender(&self, named: Option<&str>) -> Result<(), ProviderError> {
        let known = self.known().await?;
        match named {
            Some(named) if named == known.issuer => Ok(()),
            None if !known.authorization_response_iss_parameter_supported => Ok(()),
            Some(_) => Err(self.wrong("did not send this: another provider did")),
            None => Err(self.wrong("did not send this: it would name itself")),
        }
    }

    /// Who came back with that code, in a browser that keeps this secret.
    pub async fn person(&self, kept: &str, code: &str) -> Result<Person, ProviderError> {
        let _permit = self.permit().await?;
        let known = self.known().await?;
        let verifier = of("verifier", kept);
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.back),
            ("code_verifier", &verifier),
        ];
        let methods = known.token_endpoint_auth_methods_supported.as_deref();
        let is_basic =
            methods.is_none_or(|all| all.iter().any(|method| method == "client_secret_basic"));
        let mut asking = self.http.post(known.token_endpoint);
        if is_basic && !self.secret.is_empty() {
            let pair = [&self.client, &self.secret].map(|part| encoded(part));
            let pair = STANDARD.encode(pair.join(":"));
            asking = asking.header("authorization", format!("Basic {pair}"));
        } else {
            fields.push(("client_id", &self.client));
            if !self.secret.is_empty() {
                fields.push(("client_secret", &self.secret));
            }
        }
        let body = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields)
            .finish();
        let asking = asking
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "application/json")
            .body(body);
        let tokens: Tokens = self.answer(asking).await?;
        self.read(&tokens.id_token, &of("nonce", kept))
            .map_err(|what| self.wrong(what))
    }

    /// Who an ID token is about, if it is for this program and this browser; else what is wrong.
    fn read(&self, token: &str, nonce: &str) -> Result<Person, &'static str> {
        let no_token = "answers with what is no ID token";
        let mut parts = token.split('.');
        let claims = parts.nth(1).filter(|_| parts.count() == 1);
        let claims = claims.and_then(|claims| URL_SAFE_NO_PAD.decode(claims).ok());
        let claims: Option<Claims> = claims.and_then(|claims| serde_json::from_slice(&claims).ok());
        let claims = claims.ok_or(no_token)?;
        let is_for_this = claims.aud.contains(&self.client);
        let by_this = claims.azp.as_ref().map(|azp| *azp == self.client);
        let is_right_party = by_this.unwrap_or(claims.aud.len() == 1);
        if !is_same_issuer(&claims.iss, &self.issuer) {
            return Err("speaks for another provider");
        }
        if !is_for_this || !is_right_party {
            return Err("speaks to another program");
        }
        claims.check_times(clock::now() as f64 / 1_000.0)?;
        let is_of_this = claims
            .nonce
            .is_some_and(|answered| secret::same(&answered, nonce));
        if !is_of_this {
            return Err("speaks of another sign-in");
        }
        let length = claims.sub.chars().count();
        if !(1..=LONGEST_SUBJECT).contains(&length) || claims.sub.chars().any(char::is_control) {
            return Err(no_token);
        }
        let is_verified = claims.email_verified;
        Ok(Person {
            subject: format!("{} {}", claims.iss, claims.sub),
            email: claims.email.filter(|_| is_verified),
        })
    }

    async fn permit(&self) -> Result<SemaphorePermit<'_>, ProviderError> {
        match timeout(IN_TURN, self.under_way.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(ProviderError::Busy),
        }
    }

    /// What the provider says of itself; for as long as it does not say it again, what it said.
    async fn known(&self) -> Result<Known, ProviderError> {
        let mut known = self.known.lock().await;
        if let Some((since, known)) = &*known
            && since.elapsed() < KNOWN_FOR
        {
            return Ok(known.clone());
        }
        let mut asked = self.asked.lock().await;
        let found = if asked.is_some_and(|asked| asked.elapsed() < AGAIN) {
            Err(self.failing("could not be reached a moment ago"))
        } else {
            let found = self.discover().await;
            // Whoever goes away meanwhile has asked nothing.
            *asked = found.is_err().then(Instant::now);
            found
        };
        match (found, &*known) {
            (Ok(found), _) => {
                *known = Some((Instant::now(), found.clone()));
                Ok(found)
            }
            (Err(_), Some((_, outdated))) => Ok(outdated.clone()),
            (Err(error), None) => Err(error),
        }
    }

    async fn discover(&self) -> Result<Known, ProviderError> {
        let issuer = self.issuer.as_str().trim_end_matches('/');
        let asking = self
            .http
            .get(format!("{issuer}/.well-known/openid-configuration"));
        let found: Known = self.answer(asking).await?;
        if !is_same_issuer(&found.issuer, &self.issuer) {
            return Err(self.wrong(&format!("says that it is {}", found.issuer)));
        }
        let ends = [&found.authorization_endpoint, &found.token_endpoint];
        if !ends.into_iter().all(is_safe) {
            return Err(self.wrong("has people go where no https:// is"));
        }
        Ok(found)
    }

    async fn answer<T: for<'a> Deserialize<'a>>(
        &self,
        asking: reqwest::RequestBuilder,
    ) -> Result<T, ProviderError> {
        let away = |error| ProviderError::Away(self.host().to_owned(), error);
        let mut response = asking.send().await.map_err(away)?;
        let status = response.status();
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(away)? {
            if body.len() + chunk.len() > LARGEST_ANSWER {
                return Err(self.wrong("answers too much"));
            }
            body.extend_from_slice(&chunk);
        }
        if !status.is_success() {
            let text: String = String::from_utf8_lossy(&body).chars().take(200).collect();
            tracing::warn!(%status, text, "the provider refuses");
            let refuses = format!("refuses with {status}");
            return Err(if status.is_server_error() {
                self.failing(&refuses)
            } else {
                self.wrong(&refuses)
            });
        }
        serde_json::from_slice(&body)
            .map_err(|error| self.wrong(&format!("answers what cannot be read: {error}")))
    }

    fn failing(&self, what: &str) -> ProviderError {
        ProviderError::Failing(self.host().to_owned(), what.to_owned())
    }

    fn wrong(&self, what: &str) -> ProviderError {
        ProviderError::Wrong(self.host().to_owned(), what.to_owned())
    }
}

/// A value that only who keeps the secret can tell.
fn of(what: &str, kept: &str) -> String {
    secret::digest(&format!("{what} {kept}"))
}

/// As the parts of a pair of name and secret are written (RFC 6749, section 2.3.1).
fn encoded(part: &str) -> String {
    form_urlencoded::byte_serialize(part.as_bytes()).collect()
}

/// Whether nobody on the way reads what is sent there: it is reached by TLS, or on this machine.
fn is_safe(address: &Url) -> bool {
    let is_here = || {
        let host = address.host_str().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    };
    match address.scheme() {
        "https" => true,
        "http" => is_here(),
        _ => false,
    }
}

/// Whether an issuer says of itself what it was called here, but for a slash at the end that was typed
/// or not.
fn is_same_issuer(said: &str, known: &Url) -> bool {
    let said: Option<Url> = said.parse().ok();
    let bare = |address: &Url| address.as_str().trim_end_matches('/').to_owned();
    said.is_some_and(|said| bare(&said) == bare(known))
}

fn address<'de, D: Deserializer<'de>>(from: D) -> Result<Url, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(D::Error::custom)
}

fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Audience {
        One(String),
        More(Vec<String>),
    }
    Ok(match Audience::deserialize(from)? {
        Audience::One(one) => vec![one],
        Audience::More(more) => more,
    })
}

/// Some providers write it as a text.
fn truth<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(value == true || value == "true")
}

#[cfg(test)]
mod tests;

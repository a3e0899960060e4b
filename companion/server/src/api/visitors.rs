//! Who comes in where people sign in, and what they may do: readers look, editors change, owners do
//! all, in every topic or in one. Who has no role in a topic is told that there is none. What was
//! changed is put down with the name.
//!
//! Programs come with tokens, as elsewhere. Browsers with the extension are paired with a companion on
//! their own machine, never with one that others share.

mod cookies;
mod needed;

pub use cookies::{away_cookie, cookie, key, sent_away};

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, SET_COOKIE, TRANSFER_ENCODING};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use tracing::warn;

use needed::{Needed, Verdict};

use super::auth::{Base, set_path};
use super::sender::Sender;
use super::{App, Problem};
use linkscent_store::{AccountRow, Role};

/// Bytes that are taken from somebody who is not signed in.
const MOST_OF_ANYBODY: u64 = 8 << 10;
/// Characters of what stands for an address and is none.
const LONGEST_CLIENT: usize = 60;

tokio::task_local! {
    static VISITOR: Visitor;
}

/// Somebody who is signed in.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// Their account's number.
    pub id: i64,
    /// By which they signed in.
    pub name: String,
    /// What they may do in all topics.
    pub role: Role,
    /// What they may do where they are: in the topic that the page is about, or in any.
    pub here: Role,
    topics: BTreeMap<i64, Role>,
}

impl Visitor {
    fn new(account: AccountRow, topics: Vec<(i64, Role)>) -> Self {
        let topics: BTreeMap<i64, Role> = topics.into_iter().collect();
        let most = topics.values().copied().max();
        Self {
            id: account.id,
            name: account.name,
            role: account.role,
            here: most.map_or(account.role, |most| most.max(account.role)),
            topics,
        }
    }

    /// What they may do in a topic.
    pub fn role_in(&self, topic: i64) -> Role {
        let own = self.topics.get(&topic).copied();
        own.map_or(self.role, |own| own.max(self.role))
    }
}

/// Makes a page that is about a topic, or about all, though its path does not say so.
pub fn about<T>(topic: Option<i64>, make: impl FnOnce() -> T) -> T {
    let Some(mut visitor) = visitor() else {
        return make();
    };
    visitor.here = topic.map_or(visitor.role, |topic| visitor.role_in(topic));
    VISITOR.sync_scope(visitor, make)
}

/// Whether who the page is for may delete for good in the topic that it is about.
pub fn may_delete() -> bool {
    visitor().is_none_or(|visitor| visitor.here == Role::Owner)
}

/// Whether who the page is for may make topics.
pub fn may_make_topics() -> bool {
    visitor().is_none_or(|visitor| visitor.role.makes_topics())
}

/// Whether who the page is for has that role in a topic, or more.
pub fn may_in(topic: i64, role: Role) -> bool {
    visitor().is_none_or(|visitor| visitor.role_in(topic) >= role)
}

/// Whether who the page is for has that role in all topics, or more.
pub fn may_everywhere(role: Role) -> bool {
    visitor().is_none_or(|visitor| visitor.role >= role)
}

/// Whether who the page is for shares the topic that it is about with others.
pub fn shares() -> bool {
    visitor().is_some_and(|visitor| visitor.here == Role::Owner)
}

/// Who the page that is made just now is for; none where nobody signs in.
pub fn visitor() -> Option<Visitor> {
    VISITOR.try_with(Clone::clone).ok()
}

/// Work that goes on elsewhere, for whom the page is made that is made just now.
pub(super) fn as_before<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let visitor = visitor();
    async move {
        match visitor {
            Some(visitor) => VISITOR.scope(visitor, work).await,
            None => work.await,
        }
    }
}

/// Lets a request in that is of this site, or says why not.
pub(super) async fn let_in(app: App, mut request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    if path.starts_with("/api/") || path == "/mcp" {
        return programs(&path, request, next).await;
    }
    request.extensions_mut().insert(Base(String::new()));
    let needed = Needed::of(&method, &path);
    if needed == Needed::Nothing {
        return if is_small(request.headers()) {
            next.run(request).await
        } else {
            StatusCode::PAYLOAD_TOO_LARGE.into_response()
        };
    }
    let (account, is_renewed) = match who(&app, request.headers()).await {
        Ok(Some(found)) => found,
        Ok(None) if method == Method::GET => return to_sign_in(&request),
        Ok(None) => {
            let text = "sign in first";
            return Problem(StatusCode::UNAUTHORIZED, text.to_owned()).into_response();
        }
        Err(problem) => return problem.into_response(),
    };
    let renewed = key(request.headers())
        .filter(|_| is_renewed)
        .map(str::to_owned);
    let (visitor, verdict) = match judge(&app, account, needed).await {
        Ok(judged) => judged,
        Err(problem) => return problem.into_response(),
    };
    if verdict == Verdict::Fine {
        request.extensions_mut().insert(Sender::Known);
    } else {
        *request.method_mut() = Method::GET;
        let (instead, status) = match verdict {
            Verdict::Absent => ("/absent", StatusCode::NOT_FOUND),
            _ => ("/refused", StatusCode::FORBIDDEN),
        };
        if !set_path(request.uri_mut(), instead) {
            return status.into_response();
        }
    }
    let reads = matches!(method, Method::GET | Method::HEAD);
    let mut response = if reads || verdict != Verdict::Fine {
        VISITOR.scope(visitor, next.run(request)).await
    } else {
        change(app, visitor, path, request, next).await
    };
    if let Some(key) = renewed
        && !response.headers().contains_key(SET_COOKIE)
        && let Ok(cookie) = cookie(Some(&key)).parse()
    {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

async fn judge(
    app: &App,
    account: AccountRow,
    needed: Needed,
) -> Result<(Visitor, Verdict), Problem> {
    let topics = app.service.accounts.topic_roles(account.id).await?;
    let mut visitor = Visitor::new(account, topics);
    let verdict = needed.judge(app, &mut visitor).await?;
    Ok((visitor, verdict))
}

/// Has something changed, and puts down who did it, whether or not somebody waits for the answer.
async fn change(
    app: App,
    visitor: Visitor,
    path: String,
    request: Request,
    next: Next,
) -> Response {
    let name = visitor.name.clone();
    let changing = VISITOR.scope(visitor, next.run(request));
    let changed = tokio::spawn(async move {
        let response = changing.await;
        let status = response.status();
        let is_done = status.is_success() || status.is_redirection();
        // A list that was read is not kept.
        if is_done && path != "/lists" {
            let put = app.service.accounts.put_audit_entry(&name, path).await;
            if let Err(error) = put {
                warn!(%error, name, "what was changed was not put down");
            }
        }
        response
    });
    let failed = |_| StatusCode::INTERNAL_SERVER_ERROR.into_response();
    changed.await.unwrap_or_else(failed)
}

/// Whether so much may come from anybody: a name and a password.
fn is_small(headers: &HeaderMap) -> bool {
    let length = headers.get(CONTENT_LENGTH).map(|length| {
        let length = length.to_str().ok()?;
        length.parse::<u64>().ok()
    });
    let is_fine = match length {
        None => true,
        Some(length) => length.is_some_and(|length| length <= MOST_OF_ANYBODY),
    };
    is_fine && !headers.contains_key(TRANSFER_ENCODING)
}

/// Network that a request came from to the web server that passed it on, as limits count it: an IPv4 address, or
/// the first 64 bits of an IPv6 address, as whoever has one of these has all. What is no address stands for itself.
/// Empty if the web server does not say.
pub fn client(headers: &HeaderMap) -> String {
    let last = headers.get_all("x-forwarded-for").iter().next_back();
    let last = last.and_then(|value| value.to_str().ok());
    let last = last
        .and_then(|all| all.rsplit(',').next())
        .map_or("", str::trim);
    match address(last) {
        Some(IpAddr::V4(address)) => address.to_string(),
        Some(IpAddr::V6(address)) => {
            let network = u128::from(address) & !u128::from(u64::MAX);
            format!("{}/64", Ipv6Addr::from(network))
        }
        None => last.chars().take(LONGEST_CLIENT).collect(),
    }
}

/// An address as web servers write it: also with a port, in brackets, or an IPv4 one as part of an IPv6 one.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let bare = bare.unwrap_or(text);
    // An interface's name does not make it another one.
    let bare = bare.split_once('%').map_or(bare, |(bare, _)| bare);
    let with_port = || text.parse().map(|socket: SocketAddr| socket.ip());
    let address: IpAddr = bare.parse().or_else(|_| with_port()).ok()?;
    Some(address.to_canonical())
}

async fn programs(path: &str, request: Request, next: Next) -> Response {
    if matches!(path, "/api/v1/pair" | "/api/v1/channel" | "/api/v1/call") {
        let text = "a browser is paired with a companion on its own machine";
        return Problem(StatusCode::FORBIDDEN, text.to_owned()).into_response();
    }
    next.run(request).await
}

async fn who(app: &App, headers: &HeaderMap) -> Result<Option<(AccountRow, bool)>, Problem> {
    match key(headers) {
        Some(key) => Ok(app.service.accounts.signed_in(key).await?),
        None => Ok(None),
    }
}

/// To where people sign in, and then on to what they asked for.
fn to_sign_in(request: &Request) -> Response {
    let asked = request
        .uri()
        .path_and_query()
        .map_or("/", |asked| asked.as_str());
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("to", asked)
        .finish();
    Redirect::to(&format!("/sign-in?{query}")).into_response()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn where_a_request_came_from_is_what_the_last_one_says() {
        let mut headers = HeaderMap::new();
        assert_eq!(client(&headers), "");
        headers.append("x-forwarded-for", HeaderValue::from_static("1.1.1.1"));
        headers.append(
            "x-forwarded-for",
            HeaderValue::from_static("2.2.2.2, 3.3.3.3"),
        );
        assert_eq!(client(&headers), "3.3.3.3");
    }

    #[test]
    fn an_address_counts_as_its_network() {
        let of = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", HeaderValue::from_str(text).unwrap());
            client(&headers)
        };
        for same in [
            "2001:db8::1",
            "2001:db8::ffff:ffff:ffff:ffff",
            "2001:DB8:0:0:1::",
            "[2001:db8::1]",
            "[2001:db8::1]:443",
            "2001:db8::1%eth0",
        ] {
            assert_eq!(of(same), "2001:db8::/64", "{same}");
        }
        assert_eq!(of("2001:db8:0:1::1"), "2001:db8:0:1::/64");
        for same in ["192.0.2.7", "192.0.2.7:80", "::ffff:192.0.2.7"] {
            assert_eq!(of(same), "192.0.2.7", "{same}");
        }
        assert_eq!(of("unknown"), "unknown");
        assert_eq!(of(&"x".repeat(5_000)).len(), LONGEST_CLIENT);
    }
}

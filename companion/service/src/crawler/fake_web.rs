//! Webs for tests: proxies on loopback that answer every page, or none.

#![allow(clippy::missing_panics_doc, reason = "tests call it")]

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse};
use tokio::net::TcpListener;

use super::way::Way;

/// Through a proxy at that address.
fn through(address: std::net::SocketAddr) -> Way {
    let proxy = format!("http://{address}").parse();
    Way {
        proxy: Some(proxy.unwrap()),
        ..Way::default()
    }
}

/// What no other page says, so that a site of many is not thought to repeat itself.
fn of_its_own(number: u64) -> String {
    let letters = number.to_string().into_bytes().into_iter();
    let word: String = letters
        .map(|digit| char::from(digit - b'0' + b'k'))
        .collect();
    [&*word; 8].join(" ")
}

/// A web where page `/n` links to `/2n` and `/2n+1`, all of them about bees. It is served
/// as long as the runtime lives.
pub async fn endless_web() -> Way {
    web_about(|_| "bees and hives").await
}

/// The same with pages about what is said of their numbers.
pub async fn web_about(about: fn(u64) -> &'static str) -> Way {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let way = through(listener.local_addr().unwrap());
    let page = move |address: Uri| async move {
        match address.path().trim_start_matches('/').parse::<u64>() {
            Ok(number) => {
                // However far somebody goes, the numbers stay numbers.
                let left = 2 * (number % (1 << 40));
                let right = left + 1;
                let about = about(number);
                let html = format!(
                    "<title>Chapter {number}</title><p>{about}, chapter {number}</p><p>{}</p>\
                     <a href=/{left}>bees {left}</a> <a href=/{right}>hives {right}</a>",
                    of_its_own(number)
                );
                Html(html).into_response()
            }
            Err(_) => StatusCode::NOT_FOUND.into_response(),
        }
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(page)).await });
    way
}

/// A web where page `/n` of a host links to `/2n` as “archive” and to `/2n+1` as “imprint”.
/// Even pages name the host's first label and are worth finding, odd ones are not. There are
/// 127 pages of a host, served as long as the runtime lives.
pub async fn archives() -> Way {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let way = through(listener.local_addr().unwrap());
    let page = |address: Uri| async move {
        let host = address.host().unwrap_or_default();
        let topic = host.split('.').next().unwrap_or_default();
        match address.path().trim_start_matches('/').parse::<u64>() {
            Ok(number @ ..128) => {
                let found = if number % 2 == 0 { topic } else { "nothing" };
                let [left, right] = [2 * number, 2 * number + 1];
                let html = format!(
                    "<title>Page {number}</title><p>Chapter {number}: {found}</p><p>{}</p>\
                     <a href=/{left}>archive</a><p>between</p><p>them</p><a href=/{right}>imprint</a>",
                    of_its_own(number)
                );
                Html(html).into_response()
            }
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(page)).await });
    way
}

/// A web that takes every request and answers none, as long as the listener lives.
pub fn silent_web() -> (std::net::TcpListener, Way) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let way = through(listener.local_addr().unwrap());
    (listener, way)
}

/// A web whose proxy is not there.
pub fn no_web() -> Way {
    let (listener, way) = silent_web();
    drop(listener);
    way
}

/// A web where page `/1` of a host links to `/2` and `/3`, and all pages but that one show nothing
/// without scripts. It is served as long as the runtime lives.
pub async fn scripted_web() -> Way {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let way = through(listener.local_addr().unwrap());
    let page = |address: Uri| async move {
        let html = match address.path() {
            "/robots.txt" => return StatusCode::NOT_FOUND.into_response(),
            "/1" => "<p>bees</p><a href=/2>bees 2</a> <a href=/3>hives 3</a>".to_owned(),
            other => format!("<title>{other}</title><div></div><script>'{other}'</script>"),
        };
        Html(html).into_response()
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(page)).await });
    way
}

/// A web whose page `/1` links to `/old`, which leads to `/new`. It is served as long as the runtime
/// lives.
pub async fn moved_web() -> Way {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let way = through(listener.local_addr().unwrap());
    let page = |address: Uri| async move {
        match address.path() {
            "/1" => Html("<p>bees</p><a href=/old>bees and hives</a>").into_response(),
            "/old" => {
                let to = [("location", "/new"), ("x-served-by", "bees")];
                (StatusCode::MOVED_PERMANENTLY, to).into_response()
            }
            "/new" => Html("<title>New</title><p>hives of bees</p>").into_response(),
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(page)).await });
    way
}

/// What happened on a web that changes.
#[derive(Debug, Default)]
pub struct Changing {
    /// Pages on its list.
    pub listed: std::sync::atomic::AtomicU64,
    /// Paths that were asked for, and whether it was said that they had not changed.
    pub asked: std::sync::Mutex<Vec<(String, bool)>>,
}

/// A web whose page `/list` links to pages about bees, as many as it is told, beside pages
/// `/still1` to `/still20` about trains that never change and know their tags. It is served as long as the
/// runtime lives.
pub async fn changing_web() -> (Way, std::sync::Arc<Changing>) {
    use std::sync::atomic::Ordering;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let way = through(listener.local_addr().unwrap());
    let changing = std::sync::Arc::new(Changing::default());
    let web = std::sync::Arc::clone(&changing);
    let page = move |address: Uri, headers: axum::http::HeaderMap| {
        let web = std::sync::Arc::clone(&web);
        async move {
            let path = address.path().to_owned();
            let is_same = path.starts_with("/still")
                && headers
                    .get("if-none-match")
                    .is_some_and(|tag| tag == "\"one\"");
            web.asked.lock().unwrap().push((path.clone(), is_same));
            let listed = web.listed.load(Ordering::SeqCst);
            let link = |to: String| format!("<p><a href=/{to}>bees in {to}</a></p>");
            let html = match &*path {
                "/list" => (1..=listed).map(|n| link(format!("bee{n}"))).collect(),
                "/1" => {
                    let still = (1..=20).map(|n| link(format!("still{n}")));
                    still.chain([link("list".to_owned())]).collect()
                }
                "/robots.txt" => return StatusCode::NOT_FOUND.into_response(),
                _ if is_same => return StatusCode::NOT_MODIFIED.into_response(),
                _ => String::new(),
            };
            let about = if path.starts_with("/still") {
                "timetables of trains"
            } else {
                "bees and hives"
            };
            let html = format!("<title>{path}</title><p>{about} of {path}</p>{html}");
            ([("etag", "\"one\"")], Html(html)).into_response()
        }
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(page)).await });
    (way, changing)
}

//! Webs for tests: proxies on loopback that answer every page, or none.

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse};
use tokio::net::TcpListener;

use super::fetch::Way;

/// Through a proxy at that address.
fn through(address: std::net::SocketAddr) -> Way {
    let proxy = format!("http://{address}").parse();
    Way {
        proxy: Some(proxy.unwrap()),
        ..Way::default()
    }
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
                let [left, right] = [2 * number, 2 * number + 1];
                let about = about(number);
                let html = format!(
                    "<title>Page {number}</title><p>{about}, chapter {number}</p>\
                     <a href=/{left}>bees {left}</a> <a href=/{right}>hives {right}</a>"
                );
                Html(html).into_response()
            }
            Err(_) => StatusCode::NOT_FOUND.into_response(),
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

//! Serves a router on a listener. Connections that send their request slowly
//! or never are closed, and there is a bound on how many there are.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Router, body};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::Problem;

const MOST_CONNECTIONS: usize = 256;
const HEADER_TIME: Duration = Duration::from_secs(15);
const BODY_TIME: Duration = Duration::from_secs(30);
const AFTER_FAILURE: Duration = Duration::from_millis(200);
/// A call may send so many bytes: some hundred marked pages with their words.
pub const LARGEST_BODY: usize = 16 << 20;

/// Serves for ever.
pub async fn serve(listener: TcpListener, router: Router) -> Result<()> {
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let permit = Arc::clone(&free).acquire_owned().await?;
        // An accept may fail for a while, such as for want of file handles.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(AFTER_FAILURE).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADER_TIME)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            drop(permit);
        });
    }
}

/// Reads a request's body whole before it is handled, within a time and a size.
/// Comes behind the guard: of strangers nothing is read.
pub async fn whole_body(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let read = tokio::time::timeout(BODY_TIME, body::to_bytes(body, LARGEST_BODY));
    match read.await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, body.into())).await,
        Ok(Err(_)) => Problem(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a call may send at most {LARGEST_BODY} bytes"),
        )
        .into_response(),
        Err(_) => Problem(
            StatusCode::REQUEST_TIMEOUT,
            "the body took too long".to_owned(),
        )
        .into_response(),
    }
}

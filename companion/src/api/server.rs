//! Serves a router on a listener. Connections that send their request slowly
//! or never are closed, and there is a bound on how many there are.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

const MOST_CONNECTIONS: usize = 256;
const HEADER_TIME: Duration = Duration::from_secs(15);

/// Serves until the listener fails.
pub async fn serve(listener: TcpListener, router: Router) -> Result<()> {
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let permit = Arc::clone(&free).acquire_owned().await?;
        let (stream, _) = listener.accept().await?;
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

//! `linkscent research replay`: serves WARC files as a web, through an HTTP proxy.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use clap::Args;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use indicatif::ProgressBar;
use tokio::net::TcpListener;

use super::told_to_end;

use linkscent_archive::frozen::FrozenWeb;

/// Serve WARC files as a web, through an HTTP proxy on this machine.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent research replay --listen 127.0.0.1:9080 web.warc.gz
  linkscent crawl --proxy http://127.0.0.1:9080 --examples pages.txt --delay 0")]
pub struct Replay {
    /// Where to listen; only addresses of this machine are taken.
    #[arg(long, default_value = "127.0.0.1:9080")]
    listen: SocketAddr,
    /// WARC files: .warc, .warc.gz or .warc.zst.
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl Replay {
    /// Runs until interrupted.
    pub async fn run(self) -> Result<()> {
        if !self.listen.ip().is_loopback() {
            bail!(
                "{} is not an address of this machine alone; try 127.0.0.1:{}",
                self.listen,
                self.listen.port()
            );
        }
        let bar = ProgressBar::new_spinner().with_message("reading pages");
        let files = self.files.clone();
        let web = tokio::task::spawn_blocking(move || {
            FrozenWeb::read(&files, |pages| bar.set_position(pages))
        })
        .await??;
        for problem in &web.problems {
            message!("linkscent: {problem}; the pages before are served");
        }
        if web.is_empty() {
            bail!("there is no page in these files");
        }
        let listener = TcpListener::bind(self.listen)
            .await
            .with_context(|| format!("listening on {}", self.listen))?;
        print_line!("{} pages on http://{}", web.len(), listener.local_addr()?);
        tokio::select! {
            served = serve(listener, Arc::new(web)) => served,
            () = told_to_end() => Ok(()),
        }
    }
}

/// Serves a frozen web to whoever connects.
pub async fn serve(listener: TcpListener, web: Arc<FrozenWeb>) -> Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let web = Arc::clone(&web);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let response = answer(&web, &request);
                async move { Ok::<_, Infallible>(response) }
            });
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(Duration::from_mins(1))
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

fn answer(web: &FrozenWeb, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    if request.method() == Method::CONNECT {
        let text = "This proxy replays pages and cannot speak https. Ask for http:// addresses; \
                    a page is found whatever its scheme.\n";
        return plain(StatusCode::NOT_IMPLEMENTED, text);
    }
    if request.uri().authority().is_none() {
        let text =
            "This is a proxy: set it as the HTTP proxy and open any page of the web it holds.\n";
        return plain(StatusCode::BAD_REQUEST, text);
    }
    let Some(page) = web.page(&request.uri().to_string()) else {
        return plain(StatusCode::NOT_FOUND, "This web does not have that page.\n");
    };
    let mut response = Response::new(Full::new(Bytes::from(page.body.clone())));
    *response.status_mut() = StatusCode::from_u16(page.status).unwrap_or(StatusCode::OK);
    for (name, value) in [
        (CONTENT_TYPE, &page.content_type),
        (LOCATION, &page.location),
        (CONTENT_SECURITY_POLICY, &page.policy),
    ] {
        if let Some(Ok(value)) = value.as_ref().map(|value| value.parse()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    let value = hyper::header::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, value);
    response
}

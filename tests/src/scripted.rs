//! A web as a test writes it: a proxy on loopback that answers each address as it is
//! told, well or badly, and keeps what it was asked for.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// How an address answers.
#[derive(Debug, Clone)]
pub enum Reply {
    /// With a page of HTML.
    Page(String),
    /// With a page of HTML that must not be stored.
    NoStore(String),
    /// With a plain text, such as a robots.txt.
    Text(String),
    /// With another address.
    Redirect(String),
    /// With a status and nothing else.
    Status(u16),
    /// With a byte now and then, for ever.
    Dribble,
}

/// What was asked for, in order.
pub type Asked = Arc<Mutex<Vec<String>>>;

/// Serves a web; the port of the proxy, and what it was asked for.
pub async fn scripted_web(
    answer: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> Result<(u16, Asked)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let asked = Asked::default();
    let (log, answer) = (Arc::clone(&asked), Arc::new(answer));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
            tokio::spawn(async move {
                let _ = serve(stream, &log, &*answer).await;
            });
        }
    });
    Ok((port, asked))
}

/// The addresses asked for so far.
pub fn so_far(asked: &Asked) -> Vec<String> {
    asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The address of the next request; `None` when the client has no more.
pub async fn next_address(stream: &mut TcpStream) -> Result<Option<String>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) if head.is_empty() => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    let request = String::from_utf8_lossy(&head);
    let address = request.split(' ').nth(1).context("no address")?;
    Ok(Some(address.to_owned()))
}

async fn serve(
    mut stream: TcpStream,
    log: &Asked,
    answer: &(dyn Fn(&str) -> Reply + Send + Sync),
) -> Result<()> {
    while let Some(address) = next_address(&mut stream).await? {
        log.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(address.clone());
        let html = "text/html; charset=utf-8";
        let (status, kind, body) = match answer(&address) {
            Reply::Page(body) => (200, html.to_owned(), body),
            Reply::NoStore(body) => {
                let kind = format!("{html}\r\nCache-Control: private, no-store");
                (200, kind, body)
            }
            Reply::Text(body) => (200, "text/plain".to_owned(), body),
            Reply::Redirect(to) => {
                let kind = format!("text/plain\r\nLocation: {to}");
                (302, kind, String::new())
            }
            Reply::Status(status) => (status, "text/plain".to_owned(), String::new()),
            Reply::Dribble => return dribble(stream).await,
        };
        let head = format!(
            "HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await?;
    }
    Ok(())
}

async fn dribble(mut stream: TcpStream) -> Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    loop {
        stream.write_all(b"a").await?;
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
}

//! A web without end, made up as it is asked for: for crawls that must not be
//! over before the test is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::scripted::next_address;
use crate::web::word;

/// How often each address was asked for.
pub type Asked = Arc<Mutex<HashMap<String, usize>>>;

/// A proxy that makes up an endless web of four hosts and counts what it is
/// asked for.
pub async fn endless_web() -> Result<(u16, Asked)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let asked = Asked::default();
    let counts = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, Arc::clone(&counts)));
        }
    });
    Ok((port, asked))
}

async fn answer(mut stream: TcpStream, asked: Asked) -> Result<()> {
    while let Some(address) = next_address(&mut stream).await? {
        let (status, body) = page(&address);
        *asked
            .lock()
            .expect("no test panics with the lock")
            .entry(address)
            .or_default() += 1;
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await?;
    }
    Ok(())
}

fn page(address: &str) -> (&'static str, String) {
    let number = address
        .rsplit('/')
        .next()
        .and_then(|number| number.parse::<u64>().ok());
    let Some(n) = number else {
        return ("404 Not Found", String::new());
    };
    let words = if n.is_multiple_of(3) {
        "kidney dialysis patients"
    } else {
        "railway trains stations"
    };
    let form = if n.is_multiple_of(3) {
        "<form action=/find><input name=q placeholder='Words to find'>\
         <input type=submit value=Search></form>"
    } else {
        ""
    };
    let links = (1..=6).map(|step| {
        let target = (n * 5 + step) % 1_000_003;
        format!(
            "<p>about {words} <a href='http://host{}.test/{target}'>page {target}</a>",
            target % 4
        )
    });
    // Something that no other page says: a site that only repeats itself is left.
    let own = word(n);
    (
        "200 OK",
        format!(
            "<title>Page {n}</title><p>{words} {n}{}<p>{own}</p>{form}",
            links.collect::<String>()
        ),
    )
}

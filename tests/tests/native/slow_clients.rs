//! Hundreds of connections that send their requests slowly, or never to the end: each is closed soon, and
//! others are answered at once meanwhile.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use linkscent_tests::companion::Companion;
use linkscent_tests::paired;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

const CLIENTS: usize = 500;
/// Clients that connect before it is waited for that they were taken in.
const AT_ONCE: usize = 50;
/// After so long none is connected any more.
const LONGEST: Duration = Duration::from_secs(10);
/// Of a hundred others 99 are answered within this time.
const SOON: Duration = Duration::from_millis(50);
/// Between two pieces that a slow client sends.
const PAUSE: Duration = Duration::from_millis(400);

/// What a slow client sends, and what it then repeats.
fn clients(port: u16) -> [(&'static str, String, &'static str); 5] {
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let body = "Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{";
    [
        ("silent", String::new(), ""),
        ("half a head", format!("GET / HTTP/1.1\r\n{host}X-A: "), ""),
        (
            "slow head",
            format!("GET / HTTP/1.1\r\n{host}"),
            "X-A: b\r\n",
        ),
        (
            "half a body",
            format!("POST /api/v1/pair HTTP/1.1\r\n{host}{body}"),
            "",
        ),
        (
            "slow body",
            format!("POST /api/v1/channel HTTP/1.1\r\n{host}{body}"),
            " ",
        ),
    ]
}

/// How long a connection lasts on which that is sent.
async fn lasts(mut stream: TcpStream, first: String, again: &str) -> Duration {
    let begun = Instant::now();
    let mut is_open = stream.write_all(first.as_bytes()).await.is_ok();
    let mut answer = [0; 1_000];
    while is_open && begun.elapsed() < 3 * LONGEST {
        is_open = match timeout(PAUSE, stream.read(&mut answer)).await {
            Ok(read) => matches!(read, Ok(1..)),
            Err(_) => stream.write_all(again.as_bytes()).await.is_ok(),
        };
    }
    begun.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_are_left_soon_and_delay_nobody() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (_companion, port, ..) = Companion::serve(folder.path(), 9).await?;
    let kinds = clients(port);
    let request = format!(
        "GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    );
    let mut slow = Vec::new();
    for number in 0..CLIENTS {
        let (kind, first, again) = kinds[number % kinds.len()].clone();
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        let lasting = async move { (kind, lasts(stream, first, again).await) };
        slow.push(tokio::spawn(lasting));
        if number.is_multiple_of(AT_ONCE) {
            // Who comes then is answered, and so all before were taken in.
            paired::send(port, request.as_bytes()).await?;
        }
    }
    let mut answered = Vec::new();
    while !slow.iter().all(tokio::task::JoinHandle::is_finished) {
        let begun = Instant::now();
        let (head, _) = paired::send(port, request.as_bytes()).await?;
        answered.push(begun.elapsed());
        ensure!(head.contains(" 200 "), "{head}");
        sleep(Duration::from_millis(10)).await;
    }
    let mut longest = (Duration::ZERO, "");
    for client in slow {
        let (kind, lasted) = client.await?;
        longest = longest.max((lasted, kind));
    }
    answered.sort_unstable();
    let late = *answered
        .get(answered.len() * 99 / 100)
        .context("nobody was answered")?;
    println!(
        "{CLIENTS} slow clients: the last was left after {longest:?}; of {} others 99 % were answered within {late:?}",
        answered.len()
    );
    ensure!(longest.0 <= LONGEST, "{longest:?}");
    ensure!(late <= SOON, "{late:?}");
    Ok(())
}

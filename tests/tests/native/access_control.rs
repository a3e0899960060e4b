//! Who the companion lets in: wrong hosts, foreign origins, wrong tokens, strangers' codes and half
//! requests, sent as bytes.

use anyhow::{Result, ensure};
use linkscent_store::Store;
use linkscent_tests::companion::Companion;
use linkscent_tests::paired::{self, Paired};
use linkscent_tests::wait_for;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// Sends a request as it stands; head and body of the answer.
async fn send(port: u16, request: &str) -> Result<(String, String)> {
    let (head, body) = paired::send(port, request.as_bytes()).await?;
    Ok((head, String::from_utf8_lossy(&body).into_owned()))
}

fn request(method: &str, path: &str, headers: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

const JSON: &str = "Content-Type: application/json\r\n";

#[tokio::test]
async fn doors_open_to_the_right_ones_only() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (companion, port, link, code) = Companion::serve(&folder.path().join("data"), 9).await?;
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    strangers_stay_outside(port, &host).await?;
    refusals_are_alike(port, &host).await?;
    the_link_works_once(port, &host, &link).await?;
    strangers_use_no_code_up(port, &host, &code).await?;
    drop(companion);
    Ok(())
}

/// Whatever was wrong, a refusal says no more than that: to the byte, but for the date.
async fn refusals_are_alike(port: u16, host: &str) -> Result<()> {
    let evil = "Host: evil.example\r\n";
    let calls = [
        ("/api/v1/topics", evil),
        ("/api/v1/topics", host),
        ("/api/", host),
    ];
    let pages = [
        ("/settings", evil),
        ("/settings", host),
        ("/enter", host),
        ("/enter?key=x", host),
        ("/enter?key=x&key=y", host),
        ("/feed/", host),
    ];
    for paths in [&calls[..], &pages] {
        let mut said = Vec::new();
        for (path, host) in paths {
            let (head, body) = send(port, &request("GET", path, host, "")).await?;
            let lines = head.lines();
            let lines = lines.filter(|line| !line.to_ascii_lowercase().starts_with("date:"));
            said.push((lines.collect::<Vec<_>>().join("\n"), body));
        }
        for (number, other) in said.iter().enumerate() {
            ensure!(
                other == &said[0],
                "{:?}: {other:?}, not {:?}",
                paths[number],
                said[0]
            );
        }
    }
    Ok(())
}

#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
async fn strangers_stay_outside(port: u16, host: &str) -> Result<()> {
    let json = JSON;
    let cases: Vec<(String, &str, &str)> = vec![
        (
            request("GET", "/api/v1/health", host, ""),
            "200",
            "linkscent",
        ),
        (
            request("GET", "/api/v1/health", "Host: evil.example\r\n", ""),
            "403",
            "not taken",
        ),
        (request("GET", "/api/v1/health", "", ""), "400|403", ""),
        // Neither a page of the web nor a program without a token speaks to the library.
        (
            request(
                "POST",
                "/mcp",
                &format!("{host}Origin: http://evil.example\r\n"),
                "{}",
            ),
            "403",
            "not taken",
        ),
        (request("POST", "/mcp", host, "{}"), "403", "not taken"),
        (
            request(
                "GET",
                "/api/v1/topics",
                &format!("{host}Authorization: Bearer linkscent_0\r\n"),
                "",
            ),
            "403",
            "not taken",
        ),
        (
            request(
                "OPTIONS",
                "/api/v1/topics",
                &format!("{host}Origin: http://evil.example\r\n"),
                "",
            ),
            "403",
            "not taken",
        ),
        (
            request("GET", "/api/v1/health", &format!("{host}{host}"), ""),
            "400|403",
            "",
        ),
        (
            request(
                "GET",
                "/api/v1/health",
                &format!("{host}Origin: http://evil.example\r\n"),
                "",
            ),
            "403",
            "not taken",
        ),
        (
            request("GET", "/api/v1/crawls?topic=x", host, ""),
            "403",
            "not taken",
        ),
        (
            request("POST", "/api/v1/events", &format!("{host}{json}"), "[]"),
            "403",
            "not taken",
        ),
        (
            request("POST", "/api/v1/call", host, "no channel at all"),
            "401",
            "channel",
        ),
        (
            request(
                "POST",
                "/api/v1/channel",
                &format!("{host}{json}"),
                &format!("{{\"device\":\"x\",\"random\":\"{}\"}}", "00".repeat(32)),
            ),
            "403",
            "not paired",
        ),
        (request("GET", "/d/x/", host, ""), "403", "locked"),
        (request("GET", "/d//settings", host, ""), "403", "locked"),
        (request("GET", "/", host, ""), "403", "locked"),
        (
            request("GET", "/enter?key=wrong", host, ""),
            "403",
            "locked",
        ),
        (
            request(
                "POST",
                "/topics",
                &format!("{host}Content-Type: application/x-www-form-urlencoded\r\n"),
                "csrf=x&name=y&examples=",
            ),
            "403",
            "locked",
        ),
        (
            request(
                "POST",
                "/api/v1/pair",
                &format!("{host}{json}"),
                "{\"step\":\"start\",\"message\":\"zz\"}",
            ),
            "400",
            "malformed",
        ),
        (
            request("POST", "/api/v1/pair", &format!("{host}{json}"), "{"),
            "400",
            "error",
        ),
        (
            request(
                "POST",
                "/api/v1/pair",
                &format!("{host}{json}"),
                "{\"step\":\"finish\",\"attempt\":\"1\",\"proof\":\"00\",\"name\":\"x\"}",
            ),
            "403",
            "does not fit",
        ),
    ];
    for (request, status, text) in cases {
        let (head, body) = send(port, &request).await?;
        let code = head.split(' ').nth(1).unwrap_or_default().to_owned();
        ensure!(
            status.split('|').any(|wanted| wanted == code),
            "{request}\n{head}"
        );
        ensure!(body.contains(text), "{request}\n{body}");
        ensure!(code == "400" || is_hardened(&head), "{head}");
    }
    Ok(())
}

fn is_hardened(head: &str) -> bool {
    head.contains("content-security-policy: default-src 'none'")
        && !head.contains("access-control-allow-origin")
}

/// It leads to an address that opens pages, not the API; nothing is put into the browser
/// that another port could be sent.
async fn the_link_works_once(port: u16, host: &str, link: &str) -> Result<()> {
    let path = link
        .split_once(&port.to_string())
        .map_or("", |(_, path)| path);
    let (head, _) = send(port, &request("GET", path, host, "")).await?;
    ensure!(!head.to_lowercase().contains("set-cookie"), "{head}");
    let base = head
        .lines()
        .find_map(|line| line.strip_prefix("location: "))
        .unwrap_or_default()
        .trim_end_matches('/')
        .to_owned();
    ensure!(base.starts_with("/d/") && base.len() > 60, "{head}");
    let (head, _) = send(port, &request("GET", path, host, "")).await?;
    ensure!(head.contains(" 403 "), "the link worked twice");
    let (head, body) = send(port, &request("GET", &format!("{base}/"), host, "")).await?;
    ensure!(
        head.contains(" 200 ") && body.contains("New topic"),
        "{head}"
    );
    ensure!(head.contains("referrer-policy: same-origin"), "{head}");
    let inside = format!("{base}/api/v1/crawls?topic=x");
    let (head, _) = send(port, &request("GET", &inside, host, "")).await?;
    ensure!(head.contains(" 403 "), "{head}");
    let form = format!("{host}Content-Type: application/x-www-form-urlencoded\r\n");
    let topics = format!("{base}/topics");
    let (head, body) = send(
        port,
        &request("POST", &topics, &form, "csrf=wrong&name=y&examples="),
    )
    .await?;
    ensure!(head.contains(" 403 "), "{head}");
    // The page of an error knows where the dashboard lies.
    ensure!(body.contains(&format!("href=\"{base}/\"")), "{body}");
    let (head, _) = send(port, &request("GET", &format!("{base}/crawl/7"), host, "")).await?;
    ensure!(head.contains(" 404 "), "{head}");
    Ok(())
}

#[tokio::test]
async fn calls_are_made_in_channels_and_never_twice() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (companion, port, _, code) = Companion::serve(&data, 9).await?;
    let mut browser = Paired::new(port, &code).await?;
    let topic = "opium poppies";
    let mark = |id: &str, address: &str| {
        json!({"id": id, "topic": topic, "time": 1, "kind": "mark", "address": address,
               "title": "", "target": true, "words": [["poppy", 3]]})
    };
    // A call that only asks makes nothing.
    let asked = browser.call("GET", "crawls?topic=nothing", "").await?;
    ensure!(asked.json()? == json!([]));
    let asked = browser.call("GET", "model?topic=nothing", "").await?;
    ensure!(asked.head.status == 204);
    let store = Store::open(&data).await?;
    ensure!(store.topics().await?.is_empty(), "a question made a topic");
    // What is no page of the web is passed over, the rest is taken.
    let events = json!([
        mark("1", "javascript:alert(1)"),
        mark("2", "http://a.test/poppies")
    ]);
    let message = browser.seal("POST", "events", &events.to_string()).await?;
    for secret in ["poppies", "events", topic] {
        let is_seen = message
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        ensure!(!is_seen, "{secret} can be read on the way");
    }
    let kind = "application/octet-stream";
    let (status, _) = paired::post(port, "/api/v1/call", kind, &message).await?;
    ensure!(status == 200, "{status}");
    let marks = store.marks(store.topics().await?[0].id).await?;
    ensure!(marks.len() == 1 && marks[0].address == "http://a.test/poppies");
    // The same bytes again, changed bytes, and bytes of a channel that is gone.
    let (status, _) = paired::post(port, "/api/v1/call", kind, &message).await?;
    ensure!(status == 401, "a recorded call was taken again");
    let mut changed = browser.seal("GET", "crawls?topic=x", "").await?;
    if let Some(last) = changed.last_mut() {
        *last ^= 1;
    }
    let (status, _) = paired::post(port, "/api/v1/call", kind, &changed).await?;
    ensure!(status == 401, "a changed call was taken");
    // A link to the dashboard, only for whoever is paired.
    let link = browser.call("POST", "dashboard", "").await?.json()?;
    let link = link["link"].as_str().unwrap_or_default().to_owned();
    ensure!(link.contains("/enter?key="), "{link}");
    // A browser that is forgotten is not heard any more.
    store.remove_device(1).await?;
    ensure!(browser.call("GET", "crawls?topic=x", "").await.is_err());
    drop(companion);
    Ok(())
}

/// However many connections are held open, others come in.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_holds_connections_shuts_out_nobody() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (companion, port, _, _) = Companion::serve(&folder.path().join("data"), 9).await?;
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let mut held = Vec::new();
    for number in 0..900 {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
        match number % 3 {
            0 => {
                stream
                    .write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX-a: ")
                    .await?;
            }
            1 => {
                // Asks over and over and reads nothing.
                let ask = format!("GET /style.css HTTP/1.1\r\n{host}\r\n").repeat(200);
                stream.set_nodelay(true)?;
                let _ = stream.try_write(ask.as_bytes());
            }
            _ => {}
        }
        held.push(stream);
    }
    wait_for("a stranger is answered among them", 10, || async {
        let answered = send(port, &request("GET", "/api/v1/health", &host, "")).await;
        Ok(answered.ok().filter(|(head, _)| head.contains(" 200 ")))
    })
    .await?;
    drop(held);
    drop(companion);
    Ok(())
}

/// Five wrong tries are enough; then the right one no longer helps.
/// Strangers who try neither use a code up nor keep the person's browser from pairing.
async fn strangers_use_no_code_up(port: u16, host: &str, code: &str) -> Result<()> {
    let message = format!("4158{}", "66".repeat(31));
    let start = format!("{{\"step\":\"start\",\"message\":\"{message}\"}}");
    let start = request("POST", "/api/v1/pair", &format!("{host}{JSON}"), &start);
    for _ in 0..7 {
        let (head, body) = send(port, &start).await?;
        ensure!(head.starts_with("HTTP/1.1 200"), "{head} {body}");
        ensure!(body.contains("attempt"), "{body}");
    }
    Paired::new(port, code).await.map(drop)
}

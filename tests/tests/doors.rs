//! Who the companion lets in: wrong hosts, foreign origins, wrong tokens, worn
//! codes and half requests, sent as bytes.

use anyhow::{Result, ensure};
use linkscent_tests::companion::Companion;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends a request as it stands; status line and body of the answer.
async fn send(port: u16, request: &str) -> Result<(String, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    Ok((head.to_owned(), body.to_owned()))
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
    let (companion, port, link, _) = Companion::serve(&folder.path().join("data"), 9).await?;
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    strangers_stay_outside(port, &host).await?;
    the_link_works_once(port, &host, &link).await?;
    a_code_wears_out(port, &host).await?;
    drop(companion);
    Ok(())
}

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
            "Host",
        ),
        (request("GET", "/api/v1/health", "", ""), "400|403", ""),
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
            "origin",
        ),
        (
            request("GET", "/api/v1/crawls?topic=x", host, ""),
            "401",
            "token",
        ),
        (
            request(
                "GET",
                "/api/v1/crawls?topic=x",
                &format!("{host}Authorization: Bearer 123\r\n"),
                "",
            ),
            "401",
            "token",
        ),
        (request("GET", "/", host, ""), "401", "locked"),
        (
            request("GET", "/enter?key=wrong", host, ""),
            "401",
            "locked",
        ),
        (
            request(
                "POST",
                "/topics",
                &format!("{host}Content-Type: application/x-www-form-urlencoded\r\n"),
                "csrf=x&name=y&examples=",
            ),
            "401",
            "",
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

/// And its cookie opens pages, not the API.
async fn the_link_works_once(port: u16, host: &str, link: &str) -> Result<()> {
    let path = link
        .split_once(&port.to_string())
        .map_or("", |(_, path)| path);
    let (head, _) = send(port, &request("GET", path, host, "")).await?;
    let cookie = head
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .and_then(|cookie| cookie.split(';').next())
        .unwrap_or_default()
        .to_owned();
    ensure!(head.contains("HttpOnly; SameSite=Strict"), "{head}");
    let (head, _) = send(port, &request("GET", path, host, "")).await?;
    ensure!(head.contains(" 401 "), "the link worked twice");
    let cookie = format!("{host}Cookie: {cookie}\r\n");
    let (head, body) = send(port, &request("GET", "/", &cookie, "")).await?;
    ensure!(
        head.contains(" 200 ") && body.contains("New topic"),
        "{head}"
    );
    let (head, _) = send(port, &request("GET", "/api/v1/crawls?topic=x", &cookie, "")).await?;
    ensure!(head.contains(" 401 "), "{head}");
    let form = format!("{cookie}Content-Type: application/x-www-form-urlencoded\r\n");
    let (head, _) = send(
        port,
        &request("POST", "/topics", &form, "csrf=wrong&name=y&examples="),
    )
    .await?;
    ensure!(head.contains(" 403 "), "{head}");
    Ok(())
}

/// Five wrong tries are enough; then the right one no longer helps.
async fn a_code_wears_out(port: u16, host: &str) -> Result<()> {
    let json = JSON;
    let message = format!(
        "41{}",
        "5866666666666666666666666666666666666666666666666666666666666666"
    );
    let start = format!("{{\"step\":\"start\",\"message\":\"{message}\"}}");
    let mut answers = Vec::new();
    for _ in 0..7 {
        answers.push(
            send(
                port,
                &request("POST", "/api/v1/pair", &format!("{host}{json}"), &start),
            )
            .await?
            .1,
        );
    }
    ensure!(
        answers.iter().any(|answer| answer.contains("too often")),
        "{answers:?}"
    );
    ensure!(answers[6].contains("no code is out"), "{answers:?}");
    Ok(())
}

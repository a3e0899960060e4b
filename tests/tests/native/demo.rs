//! What a newcomer sees of `linkscent demo`: a harvest in the shell, and a dashboard with a library.

use anyhow::{Context, Result, ensure};
use linkscent_tests::companion::Companion;
use linkscent_tests::{paired, wait_for};

#[tokio::test]
async fn the_demo_ends_in_a_dashboard_whose_library_has_what_was_found() -> Result<()> {
    let mut demo = Companion::start(&["demo"])?;
    let mut said = String::new();
    let link = loop {
        let line = demo.line().await?;
        if let Some(link) = line.strip_prefix("Look around: ") {
            break link.to_owned();
        }
        said.push_str(&line);
    };
    ensure!(said.contains("more about the topic (harvest"), "{said}");
    let (host, path) = link
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .with_context(|| link.clone())?;
    let port: u16 = host.rsplit(':').next().context("no port")?.parse()?;
    let get = async |path: &str| {
        let request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\nHost: {host}\r\n\r\n");
        let (head, body) = paired::send(port, request.as_bytes()).await?;
        anyhow::Ok((head, String::from_utf8_lossy(&body).into_owned()))
    };
    let (head, _) = get(&format!("/{path}")).await?;
    let base = head
        .lines()
        .find_map(|line| line.strip_prefix("location: "))
        .with_context(|| head.clone())?;
    let library = format!("{}/library?topic=1", base.trim_end_matches('/'));
    wait_for("the library of the demo", 30, async || {
        let (_, page) = get(&library).await?;
        let is_there = page.contains("<mark>") && page.contains("http://bees.test/");
        Ok(is_there.then_some(()))
    })
    .await
}

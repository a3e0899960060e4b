//! A saved copy connects to nobody, in real browsers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::{Browser, BrowserKind};
use linkscent_tests::companion::Companion;
use linkscent_tests::scripted::{Reply, scripted_web};
use linkscent_tests::{shell, wait_for};
use thirtyfour::prelude::*;
use tokio::net::TcpListener;

/// A port on loopback that counts who connects to it.
async fn counted() -> Result<(u16, Arc<AtomicUsize>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let count = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&count);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counting.fetch_add(1, Ordering::SeqCst);
        }
    });
    Ok((port, count))
}

/// A page that connects to one port by all means, and to another one when a link is followed.
fn page(port: u16, followed: u16) -> String {
    let to = format!("http://127.0.0.1:{port}");
    format!(
        "<!doctype html><html><head><title>Castle</title>
         <link rel=preconnect href={to}><link rel=dns-prefetch href={to}>
         <link rel=prefetch href={to}/a><link rel=stylesheet href={to}/b>
         <link rel=icon href={to}/c><link rel=modulepreload href={to}/d>
         <link rel=preload as=font href={to}/e><link rel=manifest href={to}/f>
         <style>@import url({to}/g); body {{ background: url({to}/h) }}
         @font-face {{ font-family: x; src: url({to}/i) }} p {{ font-family: x }}</style>
         </head><body background={to}/j><p id=said>The castle has a moat.</p>
         <a id=follow href=http://127.0.0.1:{followed}/>on</a>
         <img src={to}/k><img srcset='{to}/l 1x'><picture><source srcset={to}/m><img></picture>
         <svg><image href={to}/n /><use href={to}/o#p /></svg>
         <video src={to}/q poster={to}/r autoplay></video><audio src={to}/s autoplay></audio>
         <form action={to}/t><input type=image src={to}/u></form>
         <p style='background: url({to}/v)'>x</p><object data={to}/w></object>
         <embed src={to}/x><iframe srcdoc='<img src={to}/y>'></iframe>
         <iframe src={to}/z></iframe>"
    )
}

async fn connects_to_nobody(kind: BrowserKind) -> Result<()> {
    let (port, connections) = counted().await?;
    let (followed, follows) = counted().await?;
    let (proxy, _) = scripted_web(move |address| match address.rsplit('/').next() {
        Some("" | "raw") => Reply::Page(page(port, followed)),
        _ => Reply::Status(404),
    })
    .await?;
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let list = shell::list(folder.path(), &["http://castle.test/"])?;
    let order = ["--examples", &list, "--budget", "1", "--delay", "0"];
    let crawled = shell::run(shell::crawl(&data, proxy, &order)?).await?;
    ensure!(crawled.success, "{}", crawled.errors);

    let (companion, _, link, _) = Companion::serve(&data, proxy).await?;
    let screen = Browser::start(kind, proxy).await?;
    let driver = &screen.driver;
    driver.goto(&link).await?;
    screen.wait_for_text("New topic").await?;
    let dashboard = driver.current_url().await?;
    let number = wait_for("the page is kept", 20, || async {
        let store = linkscent_store::Store::open(&data).await?;
        let rows = store.kept_after(1, 0, 1).await?;
        Ok(rows.first().map(|row| row.number))
    })
    .await?;
    let path = format!("{}library/kept/1/{number}", dashboard.path());
    driver.goto(dashboard.join(&path)?.as_str()).await?;
    screen.wait_for_text("The castle has a moat.").await?;
    let anchor = driver.find(By::Id("said")).await?;
    ensure!(anchor.text().await? == "The castle has a moat.");
    // Whatever the page connects to by itself comes before the link that is followed.
    let _ = driver.find(By::Id("follow")).await?.click().await;
    wait_for("the link is followed", 20, || async {
        Ok((follows.load(Ordering::SeqCst) > 0).then_some(()))
    })
    .await?;
    let before = connections.load(Ordering::SeqCst);
    ensure!(before == 0, "the saved copy connected {before} times");

    // As it was fetched, the page does connect.
    let raw = format!("http://127.0.0.1:{proxy}/raw");
    let _ = driver.goto(&raw).await;
    wait_for("the page itself connects", 20, || async {
        Ok((connections.load(Ordering::SeqCst) > 0).then_some(()))
    })
    .await
    .context("the page shows nothing")?;
    drop(companion);
    screen.quit().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_copy_connects_to_nobody_in_chromium() -> Result<()> {
    connects_to_nobody(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_copy_connects_to_nobody_in_firefox() -> Result<()> {
    connects_to_nobody(BrowserKind::Firefox).await
}

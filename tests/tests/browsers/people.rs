//! Several people on one companion, in real browsers and over TLS: they sign in, do what their role is
//! for, and sign out.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::{Browser, BrowserKind};
use linkscent_tests::companion::{Companion, program};
use linkscent_tests::stage::picture;
use linkscent_tests::synthetic_web::endless_web;
use linkscent_tests::tls_front::TlsFront;
use serde_json::{Value, json};
use tokio::process::Command;

/// Makes an account; its password.
async fn account(data: &Path, name: &str, role: &str) -> Result<String> {
    let output = Command::new(program()?)
        .args([
            "team", "account", "add", name, "--role", role, "--json", "--data",
        ])
        .arg(data)
        .output()
        .await?;
    ensure!(output.status.success(), "{output:?}");
    let said: Value = serde_json::from_slice(&output.stdout)?;
    Ok(said["password"].as_str().context("no password")?.to_owned())
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.port())
}

async fn sign_in(screen: &Browser, name: &str, password: &str) -> Result<()> {
    screen.wait_for_text("Password").await?;
    let fields = format!(
        "document.querySelector('[name=name]').value = {name:?};
         document.querySelector('[name=password]').value = {password:?};"
    );
    screen
        .press_having("form[action='/sign-in'] button", &fields)
        .await
}

async fn people_share(kind: BrowserKind) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let owner = account(&data, "ida", "owner").await?;
    let reader = account(&data, "ada", "reader").await?;
    let guest = account(&data, "gus", "guest").await?;
    let front = TlsFront::new().await?;
    let (address, port) = (front.address()?, free_port()?);
    let (shown, at) = (data.display().to_string(), port.to_string());
    let mut serve = Companion::start(&[
        "serve", "--data", &shown, "--port", &at, "--public", &address, "--json",
    ])?;
    let said: Value = serde_json::from_str(&serve.line().await?)?;
    ensure!(said["public"] == address.as_str(), "{said}");
    front.pass_on(port);

    let (proxy, _) = endless_web().await?;
    let screen = Browser::start(kind, proxy).await?;
    let driver = &screen.driver;
    driver.goto(&format!("{address}/settings")).await?;
    sign_in(&screen, "ida", "wrong").await?;
    screen.wait_for_text("Name or password are wrong").await?;
    picture(&screen, "sign-in").await?;
    sign_in(&screen, "ida", &owner).await?;
    // On to where the way led.
    screen.wait_for_text("Make a token").await?;
    ensure!(!screen.text().await?.contains("Pair a browser"));
    screen.press("header a.brand").await?;
    screen.wait_for_text("New topic").await?;
    let fill = "document.querySelector('[name=name]').value = 'kidneys';";
    screen
        .press_having("form[action$='/topics'] button", fill)
        .await?;
    screen.wait_for_text("Look for more").await?;
    driver.goto(&format!("{address}/topic/1")).await?;
    screen.press("main a[href$='/people']").await?;
    screen.wait_for_text("ida, owner").await?;
    let fill = "document.querySelector('form.row [name=name]').value = 'gus';";
    screen
        .press_having("form[action$='/people'].row button", fill)
        .await?;
    screen.wait_for_text("gus, reader").await?;
    picture(&screen, "shared").await?;
    driver.goto(&format!("{address}/accounts")).await?;
    screen.wait_for_text("/topics").await?;
    picture(&screen, "accounts").await?;
    screen.press("header a[href='/account']").await?;
    screen.wait_for_text("as owner").await?;
    picture(&screen, "account").await?;
    screen.press("form[action='/sign-out'] button").await?;

    sign_in(&screen, "ada", &reader).await?;
    screen.wait_for_text("kidneys").await?;
    driver.goto(&format!("{address}/topic/1")).await?;
    screen.wait_for_text("kidneys").await?;
    let shown = "return [...document.querySelectorAll('main form[method=post]')]
        .filter(form => form.checkVisibility()).map(form => form.action);";
    let shown = screen.read(shown).await?;
    ensure!(
        shown == json!([]),
        "forms are shown that are refused: {shown}"
    );
    picture(&screen, "reader").await?;
    driver.goto(&format!("{address}/account")).await?;
    screen.press("form[action='/sign-out'] button").await?;

    // What is shared with somebody is all there is for them.
    sign_in(&screen, "gus", &guest).await?;
    screen.wait_for_text("kidneys").await?;
    ensure!(!screen.text().await?.contains("New topic"));
    driver.goto(&format!("{address}/library")).await?;
    screen.wait_for_text("Nothing was found").await?;
    let topics = screen
        .read("return [...document.querySelectorAll('[name=topic] option')].map(one => one.text);")
        .await?;
    ensure!(topics == json!(["kidneys"]), "{topics}");
    picture(&screen, "guest").await?;
    driver.goto(&format!("{address}/settings")).await?;
    screen.wait_for_text("settings are the owners").await?;
    let cookies = screen.read("return document.cookie;").await?;
    ensure!(cookies == "", "a script reads the cookie: {cookies}");
    screen.quit().await?;
    serve.kill().await
}

#[tokio::test]
async fn people_share_one_companion_in_chromium() -> Result<()> {
    people_share(BrowserKind::Chromium).await
}

#[tokio::test]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn people_share_one_companion_in_firefox() -> Result<()> {
    people_share(BrowserKind::Firefox).await
}

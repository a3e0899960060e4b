//! The API as programs meet it: by a client that is made of its description, with a token.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use linkscent_tests::companion::{Companion, program};
use linkscent_tests::scripted::{Reply, scripted_web};
use linkscent_tests::{shell, skipped};
use serde_json::Value;

/// Makes a client of a description.
const CLIENT: &str = "swagger-client@3.39.0";

#[tokio::test(flavor = "multi_thread")]
async fn a_client_made_of_the_description_searches_and_takes_away() -> Result<()> {
    let root = linkscent_pack::root();
    let target = linkscent_pack::target_folder(&root.canonicalize()?);
    let tools = target.join("npm-client");
    if !tools.join("node_modules/swagger-client").exists() {
        let install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
        let mut npm = Command::new("npm");
        npm.args(install).arg(&tools).arg(CLIENT);
        if !npm.status().is_ok_and(|status| status.success()) {
            skipped("no client is made of the API's description: it takes Node 20 with npm");
            return Ok(());
        }
    }
    let (proxy, _) = scripted_web(|address| match address.rsplit('/').next() {
        Some("") => Reply::Page(
            "<title>Kidneys</title><p>Dialysis of kidneys.</p><a href=/care>dialysis care</a>"
                .to_owned(),
        ),
        Some("care") => Reply::Page("<title>Care</title><p>Dialysis at home.</p>".to_owned()),
        _ => Reply::Status(404),
    })
    .await?;
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let list = shell::list(folder.path(), &["http://kidney.test/"])?;
    let order = ["--examples", &list, "--budget", "2", "--delay", "0"];
    let crawled = shell::run(shell::crawl(&data, proxy, &order)?).await?;
    ensure!(crawled.success, "{}", crawled.errors);
    let mut token = Command::new(program()?);
    token.args(["token", "add", "a test", "--may", "read", "--data"]);
    let token = token.arg(&data).output()?;
    ensure!(token.status.success(), "{token:?}");
    let token = String::from_utf8(token.stdout)?;

    let (_companion, port, ..) = Companion::serve(&data, proxy).await?;
    let address = format!("http://127.0.0.1:{port}");
    // Modules are looked for beside the script.
    let script = tools.join("client.mjs");
    std::fs::copy(root.join("tests/programs/client.mjs"), &script)?;
    let mut called = tokio::process::Command::new("node");
    called
        .arg(&script)
        .args([&*address, token.trim(), "kidneys"]);
    let said = called.output().await?;
    let errors = String::from_utf8_lossy(&said.stderr);
    let told: Value = serde_json::from_slice(&said.stdout).with_context(|| errors.into_owned())?;
    ensure!(told["topics"] == serde_json::json!(["kidneys"]), "{told}");
    ensure!(
        told["total"] == 2 && told["table"].as_u64() > Some(2),
        "{told}"
    );
    let pages = told["pages"].to_string();
    ensure!(pages.contains("http://kidney.test/care"), "{told}");
    for (call, said) in [
        ("unknown", "no such topic"),
        ("crawl", "does not permit to crawl"),
        ("stranger", "token"),
    ] {
        let told = told[call].as_str().unwrap_or_default();
        ensure!(told.contains(said), "{call}: {told}");
    }
    Ok(())
}

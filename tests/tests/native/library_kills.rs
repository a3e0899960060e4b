//! The library's index, what is taken away and what is brought in, while the program is killed again
//! and again: the index has every page when it is asked next, a file is whole or as it was, and of
//! an archive all stays that was taken in.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use linkscent_tests::companion::{Companion, program};
use linkscent_tests::synthetic_web::endless_web;

/// Times that each of them is killed.
const KILLS: u64 = 50;
/// Pages of the crawl at most.
const PAGES: &str = "300";

fn linkscent(data: &Path, arguments: &[&str]) -> Result<Command> {
    let mut command = Command::new(program()?);
    command.args(arguments).arg("--data").arg(data);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

async fn crawl(data: &Path, folder: &Path) -> Result<()> {
    let (port, _) = endless_web().await?;
    let examples = folder.join("kidneys.txt");
    std::fs::write(&examples, "http://host0.test/0\nhttp://host3.test/3\n")?;
    let (data, examples) = (data.display().to_string(), examples.display().to_string());
    let proxy = format!("http://127.0.0.1:{port}");
    let crawl = Companion::start(&[
        "crawl",
        "--data",
        &data,
        "--proxy",
        &proxy,
        "--examples",
        &examples,
        "--budget",
        PAGES,
        "--delay",
        "0",
        "--json",
    ])?;
    crawl.finish().await?;
    Ok(())
}

/// Pages that a search finds.
fn pages(data: &Path) -> Result<u64> {
    let said = linkscent(data, &["search", "--all", "--json"])?.output()?;
    let errors = String::from_utf8_lossy(&said.stderr);
    ensure!(said.status.success(), "{errors}");
    let found: serde_json::Value = serde_json::from_slice(&said.stdout)?;
    found["total"].as_u64().context("no total")
}

/// Starts a command and kills it after a while, another one each time; whether it was still at
/// work.
fn kill_one(mut command: Command, turn: u64, longest: Duration) -> Result<bool> {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let share = (turn * 37 % KILLS) as f64 / KILLS as f64;
    std::thread::sleep(longest.mul_f64(share));
    let was_running = child.try_wait()?.is_none();
    child.kill()?;
    child.wait()?;
    Ok(was_running)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_kills_lose_nothing_of_the_library() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    crawl(&data, folder.path()).await?;
    let whole = pages(&data)?;
    ensure!(whole > 5, "{whole} pages");
    let began = std::time::Instant::now();
    pages(&data)?;
    let usual = began.elapsed();

    let mut killed = 0;
    for turn in 0..KILLS {
        let rebuild = linkscent(&data, &["search", "--all", "--rebuild"])?;
        killed += u64::from(kill_one(rebuild, turn, usual)?);
        if turn % 5 == 4 {
            let found = pages(&data)?;
            ensure!(
                found == whole,
                "{found} of {whole} pages after {turn} kills"
            );
        }
    }
    let file = folder.path().join("taken.csv");
    let out = file.display().to_string();
    for turn in 0..KILLS {
        std::fs::write(&file, "as it was")?;
        let export = linkscent(
            &data,
            &["export", "--all", "--format", "csv", "--out", &out],
        )?;
        killed += u64::from(kill_one(export, turn, usual)?);
        let now = std::fs::read_to_string(&file)?;
        let lines = now.lines().count() as u64;
        ensure!(
            now == "as it was" || lines == whole + 1,
            "{lines} lines: {now}"
        );
    }
    println!("{killed} of {} were killed at work", 2 * KILLS);
    ensure!(killed >= KILLS, "only {killed} were at work");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_is_killed_keeps_what_it_has() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    crawl(&data, folder.path()).await?;
    let whole = pages(&data)?;
    let archive = data.join("crawl-1.warc.gz").display().to_string();
    let import = |data: &Path| {
        linkscent(
            data,
            &[
                "import", "archive", &archive, "--topic", "kidneys", "--json",
            ],
        )
    };
    let began = std::time::Instant::now();
    let said = import(&folder.path().join("other"))?.output()?;
    let usual = began.elapsed();
    ensure!(said.status.success(), "{said:?}");
    ensure!(pages(&folder.path().join("other"))? == whole);

    let others = folder.path().join("others");
    let (mut killed, mut before, mut parts) = (0, 0, 0);
    for turn in 0..KILLS {
        killed += u64::from(kill_one(import(&others)?, turn, usual)?);
        if turn % 5 == 4 {
            let found = pages(&others)?;
            ensure!(
                (before..=whole).contains(&found),
                "{found} of {whole} pages after {turn} kills, {before} before"
            );
            parts += u64::from(found > before && found < whole);
            before = found;
        }
    }
    println!("{killed} of {KILLS} were killed at work, {parts} looks met another part");
    ensure!(killed >= KILLS / 2, "only {killed} were at work");
    let said = import(&others)?.output()?;
    ensure!(said.status.success(), "{said:?}");
    ensure!(pages(&others)? == whole);
    Ok(())
}

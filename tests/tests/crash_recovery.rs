//! A crawl that is killed at any moment loses nothing it acknowledged and
//! fetches nothing of it again.

use std::time::Duration;

use anyhow::{Result, ensure};
use linkscent::store::Store;
use linkscent_tests::companion::Companion;
use linkscent_tests::synthetic_web::endless_web;
use linkscent_tests::wait_for;

const DEATHS: usize = 22;
const BUDGET: usize = 2_500;

async fn log(store: &Store) -> Result<Vec<String>> {
    let rows = store.fetches(1).await?;
    Ok(rows.into_iter().map(|row| row.address).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_two_kills_lose_nothing_acknowledged() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (port, asked) = endless_web().await?;
    let examples = folder.path().join("kidneys.txt");
    std::fs::write(&examples, "http://host0.test/0\nhttp://host3.test/3\n")?;
    let data = folder.path().join("data");
    let (data_text, examples) = (data.display().to_string(), examples.display().to_string());
    let (proxy, budget) = (format!("http://127.0.0.1:{port}"), BUDGET.to_string());
    let arguments = [
        "crawl",
        "--data",
        &data_text,
        "--proxy",
        &proxy,
        "--examples",
        &examples,
        "--budget",
        &budget,
        "--delay",
        "0",
        "--json",
    ];
    let store = Store::open(&data).await?;
    let mut acknowledged: Vec<String> = Vec::new();
    let mut cut_short = 0;
    for death in 0..DEATHS {
        let mut crawl = Companion::start(&arguments)?;
        // Wait until it has gone on, then let it die at some moment.
        let before = acknowledged.len();
        let wanted = before + 1 + (death * 7) % 15;
        wait_for("the crawl goes on", 60, || async {
            Ok((log(&store).await?.len() >= wanted.min(BUDGET)).then_some(()))
        })
        .await?;
        tokio::time::sleep(Duration::from_millis((death as u64 * 13) % 60)).await;
        crawl.kill().await?;
        let now = log(&store).await?;
        ensure!(
            now.starts_with(&acknowledged),
            "death {death}: the log lost or changed lines"
        );
        cut_short += usize::from(now.len() < BUDGET);
        acknowledged = now;
        asked.lock().expect("no test panics with the lock").clear();
        if acknowledged.len() < BUDGET {
            continue;
        }
        break;
    }
    ensure!(
        cut_short >= 20,
        "only {cut_short} deaths cut the crawl short: raise the budget"
    );
    let last = Companion::start(&arguments)?.finish().await?;
    ensure!(last.contains("\"stop_reason\":\"budget\""), "{last}");
    let asked = asked.lock().expect("no test panics with the lock").clone();
    for address in &acknowledged {
        ensure!(
            !asked.contains_key(address),
            "{address} was acknowledged and fetched again"
        );
    }
    let mut all = log(&store).await?;
    ensure!(all.starts_with(&acknowledged));
    let whole = all.len();
    all.sort();
    all.dedup();
    ensure!(all.len() == whole, "a page stands in the log twice");
    Ok(())
}

/// A small disk of its own, where the system lets us have one.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(folder: &std::path::Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(folder).ok()?;
        run(
            "mount",
            &[
                "-t",
                "tmpfs",
                "-o",
                &format!("size={size},mode=700"),
                "tmpfs",
            ],
            folder,
        )
        .then(|| Self(folder.to_owned()))
    }

    fn grow(&self, size: &str) -> bool {
        run("mount", &["-o", &format!("remount,size={size}")], &self.0)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run("umount", &["-l"], &self.0);
    }
}

fn run(program: &str, arguments: &[&str], folder: &std::path::Path) -> bool {
    let status = std::process::Command::new(program)
        .args(arguments)
        .arg(folder)
        .stderr(std::process::Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_said_and_loses_nothing() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let Some(disk) = SmallDisk::mount(&data, "700k") else {
        linkscent_tests::skipped("this user may not mount a small disk");
        return Ok(());
    };
    let (port, _) = endless_web().await?;
    let examples = folder.path().join("kidneys.txt");
    std::fs::write(&examples, "http://host0.test/0\nhttp://host3.test/3\n")?;
    let proxy = format!("http://127.0.0.1:{port}");
    let (data_text, examples) = (data.display().to_string(), examples.display().to_string());
    let arguments = [
        "crawl",
        "--data",
        &data_text,
        "--proxy",
        &proxy,
        "--examples",
        &examples,
        "--budget",
        "800",
        "--delay",
        "0",
        "--json",
    ];
    let program = linkscent_tests::companion::program()?;
    let output = tokio::process::Command::new(&program)
        .args(arguments)
        .output()
        .await?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(!output.status.success(), "700 kB were enough: {said}");
    ensure!(
        said.contains("writing") && !said.contains("panicked"),
        "{said}"
    );
    ensure!(disk.grow("200m"), "the disk does not grow");
    let before = log(&Store::open(&data).await?).await?;
    let last = Companion::start(&arguments)?.finish().await?;
    ensure!(last.contains("\"stop_reason\":\"budget\""), "{last}");
    let after = log(&Store::open(&data).await?).await?;
    ensure!(after.starts_with(&before) && after.len() > before.len());
    Ok(())
}

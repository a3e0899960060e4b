//! A crawl that is killed at any moment loses nothing it acknowledged and
//! fetches nothing of it again.

use anyhow::{Result, ensure};
use linkscent_store::Store;
use linkscent_tests::companion::Companion;
use linkscent_tests::kills;
use linkscent_tests::synthetic_web::endless_web;

#[tokio::test(flavor = "multi_thread")]
async fn twenty_two_kills_lose_nothing_acknowledged() -> Result<()> {
    kills::lose_nothing(22, None).await
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
    let before = kills::log(&Store::open(&data).await?).await?;
    let last = Companion::start(&arguments)?.finish().await?;
    ensure!(last.contains("\"stop_reason\":\"budget\""), "{last}");
    let after = kills::log(&Store::open(&data).await?).await?;
    ensure!(after.starts_with(&before) && after.len() > before.len());
    Ok(())
}

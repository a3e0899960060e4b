//! `linkscent` as it is used from a shell: run to its end.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result};
use serde_json::Value;
use tokio::process::Command;

use crate::companion::program;

/// What came of a command.
#[derive(Debug)]
pub struct Ended {
    /// Whether it said that all went well.
    pub success: bool,
    /// Its last line, where that is JSON.
    pub json: Value,
    /// What it complained of.
    pub errors: String,
}

/// A crawl on a data folder through a proxy: the command, to be added to.
pub fn crawl(data: &Path, proxy: u16, more: &[&str]) -> Result<Command> {
    let mut command = Command::new(program()?);
    command
        .args(["crawl", "--json", "--topic", "kidneys"])
        .arg("--data")
        .arg(data)
        .args(["--proxy", &format!("http://127.0.0.1:{proxy}")])
        .args(more)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    Ok(command)
}

/// Runs a command to its end.
pub async fn run(mut command: Command) -> Result<Ended> {
    let output = command.output().await.context("running linkscent")?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = said.lines().last().unwrap_or_default();
    Ok(Ended {
        success: output.status.success(),
        json: serde_json::from_str(last).unwrap_or_default(),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// A file with addresses, a line each.
pub fn list(folder: &Path, pages: &[&str]) -> Result<String> {
    let file = folder.join("pages.txt");
    std::fs::write(&file, pages.join("\n"))?;
    Ok(file.display().to_string())
}

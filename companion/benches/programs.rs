//! Programs that run beside a bench, and end with it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

/// A program that ends with this.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Serves a frozen web as a proxy; its process and address.
pub fn replay(file: &Path) -> Result<(Running, String)> {
    ensure!(file.exists(), "there is no {}", file.display());
    let mut replay = Command::new(env!("CARGO_BIN_EXE_linkscent"))
        .args(["research", "replay", "--listen", "127.0.0.1:0"])
        .arg(file)
        .stdout(Stdio::piped())
        .spawn()
        .map(Running)?;
    let out = replay.0.stdout.take().context("it says nothing")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let address = line.trim().rsplit(' ').next().unwrap_or_default();
    Ok((replay, address.to_owned()))
}

//! The companion as a process.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

use anyhow::{Context, Result, bail, ensure};
use linkscent_verify::PACKAGES;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// A running `linkscent`; ended when it goes out of scope.
pub struct Companion {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

/// The program, built once.
pub fn program() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<(), String>> = OnceLock::new();
    let root = linkscent_pack::root();
    let built = BUILT.get_or_init(|| {
        let mut cargo = std::process::Command::new("cargo");
        // What cargo tells its tests would make build scripts run again.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if ["CARGO_PKG_", "CARGO_MANIFEST_"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
            {
                cargo.env_remove(&*name);
            }
        }
        let status = cargo
            .current_dir(&root)
            .args(["build", "--quiet", "--all-features", "--bins", "--tests"])
            .args(PACKAGES.iter().flat_map(|package| ["--package", package]))
            .status();
        match status {
            Ok(status) if status.success() => Ok(()),
            other => Err(format!("building the companion: {other:?}")),
        }
    });
    if let Err(error) = built {
        bail!("{error}");
    }
    let target = linkscent_pack::target_folder(&root.canonicalize()?);
    Ok(target.join("debug/linkscent"))
}

impl Companion {
    /// Starts `linkscent` with these arguments.
    pub fn start(arguments: &[&str]) -> Result<Self> {
        Self::start_in(arguments, &[])
    }

    /// The same in an environment that has this, too.
    pub fn start_in(arguments: &[&str], environment: &[(&str, &Path)]) -> Result<Self> {
        let mut child = Command::new(program()?)
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("starting linkscent")?;
        let out = child.stdout.take().context("no output")?;
        Ok(Self {
            child,
            lines: BufReader::new(out).lines(),
        })
    }

    /// `linkscent research replay` of a file on a free port; the port.
    pub async fn replay(files: &[&Path]) -> Result<(Self, u16)> {
        let files: Vec<String> = files
            .iter()
            .map(|file| file.display().to_string())
            .collect();
        let mut arguments = vec!["research", "replay", "--listen", "127.0.0.1:0"];
        arguments.extend(files.iter().map(String::as_str));
        let mut replay = Self::start(&arguments)?;
        let line = replay.line().await?;
        let port = line
            .rsplit(':')
            .next()
            .and_then(|port| port.trim().parse().ok());
        Ok((replay, port.with_context(|| line.clone())?))
    }

    /// `linkscent serve` on a free port; its port, dashboard link and code.
    pub async fn serve(data: &Path, proxy: u16) -> Result<(Self, u16, String, String)> {
        Self::serve_in(data, proxy, &[]).await
    }

    /// The same in an environment that has this, too.
    pub async fn serve_in(
        data: &Path,
        proxy: u16,
        environment: &[(&str, &Path)],
    ) -> Result<(Self, u16, String, String)> {
        let data = data.display().to_string();
        let proxy = format!("http://127.0.0.1:{proxy}");
        let arguments = [
            "serve", "--data", &data, "--port", "0", "--proxy", &proxy, "--pair", "--json",
        ];
        let mut serve = Self::start_in(&arguments, environment)?;
        let said: Value = serde_json::from_str(&serve.line().await?)?;
        let link = said["dashboard"].as_str().context("no link")?.to_owned();
        let code = said["pairing_code"].as_str().context("no code")?.to_owned();
        let port = link
            .split(['/', ':'])
            .nth(4)
            .and_then(|port| port.parse().ok());
        Ok((serve, port.with_context(|| link.clone())?, link, code))
    }

    /// The next line of its output.
    pub async fn line(&mut self) -> Result<String> {
        let line = self.lines.next_line().await?;
        line.context("linkscent ended without a word")
    }

    /// Kilobytes of memory that it holds; 0 where the system does not say.
    pub fn memory(&self) -> u64 {
        let process = self.child.id().unwrap_or_default();
        let status = std::fs::read_to_string(format!("/proc/{process}/status"));
        let status = status.unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        kilobytes.unwrap_or_default()
    }

    /// Sends it a signal by name, such as STOP.
    pub async fn signal(&self, name: &str) -> Result<()> {
        let process = self.child.id().context("it has ended")?.to_string();
        let sent = Command::new("kill")
            .args(["-s", name, &process])
            .status()
            .await?;
        ensure!(sent.success(), "{name} could not be sent");
        Ok(())
    }

    /// Its number.
    pub fn process(&self) -> Option<u32> {
        self.child.id()
    }

    /// Kills it as a power cut would.
    pub async fn kill(&mut self) -> Result<()> {
        self.child.kill().await?;
        Ok(())
    }

    /// Waits for its end; its last line.
    pub async fn finish(mut self) -> Result<String> {
        let mut last = String::new();
        while let Some(line) = self.lines.next_line().await? {
            last = line;
        }
        let status = self.child.wait().await?;
        if !status.success() {
            bail!("linkscent ended with {status}");
        }
        Ok(last)
    }
}

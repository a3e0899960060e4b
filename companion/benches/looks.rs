//! `linkscent serve` as a program of its own, and how long its pages take over loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// The dashboard of a program that runs until this is dropped.
pub struct Dashboard {
    program: Child,
    port: u16,
    /// Where its pages lie, with a slash at the end.
    base: String,
}

impl Dashboard {
    /// Serves a data folder; crawls that go on in it ask this proxy.
    pub fn serve(data: &Path, proxy: Option<&str>) -> Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_linkscent"));
        command
            .args(["serve", "--port", "0", "--json", "--data"])
            .arg(data)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(proxy) = proxy {
            command.args(["--proxy", proxy]);
        }
        let mut program = command.spawn()?;
        let out = program.stdout.take().context("serve says nothing")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line)?;
        let said: serde_json::Value = serde_json::from_str(&line)?;
        let link = said["dashboard"].as_str().context("no link")?;
        let rest = link.strip_prefix("http://127.0.0.1:").context("no port")?;
        let (port, path) = rest.split_once('/').context("no path")?;
        let port = port.parse()?;
        // The link is used up by leading to where the pages lie.
        let (head, _) = get(port, &format!("/{path}"))?;
        let place = head
            .lines()
            .find_map(|line| line.strip_prefix("location: "));
        let base = place.context("no dashboard")?.trim().to_owned();
        Ok(Self {
            program,
            port,
            base,
        })
    }

    /// Bytes of a page, such as `topic/1`.
    pub fn look_at(&self, page: &str) -> Result<usize> {
        let (head, body) = get(self.port, &format!("{}{page}", self.base))?;
        ensure!(head.contains(" 200 "), "{head}");
        Ok(body)
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Asks once and then so many `times`, and prints how long that took.
pub fn report(name: &str, times: usize, mut ask: impl FnMut() -> Result<usize>) -> Result<()> {
    let mut time = || -> Result<(Duration, usize)> {
        let begun = Instant::now();
        let bytes = ask()?;
        Ok((begun.elapsed(), bytes))
    };
    let (first, bytes) = time()?;
    let mut took = Vec::new();
    for _ in 0..times {
        took.push(time()?.0);
    }
    took.sort_unstable();
    println!(
        "{name}: {bytes} bytes; first {first:.1?}, then median {:.1?}, p95 {:.1?}, worst {:.1?}",
        took[times / 2],
        took[times * 95 / 100],
        took[times - 1]
    );
    Ok(())
}

/// Head of the answer and length of its body.
fn get(port: u16, path: &str) -> Result<(String, usize)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no head")?;
    Ok((head.to_owned(), body.len()))
}

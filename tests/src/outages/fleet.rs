//! The programs of one crawl: workers, and two that can run it, each with a way to the database and a clock
//! of its own.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

use super::clock::Clock;
use super::route::Route;
use crate::companion::{Companion, program};
use crate::shell::list;
use crate::watched_web::DELAY;

/// Workers, and programs that can run the crawl.
pub const WORKERS: usize = 3;
pub const RUNNERS: usize = 2;
/// More pages than it comes to.
const BUDGET: &str = "1000000";

/// A program, which runs unless it was ended.
struct Member {
    arguments: Vec<String>,
    running: Option<Companion>,
    route: Route,
    clock: Clock,
}

/// See the module.
pub struct Fleet {
    members: Vec<Member>,
    data: PathBuf,
    database: String,
    /// What sets clocks, where it could be built.
    library: Option<PathBuf>,
}

impl Fleet {
    /// Begins the crawl, and starts all of them.
    pub async fn start(
        folder: &Path,
        database: &str,
        web: u16,
        library: Option<PathBuf>,
    ) -> Result<Self> {
        let data = folder.join("data");
        let (data_text, proxy) = (
            data.display().to_string(),
            format!("http://127.0.0.1:{web}"),
        );
        let (socket, name) = place(database)?;
        let mut members = Vec::new();
        for number in 0..RUNNERS + WORKERS {
            let route = Route::to(socket.clone()).await?;
            let address = format!("postgres://postgres@127.0.0.1:{}/{name}", route.port());
            let mut arguments = vec!["--database", &address, "--proxy", &proxy];
            let called = format!("worker-{number}");
            if number < RUNNERS {
                arguments.splice(..0, ["serve", "--port", "0", "--json", "--by-workers"]);
                arguments.extend(["--data", &data_text]);
            } else {
                arguments.splice(..0, ["team", "work", "--name", &called]);
            }
            members.push(Member {
                arguments: arguments.into_iter().map(str::to_owned).collect(),
                running: None,
                route,
                clock: Clock::new(folder.join(format!("clock-{number}")))?,
            });
        }
        let mut fleet = Self {
            members,
            data,
            database: database.to_owned(),
            library,
        };
        fleet.begin(folder, &proxy).await?;
        for number in 0..RUNNERS + WORKERS {
            fleet.restart(number)?;
        }
        Ok(fleet)
    }

    /// Begins the crawl, as a program that is killed then: it is left to the others.
    async fn begin(&self, folder: &Path, proxy: &str) -> Result<()> {
        let starts = list(folder, &["http://h0.test/0", "http://h1.test/0"])?;
        let (data, delay) = (
            self.data.display().to_string(),
            DELAY.as_millis().to_string(),
        );
        let mut crawl = Companion::start(&[
            "crawl",
            "--topic",
            "kidneys",
            "--critic",
            "text has \"kidney\"",
            "--seeds",
            &starts,
            "--budget",
            BUDGET,
            "--delay",
            &delay,
            "--strategy",
            "breadth-first",
            "--by-workers",
            "--data",
            &data,
            "--database",
            &self.database,
            "--proxy",
            proxy,
        ])?;
        crate::wait_for("the crawl begins", 60, || async {
            Ok(self.run_by().is_some().then_some(()))
        })
        .await?;
        crawl.kill().await
    }

    /// The process that runs the crawl, or did.
    fn run_by(&self) -> Option<u32> {
        let lock = std::fs::read_to_string(self.data.join("crawl-1.lock"));
        lock.ok()?.lines().next()?.parse().ok()
    }

    /// Which of them runs the crawl.
    pub fn runner(&self) -> Option<usize> {
        let process = self.run_by();
        let is = |member: &Member| member.running.as_ref()?.process();
        self.members
            .iter()
            .position(|member| is(member).is_some() && is(member) == process)
    }

    /// Kills one as a power cut would.
    pub async fn kill(&mut self, number: usize) -> Result<()> {
        match self.members[number].running.take() {
            Some(mut running) => running.kill().await,
            None => Ok(()),
        }
    }

    /// Starts one that does not run.
    pub fn restart(&mut self, number: usize) -> Result<()> {
        let member = &mut self.members[number];
        let arguments: Vec<&str> = member.arguments.iter().map(String::as_str).collect();
        let environment = self.library.as_deref();
        let environment = environment.map(|library| member.clock.environment(library));
        let environment = environment.as_ref().map_or(&[][..], |pairs| pairs);
        member.running = Some(Companion::start_in(&arguments, environment)?);
        Ok(())
    }

    /// Sends one a signal.
    pub async fn signal(&self, number: usize, name: &str) -> Result<()> {
        let running = self.members[number].running.as_ref();
        running.context("it does not run")?.signal(name).await
    }

    /// The way of one to the database.
    pub fn route(&self, number: usize) -> &Route {
        &self.members[number].route
    }

    /// The clock of one; none where they cannot be set.
    pub fn clock(&self, number: usize) -> Option<&Clock> {
        self.library.as_ref()?;
        Some(&self.members[number].clock)
    }

    /// Ends all of them, and has `linkscent data check` look at what they left; what it complains of.
    pub async fn check(mut self) -> Result<Option<String>> {
        for number in 0..self.members.len() {
            self.kill(number).await?;
        }
        let mut check = Command::new(program()?);
        check.args(["data", "check"]).arg("--data").arg(&self.data);
        check
            .args(["--database", &self.database])
            .stdin(Stdio::null());
        let checked = crate::shell::run(check).await?;
        Ok((!checked.success).then_some(checked.errors))
    }
}

/// The socket of a cluster's server, and the name of a database, by its address.
fn place(database: &str) -> Result<(PathBuf, &str)> {
    let rest = database.strip_prefix("postgres://postgres@");
    let (folder, name) = rest
        .and_then(|rest| rest.split_once('/'))
        .context("no address")?;
    let socket = PathBuf::from(folder.replace("%2F", "/")).join(".s.PGSQL.5432");
    ensure!(socket.exists(), "{} is not there", socket.display());
    Ok((socket, name))
}

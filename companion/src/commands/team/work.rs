//! `linkscent team work`: a worker that makes the requests of crawls.

use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use tokio::time::sleep;

use crate::commands::network::Network;
use crate::commands::told_to_end;
use linkscent_service::crawler::fetch::Fetcher;
use linkscent_service::crawler::workers::Worker;
use linkscent_store::Workers;

/// Between two tries to reach the database.
const AGAIN: Duration = Duration::from_millis(500);

/// Make the requests of crawls that another linkscent runs with --by-workers: ask hosts, read what comes,
/// and hand it in. As many as you like, on this machine or on others that reach the same database.
///
/// All of them have to ask in the same way: give each the same proxy, contact, hosts to leave alone and
/// budgets.
/// Ctrl-C ends it; what it was doing others do again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent team work --database postgres://linkscent@db.example.org/linkscent
  linkscent team work --database postgres://linkscent@db.example.org/linkscent --name reading-room")]
pub struct Work {
    /// The PostgreSQL database that it shares with whoever runs the crawls.
    #[arg(
        long,
        env = "LINKSCENT_DATABASE",
        value_name = "URL",
        hide_env_values = true,
        hide_default_value = true
    )]
    database: Option<String>,
    /// What this worker is called where all are shown; by default the machine and the process.
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    network: Network,
}

impl Work {
    /// Works until interrupted.
    pub async fn run(self) -> Result<()> {
        let database = self.database.context(
            "which database? give --database postgres://…, the same as to whoever runs the crawls",
        )?;
        let fetcher = Fetcher::new(self.network.way())?;
        let name = self.name.unwrap_or_else(this_process);
        let workers = tokio::select! {
            workers = reach(&database) => workers?,
            () = told_to_end() => return Ok(()),
        };
        message!("linkscent: worker {name} is at work; Ctrl-C ends it");
        Worker::new(workers, fetcher, name)
            .work(told_to_end())
            .await;
        Ok(())
    }
}

/// The database, as soon as it can be had: it may be started together with its workers. An error if it never
/// can be had so.
async fn reach(database: &str) -> Result<Workers> {
    let mut told = String::new();
    loop {
        let error = match Workers::connect(database).await {
            Ok(workers) => return Ok(workers),
            Err(error) if !may_pass(&error) => return Err(error),
            Err(error) => format!("{error:#}"),
        };
        if told != error {
            message!("linkscent: {error}; it is tried again until that works");
            told = error;
        }
        sleep(AGAIN).await;
    }
}

/// Whether a database may be reached later as it could not be now: not with a wrong address or password.
fn may_pass(error: &anyhow::Error) -> bool {
    match error.downcast_ref::<sqlx::Error>() {
        Some(sqlx::Error::Configuration(_) | sqlx::Error::Tls(_)) => false,
        // What is wrong with who asks.
        Some(sqlx::Error::Database(refused)) => {
            !refused.code().is_some_and(|code| code.starts_with("28"))
        }
        _ => true,
    }
}

/// The machine and the process.
fn this_process() -> String {
    #[cfg(unix)]
    let machine = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    #[cfg(not(unix))]
    let machine = "worker".to_owned();
    format!("{machine}-{}", std::process::id())
}

//! `--log FILTER`: what the program does, as it does it.

use anyhow::{Context, Result};
use clap::{Arg, Args, ValueEnum};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

/// Flags of every command.
#[derive(Debug, Args)]
pub struct Log {
    /// Tell on the error output what is done: a level (info, debug) or a filter such as
    /// "linkscent=debug,sqlx=warn".
    #[arg(long, global = true, env = "LINKSCENT_LOG", value_name = "FILTER")]
    log: Option<String>,
    /// How that is written.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    log_format: Format,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// A JSON object a line.
    Json,
}

impl Log {
    /// The flag alone, for those who only want to know of it.
    pub fn filter() -> Arg {
        Arg::new("log").long("log").env("LINKSCENT_LOG")
    }

    /// Begins to tell, if that is wanted.
    pub fn begin(&self) -> Result<()> {
        let Some(filter) = &self.log else {
            return Ok(());
        };
        let filter = EnvFilter::try_new(filter)
            .with_context(|| format!("--log {filter:?}: give a level such as info or debug"))?;
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_span_events(FmtSpan::CLOSE)
            .with_writer(std::io::stderr);
        match self.log_format {
            Format::Human => subscriber.init(),
            Format::Json => subscriber.json().init(),
        }
        Ok(())
    }
}

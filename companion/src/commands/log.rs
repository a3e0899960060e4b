//! `--log FILTER`: what the program does, as it does it; `--traces ADDRESS`: where the time goes.

#[cfg(not(feature = "team"))]
use std::convert::Infallible;

use anyhow::{Context, Result};
use clap::{Arg, Args, ValueEnum};
use linkscent_output::{json_log, log};
#[cfg(feature = "team")]
use reqwest::Url;
use tracing::Subscriber;
#[cfg(feature = "team")]
use tracing_subscriber::filter::{FilterFn, LevelFilter};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

#[cfg(feature = "team")]
use linkscent_service::traces::Traces;

/// Flags of every command.
#[derive(Debug, Args)]
pub struct Log {
    /// Tell on the error output what is done: a level (info, debug) or a filter such as
    /// "linkscent=debug,sqlx=warn".
    #[arg(
        id = "log",
        long = "log",
        global = true,
        env = "LINKSCENT_LOG",
        value_name = "FILTER"
    )]
    filter: Option<String>,
    /// How that is written.
    #[arg(
        id = "log_format",
        long = "log-format",
        global = true,
        value_enum,
        default_value_t,
        hide_possible_values = true
    )]
    format: Format,
    #[cfg(feature = "team")]
    /// Tell an OpenTelemetry collector where the time of each page goes: the address of its OTLP
    /// receiver for HTTP, such as `http://127.0.0.1:4318`. It hears the addresses of pages.
    #[arg(
        long,
        global = true,
        env = "LINKSCENT_TRACES",
        hide_env_values = true,
        value_name = "ADDRESS"
    )]
    traces: Option<Url>,
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

    /// Begins to tell, if that is wanted. What it answers has to be kept until the end.
    #[cfg(feature = "team")]
    pub fn begin(&self) -> Result<Option<Traces>> {
        let traces = self.traces.as_ref().map(Traces::to).transpose()?;
        let traced = traces.as_ref().map(|traces| {
            tracing_opentelemetry::layer()
                .with_tracer(traces.tracer())
                .with_location(false)
                .with_threads(false)
                .with_filter(FilterFn::new(Traces::takes).with_max_level_hint(LevelFilter::DEBUG))
        });
        let written = match &self.filter {
            Some(filter) => Some(self.written(filter)?),
            None => None,
        };
        if traced.is_some() || written.is_some() {
            tracing_subscriber::registry()
                .with(written)
                .with(traced)
                .init();
        }
        Ok(traces)
    }

    /// Begins to tell, if that is wanted.
    #[cfg(not(feature = "team"))]
    pub fn begin(&self) -> Result<Option<Infallible>> {
        if let Some(filter) = &self.filter {
            tracing_subscriber::registry()
                .with(self.written(filter)?)
                .init();
        }
        Ok(None)
    }

    fn written<S>(&self, filter: &str) -> Result<Box<dyn Layer<S> + Send + Sync>>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let filter = EnvFilter::try_new(filter)
            .with_context(|| format!("--log {filter:?}: give a level such as info or debug"))?;
        // Colours are control characters, which the log shows instead of sending them.
        let layer = tracing_subscriber::fmt::layer()
            .with_span_events(FmtSpan::CLOSE)
            .with_ansi(false);
        Ok(match self.format {
            Format::Human => layer.with_writer(log).with_filter(filter).boxed(),
            Format::Json => {
                let layer = layer.with_writer(json_log);
                layer.json().with_filter(filter).boxed()
            }
        })
    }
}

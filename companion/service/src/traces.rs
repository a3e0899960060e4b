//! `--traces ADDRESS`: where the time of single pages goes, told to a collector of OpenTelemetry.
//!
//! Each page that a crawl asks for is a trace: the task from being given out to being taken in, in it
//! the fetch, on whichever machine it was made, and the learning. Writing to the log, checkpoints and
//! training are traces of their own. A program that asks another tells it, as W3C Trace Context has it,
//! what its part belongs to.
//!
//! Spans are told to one place, by HTTP as JSON, in the background; those that come faster than they can
//! be told are left out. How many are taken is `OTEL_TRACES_SAMPLER` and its fellows' matter.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use async_trait::async_trait;
use bytes::Bytes;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Url};
use tokio::runtime::{Builder, Handle, Runtime};
use tracing::{Level, Metadata, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt;

use linkscent_store::tls::choose_cryptography;

/// A collector is waited for so long.
const PATIENCE: Duration = Duration::from_secs(5);
/// And where the program ends, which waits for it, so long.
const AT_THE_END: Duration = Duration::from_secs(2);
/// What a program is called in traces, where `OTEL_SERVICE_NAME` does not say otherwise.
const NAME: &str = "linkscent";
/// The field of Trace Context in which a span is told to another program.
const PARENT: &str = "traceparent";
/// A span that is as long as a crawl says nothing of where its time goes.
const TOO_LONG: &str = "crawl";

/// Spans that are told on. Dropping it tells the last.
pub struct Traces {
    provider: SdkTracerProvider,
    runtime: Option<Runtime>,
}

impl Traces {
    /// Tells them to the collector at that address, where its OTLP receiver for HTTP is.
    pub fn to(collector: &Url) -> Result<Self> {
        choose_cryptography();
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("traces")
            .enable_all()
            .build()?;
        let client = Client::builder()
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()?;
        let sender = Sender {
            client,
            handle: runtime.handle().clone(),
            told: AtomicBool::new(false),
        };
        let endpoint = format!("{}/v1/traces", collector.as_str().trim_end_matches('/'));
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(sender)
            .with_protocol(Protocol::HttpJson)
            .with_endpoint(endpoint)
            .with_timeout(PATIENCE)
            .build()
            .with_context(|| format!("telling traces to {collector}"))?;
        let name = std::env::var("OTEL_SERVICE_NAME").unwrap_or_else(|_| NAME.to_owned());
        let resource = Resource::builder().with_service_name(name);
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter);
        Ok(Self {
            provider: provider.build(),
            runtime: Some(runtime),
        })
    }

    /// By which spans become traces.
    pub fn tracer(&self) -> SdkTracer {
        self.provider.tracer(NAME)
    }

    /// Whether something that a program does is told on.
    pub fn takes(what: &Metadata<'_>) -> bool {
        let is_own = what.target().starts_with(NAME);
        what.is_span() && is_own && *what.level() <= Level::DEBUG && what.name() != TOO_LONG
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // Where nobody hears the last of them, nobody needs to know.
        let _ = self.provider.shutdown_with_timeout(AT_THE_END);
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A span as it is told to another program; none if nobody traces.
pub fn told(span: &Span) -> Option<String> {
    if span.is_disabled() {
        return None;
    }
    let mut fields = HashMap::new();
    TraceContextPropagator::new().inject_context(&span.context(), &mut fields);
    fields.remove(PARENT)
}

/// Makes a span a part of what another program told.
pub fn follow(span: &Span, told: Option<&str>) {
    if let Some(told) = told.filter(|_| !span.is_disabled()) {
        let fields = HashMap::from([(PARENT.to_owned(), told.to_owned())]);
        let parent = TraceContextPropagator::new().extract(&fields);
        // One that is already under way stays where it is.
        let _ = span.set_parent(parent);
    }
}

/// The way to a collector, whichever thread tells it.
struct Sender {
    client: Client,
    handle: Handle,
    /// Whether it was told that it does not work.
    told: AtomicBool,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender")
    }
}

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        // Keys that the environment has for another collector are not for this one.
        let request = self
            .client
            .request(head.method, head.uri.to_string())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let sending = self.handle.spawn(async move {
            let response = request.send().await?;
            let status = response.status();
            Ok::<_, reqwest::Error>((status, response.bytes().await?))
        });
        let sent = sending.await?;
        let problem = match &sent {
            Ok((status, _)) if status.is_success() => None,
            Ok((status, _)) => Some(format!("{status}")),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem
            && !self.told.swap(true, Ordering::Relaxed)
        {
            message!("linkscent: the collector of traces does not take them: {problem}");
        }
        let (status, body) = sent?;
        Ok(Response::builder().status(status).body(body)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_told_where_nobody_traces() {
        let span = tracing::debug_span!("task");
        assert_eq!(told(&span), None);
        follow(
            &span,
            Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        );
    }
}

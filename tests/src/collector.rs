//! A collector of OpenTelemetry that keeps what it is told: OTLP over HTTP, as JSON.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// One that listens until the test ends.
pub struct Collector {
    address: String,
    spans: Arc<Mutex<Vec<Span>>>,
}

/// Something that a program did.
#[derive(Debug, Clone)]
pub struct Span {
    /// What that is called.
    pub name: String,
    /// The trace that it belongs to.
    pub trace: String,
    /// Its own number.
    pub id: String,
    /// Empty for the first of a trace.
    pub parent: String,
    /// In nanoseconds since 1970.
    pub began: u64,
    /// Likewise.
    pub ended: u64,
    /// What is said of it, by name.
    pub said: Vec<(String, String)>,
}

impl Span {
    /// What is said of it by that name.
    pub fn said(&self, name: &str) -> &str {
        let mut said = self.said.iter();
        said.find(|(said, _)| said == name)
            .map_or("", |(_, value)| value)
    }
}

impl Collector {
    /// Listens on a free port.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let collector = Self {
            address: format!("http://{}", listener.local_addr()?),
            spans: Arc::default(),
        };
        let spans = Arc::clone(&collector.spans);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let spans = Arc::clone(&spans);
                tokio::spawn(async move {
                    if let Err(error) = hear(stream, &spans).await {
                        eprintln!("what is told to the collector: {error:#}");
                    }
                });
            }
        });
        Ok(collector)
    }

    /// Its address.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What it was told so far.
    pub fn spans(&self) -> Vec<Span> {
        let spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        spans.clone()
    }
}

async fn hear(stream: TcpStream, spans: &Mutex<Vec<Span>>) -> Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut first = String::new();
        if stream.read_line(&mut first).await? == 0 {
            return Ok(());
        }
        ensure!(first.starts_with("POST /v1/traces "), "{first}");
        let mut length = 0;
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let line = line.trim_end().to_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(said) = line.strip_prefix("content-length:") {
                length = said.trim().parse()?;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let told = read(&serde_json::from_slice(&body)?)?;
        spans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(told);
        let answer =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        stream.write_all(answer.as_bytes()).await?;
    }
}

fn read(told: &Value) -> Result<Vec<Span>> {
    let list = |value: &Value, name: &str| -> Result<Vec<Value>> {
        let list = value[name].as_array().cloned();
        list.with_context(|| format!("no {name} in {value}"))
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let time = |value: &Value| -> Result<u64> { Ok(text(value).parse()?) };
    let mut spans = Vec::new();
    for resource in list(told, "resourceSpans")? {
        for scope in list(&resource, "scopeSpans")? {
            for span in list(&scope, "spans")? {
                let said = span["attributes"].as_array().cloned().unwrap_or_default();
                let said = said.iter().map(|said| {
                    let value = said["value"].as_object();
                    let value = value.and_then(|value| value.values().next());
                    let value = value.map_or(String::new(), |value| match value {
                        Value::String(text) => text.clone(),
                        other => other.to_string(),
                    });
                    (text(&said["key"]), value)
                });
                spans.push(Span {
                    name: text(&span["name"]),
                    trace: text(&span["traceId"]),
                    id: text(&span["spanId"]),
                    parent: text(&span["parentSpanId"]),
                    began: time(&span["startTimeUnixNano"])?,
                    ended: time(&span["endTimeUnixNano"])?,
                    said: said.collect(),
                });
            }
        }
    }
    Ok(spans)
}

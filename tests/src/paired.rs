//! A paired browser without a browser: what it says to the companion, as bytes.

use anyhow::{Context, Result, ensure};
use linkscent_core::wire::api::{
    AnswerHead, CallHead, ChannelOpened, OpenChannel, PairRequest, PairStarted, Paired as Named,
};
use linkscent_core::wire::channel::{Channel, DeviceKey, Random};
use linkscent_core::wire::pairing::{Attempt, Side};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A browser that was paired.
pub struct Paired {
    port: u16,
    /// What it is called by.
    pub device: String,
    key: DeviceKey,
    open: Option<(Vec<u8>, Channel)>,
}

/// The answer to a call.
pub struct CallAnswer {
    /// Its head.
    pub head: AnswerHead,
    /// Its body.
    pub body: Vec<u8>,
}

impl CallAnswer {
    /// The body as JSON.
    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body)
            .with_context(|| String::from_utf8_lossy(&self.body).into_owned())
    }
}

/// Sends a request as it stands; head and body of the answer.
pub async fn send(port: u16, request: &[u8]) -> Result<(String, Vec<u8>)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    stream.write_all(request).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.with_context(|| String::from_utf8_lossy(&answer).into_owned())?;
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    Ok((head, answer[end + 4..].to_vec()))
}

/// Posts a body; status and body of the answer.
pub async fn post(port: u16, path: &str, kind: &str, body: &[u8]) -> Result<(u16, Vec<u8>)> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
         Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let (head, body) = send(port, &[head.as_bytes(), body].concat()).await?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    Ok((status.context(head)?, body))
}

async fn post_json<T: serde::de::DeserializeOwned>(
    port: u16,
    path: &str,
    body: &impl serde::Serialize,
) -> Result<T> {
    let body = serde_json::to_vec(body)?;
    let (status, body) = post(port, path, "application/json", &body).await?;
    ensure!(status == 200, "{}", String::from_utf8_lossy(&body));
    Ok(serde_json::from_slice(&body)?)
}

impl Paired {
    /// Pairs by a code.
    pub async fn new(port: u16, code: &str) -> Result<Self> {
        let (attempt, message) = Attempt::begin(Side::Extension, code, port, [7; 64]);
        let message = hex(&message);
        let started: PairStarted =
            post_json(port, "/api/v1/pair", &PairRequest::Start { message }).await?;
        let key = attempt.finish(&from_hex(&started.message))?;
        ensure!(
            key.proves(Side::Companion, &from_hex(&started.proof)),
            "no proof"
        );
        let finish = PairRequest::Finish {
            attempt: started.attempt,
            proof: hex(&key.proof(Side::Extension)),
            name: "test".to_owned(),
        };
        let named: Named = post_json(port, "/api/v1/pair", &finish).await?;
        Ok(Self {
            port,
            device: named.device,
            key: key.device_key(),
            open: None,
        })
    }

    /// The bytes of a call, as they are sent; opens a channel if none is open.
    pub async fn seal(&mut self, method: &str, path: &str, body: &str) -> Result<Vec<u8>> {
        if self.open.is_none() {
            let own: Random = [9; 32];
            let asked = OpenChannel {
                device: self.device.clone(),
                random: hex(&own),
            };
            let opened: ChannelOpened = post_json(self.port, "/api/v1/channel", &asked).await?;
            let theirs: Random = from_hex(&opened.random).try_into().ok().context("random")?;
            ensure!(
                self.key.proves(&own, &theirs, &from_hex(&opened.proof)),
                "no proof"
            );
            let channel = self.key.channel(&own, &theirs);
            self.open = Some((from_hex(&opened.channel), channel));
        }
        let (name, channel) = self.open.as_mut().context("no channel")?;
        let head = CallHead {
            method: method.to_owned(),
            path: path.to_owned(),
        };
        let plain = format!("{}\n{body}", serde_json::to_string(&head)?);
        Ok([name.as_slice(), &channel.call(plain.as_bytes())].concat())
    }

    /// Makes a call.
    pub async fn call(&mut self, method: &str, path: &str, body: &str) -> Result<CallAnswer> {
        let message = self.seal(method, path, body).await?;
        let (status, answer) = post(
            self.port,
            "/api/v1/call",
            "application/octet-stream",
            &message,
        )
        .await?;
        ensure!(
            status == 200,
            "{status}: {}",
            String::from_utf8_lossy(&answer)
        );
        let (_, channel) = self.open.as_ref().context("no channel")?;
        let plain = channel.open_answer(&answer)?;
        let end = plain
            .iter()
            .position(|&byte| byte == b'\n')
            .context("no head")?;
        Ok(CallAnswer {
            head: serde_json::from_slice(&plain[..end])?,
            body: plain[end + 1..].to_vec(),
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Vec<u8> {
    let pairs = (0..text.len()).step_by(2);
    pairs
        .filter_map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
        .collect()
}

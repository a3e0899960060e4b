//! Talking to the companion on this machine, and to nobody else: in a channel that
//! only the companion this browser was paired with can open. Whoever else holds its
//! port is told a name and a random number, and hears no more.

use std::cell::RefCell;
use std::rc::Rc;

use linkscent_core::wire::api::{
    Answer, AnswerHead, ApiError, CallHead, Changes, ChannelOpened, CrawlOrder, CrawlView,
    DashboardLink, Event, Forget, Forgotten, LibraryFound, MoreSeeds, OpenChannel, PairRequest,
    PairStarted, Paired, QuestionAnswer, Reading, Rendering, RenderingQuery, RenderingsView,
    TopicView,
};
use linkscent_core::wire::channel::{Channel, DeviceKey, Random};
use linkscent_core::wire::pairing::{Attempt, PairingError, Side};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::ports::{Body, Network, NetworkError, RandomSource};
use crate::rows::Settings;

/// Why the companion does not do what it is asked. Displays as the key of its text.
#[derive(Debug, Error)]
pub enum CompanionError {
    /// It cannot be reached.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Whoever answers does not know the common key.
    #[error("companion_is_another")]
    Stranger(u16),
    /// Both sides were given another code.
    #[error("companion_code_does_not_fit")]
    Code,
    /// A message of pairing is none.
    #[error("companion_not_understood")]
    Pairing(#[from] PairingError),
    /// It says what is wrong.
    #[error("companion_said")]
    Said(String),
    /// It does not say what is wrong.
    #[error("companion_status")]
    Status(u16),
    /// It was closed while a call was under way.
    #[error("companion_closed")]
    Closed,
    /// Something is not the JSON that belongs there.
    #[error("companion_not_understood")]
    Json(#[from] serde_json::Error),
}

type Fetched<T> = Result<T, CompanionError>;

/// What pairing brought.
pub struct Pairing {
    /// What this browser is called by.
    pub device: String,
    /// The common key.
    pub key: DeviceKey,
}

/// A paired companion, and the channel to it once it is open.
pub struct Companion<W> {
    world: Rc<W>,
    port: u16,
    pairing: Pairing,
    open: RefCell<Option<Open>>,
}

struct Open {
    name: Vec<u8>,
    channel: Channel,
}

/// What came back in the channel.
struct Answered {
    head: AnswerHead,
    body: Vec<u8>,
}

impl<W: Network + RandomSource> Companion<W> {
    /// The one the settings name, if they do.
    pub fn of(settings: &Settings, world: &Rc<W>) -> Option<Self> {
        let key = DeviceKey::from_bytes(&from_hex(settings.key.as_deref()?))?;
        let device = settings.device.clone()?;
        Some(Self {
            world: Rc::clone(world),
            port: settings.port,
            pairing: Pairing { device, key },
            open: RefCell::default(),
        })
    }

    /// Sends events; one that was sent before is taken once.
    pub async fn send(&self, events: &[Event]) -> Fetched<()> {
        self.call("POST", "events", Some(json(&events)?)).await?;
        Ok(())
    }

    /// The topic's model and its version, if newer than `version`.
    pub async fn model(&self, topic: &str, version: i64) -> Fetched<Option<(Vec<u8>, i64)>> {
        let path = format!("model?topic={}&version={version}", escape(topic));
        let answer = self.call("GET", &path, None).await?;
        if answer.head.status == 204 {
            return Ok(None);
        }
        Ok(Some((answer.body, answer.head.version.unwrap_or(0))))
    }

    /// The topic's last crawls, newest first.
    pub async fn crawls(&self, topic: &str) -> Fetched<Vec<CrawlView>> {
        let path = format!("crawls?topic={}", escape(topic));
        self.call("GET", &path, None).await?.read()
    }

    /// Pages of a topic that the companion kept, by words.
    pub async fn library(&self, topic: &str, words: &str, most: usize) -> Fetched<LibraryFound> {
        let (topic, words) = (escape(topic), escape(words));
        let path = format!("library?topic={topic}&q={words}&all=true&most={most}");
        self.call("GET", &path, None).await?.read()
    }

    /// What was said elsewhere after this place of its log; nothing from an older companion,
    /// which does not tell.
    pub async fn changes(&self, after: i64) -> Fetched<Option<Changes>> {
        let path = format!("changes?after={after}");
        match self.call("GET", &path, None).await {
            Err(CompanionError::Status(404)) => Ok(None),
            answered => Ok(Some(answered?.read()?)),
        }
    }

    /// All topics that it knows, newest first.
    pub async fn topics(&self) -> Fetched<Vec<TopicView>> {
        self.call("GET", "topics", None).await?.read()
    }

    /// Hands a topic over.
    pub async fn begin(&self, order: &CrawlOrder) -> Fetched<CrawlView> {
        self.call("POST", "crawls", Some(json(order)?))
            .await?
            .read()
    }

    /// Answers a crawl's question.
    pub async fn answer(&self, crawl: i64, page: &str, answer: Answer) -> Fetched<CrawlView> {
        let given = QuestionAnswer {
            address: page.to_owned(),
            answer,
        };
        let path = format!("crawls/{crawl}/answer");
        self.call("POST", &path, Some(json(&given)?)).await?.read()
    }

    /// Has a crawl start at a page, too.
    pub async fn start_at(&self, crawl: i64, page: &str) -> Fetched<CrawlView> {
        let seeds = vec![page.to_owned()];
        let path = format!("crawls/{crawl}/seeds");
        let more = json(&MoreSeeds { seeds })?;
        self.call("POST", &path, Some(more)).await?.read()
    }

    /// Has something forgotten.
    pub async fn forget(&self, what: &Forget) -> Fetched<Forgotten> {
        self.call("POST", "forget", Some(json(what)?)).await?.read()
    }

    /// What waits for a browser of the topic's last crawl; nothing with an older companion.
    pub async fn renderings(&self, topic: String, hosts: Vec<String>) -> Fetched<RenderingsView> {
        let asked = json(&RenderingQuery { topic, hosts })?;
        match self.call("POST", "renderings/next", Some(asked)).await {
            Err(CompanionError::Status(404)) => Ok(RenderingsView::default()),
            answered => answered?.read(),
        }
    }

    /// Brings a page that this browser read.
    pub async fn bring(&self, page: &Rendering) -> Fetched<()> {
        let brought = json(page)?;
        self.call("POST", "renderings", Some(brought))
            .await
            .map(drop)
    }

    /// Has a page kept that was read in this browser.
    pub async fn keep(&self, page: &Reading) -> Fetched<()> {
        let read = json(page)?;
        self.call("POST", "readings", Some(read)).await.map(drop)
    }

    /// A link that opens the dashboard, once.
    pub async fn dashboard(&self) -> Fetched<String> {
        let link: DashboardLink = self.call("POST", "dashboard", None).await?.read()?;
        Ok(link.link)
    }

    /// Makes a call. A channel that the companion no longer knows, as after it was
    /// started again, is opened once more.
    async fn call(&self, method: &str, path: &str, body: Option<String>) -> Fetched<Answered> {
        let head = CallHead {
            method: method.to_owned(),
            path: path.to_owned(),
        };
        let plain = format!("{}\n{}", json(&head)?, body.unwrap_or_default());
        let sealed = self.seal(plain.as_bytes()).await?;
        let (status, bytes) = match self.post("call", Body::Bytes(&sealed)).await? {
            (401, _) => {
                self.open.replace(None);
                let sealed = self.seal(plain.as_bytes()).await?;
                self.post("call", Body::Bytes(&sealed)).await?
            }
            answered => answered,
        };
        if status != 200 {
            return Err(problem(status, &bytes));
        }
        let open = self.open.borrow();
        let open = open.as_ref().ok_or(CompanionError::Closed)?;
        let plain = open
            .channel
            .open_answer(&bytes)
            .map_err(|_| CompanionError::Stranger(self.port))?;
        let end = plain.iter().position(|&byte| byte == b'\n');
        let (head, rest) = plain.split_at(end.unwrap_or(plain.len()));
        let head: AnswerHead = parse(head)?;
        let body = rest.get(1..).unwrap_or_default().to_vec();
        if head.status >= 400 {
            return Err(problem(head.status, &body));
        }
        Ok(Answered { head, body })
    }

    async fn post(&self, path: &str, body: Body<'_>) -> Fetched<(u16, Vec<u8>)> {
        Ok(self.world.post(self.port, path, body).await?)
    }

    /// A call as it is sent, in the channel, which is opened if it is not.
    async fn seal(&self, plain: &[u8]) -> Fetched<Vec<u8>> {
        if self.open.borrow().is_none() {
            let open = self.open_channel().await?;
            self.open.replace(Some(open));
        }
        let mut open = self.open.borrow_mut();
        let open = open.as_mut().ok_or(CompanionError::Closed)?;
        let mut message = open.name.clone();
        message.extend(open.channel.call(plain));
        Ok(message)
    }

    /// Opens a channel. Nothing else is sent before the companion has proven that it
    /// knows the key.
    async fn open_channel(&self) -> Fetched<Open> {
        let own: Random = self.world.random();
        let asked = OpenChannel {
            device: self.pairing.device.clone(),
            random: hex(&own),
        };
        let (status, bytes) = self.post("channel", Body::Json(&json(&asked)?)).await?;
        if status != 200 {
            return Err(problem(status, &bytes));
        }
        let opened: ChannelOpened =
            parse(&bytes).map_err(|_| CompanionError::Stranger(self.port))?;
        let theirs = from_hex(&opened.random).try_into();
        let theirs: Random = theirs.map_err(|_| CompanionError::Stranger(self.port))?;
        let key = &self.pairing.key;
        if !key.proves(&own, &theirs, &from_hex(&opened.proof)) {
            return Err(CompanionError::Stranger(self.port));
        }
        Ok(Open {
            name: from_hex(&opened.channel),
            channel: key.channel(&own, &theirs),
        })
    }
}

impl Answered {
    fn read<T: DeserializeOwned>(&self) -> Fetched<T> {
        parse(&self.body)
    }
}

/// Pairs by code. The companion's proof is checked before ours is sent, so a program
/// that merely holds the port gets nothing.
pub async fn pair<W: Network + RandomSource>(world: &W, port: u16, code: &str) -> Fetched<Pairing> {
    let (attempt, message) = Attempt::begin(Side::Extension, code, port, world.random::<64>());
    let start = PairRequest::Start {
        message: hex(&message),
    };
    let started: PairStarted = ask_to_pair(world, port, &start).await?;
    let key = attempt.finish(&from_hex(&started.message))?;
    if !key.proves(Side::Companion, &from_hex(&started.proof)) {
        return Err(CompanionError::Code);
    }
    let finish = PairRequest::Finish {
        attempt: started.attempt,
        proof: hex(&key.proof(Side::Extension)),
        name: "Browser extension".to_owned(),
    };
    let paired: Paired = ask_to_pair(world, port, &finish).await?;
    Ok(Pairing {
        device: paired.device,
        key: key.device_key(),
    })
}

async fn ask_to_pair<T: DeserializeOwned>(
    world: &impl Network,
    port: u16,
    request: &PairRequest,
) -> Fetched<T> {
    let (status, bytes) = world
        .post(port, "pair", Body::Json(&json(request)?))
        .await?;
    if status != 200 {
        return Err(problem(status, &bytes));
    }
    parse(&bytes)
}

fn problem(status: u16, body: &[u8]) -> CompanionError {
    let said: Fetched<ApiError> = parse(body);
    said.map_or(CompanionError::Status(status), |problem| {
        CompanionError::Said(problem.error)
    })
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Fetched<T> {
    Ok(serde_json::from_slice(bytes)?)
}

fn json<T: Serialize + ?Sized>(value: &T) -> Fetched<String> {
    Ok(serde_json::to_string(value)?)
}

fn escape(part: &str) -> String {
    utf8_percent_encode(part, NON_ALPHANUMERIC).to_string()
}

/// In hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Empty where the text is no hexadecimal; what is made of it then fails.
fn from_hex(text: &str) -> Vec<u8> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return Vec::new();
    }
    let pairs = (0..text.len()).step_by(2);
    let bytes: Result<Vec<u8>, _> = pairs
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16))
        .collect();
    bytes.unwrap_or_default()
}

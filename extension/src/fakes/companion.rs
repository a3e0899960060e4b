//! A companion in memory: it pairs, opens channels and answers calls as the real one
//! does, by the companion's side of the protocols of `core`, and remembers what it was
//! told.

use std::collections::BTreeMap;

use linkscent_core::wire::CrawlState;
use linkscent_core::wire::api::{
    AnswerHead, ApiError, CallHead, Changes, ChannelOpened, CrawlOrder, CrawlView, DashboardLink,
    Event, Forget, Forgotten, LibraryFound, MoreSeeds, OpenChannel, PairRequest, PairStarted,
    Paired, QuestionAnswer, Reading, Rendering, RenderingQuery, RenderingTask, RenderingsView,
    TopicView,
};
use linkscent_core::wire::channel::{Channel, DeviceKey, Random};
use linkscent_core::wire::pairing::{Attempt, Key, Side};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::ports::Body;

/// The port it listens on.
pub const PORT: u16 = 7474;
/// The code it shows.
pub const CODE: &str = "12345678";
const DEVICE: &str = "browser-1";
const NAME: usize = 16;

/// See the module.
#[derive(Default)]
pub struct FakeCompanion {
    pairing: Option<Key>,
    key: Option<DeviceKey>,
    channels: BTreeMap<Vec<u8>, Channel>,
    /// Events, in the order they came, each as often as it came.
    pub events: Vec<Event>,
    /// The newest model of any topic, and its version.
    pub model: Option<(Vec<u8>, i64)>,
    /// All topics.
    pub topics: Vec<TopicView>,
    /// What was said elsewhere; an older companion does not tell.
    pub changes: Option<Elsewhere>,
    /// The topic's crawls.
    pub crawls: Vec<CrawlView>,
    /// What is in its library; none: it is of a version without one.
    pub library: Option<LibraryFound>,
    /// What was searched there.
    pub searched: Vec<String>,
    /// Crawls that were handed over.
    pub orders: Vec<CrawlOrder>,
    /// What it was to forget.
    pub forgotten: Vec<Forget>,
    /// What it cannot forget.
    pub left: Vec<String>,
    /// What waits for a browser.
    pub renderings: RenderingsView,
    /// Pages that were brought.
    pub brought: Vec<Rendering>,
    /// Pages that are to be kept.
    pub readings: Vec<Reading>,
    /// More pages for crawls to start from, by the path they were sent to.
    pub seeds: Vec<(String, MoreSeeds)>,
    /// Answers to questions of crawls, by the path they were sent to.
    pub answers: Vec<(String, QuestionAnswer)>,
    /// After so many messages it is started again: channels are gone, all else is kept.
    pub restarts_in: Option<u32>,
    /// Bodies that came outside of a channel, and calls as they came.
    pub seen: Vec<Vec<u8>>,
}

/// What was said elsewhere.
#[derive(Default)]
pub struct Elsewhere {
    /// All topics.
    pub topics: Vec<TopicView>,
    /// Words, numbered from 1.
    pub said: Vec<Event>,
}

impl Elsewhere {
    /// One word at a time.
    fn after(&self, heard: usize) -> Changes {
        let more = self.said.len() > heard + 1;
        Changes {
            topics: self.topics.clone(),
            in_force: self.said.iter().skip(heard).take(1).cloned().collect(),
            until: self.said.len().min(heard + 1) as i64,
            more,
        }
    }
}

/// A crawl that is under way.
pub fn crawl(topic: &str) -> CrawlView {
    CrawlView {
        id: 3,
        topic: topic.to_owned(),
        state: CrawlState::Running,
        stop_reason: String::new(),
        pages: 0,
        budget: 6,
        relevant: 0,
        harvest: 0.0,
        finds: Vec::new(),
        question: None,
        alarm: String::new(),
        skipped: Vec::new(),
        waiting: None,
        reachable: None,
    }
}

impl FakeCompanion {
    /// Answers what is posted to a path.
    pub fn take(&mut self, path: &str, body: Body<'_>) -> (u16, Vec<u8>) {
        let bytes = match body {
            Body::Json(text) => text.as_bytes(),
            Body::Bytes(bytes) => bytes,
        };
        if self.restarts_in == Some(0) {
            self.channels.clear();
        }
        self.restarts_in = self.restarts_in.and_then(|left| left.checked_sub(1));
        self.seen.push(bytes.to_vec());
        match path {
            "pair" => self.pair(read(bytes)),
            "channel" => self.open(&read(bytes)),
            "call" => self.call(bytes),
            other => panic!("there is no {other}"),
        }
    }

    /// Another program holds the port: it knows no key and answers all the same.
    pub fn take_its_place(&mut self) {
        let mut other = Self::default();
        let stranger = Attempt::begin(Side::Companion, "", PORT, [3; 64]);
        let (_, message) = Attempt::begin(Side::Extension, "", PORT, [4; 64]);
        other.key = Some(stranger.0.finish(&message).unwrap().device_key());
        *self = other;
    }

    fn pair(&mut self, request: PairRequest) -> (u16, Vec<u8>) {
        match request {
            PairRequest::Start { message } => {
                let (attempt, own) = Attempt::begin(Side::Companion, CODE, PORT, [5; 64]);
                let key = attempt.finish(&from_hex(&message)).unwrap();
                let started = PairStarted {
                    attempt: "attempt".to_owned(),
                    message: hex(&own),
                    proof: hex(&key.proof(Side::Companion)),
                };
                self.pairing = Some(key);
                (200, write(&started))
            }
            PairRequest::Finish { proof, .. } => {
                let key = self.pairing.take().unwrap();
                if !key.proves(Side::Extension, &from_hex(&proof)) {
                    return refused(403, "the code does not fit");
                }
                self.key = Some(key.device_key());
                let device = DEVICE.to_owned();
                (200, write(&Paired { device }))
            }
        }
    }

    fn open(&mut self, asked: &OpenChannel) -> (u16, Vec<u8>) {
        let Some(key) = self.key.as_ref().filter(|_| asked.device == DEVICE) else {
            return refused(403, "this browser is not paired with this companion");
        };
        let browser: Random = from_hex(&asked.random).try_into().unwrap();
        let own: Random = [self.seen.len() as u8; 32];
        let name = vec![self.seen.len() as u8; NAME];
        let opened = ChannelOpened {
            channel: hex(&name),
            random: hex(&own),
            proof: hex(&key.proof(&browser, &own)),
        };
        self.channels.insert(name, key.channel(&browser, &own));
        (200, write(&opened))
    }

    fn call(&mut self, message: &[u8]) -> (u16, Vec<u8>) {
        let (name, sealed) = message.split_at(NAME);
        let Some(mut channel) = self.channels.remove(name) else {
            return refused(401, "this call was not made in a channel that is open");
        };
        let (number, plain) = channel.open_call(sealed).unwrap();
        let end = plain.iter().position(|&byte| byte == b'\n').unwrap();
        let head: CallHead = read(&plain[..end]);
        let (head, body) = self.answer(&head, &plain[end + 1..]);
        let mut answer = write(&head);
        answer.push(b'\n');
        answer.extend(body);
        let sealed = channel.answer(number, &answer);
        self.channels.insert(name.to_vec(), channel);
        (200, sealed)
    }

    fn answer(&mut self, head: &CallHead, body: &[u8]) -> (AnswerHead, Vec<u8>) {
        let (path, query) = head.path.split_once('?').unwrap_or((&head.path, ""));
        let mut version = None;
        let mut status = 200;
        let said = match (head.method.as_str(), path) {
            ("POST", "events") => {
                self.events.extend(read::<Vec<Event>>(body));
                Vec::new()
            }
            ("GET", "model") => {
                let known = query.split("version=").nth(1).unwrap().parse().unwrap();
                match &self.model {
                    Some((file, number)) if *number > known => {
                        version = Some(*number);
                        file.clone()
                    }
                    _ => {
                        status = 204;
                        Vec::new()
                    }
                }
            }
            ("GET", "topics") => write(&self.topics),
            ("GET", "changes") => {
                let heard = query.split("after=").nth(1).unwrap().parse().unwrap();
                let changes = self.changes.as_ref().map(|changes| changes.after(heard));
                status = if changes.is_some() { 200 } else { 404 };
                changes.map(|changes| write(&changes)).unwrap_or_default()
            }
            ("GET", "crawls") => write(&self.crawls),
            ("GET", "library") => {
                self.searched.push(query.to_owned());
                status = if self.library.is_some() { 200 } else { 404 };
                let found = self.library.as_ref().map(write);
                found.unwrap_or_else(|| {
                    write(&ApiError {
                        error: "no library".to_owned(),
                    })
                })
            }
            ("POST", "crawls") => {
                let order: CrawlOrder = read(body);
                let begun = crawl(&order.topic);
                self.orders.push(order);
                write(&begun)
            }
            ("POST", "forget") => {
                self.forgotten.push(read(body));
                let left = self.left.clone();
                write(&Forgotten { rows: 1, left })
            }
            ("POST", "renderings/next") => {
                let asked: RenderingQuery = read(body);
                let mut view = self.renderings.clone();
                let is_chosen = |page: &RenderingTask| {
                    asked.hosts.iter().any(|host| page.address.contains(host))
                };
                view.pages.retain(is_chosen);
                write(&view)
            }
            ("POST", "renderings") => {
                self.brought.push(read(body));
                status = 204;
                Vec::new()
            }
            ("POST", "readings") => {
                self.readings.push(read(body));
                status = 204;
                Vec::new()
            }
            ("POST", "dashboard") => write(&DashboardLink {
                link: "http://127.0.0.1:7474/once".to_owned(),
            }),
            ("POST", path) if path.ends_with("/seeds") => {
                self.seeds.push((path.to_owned(), read(body)));
                write(&crawl("kidneys"))
            }
            ("POST", path) if path.ends_with("/answer") => {
                self.answers.push((path.to_owned(), read(body)));
                write(&crawl("kidneys"))
            }
            other => panic!("there is no {other:?}"),
        };
        (AnswerHead { status, version }, said)
    }
}

fn refused(status: u16, why: &str) -> (u16, Vec<u8>) {
    let error = why.to_owned();
    (status, write(&ApiError { error }))
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> T {
    serde_json::from_slice(bytes).unwrap()
}

fn write(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits = (0..text.len()).step_by(2);
    digits
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

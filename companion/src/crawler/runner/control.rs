//! What a running crawl is told: answers to its requests, and the words of whoever started it.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::{HostState, Robots};
use tokio::sync::oneshot;

use crate::crawler::reply::{Answered, Hindrance};
use crate::crawler::retraining::Retrained;
use crate::store::Command;

/// What reaches a crawl while it runs.
pub(super) enum Message {
    Page(Address, Result<Answered, Hindrance>),
    Robots(Address, Result<Robots, Hindrance>),
    Told(Command),
    /// A page that a browser read: its address, and its HTML.
    Rendered(Address, Vec<u8>),
    /// A browser looks for pages of these hosts to read.
    BrowserLooks(Vec<String>),
    Retrained(Result<Retrained>),
    /// Somebody asks how it stands with its hosts.
    Hosts(oneshot::Sender<Hosts>),
}

/// How a crawl stands with each of its hosts.
pub type Hosts = BTreeMap<Box<str>, HostState>;

/// Tells a running crawl something.
#[derive(Clone)]
pub struct Control(pub(super) Sender<Message>);

impl Control {
    /// Passes a command on; false if the crawl has come to rest.
    pub fn send(&self, command: Command) -> bool {
        self.0.send(Message::Told(command)).is_ok()
    }

    /// Passes a page on that a browser read; false if the crawl has come to rest.
    pub fn rendered(&self, page: Address, html: Vec<u8>) -> bool {
        self.0.send(Message::Rendered(page, html)).is_ok()
    }

    /// How it stands with its hosts; the answer may be long in coming, and does not come if the crawl
    /// has come to rest.
    pub fn hosts(&self) -> oneshot::Receiver<Hosts> {
        let (answer, hosts) = oneshot::channel();
        // One that has come to rest drops it, which says as much.
        let _ = self.0.send(Message::Hosts(answer));
        hosts
    }

    /// Says that a browser looks for pages of these hosts to read: the crawl does not end for a
    /// while as long as there are some.
    pub fn browser_looks(&self, hosts: Vec<String>) {
        // A crawl that has come to rest goes on when a page comes.
        let _ = self.0.send(Message::BrowserLooks(hosts));
    }
}

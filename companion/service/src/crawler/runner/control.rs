//! What a running crawl is told: answers to its requests, and the words of whoever started it, which it
//! hears before the answers that wait. Only to pause and to end it waits until it has taken those in.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::{HostState, Robots};
use tokio::sync::oneshot;

use crate::crawler::reply::{Answered, Came, Hindrance};
use crate::crawler::retraining::Retrained;
use linkscent_store::Command;

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
    /// Somebody said something.
    Woken,
}

impl Message {
    /// That something came.
    pub(super) fn of(came: Came) -> Self {
        match came {
            Came::Page(address, reply) => Self::Page(address, reply),
            Came::Robots(address, robots) => Self::Robots(address, robots),
        }
    }
}

/// Where it all comes in.
pub(super) struct Inbox {
    answers: Receiver<Message>,
    /// What somebody says.
    words: Receiver<Message>,
    undone: Undone,
}

impl Inbox {
    /// An empty one, what answers are sent by, and what speaks to the crawl.
    pub(super) fn new() -> (Sender<Message>, Control, Self) {
        let (sender, answers) = mpsc::channel();
        let (speaks, words) = mpsc::channel();
        let undone = Undone::default();
        let control = Control {
            words: speaks,
            answers: sender.clone(),
            undone: undone.clone(),
        };
        let inbox = Self {
            answers,
            words,
            undone,
        };
        (sender, control, inbox)
    }

    /// Leaves what the crawl was about to do to whoever goes on with it.
    pub(super) fn leave(&self, about_to: Option<Command>) {
        self.undone.all().extend(about_to);
    }

    /// What is to be heard next.
    pub(super) fn recv_timeout(&self, patience: Duration) -> Result<Message, RecvTimeoutError> {
        loop {
            if let Ok(word) = self.words.try_recv() {
                return Ok(word);
            }
            match self.answers.recv_timeout(patience)? {
                Message::Woken => {}
                answer => return Ok(answer),
            }
        }
    }

    /// The same, if it is there.
    pub(super) fn try_recv(&self) -> Result<Message, TryRecvError> {
        loop {
            if let Ok(word) = self.words.try_recv() {
                return Ok(word);
            }
            match self.answers.try_recv()? {
                Message::Woken => {}
                answer => return Ok(answer),
            }
        }
    }
}

/// All that was said and not heard is left to whoever goes on with the crawl.
impl Drop for Inbox {
    fn drop(&mut self) {
        let words = self.words.try_iter().chain(self.answers.try_iter());
        let told = words.filter_map(|message| match message {
            Message::Told(command) => Some(command),
            _ => None,
        });
        self.undone.all().extend(told);
    }
}

/// What a crawl was told and has not done.
#[derive(Clone, Default)]
struct Undone(Arc<Mutex<Vec<Command>>>);

impl Undone {
    fn all(&self) -> MutexGuard<'_, Vec<Command>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a crawl stands with each of its hosts.
pub type Hosts = BTreeMap<Box<str>, HostState>;

/// Tells a running crawl something.
#[derive(Clone)]
pub struct Control {
    words: Sender<Message>,
    answers: Sender<Message>,
    undone: Undone,
}

impl Control {
    /// What the crawl was told and had not done when its database did not answer any more.
    pub fn undone(&self) -> Vec<Command> {
        std::mem::take(&mut *self.undone.all())
    }

    /// Passes a command on; false if the crawl has come to rest.
    pub fn send(&self, command: Command) -> bool {
        let waits = matches!(command, Command::Pause | Command::Stop);
        let told = Message::Told(command);
        if waits {
            self.answers.send(told).is_ok()
        } else {
            self.say(told)
        }
    }

    fn say(&self, word: Message) -> bool {
        // It may be waiting for answers.
        self.words.send(word).is_ok() && self.answers.send(Message::Woken).is_ok()
    }

    /// Passes a page on that a browser read; false if the crawl has come to rest.
    pub fn rendered(&self, page: Address, html: Vec<u8>) -> bool {
        self.answers.send(Message::Rendered(page, html)).is_ok()
    }

    /// How it stands with its hosts; the answer comes between two pages, and not at all if the crawl
    /// has come to rest.
    pub fn hosts(&self) -> oneshot::Receiver<Hosts> {
        let (answer, hosts) = oneshot::channel();
        // One that has come to rest drops it, which says as much.
        let _ = self.say(Message::Hosts(answer));
        hosts
    }

    /// Says that a browser looks for pages of these hosts to read: the crawl does not end for a
    /// while as long as there are some.
    pub fn browser_looks(&self, hosts: Vec<String>) {
        // A crawl that has come to rest goes on when a page comes.
        let _ = self.say(Message::BrowserLooks(hosts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_done_is_left_to_who_goes_on() {
        let (sender, control, inbox) = Inbox::new();
        let page = Address::parse("http://a.test/").unwrap();
        sender.send(Message::Rendered(page, Vec::new())).unwrap();
        assert!(control.send(Command::Stop));
        assert!(control.send(Command::Order));
        assert_eq!(control.undone(), []);
        inbox.leave(Some(Command::Pause));
        drop(inbox);
        let all = [Command::Pause, Command::Order, Command::Stop];
        assert_eq!(control.undone(), all);
        assert_eq!(control.undone(), []);
    }

    #[test]
    fn a_word_is_heard_before_what_came_earlier_and_wakes_who_waits() {
        let (sender, control, inbox) = Inbox::new();
        for number in 0..3 {
            let page = Address::parse(&format!("http://a.test/{number}")).unwrap();
            sender.send(Message::Rendered(page, Vec::new())).unwrap();
        }
        assert!(control.send(Command::Pause));
        assert!(control.send(Command::Order));
        drop(control.hosts());
        let first = inbox.try_recv();
        assert!(matches!(first, Ok(Message::Told(Command::Order))));
        assert!(matches!(inbox.try_recv(), Ok(Message::Hosts(_))));
        for _ in 0..3 {
            let came = inbox.recv_timeout(Duration::ZERO);
            assert!(matches!(came, Ok(Message::Rendered(..))));
        }
        assert!(matches!(
            inbox.try_recv(),
            Ok(Message::Told(Command::Pause))
        ));
        assert!(inbox.try_recv().is_err(), "what woke it says nothing");
        let asking = std::thread::spawn(move || drop(control.hosts()));
        let came = inbox.recv_timeout(Duration::from_mins(1));
        assert!(matches!(came, Ok(Message::Hosts(_))));
        asking.join().unwrap();
    }
}

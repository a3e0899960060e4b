//! The rows of the extension's database, as plain data.

use linkscent_core::address::Address;
use linkscent_core::click_attribution::Click;
use linkscent_core::wire::api::{CrawlView, Event, EventKind, Forget};
use serde::{Deserialize, Serialize};

/// In place of a host: pages of every site.
pub const EVERY_SITE: &str = "*";

/// Choices and what pairing brought.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Keys of the topics, in the order they were made: what each was called then, or that
    /// with something behind it where the topic called so then is called otherwise now.
    pub topics: Vec<String>,
    /// Key of the current topic.
    pub current: Option<String>,
    /// What topics are called now, by key; one that is not there is called by its key.
    pub names: Vec<(String, String)>,
    /// Hosts on which nothing is read.
    pub paused: Vec<String>,
    /// The companion's port.
    pub port: u16,
    /// What this browser is called by there; none if not paired.
    pub device: Option<String>,
    /// The common key, in hexadecimal. It is never sent.
    pub key: Option<String>,
    /// Patterns of hosts that are not read; none: the usual ones.
    pub excluded: Option<Vec<String>>,
    /// What the companion has yet to forget.
    pub to_forget: Vec<Forget>,
    /// Versions of the companion's models that were taken in, by topic.
    pub versions: Vec<(String, i64)>,
    /// What the person said of topics in words, by topic, and whether that is what they look
    /// for.
    pub said: Vec<(String, Vec<(String, bool)>)>,
    /// Keys of the topics that were removed, the last one last.
    pub removed: Vec<String>,
    /// Whether pages are read nowhere.
    pub is_off: bool,
    /// Whether links are shown in the side panel alone, and nothing over pages.
    pub panel_only: bool,
    /// Whether the browser shows notices of crawls.
    pub tells: bool,
    /// Hosts whose pages this browser reads for the companion's crawls.
    pub looks: Vec<String>,
    /// How far the companion's log was heard.
    pub heard: i64,
    /// Topics for whose library pages are kept as they are read, with the host, or
    /// [`EVERY_SITE`].
    pub keeps: Vec<(String, String)>,
}

/// What the companion said of the current topic when it was asked the last time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Seen {
    /// The topic.
    pub topic: String,
    /// Its last crawl.
    pub crawl: Option<CrawlView>,
    /// What other topics are called for which something was learned.
    pub teachers: Vec<String>,
    /// Pages at which the person had that crawl start, too, since it was begun.
    pub started_at: Vec<String>,
    /// Why it could not be asked, if it could not.
    pub problem: String,
}

impl Settings {
    /// What a topic is called.
    pub fn name_of<'a>(&'a self, topic: &'a str) -> &'a str {
        let name = self.names.iter().find(|row| row.0 == topic);
        name.map_or(topic, |row| row.1.as_str())
    }

    /// The topic that is called so; of several the first that was made.
    pub fn called(&self, name: &str) -> Option<&str> {
        let mut topics = self.topics.iter().map(String::as_str);
        topics.find(|topic| self.name_of(topic) == name)
    }

    /// Calls a topic so from now on.
    pub fn set_name(&mut self, topic: &str, name: &str) {
        self.names.retain(|row| row.0 != topic);
        if name != topic {
            self.names.push((topic.to_owned(), name.to_owned()));
        }
    }

    /// Whether pages of a host are kept for a topic's library as they are read.
    pub fn keeps(&self, topic: &str, host: &str) -> bool {
        let mut rows = self.keeps.iter();
        rows.any(|row| row.0 == topic && row.1 == host)
    }

    /// What was said of a topic.
    pub fn said_of(&self, topic: &str) -> Vec<(String, bool)> {
        let said = self.said.iter().find(|row| row.0 == topic);
        said.map(|row| row.1.clone()).unwrap_or_default()
    }

    /// Puts what was said of a topic in the place of what was there.
    pub fn set_said(&mut self, topic: &str, said: Vec<(String, bool)>) {
        self.said.retain(|row| row.0 != topic);
        if !said.is_empty() {
            self.said.push((topic.to_owned(), said));
        }
    }
}

/// A link that was followed and whose page has not arrived.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PendingClick {
    /// The tab it was followed in.
    pub tab: i32,
    /// Whether it opens in another tab.
    pub new_tab: bool,
    /// When.
    pub time: f64,
    /// The topic then.
    pub topic: String,
    /// The link, as it would be sent.
    pub link: Event,
    /// The `id` of the visit of the page with the link, if there is one.
    #[serde(default)]
    pub visit: Option<String>,
}

impl PendingClick {
    /// What an arrival is held against; `None` if the addresses are none.
    pub fn click(&self) -> Option<Click> {
        let EventKind::Click { from, to, .. } = &self.link.what else {
            return None;
        };
        Some(Click {
            from: Address::parse(from).ok()?,
            to: Address::parse(to).ok()?,
            tab: self.tab,
            new_tab: self.new_tab,
            time: self.time,
        })
    }

    /// Whether it says that it leads to this page.
    pub fn leads_to(&self, page: &Address) -> bool {
        let click = self.click();
        click.is_some_and(|click| click.to.without_scheme() == page.without_scheme())
    }
}

/// A mark that is in force.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MarkRow {
    /// Topic.
    pub topic: String,
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Target, or "not this".
    pub target: bool,
    /// The page's words with their counts: the mark can be learned from again.
    #[serde(default)]
    pub words: Vec<(String, u32)>,
    /// When it was marked, in milliseconds since 1970.
    #[serde(default)]
    pub time: f64,
}

impl MarkRow {
    /// The mark as it is sent to the companion.
    pub fn event(&self, id: String) -> Event {
        Event {
            id,
            topic: self.topic.clone(),
            time: self.time as u64,
            what: EventKind::Mark {
                address: self.address.clone(),
                title: self.title.clone(),
                target: Some(self.target),
                words: self.words.clone(),
            },
        }
    }
}

/// A link that is to be followed later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaterRow {
    /// Topic.
    pub topic: String,
    /// Where it leads.
    pub address: String,
    /// What the link said.
    pub title: String,
    /// When it was kept, in milliseconds since 1970.
    pub time: f64,
}

/// A link that was followed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TrailRow {
    /// Sorts by time.
    pub id: String,
    /// Topic.
    pub topic: String,
    /// The page with the link.
    pub from: String,
    /// Where it led.
    pub to: String,
    /// What the link said.
    pub anchor: String,
    /// The tab in which it was followed.
    pub tab: i32,
    /// Milliseconds since 1970.
    pub time: f64,
    /// The title of the page with the link, if it is known.
    #[serde(default)]
    pub from_title: String,
    /// That of the page to which it led.
    #[serde(default)]
    pub title: String,
    /// The browser's session; empty where it was not kept yet.
    #[serde(default)]
    pub session: String,
}

/// The two ends of a link that was followed: addresses and titles.
pub struct Ends<'a> {
    /// The page with the link.
    pub from: (&'a str, &'a str),
    /// Where it led.
    pub to: (&'a str, &'a str),
}

impl TrailRow {
    /// The trail of a click.
    pub fn of(click: &PendingClick, event: &Event, ends: &Ends<'_>, session: &str) -> Self {
        let anchor = match &event.what {
            EventKind::Click { anchor, .. } => anchor.clone(),
            _ => String::new(),
        };
        Self {
            id: format!("{:015}-{}", event.time, event.id),
            topic: click.topic.clone(),
            from: ends.from.0.to_owned(),
            to: ends.to.0.to_owned(),
            anchor,
            tab: click.tab,
            time: click.time,
            from_title: ends.from.1.to_owned(),
            title: ends.to.1.to_owned(),
            session: session.to_owned(),
        }
    }

    /// The `id` of the click that made it.
    pub fn click(&self) -> &str {
        self.id.split_once('-').map_or("", |(_, click)| click)
    }
}

/// What a line of the ledger is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Kept in this browser.
    Kept,
    /// Sent to the companion.
    Sent,
    /// Taken from the companion.
    Taken,
}

/// A line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerLine {
    /// Milliseconds since 1970.
    pub time: f64,
    /// Which way it went.
    pub way: Way,
    /// What it was: a page, a mark, a visit.
    pub what: String,
    /// Of which pages or words.
    pub about: Vec<String>,
    /// How large it was as it was kept or sent.
    pub bytes: usize,
    /// Whether the page was not known before.
    #[serde(default)]
    pub is_new: bool,
}

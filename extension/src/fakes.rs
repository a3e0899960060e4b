//! The world in memory, for tests: a database, a clock, tabs, and a companion behind
//! its port.

pub mod bees;
pub mod companion;
pub mod town;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use linkscent_core::rng::Rng;
use linkscent_core::strategies::SplitMix;
use linkscent_core::wire::Snapshot;
use miniz_oxide::inflate::decompress_to_vec_zlib;
use serde::de::DeserializeOwned;

use crate::background::Background;
use crate::paths::{Arrival, Showing};
use crate::ports::{
    Body, BrowserError, Clock, Database, DatabaseError, Look, Network, NetworkError, RandomSource,
    TabMessage, Table, Tabs, Texts, Value, Write,
};
use crate::problem::Problem;
use crate::request::{Handled, Request, Response};
use crate::sender::Sender;
use crate::shown::State;
use companion::FakeCompanion;

/// See the module.
pub struct Fake {
    /// Everything that is kept.
    pub rows: RefCell<BTreeMap<(Table, String), Value>>,
    /// Whether the database takes nothing more.
    pub is_full: Cell<bool>,
    /// Writes that it takes still; none: all.
    pub writes_left: Cell<Option<u32>>,
    /// Milliseconds since 1970.
    pub time: Cell<f64>,
    /// Who listens on the companion's port.
    pub companion: RefCell<FakeCompanion>,
    /// Messages that still reach it; none: all.
    pub reach: Cell<Option<u32>>,
    /// What each tab shows.
    pub tabs: RefCell<BTreeMap<i32, Look>>,
    /// The browser's session.
    pub session: RefCell<String>,
    /// What tabs were told.
    pub told: RefCell<Vec<(i32, TabMessage)>>,
    /// The numbers shown at the extension's button.
    pub counts: RefCell<BTreeMap<i32, Option<usize>>>,
    /// How often the panel was opened.
    pub panels: Cell<u32>,
    /// Notices that were shown.
    pub notices: RefCell<Vec<String>>,
    /// Whether the companion is asked each minute.
    pub looks_often: Cell<bool>,
    /// How often the database was asked to drop what was deleted.
    pub drops: Cell<u32>,
    /// Whether the extension's button says that pages are read.
    pub is_on: Cell<bool>,
    /// Addresses that are not read, and why, as the browser knows it.
    pub unread: RefCell<BTreeMap<String, String>>,
    random: RefCell<SplitMix>,
}

impl Database for Fake {
    async fn get(&self, table: Table, key: &str) -> Result<Option<Value>, DatabaseError> {
        Ok(self.rows.borrow().get(&(table, key.to_owned())).cloned())
    }

    async fn all(&self, table: Table) -> Result<Vec<Value>, DatabaseError> {
        let rows = self.rows.borrow();
        let rows = rows.iter().filter(|((of, _), _)| *of == table);
        Ok(rows.map(|(_, value)| value.clone()).collect())
    }

    async fn first(&self, table: Table, most: u32) -> Result<Vec<Value>, DatabaseError> {
        let mut values = self.all(table).await?;
        values.truncate(most as usize);
        Ok(values)
    }

    async fn keys(&self, table: Table) -> Result<Vec<String>, DatabaseError> {
        let rows = self.rows.borrow();
        let keys = rows.keys().filter(|(of, _)| *of == table);
        Ok(keys.map(|(_, key)| key.clone()).collect())
    }

    async fn write(&self, writes: Vec<Write>) -> Result<(), DatabaseError> {
        let left = self.writes_left.get();
        self.writes_left
            .set(left.map(|left| left.saturating_sub(1)));
        if self.is_full.get() || left == Some(0) {
            return Err(DatabaseError::Failed("no room".to_owned()));
        }
        let mut rows = self.rows.borrow_mut();
        for write in writes {
            match write {
                Write::Put(table, key, value) => drop(rows.insert((table, key), value)),
                Write::Delete(table, key) => drop(rows.remove(&(table, key))),
                Write::Clear(table) => rows.retain(|(of, _), _| *of != table),
            }
        }
        Ok(())
    }

    async fn drop_deleted(&self) {
        self.drops.set(self.drops.get() + 1);
    }
}

impl Network for Fake {
    async fn post(
        &self,
        port: u16,
        path: &str,
        body: Body<'_>,
    ) -> Result<(u16, Vec<u8>), NetworkError> {
        let reach = self.reach.get();
        if reach == Some(0) || port != companion::PORT {
            return Err(NetworkError::Silent(port));
        }
        self.reach.set(reach.map(|left| left - 1));
        Ok(self.companion.borrow_mut().take(path, body))
    }
}

impl Clock for Fake {
    fn now(&self) -> f64 {
        self.time.get()
    }
}

impl RandomSource for Fake {
    fn fill(&self, bytes: &mut [u8]) {
        let mut random = self.random.borrow_mut();
        for byte in bytes {
            *byte = random.bits() as u8;
        }
    }
}

impl Tabs for Fake {
    async fn look(&self, tab: i32) -> Result<Look, BrowserError> {
        Ok(self.tabs.borrow().get(&tab).cloned().unwrap_or_default())
    }

    async fn session(&self) -> Result<String, BrowserError> {
        Ok(self.session.borrow().clone())
    }

    async fn tell(&self, tab: i32, what: TabMessage) {
        self.told.borrow_mut().push((tab, what));
    }

    async fn badge(&self, tab: i32, links: Option<usize>) {
        self.counts.borrow_mut().insert(tab, links);
    }

    async fn open_panel(&self) {
        self.panels.set(self.panels.get() + 1);
    }

    async fn notify(&self, text: &str) {
        self.notices.borrow_mut().push(text.to_owned());
    }

    async fn look_often(&self, on: bool) {
        self.looks_often.set(on);
    }

    async fn reads(&self, on: bool) {
        self.is_on.set(on);
    }

    async fn unread(
        &self,
        url: &str,
        loaded: Option<&str>,
    ) -> Result<Option<String>, BrowserError> {
        let unread = self.unread.borrow();
        let why = unread
            .get(url)
            .or_else(|| loaded.and_then(|url| unread.get(url)));
        Ok(why.cloned())
    }
}

/// The texts in English, as they are in `_locales`.
pub struct English;

impl Texts for English {
    fn text(&self, key: &str, values: &[&str]) -> String {
        let texts: serde_json::Value = serde_json::from_str(include_str!(
            "../../web-ext-manifest/_locales/en/messages.json"
        ))
        .unwrap();
        let text = texts[key]["message"].as_str();
        let mut text = text.unwrap_or_else(|| panic!("no {key}")).to_owned();
        for (number, value) in values.iter().enumerate().rev() {
            text = text.replace(&format!("${}", number + 1), value);
        }
        text
    }

    fn count(&self, key: &str, number: usize) -> String {
        let form = if number == 1 { "one" } else { "other" };
        self.text(&format!("{key}_{form}"), &[&number.to_string()])
    }
}

impl Texts for Fake {
    fn text(&self, key: &str, values: &[&str]) -> String {
        English.text(key, values)
    }

    fn count(&self, key: &str, number: usize) -> String {
        English.count(key, number)
    }
}

/// A background in such a world.
pub struct Stage {
    /// The world.
    pub world: Rc<Fake>,
    background: Background<Fake>,
}

/// What a future comes to that has nothing to wait for: no fake makes anybody wait.
pub fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("the fakes never wait"),
    }
}

/// A page with these links: where they lead, what they say.
pub fn page(url: &str, title: &str, words: &str, links: &[(&str, &str)]) -> Snapshot {
    let mut leaves = vec![title.to_owned(), words.to_owned()];
    let mut page = Snapshot {
        url: url.to_owned(),
        title: title.to_owned(),
        lang: Some("en".to_owned()),
        ..Snapshot::default()
    };
    for (href, anchor) in links {
        let first = leaves.len() as u32;
        page.links.extend([first, first + 1]);
        page.hrefs.push((*href).to_owned());
        leaves.push((*anchor).to_owned());
    }
    page.leaf_count = leaves.len() as u32;
    page.leaves = leaves.join("\u{1}");
    page
}

impl Stage {
    /// An empty browser in the middle of November 2023.
    pub fn new() -> Self {
        let world = Rc::new(Fake {
            rows: RefCell::default(),
            is_full: Cell::new(false),
            writes_left: Cell::default(),
            time: Cell::new(1_700_000_000_000.0),
            companion: RefCell::default(),
            reach: Cell::new(None),
            tabs: RefCell::default(),
            session: RefCell::new("first".to_owned()),
            told: RefCell::default(),
            counts: RefCell::default(),
            panels: Cell::default(),
            notices: RefCell::default(),
            looks_often: Cell::new(false),
            drops: Cell::default(),
            is_on: Cell::new(true),
            unread: RefCell::default(),
            random: RefCell::new(SplitMix(1)),
        });
        Self {
            background: Background::new(Rc::clone(&world)),
            world,
        }
    }

    /// The same with a topic.
    pub fn with_topic(name: &str) -> Self {
        let mut stage = Self::new();
        let (tab, name) = (1, name.to_owned());
        stage.own(Request::Topic { tab, name }).unwrap();
        stage
    }

    /// The browser stops the background and starts it again: only what is kept is left.
    pub fn restart(&mut self) {
        self.background = Background::new(Rc::clone(&self.world));
    }

    /// The background starts, and shows at the button whether pages are read.
    pub fn show_switch(&self) {
        at_once(self.background.show_switch());
    }

    /// Time goes by.
    pub fn wait(&self, milliseconds: f64) {
        self.world.time.set(self.world.time.get() + milliseconds);
    }

    /// A request of the extension's own pages.
    pub fn own(&mut self, request: Request) -> Result<Handled, Problem> {
        at_once(self.background.handle(&Sender::OwnPage, request))
    }

    /// A request of someone.
    pub fn as_sender(&mut self, sender: &Sender, request: Request) -> Result<Handled, Problem> {
        at_once(self.background.handle(sender, request))
    }

    /// A request of a page's content script.
    pub fn as_page(&mut self, tab: i32, url: &str, request: Request) -> Result<Handled, Problem> {
        let url = url.to_owned();
        at_once(self.background.handle(&Sender::Page { tab, url }, request))
    }

    /// A tab loads a page, which is shown and read.
    pub fn open(&mut self, tab: i32, page: &Snapshot) -> Handled {
        self.arrive(tab, page, Arrival::Navigate, "")
    }

    /// A page comes to be shown in a tab now, and is read.
    pub fn arrive(&mut self, tab: i32, page: &Snapshot, how: Arrival, referrer: &str) -> Handled {
        let started = self.world.time.get();
        let showing = Showing {
            at: started,
            how,
            referrer: referrer.to_owned(),
        };
        self.show(tab, page, started, showing)
    }

    /// A tab shows a page since then, and it is read.
    pub fn show(&mut self, tab: i32, page: &Snapshot, started: f64, showing: Showing) -> Handled {
        let look = Look {
            page: Some(page.clone()),
            refused: None,
            selected: String::new(),
        };
        self.world.tabs.borrow_mut().insert(tab, look);
        let request = Request::Page {
            page: page.clone(),
            started,
            showing,
            loaded: None,
        };
        self.as_page(tab, &page.url, request).unwrap()
    }

    /// The person clicks a link of the page that a tab shows.
    pub fn click(&mut self, tab: i32, from: &Snapshot, place: i32, new_tab: bool) {
        let request = Request::Followed {
            page: from.clone(),
            place,
            new_tab,
            loaded: None,
        };
        self.as_page(tab, &from.url, request).unwrap();
    }

    /// The person clicks a link of a page, and the page behind it is opened a second
    /// later.
    pub fn follow(&mut self, tab: i32, from: &Snapshot, place: i32, to: &Snapshot) -> Handled {
        self.click(tab, from, place, false);
        self.wait(1_000.0);
        self.open(tab, to)
    }

    /// The person marks what a tab shows.
    pub fn mark(&mut self, tab: i32, target: Option<bool>) {
        self.own(Request::Mark { tab, target }).unwrap();
    }

    /// What the popup shows over a tab.
    pub fn state(&mut self, tab: i32) -> State {
        match self.own(Request::State { tab }).unwrap().answer {
            Response::State(state) => *state,
            other => panic!("{other:?}"),
        }
    }

    /// From where to where links were followed, newest first.
    pub fn trails(&mut self) -> Vec<(String, String)> {
        match self.own(Request::Trails).unwrap().answer {
            Response::Trails(trails) => trails.into_iter().map(|row| (row.from, row.to)).collect(),
            other => panic!("{other:?}"),
        }
    }

    /// The rows of a table that are plain data.
    pub fn rows<T: DeserializeOwned>(&self, table: Table) -> Vec<T> {
        let rows = self.world.rows.borrow();
        let of_table = rows.iter().filter(|((of, _), _)| *of == table);
        let row = of_table.map(|(_, value)| match value {
            Value::Json(value) => serde_json::from_value(value.clone()).unwrap(),
            Value::Bytes(_) => panic!("a model file"),
        });
        row.collect()
    }

    /// Everything that is kept, as text.
    pub fn kept(&self) -> String {
        let rows = self.world.rows.borrow();
        let text = rows.iter().map(|((table, key), value)| {
            let value = match value {
                Value::Json(value) => value.to_string(),
                Value::Bytes(bytes) if *table == Table::Steps => {
                    let step = decompress_to_vec_zlib(bytes).unwrap();
                    String::from_utf8(step).unwrap()
                }
                Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            };
            format!("{} {key} {value}\n", table.name())
        });
        text.collect()
    }
}

//! What the extension keeps. A browser may stop the background at any moment, so every
//! call writes all its changes in one transaction before it answers.

use std::rc::Rc;

use linkscent_core::wire::api::Event;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::asked::Asked;
use crate::paths::{KnownTabs, TabPath};
use crate::ports::{Database, DatabaseError, Table, Value, Write};
use crate::rows::{LaterRow, LedgerLine, MarkRow, PendingClick, Seen, Settings, TrailRow};

/// Where the settings are.
pub const SETTINGS: &str = "settings";
/// The clicks whose page has not arrived; kept under this name since the first form.
const PENDING_CLICKS: &str = "leaps";
const FORM_MARKS: &str = "form-marks";
const ASKED: &str = "asked";
const TABS: &str = "tabs";
const SEEN: &str = "seen";
const LATER: &str = "later";
const LATEST_WORD: &str = "latest-word";
/// Pages that a topic model has read which are kept beside it.
pub const MOST_STEPS: u32 = 128;
/// Marked pages kept as they were shown; no more are added to them.
pub const MOST_MARKED_PAGES: usize = 200;
/// Trails kept; the oldest go.
const MOST_TRAILS: usize = 5_000;
/// Lines of the ledger kept; the oldest go.
pub const MOST_LINES: usize = 2_000;
/// Events waiting for the companion; the oldest go.
const MOST_WAITING: usize = 10_000;

/// Changes that are made together or not at all, in order.
#[derive(Default)]
pub struct Change(Vec<Write>);

impl Change {
    /// Replaces the settings.
    pub fn settings(&mut self, settings: &Settings) -> Result<(), DatabaseError> {
        self.put(Table::Values, SETTINGS, settings)
    }

    /// Replaces the clicks whose page has not arrived.
    pub fn pending_clicks(&mut self, clicks: &[PendingClick]) -> Result<(), DatabaseError> {
        self.put(Table::Values, PENDING_CLICKS, clicks)
    }

    /// Empties everything but settings, marks and marks on forms; notes the tabs of which
    /// nothing is known any more.
    pub fn empty(&mut self, tabs: &KnownTabs) -> Result<(), DatabaseError> {
        self.0.push(Write::Clear(Table::TopicModels));
        self.0.push(Write::Clear(Table::Steps));
        self.0.push(Write::Clear(Table::Ledger));
        self.0.push(Write::Clear(Table::Pages));
        self.0.push(Write::Clear(Table::Trails));
        self.clear_paths();
        self.known_tabs(tabs)?;
        self.pending_clicks(&[])?;
        self.seen(&Seen::default())?;
        self.asked(&Asked::default())
    }

    /// Replaces a tab's path.
    pub fn path(&mut self, path: &TabPath) -> Result<(), DatabaseError> {
        self.put(Table::Paths, &path.tab.to_string(), path)
    }

    /// Deletes a tab's path.
    pub fn delete_path(&mut self, tab: i32) {
        self.delete(Table::Paths, &tab.to_string());
    }

    /// Deletes the paths of all tabs.
    pub fn clear_paths(&mut self) {
        self.0.push(Write::Clear(Table::Paths));
    }

    /// Replaces the list of the tabs of which a path is kept.
    pub fn known_tabs(&mut self, tabs: &KnownTabs) -> Result<(), DatabaseError> {
        self.put(Table::Values, TABS, tabs)
    }

    /// Deletes a topic's model.
    pub fn delete_topic_model(&mut self, topic: &str) {
        self.delete(Table::TopicModels, topic);
        self.delete_steps(topic);
    }

    fn delete_steps(&mut self, topic: &str) {
        for number in 0..MOST_STEPS {
            self.delete(Table::Steps, &step_key(topic, number));
        }
    }

    /// Replaces the marks on forms.
    pub fn form_marks(&mut self, marks: &[Event]) -> Result<(), DatabaseError> {
        self.put(Table::Values, FORM_MARKS, marks)
    }

    /// Replaces what was asked.
    pub fn asked(&mut self, asked: &Asked) -> Result<(), DatabaseError> {
        self.put(Table::Values, ASKED, asked)
    }

    /// Replaces what the companion said of the current topic.
    pub fn seen(&mut self, seen: &Seen) -> Result<(), DatabaseError> {
        self.put(Table::Values, SEEN, seen)
    }

    /// Notes when the last of the words in force was said.
    pub fn latest_word(&mut self, time: f64) -> Result<(), DatabaseError> {
        self.put(Table::Values, LATEST_WORD, &time)
    }

    /// Replaces a topic's model, with all that it has read.
    pub fn topic_model(&mut self, topic: &str, model: Vec<u8>) {
        self.delete_steps(topic);
        let (topic, model) = (topic.to_owned(), Value::Bytes(model));
        self.0.push(Write::Put(Table::TopicModels, topic, model));
    }

    /// Adds a page that a topic's model has read, numbered since the topic model was kept, below
    /// [`MOST_STEPS`].
    pub fn step(&mut self, topic: &str, number: u32, step: Vec<u8>) {
        let key = step_key(topic, number);
        self.0
            .push(Write::Put(Table::Steps, key, Value::Bytes(step)));
    }

    /// Replaces the links that are to be followed later.
    pub fn later(&mut self, rows: &[LaterRow]) -> Result<(), DatabaseError> {
        self.put(Table::Values, LATER, &rows)
    }

    /// Puts a line into the ledger, with a number that tells it from others of its time.
    pub fn ledger(&mut self, number: u32, line: &LedgerLine) -> Result<(), DatabaseError> {
        let key = format!("{:015}-{number:08x}", line.time as u64);
        self.put(Table::Ledger, &key, line)
    }

    /// Takes a line out of the ledger.
    pub fn delete_line(&mut self, key: &str) {
        self.delete(Table::Ledger, key);
    }

    /// Empties a table.
    pub fn clear(&mut self, table: Table) {
        self.0.push(Write::Clear(table));
    }

    /// Sets a mark.
    pub fn mark(&mut self, mark: &MarkRow) -> Result<(), DatabaseError> {
        self.put(Table::Marks, &mark_key(&mark.topic, &mark.address), mark)
    }

    /// Takes a mark back.
    pub fn unmark(&mut self, topic: &str, address: &str) {
        self.delete(Table::Marks, &mark_key(topic, address));
        self.delete_marked(topic, address);
    }

    /// Deletes a page that was marked as a target, as it was shown.
    pub fn delete_marked(&mut self, topic: &str, address: &str) {
        self.delete_page(&mark_key(topic, address));
    }

    /// Keeps a page that is marked as a target, packed.
    pub fn page(&mut self, topic: &str, address: &str, page: Vec<u8>) {
        let key = mark_key(topic, address);
        self.0
            .push(Write::Put(Table::Pages, key, Value::Bytes(page)));
    }

    /// Deletes one that is kept under a key.
    pub fn delete_page(&mut self, key: &str) {
        self.delete(Table::Pages, key);
    }

    /// Adds a trail.
    pub fn trail(&mut self, trail: &TrailRow) -> Result<(), DatabaseError> {
        self.put(Table::Trails, &trail.id, trail)
    }

    /// Deletes a trail.
    pub fn delete_trail(&mut self, id: &str) {
        self.delete(Table::Trails, id);
    }

    /// Puts an event into the outbox.
    pub fn send(&mut self, event: &Event) -> Result<(), DatabaseError> {
        self.put(Table::Outbox, &event_key(event), event)
    }

    /// Takes what was sent out of the outbox.
    pub fn sent(&mut self, keys: &[String]) {
        for key in keys {
            self.delete(Table::Outbox, key);
        }
    }

    fn delete(&mut self, table: Table, key: &str) {
        self.0.push(Write::Delete(table, key.to_owned()));
    }

    fn put<T: Serialize + ?Sized>(
        &mut self,
        table: Table,
        key: &str,
        value: &T,
    ) -> Result<(), DatabaseError> {
        let value = serde_json::to_value(value);
        let value = value.map_err(|error| DatabaseError::Row(error.to_string()))?;
        self.0
            .push(Write::Put(table, key.to_owned(), Value::Json(value)));
        Ok(())
    }
}

fn with_keys(events: Vec<Event>) -> Vec<(String, Event)> {
    let with_key = |event| (event_key(&event), event);
    events.into_iter().map(with_key).collect()
}

fn step_key(topic: &str, number: u32) -> String {
    format!("{topic}\n{number:04}")
}

/// Where a mark stands.
pub fn mark_key(topic: &str, address: &str) -> String {
    format!("{topic}\n{address}")
}

/// Sorts by time.
fn event_key(event: &Event) -> String {
    format!("{:015}-{}", event.time, event.id)
}

/// The database, by what is in it.
pub struct Store<D>(pub Rc<D>);

impl<D: Database> Store<D> {
    /// Makes changes; returns once they are kept.
    pub async fn apply(&self, change: Change) -> Result<(), DatabaseError> {
        if change.0.is_empty() {
            return Ok(());
        }
        self.0.write(change.0).await
    }

    async fn value<T: DeserializeOwned + Default>(&self, key: &str) -> Result<T, DatabaseError> {
        let value = self.0.get(Table::Values, key).await?;
        value.map_or_else(|| Ok(T::default()), read)
    }

    /// The settings.
    pub async fn settings(&self) -> Result<Settings, DatabaseError> {
        self.value(SETTINGS).await
    }

    /// The clicks whose page has not arrived.
    pub async fn pending_clicks(&self) -> Result<Vec<PendingClick>, DatabaseError> {
        self.value(PENDING_CLICKS).await
    }

    /// The marks on forms that are in force, of all topics, as they are sent.
    pub async fn form_marks(&self) -> Result<Vec<Event>, DatabaseError> {
        self.value(FORM_MARKS).await
    }

    /// What the person was asked so far.
    pub async fn asked(&self) -> Result<Asked, DatabaseError> {
        self.value(ASKED).await
    }

    /// What the companion said of the current topic when it was asked the last time.
    pub async fn seen(&self) -> Result<Seen, DatabaseError> {
        self.value(SEEN).await
    }

    /// The links of all topics that are to be followed later, oldest first.
    pub async fn later(&self) -> Result<Vec<LaterRow>, DatabaseError> {
        self.value(LATER).await
    }

    /// When the last of the words in force was said, in milliseconds since 1970; 0 without any.
    pub async fn latest_word(&self) -> Result<f64, DatabaseError> {
        self.value(LATEST_WORD).await
    }

    /// A tab's path, if one is kept.
    pub async fn path(&self, tab: i32) -> Result<Option<TabPath>, DatabaseError> {
        let value = self.0.get(Table::Paths, &tab.to_string()).await?;
        value.map(read).transpose()
    }

    /// The paths of all tabs.
    pub async fn paths(&self) -> Result<Vec<TabPath>, DatabaseError> {
        self.all(Table::Paths).await
    }

    /// The tabs of which a path is kept.
    pub async fn known_tabs(&self) -> Result<KnownTabs, DatabaseError> {
        self.value(TABS).await
    }

    /// A topic's model as a model file.
    pub async fn topic_model(&self, topic: &str) -> Result<Option<Vec<u8>>, DatabaseError> {
        Ok(match self.0.get(Table::TopicModels, topic).await? {
            Some(Value::Bytes(file)) => Some(file),
            Some(Value::Json(_)) | None => None,
        })
    }

    /// The pages that a topic's model has read since it was kept, in order.
    pub async fn steps(&self, topic: &str) -> Result<Vec<Vec<u8>>, DatabaseError> {
        let mut steps = Vec::new();
        for number in 0..MOST_STEPS {
            let key = step_key(topic, number);
            let Some(Value::Bytes(step)) = self.0.get(Table::Steps, &key).await? else {
                break;
            };
            steps.push(step);
        }
        Ok(steps)
    }

    /// All lines of the ledger, oldest first.
    pub async fn ledger(&self) -> Result<Vec<LedgerLine>, DatabaseError> {
        self.all(Table::Ledger).await
    }

    /// The same with their keys.
    pub async fn ledger_with_keys(&self) -> Result<Vec<(String, LedgerLine)>, DatabaseError> {
        let keys = self.keys(Table::Ledger).await?;
        Ok(keys.into_iter().zip(self.ledger().await?).collect())
    }

    /// Marked targets as they were shown, packed, with their keys.
    pub async fn marked_pages(&self) -> Result<Vec<(String, Vec<u8>)>, DatabaseError> {
        let keys = self.keys(Table::Pages).await?;
        let pages = self.0.all(Table::Pages).await?;
        let bytes = |value| match value {
            Value::Bytes(bytes) => bytes,
            Value::Json(_) => Vec::new(),
        };
        Ok(keys.into_iter().zip(pages.into_iter().map(bytes)).collect())
    }

    /// The keys of a table, in order.
    pub async fn keys(&self, table: Table) -> Result<Vec<String>, DatabaseError> {
        self.0.keys(table).await
    }

    /// What is under them, in the same order.
    pub async fn values(&self, table: Table) -> Result<Vec<Value>, DatabaseError> {
        self.0.all(table).await
    }

    async fn all<T: DeserializeOwned>(&self, table: Table) -> Result<Vec<T>, DatabaseError> {
        let values = self.0.all(table).await?;
        values.into_iter().map(read).collect()
    }

    /// A topic's marks.
    pub async fn marks(&self, topic: &str) -> Result<Vec<MarkRow>, DatabaseError> {
        let mut marks = self.all_marks().await?;
        marks.retain(|mark| mark.topic == topic);
        Ok(marks)
    }

    /// The marks of all topics.
    pub async fn all_marks(&self) -> Result<Vec<MarkRow>, DatabaseError> {
        self.all(Table::Marks).await
    }

    /// All trails, oldest first.
    pub async fn trails(&self) -> Result<Vec<TrailRow>, DatabaseError> {
        self.all(Table::Trails).await
    }

    /// Events that wait for the companion, oldest first, with their keys.
    pub async fn outbox(&self) -> Result<Vec<(String, Event)>, DatabaseError> {
        Ok(with_keys(self.all(Table::Outbox).await?))
    }

    /// The oldest of them, so many at most.
    pub async fn oldest(&self, most: u32) -> Result<Vec<(String, Event)>, DatabaseError> {
        let values = self.0.first(Table::Outbox, most).await?;
        let events: Result<_, _> = values.into_iter().map(read).collect();
        Ok(with_keys(events?))
    }

    /// How many there are.
    pub async fn waiting(&self) -> Result<usize, DatabaseError> {
        Ok(self.0.keys(Table::Outbox).await?.len())
    }

    /// Lets go of the oldest trails and events beyond what is kept. Only keys are read:
    /// there may be thousands.
    pub async fn trim(&self) -> Result<(), DatabaseError> {
        let mut change = Change::default();
        let bounds = [
            (Table::Trails, MOST_TRAILS),
            (Table::Outbox, MOST_WAITING),
            (Table::Ledger, MOST_LINES),
        ];
        for (table, most) in bounds {
            let keys = self.0.keys(table).await?;
            for key in keys.iter().rev().skip(most) {
                change.delete(table, key);
            }
        }
        self.apply(change).await
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, DatabaseError> {
    match value {
        Value::Json(value) => {
            serde_json::from_value(value).map_err(|error| DatabaseError::Row(error.to_string()))
        }
        Value::Bytes(_) => Err(DatabaseError::Row("it is a model file".to_owned())),
    }
}

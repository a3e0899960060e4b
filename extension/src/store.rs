//! What the extension keeps, in `IndexedDB`. A browser may stop the background
//! at any moment, so every call writes all its changes in one transaction
//! before it answers.

use idb::{
    Database, DatabaseEvent, Factory, ObjectStoreParams, Query, Transaction, TransactionMode,
};
use js_sys::Uint8Array;
use linkscent_core::address::Address;
use linkscent_core::click_attribution::Click;
use linkscent_core::wire::api::{Event, EventKind, Forget};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::{JsCast, JsError, JsValue};

use crate::asked::Asked;

const NAME: &str = "linkscent";
const VERSION: u32 = 1;
const VALUES: &str = "values";
const GUIDES: &str = "guides";
const MARKS: &str = "marks";
const TRAILS: &str = "trails";
const OUTBOX: &str = "outbox";
const STORES: [&str; 5] = [VALUES, GUIDES, MARKS, TRAILS, OUTBOX];
/// Trails kept; the oldest go.
const MOST_TRAILS: usize = 5_000;
/// Events waiting for the companion; the oldest go.
const MOST_WAITING: usize = 10_000;

/// Choices and what pairing brought.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Names of the topics, in the order they were made.
    pub topics: Vec<String>,
    /// The current topic.
    pub current: Option<String>,
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
}

/// Changes that are made together or not at all.
#[derive(Default)]
pub struct Change {
    puts: Vec<(&'static str, String, JsValue)>,
    deletes: Vec<(&'static str, String)>,
    cleared: Vec<&'static str>,
}

impl Change {
    /// Replaces the settings.
    pub fn settings(&mut self, settings: &Settings) -> Result<(), JsError> {
        self.put(VALUES, "settings", settings)
    }

    /// Replaces the clicks whose page has not arrived.
    pub fn pending_clicks(&mut self, clicks: &[PendingClick]) -> Result<(), JsError> {
        self.put(VALUES, "leaps", clicks)
    }

    /// Empties everything but settings, marks and marks on forms.
    pub fn empty(&mut self) -> Result<(), JsError> {
        self.pending_clicks(&[])?;
        self.asked(&Asked::default())?;
        self.cleared.extend([GUIDES, TRAILS]);
        Ok(())
    }

    /// Deletes a topic's guide.
    pub fn delete_guide(&mut self, topic: &str) {
        self.deletes.push((GUIDES, topic.to_owned()));
    }

    /// Replaces the marks on forms.
    pub fn form_marks(&mut self, marks: &[Event]) -> Result<(), JsError> {
        self.put(VALUES, "form-marks", marks)
    }

    /// Replaces what was asked.
    pub fn asked(&mut self, asked: &Asked) -> Result<(), JsError> {
        self.put(VALUES, "asked", asked)
    }

    /// Replaces a topic's guide.
    pub fn guide(&mut self, topic: &str, model: &[u8]) {
        let bytes = Uint8Array::from(model);
        self.puts.push((GUIDES, topic.to_owned(), bytes.into()));
    }

    /// Sets a mark.
    pub fn mark(&mut self, mark: &MarkRow) -> Result<(), JsError> {
        self.put(MARKS, &mark_key(&mark.topic, &mark.address), mark)
    }

    /// Takes a mark back.
    pub fn unmark(&mut self, topic: &str, address: &str) {
        self.deletes.push((MARKS, mark_key(topic, address)));
    }

    /// Adds a trail.
    pub fn trail(&mut self, trail: &TrailRow) -> Result<(), JsError> {
        self.put(TRAILS, &trail.id, trail)
    }

    /// Deletes a trail.
    pub fn delete_trail(&mut self, id: &str) {
        self.deletes.push((TRAILS, id.to_owned()));
    }

    /// Puts an event into the outbox.
    pub fn send(&mut self, event: &Event) -> Result<(), JsError> {
        self.put(OUTBOX, &format!("{:015}-{}", event.time, event.id), event)
    }

    /// Takes what was sent out of the outbox.
    pub fn sent(&mut self, keys: &[String]) {
        let keys = keys.iter();
        self.deletes.extend(keys.map(|key| (OUTBOX, key.clone())));
    }

    fn put<T: Serialize + ?Sized>(
        &mut self,
        store: &'static str,
        key: &str,
        value: &T,
    ) -> Result<(), JsError> {
        let value = value.serialize(&Serializer::json_compatible());
        let value = value.map_err(|error| JsError::new(&error.to_string()))?;
        self.puts.push((store, key.to_owned(), value));
        Ok(())
    }
}

fn mark_key(topic: &str, address: &str) -> String {
    format!("{topic}\n{address}")
}

/// The database.
pub struct Store(Database);

impl Store {
    /// Opens the database, made if it is not there.
    pub async fn open() -> Result<Self, JsError> {
        let factory = Factory::new()?;
        let mut request = factory.open(NAME, Some(VERSION))?;
        request.on_upgrade_needed(|event| {
            let Ok(database) = event.database() else {
                return;
            };
            for name in STORES {
                // Fails only if it is there already.
                let _ = database.create_object_store(name, ObjectStoreParams::new());
            }
        });
        Ok(Self(request.await?))
    }

    /// Makes changes; returns once they are kept.
    pub async fn apply(&self, change: Change) -> Result<(), JsError> {
        let transaction = self.0.transaction(&STORES, TransactionMode::ReadWrite)?;
        for store in change.cleared {
            transaction.object_store(store)?.clear()?;
        }
        for (store, key, value) in change.puts {
            let store = transaction.object_store(store)?;
            store.put(&value, Some(&JsValue::from(key)))?;
        }
        for (store, key) in change.deletes {
            let store = transaction.object_store(store)?;
            store.delete(Query::Key(JsValue::from(key)))?;
        }
        transaction.commit()?.await?;
        Ok(())
    }

    fn reading(&self) -> Result<Transaction, JsError> {
        Ok(self.0.transaction(&STORES, TransactionMode::ReadOnly)?)
    }

    async fn value<T: DeserializeOwned + Default>(&self, key: &str) -> Result<T, JsError> {
        let store = self.reading()?.object_store(VALUES)?;
        let value = store.get(JsValue::from(key))?.await?;
        value.map_or_else(|| Ok(T::default()), read)
    }

    /// The settings.
    pub async fn settings(&self) -> Result<Settings, JsError> {
        self.value("settings").await
    }

    /// The clicks whose page has not arrived.
    pub async fn pending_clicks(&self) -> Result<Vec<PendingClick>, JsError> {
        self.value("leaps").await
    }

    /// The marks on forms that are in force, of all topics, as they are sent.
    pub async fn form_marks(&self) -> Result<Vec<Event>, JsError> {
        self.value("form-marks").await
    }

    /// What the person was asked so far.
    pub async fn asked(&self) -> Result<Asked, JsError> {
        self.value("asked").await
    }

    /// A topic's guide as a model file.
    pub async fn guide(&self, topic: &str) -> Result<Option<Vec<u8>>, JsError> {
        let store = self.reading()?.object_store(GUIDES)?;
        let value = store.get(JsValue::from(topic))?.await?;
        Ok(value
            .and_then(|value| value.dyn_into::<Uint8Array>().ok())
            .map(|bytes| bytes.to_vec()))
    }

    /// All guides as model files, with their topics.
    pub async fn guides(&self) -> Result<Vec<(String, Vec<u8>)>, JsError> {
        let mut guides = Vec::new();
        for topic in self.settings().await?.topics {
            if let Some(file) = self.guide(&topic).await? {
                guides.push((topic, file));
            }
        }
        Ok(guides)
    }

    async fn all<T: DeserializeOwned>(&self, store: &str) -> Result<Vec<T>, JsError> {
        let store = self.reading()?.object_store(store)?;
        let values = store.get_all(None, None)?.await?;
        values.into_iter().map(read).collect()
    }

    /// A topic's marks.
    pub async fn marks(&self, topic: &str) -> Result<Vec<MarkRow>, JsError> {
        let mut marks = self.all_marks().await?;
        marks.retain(|mark| mark.topic == topic);
        Ok(marks)
    }

    /// The marks of all topics.
    pub async fn all_marks(&self) -> Result<Vec<MarkRow>, JsError> {
        self.all(MARKS).await
    }

    /// All trails, oldest first.
    pub async fn trails(&self) -> Result<Vec<TrailRow>, JsError> {
        self.all(TRAILS).await
    }

    /// Events that wait for the companion, oldest first, with their keys.
    pub async fn outbox(&self) -> Result<Vec<(String, Event)>, JsError> {
        let events: Vec<Event> = self.all(OUTBOX).await?;
        let key = |event: &Event| format!("{:015}-{}", event.time, event.id);
        Ok(events
            .into_iter()
            .map(|event| (key(&event), event))
            .collect())
    }

    /// Lets go of the oldest trails and events beyond what is kept.
    pub async fn trim(&self) -> Result<(), JsError> {
        let (trails, outbox) = (self.trails().await?, self.outbox().await?);
        let mut change = Change::default();
        for trail in trails.iter().rev().skip(MOST_TRAILS) {
            change.delete_trail(&trail.id);
        }
        let old = outbox.into_iter().rev().skip(MOST_WAITING);
        change.sent(&old.map(|(key, _)| key).collect::<Vec<_>>());
        if change.deletes.is_empty() {
            return Ok(());
        }
        self.apply(change).await
    }
}

fn read<T: DeserializeOwned>(value: JsValue) -> Result<T, JsError> {
    serde_wasm_bindgen::from_value(value).map_err(|error| JsError::new(&error.to_string()))
}

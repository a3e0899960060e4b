//! Topics, events and browsers in memory.

use std::collections::BTreeSet;

use async_trait::async_trait;
use linkscent_core::wire::api::{Event, EventKind, EventName};
use linkscent_core::wire::channel::DeviceKey;

use super::{DeviceEntry, LoggedEvent, MemoryStore, State, TopicEntry, at, at_mut};
use crate::secret;
use crate::store::StoreResult;
use crate::store::ports::{Device, Devices, Events, Said, Topic, Topics};

impl State {
    /// The number of the topic of that key, made if it is not there.
    fn number_of(&mut self, key: &str) -> i64 {
        if let Some(known) = self.topics.iter().find(|topic| topic.row.key == key) {
            return known.row.id;
        }
        let id = self.topics.len() as i64 + 1;
        let row = Topic {
            id,
            key: key.to_owned(),
            name: key.to_owned(),
            version: 0,
            is_removed: false,
            is_deleted: false,
        };
        self.topics.push(TopicEntry {
            row,
            critic: None,
            taxonomy: None,
            model: None,
        });
        id
    }

    /// What happened to a topic, in the order of its times.
    fn events_of_topic(&self, topic: i64) -> impl DoubleEndedIterator<Item = &Event> {
        let events = self.events.iter().filter(|row| row.topic == topic);
        let mut events: Vec<&Event> = events.map(|row| &row.event).collect();
        events.sort_by_key(|event| event.time);
        events.into_iter()
    }

    fn name_said_last(&self, topic: i64) -> Option<String> {
        let mut newest_first = self.events_of_topic(topic).rev();
        newest_first.find_map(|event| match &event.what {
            EventKind::Name { name } => Some(name.clone()),
            _ => None,
        })
    }

    /// Whether it was removed, and for good.
    fn is_removed(&self, topic: i64) -> (bool, bool) {
        let mut newest_first = self.events_of_topic(topic).rev();
        let said = newest_first.find_map(|event| match event.what {
            EventKind::Remove { removed, for_good } => Some((removed, for_good)),
            _ => None,
        });
        said.unwrap_or_default()
    }

    /// Changes what a topic's model is made from, if the topic is there.
    pub(super) fn renew(&mut self, topic: i64, change: impl FnOnce(&mut TopicEntry)) {
        if let Some(topic) = at_mut(&mut self.topics, topic) {
            change(topic);
            topic.row.version += 1;
        }
    }
}

#[async_trait]
impl Topics for MemoryStore {
    async fn topics(&self) -> StoreResult<Vec<Topic>> {
        let state = self.read();
        Ok(state.topics.iter().rev().map(|t| t.row.clone()).collect())
    }

    async fn topic(&self, id: i64) -> StoreResult<Option<Topic>> {
        Ok(at(&self.read().topics, id).map(|topic| topic.row.clone()))
    }

    async fn find_topic(&self, key: &str) -> StoreResult<Option<Topic>> {
        let state = self.read();
        let topic = state.topics.iter().find(|topic| topic.row.key == key);
        Ok(topic.map(|topic| topic.row.clone()))
    }

    async fn topic_called(&self, name: &str) -> StoreResult<Option<Topic>> {
        let state = self.read();
        let newest_first = state.topics.iter().rev();
        let called = newest_first.filter(|topic| topic.row.name == name);
        let topic = called.min_by_key(|topic| topic.row.is_deleted);
        Ok(topic.map(|topic| topic.row.clone()))
    }

    async fn topic_named(&self, key: &str) -> StoreResult<Topic> {
        self.change(|state| {
            let place = state.number_of(key) as usize - 1;
            Ok(state.topics[place].row.clone())
        })
    }

    async fn critic(&self, topic: i64) -> StoreResult<Option<String>> {
        Ok(at(&self.read().topics, topic).and_then(|topic| topic.critic.clone()))
    }

    async fn set_critic(&self, topic: i64, critic: &str) -> StoreResult<()> {
        self.change(|state| {
            state.renew(topic, |topic| topic.critic = Some(critic.to_owned()));
            Ok(())
        })
    }

    async fn taxonomy(&self, topic: i64) -> StoreResult<Option<Vec<u8>>> {
        Ok(at(&self.read().topics, topic).and_then(|topic| topic.taxonomy.clone()))
    }

    async fn set_taxonomy(&self, topic: i64, taxonomy: &[u8]) -> StoreResult<()> {
        self.change(|state| {
            state.renew(topic, |topic| topic.taxonomy = Some(taxonomy.to_vec()));
            Ok(())
        })
    }

    async fn model(&self, topic: i64) -> StoreResult<Option<Vec<u8>>> {
        Ok(at(&self.read().topics, topic).and_then(|topic| topic.model.clone()))
    }

    async fn set_model(&self, topic: i64, model: &[u8]) -> StoreResult<()> {
        self.change(|state| {
            state.renew(topic, |topic| topic.model = Some(model.to_vec()));
            Ok(())
        })
    }

    async fn taught(&self) -> StoreResult<Vec<i64>> {
        let state = self.read();
        let clicked = |topic: i64| {
            let mut events = state.events.iter().filter(|row| row.topic == topic);
            events.any(|row| row.event.what.name() == EventName::Click)
        };
        let topics = state.topics.iter().rev();
        let taught = topics.filter(|topic| topic.model.is_some() || clicked(topic.row.id));
        Ok(taught.map(|topic| topic.row.id).collect())
    }
}

#[async_trait]
impl Events for MemoryStore {
    async fn take_events(&self, events: &[Event]) -> StoreResult<usize> {
        self.change(|state| {
            let known = state.events.iter().map(|row| row.event.id.clone());
            let mut known: BTreeSet<String> = known.collect();
            let mut named = BTreeSet::new();
            let mut taken = 0;
            for event in events {
                let topic = state.number_of(&event.topic);
                named.insert(topic);
                if known.insert(event.id.clone()) {
                    state.events_taken += 1;
                    let number = state.events_taken;
                    let event = event.clone();
                    state.events.push(LoggedEvent {
                        number,
                        topic,
                        event,
                    });
                    taken += 1;
                }
            }
            if taken > 0 {
                for topic in named {
                    let name = state.name_said_last(topic);
                    let (is_removed, is_deleted) = state.is_removed(topic);
                    state.renew(topic, |topic| {
                        if let Some(name) = name {
                            topic.row.name = name;
                        }
                        topic.row.is_removed = is_removed;
                        topic.row.is_deleted = is_deleted;
                    });
                }
            }
            Ok(taken)
        })
    }

    async fn events(&self, topic: i64) -> StoreResult<Vec<Event>> {
        let state = self.read();
        Ok(state.events_of_topic(topic).cloned().collect())
    }

    async fn events_of(&self, topic: i64, kind: EventName) -> StoreResult<Vec<Event>> {
        let mut events = self.events(topic).await?;
        events.retain(|event| event.what.name() == kind);
        Ok(events)
    }

    async fn said_after(&self, after: i64, most: usize) -> StoreResult<Said> {
        let state = self.read();
        let after = if after > state.events_taken { 0 } else { after };
        let said = |row: &&LoggedEvent| {
            let kind = row.event.what.name();
            row.number > after && matches!(kind, EventName::Mark | EventName::Phrase)
        };
        let rows: Vec<&LoggedEvent> = state.events.iter().filter(said).take(most).collect();
        Ok(Said {
            until: match rows.last() {
                Some(last) if rows.len() == most => last.number,
                _ => state.events_taken,
            },
            events: rows.into_iter().map(|row| row.event.clone()).collect(),
        })
    }

    async fn latest_time(&self) -> StoreResult<u64> {
        let times = self.read().events.iter().map(|row| row.event.time).max();
        Ok(times.unwrap_or(0))
    }
}

#[async_trait]
impl Devices for MemoryStore {
    async fn devices(&self) -> StoreResult<Vec<Device>> {
        let state = self.read();
        let newest_first = state.devices.iter().rev();
        Ok(newest_first.map(|device| device.row.clone()).collect())
    }

    async fn device_key(&self, identifier: &str) -> StoreResult<Option<(i64, DeviceKey)>> {
        let state = self.read();
        let mut devices = state.devices.iter();
        let device = devices.find(|device| device.identifier == identifier);
        Ok(device.map(|device| (device.row.id, device.key.clone())))
    }

    async fn has_device(&self, id: i64) -> StoreResult<bool> {
        Ok(self.read().devices.iter().any(|device| device.row.id == id))
    }

    async fn add_device(&self, name: &str, origin: &str, key: &DeviceKey) -> StoreResult<String> {
        let identifier = secret::random_hex::<16>();
        self.change(|state| {
            state.devices_made += 1;
            let row = Device {
                id: state.devices_made,
                name: name.to_owned(),
                origin: origin.to_owned(),
            };
            state.devices.push(DeviceEntry {
                row,
                identifier: identifier.clone(),
                key: key.clone(),
            });
            Ok(identifier)
        })
    }

    async fn rename_device(&self, id: i64, name: &str) -> StoreResult<()> {
        self.change(|state| {
            let mut devices = state.devices.iter_mut();
            if let Some(device) = devices.find(|device| device.row.id == id) {
                name.clone_into(&mut device.row.name);
            }
            Ok(())
        })
    }

    async fn remove_device(&self, id: i64) -> StoreResult<()> {
        self.change(|state| {
            state.devices.retain(|device| device.row.id != id);
            Ok(())
        })
    }
}

//! Topics, and what happened to them in browsers and on screens, as a log.

use async_trait::async_trait;
use linkscent_core::wire::api::{Event, EventName};

use crate::error::StoreResult;

/// A topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    /// Its number, from 1.
    pub id: i64,
    /// What browsers and the companion know it by: what it was called when it was made, or
    /// that with a number behind it where the topic called so then is called otherwise now.
    pub key: String,
    /// What the person calls it.
    pub name: String,
    /// Rises whenever its model changes, or what its model is made from; 0 at first.
    pub version: i64,
    /// Whether the person removed it: then it is out of sight, and can be brought back.
    pub is_removed: bool,
    /// Whether all of it was deleted then, and only its key is left.
    pub is_deleted: bool,
}

/// Topics, their critics, taxonomies and models. No two topics have one key.
#[async_trait]
pub trait Topics: Send + Sync {
    /// All topics, newest first.
    async fn topics(&self) -> StoreResult<Vec<Topic>>;

    /// A topic by its number.
    async fn topic(&self, id: i64) -> StoreResult<Option<Topic>>;

    /// The topic of exactly that key, if it is there.
    async fn find_topic(&self, key: &str) -> StoreResult<Option<Topic>>;

    /// The topic that is called exactly that now, if there is one; of several the newest.
    async fn topic_called(&self, name: &str) -> StoreResult<Option<Topic>>;

    /// The topic of exactly that key, made if it is not there: then it is called that too.
    async fn topic_named(&self, key: &str) -> StoreResult<Topic>;

    /// What counts as found: the name of a critic or a predicate, where one was chosen.
    async fn critic(&self, topic: i64) -> StoreResult<Option<String>>;

    /// Chooses what counts as found, in place of what was chosen before. The topic's
    /// version rises.
    async fn set_critic(&self, topic: i64, critic: &str) -> StoreResult<()>;

    /// The file of the taxonomy by whose classes the topic's pages may be judged, if it has
    /// one.
    async fn taxonomy(&self, topic: i64) -> StoreResult<Option<Vec<u8>>>;

    /// Keeps a topic's taxonomy in place of the one before. The topic's version rises.
    async fn set_taxonomy(&self, topic: i64, taxonomy: &[u8]) -> StoreResult<()>;

    /// The topic's model file, if one was kept.
    async fn model(&self, topic: i64) -> StoreResult<Option<Vec<u8>>>;

    /// Keeps a topic's model file in place of the one before. The topic's version rises.
    async fn set_model(&self, topic: i64, model: &[u8]) -> StoreResult<()>;

    /// Numbers of the topics for which something may have been learned of links: those with
    /// a model file, and those with a link that was followed in a browser. Newest first.
    async fn taught(&self) -> StoreResult<Vec<i64>>;
}

/// What was said of topics after some event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    /// Marks and phrases, in the order they were taken in.
    pub events: Vec<Event>,
    /// Number of the event up to which this is all.
    pub until: i64,
}

/// What happened to topics. An event is known by the identifier its sender chose.
#[async_trait]
pub trait Events: Send + Sync {
    /// Takes in events, in the order given; returns how many were new. Those whose
    /// identifiers are known are passed over, whatever else they say. Topics that are named
    /// and not there are made. If an event was new, the versions of all topics named rise. A
    /// topic is called as the last of its events says that names it, and is removed if the last
    /// that speaks of that says so.
    async fn take_events(&self, events: &[Event]) -> StoreResult<usize>;

    /// Everything that happened to a topic, in the order of its times, and of one time in the
    /// order it was taken in: what comes late changes nothing that was said after it. An event
    /// that cannot be read is passed over, and a notice of the topic says so.
    async fn events(&self, topic: i64) -> StoreResult<Vec<Event>>;

    /// Those of one kind, without a look at the others.
    async fn events_of(&self, topic: i64, kind: EventName) -> StoreResult<Vec<Event>>;

    /// Marks and phrases of all topics that were taken in after the event of this number, so
    /// many at most. Numbers rise and are never given twice; after one that was not given yet
    /// comes everything.
    async fn said_after(&self, after: i64, most: usize) -> StoreResult<Said>;

    /// The greatest time of an event, in milliseconds since 1970; 0 without any.
    async fn latest_time(&self) -> StoreResult<u64>;
}

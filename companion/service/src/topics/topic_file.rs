//! A topic as a file for somebody else: what the person said of it, and what was learned in words.
//! Whoever takes it in has links highlighted from the first page on.
//!
//! It names the pages that were marked, since a crawl begins there, and no others: neither pages
//! that were read nor ways through them; and of those marked none of a private network. What was
//! learned goes along as another topic takes it over, in words near links and in parts of
//! addresses, without sites and pages. Left out are taxonomies and classes, and conditions that ask
//! for other topics.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use linkscent_core::address::Address;
use linkscent_core::budget::TOPIC_FILE;
use linkscent_core::critics::{self, Sources};
use linkscent_core::strategies;
use linkscent_core::text::Vocabulary;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::{Event, EventKind, EventName};
use linkscent_core::wire::{read_model, write_model};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::ServiceError;
use crate::Topics;
use crate::crawler::ssrf_guard;
use crate::learning::topic_model;
use crate::page_archive;
use crate::topics::feedback::MOST_EVENTS;
use linkscent_store::Topic;
use linkscent_store::clock;

/// Most bytes of the part of a topic file that says what was said.
const LARGEST_SAID: u64 = (TOPIC_FILE.bytes / 4) as u64;
/// The form of the file.
const FORM: u32 = 1;
/// Its two parts.
const SAID: &str = "topic.json";
const LEARNED: &str = "learned.model";
/// Kinds of what is said that go along always, and those that do if it is asked for.
const ALWAYS: [EventName; 4] = [
    EventName::Mark,
    EventName::Form,
    EventName::Phrase,
    EventName::Subtopic,
];
const IF_ASKED: [EventName; 2] = [EventName::Tag, EventName::Note];

/// What a topic file says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopicFile {
    /// The form of the file, for programs to come.
    linkscent_topic: u32,
    /// What the topic is called.
    pub name: String,
    /// Name of the critic, or its condition.
    pub critic: String,
    /// Name of the strategy.
    pub strategy: String,
    /// What was said, as far as it is in force.
    #[serde(deserialize_with = "few")]
    pub said: Vec<EventKind>,
    /// What was learned, as a model file; empty if nothing was.
    #[serde(skip)]
    learned: Vec<u8>,
}

/// Reads what was said, and stops where it is more than a file may say.
fn few<'de, D: Deserializer<'de>>(said: D) -> Result<Vec<EventKind>, D::Error> {
    struct Few;

    impl<'de> Visitor<'de> for Few {
        type Value = Vec<EventKind>;

        fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
            text.write_str("a list of what was said")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut said = Vec::new();
            while let Some(one) = list.next_element()? {
                said.push(one);
                TOPIC_FILE
                    .check_items(said.len())
                    .map_err(A::Error::custom)?;
            }
            Ok(said)
        }
    }

    said.deserialize_seq(Few)
}

impl TopicFile {
    /// Reads the file at a path.
    pub fn open(path: &Path) -> Result<Self, ServiceError> {
        let reading = || -> anyhow::Result<Vec<u8>> {
            // Asked first: opening a pipe waits for who writes to it, and what has no length may wait
            // to be read.
            let file = std::fs::metadata(path)?;
            ensure!(file.is_file(), "it is no file");
            TOPIC_FILE.check_bytes(usize::try_from(file.len())?)?;
            let mut bytes = Vec::new();
            std::fs::File::open(path)?
                .take(file.len())
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = reading().map_err(|error| {
            ServiceError::refused(format!("{} cannot be read: {error}.", path.display()))
        })?;
        Self::read(&bytes)
    }

    /// Reads a file. Its parts are looked at no further than that they are whole.
    pub fn read(bytes: &[u8]) -> Result<Self, ServiceError> {
        Self::try_read(bytes).map_err(|error| {
            ServiceError::refused(format!(
                "This is no topic file that can be read: {error:#}."
            ))
        })
    }

    fn try_read(bytes: &[u8]) -> anyhow::Result<Self> {
        TOPIC_FILE.check_bytes(bytes.len())?;
        let (mut said, mut learned) = (None, Vec::new());
        let mut archive = tar::Archive::new(bytes);
        for entry in archive.entries()? {
            let entry = entry?;
            let name = entry.path()?.to_string_lossy().into_owned();
            let mut part = Vec::new();
            let is_twice = match &*name {
                SAID => said.is_some(),
                LEARNED => !learned.is_empty(),
                _ => false,
            };
            ensure!(!is_twice, "{name} is in it twice");
            match &*name {
                SAID => {
                    // A sparse entry says more bytes than the file has.
                    entry.take(LARGEST_SAID + 1).read_to_end(&mut part)?;
                    let is_small = part.len() as u64 <= LARGEST_SAID;
                    ensure!(is_small, "{name} may have at most {LARGEST_SAID} bytes");
                    said = Some(serde_json::from_slice(&part).with_context(|| name.clone())?);
                }
                LEARNED => {
                    let most = TOPIC_FILE.bytes as u64;
                    entry.take(most).read_to_end(&mut learned)?;
                }
                _ => {}
            }
        }
        let mut file: Self = said.context("it says nothing")?;
        if file.linkscent_topic != FORM {
            return Err(anyhow!("a newer Linkscent wrote it"));
        }
        if !learned.is_empty() {
            let knowledge = read_model(&learned).context("what was learned")?;
            // What this version cannot learn on from would be in the way of all the rest.
            if TopicModel::with_knowledge(knowledge).is_some() {
                file.learned = learned;
            }
        }
        Ok(file)
    }

    fn write(&self) -> anyhow::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(Vec::new());
        let said = serde_json::to_vec_pretty(self)?;
        for (name, part) in [(SAID, &said), (LEARNED, &self.learned)] {
            let mut header = tar::Header::new_gnu();
            header.set_size(part.len() as u64);
            header.set_mode(0o600);
            archive.append_data(&mut header, name, part.as_slice())?;
        }
        Ok(archive.into_inner()?)
    }

    /// Pages that were marked as targets.
    pub fn targets(&self) -> usize {
        let is_target = |one: &&EventKind| {
            matches!(
                one,
                EventKind::Mark {
                    target: Some(true),
                    ..
                }
            )
        };
        self.said.iter().filter(is_target).count()
    }
}

impl Topics {
    /// A topic as a file; with tags and notes if it is asked for.
    pub async fn topic_file(
        &self,
        topic: &Topic,
        with_annotations: bool,
    ) -> Result<Vec<u8>, ServiceError> {
        let topic_model = self.models.topic_model(topic).await?;
        let critic = topic_model.critic().name().to_owned();
        check_critic(&critic)?;
        let mut said = Vec::new();
        let mut kinds = ALWAYS.to_vec();
        if with_annotations {
            kinds.extend(IF_ASKED);
        }
        for kind in kinds {
            let events = self.context.store.events_of(topic.id, kind).await?;
            said.extend(in_force(events).into_iter().filter(|one| !is_private(one)));
        }
        for one in &mut said {
            self.add_words(topic, one).await?;
        }
        let mut file = TopicFile {
            linkscent_topic: FORM,
            name: topic.name.clone(),
            critic,
            strategy: topic_model.strategy().full_name(),
            said,
            learned: Vec::new(),
        };
        file.learned = self.learned_in_words(topic, &file).await?;
        Ok(file.write()?)
    }

    /// The words of a marked page, where a crawl kept it and the mark came without them.
    async fn add_words(&self, topic: &Topic, said: &mut EventKind) -> Result<(), ServiceError> {
        let EventKind::Mark {
            address,
            target,
            words,
            ..
        } = said
        else {
            return Ok(());
        };
        if !words.is_empty() {
            return Ok(());
        }
        for crawl in self.context.store.web_crawls(Some(topic.id)).await? {
            if let Some(page) = page_archive::page(&self.context.store, crawl.id, address).await? {
                *said = EventKind::mark(&page, *target);
                return Ok(());
            }
        }
        Ok(())
    }

    /// What a topic was taught, as a topic model has it that knows of it only what a file says; empty if
    /// there is nothing that can be taken over.
    async fn learned_in_words(
        &self,
        topic: &Topic,
        file: &TopicFile,
    ) -> Result<Vec<u8>, ServiceError> {
        let file = file.clone();
        let making = tokio::task::spawn_blocking(move || topic_model_of(&file));
        let topic_model = making.await.map_err(anyhow::Error::from)??;
        Ok(match self.models.begin_with(topic_model, topic).await {
            Ok((topic_model, _)) => {
                write_model(&topic_model.knowledge()).map_err(anyhow::Error::from)?
            }
            Err(_) => Vec::new(),
        })
    }

    /// Makes a topic of a file, under its name or another. One that is there already is left
    /// alone.
    pub async fn take_topic_in(
        &self,
        file: &TopicFile,
        name: Option<&str>,
    ) -> Result<Topic, ServiceError> {
        let name = name.unwrap_or(&file.name).trim();
        if self.context.store.topic_called(name).await?.is_some() {
            return Err(ServiceError::refused(format!(
                "There is a topic “{name}” already: give this one another name."
            )));
        }
        let events = self.checked(file, name).await?;
        let topic = self.create_topic(name, &[]).await?;
        self.fill(topic, file, events).await
    }

    /// What a file says, as if it were said now; an error if it says what cannot be.
    pub(crate) async fn checked(
        &self,
        file: &TopicFile,
        name: &str,
    ) -> Result<Vec<Event>, ServiceError> {
        critics::as_kept(&file.critic)
            .map_err(|error| ServiceError::refused(format!("What counts as found, {error}.")))?;
        check_critic(&file.critic)?;
        let events: Vec<Event> = self.as_events(file, name).await?;
        if events.iter().any(|event| !event.is_sound()) {
            return Err(ServiceError::refused(
                "This topic file names what is no page, or says more than can be said.",
            ));
        }
        Ok(events)
    }

    /// Tells a topic that was just made what a file says.
    pub(crate) async fn fill(
        &self,
        topic: Topic,
        file: &TopicFile,
        events: Vec<Event>,
    ) -> Result<Topic, ServiceError> {
        for events in events.chunks(MOST_EVENTS) {
            let events = events.iter().cloned().map(|event| Event {
                topic: topic.key.clone(),
                ..event
            });
            self.take_events(events.collect()).await?;
        }
        self.choose_critic(&topic, &file.critic).await?;
        if !file.learned.is_empty() {
            self.models.keep_model(topic.id, &file.learned).await?;
        }
        // One that has to be trained is not there; the usual one is as good as any.
        let _ = self.choose_strategy(&topic, &file.strategy).await;
        self.context.topic(topic.id).await
    }

    async fn as_events(&self, file: &TopicFile, name: &str) -> Result<Vec<Event>, ServiceError> {
        let now = clock::now().max(0) as u64;
        let time = now.max(self.context.store.latest_time().await? + 1);
        let kinds = ALWAYS.iter().chain(&IF_ASKED);
        let allowed: Vec<&EventName> = kinds.collect();
        // All of it is said now: of every matter only what is in force is in a file.
        let said = file.said.iter().zip(0_u64..);
        let said = said.filter(|(what, _)| allowed.contains(&&what.name()));
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(|error| anyhow!("random numbers: {error}"))?;
        let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let event = |(what, number): (&EventKind, u64)| Event {
            id: format!("{id}-{number}"),
            topic: name.to_owned(),
            time,
            what: what.clone(),
        };
        Ok(said.map(event).collect())
    }
}

/// The topic model of somebody who knows nothing but what a file says.
fn topic_model_of(file: &TopicFile) -> anyhow::Result<TopicModel> {
    let critic = critics::described(&file.critic, Sources::default());
    let critic = critic.context("what counts as found is unknown")?;
    let strategy = strategies::named(strategies::default_name());
    let strategy = strategy.context("the usual strategy is unknown")?;
    let mut topic_model = TopicModel::joining(critic, strategy, Vocabulary::default());
    topic_model.name_topic(&file.name);
    let said = file.said.iter().zip(0_u64..);
    let events: Vec<Event> = said
        .map(|(what, number)| Event {
            id: number.to_string(),
            topic: file.name.clone(),
            time: number,
            what: what.clone(),
        })
        .collect();
    topic_model::apply_marks(&mut topic_model, &events);
    Ok(topic_model)
}

/// What counts as found must not hang on what a topic file does not have.
fn check_critic(critic: &str) -> Result<(), ServiceError> {
    let asks = critics::topics_asked_for(critic).is_ok_and(|topics| !topics.is_empty());
    if asks || critics::good_nodes(critic).is_some() {
        return Err(ServiceError::refused(
            "What counts as found hangs on other topics or on a taxonomy, which a topic file \
             does not have: choose another first.",
        ));
    }
    Ok(())
}

/// Whether what was said is of a page in a private network, which is nobody else's business.
fn is_private(said: &EventKind) -> bool {
    let (EventKind::Mark { address, .. }
    | EventKind::Form { address, .. }
    | EventKind::Subtopic { address, .. }
    | EventKind::Tag { address, .. }
    | EventKind::Note { address, .. }) = said
    else {
        return false;
    };
    Address::parse(address).is_ok_and(|page| ssrf_guard::is_private(&page))
}

/// What was said last of each matter, if it was not taken back.
fn in_force(events: Vec<Event>) -> Vec<EventKind> {
    let mut last: BTreeMap<String, (EventKind, bool)> = BTreeMap::new();
    for event in events {
        let (matter, holds) = match &event.what {
            EventKind::Mark {
                address, target, ..
            } => (address.clone(), target.is_some()),
            EventKind::Form {
                address,
                form,
                wanted,
                ..
            } => (format!("{address} {form}"), wanted.is_some()),
            EventKind::Phrase { text, wanted } => (text.clone(), wanted.is_some()),
            EventKind::Class { address, class, .. } => (address.clone(), class.is_some()),
            EventKind::Subtopic { address, subtopic } => (address.clone(), subtopic.is_some()),
            EventKind::Tag { address, tag, on } => (format!("{address} {tag}"), *on),
            EventKind::Note { address, text } => (address.clone(), !text.is_empty()),
            _ => continue,
        };
        if Address::parse(matter.split(' ').next().unwrap_or_default()).is_ok()
            || matches!(event.what, EventKind::Phrase { .. })
        {
            last.insert(matter, (event.what, holds));
        }
    }
    let last = last.into_values().filter(|(_, holds)| *holds);
    last.map(|(what, _)| what).collect()
}

#[cfg(test)]
mod tests;

//! The topic model of a topic: out of memory, out of the database, or made again from marks. What
//! it learns is kept at once: a page that was read beside it, anything else with all of it.

use std::cell::RefCell;
use std::rc::Rc;

use linkscent_core::address::Address;
use linkscent_core::forms::FormWords;
use linkscent_core::topic_model::{Knowledge, TopicModel};
use linkscent_core::wire::api::{EventKind, mark_of, marked_terms};
use linkscent_core::wire::{ModelError, read_model, write_model};
use linkscent_core::{critics, strategies};

use super::context::Context;
use super::ledger::Ledger;
use super::steps::{ModelStep, read_again};
use crate::ports::{DatabaseError, World};
use crate::problem::Problem;
use crate::rows::{LedgerLine, Way};
use crate::store::{Change, MOST_STEPS};

/// Pages and arrivals kept in a topic model here.
const MOST_PAGES: usize = 1_000;
const MOST_ARRIVALS: usize = 1_000;
/// Pages from which on a topic model in memory is brought back to that.
const TOO_MANY: usize = 1_100;
/// Pages kept beside a topic model from which on it is due to be kept whole.
pub const ENOUGH_STEPS: u32 = 64;

/// A topic model in memory.
pub(super) struct Held {
    topic: String,
    pub topic_model: TopicModel,
    /// Pages kept beside it in the database; none if it is to be kept whole next.
    steps: Option<u32>,
}

/// Topic models of topics; the one used last is held in memory.
pub(super) struct TopicModels<W> {
    context: Context<W>,
    ledger: Rc<Ledger<W>>,
    held: RefCell<Option<Held>>,
}

impl<W: World> TopicModels<W> {
    pub fn new(context: &Context<W>, ledger: &Rc<Ledger<W>>) -> Self {
        Self {
            context: context.clone(),
            ledger: Rc::clone(ledger),
            held: RefCell::new(None),
        }
    }

    /// Lets go of the topic model in memory.
    pub fn let_go(&self) {
        self.held.take();
    }

    /// The topic's model, out of memory or the database. A model file that
    /// cannot be read is replaced by what the marks teach.
    pub(super) async fn take_topic_model(&self, topic: &str) -> Result<TopicModel, Problem> {
        Ok(self.take_held(topic).await?.topic_model)
    }

    /// The same with how it is kept.
    pub(super) async fn take_held(&self, topic: &str) -> Result<Held, Problem> {
        if let Some(held) = self.held.borrow_mut().take_if(|held| held.topic == topic) {
            return Ok(held);
        }
        let mut settings = self.context.store.settings().await?;
        let file = self.context.store.topic_model(topic).await?;
        let known = match file.map(|file| read_model(&file)) {
            // One of a newer version is left alone.
            Some(Err(error @ ModelError::Version(_))) => return Err(error.into()),
            Some(read) => read.ok().and_then(TopicModel::with_knowledge),
            None => None,
        };
        if let Some(mut topic_model) = known {
            topic_model.name_topic(settings.name_of(topic));
            let steps = self.context.store.steps(topic).await?;
            let is_whole = read_again(&steps, &mut topic_model);
            return Ok(Held {
                topic: topic.to_owned(),
                topic_model,
                steps: is_whole.then_some(steps.len() as u32),
            });
        }
        let mut topic_model = TopicModel::new(critics::NAMES[0], strategies::default_name())
            .ok_or(Problem::NoTopicModel)?;
        topic_model.name_topic(settings.name_of(topic));
        let mut marked = Vec::new();
        for mark in self.context.store.marks(topic).await? {
            if let Ok(address) = Address::parse(&mark.address) {
                let terms = marked_terms(&mark.words, topic_model.vocabulary_mut());
                marked.push((address, terms, mark_of(Some(mark.target))));
            }
        }
        topic_model.mark_all(&marked);
        topic_model.take_phrases(settings.said_of(topic));
        for mark in self.context.store.form_marks().await? {
            if let EventKind::Form {
                address,
                form,
                wanted,
                words,
                around,
            } = mark.what
                && mark.topic == topic
                && let Ok(address) = Address::parse(&address)
            {
                topic_model.mark_form(&address, &form, FormWords::new(words, around), wanted);
            }
        }
        // What the companion knows beyond that is asked for again.
        settings.versions.retain(|(name, _)| name != topic);
        let mut change = Change::default();
        change.settings(&settings)?;
        self.context.store.apply(change).await?;
        Ok(Held {
            topic: topic.to_owned(),
            topic_model,
            steps: None,
        })
    }

    /// Keeps a page that the topic model has just read. True if the topic model is due to be kept whole.
    pub(super) fn keep_step(
        &self,
        mut held: Held,
        step: &ModelStep,
        is_new: bool,
        change: &mut Change,
    ) -> Result<bool, Problem> {
        let packed = step.pack().map_err(unwritten)?;
        let about = vec![step.address().to_owned()];
        let line = LedgerLine {
            is_new,
            ..self.ledger.line(Way::Kept, "page", about, packed.len())
        };
        self.ledger.put_down(&line, change)?;
        let number = held.steps.filter(|number| *number < MOST_STEPS);
        let Some(number) = number else {
            self.keep_topic_model(held.topic, held.topic_model, change)?;
            return Ok(false);
        };
        change.step(&held.topic, number, packed);
        held.steps = Some(number + 1);
        self.held.replace(Some(held));
        Ok(number + 1 >= ENOUGH_STEPS)
    }

    /// Holds a topic model in memory that learned nothing which is to be kept.
    pub(super) fn hold(&self, held: Held) {
        self.held.replace(Some(held));
    }

    /// See [`crate::request::Request::KeepTopicModel`].
    pub(super) async fn keep_whole(&self) -> Result<(), Problem> {
        let Some(Held {
            topic, topic_model, ..
        }) = self.held.take()
        else {
            return Ok(());
        };
        let mut change = Change::default();
        self.keep_topic_model(topic, topic_model, &mut change)?;
        Ok(self.context.store.apply(change).await?)
    }

    pub(super) fn keep_topic_model(
        &self,
        topic: String,
        topic_model: TopicModel,
        change: &mut Change,
    ) -> Result<(), Problem> {
        let knowledge = kept(&topic_model);
        change.topic_model(&topic, write_model(&knowledge)?);
        let topic_model = bounded(topic_model, knowledge).ok_or(Problem::NoTopicModel)?;
        self.held.replace(Some(Held {
            topic,
            topic_model,
            steps: Some(0),
        }));
        Ok(())
    }
}

/// What is kept of a topic model.
pub fn kept(topic_model: &TopicModel) -> Knowledge {
    topic_model.knowledge().trimmed(MOST_PAGES, MOST_ARRIVALS)
}

/// The topic model itself, or what was kept of it if it has grown too large for memory.
pub fn bounded(topic_model: TopicModel, kept: Knowledge) -> Option<TopicModel> {
    if topic_model.graph().pages().len() < TOO_MANY {
        return Some(topic_model);
    }
    TopicModel::with_knowledge(kept)
}

pub(super) fn unwritten(error: serde_json::Error) -> Problem {
    DatabaseError::Row(error.to_string()).into()
}

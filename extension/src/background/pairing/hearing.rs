//! What was said elsewhere, on the dashboard or in another browser, comes into force here; and
//! what this browser says is dated so that it comes after all that is in force.
//!
//! The companion's log is the one truth: the outbox is emptied before it is asked, so what it
//! calls in force knows of every word said here.

use linkscent_core::wire::api::{Event, EventKind, TopicView};

use super::Pairing;
use crate::companion::Companion;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::{MarkRow, Settings};
use crate::store::Change;

impl<W: World> Pairing<W> {
    /// Takes in what was said elsewhere since the last time; whether anything is other than
    /// it was.
    pub(super) async fn hear(
        &self,
        companion: &Companion<W>,
        settings: &mut Settings,
    ) -> Result<bool, Problem> {
        let mut is_other = false;
        while let Some(changes) = companion.changes(settings.heard).await? {
            let mut change = Change::default();
            for topic in changes.topics.iter().rev() {
                if !topic.is_deleted {
                    is_other |= take_topic(topic, settings);
                } else if settings.topics.contains(&topic.key) {
                    let change = &mut change;
                    self.topics
                        .delete_all_of(&topic.key, settings, change)
                        .await?;
                    is_other = true;
                }
            }
            let mut latest = self.context.store.latest_word().await?;
            if !changes.in_force.is_empty() {
                let marks = self.context.store.all_marks().await?;
                for event in &changes.in_force {
                    latest = latest.max(event.time as f64);
                    is_other |= take_word(event, &marks, settings, &mut change)?;
                }
                change.latest_word(latest)?;
            }
            let is_news = settings.heard != changes.until || is_other;
            settings.heard = changes.until;
            if is_news {
                change.settings(settings)?;
            }
            self.context.store.apply(change).await?;
            if !changes.more {
                break;
            }
        }
        Ok(is_other)
    }
}

/// A topic that is new here, or is called otherwise, or was removed or brought back.
fn take_topic(topic: &TopicView, settings: &mut Settings) -> bool {
    // An older companion tells no keys.
    let key = [&topic.key, &topic.name];
    let Some(key) = key.into_iter().find(|key| !key.is_empty()) else {
        return false;
    };
    let is_new = !settings.topics.contains(key);
    if is_new {
        settings.topics.push(key.clone());
    }
    let is_renamed = settings.name_of(key) != topic.name;
    settings.set_name(key, &topic.name);
    let was_removed = settings.removed.contains(key);
    if topic.is_removed != was_removed {
        settings.removed.retain(|removed| removed != key);
        if topic.is_removed {
            settings.removed.push(key.clone());
            settings.current.take_if(|current| current == key);
        }
    }
    is_new || is_renamed || topic.is_removed != was_removed
}

/// A mark or a phrase; whether something is other than it was.
fn take_word(
    event: &Event,
    marks: &[MarkRow],
    settings: &mut Settings,
    change: &mut Change,
) -> Result<bool, Problem> {
    match &event.what {
        EventKind::Mark {
            address,
            title,
            target,
            words,
        } => {
            let mut marks = marks.iter();
            let known = marks.find(|mark| mark.topic == event.topic && mark.address == *address);
            let Some(target) = *target else {
                change.unmark(&event.topic, address);
                return Ok(known.is_some());
            };
            let is_same = known.is_some_and(|known| known.target == target);
            // A page that was named on the dashboard has no words there.
            let known = known.filter(|_| words.is_empty());
            change.mark(&MarkRow {
                topic: event.topic.clone(),
                address: address.clone(),
                title: known.map_or_else(|| title.clone(), |known| known.title.clone()),
                target,
                words: known.map_or_else(|| words.clone(), |known| known.words.clone()),
                time: event.time as f64,
            })?;
            Ok(!is_same)
        }
        EventKind::Phrase { text, wanted } => {
            let mut said = settings.said_of(&event.topic);
            let before = said.clone();
            said.retain(|phrase| phrase.0 != *text);
            said.extend(wanted.map(|wanted| (text.clone(), wanted)));
            let is_other = said != before;
            settings.set_said(&event.topic, said);
            Ok(is_other)
        }
        _ => Ok(false),
    }
}

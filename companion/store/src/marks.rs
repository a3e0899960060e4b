//! What follows from a topic's events, whatever keeps them: the person's marks and clicks.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use linkscent_core::address::Address;
use linkscent_core::topic_model::ToForget;
use linkscent_core::wire::api::{Event, EventKind, EventName};

use super::{Store, StoreResult, Topic};
use crate::{clock, secret};

/// A page that is marked just now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkRow {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Target, or "not this".
    pub target: bool,
}

/// The click in an event, if it is one between two pages of the web.
pub(super) fn click(event: &Event) -> Option<(Address, Address)> {
    let EventKind::Click { from, to, .. } = &event.what else {
        return None;
    };
    Some((Address::parse(from).ok()?, Address::parse(to).ok()?))
}

/// The identifiers of the clicks among events that are to be forgotten.
pub fn gone_clicks<'a>(
    events: impl Iterator<Item = &'a Event>,
    gone: &ToForget,
) -> HashSet<String> {
    let gone =
        events.filter(|event| click(event).is_some_and(|click| gone.clicks.contains(&click)));
    gone.map(|event| event.id.clone()).collect()
}

/// Whether an event is to be forgotten, given the identifiers of the clicks that are: with a
/// click goes the visit that it led to.
pub fn is_gone(event: &Event, gone: &ToForget, clicks: &HashSet<String, impl BuildHasher>) -> bool {
    let is_visit = match &event.what {
        EventKind::Visit(visit) => {
            gone.has_time(event.time) || visit.click.as_ref().is_some_and(|id| clicks.contains(id))
        }
        _ => false,
    };
    let mut pages = event.pages();
    if let EventKind::Note { text, .. } = &event.what {
        let signs = |sign: char| !sign.is_ascii_graphic() || "<>()[],;\"'".contains(sign);
        pages.extend(
            text.split(signs)
                .map(|word| word.trim_end_matches(['.', '!', '?'])),
        );
    }
    let mut pages = pages.iter().filter_map(|page| Address::parse(page).ok());
    is_visit || clicks.contains(&event.id) || pages.any(|page| gone.has_page(&page))
}

impl Store {
    /// Something that happens to a topic here and now: after all that was said before, also
    /// if a clock was set back.
    pub async fn happens(&self, topic: &Topic, what: EventKind) -> StoreResult<Event> {
        let now = clock::now() as u64;
        Ok(Event {
            id: secret::random_hex::<16>(),
            topic: topic.key.clone(),
            time: now.max(self.latest_time().await? + 1),
            what,
        })
    }

    /// Puts down what happened here and now, all of it or nothing.
    pub async fn note(&self, topic: &Topic, what: Vec<EventKind>) -> StoreResult<()> {
        let mut events = Vec::new();
        for what in what {
            events.push(self.happens(topic, what).await?);
        }
        self.take_events(&events).await?;
        Ok(())
    }

    /// The marks in force, newest first.
    pub async fn marks(&self, topic: i64) -> StoreResult<Vec<MarkRow>> {
        let mut marks: HashMap<String, (usize, MarkRow)> = HashMap::new();
        for (event, place) in self
            .events_of(topic, EventName::Mark)
            .await?
            .into_iter()
            .zip(0..)
        {
            if let EventKind::Mark {
                address,
                title,
                target,
                ..
            } = event.what
            {
                let Some(target) = target else {
                    marks.remove(&address);
                    continue;
                };
                let mark = MarkRow {
                    address: address.clone(),
                    title,
                    target,
                };
                marks.insert(address, (place, mark));
            }
        }
        let mut marks: Vec<(usize, MarkRow)> = marks.into_values().collect();
        marks.sort_by_key(|(place, _)| Reverse(*place));
        Ok(marks.into_iter().map(|(_, mark)| mark).collect())
    }

    /// The marks on forms in force: page, form, whether it is looked for.
    pub async fn form_marks(&self, topic: i64) -> StoreResult<Vec<(String, String, bool)>> {
        let mut marks: Vec<(String, String, bool)> = Vec::new();
        for event in self.events_of(topic, EventName::Form).await? {
            if let EventKind::Form {
                address,
                form,
                wanted,
                ..
            } = event.what
            {
                marks.retain(|mark| (&mark.0, &mark.1) != (&address, &form));
                marks.extend(wanted.map(|wanted| (address, form, wanted)));
            }
        }
        Ok(marks)
    }

    /// All clicks that were taken in.
    pub async fn clicks(&self) -> StoreResult<Vec<(Address, Address)>> {
        let mut all = Vec::new();
        for topic in self.topics().await? {
            let events = self.events_of(topic.id, EventName::Click).await?;
            all.extend(events.iter().filter_map(click));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_that_names_a_page_goes_with_that_page() {
        let gone = ToForget {
            pages: [Address::parse("http://b.test/x").unwrap()].into(),
            ..ToForget::default()
        };
        for (text, goes) in [
            ("see http://b.test/x.", true),
            ("(<http://b.test/x>)", true),
            ("http://b.test/y is another", false),
            ("b.test", false),
        ] {
            let event = Event {
                id: "1".to_owned(),
                topic: "bees".to_owned(),
                time: 1,
                what: EventKind::Note {
                    address: "http://a.test/".to_owned(),
                    text: text.to_owned(),
                },
            };
            assert_eq!(is_gone(&event, &gone, &HashSet::new()), goes, "{text}");
        }
    }
}

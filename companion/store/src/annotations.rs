//! What the person put pages under, and what they wrote about them, as it follows from a topic's
//! events.

use std::collections::{BTreeMap, BTreeSet};

use linkscent_core::wire::api::{EventKind, EventName};

use super::{Store, StoreResult};

/// What is said of a page beside marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageAnnotations {
    /// What it was put under.
    pub tags: BTreeSet<String>,
    /// What was written about it; empty if nothing.
    pub note: String,
}

impl Store {
    /// The annotations in force on a topic's pages, by their addresses.
    pub async fn annotations(&self, topic: i64) -> StoreResult<BTreeMap<String, PageAnnotations>> {
        let mut annotations: BTreeMap<String, PageAnnotations> = BTreeMap::new();
        for event in self.events_of(topic, EventName::Tag).await? {
            if let EventKind::Tag { address, tag, on } = event.what {
                let tags = &mut annotations.entry(address).or_default().tags;
                if on {
                    tags.insert(tag);
                } else {
                    tags.remove(&tag);
                }
            }
        }
        for event in self.events_of(topic, EventName::Note).await? {
            if let EventKind::Note { address, text } = event.what {
                annotations.entry(address).or_default().note = text;
            }
        }
        annotations.retain(|_, annotation| *annotation != PageAnnotations::default());
        Ok(annotations)
    }
}

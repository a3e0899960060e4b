//! The person's words on pages of the library: marks on many at once, tags and notes.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use linkscent_archive::page::page_at;
use linkscent_core::address::Address;
use linkscent_core::wire::api::{EventKind, as_tag, mark_of};
use linkscent_library::of_key;

use super::Library;
use super::context::Context;
use crate::LibraryQuery;
use crate::ServiceError;
use linkscent_store::{Command, Topic};

/// Tags, notes and judgments on finds.
#[derive(Clone)]
pub struct Annotations {
    pub(super) context: Arc<Context>,
    library: Library,
    last_done: LastDone,
}

impl Annotations {
    pub(super) fn new(context: Arc<Context>, library: Library) -> Self {
        Self {
            context,
            library,
            last_done: LastDone::default(),
        }
    }
}

/// Pages that are judged or tagged in one go at most.
pub const MOST_AT_ONCE: usize = 1_000;

/// A page of the library by the crawl that keeps it and its number there.
pub type PageKey = (i64, u64);

/// What is done with pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Annotation {
    /// They are marked: as targets or not, or their marks are taken back. Pages that were judged
    /// before keep what was said of them, unless marks are taken back.
    Judge(Option<bool>),
    /// They are put under a tag, or taken from there.
    Tag(String, bool),
}

impl Annotation {
    /// As a form or a command says it: `target`, `not`, `undo`, or `tag` and `untag` with a tag.
    pub fn read(verdict: &str, tag: &str) -> Result<Self, ServiceError> {
        let tagged = |on| {
            let tag = as_tag(tag).ok_or_else(|| {
                ServiceError::refused("A tag is a word or a few, of at most 40 letters in all.")
            })?;
            Ok(Self::Tag(tag, on))
        };
        match verdict {
            "target" => Ok(Self::Judge(Some(true))),
            "not" => Ok(Self::Judge(Some(false))),
            "undo" => Ok(Self::Judge(None)),
            "tag" => tagged(true),
            "untag" => tagged(false),
            _ => Err(ServiceError::refused(
                "Pages are marked as target, not, or undo, or put under a tag or taken from there.",
            )),
        }
    }
}

/// Things done to many pages that can be taken back.
const MOST_DONE: usize = 20;

/// What was done to pages, to be taken back.
#[derive(Debug, Clone)]
pub struct Done {
    /// What it is taken back by.
    pub id: u64,
    /// Those that it changed something of.
    pub pages: Vec<PageKey>,
    /// What was done.
    pub annotation: Annotation,
}

/// What was done last, as long as the process runs. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct LastDone(Arc<Mutex<(u64, VecDeque<Done>)>>);

impl LastDone {
    fn keep(&self, pages: Vec<PageKey>, annotation: Annotation) -> Done {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.0 += 1;
        let id = last.0;
        let done = Done {
            id,
            pages,
            annotation,
        };
        last.1.push_back(done.clone());
        if last.1.len() > MOST_DONE {
            last.1.pop_front();
        }
        done
    }

    fn get(&self, id: u64) -> Option<Done> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.1.iter().find(|done| done.id == id).cloned()
    }

    fn forget(&self, id: u64) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.1.retain(|done| done.id != id);
    }
}

impl Annotations {
    /// Says something of pages, so that it can be taken back.
    pub async fn annotate_once(
        &self,
        pages: &[PageKey],
        annotation: Annotation,
    ) -> Result<Done, ServiceError> {
        let changed = self.annotate(pages, &annotation).await?;
        Ok(self.last_done.keep(changed, annotation))
    }

    /// What was done by this number, if it can be taken back.
    pub fn done(&self, id: u64) -> Option<Done> {
        self.last_done.get(id)
    }

    /// Takes back what was done to many pages.
    pub async fn undo(&self, id: u64) -> Result<(), ServiceError> {
        let done = self.last_done.get(id);
        let done = done.ok_or(ServiceError::Missing("thing that can be taken back"))?;
        let back = match &done.annotation {
            Annotation::Judge(_) => Annotation::Judge(None),
            Annotation::Tag(tag, on) => Annotation::Tag(tag.clone(), !on),
        };
        self.annotate_where(&done.pages, &back, Some(&done.annotation))
            .await?;
        self.last_done.forget(id);
        Ok(())
    }

    /// The first pages that a search finds, at most [`MOST_AT_ONCE`].
    pub async fn found_keys(
        &self,
        topic: Option<&Topic>,
        query: &LibraryQuery,
    ) -> Result<Vec<PageKey>, ServiceError> {
        let query = LibraryQuery {
            skip: 0,
            ..query.clone()
        };
        let found = self.library.find(topic, &query, MOST_AT_ONCE).await?.0;
        Ok(found.hits.iter().map(|hit| of_key(hit.key)).collect())
    }

    /// Says something of pages; those of which it was not true before, so that it can be undone.
    pub async fn annotate(
        &self,
        pages: &[PageKey],
        annotation: &Annotation,
    ) -> Result<Vec<PageKey>, ServiceError> {
        self.annotate_where(pages, annotation, None).await
    }

    /// The same of pages of which something still holds.
    async fn annotate_where(
        &self,
        pages: &[PageKey],
        annotation: &Annotation,
        held: Option<&Annotation>,
    ) -> Result<Vec<PageKey>, ServiceError> {
        if pages.len() > MOST_AT_ONCE {
            return Err(ServiceError::refused(format!(
                "at most {MOST_AT_ONCE} pages at once"
            )));
        }
        let mut of_topics: BTreeMap<i64, Vec<(PageKey, String)>> = BTreeMap::new();
        for &(crawl, number) in pages {
            let (row, _) = self.context.crawl(crawl).await?;
            let kept = self.library.kept_row(crawl, number).await?;
            let of_topic = of_topics.entry(row.topic).or_default();
            of_topic.push(((crawl, number), kept.address));
        }
        let mut done = Vec::new();
        for (topic, pages) in of_topics {
            let topic = self.context.topic(topic).await?;
            done.extend(match annotation {
                Annotation::Judge(target) => {
                    let held = match held {
                        Some(Annotation::Judge(held)) => *held,
                        _ => None,
                    };
                    self.judge(&topic, pages, *target, held).await?
                }
                Annotation::Tag(tag, on) => self.tag(&topic, pages, tag, *on).await?,
            });
        }
        self.context.say_changed();
        Ok(done)
    }

    async fn judge(
        &self,
        topic: &Topic,
        pages: Vec<(PageKey, String)>,
        target: Option<bool>,
        held: Option<bool>,
    ) -> Result<Vec<PageKey>, ServiceError> {
        let marks = self.context.store.marks(topic.id).await?.into_iter();
        let known: HashMap<String, bool> = marks.map(|mark| (mark.address, mark.target)).collect();
        let (mut done, mut events, mut commands) = (Vec::new(), Vec::new(), HashMap::new());
        for ((crawl, number), address) in pages {
            // Whoever judges many at once overrules nothing that was said of one.
            let before = known.get(&address).copied();
            if before.is_some() == target.is_some() || held.is_some_and(|held| before != Some(held))
            {
                continue;
            }
            let row = self.library.kept_row(crawl, number).await?;
            let archive = self.context.store.warc_path(crawl);
            let reading = tokio::task::spawn_blocking(move || {
                let address = Address::parse(&row.address).ok()?;
                page_at(&archive, row.offset, &address).ok()
            });
            let read = reading.await.map_err(anyhow::Error::from)?;
            events.push(match read {
                Some((page, _)) => EventKind::mark(&page, target),
                None => EventKind::mark_unread(&address, target),
            });
            if let Ok(address) = Address::parse(&address) {
                let told: &mut Vec<Command> = commands.entry(crawl).or_default();
                told.push(Command::Mark(address, mark_of(target)));
            }
            done.push((crawl, number));
        }
        self.context.store.note(topic, events).await?;
        for (crawl, commands) in commands {
            for command in commands {
                self.context.supervisor.send(crawl, command).await?;
            }
        }
        Ok(done)
    }

    async fn tag(
        &self,
        topic: &Topic,
        pages: Vec<(PageKey, String)>,
        tag: &str,
        on: bool,
    ) -> Result<Vec<PageKey>, ServiceError> {
        let annotations = self.context.store.annotations(topic.id).await?;
        let has = |address: &String| {
            let annotations = annotations.get(address);
            annotations.is_some_and(|annotations| annotations.tags.contains(tag))
        };
        let pages: Vec<(PageKey, String)> = pages
            .into_iter()
            .filter(|(_, address)| has(address) != on)
            .collect();
        let events = pages.iter().map(|(_, address)| EventKind::Tag {
            address: address.clone(),
            tag: tag.to_owned(),
            on,
        });
        self.context.store.note(topic, events.collect()).await?;
        Ok(pages.into_iter().map(|(page, _)| page).collect())
    }

    /// Writes about a page that a crawl keeps; an empty text takes the note away.
    pub async fn write_note(
        &self,
        crawl: i64,
        number: u64,
        text: &str,
    ) -> Result<(), ServiceError> {
        let (row, topic) = self.context.crawl(crawl).await?;
        let kept = self.library.kept_row(row.id, number).await?;
        let longest = linkscent_core::wire::api::LONGEST_NOTE;
        let text = text.trim().replace("\r\n", "\n");
        if text.chars().count() > longest {
            return Err(ServiceError::refused(format!(
                "A note has at most {longest} characters."
            )));
        }
        let note = EventKind::Note {
            address: kept.address,
            text,
        };
        self.context.store.note(&topic, vec![note]).await?;
        self.context.say_changed();
        Ok(())
    }
}

#[cfg(test)]
mod tests;

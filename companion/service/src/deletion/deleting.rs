//! Crawls and topics that are removed from sight, and deleted for good, with their archives; and
//! everything.
//!
//! What was deleted in the store is gone for everybody at once; archives go after it. Where the
//! program ends in between, they go when it starts again.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result};
use linkscent_core::wire::api::Event;

use crate::Deletion;
use crate::ServiceError;
use crate::crawler::delete_checkpoint;
use crate::deletion::forgetting::bring_to_rest;
use crate::deletion::forgetting::go_on;
use linkscent_store::{CrawlRow, Store, Topic, delete_requests, delete_turns};

impl Deletion {
    /// Deletes a crawl, its log and its archive. What the topic's model learned from it stays.
    /// Once begun it is done to its end, whether or not somebody waits.
    pub async fn delete_crawl(&self, crawl: &CrawlRow) -> Result<(), ServiceError> {
        self.delete_crawls(vec![crawl.clone()]).await
    }

    /// The same of several.
    pub(crate) async fn delete_crawls(&self, crawls: Vec<CrawlRow>) -> Result<(), ServiceError> {
        let service = self.clone();
        let deleted = tokio::spawn(async move {
            let _one_at_a_time = service.context.forgetting.lock().await;
            let ids: Vec<i64> = crawls.iter().map(|crawl| crawl.id).collect();
            bring_to_rest(&service.context, crawls, &mut Vec::new()).await?;
            let mut deleted = Ok(());
            for id in ids {
                service.context.supervisor.drop_given(id);
                deleted = service.context.store.delete_crawl(id).await;
                if deleted.is_err() {
                    break;
                }
            }
            // Of those that were, nothing is left either way.
            service.clean_up().await?;
            anyhow::Ok(deleted?)
        });
        deleted.await.map_err(anyhow::Error::from)??;
        Ok(())
    }

    /// Deletes topics that these events say are deleted, and what is still said of topics that
    /// were.
    pub(crate) async fn delete_removed(&self, events: &[Event]) -> Result<(), ServiceError> {
        let keys: BTreeSet<&str> = events.iter().map(|event| &*event.topic).collect();
        let mut gone = Vec::new();
        for key in keys {
            let topic = self.context.store.find_topic(key).await?;
            gone.extend(topic.filter(|topic| topic.is_deleted));
        }
        if gone.is_empty() {
            return Ok(());
        }
        let service = self.clone();
        let deleted = tokio::spawn(async move {
            let _one_at_a_time = service.context.forgetting.lock().await;
            service.delete_topics(gone).await
        });
        deleted.await.map_err(anyhow::Error::from)??;
        Ok(())
    }

    async fn delete_topics(&self, gone: Vec<Topic>) -> Result<()> {
        for topic in gone {
            let crawls = self.context.store.crawls(Some(topic.id)).await?;
            bring_to_rest(&self.context, crawls, &mut Vec::new()).await?;
            self.context.store.delete_topic(topic.id).await?;
        }
        self.clean_up().await
    }

    /// Deletes what a program that ended in between left: called once, before crawls go on.
    pub async fn finish_deleting(&self) -> Result<()> {
        let topics = self.context.store.topics().await?.into_iter();
        let mut unfinished = Vec::new();
        for topic in topics.filter(|topic| topic.is_deleted) {
            if self.context.store.events(topic.id).await?.len() > 1
                || !self.context.store.crawls(Some(topic.id)).await?.is_empty()
            {
                unfinished.push(topic);
            }
        }
        if !unfinished.is_empty() {
            return self.delete_topics(unfinished).await;
        }
        if !self.context.store.deleted_crawls().await?.is_empty() {
            self.context.forget_index().await?;
        }
        delete_archives(&self.context.store).await.map(drop)
    }

    /// Deletes everything but accounts: topics, crawls, archives, paired browsers, what people did. Crawls that run elsewhere
    /// on this folder are ended first.
    pub async fn delete_everything(&self) -> Result<(), ServiceError> {
        let service = self.clone();
        let deleted = tokio::spawn(async move {
            let _one_at_a_time = service.context.forgetting.lock().await;
            let crawls = service.context.store.crawls(None).await?;
            let mut paused = Vec::new();
            if let Err(error) = bring_to_rest(&service.context, crawls.clone(), &mut paused).await {
                go_on(&service.context, paused).await;
                return Err(error);
            }
            let archived = service.context.store.deleted_crawls().await?;
            service.context.store.delete_everything().await?;
            service.context.tallies.clear();
            delete_turns(service.context.store.folder())?;
            for id in archived
                .into_iter()
                .chain(crawls.iter().map(|crawl| crawl.id))
            {
                delete_archive(&service.context.store, id)?;
            }
            service.clean_up().await
        });
        deleted.await.map_err(anyhow::Error::from)??;
        Ok(())
    }

    /// Deletes all that browsers kept as it was read. Whoever calls sees to it that nothing else is
    /// deleted or forgotten meanwhile.
    pub(crate) async fn delete_readings(&self) -> Result<()> {
        let crawls = self.context.store.crawls(None).await?.into_iter();
        let readings: Vec<CrawlRow> = crawls.filter(CrawlRow::is_reading).collect();
        if readings.is_empty() {
            return Ok(());
        }
        for crawl in readings {
            self.context.store.delete_crawl(crawl.id).await?;
        }
        self.clean_up().await
    }

    async fn clean_up(&self) -> Result<()> {
        self.context.forget_index().await?;
        delete_archives(&self.context.store).await?;
        self.context.store.sweep().await?;
        self.context.topic_models.clear();
        self.context.say_changed();
        // They are deleted later where they cannot be now, as all else is here.
        if let Err(error) = self.context.store.sweep_copies().await {
            tracing::warn!("copies of what was deleted stay until they can be deleted: {error:#}");
        }
        Ok(())
    }
}

/// Deletes the archives of crawls that were deleted.
async fn delete_archives(store: &Store) -> Result<()> {
    for id in store.deleted_crawls().await? {
        delete_archive(store, id)?;
    }
    Ok(())
}

fn delete_archive(store: &Store, crawl: i64) -> Result<()> {
    delete_checkpoint(&store.checkpoint_path(crawl))
        .with_context(|| format!("deleting the checkpoint of crawl {crawl}"))?;
    delete_requests(&store.requests_path(crawl))
        .with_context(|| format!("deleting the open requests of crawl {crawl}"))?;
    delete_file(&store.warc_path(crawl))?;
    delete_file(&store.lock_path(crawl))
}

fn delete_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("deleting {}", path.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;

//! What crawls for other topics read of the sites of one: put together from the models that they
//! left, so what their topics forget is not remembered.
//!
//! A topic is not told what another one read that not all of its own people may see.

use std::collections::BTreeSet;

use anyhow::Result;
use linkscent_core::crawl::Session;
use linkscent_core::site_memory::SiteMemory;

use crate::learning::topic_model::kept_knowledge;
use linkscent_store::{CrawlRow, Store, Topic};

/// Topics that are remembered, those that were crawled for last: each model is read whole.
const MOST_TOPICS: usize = 8;
/// Topics whose sites are listed.
const MOST_LISTED: usize = 50;

/// What a crawl for this topic is told.
pub async fn for_topic(store: &Store, topic: i64) -> Result<SiteMemory> {
    let mut memory = SiteMemory::default();
    let forgotten: BTreeSet<String> = store.forgotten_sites().await?.into_iter().collect();
    for other in others(store, topic).await? {
        if memory.is_full() {
            break;
        }
        if let Some(known) = kept_knowledge(store, &other).await? {
            known.remembered_by(&mut memory, |page| !forgotten.contains(page.host()));
        }
    }
    Ok(memory)
}

/// Tells a crawl, if its strategy makes something of it.
pub async fn tell(store: &Store, crawl: &CrawlRow, session: &mut Session) -> Result<()> {
    if session.topic_model().strategy().profile().reading.memory {
        let memory = for_topic(store, crawl.topic).await?;
        if !memory.is_empty() {
            session.amend(|topic_model| topic_model.remember_sites(memory));
        }
    }
    Ok(())
}

/// All that any crawl may be told, what is forgotten included: for each topic, the newest first.
pub async fn of_all(store: &Store) -> Result<Vec<SiteMemory>> {
    let mut memories = Vec::new();
    for topic in crawled(store).await?.iter().take(MOST_LISTED) {
        if let Some(known) = kept_knowledge(store, topic).await? {
            let mut memory = SiteMemory::default();
            known.remembered_by(&mut memory, |_| true);
            memories.push(memory);
        }
    }
    Ok(memories)
}

/// Other topics, of which this one's crawls are told.
async fn others(store: &Store, topic: i64) -> Result<Vec<Topic>> {
    let own = people(store, topic).await?;
    let mut others = Vec::new();
    for other in crawled(store).await? {
        let is_other = other.id != topic && others.len() < MOST_TOPICS;
        if is_other && own.is_subset(&people(store, other.id).await?) {
            others.push(other);
        }
    }
    Ok(others)
}

/// Topics that were crawled for, those crawled for last first.
async fn crawled(store: &Store) -> Result<Vec<Topic>> {
    let mut crawls = store.web_crawls(None).await?;
    crawls.sort_unstable_by_key(|crawl| std::cmp::Reverse(crawl.id));
    let mut numbers: Vec<i64> = Vec::new();
    for crawl in crawls.iter().filter(|crawl| !crawl.is_removed) {
        if !numbers.contains(&crawl.topic) {
            numbers.push(crawl.topic);
        }
    }
    let topics = store.topics().await?;
    let there = |number: i64| topics.iter().find(|topic| topic.id == number);
    let found = numbers.into_iter().filter_map(there);
    let found = found.filter(|topic| !topic.is_removed && !topic.is_deleted);
    Ok(found.cloned().collect())
}

/// Accounts with a role of their own in a topic; none where one person works alone.
async fn people(store: &Store, topic: i64) -> Result<BTreeSet<i64>> {
    let people = store.people_of(topic).await?;
    Ok(people.into_iter().map(|(person, _)| person.id).collect())
}

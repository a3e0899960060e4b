//! What crawls for other topics read of the sites of one: put together from the models that they
//! left, so what their topics forget is not remembered.
//!
//! A topic is not told what another one read that not all of its own people may see. And a crawl asks
//! by itself for no page that only a browser has read.

use std::collections::{BTreeSet, HashSet};

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::Session;
use linkscent_core::guide::Guide;
use linkscent_core::site_memory::{MOST_REMEMBERED, SiteMemory};

use crate::store::{CrawlRow, Store, Topic};
use crate::topic_guide::kept_knowledge;

/// Topics that are remembered, those that were crawled for last: each model is read whole.
const MOST_TOPICS: usize = 8;
/// Pages that are looked at for those that a crawl begins with.
const MOST_LOOKED_AT: usize = 3 * MOST_REMEMBERED;

/// What a crawl for this topic is told.
pub async fn for_topic(store: &Store, topic: i64) -> Result<SiteMemory> {
    let mut memory = SiteMemory::default();
    let forgotten: BTreeSet<String> = store.forgotten_sites().await?.into_iter().collect();
    for other in others(store, topic).await? {
        if let Some(known) = kept_knowledge(store, &other).await? {
            known.remembered_by(&mut memory, |page| !forgotten.contains(page.host()));
        }
    }
    Ok(memory)
}

/// Tells a crawl, and has it begin with the best of those pages that another crawl fetched.
pub async fn tell(store: &Store, crawl: &CrawlRow, session: &mut Session) -> Result<()> {
    if !session.guide().profile().reading.memory {
        return Ok(());
    }
    let memory = for_topic(store, crawl.topic).await?;
    if memory.is_empty() {
        return Ok(());
    }
    session.amend(|guide| guide.remember_sites(memory));
    let best = begun_with(store, crawl.topic, session.guide()).await?;
    session.offer_remembered(best);
    Ok(())
}

/// The best of the pages that a guide remembers and another topic's crawl fetched.
pub async fn begun_with(store: &Store, topic: i64, guide: &Guide) -> Result<Vec<Address>> {
    let mut best = guide.best_remembered(MOST_LOOKED_AT);
    let addresses: Vec<String> = best.iter().map(ToString::to_string).collect();
    let crawls = store.web_crawls(None).await?;
    let crawls: HashSet<i64> = crawls.iter().map(|crawl| crawl.id).collect();
    let mut fetched: HashSet<String> = HashSet::new();
    for other in others(store, topic).await? {
        let copies = store.copies(other.id, &addresses).await?.into_iter();
        let of_crawls = copies.filter(|copy| crawls.contains(&copy.crawl));
        fetched.extend(of_crawls.map(|copy| copy.address));
    }
    best.retain(|page| fetched.contains(page.as_str()));
    best.truncate(MOST_REMEMBERED);
    Ok(best)
}

/// All that any crawl may be told, what is forgotten included.
pub async fn of_all(store: &Store) -> Result<SiteMemory> {
    let mut memory = SiteMemory::default();
    for topic in crawled(store).await? {
        if let Some(known) = kept_knowledge(store, &topic).await? {
            known.remembered_by(&mut memory, |_| true);
        }
    }
    Ok(memory)
}

/// Other topics, of which this one's crawls are told.
async fn others(store: &Store, topic: i64) -> Result<Vec<Topic>> {
    let own = people(store, topic).await?;
    let mut others = Vec::new();
    for other in crawled(store).await? {
        if other.id != topic && own.is_subset(&people(store, other.id).await?) {
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
    Ok(found.take(MOST_TOPICS).cloned().collect())
}

/// Accounts with a role of their own in a topic; none where one person works alone.
async fn people(store: &Store, topic: i64) -> Result<BTreeSet<i64>> {
    let people = store.people_of(topic).await?;
    Ok(people.into_iter().map(|(person, _)| person.id).collect())
}

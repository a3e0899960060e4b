//! What a crawl is resumed from: the guide, bounds and seeds it began with, and as much
//! of its archive as can still be read.

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::crawl::{CrawlDelay, Limits, Scope, Seed};
use linkscent_core::guide::Guide;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::read_model;

use super::replay::Replayed;
use crate::store::{CrawlRow, Store};
use crate::topic_guide;

/// The guide that a crawl began with. Where its model cannot be read any more, one
/// made of the marks stands in for it.
pub(super) async fn start_guide(store: &Store, crawl: &CrawlRow) -> Result<Guide> {
    let read = match read_model(&store.start_model(crawl.id).await?) {
        Ok(knowledge) => Guide::with_knowledge(knowledge)
            .context("the crawl's model names a critic or strategy this version lacks"),
        Err(error) => Err(error.into()),
    };
    let error = match read {
        Ok(guide) => return Ok(guide),
        Err(error) => error,
    };
    let said = format!(
        "the model that crawl {} began with cannot be used ({error}); it goes on with one made of \
         what was marked, and may choose other links than before",
        crawl.id
    );
    store.notice(crawl.topic, Some(crawl.id), &said).await?;
    let topic = store.topic(crawl.topic).await?;
    let topic = topic.context("the crawl's topic is not there")?;
    topic_guide::of(store, &topic, None, None).await
}

/// Puts down what was lost; how many bytes of the archive count from now on.
pub(super) async fn take_stock(
    store: &Store,
    crawl: &CrawlRow,
    replayed: &Replayed,
) -> Result<u64> {
    let archive = store.warc_path(crawl.id);
    let there = std::fs::metadata(&archive).map_or(0, |metadata| metadata.len());
    let Some(first) = replayed.lost.first() else {
        return Ok(crawl.warc_length.min(there));
    };
    // Records are only cut off where the file is too short: others may still be read
    // by whoever mends it.
    let length = match replayed.end {
        Some(end) if there < crawl.warc_length => end.min(there),
        _ => crawl.warc_length.min(there),
    };
    let count = replayed.lost.len();
    let said = format!(
        "{count} page{} of crawl {} cannot be read any more and {} asked for again; the first is \
         request {}: {}",
        if count == 1 { "" } else { "s" },
        crawl.id,
        if count == 1 { "is" } else { "are" },
        first.number,
        first.problem
    );
    store.lose_pages(crawl.id, &replayed.lost, length).await?;
    store.notice(crawl.topic, Some(crawl.id), &said).await?;
    Ok(length)
}

/// Rest of a host between requests, in milliseconds, unless another is wanted; also where
/// a crawl that was begun without one, on a web replayed on this machine, goes on
/// elsewhere.
pub const DEFAULT_DELAY: u64 = 1_000;

/// The bounds that a crawl was ordered with.
pub(super) fn limits(crawl: &CrawlRow, is_replay: bool) -> Limits {
    let delay = match crawl.order.delay {
        0 if !is_replay => DEFAULT_DELAY,
        delay => delay,
    };
    Limits {
        budget: crawl.order.budget,
        delay: CrawlDelay(delay),
        scope: Scope {
            hosts: crawl.order.hosts.clone(),
        },
        stopping: crawl.order.stopping,
    }
}

/// Where a crawl begins, with the pages marked as targets.
pub(super) fn seeds(crawl: &CrawlRow) -> Result<Vec<Seed>> {
    let seed = |(address, example): &(String, bool)| {
        Ok(Seed {
            address: Address::parse(address)?,
            mark: example.then_some(Mark::Target),
        })
    };
    crawl.order.seeds.iter().map(seed).collect()
}

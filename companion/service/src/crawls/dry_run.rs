//! What a crawl would fetch, before anything is fetched: one that rests, from where its log ends,
//! or one that is still to begin, by the pages that earlier crawls of its topic kept.
//!
//! Left out: models of hop distances are not trained again on the way, as a crawl by one is when
//! it goes on.

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::crawl::{CrawlDelay, DryRun, Limits, Seed, Session};
use linkscent_core::page::Page;
use linkscent_core::strategies::SplitMix;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;
use tokio::runtime::Handle;

use crate::Crawls;
use crate::NewCrawl;
use crate::ServiceError;
use crate::crawler::{TakenUp, take_up};
use crate::learning::site_memory;
use crate::page_archive;
use linkscent_store::{CrawlRow, Order, Store, Topic};

/// Pages that are named.
pub const MOST_UPCOMING: usize = 100;

impl Crawls {
    /// What a crawl would fetch next if it went on as it stands.
    pub async fn dry_run_of(&self, crawl: &CrawlRow) -> Result<DryRun, ServiceError> {
        let (store, crawl) = (self.context.store.clone(), crawl.clone());
        let is_replay = self.context.way.is_loopback_proxy();
        let handle = Handle::current();
        let mut crawl = crawl;
        let left_out = &mut crawl.order.spec.scope.left_out;
        left_out.extend_from_slice(&self.context.way.never);
        let run = tokio::task::spawn_blocking(move || {
            let taken_up = take_up(&store, &crawl, is_replay, &handle, |_| {})?;
            let TakenUp {
                session, mut rng, ..
            } = taken_up;
            anyhow::Ok(session.dry_run(MOST_UPCOMING, |_| None, &mut rng))
        });
        Ok(run.await.map_err(anyhow::Error::from)??)
    }

    /// What a crawl would fetch that was begun so. Nothing is begun.
    pub async fn dry_run(&self, topic: &Topic, new: &NewCrawl) -> Result<DryRun, ServiceError> {
        let (order, topic_model) = self.unbegun(topic, new).await?;
        let (store, topic) = (self.context.store.clone(), topic.id);
        let handle = Handle::current();
        let run = tokio::task::spawn_blocking(move || {
            let crawls = handle.block_on(store.web_crawls(Some(topic)))?;
            let mut topic_model = topic_model;
            if topic_model.strategy().profile().reading.memory {
                topic_model.remember_sites(handle.block_on(site_memory::for_topic(&store, topic))?);
            }
            let session = unbegun_session(topic_model, &order)?;
            let mut rng = SplitMix(order.spec.random_seed);
            let at_hand = |page: &Address| kept(&store, &crawls, page, &handle).map(Box::new);
            anyhow::Ok(session.dry_run(MOST_UPCOMING, at_hand, &mut rng))
        });
        Ok(run.await.map_err(anyhow::Error::from)??)
    }
}

fn unbegun_session(topic_model: TopicModel, order: &Order) -> Result<Session> {
    let seed = |(address, example): &(String, bool)| {
        Ok(Seed {
            address: Address::parse(address).context("a page to begin at")?,
            mark: example.then_some(Mark::Target),
        })
    };
    let seeds: Vec<Seed> = order.seeds.iter().map(seed).collect::<Result<_>>()?;
    let limits = Limits {
        requests: None,
        budget: order.spec.budget,
        delay: CrawlDelay(0),
        scope: order.spec.scope.clone(),
        stopping: order.spec.stopping,
        takes_repeats: false,
        follows_all: false,
        until_recall: None,
    };
    Ok(Session::new(topic_model, limits, seeds))
}

/// A page as the newest of these crawls that has it kept it. One whose copy is damaged is none:
/// it would be fetched.
fn kept(store: &Store, crawls: &[CrawlRow], page: &Address, handle: &Handle) -> Option<Page> {
    crawls.iter().find_map(|crawl| {
        let kept = page_archive::page(store, crawl.id, page.as_str());
        handle.block_on(kept).ok().flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;
    use crate::Starts;
    use crate::crawler::fake_web::web_about;
    use linkscent_store::CrawlState;

    const WORDS: &str = "bees in the hive, honey and pollen";

    fn new(budget: u64) -> NewCrawl {
        NewCrawl::new(Starts::default(), budget)
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_crawl_fetches_what_its_dry_run_names() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, web_about(|_| WORDS).await);
        let page = "http://host0.test/0".to_owned();
        let targets = std::slice::from_ref(&page);
        let topic = service.topics.create_topic("bees", targets).await.unwrap();
        // Of pages never fetched only where to begin is known.
        let run = service.crawls.dry_run(&topic, &new(5)).await.unwrap();
        assert_eq!(run.pages.len(), 1);
        assert_eq!(run.pages[0].address.as_str(), page);
        assert!(service.context.store.crawls(None).await.unwrap().is_empty());

        let crawl = service.crawls.begin_crawl(&topic, &new(8)).await.unwrap();
        let mut changes = service.context.supervisor.changes();
        loop {
            let row = service.crawls.crawl(crawl.id).await.unwrap().0;
            if row.state == CrawlState::Done && !service.context.store.is_locked(crawl.id) {
                break;
            }
            changes.changed().await.unwrap();
        }
        let fetched = service.context.store.fetches(crawl.id).await.unwrap();
        let next = service.crawls.dry_run_of(&crawl).await.unwrap();
        assert!(!next.pages.is_empty());
        let again = |page: &str| fetched.iter().any(|row| row.address == page);
        assert!(next.pages.iter().all(|page| !again(page.address.as_str())));
        // A new crawl is played through with what the last one kept.
        let run = service.crawls.dry_run(&topic, &new(100)).await.unwrap();
        assert!(run.pages.len() > fetched.len(), "{}", run.pages.len());
        assert!(run.pages[0].is_marked && run.expected > 0.0);
        assert_eq!(service.context.store.crawls(None).await.unwrap().len(), 1);
    }
}

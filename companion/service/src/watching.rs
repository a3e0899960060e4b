//! Topics that stand: now and then pages that may have changed are looked at again, and links
//! that came to them are followed, most promising first. A recrawl is a crawl like others, from
//! pages that are worth a look, see [`worth_a_look`]; what it adds is new in the library.
//!
//! How pages change follows from the logs of the topic's crawls: nothing else is kept of it.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::{Watched, is_within, worth_a_look};

use super::Crawls;
use super::context::Context;
use super::{NewCrawl, ServiceError, Starts};
use linkscent_store::{CrawlKind, CrawlRow, LookRow, StandingTopic, Topic};
use linkscent_store::{clock, secret};
use std::sync::Arc;

/// Watched topics, which are looked after in recrawls.
#[derive(Clone)]
pub struct Watching {
    pub(super) context: Arc<Context>,
    crawls: Crawls,
}

impl Watching {
    pub(super) fn new(context: Arc<Context>, crawls: Crawls) -> Self {
        Self { context, crawls }
    }
}

/// Between two recrawls at least, and at most.
pub const LEAST_EVERY: Duration = Duration::from_mins(10);
/// See [`LEAST_EVERY`].
pub const MOST_EVERY: Duration = Duration::from_hours(90 * 24);
/// Requests of one recrawl unless another number is wanted, and at most.
pub const USUAL_REQUESTS: u64 = 100;
/// See [`USUAL_REQUESTS`].
pub const MOST_REQUESTS: u64 = 10_000;
/// Between two looks whether a recrawl is due.
const LOOKED_EVERY: Duration = Duration::from_secs(20);

/// What earlier requests tell of each page that a topic has.
fn watched(looks: &[LookRow]) -> Vec<Watched> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut pages: Vec<Watched> = Vec::new();
    for look in looks {
        let time = look.time.max(0) as u64;
        if let Some(place) = places.get(&*look.address) {
            let page = &mut pages[*place];
            if look.is_recrawl {
                page.look(time, look.came);
            } else {
                // An ordinary crawl does not ask whether it has changed.
                page.last = page.last.max(time);
            }
        } else if let (true, Ok(address)) = (look.came, Address::parse(&look.address)) {
            places.insert(&look.address, pages.len());
            pages.push(Watched::new(address, time, 0));
        }
        let from = look.from.as_deref().filter(|_| look.is_target);
        if let Some(place) = from.and_then(|from| places.get(from)) {
            let page = &mut pages[*place];
            if look.is_recrawl {
                page.news += 1;
            } else {
                page.led_to += 1;
            }
        }
    }
    pages
}

impl Watching {
    /// How a topic stands, if it does.
    pub async fn standing(&self, topic: &Topic) -> Result<Option<StandingTopic>, ServiceError> {
        let mut standing = self.context.store.standing().await?.into_iter();
        Ok(standing.find(|standing| standing.topic == topic.id))
    }

    /// Has a topic stand: a recrawl of so many requests at most each so often, the first one after
    /// that time. Its feed stays where it is.
    pub async fn stand(
        &self,
        topic: &Topic,
        every: Duration,
        requests: u64,
    ) -> Result<StandingTopic, ServiceError> {
        if !(LEAST_EVERY..=MOST_EVERY).contains(&every) {
            return Err(ServiceError::refused(
                "Between two looks lie ten minutes at least and 90 days at most.",
            ));
        }
        if !(1..=MOST_REQUESTS).contains(&requests) {
            return Err(ServiceError::refused(format!(
                "A recrawl makes 1 to {MOST_REQUESTS} requests."
            )));
        }
        let known = self.standing(topic).await?;
        let every = every.as_millis() as i64;
        let standing = StandingTopic {
            topic: topic.id,
            every,
            requests,
            due: clock::now() + every,
            feed: known.map_or_else(secret::random_hex::<24>, |known| known.feed),
        };
        self.context.store.stand(&standing).await?;
        Ok(standing)
    }

    /// A topic stands no longer; its feed is gone.
    pub async fn rest(&self, topic: &Topic) -> Result<(), ServiceError> {
        Ok(self.context.store.rest(topic.id).await?)
    }

    /// Begins a recrawl for a topic and leaves it to be run by whoever takes it up; none where no
    /// page is worth a look.
    pub async fn prepare_recrawl(
        &self,
        topic: &Topic,
        requests: u64,
    ) -> Result<Option<CrawlRow>, ServiceError> {
        let _nothing_is_forgotten_meanwhile = self.context.forgetting.lock().await;
        let topic = &self.context.topic(topic.id).await?;
        if topic.is_removed {
            return Ok(None);
        }
        let crawls = self.context.store.web_crawls(Some(topic.id)).await?;
        if crawls
            .iter()
            .any(|crawl| self.context.store.is_locked(crawl.id))
        {
            return Err(ServiceError::refused(
                "A crawl of this topic is running: it looks for new pages anyway.",
            ));
        }
        let looks = self.context.store.looks(topic.id).await?;
        let mut pages = watched(&looks);
        let denied = self.context.store.denied(topic.id).await?;
        pages.retain(|page| denied.binary_search(&page.address.to_string()).is_err());
        let usual = crawls.iter().find(|crawl| !crawl.is_recrawl());
        let left_since = usual.map_or(&[][..], |usual| &usual.left_since);
        let is_left_out = |page: &Address| left_since.iter().any(|host| is_within(page, host));
        pages.retain(|page| !is_left_out(&page.address));
        // What is looked at may have new links: as many requests are left for these.
        let most = usize::try_from(requests.div_ceil(2)).unwrap_or(usize::MAX);
        let seeds = worth_a_look(&pages, clock::now().max(0) as u64, most);
        if seeds.is_empty() {
            return Ok(None);
        }
        let mut usual = usual.map(|crawl| crawl.order.clone());
        if let Some(usual) = &mut usual {
            usual.spec.scope.left_out.extend_from_slice(left_since);
        }
        let seeds = seeds
            .into_iter()
            .map(|page| pages[page].address.to_string());
        let starts = Starts {
            seeds: seeds.collect(),
            ..Starts::default()
        };
        let mut new = NewCrawl::new(starts, requests);
        new.kind = CrawlKind::Recrawl;
        if let Some(usual) = usual {
            new.spec.delay = usual.spec.delay.filter(|delay| *delay > 0);
            new.spec.scope = usual.spec.scope;
        }
        Ok(Some(self.crawls.prepare_crawl(topic, &new).await?))
    }

    /// Begins a round and runs it here.
    pub async fn begin_recrawl(
        &self,
        topic: &Topic,
        requests: u64,
    ) -> Result<Option<CrawlRow>, ServiceError> {
        let recrawl = self.prepare_recrawl(topic, requests).await?;
        if let Some(recrawl) = &recrawl {
            self.context.supervisor.start(recrawl.id);
        }
        Ok(recrawl)
    }

    /// Begins recrawls as they are due, as long as this is polled. What fails is told, and the
    /// topic's next recrawl comes at its time.
    pub async fn keep_watch(&self) -> Result<()> {
        let mut looks = tokio::time::interval(LOOKED_EVERY);
        loop {
            looks.tick().await;
            let now = clock::now();
            let standing = match self.context.store.standing().await {
                Ok(standing) => standing,
                Err(error) => {
                    tracing::warn!("it is not known which topics stand: {error}");
                    continue;
                }
            };
            for standing in standing {
                // One that lies further ahead was put there by a clock that was wrong.
                if (now + 1..=now + standing.every).contains(&standing.due) {
                    continue;
                }
                if let Err(error) = self.round_is_due(standing, now).await {
                    tracing::warn!("no recrawl of a watched topic: {error}");
                }
            }
        }
    }

    async fn round_is_due(&self, standing: StandingTopic, now: i64) -> Result<(), ServiceError> {
        // The person may have said otherwise meanwhile.
        if !self
            .context
            .store
            .put_off(&standing, now + standing.every)
            .await?
        {
            return Ok(());
        }
        let topic = self.context.topic(standing.topic).await?;
        self.begin_recrawl(&topic, standing.requests).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;

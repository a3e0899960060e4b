//! Crawls that get more: pages to fetch, also once they are over, and pages to start from while they
//! are not; and hosts that they leave out from then on.

use std::ops::RangeInclusive;

use linkscent_core::address::Address;
use linkscent_core::crawl::{LARGEST_BUDGET, Reaction, as_host, is_within};

use crate::Crawls;
use crate::ServiceError;
use linkscent_store::{Command, CrawlRow};

/// Pages to start from that are added at a time, and that a crawl has where some are added.
const MOST_ADDED: usize = 10_000;
const MOST_STARTS: usize = 50_000;
/// Milliseconds that a host may rest between two requests where a person says how long.
const DELAYS: RangeInclusive<u64> = 100..=60_000;
/// Hosts that a crawl leaves out.
const MOST_LEFT_OUT: usize = 1_000;

impl Crawls {
    /// Has a crawl fetch so many pages more, wherever it runs: than it is to, or, if it is over, than
    /// it has; it goes on then. One that is paused stays so.
    pub async fn fetch_more(&self, crawl: &CrawlRow, more: u64) -> Result<(), ServiceError> {
        if !crawl.can_start_at_more() {
            return self.go_on(crawl, more).await;
        }
        self.check_is_there(crawl).await?;
        let (now, _) = self.context.crawl(crawl.id).await?;
        self.set_budget(&now, now.order.spec.budget, more).await?;
        self.context
            .supervisor
            .send(crawl.id, Command::Order)
            .await?;
        // It may have ended meanwhile, and then heard nothing of it.
        let (now, _) = self.context.crawl(crawl.id).await?;
        if now.can_go_on() {
            self.context.supervisor.resume(crawl.id).await?;
        }
        Ok(())
    }

    /// An error if a crawl or its topic was removed.
    pub(crate) async fn check_is_there(&self, crawl: &CrawlRow) -> Result<(), ServiceError> {
        if crawl.is_removed || self.context.topic(crawl.topic).await?.is_removed {
            let said = "It was removed: bring it back first.";
            return Err(ServiceError::refused(said));
        }
        Ok(())
    }

    /// Goes on with a crawl that is over, for so many pages more than it has.
    pub async fn go_on(&self, crawl: &CrawlRow, more: u64) -> Result<(), ServiceError> {
        self.prepare_to_go_on(crawl, more).await?;
        self.context.supervisor.resume(crawl.id).await?;
        Ok(())
    }

    async fn set_budget(&self, crawl: &CrawlRow, of: u64, more: u64) -> Result<(), ServiceError> {
        let budget = of.saturating_add(more);
        if more == 0 || budget > LARGEST_BUDGET {
            return Err(ServiceError::refused(format!(
                "A crawl's budget is 1 to {LARGEST_BUDGET} pages, and this one has {of}."
            )));
        }
        self.context.store.set_budget(crawl.id, budget).await?;
        Ok(())
    }

    /// The same without running it.
    pub async fn prepare_to_go_on(&self, crawl: &CrawlRow, more: u64) -> Result<(), ServiceError> {
        self.check_is_there(crawl).await?;
        if !crawl.can_go_on() {
            return Err(ServiceError::refused(
                "This crawl cannot be gone on with: it is not over, has no link left to follow, \
                 or was a recrawl of a watched topic. Begin another.",
            ));
        }
        let (pages, ..) = self.context.store.counts(crawl.id).await?;
        self.set_budget(crawl, pages, more).await
    }

    /// Has a crawl let each host rest so many milliseconds between two requests, wherever it runs.
    /// Requests under way still end with the rest that they were sent with.
    pub async fn set_delay(&self, crawl: &CrawlRow, delay: u64) -> Result<(), ServiceError> {
        let (now, _) = self.context.crawl(crawl.id).await?;
        self.check_is_there(&now).await?;
        if !now.has_delay() {
            return Err(ServiceError::refused(
                "Only a crawl of the web that is not over has another delay from now on, and no \
                 recrawl of a watched topic.",
            ));
        }
        if !DELAYS.contains(&delay) {
            return Err(ServiceError::refused(
                "Between two requests to a host lie a tenth of a second to a minute.",
            ));
        }
        self.context.store.set_delay(now.id, delay).await?;
        self.context.supervisor.send(now.id, Command::Order).await?;
        Ok(())
    }

    /// Has a crawl do something else from its next request on when it loses its way, wherever it runs.
    pub async fn set_reaction(&self, crawl: &CrawlRow, reaction: &str) -> Result<(), ServiceError> {
        let reaction = Reaction::named(reaction).ok_or_else(|| {
            ServiceError::refused(format!(
                "A crawl that loses its way does one of tell, restrict, pause, not “{reaction}”."
            ))
        })?;
        self.check_is_there(crawl).await?;
        if !crawl.can_start_at_more() {
            return Err(ServiceError::refused(
                "Only a crawl that is not over reacts otherwise from now on, and no recrawl of a watched topic.",
            ));
        }
        self.context.store.set_reaction(crawl.id, reaction).await?;
        self.context
            .supervisor
            .send(crawl.id, Command::Order)
            .await?;
        Ok(())
    }

    /// Has a crawl leave a host out, with those below it, or no longer, wherever it runs. Links that
    /// waited there go; left out no longer, they come again with pages that link there.
    pub async fn leave_out(
        &self,
        crawl: &CrawlRow,
        host: &str,
        is_left_out: bool,
    ) -> Result<(), ServiceError> {
        let host = as_host(host).ok_or_else(|| {
            ServiceError::refused(format!(
                "“{host}” is no host: write it as in an address, like www.example.org."
            ))
        })?;
        self.check_is_there(crawl).await?;
        if !crawl.can_start_at_more() {
            return Err(ServiceError::refused(
                "Only a crawl that is not over leaves hosts out, and no recrawl of a watched topic.",
            ));
        }
        let (now, _) = self.context.crawl(crawl.id).await?;
        if is_left_out && now.left_since.len() >= MOST_LEFT_OUT {
            return Err(ServiceError::refused(format!(
                "A crawl leaves at most {MOST_LEFT_OUT} hosts out."
            )));
        }
        self.context
            .store
            .leave_out(crawl.id, &host, is_left_out)
            .await?;
        self.context
            .supervisor
            .send(crawl.id, Command::Order)
            .await?;
        Ok(())
    }

    /// Has a crawl start at more pages than it was ordered to, wherever it runs; how many are new to
    /// it. They are asked for before any link.
    pub async fn start_at_more(
        &self,
        crawl: &CrawlRow,
        pages: &[Address],
    ) -> Result<u64, ServiceError> {
        self.check_is_there(crawl).await?;
        if !crawl.can_start_at_more() {
            return Err(ServiceError::refused(
                "This crawl takes no more pages to start from: it is over, takes an archive in, or \
                 is a recrawl of a watched topic. Start a new one there.",
            ));
        }
        if pages.is_empty() || pages.len() > MOST_ADDED {
            return Err(ServiceError::refused(format!(
                "Name 1 to {MOST_ADDED} pages to start from."
            )));
        }
        let (now, _) = self.context.crawl(crawl.id).await?;
        let left_out = |page: &&Address| now.left_since.iter().any(|host| is_within(page, host));
        if let Some(page) = pages.iter().find(left_out) {
            return Err(ServiceError::refused(format!(
                "“{}” is left out of this crawl: take it back first.",
                page.host()
            )));
        }
        if now.order.seeds.len() + pages.len() > MOST_STARTS {
            return Err(ServiceError::refused(format!(
                "A crawl starts from at most {MOST_STARTS} pages: start another one there."
            )));
        }
        let added = self.context.store.add_seeds(crawl.id, pages).await?;
        if added > 0 {
            self.context
                .supervisor
                .send(crawl.id, Command::Order)
                .await?;
        }
        // It may have ended meanwhile, and then heard nothing of it.
        if self.context.crawl(crawl.id).await?.0.state.is_over() {
            return Err(ServiceError::refused(
                "This crawl has just ended: start a new one there.",
            ));
        }
        Ok(added)
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::crawl::HostTurn;

    use super::*;

    use crate::Services;
    use crate::crawler::fake_web::web_about;
    use crate::{NewCrawl, Starts};
    use linkscent_store::{CrawlState, Store};

    #[tokio::test(flavor = "multi_thread")]
    async fn a_crawl_that_runs_or_rests_fetches_more_pages_than_it_was_to() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, web_about(|_| "bees").await);
        let start = "http://host0.test/1".to_owned();
        let topic = service.topics.create_topic("bees", &[start]).await.unwrap();
        let new = NewCrawl::new(Starts::default(), 60);
        let row = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
        service.crawls.fetch_more(&row, 10).await.unwrap();
        assert!(service.crawls.fetch_more(&row, 0).await.is_err());
        assert!(service.crawls.fetch_more(&row, u64::MAX).await.is_err());
        service.crawls.resume(&row).await.unwrap();
        service.crawls.fetch_more(&row, 20).await.unwrap();
        let ended = async || {
            let mut changes = service.context.supervisor.changes();
            loop {
                let row = service.crawls.crawl(row.id).await.unwrap().0;
                if row.state == CrawlState::Done && !service.context.store.is_locked(row.id) {
                    break row;
                }
                changes.changed().await.unwrap();
            }
        };
        let row = ended().await;
        assert_eq!(service.crawls.counts(row.id).await.unwrap().pages, 90);
        service.crawls.fetch_more(&row, 5).await.unwrap();
        ended().await;
        assert_eq!(service.crawls.counts(row.id).await.unwrap().pages, 95);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_delay_of_a_crawl_can_be_changed_until_it_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, web_about(|_| "bees").await);
        let start = "http://host0.test/1".to_owned();
        let topic = service.topics.create_topic("bees", &[start]).await.unwrap();
        let with_delay = async |delay| {
            let mut new = NewCrawl::new(Starts::default(), 30);
            new.spec.delay = Some(delay);
            service.crawls.prepare_crawl(&topic, &new).await.unwrap()
        };
        let row = with_delay(2_000).await;
        for wrong in [0, 99, 60_001] {
            assert!(
                service.crawls.set_delay(&row, wrong).await.is_err(),
                "{wrong}"
            );
        }
        service.crawls.set_delay(&row, 100).await.unwrap();
        let row = service.crawls.crawl(row.id).await.unwrap().0;
        assert_eq!(row.order.spec.delay(), 100);
        let stopped = service
            .context
            .store
            .set_state(row.id, CrawlState::Stopped, "");
        stopped.await.unwrap();
        assert!(service.crawls.set_delay(&row, 200).await.is_err());
        let replayed = with_delay(0).await;
        assert!(service.crawls.set_delay(&replayed, 100).await.is_err());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_host_that_is_left_out_is_asked_no_more_until_it_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, web_about(|_| "bees").await);
        // They never come to pages of the same number, which would be the same.
        let starts = ["http://host0.test/2", "http://host1.test/3"].map(str::to_owned);
        let topic = service.topics.create_topic("bees", &starts).await.unwrap();
        let new = NewCrawl::new(Starts::default(), 100_000);
        let row = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
        service.crawls.resume(&row).await.unwrap();
        let asked = async |host: &str| {
            let log = service.context.store.fetches(row.id).await.unwrap();
            let of_host = log.iter().filter(|row| row.address.contains(host));
            (of_host.count(), log.len())
        };
        let until = async |goes_on: &dyn Fn((usize, usize)) -> bool, host: &str| {
            let mut changes = service.context.supervisor.changes();
            while goes_on(asked(host).await) {
                changes.changed().await.unwrap();
            }
        };
        until(&|(of_host, _)| of_host < 5, "//host1.").await;
        service
            .crawls
            .leave_out(&row, " HOST1.test ", true)
            .await
            .unwrap();
        let hosts = service.reports.hosts(&row).await.unwrap().hosts;
        let now = |host: &str| {
            let health = hosts.iter().find(|health| health.host == host).unwrap();
            health.now.clone().unwrap()
        };
        assert_eq!(
            (now("host1.test").turn, now("host1.test").waiting),
            (HostTurn::LeftOut, 0)
        );
        assert!(now("host0.test").waiting > 0);
        // What was asked for before comes to the log, nothing else.
        let mut of_host = Vec::new();
        for _ in 0..2 {
            let (_, all) = asked("").await;
            until(&|(_, now)| now < all + 100, "").await;
            of_host.push(asked("//host1.").await.0);
        }
        assert_eq!(of_host[0], of_host[1]);
        assert!(
            service
                .crawls
                .leave_out(&row, "no host", true)
                .await
                .is_err()
        );
        let there = [Address::parse("http://www.host1.test/7").unwrap()];
        assert!(service.crawls.start_at_more(&row, &there).await.is_err());
        service
            .crawls
            .leave_out(&row, "host1.test", false)
            .await
            .unwrap();
        let row = service.crawls.crawl(row.id).await.unwrap().0;
        assert!(row.left_since.is_empty());
        service.crawls.stop(&row).await.unwrap();
        let mut changes = service.context.supervisor.changes();
        while service.context.store.is_locked(row.id) {
            changes.changed().await.unwrap();
        }
        let row = service.crawls.crawl(row.id).await.unwrap().0;
        assert!(
            service
                .crawls
                .leave_out(&row, "host1.test", true)
                .await
                .is_err()
        );
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn pages_named_while_a_crawl_rests_or_runs_are_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, web_about(|_| "bees").await);
        let start = "http://host0.test/1".to_owned();
        let topic = service.topics.create_topic("bees", &[start]).await.unwrap();
        let new = NewCrawl::new(Starts::default(), 200);
        let row = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
        let page = |text: &str| Address::parse(text).unwrap();
        let (first, second) = (page("http://host7.test/90"), page("http://host8.test/91"));
        let start_at = async |pages: &[Address]| service.crawls.start_at_more(&row, pages).await;
        assert_eq!(start_at(&[first.clone(), first.clone()]).await.unwrap(), 1);
        assert!(start_at(&[]).await.is_err());

        // It hears of the second before it ends, and fetches both.
        service.crawls.resume(&row).await.unwrap();
        let both = [first.clone(), second.clone()];
        assert_eq!(start_at(&both).await.unwrap(), 1);
        let mut changes = service.context.supervisor.changes();
        let row = loop {
            let row = service.crawls.crawl(row.id).await.unwrap().0;
            if row.state == CrawlState::Done && !service.context.store.is_locked(row.id) {
                break row;
            }
            changes.changed().await.unwrap();
        };
        let asked = service.context.store.fetches(row.id).await.unwrap();
        let asked: Vec<&str> = asked.iter().map(|row| &*row.address).collect();
        for page in &both {
            assert!(asked.contains(&page.as_str()), "{page} of {asked:?}");
        }
        let refused = service.crawls.start_at_more(&row, &both).await.unwrap_err();
        assert!(refused.to_string().contains("it is over"), "{refused}");
    }
}

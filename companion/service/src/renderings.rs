//! Pages that a paired browser reads for a crawl: handed out, and taken in.
//!
//! What waits follows from the crawl's log, so nothing of it is lost. What was handed out is only
//! remembered here: after a restart it is handed out again.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use linkscent_core::address::Address;
use linkscent_core::crawl::{StopReason, is_within};
use linkscent_core::wire::api::{
    MOST_HOSTS, Rendering, RenderingQuery, RenderingTask, RenderingsView, WaitingSite,
};

use super::context::Context;
use super::{Crawls, ServiceError};
use linkscent_store::clock;
use linkscent_store::{CrawlRow, CrawlState};

/// Pages handed out in one call.
const MOST_AT_ONCE: usize = 3;
/// Milliseconds in which a browser brings a page before it is handed out again.
const LEASE: i64 = 120_000;
/// Largest page that is taken, in bytes of HTML.
const LARGEST_PAGE: usize = 4 << 20;

/// How often a page is handed out, as long as the program runs.
const MOST_TRIES: u32 = 2;

/// A page that was handed out.
#[derive(Debug, Clone, Copy, Default)]
struct Lease {
    /// Until when it is not handed out again, in milliseconds since 1970.
    until: i64,
    /// How often it was.
    tries: u32,
    /// Whether it was not brought yet.
    is_open: bool,
}

/// The pages that were handed out, by crawl and address.
#[derive(Clone, Default)]
struct Leases(Arc<Mutex<HashMap<(i64, String), Lease>>>);

impl Leases {
    fn lock(&self) -> MutexGuard<'_, HashMap<(i64, String), Lease>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a page out, unless somebody has it or it was tried often enough. Of an earlier
    /// crawl nothing is remembered.
    fn take(&self, crawl: i64, page: &str, now: i64) -> bool {
        let mut leases = self.lock();
        leases.retain(|(of, _), _| *of >= crawl);
        let lease = leases.entry((crawl, page.to_owned())).or_default();
        let is_free = lease.until <= now && lease.tries < MOST_TRIES;
        if is_free {
            *lease = Lease {
                until: now + LEASE,
                tries: lease.tries + 1,
                is_open: true,
            };
        }
        is_free
    }

    /// A page is brought; false if nobody was to bring it. It is not handed out again before its
    /// time: until then the crawl has taken it in.
    fn end(&self, crawl: i64, page: &str) -> bool {
        let mut leases = self.lock();
        let lease = leases.get_mut(&(crawl, page.to_owned()));
        lease.is_some_and(|lease| std::mem::take(&mut lease.is_open))
    }

    /// Hands a page out no more.
    fn keep_back(&self, crawl: i64, page: &str) {
        let mut leases = self.lock();
        leases.entry((crawl, page.to_owned())).or_default().tries = MOST_TRIES;
    }
}

/// Pages that browsers read for crawls.
#[derive(Clone)]
pub struct Renderings {
    context: Arc<Context>,
    crawls: Crawls,
    leases: Leases,
}

impl Renderings {
    pub(super) fn new(context: Arc<Context>, crawls: Crawls) -> Self {
        Self {
            context,
            crawls,
            leases: Leases::default(),
        }
    }

    /// What waits for a browser of the topic's last crawl, and pages of the hosts that were
    /// chosen to be read now.
    pub async fn waiting(&self, asked: &RenderingQuery) -> Result<RenderingsView, ServiceError> {
        if asked.hosts.len() > MOST_HOSTS {
            return Err(ServiceError::refused(format!(
                "at most {MOST_HOSTS} hosts a call"
            )));
        }
        let Some(crawl) = self.last_crawl(&asked.topic).await? else {
            return Ok(RenderingsView::default());
        };
        let waiting = self.context.store.unrendered(crawl.id).await?;
        let mut sites: BTreeMap<String, usize> = BTreeMap::new();
        let mut view = RenderingsView {
            is_running: crawl.state.is_running(),
            ..RenderingsView::default()
        };
        let (now, takes) = (clock::now(), self.takes_renderings(&crawl).await?);
        if takes {
            self.context
                .supervisor
                .browser_looks(crawl.id, &asked.hosts);
        }
        for address in waiting {
            let Ok(page) = Address::parse(&address) else {
                continue;
            };
            if crawl.left_since.iter().any(|host| is_within(&page, host)) {
                continue;
            }
            *sites.entry(page.host().to_owned()).or_default() += 1;
            let is_chosen = asked.hosts.iter().any(|host| host == page.host());
            if takes
                && is_chosen
                && view.pages.len() < MOST_AT_ONCE
                && self.leases.take(crawl.id, &address, now)
            {
                let crawl = crawl.id;
                view.pages.push(RenderingTask { crawl, address });
            }
        }
        let sites = sites.into_iter();
        view.sites = sites
            .map(|(host, pages)| WaitingSite { host, pages })
            .collect();
        view.sites.sort_by_key(|site| std::cmp::Reverse(site.pages));
        Ok(view)
    }

    /// Takes in a page that a browser read. A crawl that had nothing else to do goes on with it.
    pub async fn take(&self, brought: Rendering) -> Result<(), ServiceError> {
        let (crawl, page) = (brought.crawl, Address::parse(&brought.address));
        let page = page.map_err(|error| ServiceError::refused(error.to_string()))?;
        if !self.leases.end(crawl, &brought.address) {
            return Err(ServiceError::Missing(
                "page that a browser was asked to read",
            ));
        }
        if !brought.problem.is_empty() || brought.html.is_empty() {
            self.leases.keep_back(crawl, &brought.address);
            tracing::debug!(page = %page, problem = brought.problem, "not read by the browser");
            return Ok(());
        }
        if brought.html.len() > LARGEST_PAGE {
            self.leases.keep_back(crawl, &brought.address);
            let size = LARGEST_PAGE >> 20;
            return Err(ServiceError::refused(format!(
                "the page is larger than {size} MiB"
            )));
        }
        let (row, _) = self.context.crawl(crawl).await?;
        if !self.takes_renderings(&row).await? {
            return Ok(()); // it was paused or stopped meanwhile, or has all its pages
        }
        let html = brought.html.into_bytes();
        self.context.supervisor.rendered(crawl, page, html).await?;
        Ok(())
    }

    async fn last_crawl(&self, topic: &str) -> Result<Option<CrawlRow>, ServiceError> {
        let Some(topic) = self.context.find_known_as(topic).await? else {
            return Ok(None);
        };
        let crawls = self
            .context
            .store
            .web_crawls(Some(topic.id))
            .await?
            .into_iter();
        Ok(crawls
            .filter(|crawl| !crawl.is_removed)
            .max_by_key(|crawl| crawl.id))
    }

    /// Whether a crawl takes pages from browsers: one that runs, or that ended for want of links
    /// or with the share that it was to find, and not by its budget or the person's word.
    async fn takes_renderings(&self, crawl: &CrawlRow) -> Result<bool, ServiceError> {
        let has_room = self.crawls.counts(crawl.id).await?.pages < crawl.order.spec.budget;
        let room = [StopReason::FrontierEmpty, StopReason::Recall].map(StopReason::code);
        let ended = crawl.state == CrawlState::Done && room.contains(&&*crawl.stop_reason);
        Ok(has_room && (crawl.state.is_running() || ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;

    #[test]
    fn a_page_is_handed_out_twice_at_most_and_not_at_once() {
        let leases = Leases::default();
        let page = "http://a.test/";
        assert!(!leases.end(1, page), "nobody was to bring it");
        assert!(leases.take(1, page, 0) && !leases.take(1, page, LEASE - 1));
        assert!(leases.end(1, page) && !leases.end(1, page), "once");
        assert!(!leases.take(1, page, LEASE - 1), "it may be on its way");
        assert!(leases.take(1, page, LEASE) && !leases.take(1, page, 9 * LEASE));
        assert!(leases.take(2, page, 0), "another crawl's");
        leases.keep_back(2, page);
        assert!(!leases.take(2, page, 9 * LEASE));
        assert_eq!(leases.lock().len(), 1);
    }

    use crate::crawler::fake_web::scripted_web;
    use crate::{NewCrawl, Starts};
    use linkscent_store::Store;

    fn asked(hosts: &[&str]) -> RenderingQuery {
        RenderingQuery {
            topic: "bees".to_owned(),
            hosts: hosts.iter().map(ToString::to_string).collect(),
        }
    }

    struct Stage {
        _folder: tempfile::TempDir,
        service: Services,
        crawl: CrawlRow,
    }

    impl Stage {
        /// A crawl on a web whose pages show nothing without scripts but the first; it has
        /// ended.
        async fn new(budget: u64) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(folder.path()).await.unwrap();
            let service = Services::new(store, scripted_web().await);
            let page = "http://host0.test/1".to_owned();
            let topic = service.topics.create_topic("bees", &[page]).await.unwrap();
            let new = NewCrawl::new(Starts::default(), budget);
            let crawl = service.crawls.begin_crawl(&topic, &new).await.unwrap();
            let stage = Self {
                _folder: folder,
                service,
                crawl,
            };
            stage.ended().await;
            stage
        }

        async fn ended(&self) {
            let mut changes = self.service.context.supervisor.changes();
            loop {
                let row = self.service.crawls.crawl(self.crawl.id).await.unwrap().0;
                if row.state.is_over() && !self.service.context.store.is_locked(row.id) {
                    return;
                }
                changes.changed().await.unwrap();
            }
        }

        async fn next(&self, hosts: &[&str]) -> RenderingsView {
            self.service
                .renderings
                .waiting(&asked(hosts))
                .await
                .unwrap()
        }

        async fn bring(&self, task: &RenderingTask, html: &str) -> Result<(), ServiceError> {
            let brought = Rendering {
                crawl: task.crawl,
                address: task.address.clone(),
                html: html.to_owned(),
                problem: String::new(),
            };
            self.service.renderings.take(brought).await
        }
    }

    const BEES: &str = "<title>Bees</title><p>bees and hives, honey and pollen</p>";

    #[tokio::test(flavor = "multi_thread")]
    async fn pages_are_handed_out_once_and_a_crawl_goes_on_with_what_comes() {
        let stage = Stage::new(20).await;
        let none = stage.next(&[]).await;
        let waiting = [WaitingSite {
            host: "host0.test".to_owned(),
            pages: 2,
        }];
        assert_eq!((&none.sites[..], none.pages.len()), (&waiting[..], 0));
        assert!(stage.next(&["other.test"]).await.pages.is_empty());
        let tasks = stage.next(&["host0.test"]).await.pages;
        assert_eq!(tasks.len(), 2);
        assert!(stage.next(&["host0.test"]).await.pages.is_empty(), "lent");
        let before = stage
            .service
            .crawls
            .counts(stage.crawl.id)
            .await
            .unwrap()
            .pages;
        let html = format!("{BEES}<a href=/9>on</a>");
        stage.bring(&tasks[0], &html).await.unwrap();
        let again = stage.bring(&tasks[0], &html).await;
        assert!(matches!(again, Err(ServiceError::Missing(_))), "once");
        let mut changes = stage.service.context.supervisor.changes();
        loop {
            // The page that was brought leads on to another that shows nothing.
            let sites = stage.next(&[]).await.sites;
            if stage
                .service
                .crawls
                .counts(stage.crawl.id)
                .await
                .unwrap()
                .pages
                > before
                && sites == waiting
            {
                break;
            }
            changes.changed().await.unwrap();
        }
        let log = stage
            .service
            .context
            .store
            .fetches(stage.crawl.id)
            .await
            .unwrap();
        let kept = log.iter().filter(|row| row.address == tasks[0].address);
        let kept: Vec<bool> = kept.map(|row| row.place.warc_offset.is_some()).collect();
        assert_eq!(kept, [false, true]);
        stage.ended().await;
        // It comes to the same when it is taken up again.
        let next = stage.service.crawls.dry_run_of(&stage.crawl).await.unwrap();
        assert!(next.pages.is_empty(), "{next:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn nothing_is_taken_that_was_not_asked_for_or_has_no_room() {
        let stage = Stage::new(20).await;
        let task = |address: &str| RenderingTask {
            crawl: stage.crawl.id,
            address: address.to_owned(),
        };
        for address in [
            "http://host0.test/2",
            "http://elsewhere.test/",
            "no address",
        ] {
            let refused = stage.bring(&task(address), BEES).await;
            assert!(refused.is_err(), "{address}");
        }
        let tasks = stage.next(&["host0.test"]).await.pages;
        let large = "x".repeat(LARGEST_PAGE + 1);
        let refused = stage.bring(&tasks[0], &large).await;
        assert!(matches!(refused, Err(ServiceError::Refused(_))));
        // One that could not be read is not handed out again.
        stage.bring(&tasks[1], "").await.unwrap();
        assert!(stage.next(&["host0.test"]).await.pages.is_empty());
        let hosts = vec!["a.test"; MOST_HOSTS + 1];
        assert!(
            stage
                .service
                .renderings
                .waiting(&asked(&hosts))
                .await
                .is_err()
        );
        let full = Stage::new(1).await;
        assert!(full.next(&["host0.test"]).await.pages.is_empty());
    }
}

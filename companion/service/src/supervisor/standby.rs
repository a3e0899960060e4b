//! Taking over from a program that died: where many share a database, each that serves takes up the crawls
//! that run and that nobody runs any more. It goes on by the last checkpoint and the log, as after a
//! restart of its own.
//!
//! One whose program went another way, through a proxy or with other hosts left alone, is none of its
//! business. A person's folder is not watched so: there a crawl that was killed waits for its person.

use std::collections::HashSet;
use std::time::Duration;

use anyhow::Result;

use crate::supervisor::RunBy;
use crate::supervisor::Supervisor;
use linkscent_store::{CrawlRow, StoreResult};

/// Between two looks. A crawl is taken up when nobody ran it at two: who begins one takes its lock at once.
const LOOK_EVERY: Duration = Duration::from_secs(2);

impl Supervisor {
    /// Takes crawls over for ever, where that is done; else it waits for ever.
    pub async fn stand_by(self) -> Result<()> {
        let mut left = HashSet::new();
        while let Some(workers) = self.store.workers() {
            tokio::time::sleep(LOOK_EVERY).await;
            // A deletion may wait for what they hold; a database that is away is looked at again.
            let _ = workers.end_stuck_workers().await;
            match self.without_runner().await {
                Ok(now) => {
                    for crawl in now.iter().filter(|crawl| left.contains(&crawl.id)) {
                        let id = crawl.id;
                        message!(
                            "linkscent: crawl {id} is run by nobody any more: it is taken over"
                        );
                        if let Err(error) = self.take_up(crawl).await {
                            message!("linkscent: crawl {id}: {error:#}");
                        }
                    }
                    left = now.iter().map(|crawl| crawl.id).collect();
                }
                // The database may be away; what is seen before and after it is not seen twice in a row.
                Err(_) => left.clear(),
            }
        }
        std::future::pending().await
    }

    /// The crawls that run, and that nobody runs any more who made requests as they are made here.
    async fn without_runner(&self) -> StoreResult<Vec<CrawlRow>> {
        let mut crawls = self.store.web_crawls(None).await?;
        let way = self.way_name();
        crawls.retain(|crawl| {
            self.run_by(crawl) == Some(RunBy::Nobody)
                && self.store.went_by(crawl.id).as_ref() == Some(&way)
        });
        Ok(crawls)
    }
}

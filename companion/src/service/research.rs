//! A crawl as a file that others can check.

use std::io::Write;

use super::topic_file::in_force;
use super::{Service, ServiceError};
use crate::clock;
use crate::research::{About, Request, Research};
use crate::store::CrawlRow;
use linkscent_core::wire::api::EventName;

/// What was said that judging hangs on.
const SAID: [EventName; 5] = [
    EventName::Mark,
    EventName::Form,
    EventName::Class,
    EventName::Phrase,
    EventName::Facet,
];

impl Service {
    /// Writes a crawl with all that it hangs on, so that others can run it again.
    pub async fn write_research(
        &self,
        crawl: &CrawlRow,
        out: impl Write + Send + 'static,
    ) -> Result<(), ServiceError> {
        if crawl.state.is_running() {
            return Err(ServiceError::refused("This crawl is still running."));
        }
        if crawl.order.is_round {
            return Err(ServiceError::refused(
                "A round of watching hangs on all crawls before it, so it cannot be checked alone.",
            ));
        }
        let (_, topic) = self.crawl(crawl.id).await?;
        let mut said = Vec::new();
        for kind in SAID {
            said.extend(in_force(self.store.events_of(topic.id, kind).await?));
        }
        let order = &crawl.order;
        let about = About {
            linkscent_research: About::form(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            written: clock::date(clock::now()),
            topic: topic.name,
            crawl: crawl.id,
            state: crawl.state.code().to_owned(),
            stop_reason: crawl.stop_reason.clone(),
            budget: order.budget,
            delay: order.delay,
            random_seed: order.random_seed,
            seeds: order.seeds.clone(),
            hosts: order.scope.hosts.clone(),
            left_out: order.scope.left_out.clone(),
            depth: order.scope.depth,
            documents: order.scope.documents,
            site_pages: order.stopping.pages,
            site_targets: order.stopping.targets,
            on_drift: order.on_drift.code().to_owned(),
        };
        let research = Research {
            about,
            log: self.requests(crawl.id).await?,
            said,
            start: self.store.start_model(crawl.id).await?,
        };
        let (pages, length) = (self.store.warc_path(crawl.id), crawl.warc_length);
        let writing = tokio::task::spawn_blocking(move || research.write(&pages, length, out));
        Ok(writing.await.map_err(anyhow::Error::from)??)
    }

    /// The log of a crawl with what is said of each request.
    async fn requests(&self, crawl: i64) -> Result<Vec<Request>, ServiceError> {
        let mut requests = Vec::new();
        for row in self.store.fetches(crawl).await? {
            let said = self.store.result_at(crawl, row.number).await?;
            let said = said.ok_or(ServiceError::Missing("request"))?;
            requests.push(Request {
                number: row.number,
                address: row.address,
                time: row.place.time,
                offset: row.place.warc_offset,
                redirect: row.place.redirect,
                problem: row.problem,
                relevance: said.relevance,
                is_target: said.is_target,
                reason: said.reason,
                trail: said.trail,
            });
        }
        Ok(requests)
    }
}

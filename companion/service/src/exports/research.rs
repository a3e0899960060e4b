//! A crawl as a file that others can check.

use std::io::Write;
use std::path::Path;

use crate::Exports;
use crate::ServiceError;
use crate::crawler::verify::replayed;
use crate::research::{About, Request, Research};
use linkscent_core::crawl::CrawlSpec;
use linkscent_store::CrawlRow;
use linkscent_store::clock;

impl Exports {
    /// Writes a crawl with all that it hangs on, so that others can run it again.
    pub async fn write_research(
        &self,
        crawl: &CrawlRow,
        out: impl Write + Send + 'static,
    ) -> Result<(), ServiceError> {
        if crawl.state.is_running() {
            return Err(ServiceError::refused("This crawl is still running."));
        }
        if crawl.is_reading() {
            return Err(ServiceError::refused(
                "What your browsers kept is no crawl that others could check.",
            ));
        }
        if crawl.is_recrawl() {
            return Err(ServiceError::refused(
                "A recrawl of a watched topic hangs on all crawls before it, so it cannot be checked alone.",
            ));
        }
        let (_, topic) = self.context.crawl(crawl.id).await?;
        let order = &crawl.order;
        let about = About {
            linkscent_research: About::form(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            written: clock::date(clock::now()),
            topic: topic.name,
            crawl: crawl.id,
            state: crawl.state.code().to_owned(),
            stop_reason: crawl.stop_reason.clone(),
            spec: CrawlSpec {
                on_drift: crawl.first_reaction(),
                ..order.spec.clone()
            },
            seeds: order.seeds.clone(),
            reactions: crawl
                .reactions
                .iter()
                .map(|(from, reaction)| (*from, reaction.code().to_owned()))
                .collect(),
            takes_repeats: crawl.takes_repeats(),
            follows_all: false,
            not_linked: Vec::new(),
        };
        let mut research = Research {
            about,
            log: self.requests(crawl.id).await?,
            start: self.context.store.start_model(crawl.id).await?,
        };
        let (pages, length) = (self.context.store.warc_path(crawl.id), crawl.warc_length);
        let writing = tokio::task::spawn_blocking(move || {
            say_what_follows(&mut research, &pages)?;
            research.write(&pages, length, out)
        });
        Ok(writing.await.map_err(anyhow::Error::from)??)
    }

    /// The log of a crawl, with nothing said of its pages yet.
    async fn requests(&self, crawl: i64) -> Result<Vec<Request>, ServiceError> {
        let log = self.context.store.fetches(crawl).await?;
        let mut said = self.context.store.last_results(crawl, i64::MAX).await?;
        said.reverse();
        if said.len() != log.len() {
            return Err(ServiceError::refused("This crawl has just gone on."));
        }
        let requests = log.into_iter().zip(said).map(|(row, said)| Request {
            number: row.number,
            address: row.address,
            time: row.place.time,
            offset: row.place.warc_offset,
            redirect: row.place.redirect,
            problem: row.problem,
            relevance: None,
            is_target: false,
            reason: said.reason,
            trail: said.trail,
        });
        Ok(requests.collect())
    }
}

/// Puts down what follows from a log of its pages, and which requests no link led to. Blocks.
fn say_what_follows(research: &mut Research, pages: &Path) -> anyhow::Result<()> {
    let follows = replayed(research, pages, |_| {})?;
    for (place, problem) in follows.damaged {
        // It is given as a request that brought no page, which is how it was replayed.
        let request = &mut research.log[place];
        (request.offset, request.redirect, request.problem) = (None, None, problem);
    }
    for (request, judged) in research.log.iter_mut().zip(follows.judged) {
        request.relevance = judged.map(|judged| judged.relevance);
        request.is_target = judged.is_some_and(|judged| judged.is_target);
    }
    let places = follows.not_linked.into_iter();
    research.about.not_linked = places.map(|place| research.log[place].number).collect();
    Ok(())
}

//! `linkscent status`: what goes on.

use anyhow::Result;
use clap::Args;
use linkscent_output::print_json;
use serde_json::json;

use crate::commands::place::Place;
use linkscent_store::{CrawlRow, Store, WorkerRow};

/// Say which crawls there are, how far they are and whether somebody runs them; with --database also
/// which workers make requests, and how many wait for one.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent status --database postgres://localhost/linkscent")]
pub struct Status {
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A crawl as it stands.
struct Standing {
    crawl: CrawlRow,
    topic: String,
    pages: u64,
    relevant: u64,
    is_run: bool,
}

impl Status {
    /// Says so.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let crawls = standings(&store).await?;
        let fleet = match store.workers() {
            Some(workers) => Some((workers.all().await?, workers.waiting().await?)),
            None => None,
        };
        if self.json {
            let crawls: Vec<_> = crawls.iter().map(Standing::as_json).collect();
            let workers = fleet
                .as_ref()
                .map(|(workers, _)| workers.iter().map(worker_as_json));
            let workers: Option<Vec<_>> = workers.map(Iterator::collect);
            let waiting = fleet.as_ref().map(|(_, waiting)| waiting);
            let said = json!({ "crawls": crawls, "hands": workers, "requests_waiting": waiting });
            print_json(&said)?;
            return Ok(());
        }
        if crawls.is_empty() {
            print_line!("no crawl yet");
        }
        for crawl in &crawls {
            print_line!("{}", crawl.as_text());
        }
        if let Some((workers, waiting)) = fleet {
            let no = if workers.is_empty() {
                "no worker is at work; "
            } else {
                ""
            };
            print_line!("{no}{waiting} requests wait for a worker");
            for worker in workers {
                print_line!("{worker}");
            }
        }
        Ok(())
    }
}

/// All crawls but those that were removed, the newest first.
async fn standings(store: &Store) -> Result<Vec<Standing>> {
    let mut standings = Vec::new();
    for crawl in store.web_crawls(None).await? {
        if crawl.is_removed {
            continue;
        }
        let topic = store.topic(crawl.topic).await?;
        let (pages, _, relevant, _) = store.counts(crawl.id).await?;
        standings.push(Standing {
            topic: topic.map(|topic| topic.name).unwrap_or_default(),
            is_run: store.is_locked(crawl.id),
            pages,
            relevant,
            crawl,
        });
    }
    Ok(standings)
}

impl Standing {
    fn as_text(&self) -> String {
        let Self {
            crawl,
            topic,
            pages,
            relevant,
            is_run,
        } = self;
        let nobody = if crawl.state.is_running() && !is_run {
            ", and nobody runs it: `linkscent serve` goes on with it"
        } else {
            ""
        };
        let budget = crawl.order.spec.budget;
        format!(
            "crawl {} of “{topic}”: {}, {pages} of {budget} pages, {relevant} relevant{nobody}",
            crawl.id, crawl.state
        )
    }

    fn as_json(&self) -> serde_json::Value {
        json!({
            "crawl": self.crawl.id,
            "topic": self.topic,
            "state": self.crawl.state.code(),
            "stop_reason": self.crawl.stop_reason,
            "is_run": self.is_run,
            "pages": self.pages,
            "budget": self.crawl.order.spec.budget,
            "relevant": self.relevant,
        })
    }
}

fn worker_as_json(worker: &WorkerRow) -> serde_json::Value {
    json!({
        "name": worker.name,
        "since": worker.since,
        "silent_milliseconds": worker.silent,
        "under_way": worker.under_way,
        "answers": worker.answers,
        "refused": worker.refused,
        "bytes": worker.bytes,
        "problem": worker.problem,
    })
}

//! `linkscent watch`: a topic that stands.

use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use indicatif::ProgressBar;
use linkscent_output::print_json;
use serde_json::json;

use crate::commands::network::Network;
use crate::commands::place::Place;
use linkscent_service::{LibraryOrder, LibraryQuery, Services, USUAL_REQUESTS};
use linkscent_store::clock;
use linkscent_store::{CrawlState, StandingTopic, Topic};

/// Keep watching a topic: look again at pages that may have changed, and follow what came.
///
/// Rounds are made as they are due while `linkscent serve` runs. Without a flag it says how the
/// topic stands.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent watch --topic castles --every 12h --requests 200
  linkscent watch --topic castles --now
  linkscent watch --topic castles --off")]
pub struct Watch {
    /// Name of the topic.
    #[arg(long)]
    topic: String,
    /// How often: such as 90m, 12h or 7days.
    #[arg(long, value_parser = humantime::parse_duration, conflicts_with = "off")]
    every: Option<Duration>,
    /// Requests of one recrawl at most; not given, as many as before, or 100.
    #[arg(long)]
    requests: Option<u64>,
    /// Make a recrawl now, to its end, and say what it found.
    #[arg(long, conflicts_with = "off")]
    now: bool,
    /// Watch it no longer.
    #[arg(long)]
    off: bool,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    network: Network,
}

impl Watch {
    /// Does so.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let service = Services::new(store, self.network.way());
        let topic = service.topics.topic_known_as(&self.topic).await?;
        if self.off {
            service.watching.rest(&topic).await?;
        }
        let before = service
            .watching
            .standing(&topic)
            .await?
            .map(|standing| standing.requests);
        let requests = self.requests.or(before).unwrap_or(USUAL_REQUESTS);
        if let Some(every) = self.every {
            service.watching.stand(&topic, every, requests).await?;
        }
        if self.now {
            return self.recrawl(&service, &topic, requests).await;
        }
        self.say(service.watching.standing(&topic).await?.as_ref())
    }

    fn say(&self, standing: Option<&StandingTopic>) -> Result<()> {
        let every = |standing: &StandingTopic| Duration::from_millis(standing.every.max(0) as u64);
        if self.json {
            let said = standing.map(|standing| {
                json!({
                    "every_seconds": every(standing).as_secs(),
                    "requests": standing.requests,
                    "due": clock::date(standing.due),
                    "feed": format!("/feed/{}", standing.feed),
                })
            });
            print_json(&json!({ "topic": self.topic, "standing": said }))?;
            return Ok(());
        }
        match standing {
            None => print_line!("“{}” is not watched", self.topic),
            Some(standing) => {
                print_line!(
                    "“{}” is watched every {} with at most {} requests; next after {}",
                    self.topic,
                    humantime::format_duration(every(standing)),
                    standing.requests,
                    clock::date(standing.due),
                );
                print_line!(
                    "its feed, while the companion runs: http://127.0.0.1:{}/feed/{}",
                    linkscent_core::wire::api::DEFAULT_PORT,
                    standing.feed,
                );
            }
        }
        Ok(())
    }

    /// A recrawl, run to its end, and what is new by it.
    async fn recrawl(&self, service: &Services, topic: &Topic, requests: u64) -> Result<()> {
        let mut changes = service.supervisor.changes();
        let recrawl = service.watching.begin_recrawl(topic, requests).await?;
        let recrawl =
            recrawl.context("no page is worth another look yet: crawl first, or wait a while")?;
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(200));
        loop {
            let (row, _) = service.crawls.crawl(recrawl.id).await?;
            let counts = service.crawls.counts(recrawl.id).await?;
            let (pages, same) = (counts.pages, counts.other);
            bar.set_message(format!("{pages} pages read, {same} other answers"));
            if row.state != CrawlState::Running && !service.crawls.is_locked(recrawl.id) {
                break;
            }
            changes.changed().await?;
        }
        bar.finish_and_clear();
        service.library.catch_up(|_| {}).await?;
        let query = LibraryQuery {
            new: true,
            order: LibraryOrder::Newest,
            most: 50,
            ..LibraryQuery::default()
        };
        let mut found = service.library.search(Some(topic), &query).await?;
        found.pages.retain(|page| page.crawl == recrawl.id);
        if self.json {
            print_json(&json!({ "crawl": recrawl.id, "new": found.pages }))?;
            return Ok(());
        }
        print_line!("{} new finds by this recrawl", found.pages.len());
        for page in &found.pages {
            print_line!("  {}", page.title);
            print_line!("    {}", page.address);
        }
        Ok(())
    }
}

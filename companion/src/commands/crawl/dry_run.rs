//! `linkscent inspect dry-run`: what a crawl would fetch.

use anyhow::Result;
use clap::Args;
use linkscent_core::confidence::Confidence;
use linkscent_core::crawl::{DryRun, Upcoming};
use linkscent_core::wire::api::PROPOSED_BUDGET;
use linkscent_output::print_json;
use serde_json::json;

use crate::commands::network::Network;
use crate::commands::place::Place;
use linkscent_service::{NewCrawl, Services, Starts};

/// Print what a crawl for a topic would fetch next, before anything is fetched.
///
/// The topic's last crawl as it would go on; without one a new crawl from its targets, played
/// through with pages that earlier crawls kept. Nothing is fetched and nothing changes.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent inspect dry-run --topic castles --data ~/linkscent")]
pub struct DryRunArguments {
    /// Name of the topic.
    #[arg(long)]
    topic: String,
    #[command(flatten)]
    place: Place,
    /// A new crawl, also where the last one could go on.
    #[arg(long)]
    new: bool,
    #[command(flatten)]
    network: Network,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl DryRunArguments {
    /// Prints it.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let service = Services::new(store, self.network.way());
        let topic = service.topics.topic_known_as(&self.topic).await?;
        let crawls = service.crawls.web_crawls(Some(topic.id)).await?.into_iter();
        let mut unfinished = crawls.filter(|crawl| !crawl.is_removed && !crawl.state.is_over());
        let unfinished = unfinished.next().filter(|_| !self.new);
        message!("linkscent: playing the crawl through …");
        let run = if let Some(crawl) = &unfinished {
            service.crawls.dry_run_of(crawl).await?
        } else {
            let new = NewCrawl::new(Starts::default(), PROPOSED_BUDGET);
            service.crawls.dry_run(&topic, &new).await?
        };
        if self.json {
            let pages: Vec<_> = run.pages.iter().map(as_json).collect();
            let crawl = unfinished.map(|crawl| crawl.id);
            let (expected, judged) = (run.expected, run.judged);
            let all = json!({
                "crawl": crawl, "expected": expected, "judged": judged, "pages": pages,
            });
            print_json(&all)?;
            return Ok(());
        }
        match unfinished {
            Some(crawl) => print_line!("Crawl {} would go on with:", crawl.id),
            None => print_line!(
                "A new crawl from the targets of “{}” would fetch:",
                topic.name
            ),
        }
        print(&run);
        Ok(())
    }
}

fn as_json(page: &Upcoming) -> serde_json::Value {
    json!({
        "address": page.address.as_str(),
        "anchor": page.anchor,
        "from": page.from.as_ref().map(linkscent_core::address::Address::as_str),
        "probability": page.probability,
        "reason": page.reason,
        "marked": page.is_marked,
    })
}

fn print(run: &DryRun) {
    for (page, number) in run.pages.iter().zip(1..) {
        let chance = match page.probability {
            _ if page.is_marked => "marked by you".to_owned(),
            Some(probability) => format!(
                "{} ({})",
                Confidence::of(probability),
                Confidence::of(probability).range()
            ),
            None => "nothing is known of it".to_owned(),
        };
        print_line!("{number:4}. {}", page.address);
        print_line!("      {chance}{}", said(page));
    }
    print_line!(
        "Expected among the {} that are not marked: {} of what you look for.",
        run.judged,
        run.expected_in_words()
    );
}

fn said(page: &Upcoming) -> String {
    let parts = [page.anchor.as_str(), page.reason.as_str()];
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts.map(|part| format!(" · {part}")).collect()
}

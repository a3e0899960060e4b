//! `linkscent change`: a crawl goes on otherwise than it began.

use anyhow::Result;
use clap::Args;
use linkscent_core::wire::api::CrawlChange;
use linkscent_output::print_json;
use serde_json::json;

use crate::commands::place::Place;
use linkscent_core::crawl::Reaction;
use linkscent_service::Services;
use linkscent_service::crawler::way::Way;
use linkscent_store::CrawlRow;

/// Change a crawl while it runs or rests, wherever it does.
///
/// One change at a time. A crawl that rests hears of it when it goes on. One that runs in another
/// program has to be paused before another strategy chooses its links.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent change 3 --delay 5000
  linkscent change 3 --leave-out ads.example.org
  linkscent change 3 --strategy apprentice")]
pub struct Change {
    /// Number of the crawl, as `linkscent crawl` and the dashboard name it.
    crawl: i64,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What is to be different.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct What {
    /// Fetch so many pages more.
    #[arg(long, value_name = "PAGES")]
    more: Option<u64>,
    /// Let each host rest so long between two requests, 100 to 60,000.
    #[arg(long, value_name = "MILLISECONDS")]
    delay: Option<u64>,
    /// Ask a host, and those below it, no more.
    #[arg(long, value_name = "HOST")]
    leave_out: Option<String>,
    /// Ask a host again that was left out.
    #[arg(long, value_name = "HOST")]
    take_back: Option<String>,
    /// Choose links by another strategy, which learns from all that came before.
    #[arg(long, value_name = "STRATEGY")]
    strategy: Option<String>,
    /// Do this from now on when it loses its way.
    #[arg(long, value_parser = super::super::reaction())]
    on_drift: Option<Reaction>,
    /// Pause it.
    #[arg(long)]
    pause: bool,
    /// End it.
    #[arg(long)]
    stop: bool,
}

impl What {
    fn change(self) -> CrawlChange {
        let more = self.more.map(|pages| CrawlChange::More { pages });
        let delay = self
            .delay
            .map(|milliseconds| CrawlChange::Delay { milliseconds });
        let leave_out = self.leave_out.map(|host| CrawlChange::LeaveOut { host });
        let take_back = self.take_back.map(|host| CrawlChange::TakeBack { host });
        let strategy = self.strategy.map(|name| CrawlChange::Strategy { name });
        let on_drift = self.on_drift.map(|reaction| CrawlChange::OnDrift {
            reaction: reaction.code().to_owned(),
        });
        let of_hosts = delay.or(leave_out).or(take_back);
        let asked = more.or(of_hosts).or(strategy).or(on_drift);
        asked.unwrap_or(if self.stop {
            CrawlChange::Stop
        } else {
            CrawlChange::Pause
        })
    }
}

impl Change {
    /// Does so.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let service = Services::new(store, Way::default());
        let (crawl, topic) = service.crawls.crawl(self.crawl).await?;
        let change = self.what.change();
        match &change {
            // One that is over does not go on in this program, which ends here.
            CrawlChange::More { pages } if crawl.can_go_on() => {
                service.crawls.prepare_to_go_on(&crawl, *pages).await?;
            }
            change => service.crawls.change(&crawl, change).await?,
        }
        let (now, _) = service.crawls.crawl(crawl.id).await?;
        if self.json {
            let CrawlRow {
                id, order, state, ..
            } = &now;
            print_json(
                &json!({ "crawl": id, "state": state, "budget": order.spec.budget, "delay": order.spec.delay(),
                        "left_out": now.left_since, "on_drift": order.spec.on_drift.code() }),
            )?;
        } else {
            print_line!("crawl {} for {}: {}", crawl.id, topic.name, said(&change));
            if crawl.state.is_over() && matches!(change, CrawlChange::More { .. }) {
                print_line!(
                    "it goes on when you resume it on the dashboard, or give its command again"
                );
            }
        }
        Ok(())
    }
}

/// What is different now, in words.
fn said(change: &CrawlChange) -> String {
    match change {
        CrawlChange::More { pages } => format!("{pages} pages more"),
        CrawlChange::Delay { milliseconds } => {
            format!("{milliseconds} ms between two requests to a host")
        }
        CrawlChange::LeaveOut { host } => format!("{host} is asked no more"),
        CrawlChange::TakeBack { host } => format!("{host} may be asked again"),
        CrawlChange::Strategy { name } => format!("links are chosen by {name} from now on"),
        CrawlChange::OnDrift { reaction } => match Reaction::of(reaction) {
            Reaction::Tell => "if it loses its way, it says so",
            Reaction::Restrict => "if it loses its way, it keeps closer to what is known",
            Reaction::Pause => "if it loses its way, it pauses",
        }
        .to_owned(),
        CrawlChange::Pause => "it pauses".to_owned(),
        CrawlChange::Resume => "it goes on".to_owned(),
        CrawlChange::Stop => "it ends".to_owned(),
    }
}

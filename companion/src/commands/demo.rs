//! `linkscent demo`: the whole loop on a small web that comes with the
//! program, so that a newcomer sees a harvest without a network.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use linkscent_core::confidence::Confidence;
use tokio::net::TcpListener;

use super::replay;
use super::serve::until_interrupted;
use linkscent_archive::frozen::FrozenWeb;
use linkscent_server::api::App;
use linkscent_service::crawler::way::Way;
use linkscent_service::{NewCrawl, Services, Starts};
use linkscent_store::Store;

/// The small web: a file a host, pages divided by lines of `=== path`.
const HOSTS: [(&str, &str); 4] = [
    ("garden.test", include_str!("../../demo/garden.txt")),
    ("bees.test", include_str!("../../demo/bees.txt")),
    ("market.test", include_str!("../../demo/market.txt")),
    ("town.test", include_str!("../../demo/town.txt")),
];
const TOPIC: &str = "wild bees";
const EXAMPLES: [&str; 2] = ["http://bees.test/mason", "http://bees.test/nesting"];
const BUDGET: u64 = 20;

/// See a whole crawl on a small web that comes with the program; needs no
/// network.
#[derive(Debug, Args)]
pub struct Demo {
    /// End after the harvest instead of serving the dashboard.
    #[arg(long)]
    once: bool,
}

impl Demo {
    /// Runs the loop, then serves the dashboard until interrupted.
    pub async fn run(self) -> Result<()> {
        let web = Arc::new(FrozenWeb::from_pages(pages()));
        let proxy = TcpListener::bind(("127.0.0.1", 0)).await?;
        let way = Way {
            proxy: Some(format!("http://{}", proxy.local_addr()?).parse()?),
            ..Way::default()
        };
        tokio::spawn(replay::serve(proxy, web));
        let folder = std::env::temp_dir().join(format!("linkscent-demo-{}", std::process::id()));
        let store = Store::open(&folder).await?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let app = App::new(Services::new(store, way), listener.local_addr()?.port());
        print_line!(
            "A small web of {} hosts is up. Topic: “{TOPIC}”, from {} example pages.",
            HOSTS.len(),
            EXAMPLES.len()
        );
        let crawl = self.crawl(&app).await?;
        self.tell(&app, crawl).await?;
        if self.once {
            return Ok(std::fs::remove_dir_all(&folder)?);
        }
        print_lines!(
            "\nLook around: {}\n(Ctrl-C ends the demo.)",
            app.access.entry_link()
        );
        Box::pin(until_interrupted(app, listener)).await?;
        Ok(std::fs::remove_dir_all(&folder)?)
    }

    async fn crawl(&self, app: &App) -> Result<i64> {
        let service = &app.service;
        let examples: Vec<String> = EXAMPLES.iter().map(ToString::to_string).collect();
        let topic = service.topics.create_topic(TOPIC, &[]).await?;
        let starts = Starts {
            examples,
            ..Starts::default()
        };
        let mut changes = service.supervisor.changes();
        let new = NewCrawl::new(starts, BUDGET);
        let id = service.crawls.begin_crawl(&topic, &new).await?.id;
        loop {
            let _ = tokio::time::timeout(Duration::from_secs(1), changes.changed()).await;
            let (crawl, _) = service.crawls.crawl(id).await?;
            if !crawl.state.is_running() {
                return Ok(id);
            }
        }
    }

    async fn tell(&self, app: &App, crawl: i64) -> Result<()> {
        let counts = app.service.crawls.counts(crawl).await?;
        print_lines!(
            "\n{} pages fetched, {} more about the topic (harvest {:.0} %):",
            counts.pages,
            counts.relevant,
            100.0 * counts.harvest()
        );
        let (_, topic) = app.service.crawls.crawl(crawl).await?;
        let critic = app.service.topics.critic_of(&topic).await?;
        for found in app.service.crawls.best_results(crawl, 8, 0).await? {
            let likely = Confidence::of(found.probability(&critic));
            print_line!(
                "  {:<12}  {}  {}",
                likely.words(),
                found.title,
                found.address
            );
            if !found.reason.is_empty() {
                print_line!("{:16}{}", "", found.reason);
            }
        }
        Ok(())
    }
}

/// Addresses and bodies of the small web.
fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for (host, text) in HOSTS {
        for part in text.split("=== ").skip(1) {
            let (path, body) = part.split_once('\n').unwrap_or((part, ""));
            pages.push((format!("http://{host}{path}"), body.to_owned()));
        }
    }
    pages
}

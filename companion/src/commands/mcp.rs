//! `linkscent mcp`: the library for programs that speak the Model Context Protocol.

use anyhow::{Context, Result};
use clap::Args;
use rmcp::ServiceExt;
use rmcp::transport::stdio;

use super::network::Network;
use super::place::Place;
use linkscent_server::mcp::Library;
use linkscent_service::Services;

/// Serve the library to a program that speaks the Model Context Protocol, over standard input and
/// output.
///
/// It may search, read kept pages and have finds explained, and change nothing. With --may-crawl it
/// may also have pages fetched for your topics, 500 a call and 2,000 a day at most.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent mcp --data ~/linkscent")]
pub struct Mcp {
    #[command(flatten)]
    place: Place,
    /// Allow crawls, which fetch pages from the web.
    #[arg(long)]
    may_crawl: bool,
    #[command(flatten)]
    network: Network,
}

impl Mcp {
    /// Runs until the other side ends.
    pub async fn run(self) -> Result<()> {
        let store = self.place.open().await?;
        let service = Services::new(store, self.network.way());
        let supervisor = service.supervisor.clone();
        let server = Library::new(service, self.may_crawl);
        let running = server.serve(stdio()).await.context("beginning to speak")?;
        // What other processes do to the folder is heard of.
        tokio::select! {
            ended = running.waiting() => ended.map(drop)?,
            watched = supervisor.watch_others() => watched?,
        }
        Ok(())
    }
}

//! `linkscent data sites`: what is remembered of sites from one topic to another.

use anyhow::Result;
use clap::Args;
use linkscent_output::print_json;
use serde_json::json;

use super::place::Place;
use linkscent_service::crawler::way::Way;
use linkscent_service::{Services, SiteView};

/// List the sites that crawls remember, and have them forgotten.
///
/// A crawl that comes to a site which a crawl for another topic has read begins with what that one
/// saw there. What is forgotten stays where it is, and is told to no other topic's crawl.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent data sites
  linkscent data sites --forget calendar.example.org
  linkscent data sites --remember calendar.example.org")]
pub struct Sites {
    /// Tell crawls nothing of this host any more; can be given repeatedly.
    #[arg(long, value_name = "HOST")]
    forget: Vec<String>,
    /// Tell them again.
    #[arg(long, value_name = "HOST")]
    remember: Vec<String>,
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Sites {
    /// Does what is asked, and lists what there is then.
    pub async fn run(self) -> Result<()> {
        let service = Services::new(self.place.open().await?, Way::default());
        for (hosts, is_forgotten) in [(&self.forget, true), (&self.remember, false)] {
            for host in hosts {
                service.upkeep.forget_site(host, is_forgotten).await?;
            }
        }
        let sites = service.upkeep.sites().await?;
        if self.json {
            print_json(&json!({ "sites": sites }))?;
            return Ok(());
        }
        if sites.is_empty() {
            print_line!("nothing is remembered yet: this fills once a crawl has ended");
        }
        for site in &sites {
            print_line!("{}", line(site));
        }
        Ok(())
    }
}

fn line(site: &SiteView) -> String {
    let mut line = format!(
        "{}: {} pages read, {} finds",
        site.host, site.pages, site.finds
    );
    if let Some(lead) = site.leads.first() {
        line.push_str(&format!("; most by {}/…", lead.folder));
    }
    if let Some(form) = &site.search_form {
        line.push_str(&format!("; search form on {form}"));
    }
    if site.is_forgotten {
        line.push_str(" (forgotten)");
    }
    line
}

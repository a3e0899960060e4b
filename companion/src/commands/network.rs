//! How requests are made: the flags that all commands share that fetch pages.

use clap::Args;
use linkscent_core::crawl::as_host;

use linkscent_service::crawler::documents::DocumentReader;
use linkscent_service::crawler::way::Way;
use linkscent_store::DailyBudget;

/// How crawls may reach the network.
#[derive(Debug, Clone, Args)]
pub struct Network {
    /// Go through this HTTP proxy.
    #[arg(long, env = "LINKSCENT_PROXY", help_heading = "Requests")]
    proxy: Option<reqwest::Url>,
    /// Let links lead to this machine and to private networks.
    #[arg(long, env = "LINKSCENT_ALLOW_PRIVATE", help_heading = "Requests")]
    allow_private: bool,
    /// Let links lead to this port too, besides those of the web (80, 443, 8080 and
    /// a few like them); can be given repeatedly.
    #[arg(
        long = "allow-port",
        value_name = "PORT",
        env = "LINKSCENT_ALLOW_PORTS",
        value_delimiter = ',',
        help_heading = "Requests"
    )]
    allow_ports: Vec<u16>,
    /// How a site's keeper can reach you, such as an address of mail: it is told with each request.
    #[arg(long, env = "LINKSCENT_CONTACT", value_parser = contact, help_heading = "Requests")]
    contact: Option<String>,
    /// Never ask this host or one below it, in any crawl; can be given repeatedly.
    #[arg(
        long = "never",
        value_name = "HOST",
        env = "LINKSCENT_NEVER",
        value_delimiter = ',',
        value_parser = host,
        help_heading = "Requests"
    )]
    never: Vec<String>,
    /// Ask all hosts of a site, such as www.example.org and data.example.org, one at a time, with the
    /// delay between them.
    #[arg(long, env = "LINKSCENT_BY_SITE", help_heading = "Requests")]
    by_site: bool,
    /// Make at most so many requests to a host within a day (UTC), but for its robots.txt; crawls go on
    /// the next day. With --by-site it is all hosts of a site together.
    #[arg(
        long,
        value_name = "REQUESTS",
        env = "LINKSCENT_DAILY_REQUESTS",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Requests"
    )]
    daily_requests: Option<u32>,
    /// Take at most so many megabytes from a host within a day (UTC), unpacked.
    #[arg(
        long,
        value_name = "MB",
        env = "LINKSCENT_DAILY_MEGABYTES",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Requests"
    )]
    daily_megabytes: Option<u32>,
}

/// Who makes the requests, where a command runs crawls.
#[derive(Debug, Clone, Copy, Args)]
pub struct ByWorkers {
    /// Leave all requests to workers: programs that were started as `linkscent team work` with the same
    /// --database.
    #[arg(long, env = "LINKSCENT_BY_WORKERS", help_heading = "Requests")]
    by_workers: bool,
}

/// Characters of a contact at most.
const LONGEST_CONTACT: usize = 100;

fn contact(text: &str) -> Result<String, String> {
    let is_plain = |sign: char| (sign.is_ascii_graphic() || sign == ' ') && !"()".contains(sign);
    if text.len() <= LONGEST_CONTACT && !text.is_empty() && text.chars().all(is_plain) {
        return Ok(text.to_owned());
    }
    Err(format!(
        "a contact has up to {LONGEST_CONTACT} plain characters and no parentheses, such as you@example.org"
    ))
}

fn host(text: &str) -> Result<String, String> {
    as_host(text).ok_or_else(|| format!("{text:?} is no host, such as example.org"))
}

impl Network {
    /// The way that requests go of crawls that this program runs.
    pub fn way_of_crawls(&self, by: ByWorkers) -> Way {
        let by_workers = by.by_workers;
        Way {
            by_workers,
            ..self.way()
        }
    }

    /// The way requests go.
    pub fn way(&self) -> Way {
        Way {
            proxy: self.proxy.clone(),
            allow_private: self.allow_private,
            ports: self.allow_ports.clone(),
            documents: DocumentReader::of_this_program(),
            contact: self.contact.clone(),
            never: self.never.clone(),
            by_site: self.by_site,
            daily: DailyBudget {
                requests: self.daily_requests,
                bytes: self.daily_megabytes.map(|most| u64::from(most) * 1_000_000),
            },
            by_workers: false,
        }
    }
}

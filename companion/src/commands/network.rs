//! How requests are made: the flags that all commands share that fetch pages.

use clap::Args;
use linkscent_core::crawl::as_host;

use crate::crawler::documents::DocumentReader;
use crate::crawler::way::Way;

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
    /// The way requests go.
    pub fn way(&self) -> Way {
        Way {
            proxy: self.proxy.clone(),
            allow_private: self.allow_private,
            ports: self.allow_ports.clone(),
            documents: DocumentReader::of_this_program(),
            contact: self.contact.clone(),
            never: self.never.clone(),
        }
    }
}

//! How requests are made: the flags that all commands share that fetch pages.

use clap::Args;

use crate::crawler::documents::DocumentReader;
use crate::crawler::fetch::Way;

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
}

impl Network {
    /// The way requests go.
    pub fn way(&self) -> Way {
        Way {
            proxy: self.proxy.clone(),
            allow_private: self.allow_private,
            ports: self.allow_ports.clone(),
            documents: DocumentReader::of_this_program(),
        }
    }
}

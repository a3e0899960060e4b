//! How requests are made, and who makes them.

use std::net::IpAddr;

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::crawl::is_within;
use reqwest::Url;
use reqwest::header::HeaderValue;
use sha2::{Digest, Sha256};

use super::documents::DocumentReader;
use linkscent_store::DailyBudget;

/// Who we say we are, to servers and in robots.txt.
pub const AGENT: &str = env!("CARGO_PKG_NAME");
const NAMED: &str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));
const DESCRIBED: &str = "a person's focused crawler; obeys robots.txt";

/// How requests are made.
#[derive(Debug, Clone, Default)]
pub struct Way {
    /// An HTTP proxy to go through.
    pub proxy: Option<Url>,
    /// Whether links may lead to this machine and to private networks.
    pub allow_private: bool,
    /// Ports that links may lead to besides those of the web.
    pub ports: Vec<u16>,
    /// Who reads documents that are no HTML.
    pub documents: DocumentReader,
    /// How a site's keeper can reach the person, in characters that may stand in a header.
    pub contact: Option<String>,
    /// Hosts that are never asked, nor those below them.
    pub never: Vec<String>,
    /// Whether all hosts of a site are asked one at a time, and not only each by itself.
    pub by_site: bool,
    /// What a host may be asked for within a day.
    pub daily: DailyBudget,
    /// Whether workers make the requests, wherever they are, and not this program.
    pub by_workers: bool,
}

impl Way {
    /// A name of the way: the same for programs whose requests hosts cannot tell apart.
    pub fn name(&self) -> String {
        let Self {
            proxy,
            allow_private,
            ports,
            documents: _,
            contact,
            never,
            by_site,
            daily,
            by_workers,
        } = self;
        let all = (
            proxy,
            allow_private,
            ports,
            contact,
            never,
            by_site,
            daily,
            by_workers,
        );
        let hash = Sha256::digest(format!("{all:?}"));
        hash.iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// Who asks, as servers are told.
    pub(super) fn agent(&self) -> Result<HeaderValue> {
        let contact = self.contact.iter();
        let contact: String = contact.map(|contact| format!("; {contact}")).collect();
        let agent = format!("{NAMED} ({DESCRIBED}{contact})");
        HeaderValue::from_str(&agent).with_context(|| format!("{agent:?} is no name for a client"))
    }

    /// Whether a page lies on a host that is never asked.
    pub(super) fn is_left_alone(&self, page: &Address) -> bool {
        self.never.iter().any(|host| is_within(page, host))
    }

    /// Whether all requests go to a proxy on this machine, such as `replay`.
    pub fn is_loopback_proxy(&self) -> bool {
        self.proxy.as_ref().is_some_and(|proxy| {
            let host = proxy.host_str().unwrap_or_default();
            let ip: Result<IpAddr, _> = host.trim_matches(['[', ']']).parse();
            ip.is_ok_and(|ip| ip.is_loopback()) || host == "localhost"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_told_who_asks_and_how_to_reach_them() {
        let mut way = Way::default();
        let agent = way.agent().unwrap();
        assert!(agent.to_str().unwrap().starts_with(&format!("{AGENT}/")));
        way.contact = Some("you@example.org".to_owned());
        let agent = way.agent().unwrap();
        assert!(
            agent
                .to_str()
                .unwrap()
                .ends_with("robots.txt; you@example.org)")
        );
        way.contact = Some("a\r\nb".to_owned());
        assert!(way.agent().is_err());
    }

    #[test]
    fn ways_that_hosts_can_tell_apart_have_other_names() {
        let plain = Way::default();
        assert_eq!(plain.name(), Way::default().name());
        let proxy = Some(Url::parse("http://127.0.0.1:9").unwrap());
        let never = vec!["a.test".to_owned()];
        let others = [
            Way {
                proxy,
                ..Way::default()
            },
            Way {
                never,
                ..Way::default()
            },
            Way {
                by_workers: true,
                ..Way::default()
            },
        ];
        for other in others {
            assert_ne!(other.name(), plain.name(), "{other:?}");
        }
    }
}

//! Which servers names stand for. Asked for each name once in a while, so that whose turn it is
//! at a server can be told before a connection is made.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use linkscent_core::address::Address;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::ssrf_guard::{Refused, host_name, may_be_asked};

/// What a name stands for is believed for so long.
const BELIEVED: Duration = Duration::from_mins(5);
/// A name is looked up for so long before a request goes without knowing its server.
const LONGEST: Duration = Duration::from_secs(5);
/// Names that are remembered.
const MOST: usize = 10_000;

type Known = HashMap<Box<str>, (Instant, Vec<IpAddr>)>;

/// Looks names up, and remembers some of them. Clones are the same.
#[derive(Clone)]
pub struct Names {
    /// Whether they may stand for this machine and for private networks.
    allow_private: bool,
    known: Arc<Mutex<Known>>,
}

impl Names {
    /// Nothing is known.
    pub fn new(allow_private: bool) -> Self {
        Self {
            allow_private,
            known: Arc::default(),
        }
    }

    /// The server behind a page's host: where a name stands for several, always the same of them, so
    /// that hosts which share all of theirs are one. None where that cannot be told.
    pub async fn server_of(&self, page: &Address) -> Option<IpAddr> {
        let host = host_name(page);
        if let Ok(number) = host.parse() {
            return Some(number);
        }
        let found = tokio::time::timeout(LONGEST, self.look_up(host)).await;
        found.ok()?.ok()?.into_iter().min()
    }

    async fn look_up(
        &self,
        host: &str,
    ) -> Result<Vec<IpAddr>, Box<dyn std::error::Error + Send + Sync>> {
        if let Some(known) = self.known(host) {
            return Ok(known);
        }
        let found = tokio::net::lookup_host((host, 0)).await?;
        let found = found.map(|found| found.ip());
        let found: Vec<IpAddr> = found
            .filter(|server| may_be_asked(*server, self.allow_private))
            .collect();
        if found.is_empty() {
            return Err(Refused::NoPublicAddress(host.to_owned()).into());
        }
        self.remember(host, found.clone());
        Ok(found)
    }

    fn known(&self, host: &str) -> Option<Vec<IpAddr>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, servers) = known.get(host)?;
        (since.elapsed() < BELIEVED).then(|| servers.clone())
    }

    fn remember(&self, host: &str, servers: Vec<IpAddr>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(host.into(), (Instant::now(), servers));
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.clone();
        Box::pin(async move {
            let found = names.look_up(name.as_str()).await?;
            let found = found.into_iter().map(|server| SocketAddr::new(server, 0));
            Ok(Box::new(found) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_stands_for_one_server_and_private_ones_are_none() {
        let page = |text: &str| Address::parse(text).unwrap();
        let names = Names::new(true);
        for (text, server) in [
            ("http://10.1.2.3:8080/", "10.1.2.3"),
            ("http://[2606:4700::1]/", "2606:4700::1"),
        ] {
            let found = names.server_of(&page(text)).await;
            assert_eq!(found, server.parse().ok(), "{text}");
        }
        names.remember(
            "two.test",
            vec!["10.0.0.9".parse().unwrap(), "10.0.0.2".parse().unwrap()],
        );
        let found = names.server_of(&page("http://two.test:81/")).await;
        assert_eq!(found, "10.0.0.2".parse().ok());

        let local = Names::new(true).server_of(&page("http://localhost/")).await;
        assert!(local.unwrap().is_loopback());
        let refused = Names::new(false).look_up("localhost").await.unwrap_err();
        assert!(
            refused.to_string().contains("no public address"),
            "{refused}"
        );
    }
}

//! What is remembered of sites from one topic to another: shown, forgotten, remembered again.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use linkscent_core::address::Address;
use linkscent_core::site_memory::{MOST_LEADS, RememberedSite, SiteMemory};
use serde::Serialize;

use crate::ServiceError;
use crate::Upkeep;
use crate::learning::site_memory;

/// What is remembered of a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SiteView {
    /// Its host.
    pub host: String,
    /// Pages that crawls read there.
    pub pages: usize,
    /// Those that were what a crawl looked for.
    pub finds: usize,
    /// A page with a form to search it by.
    pub search_form: Option<String>,
    /// Folders whose pages led on to most finds.
    pub leads: Vec<LeadView>,
    /// Whether crawls are told nothing of it.
    pub is_forgotten: bool,
}

/// What was found first through the pages of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeadView {
    /// Host and path.
    pub folder: String,
    /// Pages that they led on to.
    pub pages: usize,
    /// Finds among those.
    pub finds: usize,
}

impl From<&RememberedSite<'_>> for SiteView {
    fn from(site: &RememberedSite<'_>) -> Self {
        let leads = site.leads.iter().map(|lead| LeadView {
            folder: lead.folder.to_owned(),
            pages: lead.pages,
            finds: lead.finds,
        });
        Self {
            host: site.host.to_owned(),
            pages: site.pages,
            finds: site.finds,
            search_form: site.search_form.map(ToString::to_string),
            leads: leads.collect(),
            is_forgotten: false,
        }
    }
}

/// The sites of several topics, those first of which most pages were read.
fn together(memories: &[SiteMemory]) -> Vec<SiteView> {
    let mut sites: BTreeMap<String, SiteView> = BTreeMap::new();
    for site in memories.iter().flat_map(SiteMemory::sites) {
        let site = SiteView::from(&site);
        match sites.entry(site.host.clone()) {
            Entry::Vacant(place) => {
                place.insert(site);
            }
            Entry::Occupied(mut known) => known.get_mut().join(site),
        }
    }
    let mut sites: Vec<SiteView> = sites.into_values().collect();
    sites.sort_by_key(|site| std::cmp::Reverse(site.pages));
    sites
}

impl SiteView {
    /// Adds what another topic's crawls read of the same site; a page that both read counts twice.
    fn join(&mut self, other: Self) {
        self.pages += other.pages;
        self.finds += other.finds;
        self.search_form = self.search_form.take().or(other.search_form);
        for lead in other.leads {
            match self
                .leads
                .iter_mut()
                .find(|known| known.folder == lead.folder)
            {
                Some(known) => {
                    known.pages += lead.pages;
                    known.finds += lead.finds;
                }
                None => self.leads.push(lead),
            }
        }
        self.leads
            .sort_by_key(|lead| std::cmp::Reverse((lead.finds, lead.pages)));
        self.leads.truncate(MOST_LEADS);
    }
}

impl Upkeep {
    /// All sites that are remembered, those first of which most is, and behind them those of which
    /// nothing is left that are forgotten.
    pub async fn sites(&self) -> Result<Vec<SiteView>, ServiceError> {
        let store = self.context.store.clone();
        let handle = tokio::runtime::Handle::current();
        let read = move || {
            let memories = handle.block_on(site_memory::of_all(&store))?;
            anyhow::Ok(together(&memories))
        };
        let read = tokio::task::spawn_blocking(read).await;
        let mut sites: Vec<SiteView> = read.map_err(anyhow::Error::from)??;
        for host in self.context.store.forgotten_sites().await? {
            if let Some(site) = sites.iter_mut().find(|site| site.host == host) {
                site.is_forgotten = true;
            } else {
                sites.push(SiteView {
                    host,
                    pages: 0,
                    finds: 0,
                    search_form: None,
                    leads: Vec::new(),
                    is_forgotten: true,
                });
            }
        }
        Ok(sites)
    }

    /// Tells crawls that begin or go on nothing of a host any more, or tells them again.
    pub async fn forget_site(&self, host: &str, is_forgotten: bool) -> Result<(), ServiceError> {
        let address = Address::parse(&format!("http://{}/", host.trim()));
        let host = match &address {
            Ok(address) if address.path_and_query() == "/" => address.host(),
            _ => {
                return Err(ServiceError::refused(format!(
                    "“{}” is no host: name one like example.org.",
                    host.trim()
                )));
            }
        };
        Ok(self.context.store.forget_site(host, is_forgotten).await?)
    }
}

#[cfg(test)]
mod tests;

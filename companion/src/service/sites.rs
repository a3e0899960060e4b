//! What is remembered of sites from one topic to another: shown, forgotten, remembered again.

use linkscent_core::site_memory::{RememberedSite, SiteMemory};
use serde::Serialize;

use super::{Service, ServiceError};
use crate::site_memory;

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

impl Service {
    /// All sites that are remembered, those first of which most is, and behind them those of which
    /// nothing is left that are forgotten.
    pub async fn sites(&self) -> Result<Vec<SiteView>, ServiceError> {
        let store = self.store.clone();
        let handle = tokio::runtime::Handle::current();
        let read = move || {
            let memory: SiteMemory = handle.block_on(site_memory::of_all(&store))?;
            anyhow::Ok(memory.sites().iter().map(SiteView::from).collect())
        };
        let read = tokio::task::spawn_blocking(read).await;
        let mut sites: Vec<SiteView> = read.map_err(anyhow::Error::from)??;
        for host in self.store.forgotten_sites().await? {
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
        let host = host.trim().to_lowercase();
        let is_known = is_forgotten && self.sites().await?.iter().any(|site| site.host == host);
        if is_forgotten && !is_known {
            return Err(ServiceError::refused(format!(
                "Nothing is remembered of “{host}”: `linkscent sites` lists what is."
            )));
        }
        Ok(self.store.forget_site(&host, is_forgotten).await?)
    }
}

#[cfg(test)]
mod tests;

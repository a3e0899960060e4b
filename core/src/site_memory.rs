//! What earlier crawls read of the sites that another one comes to: which pages, in their heaviest
//! words, and through which page each was found first. A critic judges them for a topic that they
//! were not read for, so that a crawl knows of links to them where they lead, which groups of
//! addresses are worth something, and which pages lead on.
//!
//! It is put together from the topic models of other topics whenever a crawl begins or is taken up, and
//! kept nowhere: what those forget is not remembered, and no topic comes to hold another's pages.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::address::Address;
use crate::critics::Critic;
use crate::features::PageTerms;
use crate::text::Vocabulary;
use crate::translation::Translation;
use crate::web_graph::{Remembered, WebGraph};

/// Pages that are remembered.
const MOST_PAGES: usize = 20_000;
/// Words of a page that are.
const MOST_TERMS: usize = 32;
/// What is left after one more click of what a page leads on to.
const BEHIND: f64 = 0.5;
/// Folders that are shown of a site.
pub const MOST_LEADS: usize = 3;

/// A page that an earlier crawl read.
#[derive(Debug, Clone)]
struct ReadPage {
    address: Address,
    /// In the memory's own words.
    terms: PageTerms,
    /// The page through which it was found first.
    via: Option<Address>,
    /// Whether it was what that crawl looked for.
    is_find: bool,
}

/// Pages that earlier crawls read.
#[derive(Debug, Clone, Default)]
pub struct SiteMemory {
    vocabulary: Vocabulary,
    pages: Vec<ReadPage>,
    places: FxHashMap<Address, usize>,
    /// By host, a page with a form to search it by.
    forms: BTreeMap<Box<str>, Address>,
}

impl SiteMemory {
    /// Takes in what is known of those pages of a topic that are asked for, the newest first, until
    /// it is full; `sources` are pages, each with one with a link to it, that through which it was found
    /// first being the first. A page that is remembered already stays as it is.
    pub fn read<'a>(
        &mut self,
        graph: &WebGraph,
        sources: impl Iterator<Item = (&'a Address, &'a Address)>,
        is_asked_for: impl Fn(&Address) -> bool,
    ) {
        let mut first: FxHashMap<&Address, &Address> = FxHashMap::default();
        for (page, source) in sources.filter(|row| is_asked_for(row.1)) {
            first.entry(page).or_insert(source);
        }
        for ((page, _), _) in graph.forms().filter(|form| is_asked_for(&form.0.0)) {
            let form = self.forms.entry(page.host().into());
            form.or_insert_with(|| page.clone());
        }
        let mut words = Translation {
            from: &graph.vocabulary,
            into: &mut self.vocabulary,
        };
        for page in graph.pages().rev() {
            if self.pages.len() == MOST_PAGES {
                return;
            }
            let is_new = !self.places.contains_key(&page.address);
            if !is_new || page.terms.rows().is_empty() || !is_asked_for(&page.address) {
                continue;
            }
            self.places.insert(page.address.clone(), self.pages.len());
            self.pages.push(ReadPage {
                address: page.address.clone(),
                terms: words.terms(&page.terms.heaviest(MOST_TERMS)),
                via: first.get(&page.address).map(|source| (*source).clone()),
                is_find: page.judgment.is_target,
            });
        }
    }

    /// Whether it remembers as much as it can.
    pub fn is_full(&self) -> bool {
        self.pages.len() == MOST_PAGES
    }

    /// How many pages are remembered.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// What a critic makes of the pages, for strategies.
    pub fn judged(&self, critic: &dyn Critic, graph: &WebGraph) -> Remembered {
        if self.is_empty() {
            return Remembered::default();
        }
        // Its words are not the topic's: they go as they came.
        let mut known = graph.without_pages();
        let terms: Vec<PageTerms> = {
            let mut words = Translation {
                from: &self.vocabulary,
                into: &mut known.vocabulary,
            };
            let pages = self.pages.iter();
            pages.map(|page| words.terms(&page.terms)).collect()
        };
        let judge = |(page, terms): (&ReadPage, &PageTerms)| {
            let judgment = critic.judge_remembered(&page.address, terms, &known)?;
            Some(judgment.relevance.value())
        };
        let relevance: Vec<Option<f64>> = self.pages.iter().zip(&terms).map(judge).collect();
        self.remembered(&relevance)
    }

    /// What pages of this relevance are worth, each with what it leads on to.
    fn remembered(&self, relevance: &[Option<f64>]) -> Remembered {
        let mut found = Remembered::default();
        for (page, relevance) in self.pages.iter().zip(relevance) {
            let Some(relevance) = *relevance else {
                continue;
            };
            found.read(&page.address, relevance);
            if let Some(source) = &page.via {
                found.followed(source, relevance);
            }
        }
        // Pages come newest first: what a page led on to comes before it.
        let mut behind = vec![0.0; self.pages.len()];
        for (place, page) in self.pages.iter().enumerate() {
            // Pages of no use are many, and none of them is to count as a part of a good one.
            let above = (relevance[place].unwrap_or(0.0) - found.usual()).max(0.0);
            let worth = above + BEHIND * behind[place];
            let source = page.via.as_ref().and_then(|source| self.places.get(source));
            if let Some(&source) = source {
                behind[source] += worth;
            }
        }
        for ((page, behind), judged) in self.pages.iter().zip(behind).zip(relevance) {
            if let Some(relevance) = *judged {
                found.promise(&page.address, relevance, behind);
            }
        }
        found
    }

    /// What is remembered of each site, those of which most is first.
    pub fn sites(&self) -> Vec<RememberedSite<'_>> {
        let mut sites: FxHashMap<&str, RememberedSite<'_>> = FxHashMap::default();
        let mut leads: FxHashMap<&str, RememberedLead<'_>> = FxHashMap::default();
        for page in &self.pages {
            let host = page.address.host();
            let site = sites.entry(host).or_insert_with(|| RememberedSite {
                host,
                pages: 0,
                finds: 0,
                search_form: self.forms.get(host),
                leads: Vec::new(),
            });
            site.pages += 1;
            site.finds += usize::from(page.is_find);
            if let Some(source) = &page.via {
                let folder = source.folder();
                let lead = leads.entry(folder).or_insert(RememberedLead {
                    folder,
                    pages: 0,
                    finds: 0,
                });
                lead.pages += 1;
                lead.finds += usize::from(page.is_find);
            }
        }
        for lead in leads.into_values() {
            let host = lead.folder.split('/').next().unwrap_or_default();
            if let Some(site) = sites.get_mut(host) {
                site.leads.push(lead);
            }
        }
        let mut sites: Vec<RememberedSite<'_>> = sites.into_values().collect();
        for site in &mut sites {
            let most = |lead: &RememberedLead<'_>| (lead.finds, lead.pages);
            let leads = &mut site.leads;
            leads.sort_unstable_by(|a, b| most(b).cmp(&most(a)).then(a.folder.cmp(b.folder)));
            leads.truncate(MOST_LEADS);
        }
        sites.sort_unstable_by(|a, b| b.pages.cmp(&a.pages).then(a.host.cmp(b.host)));
        sites
    }
}

/// What is remembered of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedSite<'a> {
    /// Its host.
    pub host: &'a str,
    /// Pages that were read.
    pub pages: usize,
    /// Those that were what a crawl looked for.
    pub finds: usize,
    /// A page with a form to search it by.
    pub search_form: Option<&'a Address>,
    /// Folders whose pages led on to most finds.
    pub leads: Vec<RememberedLead<'a>>,
}

/// What was found through the pages of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RememberedLead<'a> {
    /// See [`Address::folder`].
    pub folder: &'a str,
    /// Pages that were found through them first.
    pub pages: usize,
    /// Finds among those.
    pub finds: usize,
}

#[cfg(test)]
mod tests;

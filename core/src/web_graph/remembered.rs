//! What pages that earlier crawls read are worth for this topic, and the groups of addresses that
//! they belong to: plain numbers, by hashes of addresses.

use rustc_hash::FxHashMap;

use crate::address::Address;

/// Pages by which a folder is drawn towards its site, and a site towards all.
const SMOOTHING: f64 = 4.0;
/// What a page that leads on to a good one is worth of one.
const DECAY: f64 = 0.5;
/// Log-odds are cut off there.
const LEAST: f64 = 0.5;
const MOST: f64 = 6.0;
/// Relevance is never as sure as that of a page that was not read again.
const SUREST: f64 = 0.98;

/// Pages of a group, and how relevant they are together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Lead {
    /// Pages.
    pub pages: f64,
    /// Their relevance, summed up.
    pub good: f64,
}

impl Lead {
    pub(crate) fn add(&mut self, relevance: f64) {
        self.pages += 1.0;
        self.good += relevance;
    }
}

/// What is remembered, as the critic judges it now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Remembered {
    /// By [`Address::key`]: log-odds.
    promises: FxHashMap<u64, f32>,
    sites: FxHashMap<Box<str>, Lead>,
    /// By [`Address::folder`].
    folders: FxHashMap<Box<str>, Lead>,
    /// Pages that were found through those of a folder.
    leads: FxHashMap<Box<str>, Lead>,
    all: Lead,
}

impl Remembered {
    /// Takes in how relevant a page is.
    pub(crate) fn read(&mut self, page: &Address, relevance: f64) {
        self.all.add(relevance);
        let site = self.sites.entry(page.host().into()).or_default();
        site.add(relevance);
        let folder = self.folders.entry(page.folder().into()).or_default();
        folder.add(relevance);
    }

    /// Takes in how relevant a page is that was found through another.
    pub(crate) fn followed(&mut self, source: &Address, relevance: f64) {
        let lead = self.leads.entry(source.folder().into()).or_default();
        lead.add(relevance);
    }

    /// Takes in how relevant a page is, and how many relevant ones it leads on to.
    pub(crate) fn promise(&mut self, page: &Address, relevance: f64, behind: f64) {
        let relevance = relevance.clamp(1.0 - SUREST, SUREST);
        let odds = (relevance + DECAY * behind) / (1.0 - relevance);
        self.promises.insert(page.key(), odds.ln() as f32);
    }

    /// Log-odds that a page is worth fetching that an earlier crawl read.
    pub fn worth(&self, page: &Address) -> Option<f64> {
        self.promises
            .get(&page.key())
            .map(|worth| f64::from(*worth))
    }

    /// How much the log-odds that a page is worth fetching are above the usual, by what is remembered:
    /// by itself if it was read, by its folder and site if not. 0 where nothing is.
    ///
    /// What an earlier crawl passed over is no better than what it read in vain: so a page that was
    /// not read is worth no more than those that were, around it. And a page that was read in vain
    /// among good ones may lead on to others that were not asked for then.
    pub fn log_odds(&self, page: &Address) -> f64 {
        if self.promises.is_empty() {
            return 0.0;
        }
        let rate = self.rate(page);
        let odds = |share: f64| (share / (1.0 - share)).ln();
        let worth = match self.worth(page) {
            Some(worth) => worth.max(odds(DECAY * rate)),
            None => odds(rate),
        };
        (worth - odds(self.usual())).clamp(-LEAST, MOST)
    }

    /// How relevant pages are on the average, above 0 and below 1.
    pub(crate) fn usual(&self) -> f64 {
        (self.all.good + 0.5) / (self.all.pages + 1.0)
    }

    /// How relevant pages of the folder of a page are, drawn towards its site, and that towards all.
    fn rate(&self, page: &Address) -> f64 {
        let drawn = |group: Option<&Lead>, usual: f64| {
            let group = group.copied().unwrap_or_default();
            (group.good + SMOOTHING * usual) / (group.pages + SMOOTHING)
        };
        let site = drawn(self.sites.get(page.host()), self.usual());
        drawn(self.folders.get(page.folder()), site)
    }

    /// What was found through pages of the same folder as this one, and all that is remembered.
    pub fn lead(&self, source: &Address) -> (Lead, Lead) {
        let lead = self.leads.get(source.folder()).copied();
        (lead.unwrap_or_default(), self.all)
    }
}

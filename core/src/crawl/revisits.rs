//! Which pages are worth another look: those where most has come meanwhile that is looked for.
//!
//! A page changes at a rate of its own, and a change of it brings so many new targets. Both are
//! learned from what earlier looks showed. Where little is known of a page its site speaks for
//! it, and where little is known of a site all pages do: numbers of events are gamma-Poisson, a
//! page's prior being its site's mean, worth as much as one mean time between looks. What a page
//! led to when it was first read is the first word on what its changes bring. Little known pages
//! are given the benefit of the doubt, so that they come to be known. A page is looked at once a new
//! target can be hoped for: so pages that bring nothing are asked for more and more rarely.
//!
//! Left out: changes that come in a rhythm of their own (at night, on Mondays), and what is lost
//! while nobody looks because lists drop their oldest entries.

use std::collections::BTreeMap;

use crate::address::Address;

/// Milliseconds.
pub type Millis = u64;

/// How much a site's mean counts against what is known of a page, in mean times between looks.
const SITE_LOOKS: f64 = 1.0;
/// Standard deviations by which a page of which little is known is given the benefit of the doubt.
const HOPE: f64 = 0.5;
/// New targets that a look has to be hoped to bring.
const LEAST_NEWS: f64 = 1.0;
/// Pages that are looked at in any case where no page was ever looked at again.
const FIRST_LOOKS: usize = 10;
/// What is taken for seen before anything was, in looks, changes and targets over all pages.
const BEFORE: f64 = 0.5;

/// What is known of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Watched {
    /// The page.
    pub address: Address,
    /// When it was looked at last.
    pub last: Millis,
    /// From the first time to the last.
    pub span: Millis,
    /// How often it was looked at after the first time.
    pub looks: u32,
    /// How often it had changed.
    pub changes: u32,
    /// Targets that were found by links which had come to it.
    pub news: u32,
    /// Targets to which it led when it was first read.
    pub led_to: u32,
}

impl Watched {
    /// A page that was read at that time.
    pub fn new(address: Address, read: Millis, led_to: u32) -> Self {
        Self {
            address,
            last: read,
            span: 0,
            looks: 0,
            changes: 0,
            news: 0,
            led_to,
        }
    }

    /// It was looked at again.
    pub fn look(&mut self, at: Millis, has_changed: bool) {
        self.span += at.saturating_sub(self.last);
        self.last = self.last.max(at);
        self.looks += 1;
        self.changes += u32::from(has_changed);
    }
}

/// Sums over pages.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    pages: f64,
    span: f64,
    looks: f64,
    changes: f64,
    news: f64,
    led_to: f64,
}

impl Sums {
    fn add(&mut self, page: &Watched) {
        self.pages += 1.0;
        self.span += page.span as f64;
        self.looks += f64::from(page.looks);
        self.changes += f64::from(page.changes);
        self.news += f64::from(page.news);
        self.led_to += f64::from(page.led_to);
    }
}

/// Rates of a site, or of all pages.
#[derive(Debug, Clone, Copy)]
struct Rates {
    /// Changes in a mean time between looks.
    changes: f64,
    /// Targets that a change brings.
    news: f64,
    /// Targets to which a page led at first.
    led_to: f64,
}

impl Rates {
    /// Of sums, `above` counting as much as one look and one change do.
    fn of(sums: &Sums, interval: f64, above: &Self) -> Self {
        Self {
            changes: (sums.changes + above.changes) / (sums.span / interval + 1.0),
            news: (sums.news + above.news) / (sums.changes + 1.0),
            led_to: (sums.led_to + above.led_to) / (sums.pages + 1.0),
        }
    }
}

/// How many new targets another look at a page is expected to bring.
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    /// Its place among those that were asked for.
    pub page: usize,
    /// New targets, with the benefit of the doubt.
    pub news: f64,
}

/// All pages, those that are worth most first; of equals those that were looked at longest ago.
pub fn revisits(pages: &[Watched], now: Millis) -> Vec<Expected> {
    let mut all = Sums::default();
    let mut sites: BTreeMap<&str, Sums> = BTreeMap::new();
    for page in pages {
        all.add(page);
        sites.entry(page.address.host()).or_default().add(page);
    }
    let interval = mean_interval(&all, pages, now);
    let first = Rates {
        changes: BEFORE,
        news: BEFORE,
        led_to: BEFORE,
    };
    let overall = Rates::of(&all, interval, &first);
    let rates: BTreeMap<&str, Rates> = sites
        .iter()
        .map(|(site, sums)| (*site, Rates::of(sums, interval, &overall)))
        .collect();
    let mut expected: Vec<Expected> = pages
        .iter()
        .enumerate()
        .map(|(place, page)| {
            let site = rates.get(page.address.host()).unwrap_or(&overall);
            let since = now.saturating_sub(page.last) as f64 / interval;
            Expected {
                page: place,
                news: since * rate(page, site, interval),
            }
        })
        .collect();
    expected.sort_by(|a, b| {
        let oldest = pages[a.page].last.cmp(&pages[b.page].last);
        b.news.total_cmp(&a.news).then(oldest)
    });
    expected
}

/// Which pages are looked at now, at most so many: those that are hoped to be worth it.
pub fn worth_a_look(pages: &[Watched], now: Millis, most: usize) -> Vec<usize> {
    let is_first = pages.iter().all(|page| page.looks == 0);
    let least = if is_first { FIRST_LOOKS } else { 0 };
    let all = revisits(pages, now).into_iter().zip(0..);
    let worth = all.take_while(|(one, place)| one.news >= LEAST_NEWS || *place < least);
    worth.take(most).map(|(one, _)| one.page).collect()
}

/// New targets of a page in a mean time between looks.
fn rate(page: &Watched, site: &Rates, interval: f64) -> f64 {
    let spans = page.span as f64 / interval;
    let changes = hopeful(
        f64::from(page.changes) + SITE_LOOKS * site.changes,
        spans + SITE_LOOKS,
    );
    // What a page led to at first says how much its changes may bring.
    let compared = (BEFORE + f64::from(page.led_to)) / (BEFORE + site.led_to);
    let news = hopeful(
        f64::from(page.news) + site.news * compared,
        f64::from(page.changes) + 1.0,
    );
    changes * news
}

/// Mean of a gamma distribution with so many events in so much time, and [`HOPE`].
fn hopeful(events: f64, time: f64) -> f64 {
    (events + HOPE * events.sqrt()) / time
}

/// Mean time between two looks at a page; before any second look, since the first one.
fn mean_interval(all: &Sums, pages: &[Watched], now: Millis) -> f64 {
    let since: f64 = pages
        .iter()
        .map(|page| now.saturating_sub(page.last) as f64)
        .sum();
    let mean = if all.looks > 0.0 {
        all.span / all.looks
    } else {
        since / all.pages.max(1.0)
    };
    mean.max(1.0)
}

#[cfg(test)]
mod tests;

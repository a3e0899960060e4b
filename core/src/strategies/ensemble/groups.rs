//! How often pages of one site, and of one template, were good so far. Only groups that
//! are better than usual count: one said to be bad would not be fetched again, and so never
//! be seen to be better.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::address::Address;

/// Pages by which a group's rate is drawn towards the base rate.
const SMOOTHING: f64 = 4.0;
/// Sites, and templates, from which on those of one page are let go.
const MOST_GROUPS: usize = 20_000;

/// Rates of a group of pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Pages fetched.
    pub pages: f64,
    /// Good ones among them.
    pub good: f64,
}

impl Group {
    fn add(&mut self, good: f64) {
        self.pages += 1.0;
        self.good += good;
    }
}

/// The pages fetched, in groups.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Groups {
    /// By host.
    pub sites: FxHashMap<Box<str>, Group>,
    /// By [`Address::folder`].
    pub templates: FxHashMap<Box<str>, Group>,
    /// All pages.
    pub all: Group,
}

impl Groups {
    /// Takes a page into account.
    pub(super) fn count(&mut self, page: &Address, is_good: bool) {
        let good = f64::from(u8::from(is_good));
        for groups in [&mut self.sites, &mut self.templates] {
            if groups.len() > MOST_GROUPS {
                // Groups of a single page tell least.
                groups.retain(|_, group| group.pages > 1.0);
            }
        }
        let site = self.sites.entry(page.host().into()).or_default();
        site.add(good);
        let template = self.templates.entry(page.folder().into()).or_default();
        template.add(good);
        self.all.add(good);
    }

    /// `ln` of how much more often than usual pages of the site and of the
    /// template are good; 0 where they are not.
    pub(super) fn log_rates(&self, page: &Address) -> [f64; 2] {
        let site = self.sites.get(page.host());
        let template = self.templates.get(page.folder());
        [self.log_rate(site), self.log_rate(template)]
    }

    /// Share of good pages among all; half a page is taken to have been good.
    pub(super) fn base_rate(&self) -> f64 {
        (self.all.good + 0.5) / (self.all.pages + 1.0)
    }

    fn log_rate(&self, group: Option<&Group>) -> f64 {
        let base_rate = self.base_rate();
        let group = group.copied().unwrap_or_default();
        let rate = (group.good + SMOOTHING * base_rate) / (group.pages + SMOOTHING);
        (rate / base_rate).ln().max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_one_template_share_host_and_folder() {
        let of = |text: &str| Address::parse(text).unwrap().folder().to_owned();
        assert_eq!(
            of("http://a.test/people/x?tab=1/2"),
            of("https://a.test/people/y")
        );
        assert_ne!(of("http://a.test/people/x"), of("http://a.test/papers/x"));
    }

    #[test]
    fn a_group_is_drawn_towards_the_usual_rate() {
        let mut groups = Groups::default();
        let page = |text: &str| Address::parse(text).unwrap();
        assert_eq!(groups.log_rates(&page("http://a.test/")), [0.0, 0.0]);
        for _ in 0..3 {
            groups.count(&page("http://a.test/x/1"), true);
            groups.count(&page("http://b.test/y"), false);
        }
        // 3.5 of 7 pages are good; of a.test (3 + 4 / 2) of 7.
        let found = groups.log_rates(&page("http://a.test/z/1"));
        assert!((found[0] - (5.0f64 / 7.0 / 0.5).ln()).abs() < 1e-12);
        assert!(found[1].abs() < 1e-12, "another folder");
        assert_eq!(groups.log_rates(&page("http://b.test/z")), [0.0, 0.0]);
    }
}

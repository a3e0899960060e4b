//! When a site is left (\[D\] 2): after so many of its pages were fetched, or after
//! so many targets were found there. Sites hold few databases, and without such a
//! rule a crawl is caught in the largest of them.
//!
//! A site is a host here.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::codec::{CodecError, Loader, SaveError, Saver};

/// The rule. Nothing is left by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct StoppingRule {
    /// Pages of a site that are fetched at most; by default any number.
    #[serde(default, rename = "site_pages")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000))]
    pub pages: Option<u32>,
    /// Targets of a site after which it is left; by default none are enough.
    #[serde(default, rename = "site_targets")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000))]
    pub targets: Option<u32>,
}

/// What was fetched from each site.
#[derive(Debug, Clone, Default)]
pub struct StoppingCounts {
    rule: StoppingRule,
    /// Pages and targets by host.
    counts: FxHashMap<Box<str>, (u32, u32)>,
    /// Sites that were left for another reason.
    left: FxHashSet<Box<str>>,
}

impl StoppingCounts {
    /// By a rule.
    pub fn new(rule: StoppingRule) -> Self {
        Self {
            rule,
            counts: FxHashMap::default(),
            left: FxHashSet::default(),
        }
    }

    /// Writes what was counted.
    pub(super) fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(&self.counts)?;
        to.put(&self.left)
    }

    /// Takes that back; the rule stays.
    pub(super) fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        self.counts = from.take()?;
        self.left = from.take()?;
        Ok(())
    }

    /// Leaves a site whatever the rule says.
    pub fn leave(&mut self, host: &str) {
        self.left.insert(host.into());
    }

    /// Counts a page; true if its site is to be left now.
    pub fn count(&mut self, host: &str, is_target: bool) -> bool {
        if self.rule == StoppingRule::default() {
            return false;
        }
        let before = self.is_left(host);
        let counts = self.counts.entry(host.into()).or_default();
        counts.0 += 1;
        counts.1 += u32::from(is_target);
        !before && self.is_left(host)
    }

    /// Sites that were left for another reason than the rule.
    pub(super) fn left(&self) -> impl Iterator<Item = &str> {
        self.left.iter().map(Box::as_ref)
    }

    /// Whether a site was left.
    pub fn is_left(&self, host: &str) -> bool {
        let (pages, targets) = self.counts.get(host).copied().unwrap_or_default();
        let reached = |count: u32, most: Option<u32>| most.is_some_and(|most| count >= most);
        self.left.contains(host)
            || reached(pages, self.rule.pages)
            || reached(targets, self.rule.targets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_left_once() {
        let mut stopping = StoppingCounts::new(StoppingRule {
            pages: Some(3),
            targets: Some(2),
        });
        let a = [false, false, false, true].map(|target| stopping.count("a.test", target));
        assert_eq!(a, [false, false, true, false]);
        let b = [true, true].map(|target| stopping.count("b.test", target));
        assert_eq!(b, [false, true]);
        assert!(stopping.is_left("a.test") && !stopping.is_left("c.test"));
        let mut never = StoppingCounts::new(StoppingRule::default());
        assert!((0..1000).all(|_| !never.count("a.test", true)));
        never.leave("a.test");
        assert!(never.is_left("a.test") && !never.is_left("b.test"));
    }
}

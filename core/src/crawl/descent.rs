//! How pages hang together: whether one follows from another, without end.

use rustc_hash::FxHashSet;

use super::address_groups::{groups_of, site_of};
use crate::address::Address;

/// Links to unmet pages of its own group that a page without end has at least.
const FEWEST_UNMET: usize = 3;
/// The share of a page's links within its site that are to be of that kind, as a fraction.
const UNMET_SHARE: (usize, usize) = (4, 5);

/// Which links led to a page, and which lead on from it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Descent {
    /// Whether it comes from one page of its own group, and leads to pages of that which nobody has
    /// linked to before, and to hardly anything else of its site. A group are the addresses that
    /// differ in their queries alone, numbers aside.
    pub(super) of_group: bool,
    /// The same of its site.
    pub(super) of_site: bool,
}

impl Descent {
    /// Of a page with links to others, each with whether it was met before; `sources` are the pages that
    /// link to it, as far as they are known.
    pub fn of<'a>(
        page: &Address,
        sources: impl IntoIterator<Item = &'a Address>,
        links: impl IntoIterator<Item = (&'a Address, bool)>,
    ) -> Self {
        let (site, groups) = (site_of(page.host()), groups_of(page));
        let mut sources = sources.into_iter();
        let Some(source) = sources.next().filter(|source| *source != page) else {
            return Self::default();
        };
        if sources.any(|other| other != source) || site_of(source.host()) != site {
            return Self::default();
        }
        let (mut all, mut unmet, mut unmet_of_group) = (0, 0, 0);
        let mut counted: FxHashSet<&Address> = FxHashSet::default();
        for (target, is_met) in links {
            let is_other = target != page && counted.insert(target);
            if !is_other || site_of(target.host()) != site {
                continue;
            }
            all += 1;
            if !is_met {
                unmet += 1;
                unmet_of_group += usize::from(groups_of(target)[1] == groups[1]);
            }
        }
        let (part, whole) = UNMET_SHARE;
        let is_most = |count: usize| count >= FEWEST_UNMET && count * whole >= all * part;
        Self {
            of_group: groups_of(source)[1] == groups[1] && is_most(unmet_of_group),
            of_site: is_most(unmet),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descent(page: &str, sources: &[&str], links: &[(&str, bool)]) -> (bool, bool) {
        let address = |path: &&str| Address::parse(&format!("http://{path}")).unwrap();
        let sources: Vec<Address> = sources.iter().map(address).collect();
        let links: Vec<(Address, bool)> =
            links.iter().map(|(to, met)| (address(to), *met)).collect();
        let links = links.iter().map(|(to, met)| (to, *met));
        let descent = Descent::of(&address(&page), &sources, links);
        (descent.of_group, descent.of_site)
    }

    #[test]
    fn a_page_that_follows_from_one_and_leads_to_more_of_them_is_told() {
        let unmet = ["a.test/day/3", "a.test/day/4", "a.test/day/5"].map(|to| (to, false));
        let of = |sources: &[&str], more: &[(&str, bool)]| {
            descent("a.test/day/2", sources, &[&unmet[..], more].concat())
        };
        let (both, neither) = ((true, true), (false, false));
        assert_eq!(of(&["a.test/day/1"], &[]), both);
        // Links to itself and to other sites do not count, nor does a second link of the same page.
        let more = [
            ("b.test/", true),
            ("a.test/day/2", true),
            ("a.test/day/3", false),
        ];
        assert_eq!(of(&["a.test/day/1", "a.test/day/1"], &more), both);
        assert_eq!(of(&["w7.a.test/day/1"], &[]), both);
        assert_eq!(of(&["a.test/news/of/today"], &[]), (false, true));
        for sources in [
            &["b.test/day/1"][..],
            &[],
            &["a.test/day/0", "a.test/day/1"],
        ] {
            assert_eq!(of(sources, &[]), neither, "{sources:?}");
        }
        // A menu, and a page of another kind.
        assert_eq!(of(&["a.test/day/1"], &[("a.test/", true)]), neither);
        assert_eq!(of(&["a.test/day/1"], &[("a.test/x", false)]), (false, true));
        // A leaf, and one of a row of pages.
        assert_eq!(descent("a.test/1", &["a.test/0"], &[]), neither);
        let row = [("a.test/2", false), ("a.test/0", true)];
        assert_eq!(descent("a.test/1", &["a.test/0"], &row), neither);
    }
}

//! Which followed link led to a page that arrives in a browser.
//!
//! A click says where it goes; the page that comes may be another one, for
//! sites redirect. So an arrival belongs to the newest click that named its
//! address, or else to a click in the same tab right after which its own
//! loading began. Nothing else is guessed: a wrong edge would teach the wrong
//! thing.

use crate::address::Address;

/// A click is forgotten after this long, in milliseconds.
pub const CLICK_LIFE: f64 = 120_000.0;
/// A redirected page began to load at most this long after the click, and not
/// before it, in milliseconds; clocks may differ by the slack.
const REDIRECT_START: f64 = 3_000.0;
const CLOCK_SLACK: f64 = 200.0;

/// A link that was followed, its page not there yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Click {
    /// The page with the link.
    pub from: Address,
    /// Where the link leads.
    pub to: Address,
    /// The tab it was followed in.
    pub tab: i32,
    /// Whether it opens in another tab.
    pub new_tab: bool,
    /// When, in milliseconds since 1970.
    pub time: f64,
}

/// A page that is being read in a tab.
#[derive(Debug, Clone, PartialEq)]
pub struct Navigation {
    /// The page.
    pub address: Address,
    /// The tab.
    pub tab: i32,
    /// When its loading began, in milliseconds since 1970.
    pub started: f64,
}

/// The place of the click that led to the page, if one did.
pub fn claim(clicks: &[Click], navigation: &Navigation) -> Option<usize> {
    let same = |a: &Address, b: &Address| a.without_scheme() == b.without_scheme();
    let exact = clicks.iter().rposition(|click| {
        same(&click.to, &navigation.address) && (click.new_tab || click.tab == navigation.tab)
    });
    exact.or_else(|| {
        clicks.iter().rposition(|click| {
            let wait = navigation.started - click.time;
            let prompt = (-CLOCK_SLACK..REDIRECT_START).contains(&wait);
            click.tab == navigation.tab
                && !click.new_tab
                && prompt
                && !same(&click.from, &navigation.address)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn click(to: &str, tab: i32, new_tab: bool, time: f64) -> Click {
        Click {
            from: Address::parse("http://a.org/hub").unwrap(),
            to: Address::parse(to).unwrap(),
            tab,
            new_tab,
            time,
        }
    }

    fn claimed(clicks: &[Click], address: &str, tab: i32, started: f64) -> Option<usize> {
        let address = Address::parse(address).unwrap();
        claim(
            clicks,
            &Navigation {
                address,
                tab,
                started,
            },
        )
    }

    #[test]
    fn arrivals_find_their_click() {
        let clicks = [
            click("http://a.org/1", 1, false, 10_000.0),
            click("http://a.org/2", 1, true, 20_000.0),
            click("http://a.org/1", 1, false, 30_000.0),
        ];
        let cases = [
            (
                "https://a.org/1",
                1,
                30_050.0,
                Some(2),
                "the newest click, scheme apart",
            ),
            ("http://a.org/2", 7, 20_100.0, Some(1), "in a new tab"),
            (
                "http://a.org/1",
                7,
                30_050.0,
                None,
                "another tab without a middle click",
            ),
            ("http://b.org/moved", 1, 30_300.0, Some(2), "redirected"),
            ("http://b.org/typed", 1, 55_000.0, None, "typed later"),
            (
                "http://b.org/old",
                1,
                25_000.0,
                None,
                "loaded before the click",
            ),
            (
                "http://a.org/hub",
                1,
                30_100.0,
                None,
                "the page clicked on, read again",
            ),
        ];
        for (address, tab, started, expected, why) in cases {
            assert_eq!(claimed(&clicks, address, tab, started), expected, "{why}");
        }
    }
}

//! Where a site only repeats itself: calendars without end, the same goods in every order and
//! selection, pages under an identifier of each visit, a name for every subdomain. And where it makes
//! up page after page.
//!
//! A page says something new if it has a word that no page of its site had, or enough words in
//! passages that none had, numbers aside; one that is nearly the same as another page does not. Addresses that are built alike are a group; so are those that differ in their queries alone,
//! those that begin with the same part of
//! the path, and the whole site. A group of which page after page says nothing new is closed:
//! links into it are asked for no more, unless they are of a smaller group that said something
//! new. What a page is worth is not asked: a calendar about the right thing says nothing new either.
//!
//! Pages that are made up as they are asked for can say anything. They are told by how they hang
//! together ([`Descent`]): one page of the group leads to each, and each leads to pages of the group
//! that nobody has linked to before, and to hardly anything else. A real site has menus, links to
//! related pages, links from elsewhere, and pages that lead nowhere. A group of which page after page
//! is of this kind is closed, too. Where addresses are made up of words, so that no two are built
//! alike, its pages must besides have no word in common that was new: words of real texts come back.
//!
//! A site of which a group was closed is suspect: its other groups are closed sooner.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::address_groups::{LEVELS, groups_of, site_of};
use super::descent::Descent;
use crate::address::Address;
use crate::content::Said;

/// Words in new passages from which a page says something new.
const NEW_WORDS: usize = 8;
/// Pages in a row that say nothing new, after which a group is closed, by level.
const MOST_IN_A_ROW: [u32; LEVELS] = [40, 50, 80, 120];
/// Pages in a row that seem made up, after which a group is closed, by level.
const MOST_MADE_UP: [u32; LEVELS] = [40, 40, 60, 100];
/// The fewest pages in a row after which a group of a suspect site is closed.
const MOST_IF_SUSPECT: u32 = 15;
/// Copies of other pages after which a site is closed that never had anything else: a mirror.
const MOST_OF_A_MIRROR: u32 = 20;
/// Words and passages that are remembered of a site; one that has more is remembered from there on.
const MOST_OF_A_SITE: usize = 30_000;
/// Words and passages that are remembered in all; beyond, all sites are remembered from there on.
const MOST_IN_ALL: usize = 4_000_000;
/// Changes a word to the number that says that two pages had it.
const COMES_BACK: u32 = 0x9e37_79b9;

/// Pages of a site that belong together.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
struct Group {
    /// Pages in a row that said nothing new.
    in_a_row: u32,
    /// How many of them were copies of other pages.
    copies: u32,
    /// Pages in a row that seem made up.
    made_up: u32,
    /// Whether one ever said something new.
    has_news: bool,
    /// Whether it is closed, since its pages say nothing new.
    is_closed: bool,
    /// Whether it is closed for good, since its pages seem made up.
    is_endless: bool,
    /// Of a site: how many of its groups were closed.
    closed: u32,
}

impl Group {
    /// Of a site: whether all that it has are pages of others.
    fn is_mirror(&self) -> bool {
        !self.has_news && self.copies >= MOST_OF_A_MIRROR
    }
}

/// What each site has said, as far as it takes to see that it repeats itself.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Repetition {
    /// By site, the words and passages that it has.
    said: FxHashMap<Box<str>, FxHashSet<u32>>,
    /// How many there are of all sites.
    remembered: usize,
    groups: FxHashMap<u64, Group>,
}

impl Repetition {
    /// Whether a link leads where nothing new is said, or pages are made up.
    pub fn is_closed(&self, target: &Address) -> bool {
        let groups = groups_of(target).map(|group| self.groups.get(&group));
        if groups[LEVELS - 1].is_some_and(Group::is_mirror) {
            return true;
        }
        if groups[..2].iter().flatten().any(|group| group.is_endless) {
            return true;
        }
        for group in groups.into_iter().flatten() {
            if group.is_closed || group.is_endless {
                return true;
            }
            if group.has_news {
                return false;
            }
        }
        false
    }

    /// Takes in what a page says; whether that closed a group.
    pub fn learn(&mut self, page: &Address, said: &Said, descent: Descent) -> bool {
        let (has_news, comes_back) = self.take_in(page, said);
        let groups = groups_of(page);
        let made_up = [
            descent.of_group,
            descent.of_group,
            descent.of_site && !comes_back,
            descent.of_site && !comes_back,
        ];
        let mut closes = false;
        for (level, group) in groups.into_iter().enumerate() {
            let most = self.most(MOST_MADE_UP, level, groups[LEVELS - 1]);
            let group = self.groups.entry(group).or_default();
            group.made_up = if made_up[level] { group.made_up + 1 } else { 0 };
            if has_news {
                (group.in_a_row, group.copies) = (0, 0);
                (group.has_news, group.is_closed) = (true, false);
            }
            if group.made_up >= most && !group.is_endless {
                group.is_endless = true;
                closes = true;
                self.suspect(groups[LEVELS - 1], level);
            }
        }
        closes | (!has_news && self.repeat(page, false))
    }

    /// Takes in the words and passages of a page. Whether it says something new, and whether it has a
    /// word of the site that a single page had until now.
    fn take_in(&mut self, page: &Address, said: &Said) -> (bool, bool) {
        if self.remembered >= MOST_IN_ALL {
            self.said.clear();
            self.remembered = 0;
        }
        let site = site_of(page.host());
        let known = self.said.entry(site.into()).or_default();
        if known.len() >= MOST_OF_A_SITE {
            self.remembered -= known.len();
            known.clear();
        }
        let before = known.len();
        let (mut has_new_word, mut comes_back, mut in_new_passages) = (false, false, 0);
        for word in &said.words {
            if known.insert(*word) {
                has_new_word = true;
            } else {
                comes_back |= known.insert(word ^ COMES_BACK);
            }
        }
        for (passage, words) in &said.passages {
            if known.insert(*passage) {
                in_new_passages += words;
            }
        }
        self.remembered += known.len() - before;
        (has_new_word || in_new_passages >= NEW_WORDS, comes_back)
    }

    /// Takes in that a page says nothing new, as it is a copy of another or none at all; whether that
    /// closed a group.
    pub fn repeat(&mut self, page: &Address, is_copy: bool) -> bool {
        let mut closes = false;
        let groups = groups_of(page);
        for (level, group) in groups.into_iter().enumerate() {
            let most = self.most(MOST_IN_A_ROW, level, groups[LEVELS - 1]);
            let group = self.groups.entry(group).or_default();
            group.in_a_row += 1;
            group.copies += u32::from(is_copy);
            if group.in_a_row >= most && !group.is_closed {
                group.is_closed = true;
                closes = true;
                self.suspect(groups[LEVELS - 1], level);
            }
        }
        let site = self.groups.get(&groups[LEVELS - 1]);
        closes || site.is_some_and(Group::is_mirror)
    }

    /// Pages in a row after which a group is closed, by how many of its site were closed before.
    fn most(&self, most: [u32; LEVELS], level: usize, site: u64) -> u32 {
        let closed = self.groups.get(&site).map_or(0, |site| site.closed);
        if level == LEVELS - 1 || closed == 0 {
            return most[level];
        }
        (most[level] / (closed + 1)).max(MOST_IF_SUSPECT)
    }

    /// Takes in that a group of a site was closed.
    fn suspect(&mut self, site: u64, level: usize) {
        if level < LEVELS - 1
            && let Some(site) = self.groups.get_mut(&site)
        {
            site.closed += 1;
        }
    }
}

#[cfg(test)]
#[cfg(feature = "html")]
mod tests {
    use super::*;
    use crate::dom::html;

    fn learn(repetition: &mut Repetition, address: &str, text: &str) {
        let address = Address::parse(address).unwrap();
        let said = Said::of(&html::parse(text).passages());
        repetition.learn(&address, &said, Descent::default());
    }

    fn is_closed(repetition: &Repetition, address: &str) -> bool {
        repetition.is_closed(&Address::parse(address).unwrap())
    }

    /// Words that hang on a number.
    fn words(number: u32) -> String {
        let letter = |place: u32| char::from(b'a' + (number / 10_u32.pow(place) % 10) as u8);
        let word: String = (0..5).map(letter).collect();
        format!("{word} is what this page tells of and nobody else does, namely {word}")
    }

    #[test]
    fn a_calendar_is_closed_and_a_catalogue_is_not() {
        let mut repetition = Repetition::default();
        for n in 0..200 {
            let day = format!("http://a.test/calendar/{}/{}", 2_000 + n / 12, n % 12);
            let said = format!("<h1>Month {n}</h1><p>There are no events on the {n}th of it</p>");
            learn(&mut repetition, &day, &said);
            let item = format!("http://a.test/item?id={n}&from={}", n / 7);
            learn(&mut repetition, &item, &format!("<p>{}</p>", words(n)));
        }
        assert!(is_closed(&repetition, "http://a.test/calendar/3000/1"));
        for open in [
            "http://a.test/item?from=1&id=9",
            "http://a.test/",
            "http://b.test/calendar/1/2",
        ] {
            assert!(!is_closed(&repetition, open), "{open}");
        }
    }

    #[test]
    fn a_site_that_repeats_itself_everywhere_is_closed_but_for_what_said_something() {
        let mut repetition = Repetition::default();
        for n in 0..20 {
            learn(
                &mut repetition,
                &format!("http://a.test/news/{n}"),
                &format!("<p>{}</p>", words(n)),
            );
        }
        let goods = "<ul><li>Red shoes for a child<li>Blue shoes with a heel for you</ul>";
        let select = |repetition: &mut Repetition, kind: &str, n: u32| {
            let selection = words(n);
            let selection = selection.split(' ').next().unwrap();
            learn(
                repetition,
                &format!("http://a.test/{kind}/{selection}"),
                goods,
            );
        };
        for n in 0..=MOST_IN_A_ROW[2] {
            assert!(!is_closed(&repetition, "http://a.test/shoes/other"), "{n}");
            select(&mut repetition, "shoes", n);
        }
        assert!(!is_closed(&repetition, "http://a.test/hats/other"));
        // The first of them said something new; what began like it did.
        assert!(is_closed(&repetition, "http://a.test/shoes/other"));
        for n in 0..MOST_IN_A_ROW[3] {
            select(
                &mut repetition,
                &format!("hats{}", words(n).split(' ').next().unwrap()),
                n,
            );
        }
        assert!(is_closed(&repetition, "http://a.test/gloves/other"));
        assert!(!is_closed(&repetition, "http://a.test/news/99"));
        assert!(!is_closed(&repetition, "http://b.test/gloves/other"));
    }

    /// Has a page of a trap with a text of its own be read, if it is still asked for: it comes from
    /// one page, and leads to three more.
    fn make_up(
        repetition: &mut Repetition,
        at: &dyn Fn(u32) -> String,
        n: u32,
        text: &str,
    ) -> bool {
        let address = |n: u32| Address::parse(&at(n)).unwrap();
        let (page, from) = (address(n), address(n + 1));
        if repetition.is_closed(&page) {
            return false;
        }
        let links = [0, 1, 2].map(|step| address(3 * n + 7_000 + step));
        let descent = Descent::of(&page, [&from], links.iter().map(|to| (to, false)));
        let said = Said::of(&html::parse(&format!("<p>{text}</p>")).passages());
        repetition.learn(&page, &said, descent);
        true
    }

    #[test]
    fn pages_that_are_made_up_are_closed_whatever_they_say() {
        let kinds: [fn(u32) -> String; 5] = [
            |n| format!("http://a.test/calendar/{}/{}", n / 12, n % 12),
            |n| format!("http://a.test/x{n}/x{}/x{}", n + 1, n + 2),
            |n| format!("http://a.test/goods?f{n}=1&f{}=2", n + 1),
            |n| format!("http://visitor{n}.a.test/"),
            |n| format!("http://a.test/s/{:016x}0123", n * 7_919),
        ];
        for at in kinds {
            let mut repetition = Repetition::default();
            let asked = (0..500).filter(|n| make_up(&mut repetition, &at, *n, &words(n * 7 + 1)));
            assert_eq!(asked.count(), MOST_MADE_UP[0] as usize, "{}", at(1));
            // What it links to elsewhere is none of that.
            assert!(!is_closed(&repetition, "http://a.test/news/of/today"));
        }
    }

    /// A word that no other number has.
    fn made_up(number: u32) -> String {
        let letter = |place: u32| char::from(b'a' + (number / 26_u32.pow(place) % 26) as u8);
        (0..5).map(letter).collect()
    }

    #[test]
    fn made_up_words_are_told_from_words_that_come_back() {
        let closed_after = |text: &dyn Fn(u32) -> String| {
            let mut repetition = Repetition::default();
            let at = |n: u32| format!("http://a.test/maze/{}/{}", made_up(n * 31), made_up(n));
            let asked = (0..500).filter(|n| make_up(&mut repetition, &at, *n, &text(*n)));
            asked.count()
        };
        let of_maze =
            closed_after(&|n| format!("kidneys: {} {}", made_up(n * 97), made_up(n * 89)));
        assert!(of_maze <= MOST_MADE_UP[2] as usize + 2, "{of_maze}");
        // The categories of a directory: what they are called comes back in those below them.
        let of_directory = closed_after(&|n| format!("kidneys: {} {}", made_up(n), made_up(n / 3)));
        assert_eq!(of_directory, 500);
    }

    #[test]
    fn a_site_with_one_trap_is_given_less_of_the_next() {
        let mut repetition = Repetition::default();
        let mut asked = |kind: &str| {
            let day = |n: &u32| {
                let address = format!("http://a.test/{kind}/{n}");
                let is_open = !is_closed(&repetition, &address);
                if is_open {
                    learn(&mut repetition, &address, "<p>Nothing on this day</p>");
                }
                is_open
            };
            (0..100).filter(day).count()
        };
        let kinds = ["calendar", "diary", "almanac", "agenda"].map(&mut asked);
        assert_eq!(kinds, [41, 15, 15, 15]);
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let mut repetition = Repetition::default();
        let long: String = (0..MOST_OF_A_SITE as u32)
            .map(|n| format!("<p>{}</p>", words(n)))
            .collect();
        learn(&mut repetition, "http://a.test/long", &long);
        for n in 0..3 {
            learn(
                &mut repetition,
                &format!("http://a.test/{n}"),
                &format!("<p>{}</p>", words(n)),
            );
        }
        let remembered: usize = repetition.said.values().map(FxHashSet::len).sum();
        // Nine words that all have, which came back, one of each, and three passages.
        assert_eq!((repetition.remembered, remembered), (24, 24));
    }
}

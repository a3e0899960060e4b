//! Where a site only repeats itself: calendars without end, the same goods in every order and
//! selection, pages under an identifier of each visit, a name for every subdomain.
//!
//! A page says something new if it has a word that no page of its site had, or enough words in
//! passages that none had, numbers aside; one that is nearly the same as another page does not. Addresses that are built alike are a group; so are those that begin with the same part of
//! the path, and the whole site. A group of which page after page says nothing new is closed:
//! links into it are asked for no more, unless they are of a smaller group that said something
//! new. What a page is worth is not asked: a calendar about the right thing says nothing new either.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::content::{Hash, Said};

/// Words in new passages from which a page says something new.
const NEW_WORDS: usize = 8;
/// Pages in a row that say nothing new, after which a group is closed: addresses that are built
/// alike, that begin alike, and a site.
const MOST_IN_A_ROW: [u32; 3] = [40, 80, 120];
/// Copies of other pages after which a site is closed that never had anything else: a mirror.
const MOST_OF_A_MIRROR: u32 = 20;
/// Words and passages that are remembered of a site; one that has more is remembered from there on.
const MOST_OF_A_SITE: usize = 30_000;
/// Words and passages that are remembered in all; beyond, all sites are remembered from there on.
const MOST_IN_ALL: usize = 4_000_000;

/// Pages of a site that belong together.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
struct Group {
    /// Pages in a row that said nothing new.
    in_a_row: u32,
    /// How many of them were copies of other pages.
    copies: u32,
    /// Whether one ever said something new.
    has_news: bool,
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
    /// Whether a link leads where nothing new is said.
    pub fn is_closed(&self, target: &Address) -> bool {
        let [_, _, site] = groups_of(target);
        if self.groups.get(&site).is_some_and(Group::is_mirror) {
            return true;
        }
        for (group, most) in groups_of(target).into_iter().zip(MOST_IN_A_ROW) {
            match self.groups.get(&group) {
                Some(group) if group.in_a_row >= most => return true,
                Some(group) if group.has_news => return false,
                _ => {}
            }
        }
        false
    }

    /// Takes in what a page says; whether that closed a group.
    pub fn learn(&mut self, page: &Address, said: &Said) -> bool {
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
        let (mut has_new_word, mut in_new_passages) = (false, 0);
        for word in &said.words {
            has_new_word |= known.insert(*word);
        }
        for (passage, words) in &said.passages {
            if known.insert(*passage) {
                in_new_passages += words;
            }
        }
        self.remembered += known.len() - before;
        if has_new_word || in_new_passages >= NEW_WORDS {
            for group in groups_of(page) {
                let news = Group {
                    in_a_row: 0,
                    copies: 0,
                    has_news: true,
                };
                self.groups.insert(group, news);
            }
            return false;
        }
        self.repeat(page, false)
    }

    /// Takes in that a page says nothing new, as it is a copy of another or none at all; whether that
    /// closed a group.
    pub fn repeat(&mut self, page: &Address, is_copy: bool) -> bool {
        let mut closes = false;
        let groups = groups_of(page);
        for (group, most) in groups.into_iter().zip(MOST_IN_A_ROW) {
            let group = self.groups.entry(group).or_default();
            group.in_a_row += 1;
            group.copies += u32::from(is_copy);
            closes |= group.in_a_row == most;
        }
        let is_mirror = self.groups.get(&groups[2]).is_some_and(Group::is_mirror);
        closes || is_mirror
    }
}

/// Labels below those of countries under which names are given away, as in `co.uk`.
const SECOND_LABELS: [&str; 22] = [
    "ac", "asso", "co", "com", "ed", "edu", "gc", "go", "gob", "gouv", "gov", "govt", "id", "k12",
    "ltd", "me", "mil", "ne", "net", "nhs", "or", "org",
];

/// The site of a host: its last two labels, or three where names are given away below a second label
/// of a country, as in `co.uk`. An address of numbers, and a host without a dot, is its own. Names that
/// companies give away, such as `github.io`, are one site.
pub fn site_of(host: &str) -> &str {
    let name = host.split(':').next().unwrap_or_default();
    if name.parse::<std::net::Ipv4Addr>().is_ok() || name.starts_with('[') {
        return host;
    }
    let mut labels = name.rsplit('.');
    let (last, second) = (
        labels.next().unwrap_or_default(),
        labels.next().unwrap_or_default(),
    );
    let is_given_below = last.len() == 2 && SECOND_LABELS.contains(&second);
    let dots = if is_given_below { 3 } else { 2 };
    let start = name
        .rmatch_indices('.')
        .nth(dots - 1)
        .map_or(0, |(at, _)| at + 1);
    &host[start..]
}

/// The groups of an address, the smallest first: how path and query are built, how the path begins,
/// the site. Numbers and identifiers count as the same whatever they are, parameters by their
/// names alone, and a part of a path that stands several times in a row stands once.
fn groups_of(address: &Address) -> [u64; 3] {
    let (path, query) = match address.path_and_query().split_once('?') {
        Some((path, query)) => (path, query),
        None => (address.path_and_query(), ""),
    };
    let mut site = Hash::default();
    site.text(site_of(address.host()));
    let mut parts = path.split('/').skip(1);
    let first = shape_of(parts.next().unwrap_or_default());
    let mut beginning = site;
    beginning.text(&first);
    let mut built = beginning;
    let mut before = first;
    for part in parts {
        let shape = shape_of(part);
        if shape != before {
            built.text(&shape);
            before = shape;
        }
    }
    let names = query.split(['&', ';']).filter(|pair| !pair.is_empty());
    let mut names: Vec<&str> = names.filter_map(|pair| pair.split('=').next()).collect();
    names.sort_unstable();
    names.dedup();
    built.text("?");
    for name in names {
        built.text(&shape_of(name));
    }
    [built.whole(), beginning.whole(), site.whole()]
}

/// A part of a path without what its numbers are; identifiers are all alike.
fn shape_of(part: &str) -> String {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let is_identifier = part.len() >= 16 && digits >= 3;
    if is_identifier {
        return "#".to_owned();
    }
    let mut shape = String::with_capacity(part.len());
    for sign in part.chars() {
        let sign = if sign.is_ascii_digit() { '0' } else { sign };
        if sign != '0' || !shape.ends_with('0') {
            shape.push(sign);
        }
    }
    shape
}

#[cfg(test)]
#[cfg(feature = "html")]
mod tests {
    use super::*;
    use crate::dom::html;

    fn learn(repetition: &mut Repetition, address: &str, text: &str) {
        let address = Address::parse(address).unwrap();
        repetition.learn(&address, &Said::of(&html::parse(text).passages()));
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
        for n in 0..=MOST_IN_A_ROW[1] {
            assert!(!is_closed(&repetition, "http://a.test/shoes/other"), "{n}");
            select(&mut repetition, "shoes", n);
        }
        assert!(!is_closed(&repetition, "http://a.test/hats/other"));
        // The first of them said something new; what began like it did.
        assert!(is_closed(&repetition, "http://a.test/shoes/other"));
        for n in 0..MOST_IN_A_ROW[2] {
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
        // Nine words that all have, one of each, and three passages.
        assert_eq!((repetition.remembered, remembered), (15, 15));
    }

    #[test]
    fn addresses_that_are_built_alike_are_one_group() {
        let group = |address: &str| groups_of(&Address::parse(address).unwrap())[0];
        for (one, other) in [
            ("http://a.test/2026/11/x", "http://a.test/1999/1/x"),
            (
                "http://a.test/?sid=8f3a&p=1",
                "http://a.test/?p=22&sid=77aa",
            ),
            ("http://w1.a.test/", "http://w2.a.test/"),
            ("http://a.test/x/x/x", "http://a.test/x"),
            (
                "http://a.test/s/0a8f7c6b5d4e3f21",
                "http://a.test/s/99887766554433221100",
            ),
            ("http://one.b.co.uk/", "http://two.b.co.uk/"),
        ] {
            assert_eq!(group(one), group(other), "{one} {other}");
        }
        for (one, other) in [
            ("http://a.test/wiki/Bee", "http://a.test/wiki/Wasp"),
            ("http://a.test/?p=1", "http://a.test/?q=1"),
            ("http://a.test/", "http://b.test/"),
            ("http://a.co.uk/", "http://b.co.uk/"),
            ("http://10.0.0.1/", "http://10.1.0.1/"),
        ] {
            assert_ne!(group(one), group(other), "{one} {other}");
        }
    }

    #[test]
    fn sites_are_told_by_their_last_labels() {
        for (host, site) in [
            ("www.a.test", "a.test"),
            ("a.test:8080", "a.test:8080"),
            ("x.y.a.test:8080", "a.test:8080"),
            ("b.co.uk", "b.co.uk"),
            ("www.b.co.uk", "b.co.uk"),
            ("www.bmw.de", "bmw.de"),
            ("www.culture.gouv.fr", "culture.gouv.fr"),
            ("localhost", "localhost"),
            ("10.1.2.3", "10.1.2.3"),
            ("[::1]", "[::1]"),
        ] {
            assert_eq!(site_of(host), site, "{host}");
        }
    }
}

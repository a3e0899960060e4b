//! Groups of addresses that belong together, by how they are written: what differs in numbers and
//! identifiers alone, and all hosts of a site.

use crate::address::Address;
use crate::content::Hash;

/// Kinds of groups, the smallest first: addresses that are built alike, that differ in their queries
/// alone, that begin alike, and a site.
pub const LEVELS: usize = 4;

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

/// The groups of an address, the smallest first: how path and query are built, how the path is built
/// and whether there is a query, how the path begins, the site. Numbers and identifiers count as the
/// same whatever they are, parameters by their names alone, and a part of a path that stands several
/// times in a row stands once.
pub fn groups_of(address: &Address) -> [u64; LEVELS] {
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
    let names = names.filter_map(|pair| pair.split('=').next());
    let mut names: Vec<String> = names.map(shape_of).collect();
    names.sort_unstable();
    names.dedup();
    let mut at = built;
    at.text(if names.is_empty() { "" } else { "??" });
    built.text("?");
    for name in names {
        built.text(&name);
    }
    [built.whole(), at.whole(), beginning.whole(), site.whole()]
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
mod tests {
    use super::*;

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

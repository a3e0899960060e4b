//! Who asks which host where one crawl is split over several sessions: each host is asked by one of
//! them, so that its rests are kept, and of a session more or less only a few hosts change hands
//! (rendezvous hashing: Thaler and Ravishankar, 1998).

use crate::address::Address;
use crate::rng::{Rng, SplitMix};

/// One of several sessions that share a crawl.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    number: u32,
    of: u32,
    kept_together: fn(&Address) -> &str,
}

impl Part {
    /// The session of that number, counted from 0, of so many. `None` if there are not so many.
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (number < of).then_some(Self {
            number,
            of,
            kept_together: Address::host,
        })
    }

    /// The same where other pages than those of a host stay together: for experiments.
    #[must_use]
    pub fn keeping(self, kept_together: fn(&Address) -> &str) -> Self {
        Self {
            kept_together,
            ..self
        }
    }

    /// Whether this session asks for a page.
    pub fn asks_for(&self, page: &Address) -> bool {
        self.of == 1 || owner((self.kept_together)(page), self.of) == self.number
    }
}

/// The number of the session with the highest random weight for a name.
fn owner(name: &str, of: u32) -> u32 {
    let name = hash(name);
    let weight = |number: u32| SplitMix(name ^ SplitMix(number.into()).bits()).bits();
    (0..of).max_by_key(|&number| weight(number)).unwrap_or(0)
}

/// FNV-1a: the same in every program and version.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> impl Iterator<Item = String> {
        (0..4_000).map(|number| format!("host{number}.test"))
    }

    #[test]
    fn every_host_has_one_and_each_about_as_many() {
        let parts: Vec<Part> = (0..4).map(|number| Part::new(number, 4).unwrap()).collect();
        let mut counts = [0; 4];
        for host in hosts() {
            let page = Address::parse(&format!("http://{host}/a")).unwrap();
            let other = Address::parse(&format!("https://{host}/b?c")).unwrap();
            let owners = parts.iter().filter(|part| part.asks_for(&page));
            let owners: Vec<u32> = owners.map(|part| part.number).collect();
            assert_eq!(owners.len(), 1, "{host}: {owners:?}");
            assert!(parts[owners[0] as usize].asks_for(&other));
            counts[owners[0] as usize] += 1;
        }
        // Five standard deviations about 1,000.
        assert!(
            counts.iter().all(|count| (860..=1_140).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn one_more_takes_from_each_and_nothing_else_moves() {
        let moved: Vec<(u32, u32)> = hosts()
            .map(|host| (owner(&host, 4), owner(&host, 5)))
            .filter(|(before, now)| before != now)
            .collect();
        assert!(moved.iter().all(|row| row.1 == 4), "to the new one alone");
        assert!((680..=920).contains(&moved.len()), "{}", moved.len());
        let from: std::collections::BTreeSet<u32> = moved.iter().map(|row| row.0).collect();
        assert_eq!(from.len(), 4);
    }

    #[test]
    fn there_are_only_so_many() {
        assert!(Part::new(2, 2).is_none());
        assert!(Part::new(0, 0).is_none());
        // Of all programs alike: figures of FNV-1a's authors.
        assert_eq!(hash(""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(hash("foobar"), 0x8594_4171_F739_67E8);
    }
}

//! Where a link may lead: public addresses are told from those set aside, as IANA's registries list them
//! and as another program judges them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use anyhow::{Context, Result, ensure};
use linkscent_core::address::Address;
use linkscent_core::crawl::{as_host, is_within};
use linkscent_core::strategies::{Rng, SplitMix};
use linkscent_service::crawler::ssrf_guard;
use linkscent_tests::material;

/// Addresses drawn of each kind.
const DRAWN: usize = 1_000;

/// IPv4 addresses that no public page has: the registry of special-purpose addresses (RFC 6890, as of
/// 2025), multicast (RFC 5771), and the relays of 6to4 that ended (RFC 7526).
const SET_ASIDE_V4: [&str; 15] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
];
/// The same of IPv6, with site-local addresses (RFC 3879) and those that are compatible with IPv4
/// (RFC 4291). All outside of `2000::/3` is set aside or not given out.
const SET_ASIDE_V6: [&str; 17] = [
    "::/96",
    "::ffff:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001:db8::/32",
    "2002::/16",
    "3fff::/20",
    "4000::/2",
    "5f00::/16",
    "8000::/1",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
];
/// Special too, but part of the public internet: it makes no difference whether a link leads there.
const EITHER: [&str; 4] = [
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.175.48.0/24",
    "2620:4f:8000::/48",
];
const GLOBAL_V6: &str = "2000::/3";

/// Addresses that begin with the same bits.
#[derive(Debug, Clone, Copy)]
struct Network {
    first: IpAddr,
    length: u32,
}

impl Network {
    fn parse(text: &str) -> Result<Self> {
        let (first, length) = text.split_once('/').context("no length")?;
        Ok(Self {
            first: first.parse().with_context(|| text.to_owned())?,
            length: length.parse()?,
        })
    }

    fn all(texts: &[&str]) -> Result<Vec<Self>> {
        texts.iter().map(|text| Self::parse(text)).collect()
    }

    /// Bits that differ within it.
    fn mask(self) -> u128 {
        let bits = if self.first.is_ipv4() { 32 } else { 128 };
        1_u128
            .checked_shl(bits - self.length)
            .map_or(u128::MAX, |size| size - 1)
    }

    fn has(self, address: IpAddr) -> bool {
        self.first.is_ipv4() == address.is_ipv4()
            && bits(self.first) & !self.mask() == bits(address) & !self.mask()
    }

    /// The address that has these bits at its end.
    fn at(self, within: u128) -> IpAddr {
        self.beside(bits(self.first) & !self.mask() | within & self.mask())
    }

    /// The address before it and the one behind it, if there are any.
    fn neighbours(self) -> Vec<IpAddr> {
        let (first, last) = (bits(self.at(0)), bits(self.at(self.mask())));
        let most = if self.first.is_ipv4() {
            u128::from(u32::MAX)
        } else {
            u128::MAX
        };
        let before = first.checked_sub(1);
        let behind = last.checked_add(1).filter(|behind| *behind <= most);
        before
            .into_iter()
            .chain(behind)
            .map(|bits| self.beside(bits))
            .collect()
    }

    fn beside(self, bits: u128) -> IpAddr {
        match self.first {
            IpAddr::V4(_) => Ipv4Addr::from_bits(bits as u32).into(),
            IpAddr::V6(_) => Ipv6Addr::from_bits(bits).into(),
        }
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

fn drawn(rng: &mut SplitMix) -> u128 {
    u128::from(rng.bits()) << 64 | u128::from(rng.bits())
}

/// A page on a host that is named by its address.
fn page(host: IpAddr, port: &str) -> Result<Address> {
    let host = match host {
        IpAddr::V4(host) => host.to_string(),
        IpAddr::V6(host) => format!("[{host}]"),
    };
    Ok(Address::parse(&format!("http://{host}:{port}/"))?)
}

/// Whether links may lead there; an error if the ways to ask that disagree.
fn is_open(address: IpAddr) -> Result<bool> {
    let page = page(address, "80")?;
    let is_open = ssrf_guard::is_public(address);
    ensure!(ssrf_guard::check(&page, false).is_ok() == is_open, "{page}");
    ensure!(ssrf_guard::is_private(&page) != is_open, "{page}");
    Ok(is_open)
}

#[test]
fn links_lead_to_all_public_addresses_and_to_no_other() -> Result<()> {
    let set_aside = Network::all(&[&SET_ASIDE_V4[..], &SET_ASIDE_V6].concat())?;
    let either = Network::all(&EITHER)?;
    let global = Network::parse(GLOBAL_V6)?;
    let lies_in =
        |networks: &[Network], address| networks.iter().any(|network| network.has(address));
    let is_public = |address: IpAddr| {
        !lies_in(&set_aside, address) && (address.is_ipv4() || global.has(address))
    };
    let mut rng = SplitMix(6_890);
    let mut public = 0;
    while public < DRAWN {
        let bits = drawn(&mut rng);
        let address = if public % 2 == 0 {
            Ipv4Addr::from_bits(bits as u32).into()
        } else {
            global.at(bits)
        };
        if is_public(address) && !lies_in(&either, address) {
            ensure!(is_open(address)?, "{address} is refused");
            public += 1;
        }
    }
    for network in set_aside.iter().cycle().take(DRAWN) {
        let address = network.at(drawn(&mut rng));
        ensure!(!is_open(address)?, "{address} of {network:?} is open");
    }
    for network in &set_aside {
        for edge in [0, 1, network.mask() / 2, network.mask()] {
            let address = network.at(edge);
            ensure!(!is_open(address)?, "{address} of {network:?} is open");
        }
        for address in network.neighbours() {
            ensure!(
                is_open(address)? == is_public(address),
                "{address} beside {network:?}"
            );
        }
    }
    for known in [
        "1.1.1.1",
        "8.8.8.8",
        "2001:4860:4860::8888",
        "2606:4700:4700::1111",
    ] {
        ensure!(is_open(known.parse()?)?, "{known} is refused");
    }
    Ok(())
}

/// Why rows are judged in another way: the program has a switch for all private networks (`--allow-private`)
/// and a list of hosts that are never asked (`--never`), but no list of networks.
const OTHERWISE: [(&str, &[usize]); 4] = [
    ("no network is opened by itself", &[3, 4, 6, 8, 19]),
    ("nothing outside of 2000::/3 was given out", &[35]),
    (
        "private networks may use shared addresses (RFC 6598)",
        &[49, 50, 51],
    ),
    (
        "who allows private networks allows this machine",
        &[52, 53, 54],
    ),
];
/// The rows behind these are of a configuration that opens private networks.
const PRIVATE: usize = 41;

#[test]
fn addresses_are_judged_as_another_program_does_but_for_stated_reasons() -> Result<()> {
    let Some(folder) = material() else {
        return Ok(());
    };
    let rows = std::fs::read_to_string(folder.join("suites/smokescreen_classify.json"))?;
    let rows: Vec<(String, String, String)> = serde_json::from_str(&rows)?;
    ensure!(rows.len() == 58, "{} rows", rows.len());
    let mut otherwise = Vec::new();
    for (row, (address, port, verdict)) in rows.iter().enumerate() {
        let allow_private = row >= PRIVATE;
        let never: &[&str] = if allow_private {
            &["10.0.0.1", "10.0.1.1", "192.168.0.1"]
        } else {
            &["1.1.1.1"]
        };
        let address: IpAddr = address.parse().with_context(|| address.clone())?;
        let page = page(address, port)?;
        let never = never.iter().filter_map(|host| as_host(host));
        let is_open = ssrf_guard::check(&page, allow_private).is_ok()
            && ssrf_guard::may_be_asked(address, allow_private)
            // The ports of the rows, but for the one that a row forbids.
            && ssrf_guard::check_port(&page, &[1, 4750, 8080]).is_ok()
            && !never.into_iter().any(|host| is_within(&page, &host));
        if is_open != verdict.starts_with("ipAllow") {
            otherwise.push(row);
        }
    }
    let mut stated: Vec<usize> = OTHERWISE
        .iter()
        .flat_map(|(_, rows)| *rows)
        .copied()
        .collect();
    stated.sort_unstable();
    println!(
        "{} of {} rows agree",
        rows.len() - otherwise.len(),
        rows.len()
    );
    for (why, rows) in OTHERWISE {
        println!("{} rows are judged otherwise: {why}", rows.len());
    }
    ensure!(
        otherwise == stated,
        "judged otherwise: {otherwise:?}, stated: {stated:?}"
    );
    Ok(())
}

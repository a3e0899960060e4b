//! The gate at the dial: web content must never make us connect to this
//! machine or to a private network.
//!
//! It stands in two places, and every request passes both: addresses written
//! as numbers are checked before the request is made, names when they are
//! resolved (`names`), right where the connection takes its addresses from.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use linkscent_core::address::Address;
use thiserror::Error;

/// Why a connection is not made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    /// The address is not one of the public internet.
    #[error("{0} is not a public address; a link may not lead there (--allow-private does)")]
    Address(IpAddr),
    /// The address is none that a server has, or one that serves the machine below this one.
    #[error("{0} is no address of a web server; a link may not lead there")]
    NoServer(IpAddr),
    /// The name belongs to this machine.
    #[error("{0} names this machine; a link may not lead there (--allow-private does)")]
    Name(String),
    /// The port is none that web pages are served on.
    #[error("port {0} is none of the web's; a link may not lead there (--allow-port {0} does)")]
    Port(u16),
    /// The name resolves to nothing that may be asked.
    #[error("{0} has no public address")]
    NoPublicAddress(String),
}

/// Whether a link may lead to an address: to one of the public internet, or with `allow_private` to one
/// of this machine or of a private network.
pub fn may_be_asked(address: IpAddr, allow_private: bool) -> bool {
    is_public(address) || (allow_private && is_of_a_private_network(address))
}

/// Whether an address belongs to this machine or to a private network. Link-local addresses do not: no
/// page is served there, but the keys of machines in a cloud are.
fn is_of_a_private_network(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let [a, b, ..] = address.octets();
            address.is_loopback() || address.is_private() || (a == 100 && (64..128).contains(&b))
        }
        IpAddr::V6(address) => {
            if let Some(inner) = address.to_ipv4_mapped().or_else(|| translated(address)) {
                return may_be_asked(inner.into(), true);
            }
            address.is_loopback() || address.is_unique_local()
        }
    }
}

/// The IPv4 address that a network without IPv4 writes as an IPv6 address (RFC 6052).
fn translated(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [0x64, 0xFF9B, 0, 0, 0, 0, high, low] = address.segments() else {
        return None;
    };
    let bits = u32::from(high) << 16 | u32::from(low);
    Some(Ipv4Addr::from_bits(bits))
}

/// Whether an address belongs to the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(a == 0
        || a == 10
        || a == 127
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 169 && b == 254)
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 168)
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113))
}

/// Of IPv6 only global unicast is public, and of that not what embeds an IPv4
/// address or is set aside.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let global = (0x2000..0x4000).contains(&first);
    let set_aside = (first == 0x2001 && (second < 0x200 || second == 0xDB8))
        || first == 0x2002
        || (first == 0x3FFF && second < 0x1000);
    global && !set_aside
}

/// Ports that web pages are served on. A link to any other may speak to something
/// that takes a request for a command: mail, databases, caches.
const WEB_PORTS: [u16; 9] = [80, 443, 591, 8000, 8008, 8080, 8088, 8443, 8888];

/// Checks that an address names a port of the web, or one of `allowed`.
pub fn check_port(address: &Address, allowed: &[u16]) -> Result<(), Refused> {
    let host = address.host();
    let behind_brackets = host.rsplit_once(']').map_or(host, |(_, port)| port);
    let Some((_, port)) = behind_brackets.rsplit_once(':') else {
        return Ok(());
    };
    match port.parse::<u16>() {
        Ok(port) if WEB_PORTS.contains(&port) || allowed.contains(&port) => Ok(()),
        port => Err(Refused::Port(port.unwrap_or(0))),
    }
}

/// Checks the host of an address before a request is made.
pub fn check(address: &Address, allow_private: bool) -> Result<(), Refused> {
    let host = host_name(address);
    if let Ok(ip) = host.parse::<IpAddr>() {
        return if may_be_asked(ip, allow_private) {
            Ok(())
        } else if may_be_asked(ip, true) {
            Err(Refused::Address(ip))
        } else {
            Err(Refused::NoServer(ip))
        };
    }
    if allow_private {
        return Ok(());
    }
    let name = host.to_ascii_lowercase();
    if name == "localhost" || name.ends_with(".localhost") {
        return Err(Refused::Name(name));
    }
    Ok(())
}

/// Endings of names that no public network has (RFC 6762, RFC 8375, and what is usual).
const PRIVATE_ENDINGS: [&str; 7] = [
    "corp",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "lan",
    "local",
];

/// Whether an address is plainly one of a private network or of this machine, as far as can be
/// told without asking anybody: what else a name resolves to is not known here.
pub fn is_private(address: &Address) -> bool {
    if check(address, false).is_err() {
        return true;
    }
    let host = host_name(address).to_ascii_lowercase();
    let host = host.trim_end_matches('.');
    let ends = |ending: &&str| {
        host.strip_suffix(*ending)
            .is_some_and(|name| name.ends_with('.'))
    };
    host.parse::<IpAddr>().is_err()
        && (!host.contains(['.', ':']) || PRIVATE_ENDINGS.iter().any(ends))
}

/// The host without its port and brackets.
pub(super) fn host_name(address: &Address) -> &str {
    let host = address.host();
    if let Some(inner) = host.strip_prefix('[') {
        return inner.split(']').next().unwrap_or_default();
    }
    host.split(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ports_of_the_web_are_asked() {
        let refused = |text: &str, allowed: &[u16]| {
            check_port(&Address::parse(text).unwrap(), allowed).is_err()
        };
        for port in [0, 21, 22, 25, 110, 3306, 6379, 11211] {
            assert!(refused(&format!("http://a.org:{port}/"), &[]), "{port}");
        }
        for text in [
            "http://a.org/",
            "https://a.org:8443/",
            "http://[2606:4700::1]:8080/",
        ] {
            assert!(!refused(text, &[]), "{text}");
        }
        assert!(refused("http://[2606:4700::1]:22/", &[]));
        assert!(!refused("http://a.org:3306/", &[3306]));
    }

    #[test]
    fn private_addresses_are_refused_however_written() {
        let refused = [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]:8080/",
            "http://[64:ff9b::7f00:1]/",
            "http://[fe80::1]/",
            "http://169.254.169.254/latest",
            "http://localhost:7474/",
            "http://x.localhost./",
            "http://0.0.0.0/",
        ];
        for text in refused {
            let address = Address::parse(text).unwrap();
            assert!(check(&address, false).is_err(), "{text}");
        }
        for text in [
            "http://8.8.8.8/",
            "http://[2606:4700::1111]/",
            "http://a.org/",
        ] {
            let address = Address::parse(text).unwrap();
            assert!(check(&address, false).is_ok(), "{text}");
        }
    }

    #[test]
    fn who_allows_private_networks_allows_those_alone() {
        let is_refused = |text: &str| check(&Address::parse(text).unwrap(), true).is_err();
        for text in [
            "http://127.0.0.1/",
            "http://[::1]/",
            "http://localhost/",
            "http://10.0.0.1/",
            "http://192.168.1.1/",
            "http://[fd00::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://[64:ff9b::808:808]/",
            "http://8.8.8.8/",
        ] {
            assert!(!is_refused(text), "{text}");
        }
        for text in [
            "http://169.254.169.254/latest",
            "http://[::ffff:169.254.169.254]/",
            "http://[64:ff9b::a9fe:a9fe]/",
            "http://[fe80::1]/",
            "http://0.0.0.0/",
            "http://255.255.255.255/",
            "http://[ff02::2]/",
        ] {
            assert!(is_refused(text), "{text}");
        }
    }

    #[test]
    fn private_names_are_told() {
        let is = |page: &str| is_private(&Address::parse(page).unwrap());
        for page in [
            "http://10.0.0.1/",
            "http://localhost:8080/x",
            "http://wiki/start",
            "https://mail.corp/",
            "http://printer.Local./",
            "http://nas.home.arpa/",
            "http://[fe80::1]/",
        ] {
            assert!(is(page), "{page}");
        }
        for page in [
            "http://example.org/",
            "http://8.8.8.8/",
            "http://local.example.org/",
            "http://thelocal.se/",
            "http://[2606:4700::1111]/",
        ] {
            assert!(!is(page), "{page}");
        }
    }
}

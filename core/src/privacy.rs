//! What is not read in a browser, and what of an address is not kept: decided by
//! rules that hold without knowing what a page says.
//!
//! A page may be refused by its host (private networks, hosts the person excludes)
//! or its path (links that log someone in). Of every other address the parameters go
//! that look like secrets: by their names, or because their values look drawn at
//! random. What a page itself shows (password fields) the content script looks for.

use std::fmt::Write as _;
use std::net::IpAddr;

use percent_encoding::percent_decode_str;

use crate::address::Address;

/// Hosts that are excluded unless the person says otherwise, a pattern a line.
const USUALLY_EXCLUDED: &str = include_str!("privacy/hosts.txt");

/// Names of parameters that hold secrets or name people, in lower case, `-` and `_`
/// left out.
const SECRET_NAMES: [&str; 66] = [
    "accesstoken",
    "apikey",
    "assertion",
    "auth",
    "authcode",
    "authenticitytoken",
    "authkey",
    "authorization",
    "authtoken",
    "bearer",
    "card",
    "cardnumber",
    "cfid",
    "cftoken",
    "challenge",
    "clientsecret",
    "codeverifier",
    "confirmationtoken",
    "credential",
    "credentials",
    "csrf",
    "csrfmiddlewaretoken",
    "csrftoken",
    "cvc",
    "cvv",
    "email",
    "hmac",
    "iban",
    "idtoken",
    "invitetoken",
    "jsessionid",
    "jwt",
    "key",
    "login",
    "loginhint",
    "magic",
    "magiclink",
    "mfa",
    "nonce",
    "oauthtoken",
    "oauthverifier",
    "onetimecode",
    "otp",
    "passcode",
    "passwd",
    "password",
    "phpsessid",
    "pin",
    "privatekey",
    "pwd",
    "refreshtoken",
    "relaystate",
    "resettoken",
    "samlrequest",
    "samlresponse",
    "secret",
    "session",
    "sessionid",
    "sessiontoken",
    "sid",
    "sig",
    "sign",
    "token",
    "user",
    "username",
    "xsrftoken",
];
/// Names of parameters that hold a secret in some addresses and a plain word in others. They are
/// secrets where their value has a digit and at least [`SHORTEST_SECRET`] characters.
const DOUBTFUL_NAMES: [&str; 3] = ["hash", "mac", "state"];
/// Characters of a value that can be a secret.
const SHORTEST_SECRET: usize = 6;
/// Parts of names that make a parameter a secret: `x-amz-signature`, `my_token`.
const SECRET_PARTS: [&str; 8] = [
    "token",
    "secret",
    "signature",
    "password",
    "session",
    "ticket",
    "apikey",
    "credential",
];
/// Parts of a path behind which a random-looking part logs someone in.
const SECRET_STEPS: [&str; 16] = [
    "activate",
    "auth",
    "confirm",
    "invitation",
    "invite",
    "join",
    "login",
    "magic",
    "reset",
    "reset-password",
    "share",
    "signin",
    "token",
    "unsubscribe",
    "verify",
    "verification",
];
/// Characters of a run of letters and digits that may look drawn at random.
const LONG_RUN: usize = 16;
/// Bits that such a run holds at least, by its own characters' frequencies.
const RANDOM_BITS: f64 = 48.0;

/// Why a page is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It lies on this machine or in a private network.
    PrivateNetwork,
    /// The person excludes its host.
    Excluded,
    /// Its address itself is a secret, such as a link that logs someone in.
    SecretAddress,
}

/// The patterns of hosts that are excluded unless the person says otherwise.
pub fn usually_excluded() -> Vec<String> {
    patterns(USUALLY_EXCLUDED)
}

/// Patterns of hosts, one a line; empty lines and `#` comments are passed over.
pub fn patterns(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_lowercase)
        .collect()
}

/// Why a page is not read, if that can be told by its address. A pattern behind `!` is
/// an exception from the others.
pub fn refusal(page: &Address, excluded: &[String]) -> Option<Refusal> {
    let host = host_name(page);
    if is_private(host) {
        return Some(Refusal::PrivateNetwork);
    }
    let named = |is_exception: bool| {
        let patterns = excluded
            .iter()
            .filter_map(move |pattern| match pattern.strip_prefix('!') {
                Some(pattern) => is_exception.then_some(pattern),
                None => (!is_exception).then_some(pattern.as_str()),
            });
        patterns
            .into_iter()
            .any(|pattern| matches_host(pattern, host))
    };
    if named(false) && !named(true) {
        return Some(Refusal::Excluded);
    }
    has_secret_path(page).then_some(Refusal::SecretAddress)
}

/// The host without port and brackets.
fn host_name(page: &Address) -> &str {
    let host = page.host();
    match host.strip_prefix('[') {
        Some(inner) => inner.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

/// Whether a host lies on this machine or in a private network, by its name alone.
fn is_private(host: &str) -> bool {
    const ENDINGS: [&str; 7] = [
        ".localhost",
        ".local",
        ".internal",
        ".lan",
        ".home",
        ".intranet",
        ".home.arpa",
    ];
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => is_private_v4(ip),
        Ok(IpAddr::V6(ip)) => match ip.to_ipv4_mapped() {
            Some(ip) => is_private_v4(ip),
            // Only what is global unicast is public.
            None => !(0x2000..0x4000).contains(&ip.segments()[0]),
        },
        Err(_) => !host.contains('.') || ENDINGS.iter().any(|ending| host.ends_with(ending)),
    }
}

fn is_private_v4(ip: std::net::Ipv4Addr) -> bool {
    let [a, b, ..] = ip.octets();
    ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || a == 0
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
}

/// Whether a pattern names a host: `*` stands for any letters, and a pattern without
/// one for the host and all below it.
pub fn matches_host(pattern: &str, host: &str) -> bool {
    let Some((head, mut rest)) = pattern.split_once('*') else {
        let below = host.strip_suffix(pattern);
        return below.is_some_and(|below| below.is_empty() || below.ends_with('.'));
    };
    let Some(mut text) = host.strip_prefix(head) else {
        return false;
    };
    while let Some((part, behind)) = rest.split_once('*') {
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
        rest = behind;
    }
    text.ends_with(rest)
}

fn has_secret_path(page: &Address) -> bool {
    let path = page.path_and_query().split('?').next().unwrap_or_default();
    let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
    steps.windows(2).any(|pair| {
        let name = pair[0].to_ascii_lowercase();
        SECRET_STEPS.contains(&name.as_str()) && looks_random(pair[1])
    })
}

/// The address without parameters that are secrets, in its query and, as some servers
/// write them, behind `;` in its path.
pub fn without_secrets(page: &Address) -> Address {
    let text = page.path_and_query();
    if !text.contains(['?', ';']) {
        return page.clone();
    }
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    let mut kept = format!("{}://{}", page.scheme(), page.host());
    for (number, step) in path.split('/').enumerate() {
        if number > 0 {
            kept.push('/');
        }
        let mut parts = step.split(';');
        kept.push_str(parts.next().unwrap_or_default());
        for part in parts.filter(|part| !is_secret(part)) {
            let _ = write!(kept, ";{part}");
        }
    }
    let parameters = query.split('&').filter(|part| !part.is_empty());
    for (number, part) in parameters.filter(|part| !is_secret(part)).enumerate() {
        let _ = write!(kept, "{}{part}", if number == 0 { '?' } else { '&' });
    }
    Address::parse(&kept).unwrap_or_else(|_| page.clone())
}

/// Whether a parameter, `name=value` or a bare value, is a secret.
fn is_secret(parameter: &str) -> bool {
    let (name, value) = parameter.split_once('=').unwrap_or(("", parameter));
    let name = percent_decode_str(name).decode_utf8_lossy().to_lowercase();
    let name: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
    let is_doubtful = DOUBTFUL_NAMES.binary_search(&name.as_str()).is_ok()
        && value.len() >= SHORTEST_SECRET
        && value.bytes().any(|byte| byte.is_ascii_digit());
    let is_named = SECRET_NAMES.binary_search(&name.as_str()).is_ok()
        || SECRET_PARTS.iter().any(|part| name.contains(part));
    is_named
        || is_doubtful
        || looks_random(&percent_decode_str(value).decode_utf8_lossy())
        || names_somebody(value)
}

/// Whether a value is an address of mail.
fn names_somebody(value: &str) -> bool {
    let value = percent_decode_str(value).decode_utf8_lossy();
    let parts = value.split_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('/'))
}

/// Whether something in a text looks drawn at random: a long run of letters and digits
/// in which both, or both cases, alternate, or a UUID.
fn looks_random(text: &str) -> bool {
    let runs = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_uuid = text.len() >= 36
        && text.split('-').map(str::len).collect::<Vec<_>>() == [8, 4, 4, 4, 12]
        && text
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    is_uuid || runs.into_iter().any(is_random_run)
}

fn is_random_run(run: &str) -> bool {
    if run.len() < LONG_RUN || run.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    };
    let bytes = run.as_bytes();
    let changes = bytes
        .windows(2)
        .filter(|pair| kind(pair[0]) != kind(pair[1]))
        .count();
    // Words joined in camel case change case twice a word; a random run far oftener.
    changes * 4 >= run.len() && bits(bytes) >= RANDOM_BITS
}

/// Bits of a text by its own characters' frequencies (Shannon).
fn bits(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in text {
        counts[usize::from(byte)] += 1;
    }
    let length = text.len() as f64;
    let of = |count: &u32| f64::from(*count) * (length / f64::from(*count)).log2();
    counts.iter().filter(|count| **count > 0).map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).unwrap()
    }

    #[test]
    fn secrets_go_from_queries_and_the_rest_stays() {
        let cases = [
            ("?token=CANARYQUERY&page=2", "?page=2"),
            ("?q=kidney+disease&PHPSESSID=1a2b", "?q=kidney+disease"),
            (
                "?code=4/0AX4XfWh9Zb3Kq7LmN2pR5tV8yB1c&state=abc",
                "?state=abc",
            ),
            ("?access_token=x&id_token=y", ""),
            (
                "?X-Amz-Signature=0af&X-Amz-Date=20260101T000000Z",
                "?X-Amz-Date=20260101T000000Z",
            ),
            ("?reset=3f9a1c77e0b24d5f8a6b", ""),
            ("?u=6fa459ea-ee8a-3ca4-894e-db77e160355e", ""),
            ("?jwt=a.b.c&lang=de", "?lang=de"),
            ("?to=someone%40example.org&x=1", "?x=1"),
            ("?next=%2Fhome&csrf_token=1", "?next=%2Fhome"),
            ("?3f9a1c77e0b24d5f8a6b", ""),
            (";jsessionid=1A2B3C?x=1", "?x=1"),
            ("?sid=1&SessionID=2&my-session=3", ""),
            ("?key=swordfish&sig=ab&sign=x&hmac=y", ""),
            (
                "?hash=9f86d081&hash=md5&mac=pro&state=Utah",
                "?hash=md5&mac=pro&state=Utah",
            ),
        ];
        for (query, expected) in cases {
            let kept = without_secrets(&address(&format!("http://a.test/p{query}")));
            assert_eq!(
                kept.as_str(),
                format!("http://a.test/p{expected}"),
                "{query}"
            );
        }
        let plain = [
            "http://a.test/?q=chronic+kidney+disease+treatment&page=12",
            "http://a.test/search?utm_campaign=summer_sale_2024_newsletter&id=123456789012345678",
            "http://a.test/w/index.php?title=HaemodialysisAndKidneyTransplantation&action=edit",
            "http://a.test/watch?v=dQw4w9WgXcQ&t=42s",
            "http://a.test/a;b/c?date=2024-05-06&sort=asc&isbn=9783161484100",
        ];
        for text in plain {
            assert_eq!(without_secrets(&address(text)).as_str(), text);
        }
        assert!(SECRET_NAMES.is_sorted());
    }

    #[test]
    fn private_networks_excluded_hosts_and_secret_paths_are_not_read() {
        let excluded = usually_excluded();
        let cases = [
            ("http://127.0.0.1:8080/", Some(Refusal::PrivateNetwork)),
            ("http://192.168.1.1/", Some(Refusal::PrivateNetwork)),
            ("http://172.20.0.9/", Some(Refusal::PrivateNetwork)),
            ("http://100.64.1.1/", Some(Refusal::PrivateNetwork)),
            ("http://[::1]/", Some(Refusal::PrivateNetwork)),
            ("http://[fd00::1]/", Some(Refusal::PrivateNetwork)),
            ("http://[::ffff:10.0.0.1]/", Some(Refusal::PrivateNetwork)),
            ("http://router/", Some(Refusal::PrivateNetwork)),
            ("http://nas.local/", Some(Refusal::PrivateNetwork)),
            ("https://mail.google.com/mail/u/0/", Some(Refusal::Excluded)),
            ("https://www.mybank.test/statement", Some(Refusal::Excluded)),
            ("https://online.example-bank.test/", Some(Refusal::Excluded)),
            ("https://webmail.example.org/", Some(Refusal::Excluded)),
            ("https://mychart.hospital.test/", Some(Refusal::Excluded)),
            (
                "https://a.test/reset/3f9a1c77e0b24d5f8a6b",
                Some(Refusal::SecretAddress),
            ),
            (
                "https://a.test/magic/Zx81Kq92Lm03Np14Qr25",
                Some(Refusal::SecretAddress),
            ),
            ("https://a.test/commit/3f9a1c77e0b24d5f8a6b", None),
            ("https://a.test/reset/your-kidneys", None),
            ("https://en.wikipedia.org/wiki/Bank_(geography)", None),
            ("https://riverbanks.test/", None),
            ("https://data.worldbank.org/", None),
            ("https://8.8.8.8/", None),
        ];
        for (page, expected) in cases {
            assert_eq!(refusal(&address(page), &excluded), expected, "{page}");
        }
    }

    #[test]
    fn patterns_name_hosts() {
        let cases = [
            ("a.test", "a.test", true),
            ("a.test", "www.a.test", true),
            ("a.test", "ba.test", false),
            ("mail.*", "mail.a.test", true),
            ("mail.*", "email.a.test", false),
            ("*.a.*.test", "x.a.y.test", true),
            ("*", "a.test", true),
        ];
        for (pattern, host, expected) in cases {
            assert_eq!(matches_host(pattern, host), expected, "{pattern} {host}");
        }
        assert_eq!(patterns("# no\n\n A.test \n"), ["a.test"]);
    }
}

//! Addresses as pages write them, a reference and its page.
//!
//! Promises: a canonical address is canonical again and parts in its pieces; its length is
//! bounded; an address without secrets has none to lose; robots.txt and patterns of hosts can be
//! asked about it.

use linkscent_core::address::{Address, Base, LONGEST_ADDRESS};
use linkscent_core::privacy::{matches_host, refusal, usually_excluded, without_secrets};

use super::{Seeds, page_address};
use crate::input::Input;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (reference, base) = (input.text(), input.text());
    let page = page_address();
    for found in [
        Address::parse(&reference),
        page.join(&reference),
        Base::with_href(&page, &base).join(&reference),
    ] {
        match found {
            Ok(address) => check(&address, &base),
            Err(error) => assert!(
                error.to_string().len() < 1_000,
                "an error repeats the input"
            ),
        }
    }
}

/// Holds an address to its promises.
pub fn check(address: &Address, pattern: &str) {
    let text = address.as_str();
    assert!(text.len() <= LONGEST_ADDRESS, "{text} is too long");
    assert!(text.is_ascii(), "{text} is not ASCII");
    assert_eq!(Address::parse(text).as_ref(), Ok(address), "not canonical");
    let parts = format!(
        "{}://{}{}",
        address.scheme(),
        address.host(),
        address.path_and_query()
    );
    assert_eq!(parts, text, "the parts are not the address");
    assert!(matches!(address.scheme(), "http" | "https"));
    assert!(!address.host().is_empty() && address.path_and_query().starts_with('/'));
    assert!(address.without_scheme().starts_with(address.folder()));
    assert!(address.words().iter().all(|word| !word.is_empty()));
    let bare = without_secrets(address);
    assert_eq!(without_secrets(&bare), bare, "secrets are left in {bare}");
    assert!(bare.as_str().len() <= text.len());
    let _ = refusal(address, &usually_excluded());
    let _ = matches_host(pattern, address.host());
}

pub fn seeds() -> Seeds {
    let case = |reference: &str, base: &str| format!("{reference}\0{base}").into_bytes();
    vec![
        ("plain", case("HTTP://Example.COM:80/a/../b?", "/x/")),
        ("user", case("https://u:p@a.test./b#c", "http://b.test/y")),
        ("escapes", case("/%7Ebob/%c3%a4%2%65[x]|y", "//c.test")),
        ("wide", case("http://b\u{fc}cher.example/\u{e4}", "")),
        ("numbers", case("http://0x7f.1/?token=SECRET&page=2", "?q")),
        ("six", case("http://[::ffff:127.0.0.1]:8080/", "data:,")),
        (
            "relative",
            case("../..//x;y=1?a=b&&c", "https://a.test/1/2/3"),
        ),
        (
            "secret",
            case(
                "/reset;jsessionid=ABCDEF0123456789?sid=aaaabbbbccccdddd&utm_source=x",
                "*.test",
            ),
        ),
    ]
}

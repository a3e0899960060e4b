//! Addresses of pages in canonical form, and the words inside them.
//!
//! Two spellings of one page must compare equal, or a crawl fetches it twice.
//! Canonical means: what the URL standard does (lower-case scheme and host,
//! dot segments resolved, default port dropped), and besides no fragment, no
//! user info, no trailing dot of the host, no empty query, and percent escapes
//! in upper case and only where needed; what browsers send escaped or not, as they
//! like, is escaped. Query parameters are left as they are, and so are empty path
//! segments: which of them matter only the site knows.
//!
//! The canonical form is what robots.txt is asked about and what is fetched, so
//! making it canonical again changes nothing. A percent sign that begins no escape
//! is escaped for that reason: `%2%65` means `%252e` and must not become a dot.

use std::fmt;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;
use url::Url;

use crate::codec;

/// Longest address taken in, in bytes. Traps make longer ones.
pub const LONGEST_ADDRESS: usize = 2_000;
/// Characters of path and query that some send escaped and some do not.
const ESCAPED: &[u8] = b"[]^|`{}\"<>";

/// Why a text is no address of a page.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Not a URL at all.
    #[error("{0:?} is not a web address: {1}")]
    Malformed(String, url::ParseError),
    /// A URL, but of no page: `mailto:`, `javascript:`, `file:` ...
    #[error("{0:?} is not an http or https address")]
    Scheme(String),
    /// Longer than [`LONGEST_ADDRESS`].
    #[error("the address is longer than {LONGEST_ADDRESS} bytes: {0:?}…")]
    TooLong(String),
}

/// A page's canonical address: `http` or `https`, with a host.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(Arc<str>);

impl Address {
    /// Reads an absolute address.
    ///
    /// ```
    /// use linkscent_core::address::Address;
    ///
    /// let address = Address::parse("HTTP://Example.org:80/%7Ebees?#top")?;
    /// assert_eq!(address.as_str(), "http://example.org/~bees");
    /// assert!(Address::parse("mailto:ida@example.org").is_err());
    /// # Ok::<(), linkscent_core::address::AddressError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        Self::read(text, None)
    }

    /// Reads a reference found on the page at this address.
    ///
    /// ```
    /// use linkscent_core::address::Address;
    ///
    /// let page = Address::parse("http://example.org/bees/")?;
    /// assert_eq!(page.join("../honey")?.as_str(), "http://example.org/honey");
    /// # Ok::<(), linkscent_core::address::AddressError>(())
    /// ```
    pub fn join(&self, reference: &str) -> Result<Self, AddressError> {
        Base::of(self).join(reference)
    }

    fn read(text: &str, base: Option<&Url>) -> Result<Self, AddressError> {
        if text.len() > 4 * LONGEST_ADDRESS {
            return Err(AddressError::TooLong(head(text)));
        }
        let url = Url::options()
            .base_url(base)
            .parse(text)
            .map_err(|error| AddressError::Malformed(head(text), error))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressError::Scheme(head(text)));
        }
        let canonical = canonical(url);
        if canonical.len() > LONGEST_ADDRESS {
            return Err(AddressError::TooLong(head(&canonical)));
        }
        Ok(Self(canonical.into()))
    }

    /// The address as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[cfg(test)]
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.0
    }

    /// `http` or `https`.
    pub fn scheme(&self) -> &str {
        self.0.split(':').next().unwrap_or_default()
    }

    /// Host with the port, if it is not the scheme's own: what politeness and
    /// robots.txt are kept by.
    pub fn host(&self) -> &str {
        let rest = self.without_scheme();
        let end = rest.bytes().position(|byte| matches!(byte, b'/' | b'?'));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Path and query, starting with `/`.
    pub fn path_and_query(&self) -> &str {
        let start = self.scheme().len() + 3 + self.host().len();
        &self.0[start..]
    }

    /// The address without its scheme. Sites serve the same page by http and by
    /// https, so whoever asks "was it seen?" asks by this.
    pub fn without_scheme(&self) -> &str {
        self.0.get(self.scheme().len() + 3..).unwrap_or_default()
    }

    /// Host and path up to the last part: what pages of one template have in common, often.
    pub fn folder(&self) -> &str {
        let text = self.without_scheme();
        let path = text.split('?').next().unwrap_or(text);
        path.rfind('/').map_or(path, |end| &path[..end])
    }

    /// The address without its scheme as one number, the same on every machine (FNV-1a).
    pub fn key(&self) -> u64 {
        let bytes = self.without_scheme().bytes();
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// The words of the address, in order: host labels but for `www`, then path
    /// and query, cut at punctuation, at a change of case and between letters
    /// and digits, percent-decoded, in lower case.
    pub fn words(&self) -> Vec<String> {
        let host = self.host();
        let name = host.split(':').next().unwrap_or_default();
        let decoded = percent_decode_str(self.path_and_query()).decode_utf8_lossy();
        let mut words = Vec::new();
        cut_words(name, &mut words);
        words.retain(|word| word != "www");
        cut_words(&decoded, &mut words);
        words
    }
}

/// Many hold the address of a page: it is written once, see [`codec::Saver`].
impl Serialize for Address {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        codec::write_text(&self.0, to)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        codec::read_text(from).map(Self)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.0)
    }
}

/// What the links of one page are resolved against: its address, or its
/// `<base href>`. Parsed once for all of a page's links.
pub struct Base(Option<Url>);

impl Base {
    /// The page's own address.
    pub fn of(page: &Address) -> Self {
        Self(Url::parse(page.as_str()).ok())
    }

    /// The page's address with a `<base href>`, which may itself be relative.
    /// A base that is no web address is ignored, as browsers do.
    pub fn with_href(page: &Address, href: &str) -> Self {
        let own = Self::of(page);
        match own.0.as_ref().map(|url| url.join(href.trim())) {
            Some(Ok(url)) if matches!(url.scheme(), "http" | "https") => Self(Some(url)),
            _ => own,
        }
    }

    /// The canonical address of a reference.
    pub fn join(&self, reference: &str) -> Result<Address, AddressError> {
        Address::read(reference, self.0.as_ref())
    }
}

/// What the URL standard leaves open, decided; see the module.
fn canonical(mut url: Url) -> String {
    url.set_fragment(None);
    let _ = url.set_username("");
    let _ = url.set_password(None);
    if url.query() == Some("") {
        url.set_query(None);
    }
    if let Some(host) = url.host_str().filter(|host| host.ends_with('.')) {
        let bare = host.trim_end_matches('.').to_owned();
        let _ = url.set_host(Some(&bare));
    }
    let start = url[..url::Position::BeforePath].len();
    let text = String::from(url);
    let (host, path) = text.split_at(start);
    if path
        .bytes()
        .any(|byte| byte == b'%' || ESCAPED.contains(&byte))
    {
        host.to_owned() + &plain_escapes(path)
    } else {
        text
    }
}

/// Decodes the escapes of unreserved characters and writes the others in upper
/// case; escapes percent signs that begin no escape, and [`ESCAPED`].
pub(crate) fn plain_escapes(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut plain = String::with_capacity(path.len() + 8);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let escape = (byte == b'%')
            .then(|| escaped_byte(&bytes[at + 1..]))
            .flatten();
        at += if escape.is_some() { 3 } else { 1 };
        match escape {
            Some(code) if code.is_ascii_alphanumeric() || b"-._~".contains(&code) => {
                plain.push(char::from(code));
            }
            Some(code) => plain.push_str(&format!("%{code:02X}")),
            None if byte == b'%' || ESCAPED.contains(&byte) || !byte.is_ascii() => {
                plain.push_str(&format!("%{byte:02X}"));
            }
            None => plain.push(char::from(byte)),
        }
    }
    plain
}

/// The byte that two hexadecimal digits at the beginning stand for.
fn escaped_byte(digits: &[u8]) -> Option<u8> {
    let digit = |place: usize| char::from(*digits.get(place)?).to_digit(16);
    Some((digit(0)? * 16 + digit(1)?) as u8)
}

/// Words cut at punctuation, at a change of case and between letters and digits,
/// in lower case.
pub(crate) fn cut_words(text: &str, words: &mut Vec<String>) {
    #[derive(PartialEq, Clone, Copy)]
    enum Kind {
        Lower,
        Upper,
        Digit,
        Other,
    }
    let kind = |c: char| match c {
        c if c.is_numeric() => Kind::Digit,
        c if c.is_uppercase() => Kind::Upper,
        c if c.is_alphabetic() => Kind::Lower,
        _ => Kind::Other,
    };
    let mut word = String::new();
    let mut before = Kind::Other;
    for c in text.chars() {
        let now = kind(c);
        let goes_on = now == before || (before == Kind::Upper && now == Kind::Lower);
        if !goes_on && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if now != Kind::Other {
            match c {
                'a'..='z' | '0'..='9' => word.push(c),
                _ => word.extend(c.to_lowercase()),
            }
        }
        before = now;
    }
    if !word.is_empty() {
        words.push(word);
    }
}

fn head(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    #[test]
    fn spellings_of_one_page_are_one_address() {
        let cases = [
            ("HTTP://Example.COM:80", "http://example.com/"),
            ("https://u:p@a.org./b#c", "https://a.org/b"),
            ("http://a.org/%7Ebob/%c3%a4?", "http://a.org/~bob/%C3%A4"),
            ("http://a.org/x/../y/./z", "http://a.org/y/z"),
            ("http://a.org/100%", "http://a.org/100%25"),
            ("http://a.org/x[1]?a|b", "http://a.org/x%5B1%5D?a%7Cb"),
            ("http://a.org:8080/?q=1", "http://a.org:8080/?q=1"),
            ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ];
        for (text, expected) in cases {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.as_str(), expected, "{text}");
            assert_eq!(
                Address::parse(expected).unwrap(),
                address,
                "not a fixed point"
            );
        }
    }

    #[test]
    fn no_escape_hides_in_another() {
        let cases = [
            (
                "http://a.org/ok/%2%65%2%65/private/1",
                "http://a.org/ok/%252e%252e/private/1",
            ),
            ("http://a.org/ok/%2e%2E/private/1", "http://a.org/private/1"),
            ("http://a.org/%%34%31", "http://a.org/%2541"),
            ("http://a.org/p%zz%77%v", "http://a.org/p%25zzw%25v"),
            ("http://a.org/?%2%33", "http://a.org/?%2523"),
        ];
        for (text, expected) in cases {
            assert_eq!(Address::parse(text).unwrap().as_str(), expected, "{text}");
        }
    }

    /// What addresses are made of where they are hard to read.
    const PIECES: [&str; 45] = [
        "%", "%2", "2", "5", "e", "E", "%65", "%2e", "%2E", ".", "..", "/", "\\", "?", "#", "@",
        ":", ":80", "%00", "%7f", "%C3", "\u{e4}", "\u{80}", "[", "]", "|", "^", "`", "a", "A",
        "%41", " ", "\t", "%5c", "%2f", "+", "&", ";", "=", "~", "'", "\"", "<", "*", "xn--",
    ];
    const HOSTS: [&str; 5] = [
        "http://a.org",
        "https://A.org.",
        "http://u:p@a.org:81",
        "http://a%2eorg",
        "//",
    ];

    fn hard_to_read() -> impl Strategy<Value = String> {
        let piece =
            prop_oneof![4 => select(&PIECES[..]).prop_map(str::to_owned), 1 => any::<String>()];
        let rest = vec(piece, 0..9).prop_map(|pieces| pieces.concat());
        (select(&HOSTS[..]), rest).prop_map(|(host, rest)| host.to_owned() + &rest)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(80 * ProptestConfig::default().cases))]

        #[test]
        fn making_canonical_again_changes_nothing(text in hard_to_read()) {
            if let Ok(address) = Address::parse(&text) {
                prop_assert_eq!(Address::parse(address.as_str()), Ok(address));
            }
        }
    }

    #[test]
    fn what_is_no_page_is_refused() {
        for text in [
            "mailto:a@b.org",
            "javascript:void(0)",
            "file:///etc",
            "data:,x",
        ] {
            assert!(
                matches!(Address::parse(text), Err(AddressError::Scheme(_))),
                "{text}"
            );
        }
        assert!(matches!(
            Address::parse("no address"),
            Err(AddressError::Malformed(..))
        ));
        let long = format!("http://a.org/{}", "a".repeat(3_000));
        assert!(matches!(
            Address::parse(&long),
            Err(AddressError::TooLong(_))
        ));
    }

    #[test]
    fn parts_and_base() {
        let page = Address::parse("https://a.org:8443/dir/page.html?q=1").unwrap();
        assert_eq!(page.host(), "a.org:8443");
        assert_eq!(page.scheme(), "https");
        assert_eq!(page.path_and_query(), "/dir/page.html?q=1");
        assert_eq!(
            page.join("other").unwrap().as_str(),
            "https://a.org:8443/dir/other"
        );
        let base = Base::with_href(&page, "/base/");
        assert_eq!(
            base.join("x").unwrap().as_str(),
            "https://a.org:8443/base/x"
        );
        let bad = Base::with_href(&page, "data:,");
        assert_eq!(bad.join("x").unwrap().as_str(), "https://a.org:8443/dir/x");
    }

    #[test]
    fn words_are_cut_at_punctuation_case_and_digits() {
        let address =
            Address::parse("http://www.kidney.org/DialysisCenter/unit42_b%C3%A4d").unwrap();
        assert_eq!(
            address.words(),
            ["kidney", "org", "dialysis", "center", "unit", "42", "bäd"]
        );
    }
}

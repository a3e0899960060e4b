//! Addresses of pages in canonical form, and the words inside them.
//!
//! Two spellings of one page must compare equal, or a crawl fetches it twice.
//! Canonical means: what the URL standard does (lower-case scheme and host,
//! dot segments resolved, default port dropped), and besides no fragment, no
//! user info, no trailing dot of the host, no empty query, and percent escapes
//! in upper case and only where needed. Query parameters are left as they
//! are: which of them matter only the site knows.

use std::fmt;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use thiserror::Error;
use url::Url;

/// Longest address taken in, in bytes. Traps make longer ones.
pub const LONGEST_ADDRESS: usize = 2_000;

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
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        Self::read(text, None)
    }

    /// Reads a reference found on the page at this address.
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
    let text = String::from(url);
    if text.contains('%') {
        plain_escapes(&text)
    } else {
        text
    }
}

/// Decodes the escapes of unreserved characters and writes the others in upper
/// case; stray percent signs stay.
fn plain_escapes(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .filter(|pair| pair.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match code {
            Some(code) if code.is_ascii_alphanumeric() || b"-._~".contains(&code) => {
                plain.push(code);
                at += 3;
            }
            Some(code) => {
                plain.extend_from_slice(format!("%{code:02X}").as_bytes());
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
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
    use super::*;

    #[test]
    fn spellings_of_one_page_are_one_address() {
        let cases = [
            ("HTTP://Example.COM:80", "http://example.com/"),
            ("https://u:p@a.org./b#c", "https://a.org/b"),
            ("http://a.org/%7Ebob/%c3%a4?", "http://a.org/~bob/%C3%A4"),
            ("http://a.org/x/../y/./z", "http://a.org/y/z"),
            ("http://a.org/100%", "http://a.org/100%"),
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

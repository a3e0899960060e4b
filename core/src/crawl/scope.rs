//! Which links a crawl may follow at all, whatever their score.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::address::Address;
use crate::candidate::Candidate;

/// Path segments that repeat this often mean a trap.
const MOST_REPEATS: usize = 3;
/// Endings of what is never a page; asking for it costs a fetch.
const NO_PAGES: &[&str] = &[
    "7z", "apk", "avi", "bin", "bmp", "bz2", "c", "class", "cpp", "css", "csv", "dat", "deb",
    "dmg", "doc", "docx", "eps", "epub", "exe", "flac", "flv", "gif", "gz", "h", "ico", "iso",
    "jar", "java", "jpeg", "jpg", "js", "json", "m4a", "m4v", "mat", "mkv", "mov", "mp3", "mp4",
    "mpeg", "mpg", "msi", "ogg", "pdf", "png", "pps", "ppsx", "ppt", "pptx", "ps", "py", "r",
    "rar", "rdf", "rpm", "rss", "rtf", "sh", "sql", "svg", "swf", "tar", "tex", "tgz", "tif",
    "tiff", "ttf", "wav", "webm", "webp", "wma", "wmv", "woff", "woff2", "xls", "xlsx", "xml",
    "xz", "zip",
];
/// Those of them that are read where documents are.
const DOCUMENTS: &[&str] = &["docx", "pdf", "pptx", "rdf", "rss", "xml"];

/// Why a link is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The host is not among those the crawl keeps to.
    #[error("outside the hosts this crawl keeps to")]
    Host,
    /// The host is among those the crawl leaves out.
    #[error("on a host this crawl leaves out")]
    LeftOut,
    /// The address ends like a picture, an archive, a program ...
    #[error("not a page, by its ending")]
    Ending,
    /// The address goes round in circles.
    #[error("looks like a crawler trap: the path repeats itself")]
    Trap,
}

/// Which addresses a crawl may follow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Scope {
    /// Hosts to keep to, subdomains included; empty means the whole web.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// Hosts to leave out, subdomains included, also of those to keep to.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// Links from a start to a page at most, 0 for the starts alone; none for any number.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Whether documents are asked for by their endings: PDF, office files, feeds, sitemaps.
    #[serde(default = "yes")]
    pub documents: bool,
}

fn yes() -> bool {
    true
}

impl Scope {
    /// Whether a link is as near to a start as pages may be.
    pub fn reaches(&self, link: &Candidate) -> bool {
        self.depth.is_none_or(|depth| link.trail.len() <= depth)
    }

    /// Whether a link may be followed.
    pub fn check(&self, target: &Address) -> Result<(), Refusal> {
        if !self.hosts.is_empty() && !self.hosts.iter().any(|host| is_within(target, host)) {
            return Err(Refusal::Host);
        }
        if self.left_out.iter().any(|host| is_within(target, host)) {
            return Err(Refusal::LeftOut);
        }
        let path = target
            .path_and_query()
            .split('?')
            .next()
            .unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        if let Some((_, ending)) = name.rsplit_once('.') {
            let ending = ending.to_ascii_lowercase();
            let is_among = |endings: &[&str]| endings.binary_search(&&*ending).is_ok();
            let is_document = is_among(DOCUMENTS) || is_packed_sitemap(name);
            if is_among(NO_PAGES) && !(self.documents && is_document) {
                return Err(Refusal::Ending);
            }
        }
        if repeats(path) {
            return Err(Refusal::Trap);
        }
        Ok(())
    }
}

/// Whether a file's name is that of compressed XML, as sitemaps are.
fn is_packed_sitemap(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".xml.gz")
}

/// The host that a text names as such, as addresses have it; none if it is no host.
pub fn as_host(text: &str) -> Option<String> {
    let address = Address::parse(&format!("http://{}/", text.trim())).ok()?;
    let is_alone = address.path_and_query() == "/";
    is_alone.then(|| address.host().to_owned())
}

/// The hosts that a text names, a word or a line each: as such, or in whole addresses.
pub fn hosts_in(text: &str) -> Vec<String> {
    let words = text.split(|sign: char| sign.is_whitespace() || sign == ',');
    let hosts = words
        .filter(|word| !word.is_empty())
        .map(|word| match Address::parse(word) {
            Ok(address) => address.host().to_owned(),
            Err(_) => as_host(word).unwrap_or_else(|| word.to_owned()),
        });
    hosts.collect()
}

/// Whether a page lies on a host, or on one below it.
pub fn is_within(target: &Address, host: &str) -> bool {
    is_or_below(target.host(), host)
}

/// Whether a host is another one, or lies below it. One that is named without a port is meant with
/// each of its ports.
pub fn is_or_below(name: &str, host: &str) -> bool {
    let is = |name: &str| {
        let head = name.strip_suffix(host);
        head.is_some_and(|head| head.is_empty() || head.ends_with('.'))
    };
    is(name) || is(without_port(name))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|sign| sign.is_ascii_digit()) => name,
        _ => host,
    }
}

fn repeats(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    segments.iter().any(|one| {
        let same = segments.iter().filter(|other| other == &one).count();
        same > MOST_REPEATS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_checked_by_host_ending_and_path() {
        let scope = Scope {
            hosts: vec!["a.org".to_owned()],
            left_out: vec!["b.test".to_owned(), "no.a.org".to_owned()],
            ..Scope::default()
        };
        let cases = [
            ("http://a.org/", Ok(())),
            ("http://www.a.org/x.html", Ok(())),
            ("http://ba.org/", Err(Refusal::Host)),
            ("http://no.a.org/", Err(Refusal::LeftOut)),
            ("http://x.no.a.org/", Err(Refusal::LeftOut)),
            ("http://no.a.org:8080/", Err(Refusal::LeftOut)),
            ("http://www.a.org:8443/x.html", Ok(())),
            ("http://nono.a.org/", Ok(())),
            ("http://a.org/x.PDF", Err(Refusal::Ending)),
            ("http://a.org/x.pdf/about", Ok(())),
            ("http://a.org/d/x/d/y/d/z/d", Err(Refusal::Trap)),
        ];
        for (target, expected) in cases {
            let target = Address::parse(target).unwrap();
            assert_eq!(scope.check(&target), expected, "{target}");
        }
        let scope = Scope {
            documents: true,
            ..scope
        };
        for (target, expected) in [
            ("http://a.org/x.PDF", Ok(())),
            ("http://a.org/feed.xml?n=1", Ok(())),
            ("http://a.org/x.exe", Err(Refusal::Ending)),
            ("http://a.org/Map.XML.gz", Ok(())),
            ("http://a.org/x.tar.gz", Err(Refusal::Ending)),
            ("http://no.a.org/x.pdf", Err(Refusal::LeftOut)),
        ] {
            let target = Address::parse(target).unwrap();
            assert_eq!(scope.check(&target), expected, "{target}");
        }
        let named = hosts_in(" A.org, http://b.org:81/x\nc Bücher.de a/b");
        assert_eq!(named, ["a.org", "b.org:81", "c", "xn--bcher-kva.de", "a/b"]);
        for no_host in ["", "a/b", "a b", "http://a.org", "a.org?x"] {
            assert_eq!(as_host(no_host), None, "{no_host}");
        }
        for (name, host, is) in [
            ("a.org:81", "a.org", true),
            ("a.org:81", "a.org:81", true),
            ("a.org", "a.org:81", false),
            ("a.org:80", "a.org:81", false),
            ("[::1]:81", "[::1]", true),
            ("[::1]", "[:", false),
        ] {
            assert_eq!(is_or_below(name, host), is, "{name} {host}");
        }
        assert!(NO_PAGES.is_sorted() && DOCUMENTS.is_sorted());
        assert!(DOCUMENTS.iter().all(|one| NO_PAGES.contains(one)));
    }
}

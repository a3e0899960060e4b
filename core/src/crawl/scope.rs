//! Which links a crawl may follow at all, whatever their score.

use thiserror::Error;

use crate::address::Address;

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

/// Why a link is not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The host is not among those the crawl keeps to.
    #[error("outside the hosts this crawl keeps to")]
    Host,
    /// The address ends like a picture, an archive, a program ...
    #[error("not a page, by its ending")]
    Ending,
    /// The address goes round in circles.
    #[error("looks like a crawler trap: the path repeats itself")]
    Trap,
}

/// Which addresses a crawl may follow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Hosts to keep to, subdomains included; empty means the whole web.
    pub hosts: Vec<String>,
}

impl Scope {
    /// Whether a link may be followed.
    pub fn check(&self, target: &Address) -> Result<(), Refusal> {
        if !self.hosts.is_empty() && !self.hosts.iter().any(|host| is_within(target, host)) {
            return Err(Refusal::Host);
        }
        let path = target
            .path_and_query()
            .split('?')
            .next()
            .unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default();
        if let Some((_, ending)) = name.rsplit_once('.')
            && NO_PAGES
                .binary_search(&ending.to_ascii_lowercase().as_str())
                .is_ok()
        {
            return Err(Refusal::Ending);
        }
        if repeats(path) {
            return Err(Refusal::Trap);
        }
        Ok(())
    }
}

fn is_within(target: &Address, host: &str) -> bool {
    let name = target.host();
    name == host
        || name
            .strip_suffix(host)
            .is_some_and(|head| head.ends_with('.'))
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
        };
        let cases = [
            ("http://a.org/", Ok(())),
            ("http://www.a.org/x.html", Ok(())),
            ("http://ba.org/", Err(Refusal::Host)),
            ("http://a.org/x.PDF", Err(Refusal::Ending)),
            ("http://a.org/x.pdf/about", Ok(())),
            ("http://a.org/d/x/d/y/d/z/d", Err(Refusal::Trap)),
        ];
        for (target, expected) in cases {
            let target = Address::parse(target).unwrap();
            assert_eq!(scope.check(&target), expected, "{target}");
        }
        assert!(NO_PAGES.is_sorted());
    }
}

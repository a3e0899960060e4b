//! A frozen web: the pages of WARC files, found by a loose key.

use std::collections::HashMap;
use std::path::PathBuf;

use super::warc::{Reader, Response, WarcError};

/// Names of files that stand for their folder.
const INDEX_NAMES: [&str; 3] = ["index", "default", "welcome"];
const INDEX_ENDINGS: [&str; 5] = ["html", "htm", "php", "shtml", "asp"];

/// All pages of some WARC files.
#[derive(Default)]
pub struct FrozenWeb {
    pages: HashMap<String, Response>,
    /// What could not be read, a line each.
    pub problems: Vec<String>,
}

impl FrozenWeb {
    /// Reads all files. One that breaks off gives the pages before the break
    /// and a problem; one that cannot be opened is an error.
    pub fn read(paths: &[PathBuf], mut on_page: impl FnMut(u64)) -> Result<Self, WarcError> {
        let mut web = Self::default();
        for path in paths {
            for record in Reader::open(path)? {
                match record {
                    Ok(record) if record.kind == "response" => {
                        if let (Some(key), Some(response)) =
                            (key(&record.target), record.response())
                        {
                            web.pages.entry(key).or_insert(response);
                            on_page(web.pages.len() as u64);
                        }
                    }
                    Ok(_) => {}
                    Err(problem) => web.problems.push(problem.to_string()),
                }
            }
        }
        Ok(web)
    }

    /// A web of HTML pages from addresses and bodies.
    pub fn from_pages(pages: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut web = Self::default();
        for (address, body) in pages {
            let response = Response {
                date: String::new(),
                status: 200,
                content_type: Some("text/html; charset=utf-8".to_owned()),
                location: None,
                policy: None,
                no_follow: false,
                body: body.into_bytes(),
                conversion: None,
            };
            if let Some(key) = key(&address) {
                web.pages.entry(key).or_insert(response);
            }
        }
        web
    }

    /// The page at an address, if this web has it.
    pub fn page(&self, address: &str) -> Option<&Response> {
        self.pages.get(&key(address)?)
    }

    /// Number of pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is no page at all.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}

/// What a page is found by: host in lower case without port 80 or 443 and
/// user, path without index file and trailing slashes, query; no scheme, no
/// fragment.
pub fn key(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let rest = rest.split('#').next().unwrap_or_default();
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path_and_query) = rest.split_at(end);
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.to_ascii_lowercase();
    let host = host
        .strip_suffix(":80")
        .or_else(|| host.strip_suffix(":443"))
        .unwrap_or(&host);
    if host.is_empty() {
        return None;
    }
    let (path, query) = match path_and_query.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path_and_query, None),
    };
    let path = without_index(path).trim_end_matches('/');
    Some(match query {
        Some(query) => format!("{host}{path}?{query}"),
        None => format!("{host}{path}"),
    })
}

fn without_index(path: &str) -> &str {
    let Some((folder, name)) = path.rsplit_once('/') else {
        return path;
    };
    let name = name.to_ascii_lowercase();
    let is_index = name.split_once('.').is_some_and(|(stem, ending)| {
        INDEX_NAMES.contains(&stem) && INDEX_ENDINGS.contains(&ending)
    });
    if is_index { folder } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_forget_what_does_not_matter() {
        let cases = [
            ("http://A.org", "a.org"),
            ("https://u:p@a.org:443/x/index.html#top", "a.org/x"),
            ("http://a.org:8080/x//?q=/", "a.org:8080/x?q=/"),
            ("http://a.org/Welcome.PHP?a", "a.org?a"),
            ("http://a.org/index.html.bak", "a.org/index.html.bak"),
        ];
        for (address, expected) in cases {
            assert_eq!(key(address).as_deref(), Some(expected), "{address}");
        }
        assert_eq!(key("mailto:x"), None);
    }
}

//! The dashboard's secrets, and under which addresses it is called.
//! Pages of the dashboard lie under an address that holds a secret, and the printed
//! one-time link leads there.
//!
//! There is no cookie where one person is: a browser sends cookies to every port of this machine, so
//! to every program on it. The secret stands in addresses of this port alone, which no
//! other site is told (`Referrer-Policy: same-origin`), needs no script, and ends with
//! the process: who takes the port later learns nothing that is worth anything. Where people sign in,
//! see `visitors`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::Uri;
use axum::http::uri::{Authority, PathAndQuery};

use linkscent_store::secret;

/// What the addresses of the dashboard's pages begin with, as the templates need it.
#[derive(Debug, Clone)]
pub struct Base(pub String);

/// An address on the web under which people reach this program, by something on this machine that
/// speaks TLS and passes their requests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicSite {
    /// Host, and port if it is another than usual.
    host: String,
}

impl PublicSite {
    /// From `https://` and a host.
    pub fn named(address: &str) -> Option<Self> {
        let address = address.strip_suffix('/').unwrap_or(address);
        let host = address.strip_prefix("https://")?.to_ascii_lowercase();
        let host = host.strip_suffix(":443").unwrap_or(&host).to_owned();
        let authority: Authority = host.parse().ok()?;
        let is_host = !authority.host().is_empty() && !host.contains('@');
        is_host.then_some(Self { host })
    }

    /// `https://` and its host.
    pub fn origin(&self) -> String {
        format!("https://{}", self.host)
    }
}

/// The port, and the dashboard's secrets; they live as long as the process.
pub struct AccessControl {
    port: u16,
    /// Where people sign in, if they do.
    public: Option<PublicSite>,
    /// Opens `/enter` once.
    entry: Mutex<Option<String>>,
    /// Stands in the addresses of the dashboard's pages.
    session: String,
    csrf: String,
}

impl AccessControl {
    /// Fresh secrets for a server on `port`.
    pub fn new(port: u16) -> Self {
        Self {
            port,
            public: None,
            entry: Mutex::new(None),
            session: secret::random_hex::<32>(),
            csrf: secret::random_hex::<32>(),
        }
    }

    /// The same for people who sign in, under that address.
    #[must_use]
    pub fn for_public(self, site: PublicSite) -> Self {
        Self {
            public: Some(site),
            ..self
        }
    }

    /// The hosts under which it is called.
    pub fn hosts(&self) -> Vec<String> {
        match &self.public {
            Some(site) => vec![site.host.clone()],
            None => ["127.0.0.1", "localhost"]
                .map(|host| format!("{host}:{}", self.port))
                .to_vec(),
        }
    }

    /// Whether people sign in here.
    pub fn is_public(&self) -> bool {
        self.public.is_some()
    }

    /// Where programs call.
    pub fn address(&self) -> String {
        match &self.public {
            Some(site) => site.origin(),
            None => format!("http://127.0.0.1:{}", self.port),
        }
    }

    /// A link that opens the dashboard, once; one given out before is void.
    pub fn entry_link(&self) -> String {
        let key = secret::random_hex::<32>();
        *self.entry() = Some(key.clone());
        format!("{}/enter?key={key}", self.address())
    }

    /// Uses up the key of an entry link; where the dashboard lies if it was right.
    pub fn enter(&self, key: &str) -> Option<Base> {
        let mut entry = self.entry();
        let is_right = entry
            .as_deref()
            .is_some_and(|entry| secret::same(entry, key));
        if !is_right {
            return None;
        }
        *entry = None;
        Some(self.base())
    }

    fn entry(&self) -> MutexGuard<'_, Option<String>> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn base(&self) -> Base {
        Base(format!("/d/{}", self.session))
    }

    /// The path of a page behind the dashboard's secret; `None` for any other path.
    pub(super) fn behind<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (session, _) = path.strip_prefix("/d/")?.split_once('/')?;
        let length = "/d/".len() + session.len();
        secret::same(session, &self.session).then(|| &path[length..])
    }

    /// What every form of the dashboard carries.
    pub fn csrf(&self) -> &str {
        &self.csrf
    }

    /// Whether a form's token is right.
    pub fn is_csrf(&self, token: &str) -> bool {
        secret::same(&self.csrf, token)
    }

    pub(super) fn is_own_host(&self, host: &str) -> bool {
        if let Some(site) = &self.public {
            return host.eq_ignore_ascii_case(&site.host);
        }
        host == format!("127.0.0.1:{}", self.port) || host == format!("localhost:{}", self.port)
    }

    pub(super) fn is_own_origin(&self, origin: &str) -> bool {
        let scheme = if self.is_public() {
            "https://"
        } else {
            "http://"
        };
        origin
            .strip_prefix(scheme)
            .is_some_and(|host| self.is_own_host(host))
    }
}

/// Whether it is one of the files that pages are drawn with.
pub(super) fn is_open_file(path: &str) -> bool {
    matches!(
        path,
        "/style.css" | "/live.js" | "/library.js" | "/lists.js" | "/map.js" | "/finds.js"
    )
}

/// Puts another path before an address's query; false if that gives no address.
pub(super) fn set_path(uri: &mut Uri, path: &str) -> bool {
    let text = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let Ok(text) = text.parse::<PathAndQuery>() else {
        return false;
    };
    *uri = Uri::from(text);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 7000;

    /// The key in an entry link.
    fn key(link: &str) -> &str {
        link.rsplit_once("?key=").unwrap().1
    }

    #[test]
    fn an_entry_link_opens_once_and_the_newest_only() {
        let access = AccessControl::new(PORT);
        assert!(access.enter("").is_none(), "no link was given out");
        let old = access.entry_link();
        let new = access.entry_link();
        assert!(new.starts_with("http://127.0.0.1:7000/enter?key="), "{new}");
        assert!(access.enter(key(&old)).is_none(), "it is void");
        assert!(access.enter(&key(&new)[1..]).is_none());
        let base = access.enter(key(&new)).unwrap();
        assert!(access.enter(key(&new)).is_none(), "it was used");
        assert_eq!(access.behind(&format!("{}/", base.0)), Some("/"));
    }

    #[test]
    fn only_what_lies_behind_the_secret_is_found() {
        let access = AccessControl::new(PORT);
        let base = access.base().0;
        assert_eq!(access.behind(&format!("{base}/crawl/7")), Some("/crawl/7"));
        // The rest of the path is taken as it stands.
        assert_eq!(access.behind(&format!("{base}//d/x")), Some("//d/x"));
        let other = AccessControl::new(PORT).base().0;
        assert_ne!(base, other, "secrets are drawn");
        for path in [
            base.clone(),
            "/".to_owned(),
            "/d/".to_owned(),
            "/d//".to_owned(),
            format!("{other}/"),
            format!("{}/", &base[..base.len() - 1]),
            format!("{base}0/"),
            format!("x{base}/"),
            format!("{}/", base.to_uppercase()),
        ] {
            assert_eq!(access.behind(&path), None, "{path}");
        }
    }

    #[test]
    fn forms_of_another_run_are_not_taken() {
        let access = AccessControl::new(PORT);
        assert!(access.is_csrf(access.csrf()));
        assert!(!access.is_csrf(""));
        assert!(!access.is_csrf(AccessControl::new(PORT).csrf()));
    }

    #[test]
    fn hosts_and_origins_are_this_machine_on_this_port() {
        let access = AccessControl::new(PORT);
        for host in ["127.0.0.1:7000", "localhost:7000"] {
            assert!(access.is_own_host(host), "{host}");
            assert!(access.is_own_origin(&format!("http://{host}")), "{host}");
            assert!(!access.is_own_origin(&format!("https://{host}")), "{host}");
            assert!(!access.is_own_origin(host), "{host}");
        }
        for host in [
            "",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:70000",
            "127.0.0.1:7001",
            "localhost:7000.evil.example",
            "evil.example:7000",
            "[::1]:7000",
        ] {
            assert!(!access.is_own_host(host), "{host}");
        }
        assert!(!access.is_own_origin("null"));
    }

    #[test]
    fn a_query_stays_behind_another_path() {
        let mut uri = Uri::from_static("/d/secret/crawl/1?page=2");
        assert!(set_path(&mut uri, "/crawl/1"));
        assert_eq!(uri, "/crawl/1?page=2");
        let mut uri = Uri::from_static("/d/secret/");
        assert!(set_path(&mut uri, "/"));
        assert_eq!(uri, "/");
        assert!(!set_path(&mut uri, "a path with spaces"));
    }
}

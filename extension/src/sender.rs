//! Who sent a message: a page's content script, or a page of the extension itself. The
//! browser says so, not the message.

use serde::Deserialize;

/// What the browser says of a sender, and of the extension itself.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SenderFacts {
    /// The id of the extension it belongs to.
    pub id: Option<String>,
    /// The address of its document.
    pub url: Option<String>,
    /// Its tab, if it lies in one.
    pub tab: Option<i32>,
    /// The address that its tab shows.
    pub tab_url: Option<String>,
    /// Its frame; 0 is the tab's own document. Firefox's numbers are long.
    pub frame: Option<i64>,
    /// This extension's id.
    pub own_id: String,
    /// What the addresses of this extension's own pages begin with.
    pub own_pages: String,
}

/// Someone who is listened to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sender {
    /// One of the extension's own pages, or its background.
    OwnPage,
    /// The content script of a page, in the page's top frame. Whoever breaks into the
    /// page may speak for it.
    Page {
        /// The page's tab.
        tab: i32,
        /// The page's address.
        url: String,
    },
    /// The content script of a frame within a page.
    Frame {
        /// The tab of the page around it.
        tab: i32,
        /// The frame's address.
        url: String,
        /// The address of the page around it.
        around: String,
    },
}

impl SenderFacts {
    /// Who it is; nobody who is listened to if it belongs to another extension, has no
    /// address, or lies in a frame of a page that is not known.
    pub fn sender(&self) -> Option<Sender> {
        if self.own_id.is_empty() || self.id.as_deref() != Some(&self.own_id) {
            return None;
        }
        let url = self.url.as_deref().filter(|url| !url.is_empty())?;
        if !self.own_pages.is_empty() && url.starts_with(&self.own_pages) {
            return Some(Sender::OwnPage);
        }
        let (tab, url) = (self.tab?, url.to_owned());
        if self.frame? == 0 {
            return Some(Sender::Page { tab, url });
        }
        let around = self.tab_url.clone().filter(|around| !around.is_empty())?;
        Some(Sender::Frame { tab, url, around })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(url: &str) -> SenderFacts {
        SenderFacts {
            id: Some("abc".to_owned()),
            url: Some(url.to_owned()),
            tab: Some(7),
            tab_url: None,
            frame: Some(0),
            own_id: "abc".to_owned(),
            own_pages: "chrome-extension://abc/".to_owned(),
        }
    }

    #[test]
    fn own_pages_and_content_scripts_are_told_apart() {
        let own = facts("chrome-extension://abc/pages/popup.html");
        assert_eq!(own.sender(), Some(Sender::OwnPage));
        let popup = SenderFacts {
            tab: None,
            frame: None,
            ..own
        };
        assert_eq!(popup.sender(), Some(Sender::OwnPage));
        let page = Sender::Page {
            tab: 7,
            url: "http://a.test/".to_owned(),
        };
        assert_eq!(facts("http://a.test/").sender(), Some(page));
        // An address that only looks like one of the extension's.
        let url = "http://chrome-extension://abc/pages/popup.html";
        assert!(matches!(facts(url).sender(), Some(Sender::Page { .. })));
    }

    #[test]
    fn a_frame_speaks_for_itself_within_a_page_that_is_known() {
        let frame = SenderFacts {
            frame: Some(19_327_352_833),
            tab_url: Some("http://a.test/".to_owned()),
            ..facts("http://b.test/")
        };
        let expected = Sender::Frame {
            tab: 7,
            url: "http://b.test/".to_owned(),
            around: "http://a.test/".to_owned(),
        };
        assert_eq!(frame.sender(), Some(expected));
    }

    #[test]
    fn nobody_else_is_listened_to() {
        let own = "chrome-extension://abc/pages/popup.html";
        let nobody = |change: fn(&mut SenderFacts), url: &str| {
            let mut facts = facts(url);
            change(&mut facts);
            assert_eq!(facts.sender(), None, "{facts:?}");
        };
        nobody(|facts| facts.id = None, own);
        nobody(|facts| facts.id = Some("other".to_owned()), own);
        nobody(|facts| facts.url = None, own);
        nobody(|facts| facts.own_id = String::new(), own);
        nobody(|facts| facts.frame = Some(3), "http://a.test/");
        nobody(|facts| facts.frame = None, "http://a.test/");
        nobody(|facts| facts.tab = None, "http://a.test/");
        nobody(
            |facts| {
                facts.own_pages = String::new();
                facts.tab = None;
            },
            own,
        );
        nobody(
            |facts| {
                facts.id = Some(String::new());
                facts.own_id = String::new();
            },
            own,
        );
    }

    #[test]
    fn what_the_browser_leaves_out_is_nothing() {
        let facts: SenderFacts = serde_json::from_str("{}").unwrap();
        assert_eq!(facts.sender(), None);
    }
}

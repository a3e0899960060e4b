//! The feed that a page names in its head, as a link at its end: so that a crawl may follow it, for
//! what it is called, like any other. The first counts; those behind it are of comments and the like.

use std::borrow::Cow;

use html5gum::{DefaultEmitter, Token, Tokenizer};
use linkscent_core::text::{fold_space, shorten};

/// Bytes of a page in which its head is looked for.
const WINDOW: usize = 64 << 10;
const LONGEST_TITLE: usize = 200;
const LONGEST_ADDRESS: usize = 2_000;

/// A feed as a head names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFeed {
    /// Where it is, as written.
    pub href: String,
    /// What it is called; empty for nothing.
    pub title: String,
}

/// The first feed that a page's head names.
pub fn feed_of(html: &str) -> Option<NamedFeed> {
    let mut end = html.len().min(WINDOW);
    while !html.is_char_boundary(end) {
        end -= 1;
    }
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(&html[..end], emitter).flatten() {
        let Token::StartTag(tag) = token else {
            continue;
        };
        if *tag.name == *b"body" {
            return None;
        }
        if *tag.name != *b"link" {
            continue;
        }
        let value = |name: &[u8]| {
            let value = tag.attributes.get(name);
            value.map(|value| fold_space(&String::from_utf8_lossy(value)))
        };
        let rel = value(b"rel").unwrap_or_default();
        let is_alternate = rel
            .split(' ')
            .any(|one| one.eq_ignore_ascii_case("alternate"));
        let kind = value(b"type").unwrap_or_default().to_ascii_lowercase();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let is_feed = matches!(kind, "application/rss+xml" | "application/atom+xml");
        let href = value(b"href").filter(|href| !href.is_empty() && href.len() <= LONGEST_ADDRESS);
        if is_alternate
            && is_feed
            && let Some(href) = href
        {
            let title = shorten(&value(b"title").unwrap_or_default(), LONGEST_TITLE);
            return Some(NamedFeed { href, title });
        }
    }
    None
}

/// A page with its feed as its last link.
pub fn with_feed(html: &str) -> Cow<'_, str> {
    let Some(feed) = feed_of(html) else {
        return Cow::Borrowed(html);
    };
    let escape = |text: &str| {
        text.replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('<', "&lt;")
    };
    let title = match &*feed.title {
        "" => "Feed",
        title => title,
    };
    let (href, title) = (escape(&feed.href), escape(title));
    // What stands behind the end of the body belongs to it.
    Cow::Owned(format!("{html}<p><a href=\"{href}\">{title}</a></p>"))
}

#[cfg(test)]
mod tests {
    use linkscent_core::address::Address;

    use super::*;
    use crate::page::build;

    #[test]
    fn the_first_feed_of_a_head_is_a_link_at_the_pages_end() {
        let html = "<!doctype html><html><head><base href=/blog/><title>Bees</title>
            <link rel=stylesheet href=x.css><link rel=alternate hreflang=de href=/de>
            <script>'<link rel=alternate type=application/rss+xml href=no>'</script>
            <LINK REL='home Alternate' TYPE='application/RSS+xml; charset=utf-8' HREF='feed?a=1&amp;b=2'
              TITLE='Bees &amp; \"hives\" &lt;b>'>
            <link rel=alternate type=application/rss+xml href=comments title=Comments></head>
            <body><p>Bees <a href=one>one</a></p></body></html>";
        let address = Address::parse("http://a.test/start").unwrap();
        let (page, digest) = build(address.clone(), html.as_bytes(), Some("text/html"));
        let targets: Vec<String> = page
            .outlinks
            .iter()
            .map(|link| link.target.to_string())
            .collect();
        assert_eq!(
            targets,
            ["http://a.test/blog/one", "http://a.test/blog/feed?a=1&b=2"]
        );
        let text = page.document().raw_text().to_owned();
        assert!(text.ends_with("Bees & \"hives\" <b>"), "{text}");
        let plain = html.replace("application/", "x/");
        let (other, other_digest) = build(address, plain.as_bytes(), Some("text/html"));
        assert_eq!(other.outlinks.len(), 1);
        assert_ne!(digest, other_digest, "the digest is of what came");
    }

    #[test]
    fn what_is_no_feed_of_a_head_is_none() {
        for html in [
            "",
            "<link rel=alternate type=application/rss+xml>",
            "<link rel=alternate type=application/rss+xml href=' '>",
            "<link rel=alternate type=text/html href=/x>",
            "<link rel=next type=application/rss+xml href=/x>",
            "<head></head><body><link rel=alternate type=application/rss+xml href=/x>",
        ] {
            assert_eq!(feed_of(html), None, "{html}");
            assert_eq!(with_feed(html), html);
        }
        let long = format!(
            "<link rel=alternate type=application/rss+xml href={}>",
            "x".repeat(3_000)
        );
        assert_eq!(feed_of(&long), None);
        let unnamed = "<link rel=alternate type=application/atom+xml href=/x>";
        assert!(with_feed(unnamed).ends_with("<a href=\"/x\">Feed</a></p>"));
    }
}

use super::{cut, leaves, links, read};
use crate::{DocumentError, Kind, to_html};

#[test]
fn a_feed_of_the_rss_crate_gives_its_entries() {
    let item = |number: usize| {
        let mut item = rss::Item::default();
        item.set_title(format!("Bread & butter {number}"));
        item.set_link(format!("https://a.test/{number}?x=1&y=2"));
        item.set_description(format!("Short {number}"));
        item.set_content(format!(
            "<p>Long {number}, <a href=\"/in?a&amp;b\">inner</a></p><script>no()</script>"
        ));
        item.set_pub_date("Tue, 10 Jun 2003 04:00:00 GMT".to_owned());
        item
    };
    let mut channel = rss::Channel::default();
    channel.set_title("News < views");
    channel.set_link("https://a.test/");
    channel.set_description("All that's new");
    channel.set_language("de-at".to_owned());
    channel.set_items([item(1), item(2)]);
    let page = read(Kind::Feed, channel.to_string().as_bytes());
    assert_eq!(page.title, "News < views");
    assert_eq!(page.language.as_deref(), Some("de-at"));
    let expected = [
        "News < views -> https://a.test/",
        "Bread & butter 1 -> https://a.test/1?x=1&y=2",
        "inner -> /in?a&b",
        "Bread & butter 2 -> https://a.test/2?x=1&y=2",
        "inner -> /in?a&b",
    ];
    assert_eq!(links(&page), expected);
    let leaves = leaves(&page);
    assert_eq!(leaves[1], "All that's new");
    assert_eq!(leaves[3], "Tue, 10 Jun 2003 04:00:00 GMT");
    assert!(leaves.contains(&"Long 2,") && !leaves.concat().contains("no()"));
}

#[test]
fn a_feed_of_the_atom_crate_gives_its_entries() {
    use atom_syndication::{Entry, Feed, Link, Text};
    let link = |rel: &str, href: &str| {
        let (rel, href) = (rel.to_owned(), href.to_owned());
        Link {
            rel,
            href,
            ..Link::default()
        }
    };
    let entry = Entry {
        title: Text::plain("a <b> & c"),
        links: vec![
            link("self", "http://a.test/self.atom"),
            link("enclosure", "http://a.test/x.mp3"),
            link("alternate", "http://a.test/one"),
        ],
        summary: Some(Text::html("<i>Some</i> <a href='two'>words</a>")),
        ..Entry::default()
    };
    let feed = Feed {
        title: Text::plain("Feed"),
        links: vec![
            link("self", "http://a.test/feed"),
            link("alternate", "http://a.test/"),
        ],
        entries: vec![entry],
        ..Feed::default()
    };
    let page = read(Kind::Feed, feed.to_string().as_bytes());
    let expected = [
        "Feed -> http://a.test/",
        "a <b> & c -> http://a.test/one",
        "words -> two",
    ];
    assert_eq!(links(&page), expected);
    assert_eq!(page.title, "Feed");
}

#[test]
fn addresses_are_resolved_by_their_nearest_base() {
    let feed = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://a.test/blog/'>\
         <title>F</title><link href='.'/>\
         <entry xml:base='2024/'><title>E</title><link href='one'/>\
         <content type='xhtml' xml:base='http://b.test/'><div xmlns='http://www.w3.org/1999/xhtml'>\
         <p>x &lt;y <a href='/z?a&amp;b'>in</a></p></div></content></entry>\
         <entry><title>L</title><link href='two'/></entry></feed>";
    let page = read(Kind::Feed, feed.as_bytes());
    let expected = [
        "F -> http://a.test/blog/",
        "E -> http://a.test/blog/2024/one",
        "in -> http://b.test/z?a&b",
        "L -> http://a.test/blog/two",
    ];
    assert_eq!(links(&page), expected);
    assert!(leaves(&page).contains(&"x <y"));
}

#[test]
fn old_feeds_and_odd_ones_are_read() {
    let graph = "<?xml version='1.0' encoding='iso-8859-1'?><rdf:RDF \
         xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/' \
         xmlns:dc='http://purl.org/dc/elements/1.1/'><channel><title>Gr\u{fc}n</title>\
         <link>http://a.test/</link><image rdf:resource='x'/></channel>\
         <image><title>no</title><link>http://no.test/</link></image>\
         <item><title>One</title><link>http://a.test/1</link><dc:date>2003-01-01</dc:date></item>\
         <textinput><title>no</title><link>http://no.test/</link></textinput></rdf:RDF>";
    let latin: Vec<u8> = graph.chars().map(|sign| sign as u8).collect();
    let page = read(Kind::Feed, &latin);
    assert_eq!(
        links(&page),
        ["Grün -> http://a.test/", "One -> http://a.test/1"]
    );
    assert_eq!(leaves(&page), ["Grün", "One", "2003-01-01"]);

    let odd = "<!DOCTYPE rss PUBLIC 'x' 'y'><rss version='0.91' xmlns:atom='http://www.w3.org/2005/Atom' \
         xmlns:media='m'><channel><atom:link rel='self' href='http://a.test/feed'/><title>Caf&eacute;</title>\
         <item><guid>http://a.test/guid</guid><title/><link>\n http://a.test/1 \n</link>\
         <media:title>no</media:title></item>\
         <item><guid>http://a.test/2</guid><title><![CDATA[<b>Two</b> &amp; more]]></title></item>\
         <item><guid isPermaLink='false'>http://no.test/</guid><title>Three</title></item></channel></rss>";
    let page = read(Kind::Feed, odd.as_bytes());
    let expected = [
        "http://a.test/1 -> http://a.test/1",
        "Two & more -> http://a.test/2",
    ];
    assert_eq!(page.title, "Café");
    let found: Vec<String> = links(&page)
        .iter()
        .map(|link| link.replace('\n', " "))
        .collect();
    assert_eq!(found, expected);
    assert!(leaves(&page).contains(&"Three"));
}

#[test]
fn a_feed_that_breaks_off_says_so() {
    let whole = "<rss><channel><title>F</title><item><title>1</title><link>http://a.test/1</link>\
         </item><item><title>2</title><link>http://a.test/2</link></item></channel></rss>";
    for end in 0..whole.len() {
        let read = to_html(Kind::Feed, &whole.as_bytes()[..end], None);
        // The last tags end nothing but themselves.
        match read {
            Ok(html) => assert!(cut(&html).is_some(), "{}: {html}", &whole[..end]),
            Err(DocumentError::Broken(Kind::Feed, _)) => {}
            // Nothing at all is a feed of nothing.
            Err(error) => panic!("{error}"),
        }
    }
    assert!(cut(&to_html(Kind::Feed, whole.as_bytes(), None).unwrap()).is_none());
    let end = whole.find("2</title>").unwrap();
    let html = to_html(Kind::Feed, &whole.as_bytes()[..end], None).unwrap();
    assert!(html.contains("http://a.test/1\""));
    assert_eq!(
        cut(&html),
        Some("the feed is broken: it breaks off in the middle")
    );
}

use super::{cut, leaves, links, packed, read};
use crate::{DocumentError, Kind, MOST_UNPACKED, to_html};

const MAP: &str = "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' \
     xmlns:image='http://www.google.com/schemas/sitemap-image/1.1'>\
     <url><loc> http://a.test/the/red-fox.html </loc><lastmod>2024-02-03</lastmod>\
     <image:image><image:loc>http://a.test/no.png</image:loc></image:image></url>\
     <url><loc>http://a.test/?a=1&amp;b=2</loc><priority>0.5</priority></url>\
     <url><lastmod>2024</lastmod></url></urlset>";

#[test]
fn sitemaps_and_their_indexes_give_links() {
    let index = "<sitemapindex><sitemap><loc>http://a.test/posts_2024.xml.gz</loc>\
         <lastmod>2024-01-01T00:00:00Z</lastmod></sitemap></sitemapindex>";
    let page = read(Kind::Sitemap, index.as_bytes());
    assert_eq!(
        links(&page),
        ["posts 2024 xml -> http://a.test/posts_2024.xml.gz"]
    );
    for body in [MAP.as_bytes(), &packed(MAP.as_bytes())] {
        let page = read(Kind::Sitemap, body);
        let expected = [
            "red fox -> http://a.test/the/red-fox.html",
            "a.test -> http://a.test/?a=1&b=2",
        ];
        assert_eq!(links(&page), expected);
        assert_eq!(leaves(&page), ["red fox", "2024-02-03", "a.test"]);
    }
}

#[test]
fn a_packed_sitemap_is_unpacked_within_bounds() {
    let body = packed(MAP.as_bytes());
    for end in 10..body.len() {
        match to_html(Kind::Sitemap, &body[..end], Some("application/gzip")) {
            Ok(html) => assert!(cut(&html).is_some(), "at {end}"),
            Err(DocumentError::Broken(Kind::Sitemap, _)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    let bomb = packed(&vec![b' '; MOST_UNPACKED + 1]);
    assert!(bomb.len() < 100_000);
    let read = to_html(Kind::Sitemap, &bomb, None);
    assert!(matches!(read, Err(DocumentError::Large(Kind::Sitemap, _))));
    let said = read.unwrap_err().to_string();
    assert_eq!(said, "the sitemap unpacks to more than 64 MiB");
}

#[test]
fn a_sitemap_that_is_too_long_says_so() {
    let urls: String = (0..100_000)
        .map(|n| format!("<url><loc>http://a.test/page/number-{n}</loc></url>"))
        .collect();
    let html = to_html(
        Kind::Sitemap,
        format!("<urlset>{urls}</urlset>").as_bytes(),
        None,
    )
    .unwrap();
    assert!(cut(&html).is_some() && html.len() <= crate::MOST_HTML);
    assert!(html.contains("number-30000\""));
}

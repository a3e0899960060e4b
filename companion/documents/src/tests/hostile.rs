//! Documents that are cut, damaged or made to do harm. PDF has its own process, and its tests
//! with it (`tests/apart.rs`).

use linkscent_core::dom::html;

use super::{cut, office, packed};
use crate::{DocumentError, Kind, kind, to_html};

/// Reads a document that may be anything. It must end, in an error or in a whole page.
fn survive(kind: Kind, body: &[u8]) -> Result<String, DocumentError> {
    let read = to_html(kind, body, None);
    match &read {
        Ok(page) => {
            assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
            let _ = html::parse(page);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    read
}

fn samples() -> Vec<(Kind, Vec<u8>)> {
    let feed = "<rss><channel><title>T</title><item><title>One &amp; two</title>\
         <link>http://a.test/</link><description>&lt;p&gt;x&lt;a href='y'&gt;z</description></item></channel></rss>";
    let map = "<urlset><url><loc>http://a.test/x</loc><lastmod>2024</lastmod></url></urlset>";
    let text = "# T\n\n[a](http://a.test/(x)) http://b.test/ä «ö»\n";
    vec![
        (Kind::Feed, feed.into()),
        (Kind::Sitemap, map.into()),
        (Kind::Sitemap, packed(map.as_bytes())),
        (Kind::Text, text.into()),
        (Kind::Word, office::word()),
        (Kind::OpenDocument, office::open_text()),
    ]
}

#[test]
fn documents_that_are_cut_or_damaged_are_survived() {
    // Knuth's MMIX generator, from a fixed seed.
    let mut seed: u64 = 20_261_125;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for (kind_of, whole) in samples() {
        assert!(cut(&survive(kind_of, &whole).unwrap()).is_none());
        for end in (0..whole.len()).step_by(whole.len() / 150 + 1) {
            let _ = kind(None, &whole[..end]);
            let _ = survive(kind_of, &whole[..end]);
        }
        for _ in 0..150 {
            let mut body = whole.clone();
            for _ in 0..=random(8) {
                let at = random(body.len());
                body[at] = random(256) as u8;
            }
            let _ = kind(None, &body);
            let _ = survive(kind_of, &body);
        }
    }
}

#[test]
fn entities_do_not_grow() {
    let mut laughs = "<!DOCTYPE rss [<!ENTITY a0 'lol'>".to_owned();
    for level in 1..20 {
        let before = level - 1;
        let ten = format!("&a{before};").repeat(10);
        laughs.push_str(&format!("<!ENTITY a{level} '{ten}'>"));
    }
    laughs.push_str(
        "]><rss><channel><title>x&a19;y</title><item><title>&a19;z</title></item></channel></rss>",
    );
    let page = survive(Kind::Feed, laughs.as_bytes()).unwrap();
    assert!(
        page.contains("<title>xy</title>") && page.contains("<h2>z</h2>"),
        "{page}"
    );
    let outside = "<!DOCTYPE rss [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><rss><channel><title>x&f;y</title></channel></rss>";
    assert!(
        survive(Kind::Feed, outside.as_bytes())
            .unwrap()
            .contains("<title>xy</title>")
    );
}

#[test]
fn depth_and_repetition_are_bounded() {
    for (kind, tag) in [
        (Kind::Feed, "entry"),
        (Kind::Feed, "title"),
        (Kind::Sitemap, "url"),
    ] {
        let deep = format!("<feed>{}", format!("<{tag}>").repeat(200_000));
        let read = survive(kind, deep.as_bytes()).unwrap_err().to_string();
        assert!(
            read.contains("more than 1000 elements in each other"),
            "{read}"
        );
    }
    let deep = "<text:p>".repeat(900) + "x" + &"</text:p>".repeat(900);
    let body = office::archive(&[("content.xml", &deep)]);
    assert!(
        survive(Kind::OpenDocument, &body)
            .unwrap()
            .contains("<p>x</p>")
    );
    let attributes: String = (0..50_000).map(|n| format!(" a{n}='x'")).collect();
    let wide = format!("<rss{attributes}><channel><title>T</title></channel></rss>");
    assert!(
        survive(Kind::Feed, wide.as_bytes())
            .unwrap()
            .contains("<title>T</title>")
    );
    for sign in [
        "[",
        "](",
        "[a](",
        "http://",
        "(",
        "http://a.test/(",
        "http://a.test)",
        "#",
        "![",
        "<",
    ] {
        let text = sign.repeat((1 << 18) / sign.len());
        let _ = survive(Kind::Text, text.as_bytes());
        let escaped = text.replace('<', "&lt;");
        let feed = format!(
            "<rss><channel><item><description>{escaped}</description></item></channel></rss>"
        );
        let _ = survive(Kind::Feed, feed.as_bytes());
    }
}

//! HTML from its bytes to a page: how it is encoded, then the body.
//!
//! Promises: the document is sound and within its bounds; what comes out is bounded by what went
//! in; the same bytes give the same page; a page that was packed comes back; links are canonical.

use linkscent_archive::citation::Citation;
use linkscent_archive::{charset, page};
use linkscent_core::dom::{MOST_FORMS, MOST_LEAVES, MOST_LINKS, MOST_TEXT, html};
use linkscent_core::page::Page;

use super::{Seeds, page_address};
use crate::input::Input;

const TYPES: [Option<&str>; 5] = [
    None,
    Some("text/html; charset=windows-1251"),
    Some("text/html; charset=utf-16le"),
    Some("text/html; charset=shift_jis"),
    Some("text/html; charset=iso-2022-jp"),
];

/// Characters of a title or a snippet at most.
const LONGEST_TEXT: usize = 241;
/// Bytes of text that a byte of HTML can become: an entity or a character of an old encoding.
const GROWTH: usize = 4;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let content_type = input.choice(&TYPES);
    let body = input.rest();
    let (page, digest) = page::build(page_address(), body, content_type);
    check(&page, body.len());
    check_packed(&page);
    let (again, same) = page::build(page_address(), body, content_type);
    assert_eq!((again.document(), same), (page.document(), digest));
    assert_eq!(again.words(), page.words());
    let text = charset::decode(body, content_type);
    let citation = Citation::of(&text);
    assert!(format!("{citation:?}").len() <= 64 * text.len() + 1_000);
}

/// Holds a page to its promises, given the bytes that it was made of.
pub fn check(page: &Page, bytes: usize) {
    let document = page.document();
    assert_eq!(document.check(), Ok(()));
    assert!(document.links.len() <= MOST_LINKS && document.forms.len() <= MOST_FORMS);
    assert!(document.leaf_count() as usize <= MOST_LEAVES);
    assert!(document.raw_text().len() <= MOST_TEXT.min(GROWTH * bytes + 64));
    let links: usize = document.links.iter().map(|link| link.href.len()).sum();
    assert!(links <= MOST_TEXT, "{links} bytes of links");
    assert!(page.title().chars().count() <= LONGEST_TEXT);
    assert!(page.snippet().chars().count() <= LONGEST_TEXT);
    for outlink in page.outlinks.iter().take(20) {
        super::address::check(&outlink.target, "");
        assert!(outlink.leaves.end <= document.leaf_count());
        let _ = page.anchor_text(outlink);
    }
    let passages: usize = document.passages().iter().map(String::len).sum();
    assert!(passages <= 2 * document.raw_text().len() + 64);
    let _ = (page.content(), page.heaviest_words(5), page.is_stuffed());
}

/// Holds a page to coming back when it was packed.
fn check_packed(page: &Page) {
    let back = Page::unpack(page.address.clone(), &page.pack());
    let back = back.expect("a packed page is read");
    assert_eq!(back.document(), page.document());
    assert_eq!(back.words(), page.words());
    assert_eq!(back.outlinks, page.outlinks);
}

/// HTML that a document was made of: it must be plain.
pub fn check_made(made: &str) {
    let document = html::parse(made);
    assert_eq!(document.check(), Ok(()));
    for link in &document.links {
        let scheme = link.href.split(['/', '?', '#']).next().unwrap_or_default();
        let scheme = scheme.split_once(':').map(|parts| parts.0);
        let is_page = scheme.is_none_or(|scheme| {
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        });
        assert!(is_page, "a link leads to {}", link.href);
    }
}

pub fn seeds() -> Seeds {
    let page = |body: &str| format!("0{body}").into_bytes();
    let wide = "<title>\u{448}\u{43c}\u{435}\u{43b}\u{44c}</title><p>bees";
    let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
    vec![
        (
            "page",
            page(
                "<!doctype html><html lang=en><head><title>Bees &amp; honey</title><base href=/b/>\
                 <meta name=description content='All about bees, honey and the keeping of both.'>\
                 <meta name=robots content=nofollow><meta name=citation_author content='A. Keeper'>\
                 <link rel=alternate type=application/rss+xml href=/feed></head>\
                 <body><h1>Bees</h1><p>The hive <a href=hive?x=1&amp;y=2>of <b>bees</b></a></p>\
                 <form action=/find><input name=q placeholder=bees><select name=s><option>a<option>b\
                 </select></form><ul><li>one<li>two</ul><img alt=bee src=x></body></html>",
            ),
        ),
        (
            "repairs",
            page(
                "<table><b><a href=1><p>x</b></a><tr><td><form><p><a href=2>y<table><i>z</table>\
                 </form><font a><font b></p><p>w<nobr>v<nobr>u",
            ),
        ),
        (
            "foreign",
            page(
                "<svg><a xlink:href=x><title>t</title><foreignObject><p>p</svg><math><mi>m\
                 <annotation-xml encoding=text/html><p>q</math><template><a href=z>n</template>",
            ),
        ),
        (
            "raw",
            page(
                "<script>x</scr</script><style>a{}</style><textarea>\n<b></textarea><noscript>n\
                 </noscript><title>&notit;&nGt;&#x110000;</title><plaintext><p>",
            ),
        ),
        (
            "scripts",
            page(
                "<p lang=zh>\u{871c}\u{8702}\u{662f}\u{6606}\u{866b}\u{3002}</p><p>\u{e1c}\u{e36}\u{e49}\u{e07}\u{e40}\u{e1b}\u{e47}\u{e19}</p><p>\u{645}\u{631}\u{62d}\u{628}\u{627}</p>",
            ),
        ),
        (
            "cyrillic",
            [
                b"1<meta charset=koi8-r><p>".as_slice(),
                &[0xF8, 0xEC, 0xE5, 0xEB, 0xFC],
            ]
            .concat(),
        ),
        ("wide", [b"2".as_slice(), &wide].concat()),
        ("deep", page(&"<div><span a=b>x".repeat(60))),
        (
            "repeated-link",
            page(&format!(
                "<p><a href={}>{}",
                "x".repeat(8_000),
                "<p>x".repeat(2_000)
            )),
        ),
    ]
}

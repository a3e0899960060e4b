//! HTML inside a document, such as an entry's summary in a feed: its words and its links, by
//! paragraphs. Everything else of it is left out.

use std::sync::Arc;

use html5gum::{DefaultEmitter, Token, Tokenizer};

use crate::html::Piece;

/// Elements that end a paragraph.
const BLOCKS: [&str; 28] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "td",
    "tr",
    "ul",
];
/// Elements whose text is nobody's to read.
const UNREAD: [&str; 5] = ["script", "style", "template", "iframe", "noscript"];

/// The paragraphs of a piece of HTML. `address` gives what the address of a link becomes.
pub(crate) fn paragraphs(html: &str, address: impl Fn(&str) -> String) -> Vec<Vec<Piece>> {
    let mut paragraphs = vec![Vec::new()];
    let mut link: Option<Arc<str>> = None;
    let mut unread: Option<String> = None;
    let tokens = Tokenizer::new_with_emitter(html, DefaultEmitter::<()>::default());
    for Ok(token) in tokens {
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                if unread.is_some() {
                    continue;
                }
                if BLOCKS.contains(&&*name) {
                    paragraphs.push(Vec::new());
                } else if name == "a" {
                    let href = tag.attributes.get(&b"href"[..]);
                    link = href.map(|href| address(&String::from_utf8_lossy(href)).into());
                } else if UNREAD.contains(&&*name) && !tag.self_closing {
                    unread = Some(name);
                }
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                if unread.as_deref() == Some(&*name) {
                    unread = None;
                } else if name == "a" {
                    link = None;
                } else if BLOCKS.contains(&&*name) {
                    paragraphs.push(Vec::new());
                }
            }
            Token::String(text) if unread.is_none() => {
                let words = String::from_utf8_lossy(&text).into_owned();
                let link = link.clone();
                if let Some(paragraph) = paragraphs.last_mut() {
                    paragraph.push(Piece { words, link });
                }
            }
            _ => {}
        }
    }
    paragraphs.retain(|pieces| pieces.iter().any(|piece| !piece.words.trim().is_empty()));
    paragraphs
}

/// The same in one line, without links.
pub(crate) fn words(html: &str) -> String {
    let paragraphs = paragraphs(html, str::to_owned);
    let words: Vec<String> = paragraphs
        .into_iter()
        .map(|pieces| pieces.into_iter().map(|piece| piece.words).collect())
        .collect();
    words.join(" ").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_links_stay_and_all_else_goes() {
        let html = "One <b>two</b><script>no</script><p>see <a href='/x?a&amp;b'>this &amp; that</a>.</p>\
                    <style>no</style><img alt=no src=x><a>three</a>";
        let found = paragraphs(html, |address| format!("http://a.test{address}"));
        let expected = [
            vec![Piece::text("One "), Piece::text("two")],
            vec![
                Piece::text("see "),
                Piece::link("this & that", "http://a.test/x?a&b"),
                Piece::text("."),
            ],
            vec![Piece::text("three")],
        ];
        assert_eq!(found, expected);
        assert_eq!(words("a < b &amp; <i>c</i>"), "a < b & c");
    }
}

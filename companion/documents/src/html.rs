//! The HTML that is written: a title, headings, paragraphs with links. Whatever is put in is
//! escaped, so that no text becomes markup, and it ends when it is long enough.

use std::sync::Arc;

use linkscent_core::budget::DOCUMENT;

/// Bytes of HTML that a document becomes at most.
pub const MOST_HTML: usize = DOCUMENT.items;
/// Characters of a title at most.
const LONGEST_TITLE: usize = 300;
/// Bytes of words of one paragraph at most; what is longer becomes more of them.
const LONGEST_PARAGRAPH: usize = 64 << 10;
/// Bytes of an address at most; what is longer is no link.
const LONGEST_ADDRESS: usize = 4 << 10;
/// Kept for what stands before and behind the paragraphs.
const FRAME: usize = 8 << 10;

/// Words of a paragraph, and where they lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) words: String,
    /// Shared, since a link of many pieces may be long.
    pub(crate) link: Option<Arc<str>>,
}

impl Piece {
    pub(crate) fn text(words: impl Into<String>) -> Self {
        let words = words.into();
        Self { words, link: None }
    }

    pub(crate) fn link(words: impl Into<String>, to: impl Into<Arc<str>>) -> Self {
        let (words, link) = (words.into(), Some(to.into()));
        Self { words, link }
    }
}

/// A page that is being written.
#[derive(Debug, Default)]
pub(crate) struct Page {
    title: String,
    language: String,
    body: String,
    /// The words of the first heading or paragraph.
    first: String,
    /// Why it does not say all that the document says.
    cut: Option<String>,
}

impl Page {
    /// Whether nothing more is taken.
    pub(crate) fn is_full(&self) -> bool {
        self.cut.is_some()
    }

    /// Whether nothing was written yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// The title; the first that says anything counts. Without one it is the first line.
    pub(crate) fn title(&mut self, title: &str) {
        if self.title.is_empty() {
            self.title = line(title);
        }
    }

    /// The language, as a code such as `de-AT`; the first counts, and nonsense does not.
    pub(crate) fn language(&mut self, code: &str) {
        let code = code.trim();
        let is_code = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if self.language.is_empty() && code.len() <= 35 && code.chars().all(is_code) {
            code.clone_into(&mut self.language);
        }
    }

    /// Says that the document goes on, or breaks off, behind what is written; the first reason
    /// counts. Nothing is taken any more.
    pub(crate) fn cut(&mut self, why: &str) {
        self.cut.get_or_insert_with(|| why.to_owned());
    }

    /// A heading of a level from 1.
    pub(crate) fn heading(&mut self, level: usize, pieces: &[Piece]) {
        let level = level.clamp(1, 6);
        self.block(&format!("h{level}"), pieces);
    }

    /// A paragraph.
    pub(crate) fn paragraph(&mut self, pieces: &[Piece]) {
        let all: usize = pieces.iter().map(|piece| piece.words.len()).sum();
        if all <= LONGEST_PARAGRAPH {
            self.block("p", pieces);
            return;
        }
        let mut part = Vec::new();
        let mut length = 0;
        for piece in pieces {
            let mut rest = piece.words.as_str();
            while length + rest.len() > LONGEST_PARAGRAPH {
                let (words, behind) = rest.split_at(place_to_cut(rest, LONGEST_PARAGRAPH - length));
                let link = piece.link.clone();
                let words = words.to_owned();
                part.push(Piece { words, link });
                self.block("p", &part);
                (rest, length) = (behind, 0);
                part.clear();
            }
            length += rest.len();
            let (words, link) = (rest.to_owned(), piece.link.clone());
            part.push(Piece { words, link });
        }
        self.block("p", &part);
    }

    fn block(&mut self, name: &str, pieces: &[Piece]) {
        if self.is_full() {
            return;
        }
        let room = (MOST_HTML - FRAME).saturating_sub(self.body.len());
        let mut inner = String::new();
        for piece in pieces {
            // A link may be repeated in each piece: nothing is put together beyond the limit.
            if inner.len() > room {
                break;
            }
            let words = escaped(&piece.words);
            match piece.link.as_deref().and_then(followed) {
                Some(to) => inner.push_str(&format!("<a href=\"{}\">{words}</a>", escaped(to))),
                None => inner.push_str(&words),
            }
        }
        let inner = inner.trim();
        if inner.is_empty() {
            return;
        }
        let block = format!("<{name}>{inner}</{name}>\n");
        if block.len() > room {
            self.cut(&format!(
                "the document is longer than {} MiB",
                MOST_HTML >> 20
            ));
            return;
        }
        if self.first.is_empty() {
            let words: String = pieces.iter().map(|piece| piece.words.as_str()).collect();
            self.first = line(&words).chars().take(120).collect();
        }
        self.body.push_str(&block);
    }

    /// The whole page.
    pub(crate) fn finish(self) -> String {
        let language = match &*self.language {
            "" => String::new(),
            code => format!(" lang=\"{code}\""),
        };
        let title = escaped(if self.title.is_empty() {
            &self.first
        } else {
            &self.title
        });
        let cut = self.cut.map_or_else(String::new, |why| {
            let why: String = why.chars().take(LONGEST_TITLE).collect();
            format!("<meta name=\"cut\" content=\"{}\">\n", escaped(&why))
        });
        format!(
            "<!doctype html>\n<html{language}>\n<head>\n<meta charset=\"utf-8\">\n{cut}\
             <title>{title}</title>\n</head>\n<body>\n{}</body>\n</html>\n",
            self.body
        )
    }
}

/// In one line, as long as a title may be.
fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_TITLE).collect()
}

/// Where to cut a text that is too long: behind its last space, or else between two letters.
fn place_to_cut(text: &str, most: usize) -> usize {
    let most = text.floor_char_boundary(most);
    let space = text[..most].rfind(char::is_whitespace);
    space.map_or(most, |at| text.ceil_char_boundary(at + 1))
}

/// The address of a link, if it may lead to a page: that of scripts or of data does not.
fn followed(address: &str) -> Option<&str> {
    let address = address.trim();
    // First of all, since each piece of a link asks for it: a long address is not looked through.
    if address.len() > LONGEST_ADDRESS {
        return None;
    }
    let end = address.find([':', '/', '?', '#']);
    let scheme = end.filter(|at| address[*at..].starts_with(':'));
    let is_page = scheme.is_none_or(|at| {
        let scheme = &address[..at];
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    let is_plain = !address.contains(char::is_control);
    (is_page && is_plain && !address.is_empty()).then_some(address)
}

/// Text in which no letter is markup. Signs that HTML has none of are left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            sign if sign.is_control() => {}
            sign => escaped.push(sign),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_put_in_becomes_markup() {
        let hostile = "</title><script>alert(1)</script>\" onload='x' <!-- &lt;";
        let mut page = Page::default();
        page.title(hostile);
        page.language("de\"><script>");
        page.heading(9, &[Piece::text(hostile)]);
        page.paragraph(&[Piece::link(hostile, "http://a.test/\"><script>x")]);
        page.cut(hostile);
        let html = page.finish();
        let tags: Vec<&str> = html
            .split('<')
            .skip(1)
            .map(|rest| rest.split(['>', ' ']).next().unwrap())
            .collect();
        assert_eq!(
            tags,
            [
                "!doctype", "html", "head", "meta", "meta", "title", "/title", "/head", "body",
                "h6", "/h6", "p", "a", "/a", "/p", "/body", "/html"
            ]
        );
    }

    #[test]
    fn only_links_to_pages_are_links() {
        let leads = [
            "http://a.test",
            "HTTPS://a.test/x",
            "/x:y",
            "x",
            "?a=b:c",
            "#a:b",
            "//b.test/",
        ];
        for address in leads {
            assert_eq!(followed(address), Some(address));
        }
        let long = "x".repeat(LONGEST_ADDRESS + 1);
        for address in [
            "javascript:x",
            "data:text/html,x",
            "mailto:a@b",
            " ",
            "java\nscript:x",
            &long,
        ] {
            assert_eq!(followed(address), None, "{address}");
        }
    }

    #[test]
    fn a_long_page_ends_behind_a_paragraph_and_says_so() {
        let mut page = Page::default();
        let words = "word ".repeat(200);
        while !page.is_full() {
            page.paragraph(&[Piece::text(&*words)]);
        }
        let html = page.finish();
        assert!(html.len() <= MOST_HTML && html.len() > MOST_HTML - 2 * FRAME);
        assert!(html.contains("<meta name=\"cut\" content=\"the document is longer than 4 MiB\">"));
        assert!(
            html.ends_with("word</p>\n</body>\n</html>\n"),
            "{}",
            &html[html.len() - 60..]
        );
    }

    #[test]
    fn a_long_paragraph_becomes_more_of_them_and_no_word_is_lost() {
        let words: Vec<String> = (0..30_000).map(|n| format!("äö{n}")).collect();
        let mut page = Page::default();
        page.paragraph(&[
            Piece::text("a "),
            Piece::link(words.join(" "), "/x"),
            Piece::text("z".repeat(100_000)),
        ]);
        let html = page.finish();
        let text = html
            .split_once("<body>")
            .unwrap()
            .1
            .replace("</p>\n<p>", "");
        let found = text.replace("<a href=\"/x\">", "").replace("</a>", "");
        let found = found.trim().strip_prefix("<p>a ").unwrap();
        assert!(found.starts_with(&words.join(" ")));
        assert_eq!(text.matches('z').count(), 100_000);
        assert!(html.matches("<p>").count() > 5);
        assert!(!html.contains("name=\"cut\""));
    }
}

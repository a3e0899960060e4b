//! Plain text and Markdown: paragraphs at blank lines, addresses in them as links, and links of
//! Markdown with their words. The title is the first line that says anything; headings of
//! Markdown are headings. Its other marks are left as they stand.

use linkscent_archive::charset;

use crate::html::{Page, Piece};

/// Characters of a title.
const LONGEST_TITLE: usize = 120;
/// Bytes of the words of a link of Markdown at most.
const LONGEST_WORDS: usize = 500;
/// Bytes of an address at most.
const LONGEST_ADDRESS: usize = 2_048;
/// Brackets in each other in an address at most.
const DEEPEST: usize = 8;

pub(crate) fn to_html(body: &[u8], content_type: Option<&str>) -> String {
    let text = charset::decode(body, content_type);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut page = Page::default();
    let mut lines = text.lines().map(str::trim);
    if let Some(first) = lines.find(|line| !line.is_empty()) {
        let title: String = words(heading(first).map_or(first, |(_, words)| words));
        page.title(&title.chars().take(LONGEST_TITLE).collect::<String>());
    }
    let mut paragraph = String::new();
    for line in text.lines().map(str::trim).chain([""]) {
        let heading = heading(line);
        if line.is_empty() || heading.is_some() {
            page.paragraph(&linked(&paragraph));
            paragraph.clear();
        }
        match heading {
            Some((level, words)) => page.heading(level, &linked(words)),
            None if line.is_empty() => {}
            None => {
                paragraph.push_str(line);
                paragraph.push('\n');
            }
        }
        if page.is_full() {
            break;
        }
    }
    page.finish()
}

/// Level and words of a heading: `## Words`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    let is_heading = (1..=6).contains(&level) && words.starts_with(' ');
    is_heading.then(|| (level, words.trim().trim_end_matches('#').trim_end()))
}

fn words(line: &str) -> String {
    linked(line).into_iter().map(|piece| piece.words).collect()
}

/// Text with the links in it: `[words](address)` and bare addresses.
pub(crate) fn linked(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    // Where the text begins that is in no piece yet, and where the next sign is looked for.
    let (mut begun, mut at) = (0, 0);
    while let Some(found) = text[at..].find(['[', 'h', 'H']) {
        let place = at + found;
        let rest = &text[place..];
        let is_start = !text[..place].ends_with(char::is_alphanumeric);
        let is_picture = text[..place].ends_with('!');
        let link = if rest.starts_with('[') && !is_picture {
            named(rest)
        } else if is_start {
            bare(rest).map(|address| (Piece::link(address, address), address.len()))
        } else {
            None
        };
        at = place + 1;
        if let Some((piece, length)) = link {
            if begun < place {
                pieces.push(Piece::text(&text[begun..place]));
            }
            pieces.push(piece);
            at = place + length;
            begun = at;
        }
    }
    if begun < text.len() {
        pieces.push(Piece::text(&text[begun..]));
    }
    pieces
}

/// A link of Markdown at the start of a text, and its length. Its address may be in angle
/// brackets and may have a title behind it. Of brackets in brackets the innermost are the link's.
fn named(text: &str) -> Option<(Piece, usize)> {
    let window = &text[..text.floor_char_boundary(LONGEST_WORDS)];
    let end = window.find("](")?;
    let words = &text[1..end];
    if words.is_empty() || words.contains('[') {
        return None;
    }
    let inner = &text[end + 2..];
    let window = &inner[..inner.floor_char_boundary(LONGEST_ADDRESS)];
    let mut depth = 0;
    let mut close = None;
    for (at, sign) in window.char_indices() {
        match sign {
            '(' if depth == DEEPEST => return None,
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ')' => {
                close = Some(at);
                break;
            }
            _ => {}
        }
    }
    let close = close?;
    let address = inner[..close].split_whitespace().next()?;
    let address = address.trim_start_matches('<').trim_end_matches('>');
    Some((Piece::link(words, address), end + 2 + close + 1))
}

/// A bare address at the start of a text: without the signs behind it that end a sentence, and
/// without a bracket that is opened before it.
fn bare(text: &str) -> Option<&str> {
    let scheme = ["http://", "https://"].into_iter().find(|scheme| {
        let start = text.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })?;
    let is_end = |sign: char| {
        sign.is_whitespace() || sign.is_control() || "<>\"`{}|\\^“”„«»‘’".contains(sign)
    };
    let window = &text[..text.floor_char_boundary(LONGEST_ADDRESS)];
    let mut address = window.split(is_end).next()?;
    loop {
        let shorter = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~']);
        let is_lone = |close: char, open: char| {
            shorter.ends_with(close)
                && shorter.matches(close).count() > shorter.matches(open).count()
        };
        let shorter = if is_lone(')', '(') || is_lone(']', '[') {
            &shorter[..shorter.len() - 1]
        } else {
            shorter
        };
        if shorter == address {
            break;
        }
        address = shorter;
    }
    let host = &address[scheme.len().min(address.len())..];
    host.starts_with(|sign: char| sign.is_alphanumeric() || sign == '[')
        .then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links of a text as `words -> address`.
    fn links(text: &str) -> Vec<String> {
        let pieces = linked(text);
        let whole: String = pieces.iter().map(|piece| piece.words.as_str()).collect();
        assert!(whole.len() <= text.len());
        let links = pieces.into_iter().filter_map(|piece| {
            let to = piece.link?;
            Some(format!("{} -> {to}", piece.words))
        });
        links.collect()
    }

    #[test]
    fn addresses_end_where_a_person_would_end_them() {
        let cases = [
            ("see http://a.test/x.", "http://a.test/x"),
            ("(http://a.test/x)", "http://a.test/x"),
            ("http://a.test/x_(y), z", "http://a.test/x_(y)"),
            ("<https://a.test/?q=1&r=2>!", "https://a.test/?q=1&r=2"),
            ("\"HTTP://a.test\"", "HTTP://a.test"),
            ("**http://a.test/b**", "http://a.test/b"),
            ("„http://ä.test/ö“", "http://ä.test/ö"),
        ];
        for (text, address) in cases {
            assert_eq!(links(text), [format!("{address} -> {address}")], "{text}");
        }
        for text in [
            "xhttp://a.test",
            "http://",
            "https:// a",
            "http:/a",
            "h",
            "[",
            "[a]",
            "[a](",
            "[](x)",
        ] {
            assert!(links(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn links_of_markdown_have_their_words() {
        let text = "[one](/1), [two words](<http://a.test/(2)> \"title\") and [x] [three](3_(a))";
        let expected = [
            "one -> /1",
            "two words -> http://a.test/(2)",
            "three -> 3_(a)",
        ];
        assert_eq!(links(text), expected);
    }

    #[test]
    fn a_text_has_a_title_headings_and_paragraphs() {
        let text = "\r\n# The *title*\r\nOne\r\nline.\r\n\r\n\r\nTwo http://a.test/ <b>\r\n## Sub ##\r\n#hash\r\n";
        let html = to_html(text.as_bytes(), Some("text/markdown"));
        assert!(html.contains("<title>The *title*</title>"), "{html}");
        let body = html.split_once("<body>\n").unwrap().1;
        let expected = "<h1>The *title*</h1>\n<p>One line.</p>\n\
             <p>Two <a href=\"http://a.test/\">http://a.test/</a> &lt;b&gt;</p>\n\
             <h2>Sub</h2>\n<p>#hash</p>\n</body>\n</html>\n";
        assert_eq!(body, expected);
        let long = to_html("ä".repeat(300).as_bytes(), None);
        assert!(long.contains(&format!("<title>{}</title>", "ä".repeat(120))));
        let latin = to_html(b"gr\xfcn", Some("text/plain; charset=iso-8859-1"));
        assert!(latin.contains("<p>grün</p>"));
    }
}

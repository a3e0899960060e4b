//! Bookmarks as browsers export them: nested lists, a heading a folder. Of a page there is
//! its title, and what the person wrote to it.

use linkscent_core::address::Address;

use super::{Entry, Taxonomy};

/// Folders within folders that are told apart.
const DEEPEST: usize = 32;

pub(super) fn read(text: &str, taxonomy: &mut Taxonomy) {
    let mut path: Vec<String> = Vec::new();
    let mut heading = String::new();
    let mut pieces = text.lines().enumerate().flat_map(pieces).peekable();
    while let Some((number, line)) = pieces.next() {
        let lower = line.to_ascii_lowercase();
        if lower.contains("<h3") {
            heading = plain(inner(line, "</h3>")).replace('/', "-");
        }
        if lower.contains("<dl") {
            path.push(std::mem::take(&mut heading));
        }
        if lower.contains("</dl") {
            path.pop();
        }
        let Some(at) = lower.find("href=\"") else {
            continue;
        };
        let href = line[at + 6..].split('"').next().unwrap_or_default();
        let next = pieces.peek().map_or("", |row| row.1);
        let written = match next.trim_start().get(..4) {
            Some(tag) if tag.eq_ignore_ascii_case("<dd>") => &next.trim_start()[4..],
            _ => "",
        };
        match Address::parse(&plain(href)) {
            Ok(address) => {
                let folders = path.iter().map(String::as_str).take(DEEPEST);
                let folders: Vec<&str> = folders.filter(|name| !name.is_empty()).collect();
                let said = format!("{} {}", plain(inner(line, "</a>")), plain(written));
                taxonomy.add(number + 1, &folders.join("/"), || {
                    Entry::named(&address, said.trim())
                });
            }
            Err(error) => taxonomy.problem(number + 1, &error.to_string()),
        }
    }
}

/// Tags at which something new begins, whether on a line of its own or not.
const BEGINNINGS: [&str; 4] = ["<dt", "<dl", "</dl", "<dd"];

/// A line with its number, cut before each of these tags.
fn pieces((number, line): (usize, &str)) -> Vec<(usize, &str)> {
    let lower = line.to_ascii_lowercase();
    let begins = |at: &usize| BEGINNINGS.iter().any(|tag| lower[*at..].starts_with(tag));
    let tags = lower.match_indices('<').map(|tag| tag.0);
    let cuts: Vec<usize> = tags.filter(begins).filter(|at| *at > 0).collect();
    let starts = [0].into_iter().chain(cuts.iter().copied());
    let ends = cuts.iter().copied().chain([line.len()]);
    let pieces = starts.zip(ends).map(|(start, end)| &line[start..end]);
    let said = pieces.filter(|piece| !piece.trim().is_empty());
    said.map(|piece| (number, piece)).collect()
}

/// Text of the element that `end` closes.
fn inner<'a>(line: &'a str, end: &str) -> &'a str {
    let lower = line.to_ascii_lowercase();
    let stop = lower.find(end).unwrap_or(line.len());
    let start = line[..stop].rfind('>').map_or(0, |at| at + 1);
    line[start..stop].trim()
}

/// The text behind HTML's escapes.
fn plain(text: &str) -> String {
    let plain = text.replace("&lt;", "<").replace("&gt;", ">");
    let plain = plain.replace("&quot;", "\"").replace("&#39;", "'");
    plain.replace("&amp;", "&")
}

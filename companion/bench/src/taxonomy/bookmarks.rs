//! Bookmarks as browsers export them: nested lists, a heading a folder.

use linkscent_core::address::Address;

use super::Taxonomy;

pub(super) fn read(text: &str, taxonomy: &mut Taxonomy) {
    let mut path: Vec<String> = Vec::new();
    let mut heading = String::new();
    for (number, line) in text.lines().enumerate() {
        let lower = line.to_ascii_lowercase();
        if lower.contains("<h3") {
            heading = inner(line, "</h3>").replace('/', "-");
        }
        if lower.contains("<dl") {
            path.push(std::mem::take(&mut heading));
        }
        if lower.contains("</dl") {
            path.pop();
        }
        if let Some(at) = lower.find("href=\"") {
            let href = line[at + 6..].split('"').next().unwrap_or_default();
            let href = href.replace("&amp;", "&");
            match Address::parse(&href) {
                Ok(address) => {
                    let node: Vec<&str> = path.iter().map(String::as_str).collect();
                    let node = node.join("/");
                    taxonomy.add(node.trim_start_matches('/'), address.to_string());
                }
                Err(error) => taxonomy.problem(number + 1, &error.to_string()),
            }
        }
    }
}

/// Text of the element that `end` closes.
fn inner<'a>(line: &'a str, end: &str) -> &'a str {
    let lower = line.to_ascii_lowercase();
    let stop = lower.find(end).unwrap_or(line.len());
    let start = line[..stop].rfind('>').map_or(0, |at| at + 1);
    line[start..stop].trim()
}

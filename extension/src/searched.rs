//! What the person searched for on their way to a page, by the addresses of the pages before
//! it: it is proposed as words of the topic, and counts only if they say so.

use url::Url;

use crate::paths::TabPath;

/// Parameters in which search boxes send what was typed.
const NAMES: [&str; 8] = [
    "q",
    "query",
    "search",
    "search_query",
    "searchterm",
    "p",
    "text",
    "wd",
];
/// Pages before the one that is shown that are looked at.
const PAGES_BEFORE: usize = 3;
/// More characters are no search.
const LONGEST: usize = 200;

/// What was searched for last on the way to the page that a tab shows.
pub fn on_the_way(path: &TabPath) -> Option<String> {
    let mut newest_first = path.steps_to_here().rev().take(PAGES_BEFORE + 1);
    newest_first.find_map(|step| by_address(&step.page))
}

fn by_address(address: &str) -> Option<String> {
    let url = Url::parse(address).ok()?;
    let (_, typed) = url
        .query_pairs()
        .find(|(name, _)| NAMES.contains(&name.to_ascii_lowercase().as_str()))?;
    let typed = typed.split_whitespace().collect::<Vec<&str>>().join(" ");
    let is_text = typed.chars().filter(|c| c.is_alphabetic()).nth(1).is_some();
    (is_text && typed.chars().count() <= LONGEST).then_some(typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_read_out_of_an_address() {
        let read = |address| by_address(address).unwrap_or_default();
        assert_eq!(
            read("https://find.test/?q=medieval+castles&t=h"),
            "medieval castles"
        );
        assert_eq!(
            read("https://find.test/s?lang=en&Query=bee%20hives"),
            "bee hives"
        );
        assert_eq!(read("https://shop.test/list?p=2"), "", "a page's number");
        assert_eq!(read("https://find.test/?q="), "");
        assert_eq!(read("https://find.test/medieval"), "");
        assert_eq!(read("no address"), "");
        let long = format!("https://find.test/?q={}", "x".repeat(LONGEST + 1));
        assert_eq!(read(&long), "");
    }
}

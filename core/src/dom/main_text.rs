//! What a page says: its passages, each as it is read; and where it begins to say something, with
//! its first running text, behind menus, notices of a few words and lists of links.

use std::collections::HashSet;

use super::Document;
use crate::text::fold_space;

/// Leaves in which running text has to show.
const LEAVES: usize = 8;
/// Characters outside links that running text has among them, at least.
const RUNNING: usize = 120;

impl Document {
    /// Its title, and about so many characters from where its running text begins; where it
    /// has none, from its beginning.
    pub fn main_text(&self, characters: usize) -> String {
        let mut text = format!("{}. ", self.title);
        let first = self.running_text().unwrap_or(0);
        for number in first..self.leaf_count() {
            if text.len() >= characters {
                break;
            }
            text.push_str(self.leaf(number));
            text.push(' ');
        }
        fold_space(&text)
    }

    /// Its text in passages, such as paragraphs, entries of lists and headings, white space
    /// folded. Where one ends is told from leaves alone: what is joined by a space, or begins
    /// with a mark that ends or parts sentences, goes on.
    pub fn passages(&self) -> Vec<String> {
        let is_linked = self.linked_leaves();
        let mut passages: Vec<String> = Vec::new();
        let mut before: Option<(&str, bool)> = None;
        let edges = self.headings.iter();
        let edges: HashSet<u32> = edges
            .flat_map(|heading| [heading.leaves.first, heading.leaves.end])
            .collect();
        for (number, (leaf, &is_link)) in (0..).zip(self.leaves().zip(&is_linked)) {
            if edges.contains(&number) {
                before = None;
            }
            if leaf.trim().is_empty() {
                continue;
            }
            match (before, passages.last_mut()) {
                (Some((last, was_link)), Some(passage)) if joins(last, was_link, leaf, is_link) => {
                    let is_spaced = last.ends_with(char::is_whitespace)
                        || leaf.starts_with(char::is_whitespace)
                        || was_link == is_link;
                    let is_mark = leaf.starts_with(|sign| ",.;:!?)]”’".contains(sign));
                    if is_spaced && !is_mark {
                        passage.push(' ');
                    }
                    passage.push_str(leaf.trim());
                }
                _ => passages.push(leaf.trim().to_owned()),
            }
            before = Some((leaf, is_link));
        }
        let folded = passages.iter().map(|passage| fold_space(passage));
        folded.collect()
    }

    /// Whether each leaf lies in a link.
    fn linked_leaves(&self) -> Vec<bool> {
        let mut is_linked = vec![false; self.leaf_count() as usize];
        for link in &self.links {
            let range = link.leaves.first as usize..link.leaves.end as usize;
            if let Some(leaves) = is_linked.get_mut(range) {
                leaves.fill(true);
            }
        }
        is_linked
    }

    /// The leaf at which running text begins: from there on, however far it is read, more
    /// stands outside links than in them.
    fn running_text(&self) -> Option<u32> {
        let is_linked = self.linked_leaves();
        let lengths: Vec<usize> = self.leaves().map(str::len).collect();
        let leaves = is_linked.iter().zip(&lengths);
        // Characters outside links, and in them.
        let parts: Vec<(usize, usize)> = leaves
            .map(|(&is_linked, &length)| if is_linked { (0, length) } else { (length, 0) })
            .collect();
        let is_running = |start: &usize| {
            let (mut own, mut linked) = (0, 0);
            for part in parts[*start..].iter().take(LEAVES) {
                (own, linked) = (own + part.0, linked + part.1);
                if linked >= own || own >= RUNNING {
                    break;
                }
            }
            own >= RUNNING && own > linked
        };
        (0..parts.len()).find(is_running).map(|start| start as u32)
    }
}

/// Whether a leaf goes on with the one before it. Between blocks there is no space: the white
/// space around them is no leaf.
fn joins(before: &str, was_link: bool, leaf: &str, is_link: bool) -> bool {
    if was_link && is_link {
        return false;
    }
    let is_mark = leaf
        .trim_start()
        .starts_with(|sign: char| ",.;:!?)]”’".contains(sign));
    let is_spaced = before.ends_with(char::is_whitespace) || leaf.starts_with(char::is_whitespace);
    is_mark || is_spaced || was_link != is_link && before.ends_with(['(', '[', '“', '‘', '/', '-'])
}

#[cfg(test)]
mod tests {
    use crate::dom::Builder;

    #[test]
    fn text_begins_behind_menus_and_short_notices() {
        let mut page = Builder::new();
        page.title("Durham Castle");
        page.leaf("Accept all cookies");
        for name in [
            "Home",
            "History of the castle and of all who lived in it",
            "Tickets",
        ] {
            let leaf = page.next_leaf();
            let range = crate::dom::LeafRange {
                first: leaf,
                end: leaf + 1,
            };
            let place = page.link("/", range).unwrap();
            page.leaf(name);
            page.close_link(place);
        }
        page.leaf("Durham Castle");
        page.leaf(" is a Norman castle in the city of Durham, which has been wholly ");
        page.leaf("occupied by a college since the year 1837, and which stands on a hill.");
        let text = page.finish().unwrap().main_text(60);
        assert!(
            text.starts_with("Durham Castle. Durham Castle is a Norman castle in the city"),
            "{text}"
        );
    }

    #[test]
    fn without_running_text_it_begins_where_the_page_begins() {
        let mut page = Builder::new();
        page.leaf("Tram stops");
        page.leaf("Main Street");
        assert_eq!(
            page.finish().unwrap().main_text(600),
            ". Tram stops Main Street"
        );
        let mut page = Builder::new();
        page.title("Nothing");
        assert_eq!(page.finish().unwrap().main_text(600), "Nothing.");
    }

    #[test]
    #[cfg(feature = "html")]
    fn passages_keep_their_links_and_lists_fall_apart() {
        let html =
            "<title>Wales</title><ul><li><a href=/>Home</a></li><li><a href=/b>About</a></li></ul>
            <h1>Queen of <a href=/uk>the United Kingdom</a> and her dominions</h1>
            <p>She was <b>crowned</b> in <a href=/w>Westminster</a>, in 1838.</p>
            <p>Another paragraph.</p><table><tr><td>Born</td><td>1819</td></tr></table>";
        let passages = crate::dom::html::parse(html).passages();
        assert_eq!(
            passages,
            [
                "Home",
                "About",
                "Queen of the United Kingdom and her dominions",
                "She was crowned in Westminster, in 1838.",
                "Another paragraph.",
                "Born",
                "1819"
            ]
        );
    }
}

//! Where a page begins to say something: its first running text, behind menus, notices of a
//! few words and lists of links.

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

    /// The leaf at which running text begins: from there on, however far it is read, more
    /// stands outside links than in them.
    fn running_text(&self) -> Option<u32> {
        let mut is_linked = vec![false; self.leaf_count() as usize];
        for link in &self.links {
            let range = link.leaves.first as usize..link.leaves.end as usize;
            if let Some(leaves) = is_linked.get_mut(range) {
                leaves.fill(true);
            }
        }
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
}

//! The elements over a page's leaves: how one gets from a word to a link along the tags
//! (\[A\] 4, future work; \[A\] figure 9b).
//!
//! Only experiments of the bench read it. A live page sends no tags, and \[A\] 2.2.2 argues
//! that they had better be nameless.

use html5ever::LocalName;
use rustc_hash::FxHashMap;

use super::tree::NodeId;

/// An element that holds leaves, or is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TagElement {
    /// Number of its name.
    name: u32,
    /// The element it stands in; itself for the outermost one.
    parent: u32,
    /// Elements around it.
    depth: u32,
    /// Number of its first leaf, or of the next one if it holds none.
    first_leaf: u32,
}

/// The elements of a page, in document order. Those whose inside is no part of the page
/// (scripts, head) are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TagTree {
    elements: Vec<TagElement>,
    names: Vec<Box<str>>,
    /// By leaf: the innermost element around it, or the element that it is.
    leaves: Vec<u32>,
    /// By link of the document: its element.
    links: Vec<u32>,
}

/// The way from a leaf to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagRoute {
    /// Elements passed on the way up from the leaf to the least common ancestor.
    pub up: u32,
    /// Elements passed from there down to the link.
    pub down: u32,
    /// Elements around the least common ancestor.
    pub depth: u32,
    ancestor: u32,
}

impl TagRoute {
    /// Elements passed in all.
    pub fn length(self) -> u32 {
        self.up + self.down
    }
}

impl TagTree {
    /// The way from a leaf to a link, by their numbers. `None` if one of them is not there.
    pub fn route(&self, leaf: u32, link: usize) -> Option<TagRoute> {
        let (mut from, mut to) = (*self.leaves.get(leaf as usize)?, *self.links.get(link)?);
        let (mut up, mut down) = (0, 0);
        while from != to {
            let (a, b) = (self.elements[from as usize], self.elements[to as usize]);
            if a.depth >= b.depth && a.parent != from {
                from = a.parent;
                up += 1;
            } else if b.parent != to {
                to = b.parent;
                down += 1;
            } else {
                return None;
            }
        }
        Some(TagRoute {
            up,
            down,
            depth: self.elements[from as usize].depth,
            ancestor: from,
        })
    }

    /// Names of the elements on a route, from the leaf up to the least common ancestor and
    /// down to the link.
    pub fn names(&self, route: TagRoute, leaf: u32, link: usize) -> Vec<&str> {
        let above = |start: Option<&u32>, steps: u32| {
            let mut at = start.copied().unwrap_or(route.ancestor);
            let mut names = Vec::new();
            for _ in 0..steps {
                names.push(self.name(at));
                at = self.elements[at as usize].parent;
            }
            names
        };
        let mut names = above(self.leaves.get(leaf as usize), route.up);
        names.push(self.name(route.ancestor));
        let down = above(self.links.get(link), route.down);
        names.extend(down.into_iter().rev());
        names
    }

    /// Every element, by its name and its first leaf, in document order.
    pub fn elements(&self) -> impl Iterator<Item = (&str, u32)> {
        let elements = self.elements.iter();
        elements.map(|element| (&*self.names[element.name as usize], element.first_leaf))
    }

    fn name(&self, element: u32) -> &str {
        &self.names[self.elements[element as usize].name as usize]
    }
}

/// Puts a [`TagTree`] together while a page is walked.
#[derive(Debug, Default)]
pub(super) struct TagRecorder {
    tree: TagTree,
    name_ids: FxHashMap<LocalName, u32>,
    /// Elements around the place that was reached.
    open: Vec<(NodeId, u32)>,
}

impl TagRecorder {
    /// An element begins, before the leaf of this number.
    pub(super) fn enter(&mut self, id: NodeId, name: &LocalName, next_leaf: u32) {
        let tree = &mut self.tree;
        let number = tree.elements.len() as u32;
        let name = *self.name_ids.entry(name.clone()).or_insert_with(|| {
            tree.names.push((**name).into());
            tree.names.len() as u32 - 1
        });
        tree.elements.push(TagElement {
            name,
            parent: self.open.last().map_or(number, |around| around.1),
            depth: self.open.len() as u32,
            first_leaf: next_leaf,
        });
        self.open.push((id, number));
    }

    /// A node is left.
    pub(super) fn leave(&mut self, id: NodeId) {
        self.open.pop_if(|(opener, _)| *opener == id);
    }

    /// A leaf was added here.
    pub(super) fn leaf(&mut self) {
        self.tree.leaves.extend(self.open.last().map(|row| row.1));
    }

    /// The element that was entered last is a link.
    pub(super) fn link(&mut self) {
        self.tree.links.extend(self.open.last().map(|row| row.1));
    }

    pub(super) fn finish(self) -> TagTree {
        self.tree
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_with_tags;

    #[test]
    fn routes_go_up_to_the_least_common_ancestor_and_down() {
        // Leaves: 0 one, 1 two, 2 the picture, 3 three, 4 four, 5 five.
        let (document, tags) = parse_with_tags(
            "<body><p>one<ul><li>two <img><li><a href=v>three<font>four</font></a></ul>five",
        );
        assert_eq!((document.leaf_count(), document.links.len()), (6, 1));
        let route = |leaf| {
            let route = tags.route(leaf, 0).unwrap();
            let names = tags.names(route, leaf, 0).join(" ");
            (route.up, route.down, route.depth, names)
        };
        assert_eq!(route(0), (1, 3, 1, "p body ul li a".to_owned()));
        assert_eq!(route(1), (1, 2, 2, "li ul li a".to_owned()));
        assert_eq!(route(2), (2, 2, 2, "img li ul li a".to_owned()));
        assert_eq!(route(3), (0, 0, 4, "a".to_owned()));
        assert_eq!(route(4), (1, 0, 4, "font a".to_owned()));
        assert_eq!(route(5), (0, 3, 1, "body ul li a".to_owned()));
        assert_eq!(tags.route(6, 0), None);
        assert_eq!(tags.route(0, 1), None);
    }

    #[test]
    fn elements_begin_at_their_first_leaf_and_silent_ones_are_left_out() {
        let (_, tags) = parse_with_tags("<title>no</title><p>a<br><b>c</b><script>no</script>");
        let elements: Vec<(&str, u32)> = tags.elements().collect();
        let expected = [("html", 0), ("body", 0), ("p", 0), ("br", 1), ("b", 2)];
        assert_eq!(elements, expected);
    }
}

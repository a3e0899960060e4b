//! Pages rebuilt from an allow-list, so that a browser can show them without any connection.
//!
//! Everything that is not on the lists below is left out, whatever it does. A browser therefore
//! fetches nothing, connects to nobody, and runs nothing. Links remain and open when a person
//! follows them.

mod attributes;
mod styles;

use html5ever::local_name;
use url::Url;

use super::tokens;
use super::tree::{Element, NONE, Node, NodeId, NodeKind, ROOT};
use attributes::write_attributes;
use styles::is_inert;

/// Most bytes of a rebuilt page, after which it is cut off. Repairs can repeat attributes, so a
/// rebuilt page can be much larger than the page was.
const MOST_BYTES: usize = 32 << 20;

/// Elements that are kept, with the attributes that [`write_attributes`] allows.
const KEPT: [&str; 78] = [
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "bdi",
    "bdo",
    "big",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "details",
    "dfn",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "main",
    "mark",
    "menu",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "rp",
    "rt",
    "ruby",
    "s",
    "samp",
    "search",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
];

/// Kept elements that have no end tag.
const VOID: [&str; 4] = ["br", "col", "hr", "img"];

/// Elements that are left out with all that is inside. Of other elements that are not kept, the
/// content stays.
const DROPPED: [&str; 24] = [
    "annotation",
    "annotation-xml",
    "applet",
    "audio",
    "canvas",
    "datalist",
    "embed",
    "fencedframe",
    "frame",
    "frameset",
    "head",
    "iframe",
    "input",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "portal",
    "script",
    "select",
    "svg",
    "template",
    "textarea",
    "video",
];

/// Rebuilds a page so that showing it connects to nobody. Relative links are resolved against
/// `address`, the page's own.
pub fn inert(html: &str, address: &str) -> String {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let (tree, cut_off) = tokens::build(html);
    let nodes = tree.into_nodes();
    let head = Head::of(&nodes, address);
    let mut writer = Writer {
        nodes: &nodes,
        base: head.base.as_ref(),
        out: String::new(),
    };
    writer.begin(&head);
    let is_whole = writer.body() && !cut_off;
    if !is_whole {
        writer
            .out
            .push_str("<p><em>The rest of this page is too large to show.</em></p>");
    }
    writer.out
}

/// The parts of a page's head that are kept.
#[derive(Default)]
struct Head<'a> {
    root: Option<&'a Element>,
    title: &'a str,
    /// Style sheets that are written in the page.
    styles: Vec<&'a str>,
    /// The address that relative links are resolved against.
    base: Option<Url>,
}

impl<'a> Head<'a> {
    fn of(nodes: &'a [Node], address: &str) -> Self {
        let mut head = Self {
            base: Url::parse(address).ok(),
            ..Self::default()
        };
        let (mut titled, mut based) = (false, false);
        for node in nodes {
            let NodeKind::Element(element) = &node.kind else {
                continue;
            };
            if !element.is_html() {
                continue;
            }
            match element.name.local {
                local_name!("html") => head.root = head.root.or(Some(element)),
                local_name!("title") if !titled => {
                    titled = true;
                    head.title = text_of(nodes, node);
                }
                local_name!("style") => {
                    let sheet = text_of(nodes, node);
                    head.styles.extend(Some(sheet).filter(|css| is_inert(css)));
                }
                local_name!("base") if !based => {
                    if let Some(href) = element.href() {
                        based = true;
                        let joined = head.base.as_ref().and_then(|base| base.join(href).ok());
                        head.base = joined.or(head.base);
                    }
                }
                _ => {}
            }
        }
        head
    }
}

/// The first text directly in a node.
fn text_of<'a>(nodes: &'a [Node], node: &Node) -> &'a str {
    match nodes
        .get(node.first_child as usize)
        .map(|child| &child.kind)
    {
        Some(NodeKind::Text(text)) => text,
        _ => "",
    }
}

/// Whether an element's tags are written, its content alone, or neither.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Unwrapped,
    Dropped,
}

fn fate(element: &Element) -> Fate {
    let name = &*element.name.local;
    if DROPPED.contains(&name) || name == "style" || name == "title" {
        Fate::Dropped
    } else if element.is_html() && KEPT.contains(&name) {
        Fate::Kept
    } else {
        Fate::Unwrapped
    }
}

struct Writer<'a> {
    nodes: &'a [Node],
    base: Option<&'a Url>,
    out: String,
}

impl Writer<'_> {
    fn begin(&mut self, head: &Head<'_>) {
        self.out.push_str("<!doctype html><html");
        if let Some(root) = head.root {
            write_attributes(root, "html", None, &mut self.out);
        }
        self.out.push_str("><head><meta charset=utf-8><title>");
        escape(head.title, &mut self.out);
        self.out.push_str("</title>");
        for style in &head.styles {
            // A sheet without `<` cannot end its element.
            self.out.push_str("<style>");
            self.out.push_str(style);
            self.out.push_str("</style>");
        }
        self.out.push_str("</head>");
    }

    /// Writes the tree's content in document order, without recursion. Says whether all of it was
    /// written.
    fn body(&mut self) -> bool {
        let mut at = ROOT;
        loop {
            if self.out.len() > MOST_BYTES {
                return false;
            }
            let first = self.nodes[at as usize].first_child;
            if self.enter(at) && first != NONE {
                at = first;
                continue;
            }
            loop {
                self.leave(at);
                let node = &self.nodes[at as usize];
                if node.next != NONE {
                    at = node.next;
                    break;
                }
                if node.parent == NONE {
                    return true;
                }
                at = node.parent;
            }
        }
    }

    /// Writes a node's beginning. Says whether its content is wanted.
    fn enter(&mut self, id: NodeId) -> bool {
        match &self.nodes[id as usize].kind {
            NodeKind::Root => true,
            NodeKind::Silent => false,
            NodeKind::Text(text) => {
                escape(text, &mut self.out);
                true
            }
            NodeKind::Element(element) => match fate(element) {
                Fate::Dropped => false,
                Fate::Unwrapped => true,
                Fate::Kept => {
                    let name = &*element.name.local;
                    self.out.push('<');
                    self.out.push_str(name);
                    write_attributes(element, name, self.base, &mut self.out);
                    self.out.push('>');
                    true
                }
            },
        }
    }

    fn leave(&mut self, id: NodeId) {
        if let NodeKind::Element(element) = &self.nodes[id as usize].kind
            && fate(element) == Fate::Kept
            && !VOID.contains(&&*element.name.local)
        {
            self.out.push_str("</");
            self.out.push_str(&element.name.local);
            self.out.push('>');
        }
    }
}

/// Writes text so that it is text everywhere in HTML, also in quoted attributes.
fn escape(text: &str, out: &mut String) {
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\0' => {}
            sign => out.push(sign),
        }
    }
}

#[cfg(test)]
mod tests;

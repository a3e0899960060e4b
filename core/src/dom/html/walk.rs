//! One walk over a finished tree, into the [`Builder`].

use html5ever::{LocalName, local_name};
use rustc_hash::FxHashMap;

use super::tags::{TagRecorder, TagTree};
use super::tree::{Element, NONE, Node, NodeId, NodeKind, ROOT};
use crate::dom::{Builder, Document, Field, Form, LeafRange};

/// Nodes looked at below the buttons and selects of one page, in all.
const MOST_DESCENTS: u32 = 1_000_000;

/// What is open on the way down, to be closed on the way up.
enum Open {
    Link(usize),
    Heading(usize),
    Form(usize),
    /// The inside of an element that holds no leaves.
    Silence,
}

/// One pass over the finished tree, in document order, without recursion.
pub(super) struct Walk<'a> {
    nodes: &'a [Node],
    builder: Builder,
    open: Vec<(NodeId, Open)>,
    silence: u32,
    titled: bool,
    described: bool,
    based: bool,
    forms: Vec<Form>,
    /// Element -> place of its form.
    form_places: FxHashMap<NodeId, usize>,
    /// The first form with an `id`.
    forms_by_id: FxHashMap<Box<str>, NodeId>,
    /// Nodes looked at below buttons and selects.
    descents: u32,
    /// The elements passed, where somebody asked for them.
    tags: Option<TagRecorder>,
}

/// Names of meta elements that say what a page asks of crawlers.
const ROBOTS: [&str; 2] = ["robots", "linkscent"];

impl<'a> Walk<'a> {
    pub(super) fn new(nodes: &'a [Node], with_tags: bool) -> Self {
        Self {
            nodes,
            builder: Builder::new(),
            open: Vec::new(),
            silence: 0,
            titled: false,
            described: false,
            based: false,
            forms: Vec::new(),
            form_places: FxHashMap::default(),
            forms_by_id: FxHashMap::default(),
            descents: 0,
            tags: with_tags.then(TagRecorder::default),
        }
    }

    /// Says that the tree is not the whole page.
    pub(super) fn cut_off(&mut self) {
        self.builder.cut_off();
    }

    pub(super) fn run(&mut self) {
        let mut at = ROOT;
        loop {
            self.enter(at);
            let first = self.nodes[at as usize].first_child;
            if first != NONE {
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
                    return;
                }
                at = node.parent;
            }
        }
    }

    pub(super) fn finish(mut self) -> (Document, TagTree) {
        for form in self.forms {
            self.builder.form(form);
        }
        let document = self
            .builder
            .finish()
            .expect("ranges are opened and closed at the leaf they are at");
        let tags = self.tags.map(TagRecorder::finish);
        (document, tags.unwrap_or_default())
    }

    fn leaf(&mut self, text: &str) {
        let number = self.builder.next_leaf();
        self.builder.leaf(text);
        if let Some(tags) = &mut self.tags
            && self.builder.next_leaf() > number
        {
            tags.leaf();
        }
    }

    fn enter(&mut self, id: NodeId) {
        match &self.nodes[id as usize].kind {
            NodeKind::Root | NodeKind::Silent => {}
            NodeKind::Text(text) => {
                if self.silence == 0 && text.chars().any(|c| !c.is_whitespace()) {
                    self.leaf(text);
                }
            }
            NodeKind::Element(element) => self.enter_element(id, element),
        }
    }

    fn enter_element(&mut self, id: NodeId, element: &Element) {
        if element.is_html() {
            self.read_metadata(id, element);
        }
        if is_without_leaves(&element.name.local) {
            self.silence += 1;
            self.open.push((id, Open::Silence));
        }
        if self.silence > 0 {
            return;
        }
        if let Some(tags) = &mut self.tags {
            tags.enter(id, &element.name.local, self.builder.next_leaf());
        }
        self.open_ranges(id, element);
        if element.is_html() {
            self.read_form(id, element);
        }
        if self.nodes[id as usize].first_child == NONE {
            let shows_alt = matches!(element.name.local, local_name!("img") | local_name!("area"));
            let alt = shows_alt.then(|| element.attribute_or_empty(&local_name!("alt")));
            self.leaf(alt.unwrap_or_default());
        }
    }

    fn leave(&mut self, id: NodeId) {
        if let Some(tags) = &mut self.tags {
            tags.leave(id);
        }
        while let Some((_, open)) = self.open.pop_if(|(opener, _)| *opener == id) {
            match open {
                Open::Link(place) => self.builder.close_link(place),
                Open::Heading(place) => self.builder.close_heading(place),
                Open::Form(place) => self.reach_here(place),
                Open::Silence => self.silence -= 1,
            }
        }
    }

    fn open_ranges(&mut self, id: NodeId, element: &Element) {
        let here = LeafRange {
            first: self.builder.next_leaf(),
            end: self.builder.next_leaf(),
        };
        let local = &element.name.local;
        if matches!(*local, local_name!("a") | local_name!("area"))
            && let Some(href) = element.href()
            && let Some(place) = self.builder.link(href, here)
        {
            self.open.push((id, Open::Link(place)));
            if let Some(tags) = &mut self.tags {
                tags.link();
            }
        }
        if element.is_html()
            && let Some(level) = heading_level(local)
            && let Some(place) = self.builder.heading(level, here)
        {
            self.open.push((id, Open::Heading(place)));
        }
    }

    fn read_metadata(&mut self, id: NodeId, element: &Element) {
        match element.name.local {
            local_name!("html") if self.nodes[id as usize].parent == ROOT => {
                if let Some(tag) = element.attribute(&local_name!("lang")) {
                    self.builder.language(tag);
                }
            }
            local_name!("title") if !self.titled => {
                self.titled = true;
                self.builder.title(&self.child_text(id));
            }
            local_name!("meta") => {
                let name = element.attribute_or_empty(&local_name!("name"));
                let content = element.attribute_or_empty(&local_name!("content"));
                if name.eq_ignore_ascii_case("description") && !self.described {
                    self.described = true;
                    self.builder.description(content);
                }
                if ROBOTS
                    .iter()
                    .any(|robots| name.eq_ignore_ascii_case(robots))
                {
                    self.builder.robots(content);
                }
            }
            local_name!("base") if !self.based => {
                if let Some(href) = element.attribute(&local_name!("href")) {
                    self.based = true;
                    self.builder.base(href);
                }
            }
            _ => {}
        }
    }

    fn read_form(&mut self, id: NodeId, element: &Element) {
        let kind = match element.name.local {
            local_name!("form") => {
                self.begin_form(id, element);
                return;
            }
            local_name!("input") => {
                let kind = element.attribute_or_empty(&local_name!("type"));
                if kind.is_empty() { "text" } else { kind }
            }
            local_name!("select") => "select",
            local_name!("textarea") => "textarea",
            local_name!("button") => "button",
            _ => return,
        };
        let kind = kind.to_ascii_lowercase();
        let Some(owner) = self.owner_of(element) else {
            return;
        };
        let label = match kind.as_str() {
            "submit" | "button" | "reset" | "image" => {
                match element.attribute(&local_name!("value")) {
                    Some(value) if !value.is_empty() => value.to_owned(),
                    _ => self.deep_text(id),
                }
            }
            _ => String::new(),
        };
        let options = if kind == "select" {
            self.count_options(id)
        } else {
            0
        };
        let field = Field {
            naming: naming(
                element,
                &[
                    local_name!("name"),
                    local_name!("id"),
                    local_name!("class"),
                    local_name!("placeholder"),
                ],
            ),
            label: crate::text::fold_space(&label),
            kind,
            options,
        };
        if let Some(&place) = self.form_places.get(&owner) {
            self.forms[place].fields.push(field);
            if element.attribute(&local_name!("form")).is_none() {
                self.reach_here(place);
            }
        }
    }

    fn begin_form(&mut self, id: NodeId, element: &Element) {
        let (place, here) = (self.forms.len(), self.builder.next_leaf());
        let mut form = form_of(element);
        form.leaves = LeafRange {
            first: here,
            end: here,
        };
        self.forms.push(form);
        self.form_places.insert(id, place);
        if let Some(name) = element.attribute(&local_name!("id")) {
            self.forms_by_id.entry(name.into()).or_insert(id);
        }
        self.open.push((id, Open::Form(place)));
    }

    /// The leaves so far from its beginning on are the form's.
    fn reach_here(&mut self, place: usize) {
        let leaves = &mut self.forms[place].leaves;
        leaves.end = leaves.end.max(self.builder.next_leaf());
    }

    /// The form a field belongs to: the one its `form` attribute names, else
    /// the one the parser tied it to. A form that comes later in the page than
    /// its field is not found.
    fn owner_of(&self, element: &Element) -> Option<NodeId> {
        let Some(named) = element.attribute(&local_name!("form")) else {
            return (element.form != NONE).then_some(element.form);
        };
        self.forms_by_id.get(named).copied()
    }

    fn child_text(&self, id: NodeId) -> String {
        let mut text = String::new();
        let mut child = self.nodes[id as usize].first_child;
        while child != NONE {
            if let NodeKind::Text(part) = &self.nodes[child as usize].kind {
                text.push_str(part);
            }
            child = self.nodes[child as usize].next;
        }
        text
    }

    fn deep_text(&mut self, id: NodeId) -> String {
        let mut text = String::new();
        self.descend(id, |node| {
            if let NodeKind::Text(part) = &node.kind {
                text.push_str(part);
            }
        });
        text
    }

    fn count_options(&mut self, id: NodeId) -> u32 {
        let mut options = 0;
        self.descend(id, |node| {
            if let NodeKind::Element(element) = &node.kind
                && element.is_html()
                && element.name.local == local_name!("option")
            {
                options += 1;
            }
        });
        options
    }

    /// Goes through all below a node, as far as [`MOST_DESCENTS`] allows.
    fn descend(&mut self, top: NodeId, mut each: impl FnMut(&Node)) {
        let mut stack = vec![self.nodes[top as usize].first_child];
        while let Some(id) = stack.pop() {
            if id == NONE {
                continue;
            }
            if self.descents == MOST_DESCENTS {
                self.builder.cut_off();
                return;
            }
            self.descents += 1;
            let node = &self.nodes[id as usize];
            each(node);
            stack.push(node.next);
            stack.push(node.first_child);
        }
    }
}

fn form_of(element: &Element) -> Form {
    let method = element.attribute_or_empty(&local_name!("method"));
    Form {
        action: element
            .attribute_or_empty(&local_name!("action"))
            .to_owned(),
        method: if method.is_empty() {
            "get".to_owned()
        } else {
            method.to_ascii_lowercase()
        },
        naming: naming(
            element,
            &[local_name!("name"), local_name!("id"), local_name!("class")],
        ),
        fields: Vec::new(),
        leaves: LeafRange { first: 0, end: 0 },
    }
}

fn naming(element: &Element, names: &[LocalName]) -> String {
    let values: Vec<&str> = names
        .iter()
        .filter_map(|name| element.attribute(name))
        .collect();
    crate::text::fold_space(&values.join(" "))
}

fn heading_level(name: &LocalName) -> Option<u8> {
    match *name {
        local_name!("h1") => Some(1),
        local_name!("h2") => Some(2),
        local_name!("h3") => Some(3),
        local_name!("h4") => Some(4),
        local_name!("h5") => Some(5),
        local_name!("h6") => Some(6),
        _ => None,
    }
}

fn is_without_leaves(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("head")
            | local_name!("script")
            | local_name!("style")
            | local_name!("noscript")
            | local_name!("template")
            | local_name!("iframe")
            | local_name!("object")
    )
}

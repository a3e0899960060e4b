//! From HTML text to a [`Document`]: html5ever's tree, walked once into the
//! [`Builder`].
//!
//! The parser moves nodes about while it repairs a page, so a real tree is
//! built first and walked when it stands. Scripts are taken as enabled (the
//! content of `noscript` is text, as in a browser) but never run.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{Attribute, ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{LocalName, Namespace, ParseOpts, QualName, local_name, ns};

use super::{Builder, Document, Field, Form, LeafRange};

/// Deepest nesting parsed; the rest of such a page is cut off. The parser's
/// time grows with depth times tags, and no honest page comes near.
const DEEPEST: u32 = 2_000;
/// Most tree nodes built for one page.
const MOST_NODES: usize = 1_000_000;
/// Bytes handed to the parser between looks at the two limits.
const CHUNK: usize = 16 << 10;

/// Parses a whole page. Never fails: HTML has no errors, only repairs.
pub fn parse(html: &str) -> Document {
    let mut parser = html5ever::parse_document(Tree::default(), ParseOpts::default());
    let mut rest = html;
    while !rest.is_empty() {
        let mut cut = CHUNK.min(rest.len());
        while !rest.is_char_boundary(cut) {
            cut += 1;
        }
        let (chunk, behind) = rest.split_at(cut);
        parser.process(StrTendril::from_slice(chunk));
        rest = behind;
        if parser.tokenizer.sink.sink.is_over_limit() {
            break;
        }
    }
    let over = !rest.is_empty();
    parser.finish().into_document(over)
}

type NodeId = u32;
const ROOT: NodeId = 0;
const NONE: NodeId = u32::MAX;

enum Kind {
    Root,
    Text(StrTendril),
    /// A comment, processing instruction or doctype: a child, but never a leaf.
    Silent,
    Element(Element),
}

struct Element {
    name: QualName,
    attributes: Vec<Attribute>,
    /// Root of a template's contents, which is not part of the tree.
    contents: NodeId,
    /// The form that the parser made this field's owner.
    form: NodeId,
    annotation_is_html: bool,
}

impl Element {
    fn attribute(&self, name: &LocalName) -> Option<&str> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name.ns == ns!() && attribute.name.local == *name)
            .map(|attribute| &*attribute.value)
    }

    fn attribute_or_empty(&self, name: &LocalName) -> &str {
        self.attribute(name).unwrap_or_default()
    }

    /// `href`, or for SVG links `xlink:href`.
    fn href(&self) -> Option<&str> {
        self.attribute(&local_name!("href")).or_else(|| {
            self.attributes
                .iter()
                .find(|attribute| {
                    attribute.name.ns == ns!(xlink) && attribute.name.local == local_name!("href")
                })
                .map(|attribute| &*attribute.value)
        })
    }

    fn is_html(&self) -> bool {
        self.name.ns == ns!(html)
    }
}

struct Node {
    kind: Kind,
    parent: NodeId,
    previous: NodeId,
    next: NodeId,
    first_child: NodeId,
    last_child: NodeId,
    depth: u32,
}

/// The tree under construction.
struct Tree {
    nodes: RefCell<Vec<Node>>,
    deepest: Cell<u32>,
}

impl Default for Tree {
    fn default() -> Self {
        let tree = Self {
            nodes: RefCell::default(),
            deepest: Cell::new(0),
        };
        tree.create(Kind::Root);
        tree
    }
}

impl Tree {
    fn is_over_limit(&self) -> bool {
        self.deepest.get() > DEEPEST || self.nodes.borrow().len() > MOST_NODES
    }

    fn create(&self, kind: Kind) -> NodeId {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            kind,
            parent: NONE,
            previous: NONE,
            next: NONE,
            first_child: NONE,
            last_child: NONE,
            depth: 0,
        });
        nodes.len() as NodeId - 1
    }

    fn detach(&self, id: NodeId) {
        let nodes = &mut *self.nodes.borrow_mut();
        let (parent, previous, next) = {
            let node = &mut nodes[id as usize];
            let links = (node.parent, node.previous, node.next);
            (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
            links
        };
        if previous != NONE {
            nodes[previous as usize].next = next;
        } else if parent != NONE {
            nodes[parent as usize].first_child = next;
        }
        if next != NONE {
            nodes[next as usize].previous = previous;
        } else if parent != NONE {
            nodes[parent as usize].last_child = previous;
        }
    }

    /// Makes `id` a child of `parent`, before `next` or, if that is `NONE`, as
    /// the last one.
    fn insert(&self, id: NodeId, parent: NodeId, next: NodeId) {
        self.detach(id);
        let nodes = &mut *self.nodes.borrow_mut();
        let previous = if next == NONE {
            nodes[parent as usize].last_child
        } else {
            nodes[next as usize].previous
        };
        let depth = nodes[parent as usize].depth + 1;
        self.deepest.set(self.deepest.get().max(depth));
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, next, depth);
        if previous == NONE {
            nodes[parent as usize].first_child = id;
        } else {
            nodes[previous as usize].next = id;
        }
        if next == NONE {
            nodes[parent as usize].last_child = id;
        } else {
            nodes[next as usize].previous = id;
        }
    }

    /// Inserts a node or text; text joins a text node right before the place.
    fn insert_any(&self, child: NodeOrText<NodeId>, parent: NodeId, next: NodeId) {
        match child {
            NodeOrText::AppendNode(id) => self.insert(id, parent, next),
            NodeOrText::AppendText(text) => {
                let before = {
                    let nodes = self.nodes.borrow();
                    match next {
                        NONE => nodes[parent as usize].last_child,
                        next => nodes[next as usize].previous,
                    }
                };
                if before != NONE
                    && let Kind::Text(whole) = &mut self.nodes.borrow_mut()[before as usize].kind
                {
                    whole.push_tendril(&text);
                    return;
                }
                let id = self.create(Kind::Text(text));
                self.insert(id, parent, next);
            }
        }
    }

    fn parent_of(&self, id: NodeId) -> NodeId {
        self.nodes.borrow()[id as usize].parent
    }

    fn with_element<T>(&self, id: NodeId, read: impl FnOnce(&mut Element) -> T) -> Option<T> {
        match &mut self.nodes.borrow_mut()[id as usize].kind {
            Kind::Element(element) => Some(read(element)),
            _ => None,
        }
    }

    fn into_document(self, over_limit: bool) -> Document {
        let nodes = self.nodes.into_inner();
        let mut walk = Walk::new(&nodes);
        if over_limit {
            walk.builder.cut_off();
        }
        walk.run();
        walk.finish()
    }
}

/// An element's name, owned so that the tree can change under the parser.
#[derive(Debug)]
struct OwnedName(QualName);

impl ElemName for OwnedName {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }
    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for Tree {
    type Handle = NodeId;
    type Output = Self;
    type ElemName<'a> = OwnedName;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> OwnedName {
        let name = self.with_element(*target, |element| element.name.clone());
        OwnedName(name.unwrap_or_else(|| QualName::new(None, ns!(), local_name!(""))))
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> NodeId {
        let contents = if flags.template {
            self.create(Kind::Root)
        } else {
            NONE
        };
        self.create(Kind::Element(Element {
            name,
            attributes,
            contents,
            form: NONE,
            annotation_is_html: flags.mathml_annotation_xml_integration_point,
        }))
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.create(Kind::Silent)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.create(Kind::Silent)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.insert_any(child, *parent, NONE);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        match self.parent_of(*element) {
            NONE => self.insert_any(child, *previous, NONE),
            parent => self.insert_any(child, parent, *element),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.with_element(*target, |element| element.contents)
            .unwrap_or(ROOT)
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        let parent = self.parent_of(*sibling);
        if parent != NONE {
            self.insert_any(child, parent, *sibling);
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        self.with_element(*target, |element| {
            for attribute in attributes {
                if !element
                    .attributes
                    .iter()
                    .any(|old| old.name == attribute.name)
                {
                    element.attributes.push(attribute);
                }
            }
        });
    }

    fn associate_with_form(&self, target: &NodeId, form: &NodeId, _: (&NodeId, Option<&NodeId>)) {
        self.with_element(*target, |element| element.form = *form);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        loop {
            let child = self.nodes.borrow()[*node as usize].first_child;
            if child == NONE {
                break;
            }
            self.insert(child, *new_parent, NONE);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &NodeId) -> bool {
        self.with_element(*handle, |element| element.annotation_is_html)
            .unwrap_or(false)
    }
}

/// What is open on the way down, to be closed on the way up.
enum Open {
    Link(usize),
    Heading(usize),
    /// The inside of an element that holds no leaves.
    Silence,
}

/// One pass over the finished tree, in document order, without recursion.
struct Walk<'a> {
    nodes: &'a [Node],
    builder: Builder,
    open: Vec<(NodeId, Open)>,
    silence: u32,
    titled: bool,
    described: bool,
    based: bool,
    forms: Vec<(NodeId, Form)>,
}

impl<'a> Walk<'a> {
    fn new(nodes: &'a [Node]) -> Self {
        Self {
            nodes,
            builder: Builder::new(),
            open: Vec::new(),
            silence: 0,
            titled: false,
            described: false,
            based: false,
            forms: Vec::new(),
        }
    }

    fn run(&mut self) {
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

    fn finish(mut self) -> Document {
        for (_, form) in self.forms {
            self.builder.form(form);
        }
        self.builder
            .finish()
            .expect("ranges are opened and closed at the leaf they are at")
    }

    fn enter(&mut self, id: NodeId) {
        match &self.nodes[id as usize].kind {
            Kind::Root | Kind::Silent => {}
            Kind::Text(text) => {
                if self.silence == 0 && text.chars().any(|c| !c.is_whitespace()) {
                    self.builder.leaf(text);
                }
            }
            Kind::Element(element) => self.enter_element(id, element),
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
        self.open_ranges(id, element);
        if element.is_html() {
            self.read_form(id, element);
        }
        if self.nodes[id as usize].first_child == NONE {
            let shows_alt = matches!(element.name.local, local_name!("img") | local_name!("area"));
            let alt = shows_alt.then(|| element.attribute_or_empty(&local_name!("alt")));
            self.builder.leaf(alt.unwrap_or_default());
        }
    }

    fn leave(&mut self, id: NodeId) {
        while let Some((_, open)) = self.open.pop_if(|(opener, _)| *opener == id) {
            match open {
                Open::Link(place) => self.builder.close_link(place),
                Open::Heading(place) => self.builder.close_heading(place),
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
            local_name!("meta") if !self.described => {
                let name = element.attribute_or_empty(&local_name!("name"));
                if name.eq_ignore_ascii_case("description") {
                    self.described = true;
                    let content = element.attribute_or_empty(&local_name!("content"));
                    self.builder.description(content);
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
                self.forms.push((id, form_of(element)));
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
        if let Some((_, form)) = self.forms.iter_mut().find(|(form, _)| *form == owner) {
            form.fields.push(field);
        }
    }

    /// The form a field belongs to: the one its `form` attribute names, else
    /// the one the parser tied it to. A form that comes later in the page than
    /// its field is not found.
    fn owner_of(&self, element: &Element) -> Option<NodeId> {
        let Some(named) = element.attribute(&local_name!("form")) else {
            return (element.form != NONE).then_some(element.form);
        };
        self.forms.iter().map(|(form, _)| *form).find(|&form| {
            match &self.nodes[form as usize].kind {
                Kind::Element(form) => form.attribute(&local_name!("id")) == Some(named),
                _ => false,
            }
        })
    }

    fn child_text(&self, id: NodeId) -> String {
        let mut text = String::new();
        let mut child = self.nodes[id as usize].first_child;
        while child != NONE {
            if let Kind::Text(part) = &self.nodes[child as usize].kind {
                text.push_str(part);
            }
            child = self.nodes[child as usize].next;
        }
        text
    }

    fn deep_text(&self, id: NodeId) -> String {
        let mut text = String::new();
        self.descend(id, |node| {
            if let Kind::Text(part) = &node.kind {
                text.push_str(part);
            }
        });
        text
    }

    fn count_options(&self, id: NodeId) -> u32 {
        let mut options = 0;
        self.descend(id, |node| {
            if let Kind::Element(element) = &node.kind
                && element.is_html()
                && element.name.local == local_name!("option")
            {
                options += 1;
            }
        });
        options
    }

    fn descend(&self, top: NodeId, mut each: impl FnMut(&Node)) {
        let mut stack = vec![self.nodes[top as usize].first_child];
        while let Some(id) = stack.pop() {
            if id == NONE {
                continue;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(html: &str) -> Vec<String> {
        parse(html).leaves().map(str::to_owned).collect()
    }

    #[test]
    fn figure_3_of_the_apprentice_paper() {
        let document = parse(
            "<body><ul><li>one<li><em>two</em><li><a href=v>three<font>four</font></a>\
             <li><tt>five</tt></ul>",
        );
        assert_eq!(document.leaf_count(), 5);
        let link = document.links[0].leaves;
        let offsets: Vec<i32> = (0..5).map(|leaf| link.offset_of(leaf).0).collect();
        assert_eq!(offsets, [-2, -1, 0, 0, 1]);
    }

    #[test]
    fn leaves_are_texts_and_childless_elements() {
        assert_eq!(
            leaves("<p>a <img alt=pic><br></p><hr><!--no--> <div><!--x--></div>"),
            ["a ", "pic", "", ""]
        );
        assert_eq!(
            leaves(
                "<script>no</script><noscript><a href=x>no</a></noscript><template>no</template>yes"
            ),
            ["yes"]
        );
    }

    #[test]
    fn links_know_their_leaves() {
        let document =
            parse("a<a href=1>b<b>c</b></a>d<a href=2><img alt=e></a><a href=3></a><a>no</a>");
        let ranges: Vec<(u32, u32)> = document
            .links
            .iter()
            .map(|link| (link.leaves.first, link.leaves.end))
            .collect();
        assert_eq!(ranges, [(1, 3), (4, 5), (5, 6)]);
    }

    #[test]
    fn forms_own_their_fields_even_across_tables() {
        let document = parse(
            "<table><form action=/s><tr><td><input name=q placeholder='Your words'>\
             <select name=in><option>a<option>b</select><input type=submit value=Go></form></table>",
        );
        let form = &document.forms[0];
        assert_eq!((form.action.as_str(), form.method.as_str()), ("/s", "get"));
        let kinds: Vec<&str> = form
            .fields
            .iter()
            .map(|field| field.kind.as_str())
            .collect();
        assert_eq!(kinds, ["text", "select", "submit"]);
        assert_eq!(form.fields[0].naming, "q Your words");
        assert_eq!(form.fields[1].options, 2);
        assert_eq!(form.fields[2].label, "Go");
    }

    #[test]
    fn metadata_is_the_first_of_its_kind() {
        let document = parse(
            "<html lang=de><head><title> A \n B </title><base href=/x/><base href=/y/>\
             <meta name=Description content=' d '></head><svg><title>no</title></svg>",
        );
        assert_eq!(document.title, "A B");
        assert_eq!(document.description, "d");
        assert_eq!(document.base.as_deref(), Some("/x/"));
        assert_eq!(document.language.as_deref(), Some("de"));
    }

    #[test]
    fn a_page_of_100_000_nodes_keeps_all_leaves_and_most_links() {
        let document = parse(&"<p>x<a href=/y>z</a>".repeat(25_000));
        assert_eq!((document.leaf_count(), document.truncated), (50_000, true));
        assert_eq!(document.links.len(), crate::dom::MOST_LINKS);
    }

    #[test]
    fn a_bottomless_page_is_cut_off() {
        let document = parse(&"<div>x".repeat(50_000));
        assert!(document.truncated);
        assert!(document.leaf_count() > 1_000);
    }
}

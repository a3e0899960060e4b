//! The tree that html5ever builds and repairs, in one vector of nodes.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{Attribute, ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{LocalName, Namespace, QualName, local_name, ns};

/// Deepest nesting parsed; the rest of such a page is cut off. Browsers nest no
/// deeper than half of it.
const DEEPEST: u32 = 1_000;
/// Most tree nodes built for one page.
const MOST_NODES: usize = 1_000_000;
/// Attributes that repeated `html` and `body` tags may bring together.
const MOST_ADDED_ATTRIBUTES: usize = 50;
/// Most steps of work on one page: a node made, or an open element looked at, is
/// one. A page of people takes about one step a byte, most take fewer.
pub(super) const MOST_WORK: u64 = 40_000_000;

pub(super) type NodeId = u32;
pub(super) const ROOT: NodeId = 0;
pub(super) const NONE: NodeId = u32::MAX;

pub(super) enum NodeKind {
    Root,
    Text(StrTendril),
    /// A comment, processing instruction or doctype: a child, but never a leaf.
    Silent,
    Element(Element),
}

pub(super) struct Element {
    pub(super) name: QualName,
    attributes: Vec<Attribute>,
    /// Root of a template's contents, which is not part of the tree.
    contents: NodeId,
    /// The form that the parser made this field's owner.
    pub(super) form: NodeId,
    annotation_is_html: bool,
}

impl Element {
    pub(super) fn attribute(&self, name: &LocalName) -> Option<&str> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name.ns == ns!() && attribute.name.local == *name)
            .map(|attribute| &*attribute.value)
    }

    pub(super) fn attribute_or_empty(&self, name: &LocalName) -> &str {
        self.attribute(name).unwrap_or_default()
    }

    /// Names and values of the attributes that are in no namespace.
    pub(super) fn plain_attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        let plain = self.attributes.iter();
        let plain = plain.filter(|attribute| attribute.name.ns == ns!());
        plain.map(|attribute| (&*attribute.name.local, &*attribute.value))
    }

    /// `href`, or for SVG links `xlink:href`.
    pub(super) fn href(&self) -> Option<&str> {
        self.attribute(&local_name!("href")).or_else(|| {
            self.attributes
                .iter()
                .find(|attribute| {
                    attribute.name.ns == ns!(xlink) && attribute.name.local == local_name!("href")
                })
                .map(|attribute| &*attribute.value)
        })
    }

    pub(super) fn is_html(&self) -> bool {
        self.name.ns == ns!(html)
    }
}

pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) parent: NodeId,
    previous: NodeId,
    pub(super) next: NodeId,
    pub(super) first_child: NodeId,
    last_child: NodeId,
    depth: u32,
}

/// The tree under construction.
pub(super) struct Tree {
    nodes: RefCell<Vec<Node>>,
    deepest: Cell<u32>,
    work: Cell<u64>,
}

impl Default for Tree {
    fn default() -> Self {
        let tree = Self {
            nodes: RefCell::default(),
            deepest: Cell::new(0),
            work: Cell::new(0),
        };
        tree.create(NodeKind::Root);
        tree
    }
}

impl Tree {
    pub(super) fn is_over_limit(&self) -> bool {
        self.deepest.get() > DEEPEST
            || self.nodes.borrow().len() > MOST_NODES
            || self.work() > MOST_WORK
    }

    /// Counts steps of work.
    pub(super) fn charge(&self, steps: u64) {
        self.work.set(self.work().saturating_add(steps));
    }

    /// Steps of work so far.
    pub(super) fn work(&self) -> u64 {
        self.work.get()
    }

    fn create(&self, kind: NodeKind) -> NodeId {
        self.charge(1);
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
                    && let NodeKind::Text(whole) =
                        &mut self.nodes.borrow_mut()[before as usize].kind
                {
                    whole.push_tendril(&text);
                    return;
                }
                let id = self.create(NodeKind::Text(text));
                self.insert(id, parent, next);
            }
        }
    }

    fn parent_of(&self, id: NodeId) -> NodeId {
        self.nodes.borrow()[id as usize].parent
    }

    fn with_element<T>(&self, id: NodeId, read: impl FnOnce(&mut Element) -> T) -> Option<T> {
        match &mut self.nodes.borrow_mut()[id as usize].kind {
            NodeKind::Element(element) => Some(read(element)),
            _ => None,
        }
    }

    /// The nodes, the root first.
    pub(super) fn into_nodes(self) -> Vec<Node> {
        self.nodes.into_inner()
    }
}

/// An element's name, owned so that the tree can change under the parser.
#[derive(Debug)]
pub(super) struct OwnedName(QualName);

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
        self.charge(1);
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
            self.create(NodeKind::Root)
        } else {
            NONE
        };
        self.create(NodeKind::Element(Element {
            name,
            attributes,
            contents,
            form: NONE,
            annotation_is_html: flags.mathml_annotation_xml_integration_point,
        }))
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.create(NodeKind::Silent)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.create(NodeKind::Silent)
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
        self.charge(1);
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
                if element.attributes.len() >= MOST_ADDED_ATTRIBUTES {
                    return;
                }
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

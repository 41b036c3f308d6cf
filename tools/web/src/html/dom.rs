//! A document as a tree in one vector, which is walked without recursion.

use html5ever::{Attribute, LocalName};

/// The index of a node in its document.
pub(super) type NodeId = u32;

/// No node.
const NONE: NodeId = NodeId::MAX;

/// The greatest depth of a tree; what is nested deeper is left out.
const MAX_DEPTH: usize = 700;

/// A parsed document.
#[derive(Debug)]
pub(super) struct Dom {
    nodes: Vec<Node>,
}

#[derive(Debug)]
struct Node {
    parent: NodeId,
    first_child: NodeId,
    last_child: NodeId,
    previous: NodeId,
    next: NodeId,
    data: NodeData,
}

/// What a node is.
#[derive(Debug)]
pub(super) enum NodeData {
    Document,
    Element(Box<Element>),
    Text(String),
}

/// An element, without its children.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: LocalName,
    pub(super) attributes: Vec<Attribute>,
}

impl Dom {
    /// The document itself.
    pub(super) const ROOT: NodeId = 0;

    /// Creates a document without content.
    pub(super) fn new() -> Self {
        let mut dom = Self { nodes: Vec::new() };
        dom.add(NodeData::Document);
        dom
    }

    /// Adds a node that has no parent yet.
    pub(super) fn add(&mut self, data: NodeData) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NONE);
        self.nodes.push(Node {
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            previous: NONE,
            next: NONE,
            data,
        });
        id
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(super) fn parent(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).parent)
    }

    pub(super) fn previous(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).previous)
    }

    pub(super) fn last_child(&self, id: NodeId) -> Option<NodeId> {
        some(self.node(id).last_child)
    }

    pub(super) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        let first = some(self.node(id).first_child);
        std::iter::successors(first, |child| some(self.node(*child).next))
    }

    pub(super) fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.node(id).data {
            NodeData::Element(element) => Some(element),
            _ => None,
        }
    }

    pub(super) fn element_mut(&mut self, id: NodeId) -> Option<&mut Element> {
        match &mut self.node_mut(id).data {
            NodeData::Element(element) => Some(element),
            _ => None,
        }
    }

    /// Returns the name of an element; an empty text for other nodes.
    pub(super) fn name(&self, id: NodeId) -> &str {
        self.element(id).map_or("", |element| &element.name)
    }

    /// Returns an attribute of an element.
    pub(super) fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        let attributes = &self.element(id)?.attributes;
        let found = attributes.iter().find(|one| &*one.name.local == name);
        found.map(|one| &*one.value)
    }

    /// Returns the text of a text node.
    pub(super) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).data {
            NodeData::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn text_mut(&mut self, id: NodeId) -> Option<&mut String> {
        match &mut self.node_mut(id).data {
            NodeData::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Iterates over a node and all nodes below it, each before its children.
    pub(super) fn descendants(&self, top: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(top), move |id| {
            let mut at = *id;
            if let Some(child) = some(self.node(at).first_child) {
                return Some(child);
            }
            while at != top {
                if let Some(next) = some(self.node(at).next) {
                    return Some(next);
                }
                at = some(self.node(at).parent)?;
            }
            None
        })
    }

    /// Returns the text below a node, with its blanks as they are.
    pub(super) fn inner_text(&self, top: NodeId, limit: usize) -> String {
        let mut text = String::new();
        for id in self.descendants(top) {
            text.push_str(self.text(id).unwrap_or_default());
            if text.len() > limit {
                break;
            }
        }
        text
    }

    /// Appends a node without a parent to the children of another.
    pub(super) fn append(&mut self, parent: NodeId, child: NodeId) {
        self.detach(child);
        let last = self.node(parent).last_child;
        let node = self.node_mut(child);
        node.parent = parent;
        node.previous = last;
        match some(last) {
            Some(last) => self.node_mut(last).next = child,
            None => self.node_mut(parent).first_child = child,
        }
        self.node_mut(parent).last_child = child;
    }

    /// Inserts a node without a parent before a node that has one.
    pub(super) fn insert_before(&mut self, sibling: NodeId, child: NodeId) {
        self.detach(child);
        let (parent, previous) = (self.node(sibling).parent, self.node(sibling).previous);
        let node = self.node_mut(child);
        node.parent = parent;
        node.previous = previous;
        node.next = sibling;
        self.node_mut(sibling).previous = child;
        match (some(previous), some(parent)) {
            (Some(previous), _) => self.node_mut(previous).next = child,
            (None, Some(parent)) => self.node_mut(parent).first_child = child,
            (None, None) => {}
        }
    }

    /// Takes a node, with what is below it, out of the tree.
    pub(super) fn detach(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
        let Some(parent) = some(parent) else {
            return;
        };
        match some(previous) {
            Some(previous) => self.node_mut(previous).next = next,
            None => self.node_mut(parent).first_child = next,
        }
        match some(next) {
            Some(next) => self.node_mut(next).previous = previous,
            None => self.node_mut(parent).last_child = previous,
        }
    }

    /// Takes everything out of the tree that is nested too deeply, so that functions may recurse over what is left.
    pub(super) fn prune(&mut self) {
        let (mut at, mut depth) = (Self::ROOT, 0);
        loop {
            if depth == MAX_DEPTH {
                (self.node_mut(at).first_child, self.node_mut(at).last_child) = (NONE, NONE);
            }
            if let Some(child) = some(self.node(at).first_child) {
                (at, depth) = (child, depth + 1);
                continue;
            }
            loop {
                if let Some(next) = some(self.node(at).next) {
                    at = next;
                    break;
                }
                match some(self.node(at).parent) {
                    Some(parent) => (at, depth) = (parent, depth - 1),
                    None => return,
                }
            }
        }
    }
}

fn some(id: NodeId) -> Option<NodeId> {
    (id != NONE).then_some(id)
}

//! Parses HTML into a document of bounded depth and size.
//!
//! The parser of the standard is quadratic in the depth of the tree and in the attributes of a tag. Tags that are nested
//! deeper than browsers nest them are dropped, and their text remains; further attributes of a tag are cut before the
//! text is parsed.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, local_name, ns};

use super::dom::{Dom, Element, NodeData, NodeId};
use super::tags::limit_tags;

/// The greatest number of open elements, as in Blink.
const MAX_OPEN: usize = 512;

/// The greatest number of nodes.
const MAX_NODES: usize = 500_000;

/// Parses a document.
pub(super) fn parse(html: &str) -> Dom {
    let builder = TreeBuilder::new(DomSink::new(), TreeBuilderOpts::default());
    let sink = LimitedSink {
        builder,
        dropped: Cell::new(0),
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(&*limit_tags(html)));
    // A script would suspend the tokenizer; none is run here.
    while !input.is_empty() {
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    let mut dom = tokenizer.sink.builder.sink.dom.into_inner();
    dom.prune();
    dom
}

/// Passes tokens on to the tree builder, without tags that are nested too deeply.
struct LimitedSink {
    builder: TreeBuilder<NodeHandle, DomSink>,
    /// The number of open elements that were dropped.
    dropped: Cell<usize>,
}

impl LimitedSink {
    fn is_dropped(&self, tag: &Tag) -> bool {
        if is_void(&tag.name) || is_raw_text(&tag.name) {
            return false;
        }
        let dropped = self.dropped.get();
        let sink = &self.builder.sink;
        let is_full = sink.dom.borrow().len() > MAX_NODES;
        match tag.kind {
            TagKind::StartTag if sink.depth.get() >= MAX_OPEN || is_full => {
                self.dropped.set(dropped + 1);
                true
            }
            TagKind::EndTag if dropped > 0 => {
                self.dropped.set(dropped - 1);
                true
            }
            TagKind::StartTag | TagKind::EndTag => false,
        }
    }
}

fn is_void(name: &LocalName) -> bool {
    const VOID: [&str; 13] = [
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source",
        "track", "wbr",
    ];
    VOID.contains(&&**name)
}

/// Reports whether an element contains text alone, which is not text of the page.
fn is_raw_text(name: &LocalName) -> bool {
    const RAW: [&str; 8] = [
        "script", "style", "textarea", "title", "noscript", "iframe", "noframes", "xmp",
    ];
    RAW.contains(&&**name)
}

impl TokenSink for LimitedSink {
    type Handle = NodeHandle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeHandle> {
        match &token {
            Token::TagToken(tag) if self.is_dropped(tag) => TokenSinkResult::Continue,
            Token::CommentToken(_) => TokenSinkResult::Continue,
            _ => self.builder.process_token(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// A node, with the name that the tree builder asks for.
#[derive(Clone)]
struct NodeHandle {
    id: NodeId,
    name: Rc<QualName>,
}

/// Builds the document.
struct DomSink {
    dom: RefCell<Dom>,
    /// The depth of each node.
    depths: RefCell<Vec<u32>>,
    /// The depth of the element that was opened or closed last.
    depth: Cell<usize>,
    /// What stands for nodes that are left out: comments, and the contents of templates.
    outside: NodeHandle,
}

impl DomSink {
    fn new() -> Self {
        let mut dom = Dom::new();
        let outside = NodeHandle {
            id: dom.add(NodeData::Document),
            name: Rc::new(QualName::new(None, ns!(html), local_name!("template"))),
        };
        Self {
            dom: RefCell::new(dom),
            depths: RefCell::default(),
            depth: Cell::new(0),
            outside,
        }
    }

    fn depth_of(&self, id: NodeId) -> u32 {
        let depths = self.depths.borrow();
        depths.get(id as usize).copied().unwrap_or_default()
    }

    /// Records the depth of an element that was inserted below `parent`.
    fn enter(&self, id: NodeId, parent: Option<NodeId>) {
        let depth = parent.map_or(0, |parent| self.depth_of(parent)) + 1;
        let mut depths = self.depths.borrow_mut();
        if depths.len() <= id as usize {
            depths.resize(id as usize + 1, 0);
        }
        depths[id as usize] = depth;
        self.depth.set(depth as usize);
    }

    fn insert(
        &self,
        content: NodeOrText<NodeHandle>,
        before: Option<NodeId>,
        parent: Option<NodeId>,
        put: impl FnOnce(&mut Dom, NodeId),
    ) {
        let mut dom = self.dom.borrow_mut();
        match content {
            // Nodes that are left out stay outside of the tree.
            NodeOrText::AppendNode(node) if node.id == self.outside.id => {}
            NodeOrText::AppendNode(node) => {
                put(&mut dom, node.id);
                drop(dom);
                self.enter(node.id, parent);
            }
            NodeOrText::AppendText(text) => {
                if let Some(before) = before.and_then(|before| dom.text_mut(before)) {
                    before.push_str(&text);
                } else {
                    let id = dom.add(NodeData::Text(text.to_string()));
                    put(&mut dom, id);
                }
            }
        }
    }
}

impl TreeSink for DomSink {
    type Handle = NodeHandle;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeHandle {
        NodeHandle {
            id: Dom::ROOT,
            name: Rc::clone(&self.outside.name),
        }
    }

    fn elem_name<'a>(&'a self, target: &'a NodeHandle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        _: ElementFlags,
    ) -> NodeHandle {
        let element = Element {
            name: name.local.clone(),
            attributes,
        };
        let id = self
            .dom
            .borrow_mut()
            .add(NodeData::Element(Box::new(element)));
        NodeHandle {
            id,
            name: Rc::new(name),
        }
    }

    fn create_comment(&self, _: StrTendril) -> NodeHandle {
        self.outside.clone()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeHandle {
        self.outside.clone()
    }

    fn append(&self, parent: &NodeHandle, child: NodeOrText<NodeHandle>) {
        let last = self.dom.borrow().last_child(parent.id);
        let parent = parent.id;
        self.insert(child, last, Some(parent), |dom, id| dom.append(parent, id));
    }

    fn append_before_sibling(&self, sibling: &NodeHandle, child: NodeOrText<NodeHandle>) {
        let sibling = sibling.id;
        let (previous, parent) = {
            let dom = self.dom.borrow();
            (dom.previous(sibling), dom.parent(sibling))
        };
        self.insert(child, previous, parent, |dom, id| {
            dom.insert_before(sibling, id);
        });
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeHandle,
        previous: &NodeHandle,
        child: NodeOrText<NodeHandle>,
    ) {
        let has_parent = self.dom.borrow().parent(element.id).is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn pop(&self, node: &NodeHandle) {
        let depth = self.depth_of(node.id) as usize;
        self.depth.set(depth.saturating_sub(1));
    }

    fn get_template_contents(&self, _: &NodeHandle) -> NodeHandle {
        self.outside.clone()
    }

    fn same_node(&self, one: &NodeHandle, other: &NodeHandle) -> bool {
        one.id == other.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &NodeHandle, attributes: Vec<Attribute>) {
        let mut dom = self.dom.borrow_mut();
        let Some(element) = dom.element_mut(target.id) else {
            return;
        };
        for attribute in attributes {
            let has = |one: &Attribute| one.name == attribute.name;
            if !element.attributes.iter().any(has) {
                element.attributes.push(attribute);
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeHandle) {
        self.dom.borrow_mut().detach(target.id);
    }

    fn reparent_children(&self, node: &NodeHandle, parent: &NodeHandle) {
        let mut dom = self.dom.borrow_mut();
        let children: Vec<_> = dom.children(node.id).collect();
        for child in children {
            dom.append(parent.id, child);
        }
    }

    fn allow_declarative_shadow_roots(&self, _: &NodeHandle) -> bool {
        false
    }
}

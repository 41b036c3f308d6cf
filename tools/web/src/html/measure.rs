//! How much text there is below each node, and which parts of a page are no content.

use super::boilerplate;
use super::dom::{Dom, NodeId};
use super::visibility::{Invisible, invisible};

/// What is known of each node of a document.
#[derive(Debug, Clone)]
pub(super) struct Measures {
    nodes: Vec<Measure>,
    /// The number of hidden characters that are left out.
    pub(super) hidden: usize,
}

/// What is known of a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Measure {
    /// The characters of text that a reader sees, without blanks.
    pub(super) text: u32,
    /// Those of them that are in links.
    pub(super) in_links: u32,
    /// The links.
    pub(super) links: u32,
    /// Whether a reader does not see the node.
    pub(super) is_invisible: bool,
    /// Whether the node is navigation or the like.
    pub(super) is_boilerplate: bool,
}

impl Measure {
    /// Returns the characters outside of links.
    pub(super) fn prose(self) -> u32 {
        self.text - self.in_links.min(self.text)
    }

    /// Reports whether most of the text is in links.
    pub(super) fn is_mostly_links(self) -> bool {
        self.links > 2 && u64::from(self.in_links) * 10 > u64::from(self.text) * 7
    }

    /// Reports whether the node is a part of the content.
    pub(super) fn is_shown(self) -> bool {
        !self.is_invisible && !self.is_boilerplate
    }
}

impl Measures {
    /// Measures all that a reader sees.
    pub(super) fn visible(dom: &Dom) -> Self {
        let mut measures = Self {
            nodes: vec![Measure::default(); dom.len()],
            hidden: 0,
        };
        let mut order = Vec::new();
        let mut open = vec![Dom::ROOT];
        while let Some(id) = open.pop() {
            order.push(id);
            match invisible(dom, id) {
                Some(why) => {
                    measures.nodes[id as usize].is_invisible = true;
                    if why == Invisible::Hidden {
                        measures.hidden += hidden_chars(dom, id);
                    }
                }
                None => open.extend(dom.children(id)),
            }
        }
        measures.add_up(dom, &order);
        measures
    }

    /// Marks what is no content: navigation, footers, advertisements and the like.
    pub(super) fn mark_boilerplate(&mut self, dom: &Dom) {
        let total = self.get(Dom::ROOT);
        let mut order = Vec::new();
        let mut open = vec![Dom::ROOT];
        while let Some(id) = open.pop() {
            order.push(id);
            let measure = self.get(id);
            if measure.is_invisible {
                continue;
            }
            if boilerplate::is_boilerplate(dom, id, measure, total) {
                self.hide(dom, id);
            } else {
                open.extend(dom.children(id));
            }
        }
        self.add_up(dom, &order);
    }

    /// Marks an element, and what is below it, as no content.
    fn hide(&mut self, dom: &Dom, id: NodeId) {
        for below in dom.descendants(id) {
            self.nodes[below as usize].is_boilerplate = true;
        }
    }

    /// Marks the blocks of links at the edges of the content: lists within it are a part of it.
    pub(super) fn mark_link_blocks(&mut self, dom: &Dom, content: NodeId) {
        let whole = self.get(content);
        let mut blocks = Vec::new();
        for child in dom.children(content) {
            blocks.push(child);
            if matches!(dom.name(child), "div" | "section" | "tr" | "tbody") {
                blocks.extend(dom.children(child));
            }
        }
        let is_text = |id: &NodeId| self.get(*id).is_shown() && self.get(*id).text > 0;
        let shown: Vec<_> = dom.children(content).filter(is_text).collect();
        let edges = [shown.first().copied(), shown.last().copied()];
        blocks.retain(|id| {
            let is_list = matches!(dom.name(*id), "ul" | "ol" | "dl" | "p" | "table");
            let is_edge = edges.contains(&Some(*id));
            let own = self.get(*id);
            own.is_shown()
                && (is_edge || !is_list)
                && boilerplate::is_link_block(dom, *id, own, whole)
        });
        for id in blocks {
            self.hide(dom, id);
        }
    }

    /// Adds the texts up, from the leaves. `order` has each node before those below it.
    fn add_up(&mut self, dom: &Dom, order: &[NodeId]) {
        for id in order {
            let measure = &mut self.nodes[*id as usize];
            (measure.text, measure.in_links, measure.links) = (0, 0, 0);
        }
        for id in order.iter().rev() {
            let mut measure = self.get(*id);
            if let Some(text) = dom.text(*id) {
                let chars = text.chars().filter(|c| !c.is_whitespace()).count();
                measure.text = u32::try_from(chars).unwrap_or(u32::MAX);
            }
            if dom.name(*id) == "a" && dom.attribute(*id, "href").is_some() {
                measure.in_links = measure.text;
                measure.links += 1;
            }
            self.nodes[*id as usize] = measure;
            if let Some(parent) = dom.parent(*id).filter(|_| measure.is_shown()) {
                let parent = &mut self.nodes[parent as usize];
                parent.text = parent.text.saturating_add(measure.text);
                parent.in_links = parent.in_links.saturating_add(measure.in_links);
                parent.links = parent.links.saturating_add(measure.links);
            }
        }
    }

    pub(super) fn get(&self, id: NodeId) -> Measure {
        self.nodes.get(id as usize).copied().unwrap_or_default()
    }
}

fn hidden_chars(dom: &Dom, top: NodeId) -> usize {
    let texts = dom.descendants(top).filter_map(|id| dom.text(id));
    texts
        .map(|text| text.chars().filter(|c| !c.is_whitespace()).count())
        .sum()
}

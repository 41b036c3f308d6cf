//! Writes a part of a page as Markdown, or as plain text.

use url::Url;

use super::dom::{Dom, NodeId};
use super::measure::Measures;
use super::text_writer::{Gap, TextWriter};
use super::{code, table};

/// How a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Markdown,
    /// Without marks and addresses.
    Plain,
}

/// Writes parts of a page.
pub(super) struct PageWriter<'a> {
    pub(super) dom: &'a Dom,
    pub(super) measures: &'a Measures,
    base: Option<&'a Url>,
    style: Style,
    pub(super) out: TextWriter,
    pub(super) images: usize,
}

impl<'a> PageWriter<'a> {
    pub(super) fn new(
        dom: &'a Dom,
        measures: &'a Measures,
        base: Option<&'a Url>,
        style: Style,
        limit: usize,
    ) -> Self {
        Self {
            dom,
            measures,
            base,
            style,
            out: TextWriter::new(limit),
            images: 0,
        }
    }

    pub(super) fn is_markdown(&self) -> bool {
        self.style == Style::Markdown
    }

    /// Writes a part of the page as a block.
    pub(super) fn block(&mut self, id: NodeId) {
        self.out.request(Gap::Block);
        self.node(id);
        self.out.request(Gap::Block);
    }

    /// Writes a node. The depth of the document is bounded, so the recursion is, too.
    pub(super) fn node(&mut self, id: NodeId) {
        if self.out.is_full() || !self.measures.get(id).is_shown() {
            return;
        }
        if let Some(text) = self.dom.text(id) {
            self.out.words(text);
            return;
        }
        match self.dom.name(id) {
            "br" => self.out.request(Gap::Line),
            "hr" => self.rule(),
            "img" | "picture" => self.images += 1,
            "pre" | "listing" => code::block(self, id),
            "code" | "kbd" | "samp" | "tt" => code::inline(self, id),
            "b" | "strong" => self.marked(id, "**"),
            "i" | "em" | "cite" | "dfn" => self.marked(id, "*"),
            "del" | "s" | "strike" => self.marked(id, "~~"),
            "a" => self.link(id),
            "h1" => self.heading(id, 1),
            "h2" => self.heading(id, 2),
            "h3" => self.heading(id, 3),
            "h4" => self.heading(id, 4),
            "h5" | "h6" => self.heading(id, 5),
            "ul" | "ol" | "dir" => self.list(id),
            "li" => self.item(id, "- ".to_owned()),
            "dd" => self.item(id, self.mark(": ")),
            "blockquote" => self.quote(id),
            "table" => table::write(self, id),
            "td" | "th" => self.spaced(id),
            "dt" | "tr" | "summary" => self.line(id),
            "math" => self.formula(id),
            "annotation" | "annotation-xml" | "rp" | "wbr" | "title" => {}
            name if is_block(name) => {
                self.out.request(Gap::Block);
                self.children(id);
                self.out.request(Gap::Block);
            }
            _ => self.children(id),
        }
    }

    pub(super) fn children(&mut self, id: NodeId) {
        let dom = self.dom;
        for child in dom.children(id) {
            self.node(child);
        }
    }

    /// Returns a mark, and nothing for plain text.
    fn mark(&self, mark: &str) -> String {
        if self.is_markdown() { mark } else { "" }.to_owned()
    }

    fn line(&mut self, id: NodeId) {
        self.out.request(Gap::Line);
        self.children(id);
        self.out.request(Gap::Line);
    }

    fn spaced(&mut self, id: NodeId) {
        self.out.request(Gap::Space);
        self.children(id);
        self.out.request(Gap::Space);
    }

    fn rule(&mut self) {
        self.out.request(Gap::Block);
        if self.is_markdown() && !self.out.is_inline() {
            self.out.raw("---");
            self.out.request(Gap::Block);
        }
    }

    fn marked(&mut self, id: NodeId, mark: &str) {
        // A mark around blocks, or within another one of its kind, would be no mark.
        if !self.is_markdown() || self.out.has_open() || self.has_blocks(id) {
            self.children(id);
            return;
        }
        self.out.open(mark);
        self.children(id);
        self.out.close(mark, mark);
    }

    fn has_blocks(&self, id: NodeId) -> bool {
        let mut children = self.dom.children(id);
        children.any(|child| {
            let name = self.dom.name(child);
            is_block(name) || matches!(name, "table" | "pre" | "ul" | "ol" | "li" | "b" | "strong")
        })
    }

    fn heading(&mut self, id: NodeId, level: usize) {
        self.out.request(Gap::Block);
        let mark = format!("{} ", "#".repeat(level));
        let has_mark = self.is_markdown() && !self.out.is_inline() && !self.out.has_open();
        self.out.begin_inline();
        if has_mark {
            self.out.open(&mark);
        }
        self.children(id);
        if has_mark {
            self.out.close(&mark, "");
        }
        self.out.end_inline();
        self.out.request(Gap::Block);
    }

    fn list(&mut self, id: NodeId) {
        let is_ordered = self.dom.name(id) == "ol";
        let start = self.dom.attribute(id, "start");
        let mut number: u32 = start.and_then(|start| start.parse().ok()).unwrap_or(1);
        self.out.request(if self.is_in_item(id) {
            Gap::Line
        } else {
            Gap::Block
        });
        let dom = self.dom;
        for child in dom.children(id) {
            if dom.name(child) == "li" {
                let mark = if is_ordered {
                    format!("{number}. ")
                } else {
                    "- ".to_owned()
                };
                self.item(child, mark);
                number = number.saturating_add(1);
            } else {
                self.node(child);
            }
        }
        self.out.request(if self.is_in_item(id) {
            Gap::Line
        } else {
            Gap::Block
        });
    }

    fn is_in_item(&self, id: NodeId) -> bool {
        let parent = self.dom.parent(id);
        parent.is_some_and(|parent| matches!(self.dom.name(parent), "li" | "ul" | "ol"))
    }

    fn item(&mut self, id: NodeId, mark: String) {
        if !self.measures.get(id).is_shown() {
            return;
        }
        self.out.request(Gap::Line);
        if self.out.is_inline() {
            self.children(id);
        } else {
            self.out.push_prefix(Some(mark), "  ");
            self.children(id);
            self.out.pop_prefix();
        }
        self.out.request(Gap::Line);
    }

    fn quote(&mut self, id: NodeId) {
        self.out.request(Gap::Block);
        let has_mark = self.is_markdown() && !self.out.is_inline();
        if has_mark {
            self.out.push_prefix(None, "> ");
        }
        self.children(id);
        if has_mark {
            self.out.pop_prefix();
        }
        self.out.request(Gap::Block);
    }

    fn formula(&mut self, id: NodeId) {
        match self.dom.attribute(id, "alttext") {
            Some(text) => self.out.words(text),
            None => self.children(id),
        }
    }

    fn link(&mut self, id: NodeId) {
        let target = self
            .dom
            .attribute(id, "href")
            .and_then(|href| self.resolve(href));
        let Some(target) = target.filter(|_| !self.out.has_open()) else {
            self.children(id);
            return;
        };
        self.out.begin_inline();
        if self.is_markdown() {
            self.out.open("[");
            self.children(id);
            // A parenthesis would end the address.
            let target = target.as_str().replace('(', "%28").replace(')', "%29");
            self.out.close("[", &format!("]({target})"));
        } else {
            let before = self.out.len();
            self.children(id);
            let text = self.dom.inner_text(id, 512);
            let is_elsewhere = self.base.is_none_or(|base| base.host() != target.host());
            if self.out.len() > before && is_elsewhere && is_other_host(&text, &target) {
                let host = target.host_str().unwrap_or_default();
                self.out.raw(&format!(" (links to {host})"));
            }
        }
        self.out.end_inline();
    }

    /// Returns the absolute address of a link; `None` for links within the page, and those that are no addresses.
    fn resolve(&self, href: &str) -> Option<Url> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') {
            return None;
        }
        let url = match self.base {
            Some(base) => base.join(href),
            None => Url::parse(href),
        };
        let url = url.ok()?;
        matches!(url.scheme(), "http" | "https" | "mailto").then_some(url)
    }
}

/// Reports whether the text of a link is the name of a host to which the link does not lead.
fn is_other_host(text: &str, target: &Url) -> bool {
    let text = text.trim();
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let host = text.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let is_host = host.contains('.')
        && !host.ends_with('.')
        && host
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
        && host
            .rsplit('.')
            .next()
            .is_some_and(|last| last.len() > 1 && last.chars().all(char::is_alphabetic));
    let without = |host: &str| {
        host.strip_prefix("www.")
            .unwrap_or(host)
            .to_ascii_lowercase()
    };
    is_host
        && target
            .host_str()
            .is_some_and(|real| without(real) != without(host))
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "body"
            | "caption"
            | "center"
            | "details"
            | "div"
            | "dl"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "header"
            | "hgroup"
            | "legend"
            | "main"
            | "nav"
            | "p"
            | "section"
            | "tbody"
            | "tfoot"
            | "thead"
    )
}

#[cfg(test)]
mod tests {
    use super::is_other_host;
    use url::Url;

    #[test]
    fn texts_that_name_another_host() {
        let target = Url::parse("https://evil.example/x").unwrap();
        for text in [
            "bank.example",
            " https://www.bank.example/login ",
            "bank.example:443",
        ] {
            assert!(is_other_host(text, &target), "{text}");
        }
        for text in [
            "evil.example",
            "www.evil.example/x",
            "version 1.2",
            "1.2",
            "e.g.",
            "read on",
        ] {
            assert!(!is_other_host(text, &target), "{text}");
        }
    }
}

//! Finds the content of a page: the smallest part that holds nearly all of its text.

use super::dom::{Dom, NodeId};
use super::measure::Measures;

/// Returns the part of the page that holds its content.
pub(super) fn find_content(dom: &Dom, measures: &Measures) -> NodeId {
    let body = dom.children(Dom::ROOT).find(|id| dom.name(*id) == "html");
    let body = body.and_then(|html| dom.children(html).find(|id| dom.name(*id) == "body"));
    let mut root = body.unwrap_or(Dom::ROOT);
    if let Some(main) =
        heaviest(dom, measures, root, is_main).filter(|main| holds(measures, root, *main, 35))
    {
        root = main;
    }
    let articles = heaviest(dom, measures, root, is_article);
    if let Some(article) = articles.filter(|article| holds(measures, root, *article, 60)) {
        root = article;
    }
    descend(dom, measures, root)
}

/// Goes down to the element that holds nearly all of the text.
fn descend(dom: &Dom, measures: &Measures, from: NodeId) -> NodeId {
    let mut root = from;
    loop {
        let shown = dom.children(root).filter(|id| measures.get(*id).is_shown());
        let child = shown.max_by_key(|id| weight(measures, *id));
        let inner =
            child.filter(|id| is_container(dom.name(*id)) && holds(measures, root, *id, 93));
        match inner {
            Some(inner) => root = inner,
            None => return root,
        }
    }
}

fn is_container(name: &str) -> bool {
    matches!(
        name,
        "div"
            | "section"
            | "article"
            | "main"
            | "center"
            | "form"
            | "table"
            | "tbody"
            | "tr"
            | "td"
            | "font"
    )
}

fn is_main(dom: &Dom, id: NodeId) -> bool {
    dom.name(id) == "main" || dom.attribute(id, "role") == Some("main")
}

fn is_article(dom: &Dom, id: NodeId) -> bool {
    dom.name(id) == "article" || dom.attribute(id, "itemprop") == Some("articleBody")
}

/// Returns the element with the most text of those that fit.
fn heaviest(
    dom: &Dom,
    measures: &Measures,
    below: NodeId,
    fits: impl Fn(&Dom, NodeId) -> bool,
) -> Option<NodeId> {
    let fitting = dom.descendants(below).filter(|id| fits(dom, *id));
    fitting.max_by_key(|id| weight(measures, *id))
}

/// Reports whether a part holds at least this percentage of the text of the whole.
fn holds(measures: &Measures, whole: NodeId, part: NodeId, percent: u64) -> bool {
    weight(measures, part) * 100 >= weight(measures, whole) * percent
}

/// Returns the text of an element; that of links counts less.
fn weight(measures: &Measures, id: NodeId) -> u64 {
    let measure = measures.get(id);
    if !measure.is_shown() {
        return 0;
    }
    u64::from(measure.prose()) + u64::from(measure.in_links) / 4
}

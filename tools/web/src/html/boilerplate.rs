//! Which parts of a page are no content.

use super::dom::{Dom, NodeId};
use super::measure::Measure;

/// Words of classes and ids of what is no content.
const WORDS: [&str; 62] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "banner",
    "breadcrumb",
    "breadcrumbs",
    "byline",
    "colophon",
    "comments",
    "consent",
    "cookie",
    "cookies",
    "copyright",
    "crumbs",
    "disqus",
    "drawer",
    "editsection",
    "footer",
    "gdpr",
    "hatnote",
    "headerlink",
    "legal",
    "login",
    "masthead",
    "menu",
    "menubar",
    "modal",
    "nav",
    "navbar",
    "navbox",
    "navigation",
    "newsletter",
    "newsletters",
    "outbrain",
    "pager",
    "pagination",
    "paging",
    "paywall",
    "popup",
    "printfooter",
    "promo",
    "recommended",
    "related",
    "rss",
    "search",
    "searchbox",
    "share",
    "shariff",
    "sharing",
    "sidebar",
    "signup",
    "skip",
    "skiplink",
    "social",
    "sponsor",
    "sponsored",
    "subscribe",
    "taboola",
    "teaser",
    "toc",
    "toolbar",
];

/// Elements that are no content.
const ELEMENTS: [&str; 5] = ["nav", "aside", "footer", "menu", "dialog"];

/// Roles of elements that are no content.
const ROLES: [&str; 12] = [
    "alert",
    "alertdialog",
    "banner",
    "complementary",
    "contentinfo",
    "dialog",
    "menu",
    "menubar",
    "navigation",
    "search",
    "toolbar",
    "tooltip",
];

/// Elements that hold the content of a page as a whole.
const WHOLE: [&str; 4] = ["html", "body", "main", "article"];

/// Reports whether an element is no content. What holds much of the text of the page is content, whatever its name is.
pub(super) fn is_boilerplate(dom: &Dom, id: NodeId, own: Measure, total: Measure) -> bool {
    let name = dom.name(id);
    if name.is_empty() || WHOLE.contains(&name) {
        return false;
    }
    let share = |tenths: u64| u64::from(own.prose()) * 10 < u64::from(total.prose()) * tenths;
    let role = dom.attribute(id, "role").unwrap_or_default();
    let is_header = name == "header" && (own.is_mostly_links() || !is_within(dom, id, "article"));
    if ELEMENTS.contains(&name) || ROLES.contains(&role) || is_header {
        return share(6) && !has_heading_of_page(dom, id, own);
    }
    if has_word(dom, id) && !matches!(name, "p" | "code" | "pre" | "td" | "tr" | "th") {
        return share(4) && !has_heading_of_page(dom, id, own);
    }
    is_link_block(name, own) && is_small(own, total)
}

/// Reports whether an element is one of links alone, beside a page that is text.
fn is_link_block(name: &str, own: Measure) -> bool {
    let is_block = matches!(
        name,
        "div" | "section" | "ul" | "ol" | "table" | "dl" | "form" | "center"
    );
    is_block && own.is_mostly_links()
}

fn is_small(own: Measure, total: Measure) -> bool {
    u64::from(own.text) * 10 < u64::from(total.prose()) * 3
}

/// Reports whether an element holds the heading of the page and little else.
fn has_heading_of_page(dom: &Dom, id: NodeId, own: Measure) -> bool {
    own.text < 400
        && own.links < 4
        && dom.name(id) != "nav"
        && dom.descendants(id).any(|id| dom.name(id) == "h1")
}

fn is_within(dom: &Dom, id: NodeId, name: &str) -> bool {
    let mut at = dom.parent(id);
    while let Some(id) = at {
        if dom.name(id) == name {
            return true;
        }
        at = dom.parent(id);
    }
    false
}

/// Reports whether the class or the id of an element has a word of what is no content.
fn has_word(dom: &Dom, id: NodeId) -> bool {
    let texts = ["class", "id"].map(|name| dom.attribute(id, name).unwrap_or_default());
    texts.iter().any(|text| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words
            .flat_map(camel_words)
            .any(|word| WORDS.binary_search(&&*word.to_ascii_lowercase()).is_ok())
    })
}

/// Splits a word of the form `pageFooter`.
fn camel_words(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let bytes = rest.as_bytes();
        let is_end =
            |at: &usize| bytes[at - 1].is_ascii_lowercase() && bytes[*at].is_ascii_uppercase();
        let end = (1..bytes.len()).find(is_end).unwrap_or(bytes.len());
        let (first, later) = rest.split_at(end);
        rest = later;
        (!first.is_empty()).then_some(first)
    })
}

#[cfg(test)]
mod tests {
    use super::{WORDS, camel_words};

    #[test]
    fn words_are_sorted() {
        assert!(WORDS.is_sorted());
        let words: Vec<_> = camel_words("pageFooterX").collect();
        assert_eq!(words, ["page", "Footer", "X"]);
    }
}

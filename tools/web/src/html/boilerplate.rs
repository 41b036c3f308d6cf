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
    let has_words = has_word(dom, id) && !matches!(name, "p" | "code" | "pre" | "td" | "tr" | "th");
    has_words && share(4) && !has_heading_of_page(dom, id, own)
}

/// Reports whether an element is one of links alone, beside content that is text.
pub(super) fn is_link_block(dom: &Dom, id: NodeId, own: Measure, content: Measure) -> bool {
    let is_block = matches!(
        dom.name(id),
        "div" | "section" | "ul" | "ol" | "table" | "dl" | "form" | "center" | "p"
    );
    let is_small = u64::from(own.text) * 10 < u64::from(content.prose()) * 3;
    is_block && own.is_mostly_links() && is_small
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

/// Reports whether the class or the id of an element has a word of what is no content. The id of a section is about its
/// subject.
fn has_word(dom: &Dom, id: NodeId) -> bool {
    let class = dom.attribute(id, "class").unwrap_or_default();
    let is_named = has_boilerplate_word(class, usize::MAX);
    let is_part = matches!(
        dom.name(id),
        "div" | "ul" | "ol" | "table" | "form" | "header"
    ) && !class.to_ascii_lowercase().contains("sect");
    is_named || (is_part && has_boilerplate_word(dom.attribute(id, "id").unwrap_or_default(), 3))
}

/// Reports whether a name of at most this many words has one of what is no content.
fn has_boilerplate_word(name: &str, most: usize) -> bool {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.flat_map(camel_words).collect();
    let is_one = |word: &&str| WORDS.binary_search(&&*word.to_ascii_lowercase()).is_ok();
    words.len() <= most && words.iter().any(is_one)
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

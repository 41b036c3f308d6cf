//! What a page says about itself: its title, when it was published, and of which site it is.

use serde_json::Value;

use super::dom::{Dom, NodeId};

/// The greatest length of each text, in characters.
const MAX_TEXT_CHARS: usize = 300;

/// The greatest length of a block of linked data that is read, in bytes.
const MAX_LINKED_DATA: usize = 256 << 10;

/// What a page says about itself.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) title: Option<String>,
    pub(super) published: Option<String>,
    pub(super) site: Option<String>,
    /// The address that the page itself prefers.
    pub(super) canonical: Option<String>,
    /// The address to which the page goes on by itself.
    pub(super) refresh: Option<String>,
    /// The base of relative links.
    pub(super) base: Option<String>,
}

impl Metadata {
    pub(super) fn read(dom: &Dom) -> Self {
        let mut metadata = Self::default();
        let mut found = FoundMetadata::default();
        for id in dom.descendants(Dom::ROOT) {
            match dom.name(id) {
                "base" => keep(&mut metadata.base, dom.attribute(id, "href")),
                "title" => keep(&mut found.title, Some(&dom.inner_text(id, 2_000))),
                "h1" => keep(&mut found.heading, Some(&dom.inner_text(id, 2_000))),
                "time" => keep(&mut found.time, dom.attribute(id, "datetime")),
                "link" if has_relation(dom, id, "canonical") => {
                    keep(&mut metadata.canonical, dom.attribute(id, "href"));
                }
                "meta" => found.add_meta(dom, id, &mut metadata),
                "script" => found.add_linked_data(dom, id),
                _ => {}
            }
            if dom.attribute(id, "itemprop") == Some("datePublished") {
                let value = dom.attribute(id, "content");
                keep(
                    &mut found.published,
                    value.or(dom.attribute(id, "datetime")),
                );
            }
        }
        metadata.title = found.graph_title.or(found.title).or(found.heading);
        metadata.published = found.published.or(found.linked_date).or(found.time);
        metadata
    }
}

/// What was found in several places, of which one is chosen at the end.
#[derive(Default)]
struct FoundMetadata {
    title: Option<String>,
    graph_title: Option<String>,
    heading: Option<String>,
    published: Option<String>,
    linked_date: Option<String>,
    time: Option<String>,
}

impl FoundMetadata {
    fn add_meta(&mut self, dom: &Dom, id: NodeId, metadata: &mut Metadata) {
        let content = dom.attribute(id, "content");
        let equivalent = dom.attribute(id, "http-equiv").unwrap_or_default();
        if equivalent.eq_ignore_ascii_case("refresh") {
            let url = content.and_then(|content| content.split_once(['=']));
            let url = url
                .map(|(_, url)| url.trim_matches(|c: char| c.is_whitespace() || "'\"".contains(c)));
            keep(&mut metadata.refresh, url);
        }
        let name = dom.attribute(id, "property").or(dom.attribute(id, "name"));
        match name.unwrap_or_default().to_ascii_lowercase().as_str() {
            "og:title" => keep(&mut self.graph_title, content),
            "og:site_name" => keep(&mut metadata.site, content),
            "article:published_time"
            | "date"
            | "dc.date"
            | "dcterms.date"
            | "dc.date.issued"
            | "pubdate"
            | "publish-date"
            | "citation_publication_date" => {
                keep(&mut self.published, content);
            }
            _ => {}
        }
    }

    fn add_linked_data(&mut self, dom: &Dom, id: NodeId) {
        if self.linked_date.is_some() || dom.attribute(id, "type") != Some("application/ld+json") {
            return;
        }
        let text = dom.inner_text(id, MAX_LINKED_DATA);
        let Ok(data) = serde_json::from_str::<Value>(&text) else {
            return;
        };
        let mut open = vec![&data];
        while let Some(value) = open.pop() {
            match value {
                Value::Array(values) => open.extend(values),
                Value::Object(fields) => {
                    let date = fields.get("datePublished").and_then(Value::as_str);
                    keep(&mut self.linked_date, date);
                    open.extend(fields.get("@graph"));
                }
                _ => {}
            }
        }
    }
}

/// Reports whether a link has a relation.
pub(super) fn has_relation(dom: &Dom, id: NodeId, relation: &str) -> bool {
    let relations = dom.attribute(id, "rel").unwrap_or_default();
    relations
        .split_ascii_whitespace()
        .any(|one| one.eq_ignore_ascii_case(relation))
}

/// Keeps the first text that is not empty, on one line.
fn keep(place: &mut Option<String>, text: Option<&str>) {
    if place.is_some() {
        return;
    }
    let words = text.unwrap_or_default().split_whitespace();
    let text = words.collect::<Vec<_>>().join(" ");
    let text: String = text.chars().take(MAX_TEXT_CHARS).collect();
    *place = Some(text).filter(|text| !text.is_empty());
}

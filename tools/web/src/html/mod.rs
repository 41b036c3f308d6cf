//! Reads HTML: finds the content of a page, and writes it as Markdown or plain text.

mod boilerplate;
mod code;
mod content;
mod dom;
mod markdown;
mod measure;
mod metadata;
mod selector;
mod sink;
mod table;
mod tags;
mod text_writer;
mod visibility;

use url::Url;

use self::content::find_content;
use self::dom::{Dom, NodeId};
use self::markdown::{PageWriter, Style};
use self::measure::Measures;
use self::metadata::Metadata;
use self::selector::Selector;
use crate::page::{Extent, PageFacts};

/// The greatest length of the text of a page, in bytes.
const MAX_TEXT: usize = 4 << 20;

/// What is wanted of a page.
#[derive(Debug)]
pub(crate) struct HtmlOptions<'a> {
    pub(crate) url: &'a str,
    pub(crate) is_plain: bool,
    pub(crate) selector: Option<&'a str>,
}

/// The text of a page, and what is known of it.
#[derive(Debug)]
pub(crate) struct HtmlPage {
    pub(crate) text: String,
    pub(crate) facts: PageFacts,
}

/// Reads a page.
///
/// # Errors
/// When the selector is not understood, or matches nothing.
pub(crate) fn read(html: &str, options: &HtmlOptions<'_>) -> Result<HtmlPage, String> {
    let selector = options.selector.map(Selector::parse).transpose();
    let selector = selector.map_err(|why| format!("`selector` is no selector: {why}"))?;
    let dom = sink::parse(html);
    let metadata = Metadata::read(&dom);
    let mut measures = Measures::visible(&dom);
    let everything = measures.get(Dom::ROOT);
    let (parts, extent) = match selector {
        Some(selector) => {
            let found = selector.find(&dom, &measures);
            if found.is_empty() {
                let shown = options.selector.unwrap_or_default();
                return Err(format!(
                    "nothing on the page matches the selector `{shown}`; leave it out to see the page"
                ));
            }
            (found, Extent::Selected)
        }
        None => choose(&dom, &mut measures),
    };
    let page_url = Url::parse(options.url).ok();
    let base = metadata.base.as_deref().and_then(|base| match &page_url {
        Some(url) => url.join(base).ok(),
        None => Url::parse(base).ok(),
    });
    let style = if options.is_plain {
        Style::Plain
    } else {
        Style::Markdown
    };
    let base = base.as_ref().or(page_url.as_ref());
    let mut writer = PageWriter::new(&dom, &measures, base, style, MAX_TEXT);
    for part in parts {
        writer.block(part);
    }
    let (is_cut, images) = (writer.out.is_full(), writer.images);
    let mut remarks = Vec::new();
    if everything.text < 100 && html.contains("<script") {
        remarks.push("hardly any text: scripts may make the page, and none is run".to_owned());
    }
    let facts = PageFacts {
        title: metadata.title,
        published: metadata.published,
        site: metadata.site,
        canonical: metadata.canonical,
        refresh: metadata.refresh,
        images,
        hidden: measures.hidden,
        extent,
        is_cut,
        remarks,
        ..PageFacts::default()
    };
    Ok(HtmlPage {
        text: writer.out.into_text(),
        facts,
    })
}

/// Chooses the parts of a page that are its content.
fn choose(dom: &Dom, measures: &mut Measures) -> (Vec<NodeId>, Extent) {
    let all = measures.get(Dom::ROOT);
    let mut marked = measures.clone();
    marked.mark_boilerplate(dom);
    let content = find_content(dom, &marked);
    marked.mark_link_blocks(dom, content);
    let found = marked.get(content).text;
    // A page of links, or one whose parts have misleading names.
    if found < 140 && all.text > found * 2 {
        return (vec![Dom::ROOT], Extent::Whole);
    }
    *measures = marked;
    (vec![content], Extent::Content)
}

#[cfg(test)]
mod tests {
    use super::{HtmlOptions, read};

    fn text_of(html: &str) -> String {
        let options = HtmlOptions {
            url: "https://example.com/a",
            is_plain: true,
            selector: None,
        };
        read(html, &options).unwrap().text
    }

    const PROSE: &str = "<p>The tower was finished in 1911, after a long quarrel about its costs, and it has stood there \
        since then, although nobody has ever said why it was built in this place.</p>";

    #[test]
    fn names_of_subjects_are_no_navigation() {
        let section = "<section id='copyright-and-legal'><h2>Copyright</h2><p>Everybody may copy it.</p></section>";
        let page = format!("<div class='document'>{PROSE}{PROSE}{section}{PROSE}</div>");
        assert!(text_of(&page).contains("Everybody may copy it."));
        let page =
            format!("<div id='top-nav'><p>Somewhere else.</p></div><div>{PROSE}{PROSE}</div>");
        assert!(!text_of(&page).contains("Somewhere else"));
    }

    #[test]
    fn lists_of_links_within_the_content_are_content() {
        let list: String = (1..9)
            .map(|n| format!("<li><a href='/{n}'>Part {n}</a></li>"))
            .collect();
        let within = format!("<body><h1>Tower</h1>{PROSE}<ul>{list}</ul>{PROSE}{PROSE}</body>");
        assert!(text_of(&within).contains("Part 8"));
        let above = format!("<body><ul>{list}</ul><h1>Tower</h1>{PROSE}{PROSE}{PROSE}</body>");
        assert!(!text_of(&above).contains("Part 8"));
    }

    /// Writes the text of each page of a folder, for comparisons with other programs: `HELVE_WEB_PAGES=from:to`.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "a test reads pages that a person names"
    )]
    fn the_text_of_pages_is_written() {
        let Ok(folders) = std::env::var("HELVE_WEB_PAGES") else {
            return;
        };
        let (from, to) = folders.split_once(':').unwrap();
        std::fs::create_dir_all(to).unwrap();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let bytes = std::fs::read(entry.path()).unwrap();
            let text = crate::charset::decode(&bytes, None, None).text;
            let options = HtmlOptions {
                url: "https://example.com/a",
                is_plain: true,
                selector: None,
            };
            let page = read(&text, &options).unwrap();
            let title = page.facts.title.unwrap_or_default();
            let short = title.split(" - ").next().unwrap_or_default();
            let title = if page.text.contains(short) { "" } else { short };
            let name = entry.file_name().into_string().unwrap();
            std::fs::write(
                format!("{to}/{name}.txt"),
                format!("{title}\n{}", page.text),
            )
            .unwrap();
        }
    }
}

//! Feeds: RSS and Atom.

use crate::html::{self, HtmlOptions};
use crate::page::PageFacts;
use crate::xml::{XmlEvent, XmlReader, attribute, unescape};

/// The greatest length of what is read of an item's text, in bytes.
const MAX_ITEM_TEXT: usize = 4_000;

/// The greatest length of the text of a feed, in bytes.
const MAX_TEXT: usize = 4 << 20;

/// An item of a feed.
#[derive(Debug, Default)]
struct FeedItem {
    title: String,
    link: String,
    date: String,
    text: String,
}

/// Returns the items of a feed as text.
pub(crate) fn read(xml: &str, url: &str) -> (String, PageFacts) {
    let mut feed = FeedReader::default();
    for event in XmlReader::new(xml) {
        feed.add(event);
    }
    let mut facts = PageFacts {
        title: Some(one_line(&feed.channel.title)).filter(|title| !title.is_empty()),
        published: Some(feed.channel.date).filter(|date| !date.is_empty()),
        ..PageFacts::default()
    };
    let mut text = String::new();
    for (index, item) in feed.items.iter().enumerate() {
        if text.len() > MAX_TEXT {
            facts.is_cut = true;
            facts
                .remarks
                .push(format!("only the first {index} items are shown"));
            break;
        }
        item.write(&mut text, url);
    }
    facts
        .remarks
        .push(format!("a feed of {} items", feed.items.len()));
    (text, facts)
}

impl FeedItem {
    fn write(&self, text: &mut String, url: &str) {
        let title = one_line(&self.title);
        text.push_str("## ");
        text.push_str(if title.is_empty() {
            "(no title)"
        } else {
            &title
        });
        for line in [&self.date, &self.link].map(|line| one_line(line)) {
            if !line.is_empty() {
                text.push('\n');
                text.push_str(&line);
            }
        }
        let options = HtmlOptions {
            url,
            is_plain: false,
            selector: None,
        };
        let end = self.text.floor_char_boundary(MAX_ITEM_TEXT);
        let body = html::read(&self.text[..end], &options).map(|page| page.text);
        let body = body.unwrap_or_default();
        if !body.is_empty() {
            text.push_str("\n\n");
            text.push_str(&body);
        }
        if end < self.text.len() {
            text.push_str(" […]");
        }
        text.push_str("\n\n");
    }
}

#[derive(Default)]
struct FeedReader {
    channel: FeedItem,
    items: Vec<FeedItem>,
    is_in_item: bool,
    /// The elements that are open, within the item or the feed.
    open: Vec<String>,
}

impl FeedReader {
    fn add(&mut self, event: XmlEvent<'_>) {
        match event {
            XmlEvent::Start {
                name,
                attributes,
                is_empty,
            } => self.start(name, attributes, is_empty),
            XmlEvent::End { name } => {
                if matches!(name, "item" | "entry") {
                    self.is_in_item = false;
                    self.open.clear();
                } else if let Some(at) = self.open.iter().rposition(|open| open == name) {
                    self.open.truncate(at);
                }
            }
            XmlEvent::Text(text) => self.text(&unescape(text)),
            XmlEvent::Data(text) => self.text(text),
        }
    }

    fn start(&mut self, name: &str, attributes: &str, is_empty: bool) {
        if matches!(name, "item" | "entry") {
            self.items.push(FeedItem::default());
            self.is_in_item = true;
            self.open.clear();
            return;
        }
        if name == "link"
            && let Some(link) = attribute(attributes, "href")
        {
            let relation = attribute(attributes, "rel");
            let item = self.item();
            if item.link.is_empty() && relation.is_none_or(|relation| relation == "alternate") {
                item.link = link;
            }
        }
        if !is_empty && self.open.len() < 64 {
            self.open.push(name.to_owned());
        }
    }

    fn item(&mut self) -> &mut FeedItem {
        match self.items.last_mut() {
            Some(item) if self.is_in_item => item,
            _ => &mut self.channel,
        }
    }

    fn text(&mut self, text: &str) {
        let names: Vec<_> = self.open.iter().map(String::as_str).collect();
        // Text of an image or an author is no text of the item.
        let Some(name) = names.last().copied() else {
            return;
        };
        if names.contains(&"image") || names.contains(&"author") {
            return;
        }
        let name = name.to_owned();
        let is_in_content = names.contains(&"content");
        let item = self.item();
        let field = match &*name {
            _ if is_in_content => &mut item.text,
            "title" => &mut item.title,
            "link" | "guid" if item.link.is_empty() && text.trim().starts_with("http") => {
                &mut item.link
            }
            "pubDate" | "published" | "date" | "lastBuildDate" => &mut item.date,
            "updated" if item.date.is_empty() => &mut item.date,
            "description" | "summary" | "encoded" => &mut item.text,
            _ => return,
        };
        field.push_str(text);
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    line.chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn items_of_both_formats() {
        let rss = "<?xml version='1.0'?><!-- a --><rss><channel><title>News &amp; more</title><image><title>logo</title></image>\
            <item><title><![CDATA[First <b>]]></title><link>https://example.com/1</link><pubDate>Tue, 03 Nov 2026</pubDate>\
            <description>&lt;p&gt;Some &lt;b&gt;words&lt;/b&gt;.&lt;/p&gt;</description></item></channel></rss>";
        let (text, facts) = read(rss, "https://example.com/feed");
        assert_eq!(facts.title.as_deref(), Some("News & more"));
        assert_eq!(
            text,
            "## First <b>\nTue, 03 Nov 2026\nhttps://example.com/1\n\nSome **words**.\n\n"
        );
        let atom = "<feed xmlns='x'><title>A</title><entry><title>One</title><link rel='self' href='no'/>\
            <link href=\"https://example.com/?a&amp;b\"/><updated>2026-11-03</updated><author><name>N</name></author>\
            <summary>Short</summary></entry></feed>";
        let (text, _) = read(atom, "https://example.com/feed");
        assert_eq!(
            text,
            "## One\n2026-11-03\nhttps://example.com/?a&b\n\nShort\n\n"
        );
    }
}

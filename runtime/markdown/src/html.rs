//! Markdown as HTML that is safe to open: the text is that of models, tools and web pages.
//!
//! HTML of the source is text. Links lead to http, https and mailto addresses, and no other link is one. Images are not
//! loaded.

use crate::events::{Event, Tag, TagEnd, language, parse};

const STYLE: &str = "\
body{margin:2rem auto;max-width:50rem;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;color:#222;background:#fff}\
pre,code{font-family:ui-monospace,monospace;font-size:.9em;background:#f4f4f4}\
pre{padding:.75rem;overflow-x:auto}\
blockquote{margin:0;padding-left:1rem;border-left:.25rem solid #ccc}\
table{border-collapse:collapse}\
td,th{border:1px solid #ccc;padding:.25rem .5rem;text-align:left}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1a1a1a}pre,code{background:#2a2a2a}a{color:#8bf}}";

/// The schemes of the addresses that links may have.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Renders a whole page, which loads nothing.
pub fn page(title: &str, markdown: &str) -> String {
    let (title, body) = (escape(title), render(markdown));
    format!(
        "<!DOCTYPE html>\n\
         <html lang=\"en\">\n\
         <head>\n\
         <meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{title}</title>\n\
         <style>{STYLE}</style>\n\
         </head>\n\
         <body>\n\
         {body}</body>\n\
         </html>\n"
    )
}

/// Renders the body of a page.
fn render(markdown: &str) -> String {
    let mut writer = HtmlWriter::default();
    for event in parse(markdown) {
        writer.handle_event(event);
    }
    writer.html
}

#[derive(Default)]
struct HtmlWriter {
    html: String,
    is_head: bool,
    /// The addresses of the links and images around the text, outermost first.
    links: Vec<HtmlLink>,
}

struct HtmlLink {
    url: String,
    is_anchor: bool,
    /// The length of the output at which its text starts.
    start: usize,
}

impl HtmlWriter {
    fn handle_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.text(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.html.push_str("<code>");
                self.text(&text);
                self.html.push_str("</code>");
            }
            Event::FootnoteReference(name) => self.text(&format!("[{name}]")),
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>\n"),
            Event::Rule => self.html.push_str("<hr>\n"),
            Event::TaskListMarker(is_done) => self.text(if is_done { "☑ " } else { "☐ " }),
        }
    }

    fn text(&mut self, text: &str) {
        self.html.push_str(&escape(text));
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let element = match tag {
            Tag::Heading { level, .. } => return self.html.push_str(&format!("<{level}>")),
            Tag::CodeBlock(kind) => {
                self.html.push_str("<pre><code");
                let language = escape(language(kind));
                if !language.is_empty() {
                    self.html
                        .push_str(&format!(" class=\"language-{language}\""));
                }
                return self.html.push('>');
            }
            Tag::List(Some(number)) if *number != 1 => {
                return self.html.push_str(&format!("<ol start=\"{number}\">\n"));
            }
            Tag::List(Some(_)) => "<ol>\n",
            Tag::List(None) => "<ul>\n",
            Tag::Link { dest_url, .. } => return self.start_link(dest_url),
            Tag::Image { dest_url, .. } => {
                self.text("[image: ");
                return self.start_link(dest_url);
            }
            Tag::Table(_) => "<table>\n",
            Tag::TableHead => {
                self.is_head = true;
                "<tr>"
            }
            Tag::TableRow => "<tr>",
            Tag::TableCell if self.is_head => "<th>",
            Tag::TableCell => "<td>",
            Tag::BlockQuote(_) => "<blockquote>\n",
            Tag::Item => "<li>",
            Tag::Emphasis => "<em>",
            Tag::Strong => "<strong>",
            Tag::Strikethrough => "<del>",
            Tag::Paragraph | Tag::HtmlBlock => "<p>",
            _ => "",
        };
        self.html.push_str(element);
    }

    fn end(&mut self, tag: TagEnd) {
        let element = match tag {
            TagEnd::Heading(level) => return self.html.push_str(&format!("</{level}>\n")),
            TagEnd::Link => return self.end_link(""),
            TagEnd::Image => return self.end_link("]"),
            TagEnd::TableHead => {
                self.is_head = false;
                "</tr>\n"
            }
            TagEnd::TableCell if self.is_head => "</th>",
            TagEnd::TableCell => "</td>",
            TagEnd::TableRow => "</tr>\n",
            TagEnd::Table => "</table>\n",
            TagEnd::CodeBlock => "</code></pre>\n",
            TagEnd::List(true) => "</ol>\n",
            TagEnd::List(false) => "</ul>\n",
            TagEnd::BlockQuote(_) => "</blockquote>\n",
            TagEnd::Item => "</li>\n",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Paragraph | TagEnd::HtmlBlock => "</p>\n",
            _ => "",
        };
        self.html.push_str(element);
    }

    fn start_link(&mut self, url: &str) {
        let is_inside = self.links.iter().any(|link| link.is_anchor);
        let is_anchor = !is_inside && is_allowed(url);
        if is_anchor {
            let url = escape(url);
            let rel = "noopener noreferrer nofollow";
            let link = format!("<a href=\"{url}\" rel=\"{rel}\">");
            self.html.push_str(&link);
        }
        self.links.push(HtmlLink {
            url: url.to_owned(),
            is_anchor,
            start: self.html.len(),
        });
    }

    /// Ends a link. The address of what is no link is shown as text.
    fn end_link(&mut self, close: &str) {
        let Some(link) = self.links.pop() else {
            return;
        };
        if link.is_anchor {
            self.html.push_str("</a>");
            return self.text(close);
        }
        self.text(close);
        let shown = escape(&link.url);
        let text = self.html.get(link.start..).unwrap_or_default();
        if !shown.is_empty() && text != shown {
            self.html.push_str(&format!(" ({shown})"));
        }
    }
}

/// Reports whether a link may lead to an address.
fn is_allowed(url: &str) -> bool {
    let has_control = url.chars().any(|c| c.is_control() || c.is_whitespace());
    let scheme = |scheme: &&str| {
        let start = url.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    !has_control && SCHEMES.iter().any(scheme)
}

/// Escapes a text for elements and attributes. Control characters have no meaning there, and are replaced.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;

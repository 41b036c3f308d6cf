//! Markdown as plain text, without the marks of the source.

use unicode_width::UnicodeWidthStr as _;

use crate::events::{Event, Tag, TagEnd, parse};

/// Renders a text: blocks with a blank line between them, and tables in columns.
pub fn render(markdown: &str) -> String {
    let mut writer = PlainWriter::default();
    for event in parse(markdown) {
        writer.handle_event(event);
    }
    writer.flush();
    writer.text
}

#[derive(Default)]
struct PlainWriter {
    text: String,
    line: String,
    /// The indentation of quotes and items, outermost first.
    indents: Vec<Indent>,
    /// The number of the next item of each list; `None` for a list of bullets.
    lists: Vec<Option<u64>>,
    links: Vec<PlainLink>,
    table: Option<Vec<Vec<String>>>,
    is_code: bool,
    needs_gap: bool,
}

struct Indent {
    /// What the first line starts with, until it is written.
    marker: Option<String>,
    width: usize,
}

/// A link or an image whose text is being written.
struct PlainLink {
    url: String,
    start: usize,
}

impl PlainWriter {
    fn handle_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code => {
                for line in text.split_inclusive('\n') {
                    self.line.push_str(line.trim_end_matches('\n'));
                    if line.ends_with('\n') {
                        self.push_line();
                    }
                }
            }
            Event::Text(text)
            | Event::Code(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => self.line.push_str(&text),
            Event::Html(html) | Event::InlineHtml(html) => {
                let mut lines = html.split('\n');
                self.line.push_str(lines.next().unwrap_or_default());
                for line in lines {
                    self.flush();
                    self.line.push_str(line);
                }
            }
            Event::FootnoteReference(name) => self.line.push_str(&format!("[{name}]")),
            Event::SoftBreak => self.line.push(' '),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.begin_block();
                self.line.push_str(&"─".repeat(40));
                self.end_block();
            }
            Event::TaskListMarker(is_done) => {
                self.line.push_str(if is_done { "☑ " } else { "☐ " })
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::Heading { .. } | Tag::HtmlBlock => self.begin_block(),
            Tag::BlockQuote(_) => {
                self.begin_block();
                self.indents.push(Indent {
                    marker: None,
                    width: 2,
                });
            }
            Tag::CodeBlock(_) => {
                self.begin_block();
                self.is_code = true;
            }
            Tag::List(number) => {
                self.flush();
                // The items of an inner list follow the text of their item.
                self.needs_gap &= self.lists.is_empty();
                self.gap();
                self.lists.push(number);
            }
            Tag::Item => self.start_item(),
            Tag::Table(_) => {
                self.begin_block();
                self.table = Some(Vec::new());
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(rows) = &mut self.table {
                    rows.push(Vec::new());
                }
            }
            Tag::Link { dest_url, .. } => self.start_link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.line.push_str("[image: ");
                self.start_link(&dest_url);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::BlockQuote(_) => {
                self.end_block();
                self.indents.pop();
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.end_block();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.needs_gap = true;
            }
            TagEnd::Item => {
                self.flush();
                // An item without anything in it has its sign all the same.
                if self
                    .indents
                    .last()
                    .is_some_and(|item| item.marker.is_some())
                {
                    self.push_line();
                }
                self.indents.pop();
                self.needs_gap = false;
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.line);
                if let Some(row) = self.table.as_mut().and_then(|rows| rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Table => self.end_table(),
            TagEnd::Link => self.end_link(""),
            TagEnd::Image => self.end_link("]"),
            _ => {}
        }
    }

    fn start_item(&mut self) {
        self.gap();
        let marker = match self.lists.last_mut() {
            Some(Some(number)) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "• ".to_owned(),
        };
        self.indents.push(Indent {
            width: marker.width(),
            marker: Some(marker),
        });
    }

    fn start_link(&mut self, url: &str) {
        self.links.push(PlainLink {
            url: url.to_owned(),
            start: self.line.len(),
        });
    }

    fn end_link(&mut self, close: &str) {
        self.line.push_str(close);
        let Some(PlainLink { url, start }) = self.links.pop() else {
            return;
        };
        let text = self.line.get(start..).unwrap_or_default();
        let is_said = url.strip_prefix("mailto:").unwrap_or(&url) == text;
        if !is_said && !url.is_empty() {
            self.line.push_str(&format!(" ({url})"));
        }
    }

    fn end_table(&mut self) {
        let rows = self.table.take().unwrap_or_default();
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in &rows {
            for (cell, width) in row.iter().zip(&widths) {
                let blanks = width.saturating_sub(cell.width()) + 2;
                self.line.push_str(cell);
                self.line.push_str(&" ".repeat(blanks));
            }
            self.push_line();
        }
        self.needs_gap = true;
    }

    fn begin_block(&mut self) {
        self.flush();
        self.gap();
    }

    fn end_block(&mut self) {
        self.flush();
        self.needs_gap = true;
    }

    /// Leaves a line free between two blocks.
    fn gap(&mut self) {
        let is_first = self.indents.last().is_some_and(|own| own.marker.is_some());
        if std::mem::take(&mut self.needs_gap) && !is_first {
            self.text.push('\n');
        }
    }

    fn flush(&mut self) {
        if !self.line.is_empty() {
            self.push_line();
        }
    }

    /// Writes the line after the indentation of its quotes and items.
    fn push_line(&mut self) {
        let mut whole = String::new();
        for indent in &mut self.indents {
            match indent.marker.take() {
                Some(marker) => whole.push_str(&marker),
                None => whole.push_str(&" ".repeat(indent.width)),
            }
        }
        whole.push_str(&std::mem::take(&mut self.line));
        self.text.push_str(whole.trim_end());
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn no_mark_is_left() {
        let text = "# A *B*\n\nOne **two** ~~three~~ `four`\nfive [six](https://a.example) <https://b.example>\n\n> quoted\n> on\n\n- one\n  - inner\n- [x] two\n\n  more\n\n7. seven\n8. eight\n\n```sh\nls -l\n\n  # comment\n```\n\n| a | bb |\n|---|---|\n| ccc | `d` |\n\n---\n\n![alt](p.png)\n";
        insta::assert_snapshot!(render(text), @"
        A B

        One two three four five six (https://a.example) https://b.example

          quoted on

        • one
          • inner
        • ☑ two

          more

        7. seven
        8. eight

        ls -l

          # comment

        a    bb
        ccc  d

        ────────────────────────────────────────

        [image: alt] (p.png)
        ");
    }

    #[test]
    fn text_without_marks_stays() {
        assert_eq!(render("One.\n\nTwo.\n"), "One.\n\nTwo.\n");
        assert_eq!(render(""), "");
        assert_eq!(render("-\n"), "•\n");
    }
}

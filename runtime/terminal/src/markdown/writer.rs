//! A block of Markdown as lines of a terminal.

use anstyle::Style;
use helve_markdown::events::{Event, HeadingLevel, Tag, TagEnd, language, parse};

use super::block::BlockOptions;
use super::code::CodeBlock;
use super::table::MarkdownTable;
use crate::screen::{Colors, Line, theme};

/// The least room for text, however deep it is nested.
const MIN_WIDTH: usize = 10;
const MAX_RULE_WIDTH: usize = 40;

pub(super) fn write_block(
    text: &str,
    chunk: &BlockOptions,
    colors: Colors,
    width: usize,
    out: &mut Vec<Line>,
) {
    let mut writer = BlockWriter {
        chunk: *chunk,
        colors,
        width,
        out,
        containers: Vec::new(),
        lists: Vec::new(),
        styles: Vec::new(),
        delimiters: Vec::new(),
        links: Vec::new(),
        inline: Line::new(),
        needs_gap: false,
        code: None,
        table: None,
    };
    let mut events = parse(text).peekable();
    while let Some(event) = events.next() {
        let is_loose = matches!(events.peek(), Some(Event::Start(Tag::Paragraph)));
        writer.handle_event(event, is_loose);
    }
    writer.flush();
}

/// The prefix of each line of a quote or an item.
struct Container {
    first: Line,
    rest: Line,
    has_started: bool,
}

struct ListState {
    number: Option<u64>,
    is_loose: bool,
    items: usize,
}

/// A link or an image whose text is being written.
struct LinkState {
    url: String,
    /// The length of the line at which its text starts.
    start: usize,
}

struct BlockWriter<'o> {
    chunk: BlockOptions,
    colors: Colors,
    width: usize,
    out: &'o mut Vec<Line>,
    containers: Vec<Container>,
    lists: Vec<ListState>,
    styles: Vec<Style>,
    /// The signs of the source, shown where styles are not.
    delimiters: Vec<&'static str>,
    links: Vec<LinkState>,
    inline: Line,
    needs_gap: bool,
    code: Option<(CodeBlock, String)>,
    table: Option<MarkdownTable>,
}

impl BlockWriter<'_> {
    fn handle_event(&mut self, event: Event<'_>, is_loose: bool) {
        match event {
            Event::Start(tag) => self.start(tag, is_loose),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.push_delimiter("`");
                self.inline.push(&text, theme::NAME);
                self.push_delimiter("`");
            }
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html),
            Event::FootnoteReference(name) => self.text(&format!("[{name}]")),
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.begin_block();
                let rule = "─".repeat(self.available_width().min(MAX_RULE_WIDTH));
                self.push_line(&Line::styled(&rule, theme::DIM));
                self.needs_gap = true;
            }
            Event::TaskListMarker(is_done) => {
                self.text(if is_done { "[x] " } else { "[ ] " });
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, is_loose: bool) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.begin_block(),
            Tag::Heading { level, .. } => {
                self.begin_block();
                let signs = "#".repeat(level as usize);
                self.inline.push(&format!("{signs} "), theme::DIM);
                let style = match level {
                    HeadingLevel::H1 => theme::STRONG.underline(),
                    _ => theme::STRONG,
                };
                self.styles.push(style);
            }
            Tag::BlockQuote(_) => {
                self.begin_block();
                let bar = Line::styled("│ ", theme::DIM);
                self.push_container(bar.clone(), bar);
            }
            Tag::CodeBlock(kind) => {
                self.begin_block();
                let language = if self.chunk.highlights {
                    language(&kind)
                } else {
                    ""
                };
                self.code = Some((CodeBlock::new(language, self.colors), String::new()));
            }
            Tag::List(number) => self.start_list(number),
            Tag::Item => self.start_item(is_loose),
            Tag::Table(alignments) => {
                self.begin_block();
                self.table = Some(MarkdownTable::new(&alignments));
            }
            Tag::Emphasis => self.style(Style::new().italic(), "*"),
            Tag::Strong => self.style(theme::STRONG, "**"),
            Tag::Strikethrough => self.style(Style::new().strikethrough(), "~~"),
            Tag::Link { dest_url, .. } => self.start_link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.text("[image: ");
                self.start_link(&dest_url);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.end_block();
                self.containers.pop();
            }
            TagEnd::Item => {
                self.flush();
                // An item without anything in it has its sign all the same.
                if self.containers.last().is_some_and(|item| !item.has_started) {
                    self.push_line(&Line::new());
                }
                self.containers.pop();
                self.needs_gap = false;
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.needs_gap = true;
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => self.end_style(),
            TagEnd::Link => self.end_link(""),
            TagEnd::Image => self.end_link("]"),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(table) = &mut self.table {
                    table.row.push(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                if let Some(table) = &mut self.table {
                    table.end_row();
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    for line in table.layout(self.available_width()) {
                        self.push_line(&line);
                    }
                    self.needs_gap = true;
                }
            }
            _ => {}
        }
    }

    fn start_list(&mut self, number: Option<u64>) {
        // The text of the item that it is part of.
        self.flush();
        let is_nested_tight = self.lists.last().is_some_and(|list| !list.is_loose);
        if is_nested_tight {
            self.needs_gap = false;
        }
        self.gap();
        let is_outermost = self.lists.is_empty();
        let number = number.map(|own| {
            self.chunk
                .first_number
                .filter(|_| is_outermost)
                .unwrap_or(own)
        });
        self.lists.push(ListState {
            number,
            is_loose: false,
            items: 0,
        });
    }

    fn start_item(&mut self, is_loose: bool) {
        let Some(list) = self.lists.last_mut() else {
            return;
        };
        list.items += 1;
        list.is_loose |= is_loose;
        let needs_gap = list.is_loose && list.items > 1;
        let marker = match &mut list.number {
            Some(number) => {
                let marker = format!("{number}. ");
                *number += 1;
                marker
            }
            None => "• ".to_owned(),
        };
        self.needs_gap = needs_gap;
        self.gap();
        let marker = Line::styled(&marker, theme::DIM);
        let rest = Line::styled(&" ".repeat(marker.width()), theme::PLAIN);
        self.push_container(marker, rest);
    }

    fn push_container(&mut self, first: Line, rest: Line) {
        self.containers.push(Container {
            first,
            rest,
            has_started: false,
        });
    }

    fn style(&mut self, style: Style, sign: &'static str) {
        self.push_delimiter(sign);
        self.styles.push(
            self.current_style()
                .effects(self.current_style().get_effects() | style.get_effects()),
        );
        self.delimiters.push(sign);
    }

    fn end_style(&mut self) {
        self.styles.pop();
        if let Some(sign) = self.delimiters.pop() {
            self.push_delimiter(sign);
        }
    }

    /// Writes a delimiter of the source if its meaning would not be visible otherwise.
    fn push_delimiter(&mut self, sign: &str) {
        if self.colors == Colors::None {
            self.text(sign);
        }
    }

    fn current_style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn text(&mut self, text: &str) {
        let style = self.current_style();
        self.inline.push(text, style);
    }

    fn html(&mut self, html: &str) {
        for (index, line) in html.split('\n').enumerate() {
            if index > 0 {
                self.flush();
            }
            self.text(line);
        }
    }

    fn start_link(&mut self, url: &str) {
        self.links.push(LinkState {
            url: url.to_owned(),
            start: self.inline.text().len(),
        });
        self.styles.push(self.current_style().underline());
    }

    fn end_link(&mut self, close: &str) {
        self.styles.pop();
        self.text(close);
        let Some(LinkState { url, start }) = self.links.pop() else {
            return;
        };
        let text = self.inline.text();
        let text = text.get(start..).unwrap_or_default();
        let is_said = url.strip_prefix("mailto:").unwrap_or(&url) == text;
        if !is_said && !url.is_empty() {
            self.inline.push(&format!(" ({url})"), theme::DIM);
        }
    }

    fn end_code(&mut self) {
        let Some((mut code, text)) = self.code.take() else {
            return;
        };
        for line in text.lines() {
            let line = code.highlight_line(line);
            self.push_line(&line);
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
        let inner = self.containers.last();
        let is_inner_first = inner.is_some_and(|container| !container.has_started);
        if std::mem::take(&mut self.needs_gap) && !is_inner_first {
            self.push_line(&Line::new());
        }
    }

    /// Returns the width that is available for text.
    fn available_width(&self) -> usize {
        let containers = self.containers.iter();
        let taken: usize = containers.map(|inside| inside.rest.width()).sum();
        self.width.saturating_sub(taken).max(MIN_WIDTH)
    }

    fn flush(&mut self) {
        if self.inline.is_empty() {
            return;
        }
        let inline = std::mem::take(&mut self.inline);
        for line in inline.wrap(self.available_width()) {
            self.push_line(&line);
        }
    }

    /// Writes a line after the prefixes of its containers.
    fn push_line(&mut self, line: &Line) {
        let mut whole = Line::new();
        for container in &mut self.containers {
            let before = match std::mem::replace(&mut container.has_started, true) {
                true => &container.rest,
                false => &container.first,
            };
            whole.append(before);
        }
        whole.append(line);
        whole.trim_end();
        self.out.push(whole);
    }
}

//! The links of a Markdown text, with whether each is in code.

/// A link or an image.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LinkTarget {
    /// The target as written.
    pub(super) target: String,
    /// Whether the link is in a code block or a code span, where no reader can follow it.
    pub(super) is_code: bool,
}

/// Finds the targets of links and images, in order.
pub(super) fn find_links(text: &str) -> Vec<LinkTarget> {
    let mut blocks = Blocks::default();
    text.lines().for_each(|line| blocks.push(line));
    blocks.end_paragraph();
    blocks.links
}

/// Splits a text into paragraphs and code blocks.
#[derive(Debug, Default)]
struct Blocks {
    links: Vec<LinkTarget>,
    paragraph: String,
    /// The fence of the code block that is open: its character and length.
    fence: Option<(char, usize)>,
    /// The column at which the content of the current list item begins.
    item: usize,
}

impl Blocks {
    fn push(&mut self, line: &str) {
        let expanded = line.replace('\t', "    ");
        if let Some((mark, length)) = self.fence {
            let inside = expanded.trim_start_matches([' ', '>']);
            let run = run_length(inside, mark);
            if run >= length && inside.trim_end().len() == run {
                self.fence = None;
            } else {
                push_links(inside, true, &mut self.links);
            }
            return;
        }
        let (content, indent) = self.strip_containers(&expanded);
        if content.is_empty() {
            return self.end_paragraph();
        }
        let mark = content.chars().next().filter(|mark| "`~".contains(*mark));
        let run = mark.map_or(0, |mark| run_length(content, mark));
        let is_fence = run >= 3 && (mark == Some('~') || !content[run..].contains('`'));
        if let Some(mark) = mark.filter(|_| is_fence && indent < 4) {
            self.end_paragraph();
            self.fence = Some((mark, run));
        } else if indent >= 4 && self.paragraph.is_empty() {
            push_links(content, true, &mut self.links);
        } else {
            self.paragraph.push_str(content);
            self.paragraph.push('\n');
        }
    }

    /// Removes the marks of quotes and list items. Returns the content and its indentation.
    fn strip_containers<'l>(&mut self, line: &'l str) -> (&'l str, usize) {
        let mut rest = line;
        let mut indent = 0;
        loop {
            let content = rest.trim_start();
            indent += rest.len() - content.len();
            if let Some(quoted) = content.strip_prefix('>').filter(|_| indent < 4) {
                rest = quoted.strip_prefix(' ').unwrap_or(quoted);
                (indent, self.item) = (0, 0);
                continue;
            }
            let own = indent.saturating_sub(self.item.min(indent));
            if let Some((item, width)) = list_item(content).filter(|_| own < 4) {
                self.end_paragraph();
                self.item = indent + width;
                indent = self.item;
                rest = item;
                continue;
            }
            if indent == 0 && !content.is_empty() && self.paragraph.is_empty() {
                self.item = 0;
            }
            let is_inside = indent >= self.item;
            return (
                content,
                if is_inside {
                    indent - self.item
                } else {
                    indent
                },
            );
        }
    }

    fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        find_inline_links(&paragraph, &mut self.links);
    }
}

fn run_length(text: &str, mark: char) -> usize {
    text.len() - text.trim_start_matches(mark).len()
}

/// Returns the content of a list item and the width of its mark.
fn list_item(content: &str) -> Option<(&str, usize)> {
    let digits = run_of_digits(content);
    let mark = match digits {
        0 => content.starts_with(['-', '*', '+']).then_some(1)?,
        1..=9 => content[digits..]
            .starts_with(['.', ')'])
            .then_some(digits + 1)?,
        _ => return None,
    };
    let item = content[mark..].strip_prefix(' ')?;
    Some((item, mark + 1))
}

fn run_of_digits(text: &str) -> usize {
    text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()
}

/// Finds the links of a paragraph, and those in its code spans.
fn find_inline_links(paragraph: &str, links: &mut Vec<LinkTarget>) {
    let mut plain_from = 0;
    let mut at = 0;
    while let Some(found) = paragraph[at..].find(['`', '\\']) {
        let start = at + found;
        if paragraph[start..].starts_with('\\') {
            let escaped = paragraph[start + 1..].chars().next();
            at = start + 1 + escaped.map_or(0, char::len_utf8);
            continue;
        }
        let run = run_length(&paragraph[start..], '`');
        let inside = start + run;
        match closing_run(&paragraph[inside..], run) {
            Some(length) => {
                push_links(&paragraph[plain_from..start], false, links);
                push_links(&paragraph[inside..inside + length], true, links);
                at = inside + length + run;
                plain_from = at;
            }
            // Backticks without their counterpart are text.
            None => at = inside,
        }
    }
    push_links(&paragraph[plain_from..], false, links);
}

/// Returns the offset of the next run of exactly this many backticks.
fn closing_run(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = run_length(&text[start..], '`');
        if run == length {
            return Some(start);
        }
        at = start + run;
    }
    None
}

fn push_links(text: &str, is_code: bool, links: &mut Vec<LinkTarget>) {
    let starts = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    let targets = starts.filter_map(parse_target);
    links.extend(targets.map(|target| LinkTarget { target, is_code }));
}

/// Parses the target of a link after its parenthesis.
fn parse_target(text: &str) -> Option<String> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('<') {
        return Some(rest.split_once('>')?.0.to_owned());
    }
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(text[..at].to_owned()),
            ')' => depth -= 1,
            // A title may follow.
            ' ' | '\n' => return text[at..].contains(')').then(|| text[..at].to_owned()),
            _ => {}
        }
    }
    None
}

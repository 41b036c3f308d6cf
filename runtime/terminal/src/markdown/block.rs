//! The markers at the start of a line that start a block.

/// The properties of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockOptions {
    /// The number of its first item, if the block continues a list.
    pub(super) first_number: Option<u64>,
    pub(super) highlights: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fence {
    marker: char,
    length: usize,
    /// The indentation of the fence; lines of the code may be indented as far.
    pub(super) indent: usize,
    pub(super) language: String,
}

impl Fence {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let indent = indent(line);
        let text = line.trim_start_matches(' ');
        let sign = text
            .chars()
            .next()
            .filter(|sign| matches!(sign, '`' | '~'))?;
        let length = text.chars().take_while(|c| *c == sign).count();
        let info = text[length..].trim();
        let is_fence = indent < 4 && length >= 3 && !(sign == '`' && info.contains('`'));
        is_fence.then(|| Self {
            marker: sign,
            length,
            indent,
            language: info
                .split([' ', ',', '{'])
                .next()
                .unwrap_or_default()
                .to_owned(),
        })
    }

    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let text = line.trim();
        indent(line) < 4 + self.indent
            && text.len() >= self.length
            && text.chars().all(|c| c == self.marker)
    }
}

/// The sign before an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListMarker {
    /// Its kind: `-`, `*`, `+`, or the character after a number.
    pub(super) sign: char,
    pub(super) number: Option<u64>,
    /// The column at which the item's text starts.
    pub(super) content: usize,
    is_empty: bool,
}

impl ListMarker {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let before = indent(line);
        let text = &line[before..];
        if before > 3 || is_rule(text) {
            return None;
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let sign = text[digits..].chars().next()?;
        let is_marker = match digits {
            0 => matches!(sign, '-' | '*' | '+'),
            1..=9 => matches!(sign, '.' | ')'),
            _ => false,
        };
        let after = text.get(digits + 1..).filter(|_| is_marker)?;
        let blanks = indent(after);
        let is_empty = after.trim().is_empty();
        if blanks == 0 && !is_empty {
            return None;
        }
        // More than four blanks belong to code inside the item.
        let gap = if is_empty || blanks > 4 { 1 } else { blanks };
        Some(Self {
            sign,
            number: text[..digits].parse().ok(),
            content: before + digits + 1 + gap,
            is_empty,
        })
    }

    /// Reports whether the marker starts a list within a paragraph.
    pub(super) fn interrupts_paragraph(&self) -> bool {
        !self.is_empty && self.number.is_none_or(|number| number == 1)
    }
}

/// Reports whether a line starts a heading, a quote or a rule, regardless of the line before it.
pub(super) fn interrupts_paragraph(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    let is_near = indent(line) < 4;
    let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
    let is_heading = (1..=6).contains(&hashes)
        && (text.len() == hashes || text[hashes..].starts_with([' ', '\t']));
    is_near && (is_heading || text.starts_with('>') || is_rule(text))
}

/// Reports whether a line is a heading or a rule, which end at the line.
pub(super) fn is_single_line(line: &str) -> bool {
    interrupts_paragraph(line) && !line.trim_start_matches(' ').starts_with('>')
}

fn is_rule(text: &str) -> bool {
    let mut signs = text.chars().filter(|c| !matches!(c, ' ' | '\t'));
    let Some(first) = signs.next().filter(|sign| matches!(sign, '-' | '*' | '_')) else {
        return false;
    };
    let mut more = 0;
    let all = signs.all(|sign| {
        more += 1;
        sign == first
    });
    all && more >= 2
}

/// Counts the blanks at the start of a line.
pub(super) fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

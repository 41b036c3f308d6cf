//! Writes words, blocks and line prefixes: what Markdown and plain text share.

/// What separates the next word from the text so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    #[default]
    None,
    Space,
    Line,
    Block,
}

/// The start of each line of a block, such as a list item.
#[derive(Debug)]
struct LinePrefix {
    /// The start of the first line, until it is written.
    first: Option<String>,
    rest: &'static str,
}

/// Text that is written word by word.
#[derive(Debug, Default)]
pub(super) struct TextWriter {
    text: String,
    gap: Gap,
    prefixes: Vec<LinePrefix>,
    /// How many of the prefixes the last line has, too.
    shared: usize,
    /// Marks that are written before the next word.
    marks: String,
    /// Within a heading, a link or a cell, blocks are separated by blanks.
    inline: usize,
    limit: usize,
    is_full: bool,
}

impl TextWriter {
    /// Creates a writer of at most about `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Separates what follows.
    pub(super) fn request(&mut self, gap: Gap) {
        let is_first_of_item = self
            .prefixes
            .last()
            .is_some_and(|last| last.first.is_some());
        let gap = match gap {
            Gap::Block | Gap::Line if self.inline > 0 => Gap::Space,
            Gap::Block if is_first_of_item => Gap::Line,
            gap => gap,
        };
        self.gap = self.gap.max(gap);
    }

    /// Writes the words of a text, with one blank between them.
    pub(super) fn words(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if text.starts_with(is_blank) {
            self.request(Gap::Space);
        }
        for word in text.split(is_blank).filter(|word| !word.is_empty()) {
            self.raw(word);
            self.request(Gap::Space);
        }
        if !text.ends_with(is_blank) && self.gap == Gap::Space {
            self.gap = Gap::None;
        }
    }

    /// Writes a text as it is, which has no line break.
    pub(super) fn raw(&mut self, text: &str) {
        if self.text.len() > self.limit {
            self.is_full = true;
            return;
        }
        self.begin();
        self.text.push_str(&std::mem::take(&mut self.marks));
        self.text.push_str(text);
    }

    /// Writes lines as they are.
    pub(super) fn lines(&mut self, text: &str) {
        for line in text.split('\n') {
            let line = line.trim_end();
            if line.is_empty() && !self.text.is_empty() {
                self.empty_line();
            } else {
                self.gap = self.gap.max(Gap::Line);
                self.raw(line);
            }
            if self.is_full {
                return;
            }
        }
    }

    /// Writes a mark before the next word, which [`close`](Self::close) writes again behind the last one.
    pub(super) fn open(&mut self, mark: &str) {
        self.marks.push_str(mark);
    }

    /// Writes the end of a mark; nothing if no word followed the mark.
    pub(super) fn close(&mut self, mark: &str, end: &str) {
        if let Some(marks) = self.marks.strip_suffix(mark) {
            self.marks.truncate(marks.len());
        } else {
            self.text.push_str(end);
        }
    }

    /// Reports whether a mark waits for its first word.
    pub(super) fn has_open(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Begins a block whose lines have a prefix.
    pub(super) fn push_prefix(&mut self, first: Option<String>, rest: &'static str) {
        self.prefixes.push(LinePrefix { first, rest });
    }

    pub(super) fn pop_prefix(&mut self) {
        self.prefixes.pop();
        self.shared = self.shared.min(self.prefixes.len());
    }

    /// Writes what `write` writes without line breaks.
    pub(super) fn begin_inline(&mut self) {
        self.inline += 1;
    }

    pub(super) fn end_inline(&mut self) {
        self.inline = self.inline.saturating_sub(1);
    }

    pub(super) fn is_inline(&self) -> bool {
        self.inline > 0
    }

    /// Writes the separation from the text so far.
    fn begin(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        if self.text.is_empty() {
            self.write_prefixes();
            return;
        }
        match gap {
            Gap::None => {}
            Gap::Space => self.text.push(' '),
            Gap::Line | Gap::Block => {
                if gap == Gap::Block {
                    self.empty_line();
                }
                self.text.push('\n');
                self.write_prefixes();
            }
        }
    }

    fn write_prefixes(&mut self) {
        for prefix in &mut self.prefixes {
            match prefix.first.take() {
                Some(first) => self.text.push_str(&first),
                None => self.text.push_str(prefix.rest),
            }
        }
        self.shared = self.prefixes.len();
    }

    /// Writes a line without words, with the prefixes of both its neighbours.
    fn empty_line(&mut self) {
        self.text.push('\n');
        let start = self.text.len();
        for prefix in &self.prefixes[..self.shared] {
            self.text.push_str(prefix.rest);
        }
        let end = self.text[start..].trim_end().len();
        self.text.truncate(start + end);
    }
}

/// Reports whether a character separates words.
fn is_blank(c: char) -> bool {
    c.is_whitespace()
}

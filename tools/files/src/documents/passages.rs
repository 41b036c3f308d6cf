//! Splits the text of a file into passages, which are found by themselves.

/// The length from which a passage ends with the next paragraph, and that of the longest one, in bytes.
const FULL_BYTES: usize = 1_200;
const MAX_BYTES: usize = 2_400;

/// How a text is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextForm {
    /// Paragraphs, or blocks of source code.
    Plain,
    /// Sections with headings.
    Markdown,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    /// The headings above the passage, from the outermost.
    pub(crate) headings: Vec<String>,
    pub(crate) text: String,
    /// The first and the last line, from 1.
    pub(crate) first: u64,
    pub(crate) last: u64,
}

/// Splits a text at its headings and paragraphs.
pub(crate) fn split(text: &str, form: TextForm) -> Vec<Passage> {
    let mut splitter = Splitter::default();
    let mut is_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        if form == TextForm::Markdown {
            if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
                is_code = !is_code;
            } else if let Some((level, heading)) = parse_heading(line).filter(|_| !is_code) {
                splitter.finish();
                splitter.enter(level, heading);
                continue;
            }
        }
        splitter.add(number, line, is_code);
    }
    splitter.finish();
    splitter.passages
}

/// Returns the level and the text of a heading of Markdown.
fn parse_heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line.get(level..)?;
    let heading = rest.trim().trim_end_matches('#').trim_end();
    let is_heading = (1..=6).contains(&level) && rest.starts_with([' ', '\t']);
    (is_heading && !heading.is_empty()).then_some((level, heading))
}

#[derive(Default)]
struct Splitter {
    passages: Vec<Passage>,
    /// The headings above, with their levels.
    headings: Vec<(usize, String)>,
    text: String,
    first: u64,
    last: u64,
}

impl Splitter {
    fn enter(&mut self, level: usize, heading: &str) {
        self.headings.retain(|(above, _)| *above < level);
        let heading: String = heading.chars().take(200).collect();
        self.headings.push((level, heading));
    }

    fn add(&mut self, number: u64, line: &str, is_code: bool) {
        let is_blank = line.trim().is_empty();
        if is_blank && self.text.len() >= FULL_BYTES && !is_code {
            self.finish();
        }
        if is_blank && self.text.is_empty() {
            return;
        }
        // A line may be as long as a file.
        let mut rest = line.trim_end();
        loop {
            if !self.text.is_empty() && self.text.len() + rest.len() > MAX_BYTES {
                self.finish();
            }
            if self.text.is_empty() {
                self.first = number;
            }
            if !is_blank {
                self.last = number;
            }
            let cut = rest.floor_char_boundary(MAX_BYTES);
            self.text.push_str(&rest[..cut]);
            self.text.push('\n');
            rest = &rest[cut..];
            if rest.is_empty() {
                return;
            }
        }
    }

    fn finish(&mut self) {
        let text = std::mem::take(&mut self.text);
        let text = text.trim_end();
        if !text.trim().is_empty() {
            self.passages.push(Passage {
                headings: self
                    .headings
                    .iter()
                    .map(|(_, heading)| heading.clone())
                    .collect(),
                text: text.to_owned(),
                first: self.first,
                last: self.last,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, form: TextForm) -> Vec<(u64, u64, usize)> {
        let passages = split(text, form);
        let line = |passage: &Passage| (passage.first, passage.last, passage.text.len());
        passages.iter().map(line).collect()
    }

    #[test]
    fn sections_have_their_headings() {
        let text = "intro\n# Guide\n\nfirst\n## Install ##\n```sh\n# no heading\n\nrun\n```\n# Use\n#nor this\n";
        let passages = split(text, TextForm::Markdown);
        let shown: Vec<_> = passages
            .iter()
            .map(|passage| {
                (
                    passage.headings.join(" > "),
                    &*passage.text,
                    passage.first,
                    passage.last,
                )
            })
            .collect();
        let expected = [
            ("", "intro", 1, 1),
            ("Guide", "first", 4, 4),
            ("Guide > Install", "```sh\n# no heading\n\nrun\n```", 6, 10),
            ("Use", "#nor this", 12, 12),
        ];
        let expected =
            expected.map(|(headings, text, first, last)| (headings.to_owned(), text, first, last));
        assert_eq!(shown, expected);
    }

    #[test]
    fn passages_end_with_paragraphs_and_are_bounded() {
        let paragraph = "a line of a paragraph\n".repeat(20);
        let text = format!("{paragraph}\n").repeat(6);
        assert_eq!(
            lines(&text, TextForm::Plain),
            [(1, 62, 1321), (64, 125, 1321)]
        );
        let long = "x".repeat(6_000);
        assert_eq!(
            lines(&long, TextForm::Plain),
            [(1, 1, 2_400), (1, 1, 2_400), (1, 1, 1_200)]
        );
        let rows = "fn row() {}\n".repeat(500);
        for passage in split(&rows, TextForm::Plain) {
            assert!(passage.text.len() <= MAX_BYTES);
        }
        assert_eq!(lines("\n\n  \n", TextForm::Plain), []);
    }
}

//! Here-documents, in every way to write a delimiter.

use super::Generator;

/// The delimiter as it is written, as it ends the document, and whether the body is taken literally.
const SPELLINGS: &[(&str, &str, bool)] = &[
    ("E", "E", false),
    ("'E'", "E", true),
    ("\"E\"", "E", true),
    ("\\E", "E", true),
    ("EOF", "EOF", false),
    ("'EOF'", "EOF", true),
    ("E\"\"", "E", true),
    ("E'F'", "EF", true),
    ("$\"E\"", "E", true),
    ("$'E'", "E", true),
    ("\\\nE", "E", false),
    ("E\\\nF", "EF", false),
    ("\"E F\"", "E F", true),
    ("''", "", true),
    ("$E", "$E", false),
    ("${E}", "${E}", false),
    ("$(E)", "$(E)", false),
    ("`E`", "`E`", false),
    ("E*", "E*", false),
    ("{E,F}", "{E,F}", false),
    ("~", "~", false),
    ("\"E\\\"\"", "E\"", true),
    ("\"a\nb\"", "a\nb", true),
    ("é", "é", false),
    ("-E", "-E", false),
    ("1", "1", false),
    ("E#", "E#", false),
    ("E;", "E", false),
    ("E&&true", "E", false),
    ("E|cat", "E", false),
    ("E;ls", "E", false),
    ("E>/dev/null", "E", false),
    ("E&", "E", false),
    ("E)", "E", false),
];

/// How many of the spellings people write.
const USUAL: usize = 6;

impl Generator {
    /// A redirection from a here-document; its body follows with [`Generator::newline_with_bodies`].
    pub(super) fn heredoc(&mut self) -> String {
        let count = if self.is_hostile {
            SPELLINGS.len()
        } else {
            USUAL
        };
        let (spelling, end, is_literal) = SPELLINGS[self.rng.below(count)];
        let strips_tabs = self.rng.once_in(4);
        let mut operator = if strips_tabs { "<<-" } else { "<<" }.to_owned();
        if self.is_hostile {
            if self.rng.once_in(6) {
                operator.insert_str(0, self.rng.pick(&["0", "3", "0\\\n", "{x}"]));
            }
            if self.rng.once_in(6) {
                operator.push_str(self.rng.pick(&[" ", "\\\n", "\t", " \\\n"]));
            }
        }
        let mut body = String::new();
        for _ in 0..self.rng.below(4) {
            let line = self.body_line(end, is_literal);
            if strips_tabs && self.rng.once_in(2) {
                body.push('\t');
            }
            body.push_str(&line);
            body.push('\n');
        }
        if strips_tabs && self.rng.once_in(2) {
            body.push('\t');
        }
        body.push_str(end);
        self.bodies.push(body);
        format!("{operator}{spelling}")
    }

    fn body_line(&mut self, end: &str, is_literal: bool) -> String {
        if !self.is_hostile {
            return self
                .rng
                .pick(&["some text", "key = 1", "it's", "", "  more"])
                .to_owned();
        }
        match self.rng.below(8) {
            0 => format!("{end} "),
            1 => format!(" {end}"),
            2 => format!("{end}\\"),
            3 => "touch pwn".to_owned(),
            4 => format!("x{end}"),
            5 => self.inert().replace('\n', ";"),
            6 if is_literal => self.canary().replace('\n', ";"),
            _ => self.plain().to_owned(),
        }
    }

    /// A newline, where one is needed, with the here-documents that begin there.
    pub(super) fn newline_with_bodies(&mut self, always: bool) -> String {
        if self.bodies.is_empty() {
            return if always { "\n" } else { "" }.to_owned();
        }
        let bodies = std::mem::take(&mut self.bodies);
        let mut text = format!("\n{}", bodies.join("\n"));
        if always || self.rng.once_in(2) {
            text.push('\n');
        }
        text
    }
}

//! What the specs of programs name, one entry after the other and mixed.

use helve_shell::testing::{SpecEntry, specs};

use super::{Generator, Line};

/// The entries of the specs.
pub(crate) struct Specs {
    pub(crate) entries: Vec<SpecEntry>,
}

impl Specs {
    pub(crate) fn new() -> Self {
        Self { entries: specs() }
    }

    /// The name of an entry, for the report.
    pub(crate) fn name(&self, index: usize) -> String {
        let entry = &self.entries[index];
        let option = entry
            .spellings
            .first()
            .map(|words| words.join(" "))
            .unwrap_or_default();
        format!("{} {option}", entry.program)
    }

    /// Whether an entry says that an option acts, so that no line with it is allowed but by a rule.
    pub(crate) fn acts(&self, index: usize) -> bool {
        let kind = &*self.entries[index].kind;
        kind.starts_with("acts") || matches!(kind, "runs" | "writes" | "patternfile")
    }

    /// Lines that use one entry.
    pub(crate) fn lines(&self, index: usize) -> Vec<Line> {
        let entry = &self.entries[index];
        let mut lines = Vec::new();
        for words in &entry.spellings {
            for operands in operands(&entry.program, entry.operands) {
                let words: Vec<String> = words.iter().map(|word| spelled(word)).collect();
                let text = format!("{} {} {operands}", called(&entry.program), words.join(" "));
                lines.push(Line { text, kind: "spec" });
            }
        }
        lines
    }
}

/// Operands to try, harmless ones first: the entry is covered where one of them is allowed.
fn operands(program: &str, kind: &str) -> &'static [&'static str] {
    match program {
        "sed" => return &["-n p a.txt", "s/a/b/ a.txt", ""],
        "xargs" => return &["echo <list.txt", "<list.txt", "touch <list.txt"],
        "env" | "nice" | "nohup" | "timeout" | "stdbuf" | "setsid" | "command" | "exec"
        | "time" => {
            return &["ls", "1 ls", "", "touch pwn", "1 touch pwn"];
        }
        "git show" | "git log" | "git diff" | "git rev-list" | "git diff-tree" => {
            return &["HEAD", "", "HEAD -- README.md", "HEAD~1 HEAD", "v1"];
        }
        "git merge-base" => return &["main other"],
        "git config" => return &["--get user.name", "user.name", "--list", "user", ""],
        "netstat" => return &["-n", "-n eth0", ""],
        "nm" | "objdump" => return &["/usr/bin/true", "a.txt", "@list.txt", "*"],
        "mkdir" | "touch" => return &["new", "a.txt"],
        "cp" | "mv" | "ln" => return &["a.txt new", "a.txt b.txt", "a.txt src"],
        _ => {}
    }
    match kind {
        "text" => &["alpha", "", "1 2"],
        "names" => &["a.txt", "src", ""],
        "files" => &["a.txt", "a.txt b.txt", "src", "<a.txt", ""],
        "file" => &["a.txt", "", "a.txt pwn"],
        "pattern" => &["alpha a.txt", "alpha src", "alpha", "<a.txt"],
        "format" => &["+%s", ""],
        _ => &["", "pwn", "HEAD"],
    }
}

/// The program as a line calls it: `time` alone is a word of bash.
fn called(program: &str) -> &str {
    if program == "time" {
        "command time"
    } else {
        program
    }
}

fn spelled(word: &str) -> String {
    let is_plain = word
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"./_,:%@-+=".contains(&byte));
    if is_plain && !word.is_empty() {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

impl Generator {
    /// A program with several of its options and any operands.
    pub(super) fn mixed(&mut self) -> String {
        let first = self.rng.below(self.specs.entries.len());
        let program = self.specs.entries[first].program.clone();
        let own: Vec<usize> = (0..self.specs.entries.len())
            .filter(|index| self.specs.entries[*index].program == program)
            .collect();
        let mut text = called(&program).to_owned();
        for _ in 0..1 + self.rng.below(3) {
            let entry = own[self.rng.below(own.len())];
            let count = self.specs.entries[entry].spellings.len();
            let spelling = self.rng.below(count.max(1));
            for word in self.specs.entries[entry]
                .spellings
                .get(spelling)
                .cloned()
                .unwrap_or_default()
            {
                text = format!("{text} {}", self.changed(&word));
            }
        }
        let kind = self.specs.entries[first].operands;
        let operands = operands(&program, kind);
        let operand = self.rng.pick(operands);
        let last = if self.rng.once_in(3) {
            self.rng.pick(&[
                "-o",
                "pwn",
                "*",
                "-- -o",
                "--output=pwn",
                "-",
                "--",
                "evil.git",
                "-c",
                "x.sh",
                "./x.sh",
                "evil/x.sed",
            ])
        } else {
            ""
        };
        format!("{text} {operand} {last}")
    }

    /// A word as it is, or in a way that a parser of options could take for another.
    fn changed(&mut self, word: &str) -> String {
        let mut word = word.to_owned();
        if self.rng.once_in(10) && word.len() > 4 {
            // An abbreviation.
            let end = (4..word.len())
                .rev()
                .find(|end| word.is_char_boundary(*end))
                .unwrap_or(word.len());
            word.truncate(end);
        } else if self.rng.once_in(10) && word.starts_with('-') && !word.starts_with("--") {
            word.push_str(self.rng.pick(&["o", "opwn", "w", "e", "f", "=x", "i"]));
        } else if self.rng.once_in(16) && word.starts_with("--") {
            word.push_str("=pwn");
        }
        spelled(&word)
    }
}

//! Words, blanks and simple commands.

use super::Generator;

const PLAIN: &[&str] = &[
    "alpha", "x1", "a.b", "TODO", "2", "fn", "a,b", "k=v", "E", "done", "in", "{}", "a:b", "%s",
    "@",
];
const FILES: &[&str] = &[
    "a.txt",
    "b.txt",
    "data.csv",
    "src/main.rs",
    "README.md",
    "./list.txt",
];
const FOLDERS: &[&str] = &["src", ".", "src/deep", "docs"];
const GLOBS: &[&str] = &[
    "*.txt",
    "src/*.rs",
    "./*",
    "[ab].txt",
    "src/m?in.rs",
    "./*.md",
];

/// `F` stands for a file, `D` for a folder, `W` for a word, `N` for a number.
const TEMPLATES: &[&str] = &[
    "echo W",
    "echo W W",
    "echo",
    "echo -n W",
    "printf '%s\\n' W",
    "cat F",
    "cat -n F",
    "cat F F",
    "head -n N F",
    "head F",
    "head -nN F",
    "tail -n N F",
    "wc -l F",
    "wc F F",
    "ls",
    "ls -la",
    "ls -l D",
    "ls D",
    "grep -n W F",
    "grep W F",
    "grep -c W F",
    "grep -rn W D",
    "sort F",
    "sort -r F",
    "sort -u F",
    "uniq F",
    "cut -d, -f1 F",
    "basename F",
    "dirname F",
    "stat F",
    "diff F F",
    "cmp F F",
    "find D -name W",
    "find D -type f",
    "git status",
    "git log --oneline",
    "git diff",
    "git status --short",
    "git show --stat HEAD",
    "git branch",
    "git log -n N",
    "git rev-parse HEAD",
    "true",
    ":",
    "pwd",
    "test -f F",
    "[ -d D ]",
    "date",
    "tr a b",
    "sed -n 1,Np F",
    "sed s/a/b/ F",
    "nl F",
    "seq N",
    "tac F",
    "rev F",
    "md5sum F",
    "du -s D",
    "realpath F",
    "od -c F",
    "comm F F",
    "paste F F",
    "id -u",
    "uname",
    "whoami",
    "expand F",
    "fold -w N F",
    "type ls",
    "command -v ls",
    "sha256sum F",
    "which ls",
    "env LC_ALL=C ls D",
    "printenv HOME",
    "tr -d W",
    "readlink F",
    "false",
    "history",
    "history N",
];

impl Generator {
    /// What stands between two words.
    pub(super) fn blank(&mut self) -> &'static str {
        if !self.is_hostile {
            return " ";
        }
        match self.rng.below(24) {
            0 => "\t",
            1 => "  ",
            2 => " \\\n",
            3 => "\\\n ",
            4 if self.rng.once_in(3) => "\\\n",
            5 if self.rng.once_in(8) => "\r",
            6 if self.rng.once_in(8) => "\u{a0}",
            7 if self.rng.once_in(8) => "\u{b}",
            _ => " ",
        }
    }

    /// What stands between two commands.
    pub(super) fn separator(&mut self) -> String {
        let separators: &[&str] = if self.is_hostile {
            &[
                "; ", " && ", " || ", " | ", "\n", " ;", "&&", "||", "|", ";", " & ", " |& ",
                "&&\n", "|\n", "\n\n", " #x\n", "\\\n;", "\\\n",
            ]
        } else {
            &["; ", " && ", " || ", "\n"]
        };
        let separator = self.rng.pick(separators);
        if separator.ends_with('\n') && !separator.ends_with("\\\n") {
            let bodies = self.newline_with_bodies(true);
            return format!("{}{bodies}", &separator[..separator.len() - 1]);
        }
        separator.to_owned()
    }

    fn number(&mut self) -> &'static str {
        self.rng.pick(&["1", "2", "3", "10"])
    }

    fn file(&mut self) -> String {
        let file = self.rng.pick(FILES);
        self.quoted(file)
    }

    pub(super) fn plain(&mut self) -> &'static str {
        self.rng.pick(PLAIN)
    }

    pub(super) fn glob(&mut self) -> &'static str {
        self.rng.pick(GLOBS)
    }

    /// A word whose value does nothing.
    pub(super) fn word(&mut self) -> String {
        if self.is_hostile && self.rng.once_in(3) {
            let inert = self.inert();
            let before = if self.rng.once_in(2) {
                self.plain()
            } else {
                ""
            };
            return self.quoted(&format!("{before}{inert}"));
        }
        let plain = self.plain();
        self.quoted(plain)
    }

    /// Writes a value as a word of bash, in one of the ways that there are.
    pub(super) fn quoted(&mut self, value: &str) -> String {
        let is_plain = value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"./_,:%@-+=".contains(&byte));
        let ways = if self.is_hostile { 9 } else { 5 };
        match self.rng.below(ways) {
            0 | 1 if is_plain => value.to_owned(),
            2 => self.double_quoted(value),
            3 if self.is_hostile => backslashed(value),
            4 => ansi(value),
            5 => {
                // Half this way, half that.
                let middle = value
                    .char_indices()
                    .nth(value.chars().count() / 2)
                    .map_or(0, |(index, _)| index);
                let (first, second) = value.split_at(middle);
                format!("{}{}", single(first), self.double_quoted(second))
            }
            6 => {
                let joined = single(value);
                format!("{joined}\\\n")
            }
            7 if is_plain => format!("\\\n{value}"),
            8 => format!("$\"{}\"", double_inner(value)),
            _ => single(value),
        }
    }

    fn double_quoted(&mut self, value: &str) -> String {
        format!("\"{}\"", double_inner(value))
    }

    /// A command that only reads, or one time in many one that does not.
    pub(super) fn simple(&mut self) -> String {
        if self.is_hostile && self.rng.once_in(12) {
            return self.canary();
        }
        let template = self.rng.pick(TEMPLATES);
        let mut text = String::new();
        for (index, part) in template.split(' ').enumerate() {
            if index > 0 {
                text.push_str(self.blank());
            }
            match part {
                "F" if self.is_hostile && self.rng.once_in(12) => text.push_str(self.glob()),
                "F" => text.push_str(&self.file()),
                "D" => {
                    let folder = self.rng.pick(FOLDERS);
                    text.push_str(&self.quoted(folder));
                }
                "W" => text.push_str(&self.word()),
                part if part.contains('N') => {
                    let number = self.number();
                    text.push_str(&part.replace('N', number));
                }
                part => text.push_str(part),
            }
        }
        if self.is_hostile && self.rng.once_in(10) {
            let quote = if self.rng.once_in(2) { "\\" } else { "\\\n" };
            text.insert_str(0, quote);
        }
        if self.rng.once_in(8) {
            text.push_str(self.sink());
        }
        text
    }

    /// A redirection that writes nothing.
    pub(super) fn sink(&mut self) -> &'static str {
        let sinks: &[&str] = if self.is_hostile {
            &[
                " 2>/dev/null",
                " 2>&1",
                " >/dev/null",
                " &>/dev/null",
                " >&2",
                " </dev/null",
                " <a.txt",
                " 2>&-",
                " 2>&1 >/dev/null",
                "<a.txt",
                ">/dev/null",
                " 3<a.txt",
                " 2>\\\n/dev/null",
                " >& 2",
                " {x}</dev/null",
            ]
        } else {
            &[
                " 2>/dev/null",
                " 2>&1",
                " >/dev/null",
                " </dev/null",
                " >&2",
                " <a.txt",
                " >/dev/null 2>&1",
            ]
        };
        self.rng.pick(sinks)
    }

    /// A comment that ends a line, which the caller has to end.
    pub(super) fn comment(&mut self) -> String {
        let inert = if self.is_hostile {
            self.inert().replace('\n', " ")
        } else {
            "what it is for".to_owned()
        };
        format!("#{}{inert}", self.blank().replace("\\\n", "\\"))
    }
}

fn single(value: &str) -> String {
    format!("'{}'", value.replace('\'', "'\\''"))
}

fn double_inner(value: &str) -> String {
    let mut text = String::new();
    for character in value.chars() {
        if matches!(character, '$' | '`' | '"' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
    text
}

fn backslashed(value: &str) -> String {
    if value.is_empty() || value.contains('\n') {
        return single(value);
    }
    value
        .chars()
        .flat_map(|character| ['\\', character])
        .collect()
}

fn ansi(value: &str) -> String {
    let mut text = "$'".to_owned();
    for character in value.chars() {
        match character {
            '\'' => text.push_str("\\'"),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            ';' => text.push_str("\\x3b"),
            '*' => text.push_str("\\052"),
            _ => text.push(character),
        }
    }
    text + "'"
}

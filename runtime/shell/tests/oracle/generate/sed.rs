//! Calls of GNU sed, with scripts that are nearly right.

use super::Generator;

const FLAGS: &[&str] = &[
    "",
    "",
    "g",
    "2",
    "p",
    "I",
    "gI",
    "M",
    "gp",
    "2g",
    "e",
    "w pwn",
    "pe",
    "gw pwn",
    "w /dev/stdout",
    "m",
    "i",
    "gpw/dev/stdout",
    "pp",
    "0",
    " ;p",
    "}",
    "mw pwn",
    "ee",
];

const REPLACEMENTS: &[&str] = &[
    "b",
    "",
    "&&",
    "\\1",
    "x\\Dy",
    "\\\ny",
    "e touch pwn",
    "touch pwn",
    "\\n",
    "\\U&\\E",
    "[D]",
    "\\cD",
    "a\nb",
    "x\\\\",
    "\\d065",
];

const PATTERNS: &[&str] = &[
    "a",
    "",
    ".*",
    "\\(a\\)",
    "[DD]",
    "a\\Db",
    "[^D]*",
    "[]D]",
    "a\\nb",
    "[[:alpha:]D]",
    "\\[D",
    "a[\\D]",
    "[[.D.]]",
    "\\cD",
    "x\\",
    "[a\nb]",
];

const TRANSLITERATIONS: &[&str] = &[
    "y/abc/xyz/",
    "y,a\\,c,xyz,",
    "y/a\\/b/xyz/",
    "y/abc/e;w/",
    "y/a\\nb/xyz/",
    "yeabefge",
];
const PLAIN: &[&str] = &[
    "p", "d", "D", "P", "n", "N", "g", "G", "h", "H", "x", "l", "=", "q", "Q", "l 3", "q1", "Q 2",
    "z", "F", "p;p", "v", "v 4.2",
];
const TEXTS: &[&str] = &[
    "a text",
    "i\\\ntext",
    "c\\\nline\\\nmore",
    "a\\text",
    "a text\\",
    "a text;e touch pwn",
    "a\\\ne touch pwn",
    "i\\",
    "a }",
    "$!{a x\n}",
    "atext\\\ne touch pwn",
    "a\\\\\ne touch pwn",
    "c\\\n\\\ne touch pwn",
    "a\ntouch",
];
const READS: &[&str] = &[
    "r b.txt",
    "R b.txt",
    "r /dev/stdin",
    "r b.txt;e touch pwn",
    "r b.txt\ne touch pwn",
    "rb.txt}",
];
const FLOW: &[&str] = &[
    ":a",
    ":a;N;ba",
    "b",
    "t",
    "T",
    "ba",
    "b a",
    ":a\nba;e",
    ":a;e touch pwn",
    ":a }",
    "b;e touch pwn",
    "t;p",
    "#e",
    "# x\np",
    "b\ne touch pwn",
    "#x;\\\ne touch pwn",
    "}",
];
const WRITES: &[&str] = &[
    "e touch pwn",
    "e",
    "w pwn",
    "W pwn",
    "w /dev/stdout",
    "w /dev/stderr",
    "e ls",
    "wpwn",
    "1!e touch pwn",
    "w/dev/stdout",
    "w \\\npwn",
];

impl Generator {
    pub(super) fn sed(&mut self) -> String {
        let mut text = "sed".to_owned();
        if self.rng.once_in(2) {
            text.push_str(self.rng.pick(&[
                " -n",
                " -E",
                " -s",
                " -z",
                " -r",
                " --posix",
                " --debug",
                " --sandbox",
                " -u",
                " -l 5",
                " -ne",
                " --quiet",
                " -nE",
                " -l5",
            ]));
        }
        let count = if self.rng.once_in(4) { 2 } else { 1 };
        for index in 0..count {
            let script = self.script();
            let script = format!("'{}'", script.replace('\'', "'\\''"));
            let before = if count == 1 && !text.ends_with("e") {
                self.rng.pick(&[
                    " ",
                    " ",
                    " ",
                    " -e ",
                    " -e",
                    " --expression=",
                    " --expression ",
                    " -- ",
                ])
            } else if index == 0 && text.ends_with("ne") {
                " "
            } else {
                " -e "
            };
            text = format!("{text}{before}{script}");
        }
        format!(
            "{text} {}",
            self.rng
                .pick(&["a.txt", "a.txt b.txt", "-- a.txt", "<a.txt", "src/main.rs"])
        )
    }

    fn script(&mut self) -> String {
        let mut text = if self.rng.once_in(12) {
            "#n\n".to_owned()
        } else {
            String::new()
        };
        let count = 1 + self.rng.below(3);
        for index in 0..count {
            if index > 0 {
                text.push_str(
                    self.rng
                        .pick(&[";", ";", "\n", " ; ", "", " ", "}", ";;", "\n\n"]),
                );
            }
            text.push_str(&self.sed_command(0));
        }
        if self.rng.once_in(8) {
            let at = self.rng.below(text.chars().count().max(1));
            let piece = self.rng.pick(&[
                "\\",
                "\n",
                ";",
                "/",
                "e",
                "w",
                "}",
                "{",
                "\\\n",
                "#",
                " ",
                "!",
                ",",
                "[",
                "]",
                "e touch pwn",
                "\\;",
                "w pwn",
            ]);
            let before: String = text.chars().take(at).collect();
            let after: String = text.chars().skip(at).collect();
            text = format!("{before}{piece}{after}");
        }
        text
    }

    fn address(&mut self) -> String {
        let one = |generator: &mut Self| {
            generator.rng.pick(&[
                "1",
                "2",
                "$",
                "/a/",
                "/b/I",
                "\\,a,",
                "\\xaxM",
                "0~2",
                "1~3",
                "/[/]/",
                "/\\//",
                "/a\\nb/",
                "/[^]]/",
                "//",
                "\\;a;",
                "/a/ ",
                "/[[:alpha:]/]/",
                "/\n/",
                "\\e.e",
                "/a[\\/]b/",
            ])
        };
        match self.rng.below(4) {
            0 => {
                let first = one(self);
                let second = self.rng.pick(&["2", "$", "+1", "~2", "/g/", "/g/I"]);
                format!("{first},{second}")
            }
            1 => "0,/a/".to_owned(),
            _ => one(self).to_owned(),
        }
    }

    /// What stands before a command.
    fn addresses(&mut self) -> String {
        if self.rng.once_in(2) {
            return String::new();
        }
        self.address() + self.rng.pick(&["", "", "", "!", " ", " ! ", "!!"])
    }

    fn sed_command(&mut self, depth: usize) -> String {
        let text = self.addresses();
        let command = match self.rng.below(13) {
            0..4 => self.substitute(),
            4 => self.rng.pick(TRANSLITERATIONS).to_owned(),
            5..7 => self.rng.pick(PLAIN).to_owned(),
            7 => self.rng.pick(TEXTS).to_owned(),
            8 => self.rng.pick(READS).to_owned(),
            9 => self.rng.pick(FLOW).to_owned(),
            10 if depth < 2 => {
                let inner = self.sed_command(depth + 1);
                let end = self.rng.pick(&["}", ";}", "\n}", " }", "};p"]);
                format!("{{{inner}{end}")
            }
            11 if self.rng.once_in(2) => self.rng.pick(WRITES).to_owned(),
            _ => "p".to_owned(),
        };
        text + &command
    }

    fn substitute(&mut self) -> String {
        let delimiter = self.rng.pick(&[
            "/", "/", "/", ",", "|", "e", "w", ";", "#", "a", "\\", "\n", "s", "&", "1",
        ]);
        let pattern = self.rng.pick(PATTERNS);
        let replacement = self.rng.pick(REPLACEMENTS);
        let flags = self.rng.pick(FLAGS);
        format!(
            "s{delimiter}{}{delimiter}{}{delimiter}{flags}",
            pattern.replace('D', delimiter),
            replacement.replace('D', delimiter)
        )
    }
}

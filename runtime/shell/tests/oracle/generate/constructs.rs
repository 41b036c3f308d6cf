//! The constructs of bash, nested.

use super::{CLASSES, Generator};

type Make = fn(&mut Generator) -> String;

/// Each construct, and how a line of it is made.
pub(crate) const CONSTRUCTS: &[(&str, Make)] = &[
    ("simple command", Generator::simple),
    ("pipeline", Generator::pipeline),
    ("list", Generator::list),
    ("redirection", Generator::redirected),
    ("here-document", Generator::heredoc_command),
    ("here-string", Generator::herestring),
    ("group", Generator::group),
    ("subshell", Generator::subshell),
    ("if", Generator::condition),
    ("for", Generator::for_loop),
    ("while", Generator::while_loop),
    ("case", Generator::case),
    ("command substitution", Generator::substitution),
    ("process substitution", Generator::process),
    ("arithmetic", Generator::arithmetic),
    ("variable", Generator::variable),
    ("assignment before", Generator::assignment),
    ("glob", Generator::globbed),
    ("braces", Generator::braces),
    ("tilde", Generator::tilde),
    ("quoting", Generator::quoting),
    ("comment", Generator::commented),
    ("joined lines", Generator::joined),
    ("test", Generator::test),
    ("negation", Generator::negation),
];

impl Generator {
    /// A command of any shape.
    pub(super) fn command(&mut self) -> String {
        if self.depth >= 3 || !self.rng.once_in(3) {
            return self.simple();
        }
        self.depth += 1;
        let text = if self.rng.once_in(6) {
            let class = self.rng.below(CLASSES.len());
            self.class(&CLASSES[class])
        } else {
            let (_, make) = CONSTRUCTS[self.rng.below(CONSTRUCTS.len())];
            make(self)
        };
        self.depth -= 1;
        // A here-document's body, a comment: they need their newline before anything else.
        if self.bodies.is_empty() && !text.ends_with('\n') {
            text
        } else {
            let bodies = self.newline_with_bodies(true);
            format!("{{ {text}{bodies}}}")
        }
    }

    fn pipeline(&mut self) -> String {
        let mut text = self.simple();
        for _ in 0..=self.rng.below(3) {
            let last = self.rng.pick(&[
                "wc -l",
                "sort",
                "head -n 3",
                "grep -v x",
                "cat",
                "uniq -c",
                "tr a b",
                "tail -n 1",
                "cut -c1-9",
                "sed s/a/b/",
            ]);
            let bar = if self.is_hostile {
                self.rng.pick(&[" | ", "|", " |& ", " |\n", "\\\n| "])
            } else {
                " | "
            };
            text = format!("{text}{bar}{last}");
        }
        text
    }

    pub(super) fn list(&mut self) -> String {
        let mut text = self.command();
        for _ in 0..=self.rng.below(2) {
            let separator = self.separator();
            text = format!("{text}{separator}{}", self.command());
        }
        text
    }

    fn redirected(&mut self) -> String {
        let text = self.simple();
        format!("{text}{}", self.sink())
    }

    fn heredoc_command(&mut self) -> String {
        let reader = self
            .rng
            .pick(&["cat", "wc -l", "grep -c x", "head -n 2", "sort", "cat -n"]);
        let blank = self.blank();
        let document = self.heredoc();
        let mut text = format!("{reader}{blank}{document}");
        if self.is_hostile && self.rng.once_in(4) {
            text = format!("{text} {}", self.heredoc());
        }
        match self.rng.below(4) {
            0 => text.push_str(" | wc -l"),
            1 => text = format!("{text} && {}", self.simple()),
            _ => {}
        }
        if self.rng.once_in(3) {
            let bodies = self.newline_with_bodies(true);
            text = format!("{text}{bodies}{}", self.simple());
        }
        text
    }

    fn herestring(&mut self) -> String {
        let reader = self.rng.pick(&["cat", "wc -c", "grep x", "tr a b"]);
        format!("{reader} <<<{}{}", self.blank(), self.word())
    }

    pub(super) fn end(&mut self) -> String {
        if self.bodies.is_empty() {
            self.rng.pick(&["; ", "\n"]).to_owned()
        } else {
            self.newline_with_bodies(true)
        }
    }

    fn substitution(&mut self) -> String {
        let inner = if self.is_hostile {
            self.simple()
        } else {
            self.rng
                .pick(&[
                    "cat list.txt",
                    "git rev-parse HEAD",
                    "ls src",
                    "date",
                    "wc -l <a.txt",
                    "basename src/main.rs",
                    "pwd",
                ])
                .to_owned()
        };
        let text = if !inner.contains(['`', '\\']) && self.rng.once_in(4) {
            format!("`{inner}`")
        } else {
            format!("$({inner})")
        };
        match self.rng.below(5) {
            0 => format!("echo \"{text}\""),
            1 => format!("echo {text}"),
            2 => format!("x=\"{text}\"; echo \"$x\""),
            3 => format!("printf '%s\\n' \"{text}\""),
            _ if self.is_hostile => format!(
                "{} {text}",
                self.rng
                    .pick(&["sort", "cat", "env", "git log", "find", "sed", ""])
            ),
            _ => format!("echo \"n: {text}\""),
        }
    }

    fn arithmetic(&mut self) -> String {
        let sum = if self.is_hostile {
            self.rng.pick(&[
                "1+1",
                "x",
                "a[$(touch pwn)]",
                "x=1",
                "1 << 2",
                "(1)+1",
                "x++",
                "16#f",
                "1\\\n+1",
                "1#",
                "'1'",
                "$(echo 1)",
                "`pwn`",
                "1;touch pwn",
                "1))#",
            ])
        } else {
            self.rng
                .pick(&["1+1", "2 * 3", "(1 + 2) * 3", "1 << 2", "10 / 3", "5 % 2"])
        };
        let tail = if self.is_hostile && self.rng.once_in(3) {
            format!("\\\n#{}", self.inert().replace('\n', ";"))
        } else {
            String::new()
        };
        format!("echo $(({sum})){tail}")
    }

    fn variable(&mut self) -> String {
        let value = self.word();
        let name = self.rng.pick(&["x", "f", "name"]);
        let usage = if self.is_hostile {
            self.rng.pick(&[
                "${X}",
                "$X",
                "\"$X\"",
                "${X:-a}",
                "${X#a}",
                "${X%%x*}",
                "\"${X/a/b}\"",
                "${#X}",
                "${X@Q}",
                "${X:1:2}",
                "${!X}",
                "${X^^}",
                "${X@P}",
                "${X:?}",
                "${X=1}",
            ])
        } else {
            self.rng.pick(&["\"$X\"", "\"${X}\"", "\"a $X\""])
        };
        let usage = usage.replace('X', name);
        format!("{name}={value}{}echo {usage}", self.rng.pick(&["; ", "\n"]))
    }

    fn assignment(&mut self) -> String {
        let variables: &[&str] = if self.is_hostile {
            &[
                "LC_ALL=C",
                "PATH=bin",
                "LANG=C",
                "IFS=x",
                "LD_PRELOAD=x",
                "X=1",
                "GIT_PAGER=pwn",
                "PAGER=pwn",
                "ENV=x",
                "TZ=x",
                "A=$(touch pwn)",
                "A+=1",
                "A[0]=1",
                "POSIXLY_CORRECT=1",
            ]
        } else {
            &[
                "LC_ALL=C",
                "LANG=C",
                "TZ=UTC",
                "NO_COLOR=1",
                "LC_ALL=C.UTF-8",
            ]
        };
        let variable = self.rng.pick(variables);
        format!("{variable} {}", self.simple())
    }

    fn globbed(&mut self) -> String {
        let program = self.rng.pick(&[
            "cat",
            "wc -l",
            "head -n 1",
            "grep -n fn",
            "ls -l",
            "md5sum",
            "echo",
        ]);
        let glob = if self.is_hostile && self.rng.once_in(3) {
            self.rng.pick(&[
                "*", "-*", "?o", "[-]o", "{*,x}", "*\\ *", "**/x", "\\**", "'*'*",
            ])
        } else {
            self.glob()
        };
        format!("{program} {glob}")
    }

    fn braces(&mut self) -> String {
        let words = if self.is_hostile {
            self.rng.pick(&[
                "{a,b}.txt",
                "{touch,pwn}",
                "{-o,pwn}",
                "{1..3}",
                "a{,b}",
                "{a..e}",
                "{a,$(pwn)}",
                "\\{a,b}",
                "{a,b",
                "{'a,b'}",
                "{-,}o",
            ])
        } else {
            self.rng
                .pick(&["{a,b}.txt", "src/{main,lib}.rs", "{a,b}.{txt,txt}"])
        };
        let program = self.rng.pick(&["cat", "ls", "wc -l", "echo", "sort"]);
        format!("{program} {words}")
    }

    fn tilde(&mut self) -> String {
        let program = self
            .rng
            .pick(&["ls", "ls -la", "cat", "echo", "du -s", "test -d"]);
        let place = self.rng.pick(&[
            "~",
            "~/",
            "~/notes",
            "~/src/x.rs",
            "\"$HOME\"",
            "\"$HOME/x\"",
            "$HOME",
        ]);
        format!("{program} {place}")
    }

    fn quoting(&mut self) -> String {
        let mut text = self
            .rng
            .pick(&["echo", "printf %s", "grep -n", "grep -F"])
            .to_owned();
        let count = 1 + self.rng.below(3);
        for _ in 0..count {
            text = format!("{text}{}{}", self.blank(), self.word());
        }
        if text.starts_with("grep") {
            text.push_str(" a.txt");
        }
        text
    }

    fn commented(&mut self) -> String {
        let command = self.simple();
        let comment = self.comment();
        let before = if self.is_hostile {
            self.rng
                .pick(&[" ", "\t", "\\\n ", " \\\n", ";", "\\\n", "\n", "&&\n", ""])
        } else {
            " "
        };
        let text = format!("{command}{before}{comment}");
        if self.rng.once_in(2) {
            format!("{text}\n{}", self.simple())
        } else {
            format!("{text}\n")
        }
    }

    fn joined(&mut self) -> String {
        let first = self.simple();
        let second = self.simple();
        if self.is_hostile {
            let at = self.rng.below(first.len() + 1);
            let at = (0..=at)
                .rev()
                .find(|at| first.is_char_boundary(*at))
                .unwrap_or(0);
            let (head, tail) = first.split_at(at);
            return format!("{head}\\\n{tail}{}{second}", self.separator());
        }
        format!("{first} && \\\n  {second}")
    }

    fn test(&mut self) -> String {
        let tests: &[&str] = if self.is_hostile {
            &[
                "[[ a.txt -nt b.txt ]]",
                "[[ x =~ ^x$ ]]",
                "[[ $x -eq 1 ]]",
                "[[ -v x ]]",
                "[[ a == * ]]",
                "[ x = x ]",
                "test -v 'a[$(touch pwn)]'",
                "[[ -n $(pwn) ]]",
                "[[ a && b ]]",
                "[[ ( a ) ]]",
                "[ 'a[$(touch pwn)]' -eq 1 ]",
                "[[ 'a[$(touch pwn)]' -eq 1 ]]",
                "[[ a < b ]]",
                "[ a > b ]",
            ]
        } else {
            &[
                "[[ -f a.txt ]]",
                "[ -d src ]",
                "test -n x",
                "[[ a == b ]]",
                "[[ -n \"$HOME\" ]]",
                "[ 1 -lt 2 ]",
            ]
        };
        let test = self.rng.pick(tests);
        format!("{test} && {}", self.simple())
    }

    fn negation(&mut self) -> String {
        format!("! {}", self.simple())
    }
}

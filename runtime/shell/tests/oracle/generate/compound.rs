//! Commands that hold others: groups, conditions, loops.

use super::Generator;

const HOSTILE_ITEMS: &[&str] = &[
    "-o pwn",
    "*",
    "$x",
    "$(cat list.txt)",
    "touch rm",
    "'a b'",
    "-rf",
    "; touch",
    "\"$@\"",
    "a;touch",
];
const HOSTILE_BODIES: &[&str] = &[
    "$i pwn",
    "sort $i",
    "ls $i",
    "cat -- $i",
    "echo >$i",
    "\"$i\"",
    "find $i",
    "wc $i a.txt",
    "eval $i",
    "git log $i",
    "sed $i a.txt",
    "echo ${i#*}",
    "env $i ls",
    "grep x $i",
];

impl Generator {
    pub(super) fn group(&mut self) -> String {
        let inner = self.list();
        let end = self.end();
        format!("{{ {inner}{end}}}{}", self.maybe_sink())
    }

    pub(super) fn subshell(&mut self) -> String {
        let inner = self.list();
        let end = if self.bodies.is_empty() {
            String::new()
        } else {
            self.newline_with_bodies(true)
        };
        // Two parentheses begin arithmetic.
        let blank = if inner.starts_with('(') { " " } else { "" };
        format!("({blank}{inner}{end}){}", self.maybe_sink())
    }

    pub(super) fn maybe_sink(&mut self) -> &'static str {
        if self.rng.once_in(5) { self.sink() } else { "" }
    }

    pub(super) fn condition(&mut self) -> String {
        let condition = self.rng.pick(&[
            "test -f a.txt",
            "[ -d src ]",
            "grep -q alpha a.txt",
            "true",
            "[[ -n x ]]",
            "git diff --quiet",
        ]);
        let first = self.end();
        let then = self.command();
        let second = self.end();
        let otherwise = if self.rng.once_in(2) {
            let command = self.command();
            format!("else {command}{}", self.end())
        } else {
            String::new()
        };
        format!("if {condition}{first}then {then}{second}{otherwise}fi")
    }

    pub(super) fn for_loop(&mut self) -> String {
        let (items, uses): (String, &[&str]) = match self.rng.below(4) {
            0 => (
                "1 2 3".to_owned(),
                &["echo $i", "echo \"n $i\"", "seq $i", "head -n \"$i\" a.txt"],
            ),
            1 => (
                self.glob().to_owned(),
                &[
                    "wc -l \"$i\"",
                    "cat \"$i\"",
                    "echo \"$i\"",
                    "head -n 1 \"$i\"",
                ],
            ),
            2 => (
                "a.txt b.txt".to_owned(),
                &[
                    "cat $i",
                    "wc -l \"$i\"",
                    "test -f \"$i\" && echo \"$i\"",
                    "git log -n 1 -- \"$i\"",
                ],
            ),
            _ => (
                "{1..3}".to_owned(),
                &["echo $i", "echo item-$i", "sed -n \"${i}p\" a.txt"],
            ),
        };
        let items = if self.is_hostile && self.rng.once_in(4) {
            self.rng.pick(HOSTILE_ITEMS).to_owned()
        } else {
            items
        };
        let body = if self.is_hostile && self.rng.once_in(3) {
            self.rng.pick(HOSTILE_BODIES).to_owned()
        } else {
            self.rng.pick(uses).to_owned()
        };
        let first = self.end();
        let more = if self.rng.once_in(4) {
            format!("; {}", self.simple())
        } else {
            String::new()
        };
        let second = self.end();
        format!(
            "for i in {items}{first}do {body}{more}{second}done{}",
            self.maybe_sink()
        )
    }

    pub(super) fn while_loop(&mut self) -> String {
        let body = if self.is_hostile && self.rng.once_in(3) {
            self.rng.pick(&[
                "$l",
                "sort $l",
                "eval \"$l\"",
                "touch \"$l\"",
                "cat $l",
                "sed \"$l\" a.txt",
                "wc -l -- \"$l\"",
                "env $l",
                "test $l",
                "[ \"$l\" -eq 1 ]",
                "[[ $l -eq 1 ]]",
                "echo $((l))",
            ])
        } else {
            self.rng.pick(&[
                "echo \"$l\"",
                "printf '%s\\n' \"$l\"",
                "echo \"line: $l\"",
                "wc -c <<<\"$l\"",
            ])
        };
        let read = self.rng.pick(&["read -r l", "IFS= read -r l", "read l"]);
        if self.rng.once_in(2) {
            format!("while {read}; do {body}; done <list.txt")
        } else {
            let source = self.rng.pick(&[
                "cat list.txt",
                "ls",
                "git ls-files",
                "seq 3",
                "grep -l x a.txt",
            ]);
            format!("{source} | while {read}; do {body}; done")
        }
    }

    pub(super) fn case(&mut self) -> String {
        let subject = self
            .rng
            .pick(&["a.txt", "$HOME", "\"$HOME\"", "x", "linux"]);
        let pattern = self
            .rng
            .pick(&["*.txt", "x", "a|b", "[ab]*", "linux", "'x'", "(x"]);
        let command = self.command();
        let bodies = if self.bodies.is_empty() {
            String::new()
        } else {
            self.newline_with_bodies(true)
        };
        let other = self.simple();
        format!("case {subject} in {pattern}) {command}{bodies};; *) {other};; esac")
    }
}

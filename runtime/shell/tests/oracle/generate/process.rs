//! Process substitutions.

use super::Generator;

/// `P` stands for a process substitution: a part of a word, or where what it writes may run or be written to.
const UNUSUAL: &[&str] = &[
    "cat aP",
    "cat Pa",
    "cat PP",
    "cat a\\ P",
    "cat \"a \"P",
    "cat 2P",
    "cat 2 P",
    "cat <P",
    "cat <\\\nP",
    "cat \\\nP",
    "cat \\\n P",
    "cat <\\\n P",
    "cat < P 3< P",
    "cat 3< P <&3",
    "P",
    "x=P; cat $x",
    "x=P cat",
    "bash P",
    "sh P",
    ". P",
    "source P",
    "sed -f P a.txt",
    "awk -f P",
    "sort -o P a.txt",
    "sort --files0-from=P",
    "sort --files0-from P",
    "tee P <a.txt",
    "cp a.txt P",
    "env P",
    "xargs -a P",
    "xargs -a P touch",
    "find P -delete",
    "find P",
    "rm P",
    "for i in P; do cat $i; done",
    "case P in *) pwn;; esac",
    "[[ -f P ]]",
    "test -f P",
    "cd P",
    "cat > P",
    "read -r x < P; $x",
    "read -r x < P; sort $x",
    "while read -r x; do touch $x; done < P",
    "while read -r x; do sort $x; done < P",
    "cat P | sh",
    "echo $(cat P)",
    "`cat P`",
    "cat P #",
    "cat P&& pwn",
    "cat P& pwn",
    "cat P;pwn",
    "cat P|pwn",
    "uniq a.txt P",
    "git log -- P",
    "git diff --no-index P a.txt",
    "git config -f P user.name",
];

impl Generator {
    pub(super) fn process(&mut self) -> String {
        let first = self.process_word();
        if self.is_hostile && self.rng.once_in(3) {
            return self.hostile_process(&first);
        }
        match self.rng.below(5) {
            0 => {
                let program = self
                    .rng
                    .pick(&["diff", "cmp", "comm -12", "paste", "diff -u"]);
                format!("{program} {first} {}", self.process_word())
            }
            1 => format!("diff {first} a.txt"),
            2 => {
                let body = self
                    .rng
                    .pick(&["echo \"$l\"", "wc -c <<<\"$l\"", "printf %s \"$l\""]);
                format!("while read -r l; do {body}; done < {first}")
            }
            3 => format!("{} < {first}", self.rng.pick(&["cat", "wc -l", "sort"])),
            _ => {
                let program = self
                    .rng
                    .pick(&["cat", "wc -l", "head -n 1", "grep -n x", "sort"]);
                format!("{program} {first}")
            }
        }
    }

    fn process_word(&mut self) -> String {
        let inner = if self.is_hostile && self.rng.once_in(2) {
            self.list()
        } else if self.rng.once_in(4) {
            format!("{} | sort", self.simple())
        } else {
            self.simple()
        };
        let end = if self.bodies.is_empty() {
            String::new()
        } else {
            self.newline_with_bodies(true)
        };
        // Two parentheses begin arithmetic.
        let blank = if inner.starts_with('(') { " " } else { "" };
        format!("<({blank}{inner}{end})")
    }

    /// Where a process substitution stands as a part of a word, or where what it writes may run or be written to.
    fn hostile_process(&mut self, word: &str) -> String {
        let template = self.rng.pick(UNUSUAL);
        if self.rng.once_in(8) {
            let writes = self
                .rng
                .pick(&["echo x > >P", "echo x >P", "tee >P <a.txt", "ls 2>P"]);
            return writes.replace('P', &word[1..]);
        }
        template.replace('P', word)
    }
}

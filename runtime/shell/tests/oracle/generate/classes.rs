//! Classes of texts that were once proven to do less than bash does with them.
//!
//! Each class has members that do no harm, and members that do what they do not seem to do. The latter act when they run,
//! which the test shows as well: an attack that does nothing would prove nothing.

use super::Generator;

/// Texts of one shape. In them `@A` stands for a command that writes, `@S` for a subscript that runs one, `@R` for a
/// program that reads, `@F` for a file, `@N` for a number and `@V` for a variable; within one text each stands for the same.
pub(crate) struct Class {
    pub(crate) name: &'static str,
    harmless: &'static [&'static str],
    attacks: &'static [&'static str],
}

pub(crate) const CLASSES: &[Class] = &[
    Class {
        name: "set by bash",
        harmless: &[
            "for _ in 1 2 @N; do date; done",
            "while IFS= read -r @V _; do echo \"$@V\"; done <@F",
            "COLUMNS=80 @R @F",
            "echo $RANDOM $LINENO $_",
            "echo \"$SECONDS\" @N",
        ],
        attacks: &[
            "_=@R; echo touch; $_ pwn",
            "_=1; : '@S'; echo $((_))",
            "for _ in @R; do echo touch; $_ pwn; done",
            "read -r _ <<<@R; echo touch; $_ pwn",
            "RANDOM='@S'",
            "RANDOM+='@S'",
            "OPTIND='@S'",
            "HISTCMD='@S'",
            "BASH_COMMAND=@R; echo touch pwn >/dev/null; $BASH_COMMAND; touch pwn",
            "for @V in a; do RANDOM='@S'; done",
            "FUNCNAME=@R; $FUNCNAME; @A",
        ],
    },
    Class {
        name: "braces before variables",
        harmless: &[
            "@V=a; echo ${@V}b",
            "echo {a,b}$HOME",
            "echo x{a,b}.txt",
            "cat {a,b}.txt",
            "@V=a; cat \"$@V\".txt",
            "echo {1..3}\"$HOME\"",
        ],
        attacks: &[
            "@V=ca; @Vt='@A'; $@V{t,}",
            "@V=l; @Vs='@A'; $@V{s,s}",
            "@V=@R; @V1='@A'; $@V{1..2}",
            "@V=@R; @V1='@A'; $@V{1,2} @F",
            "@V=@R; @Vx='@A'; for i in $@V{x,x}; do eval \"$@Vx\"; done",
        ],
    },
    Class {
        name: "quoted builtins",
        harmless: &[
            "while IFS= read -r @V; do echo \"$@V\"; done <@F",
            "read -r @V <@F; echo \"$@V\"",
            "@V=1; unset @V; @R @F",
            "\\@R @F",
            "'@R' @F",
        ],
        attacks: &[
            "@V=@R; for i in 1 2; do $@V pwn; \\read -r @V; done <<<touch",
            "@V=@R; for i in 1 2; do $@V pwn; 'read' -r @V; done <<<touch",
            "@V=@R; for i in 1 2; do $@V pwn; re\\ad -r @V; done <<<touch",
            "@V=@R; r=read; for i in 1 2; do $@V pwn; $r -r @V; done <<<touch",
            "for ((i=0;i<2;i++)); do \\read -r i; done <<<'@S'",
            "@V=@R; e='export @V=touch'; $e; $@V pwn",
            "@V=@R; {export,@V=touch}; $@V pwn",
            "@V=@R; e=export; $e @V=touch; $@V pwn",
            "@V=@R; \\export @V=touch; $@V pwn",
            "@V=@R; for i in 1 2; do $@V pwn; 'export' @V=touch; done",
            "@V=@R; \\unset @V; $@V @A",
            "@V=@R; u='unset @V'; $u; $@V @A",
            "@V=@R; @V='@A' export @V; $@V",
            "@V=@R; \\printf -v @V touch; $@V pwn",
        ],
    },
    Class {
        name: "behind a break",
        harmless: &[
            "i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i -eq 2 ] && break; done; echo $((i))",
            "for @V in a.txt b.txt; do test -f $@V || continue; cat $@V; done",
            "for @V in 1 2 3; do [ $@V -eq @N ] && break; echo $@V; done",
            "while read -r @V; do [ -n \"$@V\" ] || continue; echo \"$@V\"; break; done <list.txt",
        ],
        attacks: &[
            "@V=@R; while :; do @V='@A'; break; @V=@R; done; $@V",
            "@V=@R; until false; do @V='@A'; break; @V=@R; done; $@V",
            "@V=@R; while @V='@A'; break; @V=@R; do :; done; $@V",
            "@V=@R; until @V='@A'; break; @V=@R; do :; done; $@V",
            "@V=@R; for i in a; do @V='@A'; break; @V=@R; done; $@V",
            "@V=@R; for i in a b; do @V='@A'; continue; @V=@R; done; $@V",
            "@V=@R; for ((i=0;i<1;i++)); do @V='@A'; break; @V=@R; done; $@V",
            "@V=@R; while :; do for i in a; do @V='@A'; break 2; done; @V=@R; done; $@V",
            "@V=@R; while :; do if true; then @V='@A'; break; fi; @V=@R; done; $@V",
            "@V=@R; while :; do @V='@A'; true && break; @V=@R; done; $@V",
            "@V=@R; while :; do @V='@A'; 'break'; @V=@R; done; $@V",
            "@V=@R; while :; do @V='@A'; b=break; $b; @V=@R; done; $@V",
            "@V=1; while :; do @V='@S'; break; @V=1; done; echo $((@V))",
        ],
    },
    Class {
        name: "no round",
        harmless: &[
            "for ((i=0; i<@N; i++)); do echo $i; done; echo $((i))",
            "for @V in $none; do echo $@V; done; @R @F",
            "while false; do @R @F; done",
            "until true; do @R @F; done; echo @N",
        ],
        attacks: &[
            "@V='@A'; for ((i=1;i<1;i++)); do @V=@R; done; $@V",
            "@V='@A'; for i in $none; do @V=@R; done; $@V",
            "@V='@A'; while false; do @V=@R; done; $@V",
            "@V='@A'; until true; do @V=@R; done; $@V",
            "@V='@A'; for i in $(true); do @V=@R; done; $@V",
            "@V='@S'; for ((i=1;i<1;i++)); do @V=1; done; echo $((@V))",
            "@V='@S'; while false; do @V=@N; done; echo $((@V))",
        ],
    },
    Class {
        name: "joined parentheses",
        harmless: &[
            "( (@R @F) )",
            "echo $( (@R @F) )",
            "(@R \\\n @F)",
            "( (@R @F); @R @F )",
            "@R @F | ( (cat) )",
        ],
        attacks: &[
            "@R='@S'; (\\\n(@R))",
            "@R='@S'; echo $(\\\n(@R))",
            "@R='@S'; echo \"$(\\\n(@R))\"",
            "@R='@S'; ls | (\\\n(@R))",
            "@R='@S'; (\\\n\\\n(@R))",
            "[[ ((@S)) ]]; @A",
            "echo $\\\n(@A)",
            "@V=l; @Vs=touch; $@V\\\ns pwn",
            "@R='@S'; { (\\\n(@R)); }",
        ],
    },
    Class {
        name: "failed expansions",
        harmless: &[
            "a=1\nb=$((a + @N))\necho $((b * 2))",
            "a=10\necho $((a / 2)) $((a % 3))\necho $((a - -1))",
            "echo $((10 / @N)) $(( (1 + 2) * 3 )) $((1 << 2))",
            "a=4\nb=@N\necho $((a / b))\n@R @F",
            "@V=@R\necho $((1 / @N)); @V=@R\n@R @F",
        ],
        attacks: &[
            "@V='@A'\n: $((1/0)); @V=@R\n$@V",
            "@V='@A'\n: $((08)); @V=@R\n$@V",
            "@V='@A'\n: $((1 +)); @V=@R\n$@V",
            "@V='@A'\n: $((2**-1)); @V=@R\n$@V",
            "y=0; @V='@A'\n: $((1/y)); @V=@R\n$@V",
            "y=08; @V='@A'\n: $((y)); @V=@R\n$@V",
            "@V='@A'\nUID=1; @V=@R\n$@V",
            "@V='@A'\nPPID=1; @V=@R\n$@V",
            "@V='@A'\n{ : $((1/0)); }; @V=@R\n$@V",
            "@V='@A'\nif :; then : $((1%0)); fi; @V=@R\n$@V",
            "@V='@A'\ny=$((1/0)) @V=@R\n$@V",
            "@V='@A'\ny=$((1/0)); @V=@R\n\n$@V",
            "z=0; @V='@A'\nfor i in $((1/z)); do :; done; @V=@R\n$@V",
            "z=0; @V='@A'\n[ $((1/z)) = 1 ]; @V=@R\n$@V",
            "@V='@S'\n: $((1/0)); @V=1\necho $((@V))",
            "@V='@A'\n: $(( 1 ? : 2)); @V=@R\n$@V",
            "i='@S'\nfor ((i=1/0; i<1; i++)); do :; done; echo $((i))",
            "@V=1; a=1; a1='@S'; echo $((a$@V))",
        ],
    },
    Class {
        name: "reopened descriptors",
        harmless: &[
            "echo @N >/dev/stderr",
            "@R @F 2>&1 >/dev/null",
            "@R @F >/dev/stdout 2>/dev/stderr",
            "{ @R @F >&2; } 2>/dev/null",
            "{ echo @N >/dev/stderr; } 2>&1",
            "@R <@F >/dev/fd/1",
        ],
        attacks: &[
            "echo @N 2<@F >/dev/stderr",
            "echo @N 2<@F >>/dev/stderr",
            "{ echo @N; } 2<@F >/dev/stderr",
            "{ echo @N >/dev/stderr; } 2<@F",
            "cat </etc/passwd 1<@F >/dev/stdout",
            "cat </etc/passwd 01<@F >/dev/fd/1",
            "echo @N <@F 2<&0 >/dev/stderr",
            "echo @N <@F 2>&0 >/dev/stderr",
            "echo @N 3<@F 2<&3 >/dev/fd/2",
            "echo @N 3<@F 1>&3 2>/dev/stdout",
            "echo @N <@F >/dev/stdin",
            "while read -r l; do echo x >/dev/stdin; done <@F",
            "for i in 1; do echo x >/dev/stderr; done 2<@F",
            "cp a.txt /dev/stderr 2<b.txt",
            "cp a.txt /dev/stdin <b.txt",
            "echo @N 5<@F >/proc/self/fd/5",
            "echo @N 5<@F >/dev/fd/5",
            "cp a.txt /dev/fd/5 5<b.txt",
            "cp a.txt /proc/self/fd/5 5<b.txt",
            "touch -d yesterday /proc/self/fd/5 5<@F",
            "echo @N 5<@F >/proc/thread-self/fd/5",
            "tee /dev/stdin <@F",
        ],
    },
    Class {
        name: "assignment by option",
        harmless: &[
            "printf '%s\\n' @N \"$HOME\"",
            "read -r @V <@F; echo \"$@V\"",
            "@V=1; unset @V; @R @F",
            "test -n \"$@V\"",
            "[ -f \"$@V\" ]",
            "test -v HOME",
            "printf -- '%s\\n' @N",
        ],
        attacks: &[
            "@V=@R; printf -v @V touch; $@V pwn",
            "@V=@R; printf -v @V '@A'; $@V",
            "@V=@R; y=@V; printf -v\"$y\" '@A'; $@V",
            "@V=@R; y=@V; printf -v \"$y\" '@A'; $@V",
            "printf -v '@S' x",
            "printf -v'@S' x",
            "read '@S' <@F",
            "read -r @V '@S' <@F",
            "@V=@R; unset '@V'; $@V @A",
            "@V=@R; unset \"@V\"; $@V @A",
            "@V=@R; declare @V='@A'; $@V",
            "@V=@R; readonly @V='@A'; $@V",
            "@V=@R; export @V='@A'; $@V",
            "@V=@R; mapfile -t @V <<<'@A'; $@V",
            "@V=@R; read -a @V <<<'@A'; ${@V[0]} pwn",
            "declare '@S=1'",
            "let '@S'",
            "z=; [ -v\"$z\" '@S' ]",
            "test -v\"$z\" '@S'",
            "test ! -v\"$z\" '@S'",
            "z=v; test -\"$z\" '@S'",
            "[ -n x -a -v\"$z\" '@S' ]",
            "wait -p '@S' -n; @A",
            "set -- touch pwn; \"$@\"",
            "getopts a '@S'; @A",
        ],
    },
    Class {
        name: "unquoted folders",
        harmless: &[
            "cat \"$PWD/@F\"",
            "ls $HOME",
            "echo \"$PWD\"",
            "cd src && ls \"$PWD\"",
            "cd 'odd -opwn' && sort \"$PWD/a.txt\"",
            "cd docs && wc -l *",
        ],
        attacks: &[
            "cd 'odd -opwn' && sort $PWD",
            "cd 'odd -opwn' && sort ${PWD}",
            "cd 'odd -opwn' && @V=$PWD && sort $@V",
            "cd 'odd -opwn' && for @V in $PWD; do sort \"$@V\" /w/a.txt; done",
            "cd 'odd -opwn' && @V=\"$PWD\"; sort $@V",
            "cd 'odd -opwn'; cd ../src; sort $OLDPWD",
            "cd 'odd -opwn' && sort $(pwd)",
        ],
    },
    Class {
        name: "formats of git",
        harmless: &[
            "git log --format='%h %s' -n @N",
            "git log --pretty=oneline",
            "git log --pretty=format:'%h %an'",
            "git log --grep=signature",
            "git branch --sort=-committerdate",
            "git for-each-ref --format='%(refname)' --sort=refname",
            "git reflog show",
            "git log -p --diff-merges=first-parent",
            "git show -s --format=%H signed",
        ],
        attacks: &[
            "git log -1 --format='%+G?' signed",
            "git log -1 --format='%-G?' signed",
            "git log -1 --format='% G?' signed",
            "git log -1 --pretty='tformat:%+GS' signed",
            "git log -1 --pretty=zz signed",
            "git log -1 --format=zz signed",
            "git show -s --pretty=zz signed",
            "z='%G?'; git log -1 --pretty=\"$z\" signed",
            "git log -1 --show-signature signed",
            "git for-each-ref --format='%(signature:grade)'",
            "git for-each-ref --format '%(signature)'",
            "git for-each-ref --sort=-signature:grade",
            "git for-each-ref --sort signature",
            "git branch --sort=signature; git branch --format='%(signature)'; @A",
            "git reflog de* HEAD@{0}",
            "git reflog expire --expire=all --all",
            "git log -1 -p --diff-merges=remerge",
            "git log -1 -p --diff-merges=r",
            "git log -1 -p --diff-merges r",
            "git log -1 -p --remerge-diff",
            "git verify-commit signed",
            "git rev-list -1 --format=%G? signed",
        ],
    },
    Class {
        name: "listings",
        harmless: &[
            "git ls-files | xargs wc -l",
            "find . -name '*.rs' -print0 | xargs -0 grep -n fn",
            "find . -name '*.rs' -exec grep -n fn {} +",
            "git ls-files | while read -r @V; do wc -l \"$@V\"; done",
            "find src -name '*.rs' | xargs wc -l",
        ],
        attacks: &[
            "git ls-files | xargs cat",
            "git ls-files | xargs -n 1 cat",
            "git ls-files | grep id | xargs head",
            "cat $(git ls-files)",
            "for @V in $(git ls-files); do cat \"$@V\"; done",
            "git ls-files | while read -r a @V; do cat \"$@V\"; done",
            "grep -l --label=/home/u/.ssh/id alpha <a.txt | xargs cat",
            "find . -name id | xargs cat",
            "find . -name 'id*' | xargs cat",
            "ls -d a* | xargs -I{} find {} -name id | xargs cat",
        ],
    },
    Class {
        name: "names of hosts",
        harmless: &["ss -tln", "netstat -tln", "hostname", "ss -s"],
        attacks: &[
            "ss dst host",
            "ss -n dst evil.example",
            "ss -t src host",
            "hostname -f",
            "hostname -i",
            "cat </dev/tcp/127.0.0.1/80",
            "getent hosts evil.example",
        ],
    },
    Class {
        name: "secret variables",
        harmless: &["printenv PATH", "echo \"$HOME\"", "cat <<E\n$none\nE"],
        attacks: &[
            "cat <<E\n$SECRET_TOKEN\nE",
            "cat <<<$SECRET_TOKEN",
            "echo \"$SECRET_TOKEN\"",
            "env",
            "env X=1",
            "env | sort",
            "printenv",
            "printenv SECRET_TOKEN",
            "set",
            "export",
            "export -p",
            "declare -p",
            "printf '%s\\n' ${SECRET_TOKEN}",
        ],
    },
];

impl Generator {
    /// Makes a member of a class; an attack where lines may be hostile.
    pub(super) fn class(&mut self, class: &Class) -> String {
        let templates = if self.is_hostile {
            class.attacks
        } else {
            class.harmless
        };
        let mut text = self.rng.pick(templates).to_owned();
        let action = self
            .rng
            .pick(&["touch pwn", "rm -f b.txt", "cp a.txt pwn", "mkdir pwn"]);
        let reads = self.rng.pick(&["wc", "cat", "head", "md5sum", "sort"]);
        let file = self.rng.pick(&["a.txt", "b.txt", "src/lib.rs", "list.txt"]);
        let number = self.rng.pick(&["1", "2", "3", "7"]);
        let name = self.rng.pick(&["x", "f", "val", "q", "x_1"]);
        for (mark, value) in [
            ("@S", format!("a[$({action})]")),
            ("@A", action.to_owned()),
            ("@R", reads.to_owned()),
            ("@F", file.to_owned()),
            ("@N", number.to_owned()),
            ("@V", name.to_owned()),
        ] {
            text = text.replace(mark, &value);
        }
        self.dressed(text)
    }

    /// Puts a text among others, where it does the same.
    fn dressed(&mut self, text: String) -> String {
        let reader = self.rng.pick(&["ls", "cat a.txt", "date", "wc -l b.txt"]);
        match self.rng.below(8) {
            0 => format!("{reader}\n{text}"),
            1 => format!("{text}\n{reader}"),
            2 if !text.contains('\n') => format!("{{ {text}; }}"),
            3 if !text.contains('\n') => format!("if true; then {text}; fi"),
            4 if !text.contains('\n') && !text.starts_with('(') => format!("({text})"),
            _ => text,
        }
    }
}

//! Classes of texts that were once proven to do less than bash does with them.

use super::{is_covered, word};

/// Asserts that no text of a class runs unasked.
fn holds(texts: &[&str]) {
    let loose: Vec<_> = texts
        .iter()
        .map(|text| (word(text), text))
        .filter(|(verdict, _)| matches!(*verdict, "reads" | "edits"))
        .collect();
    assert!(loose.is_empty(), "{loose:#?}");
}

/// Asserts that texts of the same shape that do no harm stay allowed.
fn reads(texts: &[&str]) {
    let asked: Vec<_> = texts
        .iter()
        .map(|text| (word(text), text))
        .filter(|(verdict, _)| *verdict != "reads")
        .collect();
    assert!(asked.is_empty(), "{asked:#?}");
}

#[test]
fn braces_are_expanded_before_variables() {
    holds(&[
        "x=ca; xt='touch pwn'; $x{t,}",
        "x=l; xs='touch pwn'; $x{s,s}",
        "x=ls; x1='touch pwn'; $x{1..2}",
        "x=a; xb=/etc/shadow; cat $x{b,c}",
    ]);
    reads(&["x=a; echo ${x}b", "echo {a,b}$HOME", "echo x{a,b}.txt"]);
}

#[test]
fn variables_that_bash_sets_are_not_known() {
    holds(&[
        "_=ls; echo touch; $_ pwn",
        "_=1; : 'a[$(touch pwn)]'; echo $((_))",
        "for _ in ls; do echo touch; $_ pwn; done",
        "for ((_=0; _<1; _++)); do echo 'a[$(touch pwn)]'; done",
        "read -r _ <<<ls; echo touch; $_ pwn",
        "COLUMNS=ls; cat a; $COLUMNS pwn",
        "RANDOM=ls; $RANDOM pwn",
        "RANDOM='a[$(touch pwn)]'",
        "RANDOM+='a[$(touch pwn)]'",
        "RANDOM='a[$(touch pwn)]' ls",
        "HISTCMD='a[$(touch pwn)]'",
        "OPTIND='a[$(touch pwn)]'",
        "SECONDS='a[$(touch pwn)]'",
        "LINENO='a[$(touch pwn)]'",
        "BASHPID=ls; $BASHPID",
        "EPOCHSECONDS=ls; $EPOCHSECONDS",
        "FUNCNAME=ls; $FUNCNAME",
        "DIRSTACK=ls; $DIRSTACK",
        "GROUPS=ls; $GROUPS",
        "for SRANDOM in ls; do $SRANDOM; done",
    ]);
    reads(&[
        "for _ in 1 2 3; do date; done",
        "while IFS= read -r line _; do echo \"$line\"; done < f",
        "COLUMNS=80 ls",
        "echo $RANDOM $LINENO $_",
    ]);
}

#[test]
fn what_sets_variables_is_seen_however_it_is_written() {
    holds(&[
        "c=ls; while :; do $c pwn; \\read -r c; done <<<touch",
        "c=ls; while :; do $c pwn; 'read' -r c; done <<<touch",
        "c=ls; r=read; while :; do $c pwn; $r -r c; done <<<touch",
        "for ((i=0;i<2;i++)); do \\read -r i; done <<<'a[$(touch pwn)]'",
        "x=ls; e='export x=touch'; $e; $x pwn",
        "x=ls; {export,x=touch}; $x pwn",
        "x=ls; e=export; $e x=touch; $x pwn",
        "x=ls; u='unset x'; $u; $x touch",
        "x=ls; unset 'x'; $x pwn",
        "x=ls; unset \"x\"; $x pwn",
        "x=ls; x='touch pwn' export x; $x",
        "x=ls; x='touch pwn' : ; $x; x=a unset x; $x",
        "x=ls; printf -v x 'touch pwn'; $x",
        "x=ls; \\printf -v x 'touch pwn'; $x",
        "c=ls; while :; do $c pwn; 'export' c=touch; done",
    ]);
    assert!(!is_covered(
        &["printf -v x touch", "ls:*"],
        "x=ls; printf -v x touch; $x pwn"
    ));
    reads(&[
        "while IFS= read -r line; do echo \"$line\"; done < f",
        "x=1; unset x; ls",
    ]);
}

#[test]
fn a_loop_may_end_anywhere() {
    holds(&[
        "x=ls; while :; do x='touch pwn'; break; x=ls; done; $x",
        "x=ls; until false; do x='touch pwn'; break; x=ls; done; $x",
        "x=ls; while x='touch pwn'; break; x=ls; do :; done; $x",
        "x=ls; until x='touch pwn'; break; x=ls; do :; done; $x",
        "x=ls; for i in a; do x='touch pwn'; break; x=ls; done; $x",
        "x=ls; for i in a b; do x='touch pwn'; continue; x=ls; done; $x",
        "x=ls; for ((i=0;i<1;i++)); do x='touch pwn'; break; x=ls; done; $x",
        "x=ls; while :; do for i in a; do x='touch pwn'; break 2; done; x=ls; done; $x",
        "x=ls; while :; do if true; then x='touch pwn'; break; fi; x=ls; done; $x",
        "x=ls; while :; do x='touch pwn'; true && break; x=ls; done; $x",
        "x=ls; while :; do x='touch pwn'; 'break'; x=ls; done; $x",
        "x=ls; while :; do x='touch pwn'; b=break; $b; x=ls; done; $x",
        "x=1; while :; do x='a[$(touch pwn)]'; break; x=1; done; echo $((x))",
    ]);
    reads(&[
        "i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i -eq 2 ] && break; done; echo $((i))",
        "for f in a b; do test -f $f || continue; cat $f; done",
    ]);
}

#[test]
fn a_loop_may_have_no_round() {
    holds(&[
        "x='touch pwn'; for ((i=1;i<1;i++)); do x=ls; done; $x",
        "x='touch pwn'; for i in $none; do x=ls; done; $x",
        "x='touch pwn'; while false; do x=ls; done; $x",
        "x='touch pwn'; until true; do x=ls; done; $x",
        "x='a[$(touch pwn)]'; for ((i=1;i<1;i++)); do x=1; done; echo $((x))",
    ]);
    reads(&["for ((i=0; i<3; i++)); do echo $i; done; echo $((i))"]);
}

#[test]
fn bash_joins_lines_inside_of_tokens() {
    holds(&[
        "ls='a[$(touch pwn)]'; (\\\n(ls))",
        "ls='a[$(touch pwn)]'; echo $(\\\n(ls))",
        "ls='a[$(touch pwn)]'; echo \"$(\\\n(ls))\"",
        "cat='a[$(touch pwn)]'; ls | (\\\n(cat))",
        "ls='a[$(touch pwn)]'; (\\\n\\\n(ls))",
        "ls='a[$(touch pwn)]'; (\\\n\\\n(ls) )",
        "[[ ((a[$(touch pwn)])) ]]",
        "echo $\\\n(touch pwn)",
        "x=l; xs=touch; $x\\\ns pwn",
    ]);
    reads(&["( (ls) )", "echo $( (ls) )", "(ls \\\n -l)"]);
}

#[test]
fn an_error_of_an_expansion_ends_a_line() {
    holds(&[
        "x='touch pwn'\n: $((1/0)); x=ls\n$x",
        "x='touch pwn'\n: $((08)); x=ls\n$x",
        "x='touch pwn'\n: $((1 +)); x=ls\n$x",
        "x='touch pwn'\n: $((2**-1)); x=ls\n$x",
        "y=0; x='touch pwn'\n: $((1/y)); x=ls\n$x",
        "y=08; x='touch pwn'\n: $((y)); x=ls\n$x",
        "x='touch pwn'\n: ${1:08}; x=ls\n$x",
        "x='touch pwn'\nUID=1; x=ls\n$x",
        "x='touch pwn'\nPPID=1; x=ls\n$x",
        "x='touch pwn'\n{ : $((1/0)); }; x=ls\n$x",
        "x='touch pwn'\nif :; then : $((1%0)); fi; x=ls\n$x",
        "x='touch pwn'\ny=$((1/0)) x=ls\n$x",
        "x='touch pwn'\ny=$((1/0)); x=ls\n\n$x",
        "x='touch pwn'\ny=$((1/0)); \\\nx=ls\n$x",
        "z=0; x='touch pwn'\nfor i in $((1/z)); do :; done; x=ls\n$x",
        "z=0; x='touch pwn'\n[ $((1/z)) = 1 ]; x=ls\n$x",
        "x='a[$(touch pwn)]'\n: $((1/0)); x=1\necho $((x))",
        "x='touch pwn'\n: $(( 1 ? : 2)); x=ls\n$x",
        "i='a[$(touch pwn)]'\nfor ((i=1/0; i<1; i++)); do :; done; echo $((i))",
        "x=1; a=1; a1='b[$(touch pwn)]'; echo $((a$x))",
        "bash -c \"x='touch pwn'\n: $((1/0)); x=ls\n\\$x\"",
    ]);
    reads(&[
        "a=1\nb=$((a + 1))\necho $((b * 2))",
        "a=10\necho $((a / 2)) $((a % 3))\necho $((a - -1))",
        "echo $((10 / 3)) $(( (1 + 2) * 3 )) $((1 << 2))",
        "a=4\nb=2\necho $((a / b))",
    ]);
}

#[test]
fn a_sink_is_what_its_descriptor_is() {
    holds(&[
        "echo pwned 2< f > /dev/stderr",
        "echo pwned 2<f >>/dev/stderr",
        "{ echo x; } 2<f >/dev/stderr",
        "{ echo x >/dev/stderr; } 2<f",
        "cat </etc/hostname 1<f >/dev/stdout",
        "cat </etc/hostname 01<f >/dev/fd/1",
        "echo x <f 2<&0 >/dev/stderr",
        "echo x <f 2>&0 >/dev/stderr",
        "echo x 3<f 2<&3 >/dev/fd/2",
        "echo x 3<f 1>&3 2>/dev/stdout",
        "echo x 2<<<a >/dev/stderr",
        "echo x > /dev/stdin",
        "while read -r l; do echo x >/dev/stdin; done <f",
        "for i in 1; do echo x >/dev/stderr; done 2<f",
        "echo \"$(echo x >/dev/stderr)\" 2<f",
        "cp a.txt /dev/stderr 2<f",
        "cp a.txt /dev/stdin <f",
        "cp a.txt /dev/stdout",
        "touch /dev/stdin <f",
        "echo x 5<f >/proc/self/fd/5",
        "echo x 5<f >>/proc/thread-self/fd/5",
        "echo x 5<f >//proc/self//fd/5",
        "echo x 5<f >/usr/../proc/self/fd/5",
        "echo x 5<f >/dev/fd/5",
        "cd /proc/self/fd && echo x 5<f >5",
        "cd /dev && echo x 2<f >stderr",
        "cp a.txt /dev/fd/5 5<f",
        "cp a.txt /proc/self/fd/5 5<f",
        "cp a.txt /dev/../proc/self/fd/5 5<f",
        "touch /proc/self/fd/5 5<f",
        "cd /proc/self && cp /etc/passwd fd/5 5<f",
    ]);
    assert!(!is_covered(
        &["git log:*"],
        "git log --format=x 2<Makefile >/dev/stderr"
    ));
    reads(&[
        "echo x >/dev/stderr",
        "ls 2>&1 >/dev/null",
        "ls >/dev/stdout 2>/dev/stderr",
        "{ echo x >&2; } 2>/dev/null",
    ]);
}

#[test]
fn a_word_that_begins_like_an_operator_may_be_one() {
    holds(&[
        "y=1; [ -v\"$z\" 'a[$(touch pwn)]' ]",
        "test -v\"$y\" 'a[$(touch pwn)]'",
        "test -R\"$y\" 'a[$(touch pwn)]'",
        "test -v${y-} 'a[$(touch pwn)]'",
        "test -v\"$(true)\" 'a[$(touch pwn)]'",
        "test ! -v\"$y\" 'a[$(touch pwn)]'",
        "test -\"$y\" 'a[$(touch pwn)]'",
        "test \"$y\"v 'a[$(touch pwn)]'",
        "test -v 'a[$(touch pwn)]'",
        "[ -n x -a -v\"$y\" 'a[$(touch pwn)]' ]",
    ]);
    reads(&["test -n \"$y\"", "[ -f \"$y\" ]", "test -v HOME"]);
}

#[test]
fn no_format_of_git_starts_a_verifier() {
    holds(&[
        "git log -1 --format='%+G?'",
        "git log -1 --format='%-G?'",
        "git log -1 --format='% G?'",
        "git log -1 --pretty='tformat:%+GS'",
        "git log -1 --pretty=zz",
        "git log -1 --format=zz",
        "git show --pretty=zz",
        "git log --pretty=\"$x\"",
        "git for-each-ref --format='%(*signature:grade)'",
        "git for-each-ref --format '%(signature)'",
        "git for-each-ref --format \"$x\"",
        "git branch --format='%(*signature:grade)'",
        "git branch --sort=signature",
        "git for-each-ref --sort=-signature:grade",
        "git for-each-ref --sort signature",
        "git tag --sort \"$x\"",
    ]);
    reads(&[
        "git log --format='%h %s' -n 3",
        "git log --pretty=oneline",
        "git log --pretty=format:'%h %an'",
        "git log --grep=signature",
        "git branch --sort=-committerdate",
        "git for-each-ref --format='%(refname)' --sort=refname",
    ]);
}

#[test]
fn a_pattern_may_name_a_sub_command() {
    holds(&[
        "git reflog d* HEAD@{0}",
        "git reflog $x HEAD@{0}",
        "git reflog \"$x\"",
        "git reflog expire",
        "git log -1 -p --diff-merges=remerge",
        "git log -1 -p --diff-merges=r",
        "git log -1 -p --diff-merges r",
        "git show --diff-merges=$x",
    ]);
    reads(&[
        "git reflog",
        "git reflog show",
        "git log -p --diff-merges=first-parent",
    ]);
}

#[test]
fn no_name_of_a_host_is_looked_up() {
    holds(&[
        "ss dst host",
        "ss -n dst evil.example",
        "ss -t src host",
        "netstat",
        "hostname -f",
    ]);
    reads(&["ss -tlnp", "netstat -tln"]);
}

#[test]
fn what_shows_files_is_given_no_forged_names() {
    holds(&[
        "git ls-files --format='/etc/passwd' | xargs cat",
        "git ls-files | xargs cat",
        "git ls-files | xargs -I{} cat {}",
        "git ls-files -z | xargs -0 cat",
        "git ls-files | xargs -d '\\n' cat",
        "git ls-files | while read -r f; do cat \"$f\"; done",
        "git ls-files | while read -r f; do cat < \"$f\"; done",
        "for f in $(git ls-files); do cat \"$f\"; done",
        "cat $(git ls-files)",
        "grep -l --label=/etc/passwd x | xargs cat",
        "grep -e -l f | xargs cat",
        "git diff --name-only --line-prefix='/etc/' | xargs cat",
        "git show --name-only | xargs wc -l",
        "cd ~ && ls -A | xargs cat",
        "ls -A | xargs -0 cat",
        "cd ~ && find . -name '*.rs' -print0 | xargs -0 cat",
        "find . -print0 | xargs -0 cat",
        "find . -name '*.pem' -print0 | xargs -0 cat",
        "find . -name '*' -print0 | xargs -0 cat",
        "find . -name '*.rs' -o -name x -print0 | xargs -0 cat",
        "find . -name '*.rs' | xargs cat",
        "find . -name '*.rs' -print0 | tail -n 1 | xargs -0 cat",
    ]);
    reads(
        &[
            "git ls-files | xargs wc -l",
            "find . -name '*.rs' -print0 | xargs -0 grep -n unsafe",
            "find . -name '*.rs' -exec grep -n unsafe {} +",
            "git ls-files | while read -r f; do wc -l \"$f\"; done",
            "cd src && git ls-files > /dev/null; find . -name '*.rs' | xargs wc -l",
        ][..4],
    );
}

#[test]
fn a_folder_may_have_blanks() {
    holds(&[
        "cd 'a -opwn' && sort $PWD",
        "cd 'a -opwn' && sort ${PWD}",
        "cd 'a b' && for f in $PWD; do sort $f; done",
        "x=$PWD; sort $x",
    ]);
    reads(&["cat \"$PWD/a\"", "ls $HOME", "echo \"$PWD\""]);
}

#[test]
fn secrets_of_the_environment_ask() {
    holds(&[
        "cat <<E\n$GITHUB_TOKEN\nE",
        "cat <<E\n${GITHUB_TOKEN}\nE",
        "cat <<<$GITHUB_TOKEN",
        "env",
        "env X=1",
        "env | sort",
        "printenv",
        "printenv -0",
        "printenv GITHUB_TOKEN",
        "set",
        "export",
        "export -p",
        "ps e",
        "ps auxe",
        "ps -w e",
    ]);
    reads(&[
        "printenv PATH",
        "cat <<E\n$name\nE",
        "ps aux",
        "ps -ef",
        "ps -o pid",
    ]);
}

#[test]
fn what_the_parser_misses_of_a_proven_line_is_held_against_dangers() {
    let line = "(rm -rf c\n\\fd''\"\")";
    let check = helve_shell::check(line, None).check;
    assert!(
        matches!(check, helve_shell::Check::Ask { safety: true, .. }),
        "{check:?}"
    );
    assert!(helve_shell::covers("rm:*", line).contains(&true));
}

#[test]
fn dangers_of_a_proven_line_are_those_of_the_words_that_run() {
    for line in [
        "x=/; rm -rf $x",
        "x=r; {${x}m,-rf,/}; ls",
        "for d in / /usr; do rm -r $d; done",
        "x=/sys/power/state; echo mem >$x",
        "x=9; kill -$x 1",
        "x='rm -rf'; $x src",
        "x=src; rm -rf ../$x/..",
        "echo {a,b} | xargs rm -rf",
        "x=--force; git push $x origin main",
        "x=reboot; systemctl $x",
        "x=permissions; helve $x trust",
    ] {
        let check = helve_shell::check(line, None).check;
        let is_stopped = matches!(
            check,
            helve_shell::Check::Ask { safety: true, .. } | helve_shell::Check::Deny { .. }
        );
        assert!(is_stopped, "{line}: {check:?}");
    }
    for (rule, line) in [
        ("rm:*", "x=rm; $x a"),
        ("git push:*", "x=push; git $x origin"),
        ("rm:*", "x=rm; find . -exec $x {} +"),
        ("rm:*", "x=rm; timeout 5 nice $x a"),
        ("rm:*", "x='rm a'; bash -c \"$x\""),
        ("rm:*", "{rm,a}"),
        ("npm publish:*", "for c in test publish; do npm $c; done"),
    ] {
        assert!(helve_shell::covers(rule, line).contains(&true), "{line}");
    }
}

//! The grammar of proofs, construct by construct.

use super::{analysed, is_denied, word};

#[test]
fn words_are_what_bash_makes_of_them() {
    for (text, verdict) in [
        ("l\\s", "reads"),
        ("'l's", "reads"),
        ("$'ls'", "reads"),
        ("$'\\x6cs'", "asks"),
        ("$\"ls\"", "asks"),
        ("ls $'a\\tb'", "reads"),
        ("a=rm; $a x", "edits"),
        ("a='rm -f'; $a x", "edits"),
        ("a='ls -la'; $a", "reads"),
        ("$a", "danger"),
        ("{ls,-la}", "reads"),
        ("{rm,x}", "edits"),
        ("echo {a,b}{1,2}", "reads"),
        ("echo {1..3}", "reads"),
        ("echo {a..c}", "asks"),
        ("echo {a,{b,c}}", "asks"),
        ("echo ~root", "asks"),
        ("echo HEAD~1 HEAD@{1} {}", "reads"),
        ("echo a\\\nb", "asks"),
        ("echo \"${x:-y}\" ${x%.*} ${#x}", "reads"),
        ("echo ${x:=y}", "asks"),
        ("echo ${!x}", "asks"),
        ("echo ${x@P}", "asks"),
        ("echo ${x[0]}", "asks"),
        ("echo $((1 + 2))", "reads"),
        ("x=1; echo $((x + 2))", "reads"),
        ("echo $((x + 2))", "asks"),
        ("echo $((x = 2))", "asks"),
        ("echo $((a[0]))", "asks"),
        ("echo $(( $(date +%s) ))", "asks"),
    ] {
        let found = word(text);
        let found = if verdict == "asks" && found == "danger" {
            "asks"
        } else {
            found
        };
        assert_eq!(found, verdict, "{text:?}");
    }
}

const NOT_FOLLOWED: &[&str] = &[
    "eval ls",
    "source x",
    ". ./x",
    "exec ls",
    "trap 'ls' EXIT",
    "coproc ls",
    "f() { ls; }",
    "function f { ls; }",
    "alias ls=rm",
    "shopt -s extglob",
    "set -f; ls",
    "declare x=1",
    "local x=1",
    "readonly x=1",
    "let x=1",
    "((x=1))",
    "a=(1 2)",
    "a[0]=1",
    "a=<(ls); ls",
    "ls a<(ls)",
    "ls a\\ <(ls)",
    "ls \"a \"<(ls)",
    "ls <(ls)a",
    "ls <(ls)<(ls)",
    "ls <(ls)>x",
    "ls 2<(ls)",
    "ls >(ls)",
    "ls > >(ls)",
    "ls \\\n<(ls)",
    "cat <\\\n<(ls)",
    "cat <<(ls)",
    "cat <()",
    "cat <(ls",
    "<(ls)",
    "bash <(ls)",
    "source <(ls)",
    ". <(ls)",
    "python3 <(ls)",
    "sed -f <(ls) a",
    "sort --files0-from=<(ls)",
    "cat <(rm x)",
    "cat <(echo x >y)",
    "cat <(touch x; ls)",
    "cat <(sort <(touch x))",
    "cat < <(touch x)",
    "for i in <(ls); do ls; done",
    "case <(ls) in a) ls;; esac",
    "[[ -f <(ls) ]]",
    "tee <(ls)",
    "cp a <(ls)",
    "history -w x",
    "history -c",
    "history -d 1",
    "history -5",
    "history x",
    "command history 5",
    "ls &",
    "PATH=. ls",
    "IFS=x; ls",
    "BASH_ENV=x; ls",
    "export PATH=.",
    "printf -v x y",
    "read -a x",
    "mapfile x",
    "unset PATH",
    "for PATH in x; do ls; done",
    "read PATH",
    "hash -p ./x ls",
    "enable -f x y",
    "builtin eval ls",
    "command eval ls",
    "env eval ls",
    "select x in a; do ls; done",
    "while read -r LD_PRELOAD; do ls; done",
    "{fd}>x ls",
    "ls {a}>x",
    "time -o x ls",
    "[[ -v x ]]",
    "[[ $x -eq 1 ]]",
    "[[ a =~ (b|c) ]]",
    "cd -; ls",
];

#[test]
fn what_changes_the_shell_is_not_followed() {
    for text in NOT_FOLLOWED {
        let verdict = word(text);
        assert!(!matches!(verdict, "reads" | "edits"), "{text}: {verdict}");
    }
}

#[test]
fn a_process_substitution_reads_what_its_commands_write() {
    for text in [
        "diff <(ls a) <(ls b) | head",
        "comm -23 <(sort a) <(sort b)",
        "cat <(ls)",
        "cat <( (ls) )|wc -l",
        "cat <(cat <(ls))",
        "echo $(cat <(ls))",
        "x=1; cat <(echo $x)",
        "while read -r line; do echo \"$line\"; done < <(git log)",
        "while read -r f; do wc -l \"$f\"; done < <(git ls-files)",
        "wc -l < <(ls)",
        "cat <(cat <<E\nhi\nE\n)",
        "history",
        "history 20",
    ] {
        assert_eq!(word(text), "reads", "{text}");
    }
    // What the commands read is read by the line.
    let touched = analysed("cat <(cat ~/.ssh/id_rsa)").check().file_accesses;
    assert!(touched.iter().any(|touch| touch.path == "~/.ssh/id_rsa"));
    assert!(is_denied("ls:*", "cat <(ls)"));
}

#[test]
fn the_input_is_what_the_last_redirection_says() {
    // Only what a listing names was judged with the listing.
    let reading = "while read -r f; do cat \"$f\"; done";
    for text in [
        format!("{{ git ls-files | {reading} <&3; }} 3<list"),
        format!("{{ git ls-files | {reading} 0<&3; }} 3<list"),
        format!("{{ git ls-files | {reading} 00<&3; }} 3<list"),
        format!("{reading} 3< <(git ls-files)"),
        format!("cat list | {reading} 3< <(git ls-files)"),
        format!("{reading} < <(git ls-files) <list"),
        format!("{reading} < <(cat list)"),
        format!("git ls-files | grep -ex list | {reading}"),
        format!("git ls-files | grep -f p list | {reading}"),
        format!("git ls-files | grep -o x | {reading}"),
        format!("git ls-files | head -c 4 | {reading}"),
        format!("git ls-files | tail -c4 | {reading}"),
        format!("git ls-files | sort --files0-from=list | {reading}"),
    ] {
        assert!(!matches!(word(&text), "reads" | "edits"), "{text}");
    }
    let reading = reading.replace("cat", "wc -l");
    for text in [
        format!("git ls-files | grep -vi test | sort -u | head -n 5 | {reading}"),
        format!("git ls-files | grep -E 'a|b' | tail -5 | {reading} 2>&1"),
    ] {
        assert_eq!(word(&text), "reads", "{text}");
    }
}

#[test]
fn what_a_loop_changes_is_not_known_in_it() {
    for text in [
        "x=ls; for i in 1 2; do $x; x=rm; done",
        "x=ls; while true; do $x y; x=rm; done",
        "x=1; while true; do echo $((x)); x=$y; done",
        "x=ls; for i in *; do $x; read -r x; done < f",
        "while true; do cd ..; cat x; done",
        "x=ls; if true; then x=rm; fi; $x y",
        "x=ls; true && x=rm; $x y",
        "x=ls; case a in a) x=rm;; esac; $x y",
    ] {
        assert!(!matches!(word(text), "reads" | "edits"), "{text}");
    }
    for text in [
        "x=rm; (x=ls); $x y",
        "x=rm; echo a | x=ls; $x y",
        "x=rm; y=$(x=ls); $x y",
    ] {
        assert_eq!(
            word(text),
            "edits",
            "what a shell of its own sets is gone: {text}"
        );
    }
}

#[test]
fn places_are_seen_from_each_folder() {
    let touches = |text: &str| -> Vec<String> {
        let checked = analysed(text).check();
        checked
            .file_accesses
            .into_iter()
            .map(|touch| touch.path)
            .collect()
    };
    assert!(touches("cd a && cat b").contains(&"a/b".to_owned()));
    assert!(touches("for d in a b; do (cd $d; cat c); done").contains(&"b/c".to_owned()));
    assert!(touches("for f in x .env; do cat $f; done").contains(&".env".to_owned()));
    assert!(touches("d=~/.ssh; cat \"$d\"/id").contains(&"~/.ssh/id".to_owned()));
    assert!(touches("for f in .e*; do cat \"$f\"; done").contains(&".e*".to_owned()));
}

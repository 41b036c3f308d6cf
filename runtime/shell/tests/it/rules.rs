//! Rules, held against command lines.

use super::{is_covered, is_denied};

#[test]
fn a_rule_to_allow_names_what_runs() {
    for (rule, text) in [
        ("timeout:*", "timeout 5 npm i"),
        ("xargs:*", "ls | xargs npm"),
        ("find:*", "find . -exec npm {} +"),
        ("bash:*", "bash -c 'npm test'"),
        ("bash:*", "bash x.sh"),
        ("sudo:*", "sudo npm i"),
        ("npm install", "echo npm install > x"),
        ("npm install", "./npm 'npm install'"),
        ("git commit:*", "git $x"),
        ("git commit:*", "git comm$x"),
        ("git:*", "/tmp/git commit"),
        ("npm run:*", "npm 'run x'"),
        ("npm *", "npm run $x > f"),
        ("env:*", "env npm i"),
        ("time:*", "/usr/bin/time npm i"),
    ] {
        assert!(!is_covered(&[rule], text), "{rule}: {text}");
    }
    for (rule, text) in [
        ("npm install", "npm install"),
        ("npm install", "npm install left-pad"),
        ("docker * up", "docker compose up"),
        ("git commit:*", "git commit -m \"$x\""),
        ("git:*", "/usr/bin/git commit"),
        ("bash x.sh:*", "bash x.sh a"),
        ("./x.sh:*", "./x.sh a"),
        ("npm:*", "time npm i"),
        ("npm:*", "! npm i || echo none"),
        ("npm:*", "if npm i; then echo done; fi"),
        ("npm:*", "x=$(npm i) && echo \"$x\""),
        (
            "git commit:*",
            "git commit -m \"$(cat <<'EOF'\nFix it\n\nIt's \"broken\" $(rm x)\nEOF\n)\"",
        ),
    ] {
        assert!(is_covered(&[rule], text), "{rule}: {text}");
    }
}

#[test]
fn a_rule_to_deny_names_what_may_run() {
    for text in [
        "rm x",
        "ls && rm x",
        "sudo rm x",
        "/bin/rm x",
        "FOO=1 rm x",
        "env rm x",
        "timeout 5 rm x",
        "ls | xargs rm",
        "find . -exec rm {} +",
        "bash -c 'rm x'",
        "sh -c 'rm x'",
        "eval rm x",
        "echo $(rm x)",
        "(rm x)",
        "{rm,x}",
        "a=rm; $a x",
        "for c in rm ls; do $c x; done",
        "x=r; ${x}m y",
        "cat <<E; rm x\nhi\nE\n",
        "cat <<'E'\nhi\nE\nrm x\n",
        "echo a\\\n#;rm x",
        "r\\\nm x",
    ] {
        assert!(is_denied("rm:*", text), "{text:?}");
    }
    for text in [
        "echo 'rm -rf x'",
        "ls # rm x",
        "cat <<'E'\nrm x\nE\n",
        "git commit -m 'rm x'",
    ] {
        assert!(!is_denied("rm:*", text), "{text:?}");
    }
    assert!(is_denied("git push:*", "git $x"));
}

#[test]
fn every_command_that_a_program_runs_is_judged() {
    for text in [
        "find . -exec rm {} +",
        "find . -exec ls {} + -exec rm {} +",
        "ls | xargs rm",
        "env rm x",
        "timeout 5 nice rm x",
        "time -o x ls",
        "bash -c 'rm x'",
        "bash -c 'echo $(rm x)'",
    ] {
        assert_ne!(super::word(text), "reads", "{text}");
    }
    assert!(!is_covered(&["ls:*"], "/usr/bin/time -o x ls"));
}

#[test]
fn a_rule_to_deny_sees_quoted_substitutions() {
    for text in [
        "[[ 'a[$(touch x)]' -eq 1 ]]",
        "test -v 'a[$(touch x)]' && ls",
        "x='a[$(touch x)]'; echo $((x))",
        "x='a[`touch x`]'; echo $((x))",
        "[[ 'a[$(ls; (touch x))]' -eq 1 ]]",
        "[[ 'a[$(touch x' -eq 1 ]]",
    ] {
        assert!(is_denied("touch:*", text), "{text}");
    }
    assert!(!is_denied("touch:*", "npm run x -- '(touch x)'"));
}

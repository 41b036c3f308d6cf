//! Tests of the judgements of specs.

use super::{
    CommandJudgement, Effect, ProofError, Word, checksums, editors, files, git, judge, machine,
    search, text, wrappers,
};

/// Parses a command without quotes: `$x` is a word with an unknown value, and `*` and `?` form a pattern.
fn words(command: &str) -> Vec<Word> {
    command
        .split_ascii_whitespace()
        .map(|text| match text.find(['*', '?', '$']) {
            None => Word {
                is_tilde: text.starts_with('~'),
                ..Word::from_text(text)
            },
            Some(at) if text.contains('$') => Word::with_known_prefix(&text[..at]),
            Some(at) => Word {
                may_be_many: true,
                pattern: Some(text.to_owned()),
                ..Word::with_known_prefix(&text[..at])
            },
        })
        .collect()
}

fn judged(command: &str) -> Result<CommandJudgement, ProofError> {
    judge(&words(command))
}

/// Returns the effect of a command, including its inner commands: `reads`, `edits`, `acts`, `opaque`, `unproven`.
fn verdict(words: &[Word]) -> &'static str {
    let Ok(judged) = judge(words) else {
        return "unproven";
    };
    let rank = |verdict: &str| {
        ["reads", "edits", "acts", "opaque", "unproven"]
            .iter()
            .position(|name| *name == verdict)
    };
    let own = match judged.effect {
        _ if judged.is_opaque => "opaque",
        Effect::Reads => "reads",
        Effect::Edits => "edits",
        Effect::Acts => "acts",
    };
    let inner = judged.runs.iter().map(|inner| verdict(&inner.words));
    std::iter::once(own)
        .chain(inner)
        .max_by_key(|verdict| rank(verdict))
        .unwrap_or("unproven")
}

fn verdict_for(command: &str) -> &'static str {
    verdict(&words(command))
}

#[track_caller]
fn all_are(expected: &str, commands: &[&str]) {
    let wrong: Vec<_> = commands
        .iter()
        .map(|command| (*command, verdict_for(command)))
        .filter(|(_, verdict)| *verdict != expected)
        .collect();
    assert!(wrong.is_empty(), "not {expected}: {wrong:#?}");
}

#[test]
fn tables_are_sorted() {
    for table in [
        text::TABLE,
        files::TABLE,
        files::SYSTEM,
        search::TABLE,
        search::GREPS,
        checksums::TABLE,
        machine::TABLE,
        wrappers::TABLE,
        editors::TABLE,
    ] {
        let names: Vec<_> = table.iter().map(|spec| spec.name).collect();
        assert!(names.is_sorted(), "{names:?}");
    }
    for table in super::SPECIAL {
        assert!(table.is_sorted_by_key(|row| row.name));
        assert!(table.iter().all(|row| !row.samples.is_empty()));
    }
}

#[test]
fn what_only_reads_is_known() {
    all_are(
        "reads",
        &[
            "ls",
            "ls -la src",
            "ls --color=auto",
            "cat a b",
            "cat -n a",
            "head -5 a",
            "head -n5 a",
            "head -n 5 a",
            "tail +5",
            "sort -k2,2n -t, a",
            "sort -u",
            "wc -l *.rs",
            "sort ./*.txt",
            "cut -d: -f1 a",
            "diff -u a b",
            "uniq -c a",
            "grep -rn foo src",
            "grep -e x -- a",
            "find . -name *.rs",
            "find src -type f -exec wc -l {} +",
            "env FOO=1 ls",
            "timeout 5 ls",
            "nice -n 5 ls",
            "command -v node",
            "stat -c %s a",
            "date +%s",
            "hostname",
            "tree -L 2",
            "rg -n fn src",
            "rg --files -g x",
            "fd -e rs",
            "awk NR==1 a",
            "jq .name a.json",
            "printf %s\\n a",
            "test -f a",
            "[ -n $x ]",
            "echo $x",
            "/usr/bin/ls",
            "stdbuf -oL cat a",
            "cd src",
            "grep $x a",
            "head -n $n a",
            "basename $x",
            "find . -newer a",
            "type ls",
        ],
    );
}

#[test]
fn what_is_not_known_to_be_an_operand_is_no_reading() {
    all_are(
        "opaque",
        &["sort *.txt", "sort $x", "uniq $x", "diff $x", "sort -n $x"],
    );
    all_are(
        "acts",
        &[
            "cat $x",
            "wc -l src/$x",
            "uniq a b",
            "sort -o b a",
            "hostname new",
        ],
    );
}

#[test]
fn abbreviations_are_refused() {
    all_are(
        "unproven",
        &[
            "env --unse ls rm -rf src",
            "timeout --sig 9 ls",
            "xargs --max-arg 1 ls",
        ],
    );
    all_are(
        "opaque",
        &[
            "sort --outpu=b a",
            "ls --al",
            "grep --fil=x y",
            "sort --compress-prog=x a",
        ],
    );
}

#[test]
fn what_a_wrapper_runs_is_judged() {
    all_are(
        "unproven",
        &[
            "env -S ls",
            "env -C / ls",
            "sudo ls",
            "env $x ls",
            "timeout $x",
            "xargs -I{} {} x",
        ][..2],
    );
    assert_eq!(verdict_for("env -u FOO ls"), "reads");
    assert_eq!(
        judged("env -u PATH A=1 ls").unwrap().runs[0]
            .assignments
            .len(),
        2
    );
    all_are(
        "acts",
        &["xargs wc -l", "xargs -0 -n1 wc -l", "xargs -I{} wc -l {}"],
    );
    for command in ["xargs wc -l", "xargs -I{} wc -l {}"] {
        let mut inner = judged(command).unwrap().runs.remove(0);
        inner.words[inner.input.unwrap()].is_listed = true;
        assert_eq!(verdict(&inner.words), "reads", "{command}");
    }
    assert_eq!(verdict_for("xargs rm"), "opaque");
    assert_eq!(verdict_for("find . -exec rm {} +"), "acts");
    assert_eq!(verdict_for("timeout 5 rm a"), "edits");
    assert_eq!(verdict_for("find . -delete"), "acts");
    assert_eq!(verdict_for("find $x -name a"), "opaque");
    assert_eq!(verdict_for("find * -name a"), "opaque");
}

#[test]
fn edits_name_what_they_write() {
    use crate::AccessKind;
    let touches = |command: &str| -> Vec<String> {
        let judged = judged(command).unwrap();
        assert_eq!(judged.effect, Effect::Edits, "{command}");
        let written = judged
            .touches
            .iter()
            .filter(|touch| touch.kind == AccessKind::Write);
        written.map(|touch| touch.path.clone()).collect()
    };
    assert_eq!(touches("rm -rf a b"), ["a", "b"]);
    assert_eq!(touches("touch a"), ["a"]);
    assert_eq!(touches("mkdir -p a/b"), ["a/b"]);
    assert_eq!(touches("mv a/x b"), ["b", "a/x", "b/x"]);
    assert_eq!(touches("cp a/.bashrc ."), [".", "./.bashrc"]);
    assert_eq!(touches("tee -a a"), ["a"]);
    all_are(
        "acts",
        &[
            "cp -r a/. b",
            "cp -l a b",
            "ln -s a b",
            "chmod +x a",
            "mv -b a b",
        ],
    );
}

const GIT_READS: &[&str] = &[
    "git status",
    "git status -sb",
    "git log --oneline -n 5",
    "git log -p -2",
    "git log -5",
    "git diff --stat HEAD~1 -- src",
    "git show HEAD:README.md",
    "git branch -vv",
    "git branch --list x",
    "git branch --contains abc",
    "git tag -l v*.0",
    "git tag -n3",
    "git stash list",
    "git stash show -p",
    "git reflog -n 10",
    "git remote -v",
    "git config user.name",
    "git config --get a.b",
    "git --no-pager log -1",
    "git rev-parse --abbrev-ref HEAD",
    "git blame -L 10,20 src/main.rs",
    "git cat-file -p HEAD",
    "git symbolic-ref --short HEAD",
    "git grep -n x -- *.rs",
];

#[test]
fn git_reads_where_its_options_are_known() {
    all_are("reads", GIT_READS);
    // The commands of finding A4 of the audit.
    all_are(
        "opaque",
        &[
            "git --git-dir=D status",
            "git -C D status",
            "git --work-tree=D status",
            "git --exec-path=D status",
            "git -c core.pager=x log",
            "git rev-list --output=FILE HEAD",
            "git diff --output=x",
            "git diff --ext-diff",
            "git log --show-signature",
            "git log --format=%G?",
            "git diff --textconv",
            "git grep -Oless x",
            "git log --outp=x",
            "git log --format --output=x",
            "git log -U --output=x",
            "git log -n --output=x",
            "git -p log",
            "git --bare log",
            "git log $x",
            "git submodule foreach ls",
            "git rebase -x make",
            "git fetch --upload-pack=x",
            "git clone ext::sh",
            "git bisect run ls",
            "git config core.pager x",
            "git push --receive-pack=x",
        ],
    );
    all_are(
        "acts",
        &[
            "git branch --color NAME",
            "git tag --color NAME",
            "git branch NAME",
            "git branch -v NAME",
            "git tag NAME",
            "git branch -d NAME",
            "git commit -m x",
            "git push origin main",
            "git stash",
            "git stash pop",
            "git symbolic-ref HEAD refs/heads/x",
            "git reflog expire",
            "git checkout -b x",
            "git add .",
            "git commit -c HEAD",
            "git remote add a b",
            "git worktree add x",
        ],
    );
    assert!(judged("git ls-remote origin").unwrap().network);
    assert!(judged("git remote show origin").unwrap().network);
}

#[test]
fn every_table_of_git_is_found() {
    git::each_spec(|spec| {
        let expected = if spec.name == "config" {
            "opaque"
        } else {
            "reads"
        };
        assert_eq!(
            verdict_for(&format!("git {}", spec.name)),
            expected,
            "{}",
            spec.name
        );
    });
}

const STARTS_PROGRAMS: &[&str] = &[
    "go vet -vettool=./x",
    "go vet --vettool=./x",
    "go test -exec ./x",
    "go build -toolexec x",
    "bazel build --run_under=x",
    "helm install --post-renderer x",
    "ssh -o ProxyCommand=x h",
    "less +!cmd f",
    "npm config set script-shell x",
    "tar --to-comm=x -xf a",
    "tar -I x -xf a",
    "tar xIf x a",
    "rsync -e x a b",
    "cargo --config x build",
    "cargo test --config x",
    "make SHELL=./x",
    "make CC=./x",
    "python -c x",
    "python3 -c x",
    "python3.11 -c x",
    "bash -c x",
    "bash -lc x",
    "node -e x",
    "perl -e x",
    "ruby -e x",
    "sh",
    "python -",
    "watch ls",
    "sudo ls",
    "cargo $x",
    "rg --pre x y",
    "awk -f x y",
    "docker run x",
];

#[test]
fn options_that_start_programs_are_covered_by_no_prefix() {
    // The commands of finding A5 of the audit, and others with such options.
    all_are("opaque", STARTS_PROGRAMS);
    all_are(
        "acts",
        &[
            "cargo test",
            "cargo tree",
            "cargo metadata",
            "cargo --version",
            "gradle help",
            "bundle list",
            "yarn --version",
            "uv tree",
            "pnpm ls",
            "mvn -v",
            "npm test",
            "go build ./...",
            "make test",
            "make V=1",
            "python -m pytest",
            "python x.py",
            "bash x.sh",
            "node x.js",
            "tar -xf a.tar",
            "./x.sh",
            "unknown -x",
        ],
    );
}

#[test]
fn sed_is_read() {
    all_are(
        "reads",
        &[
            "sed -n 5p a",
            "sed 1d a",
            "sed s/a/b/g a",
            "sed -e s/a/b/ -e s/c/d/",
            "sed -n /x/p a",
        ],
    );
    all_are(
        "edits",
        &["sed -i s/a/b/ a", "sed -i.bak s/a/b/ a", "sed s/a/b/ a -i"],
    );
    all_are(
        "opaque",
        &[
            "sed 1e a",
            "sed -n /x/ecurl a",
            "sed -ne1e a",
            "sed --expression=1e a",
            "sed -f x a",
            "sed -e1e",
            "sed $x",
            "sed s/a/b/e a",
            "sed s/a/b/wx a",
            "sed --expr=p a",
            "sed --posix p a",
        ],
    );
}

#[test]
fn what_runs_others_is_opaque() {
    all_are(
        "opaque",
        &[
            "tar --to-comm=x -xf a",
            "git rebase -x make",
            "git submodule foreach ls",
            "git bisect run ls",
            "git fetch -c x",
            "git push --exec-path",
            "git ext::x y",
            "npx x",
            "java -jar x.jar",
            "nix-shell x",
            "less -N x",
            "man -P x y",
            "helm --post-rend x",
            "go build -toolexec x",
            "nm --plugin x y",
            "nm @x",
            "nm $x",
            "nm *",
        ],
    );
    all_are(
        "acts",
        &[
            "tar -xf a.tar",
            "git commit -c HEAD",
            "git push origin x",
            "less x",
            "netstat -a",
        ],
    );
    all_are(
        "reads",
        &["nm -D x", "nm ./*.o", "netstat -an", "netstat --numeric"],
    );
}

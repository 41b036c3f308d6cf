//! What the specs say of commands.

use super::{Effect, Judged, Unproven, Word, editors, files, judge, text, wrappers};

/// Reads a command whose words have no quotes: `$x` is a word that is not known, `*` and `?` are a pattern.
fn words(command: &str) -> Vec<Word> {
    command
        .split_ascii_whitespace()
        .map(|text| match text.find(['*', '?', '$']) {
            None => Word {
                is_tilde: text.starts_with('~'),
                ..Word::exact(text)
            },
            Some(at) if text.contains('$') => Word::beginning(&text[..at]),
            Some(at) => Word {
                may_be_many: true,
                pattern: Some(text.to_owned()),
                ..Word::beginning(&text[..at])
            },
        })
        .collect()
}

fn judged(command: &str) -> Result<Judged, Unproven> {
    judge(&words(command))
}

/// Says what a command does, with what it runs: `reads`, `edits`, `acts`, `opaque`, `unproven`.
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

fn verdict_of(command: &str) -> &'static str {
    verdict(&words(command))
}

#[track_caller]
fn all_are(expected: &str, commands: &[&str]) {
    let wrong: Vec<_> = commands
        .iter()
        .map(|command| (*command, verdict_of(command)))
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
        wrappers::TABLE,
        editors::TABLE,
    ] {
        let names: Vec<_> = table.iter().map(|spec| spec.name).collect();
        assert!(names.is_sorted(), "{names:?}");
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
    assert_eq!(verdict_of("env -u FOO ls"), "reads");
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
    assert_eq!(verdict_of("xargs rm"), "opaque");
    assert_eq!(verdict_of("find . -exec rm {} +"), "acts");
    assert_eq!(verdict_of("timeout 5 rm a"), "edits");
    assert_eq!(verdict_of("find . -delete"), "acts");
    assert_eq!(verdict_of("find $x -name a"), "opaque");
    assert_eq!(verdict_of("find * -name a"), "opaque");
}

#[test]
fn edits_name_what_they_write() {
    use crate::Access;
    let touches = |command: &str| -> Vec<String> {
        let judged = judged(command).unwrap();
        assert_eq!(judged.effect, Effect::Edits, "{command}");
        let written = judged
            .touches
            .iter()
            .filter(|touch| touch.access == Access::Write);
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

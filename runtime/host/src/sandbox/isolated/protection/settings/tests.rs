//! Compares the parsed settings with those of the real Git, and tests the hooks that they name.

use std::cell::Cell;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use super::super::Protection;
use super::super::tests::{policy, tree};
use super::{GitSettingKey, settings};

const CASES: u32 = 150;
const NAMES: [(GitSettingKey, &str); 4] = [
    (GitSettingKey::Hooks, "core.hooksPath"),
    (GitSettingKey::WorkTree, "core.worktree"),
    (GitSettingKey::Include, "include.path"),
    (GitSettingKey::IncludeIf, "includeIf.a]b.path"),
];

/// Returns the values that Git reads from a file; `None` if Git rejects the file.
fn read_by_git(file: &Path, key: &str) -> Option<Vec<Vec<u8>>> {
    let output = Command::new("git")
        .args(["config", "--file"])
        .arg(file)
        .args(["--no-includes", "--null", "--get-all", key])
        .output()
        .expect("git");
    // Exit code 1 means that the setting does not exist.
    let is_read = matches!(output.status.code(), Some(0 | 1));
    let values = output.stdout.split(|byte| *byte == 0).map(<[u8]>::to_vec);
    is_read.then(|| values.filter(|value| !value.is_empty()).collect())
}

/// Before version 2.45, Git converted tabs in a value to spaces.
fn without_tabs(mut values: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    for byte in values.iter_mut().flatten() {
        *byte = if *byte == b'\t' { b' ' } else { *byte };
    }
    values
}

/// Generates lines of settings, and parts of them in any order.
fn text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "[core]",
        "[Core]\n",
        "[core \"x\"]\n",
        "[include]\r\n",
        "[includeIf \"a]b\"]",
        "[ core]",
        "[core\t\"\\\"\\\\\"]",
        "hooksPath",
        "path=",
        " = ",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "a",
        "\"",
        "\\\"",
        "\\\n",
        "\\\r\n",
        "\\x",
        "; c",
        "#",
        "é",
        "\u{feff}",
        "\u{b}",
        "-",
        ".",
    ];
    let piece = prop::sample::select(pieces).prop_map(str::to_owned);
    let line = (
        prop::sample::select(vec!["[core]\n", "[CORE] ", "[include]\n", "[include]", ""]),
        prop::sample::select(vec!["hooksPath", "HOOKSPATH", "worktree", "path", "name-1"]),
        prop::sample::select(vec!["=", " = ", "\t=\t\t", " =\\\n  "]),
        "([a-c]|  |\t|\\.\\./|~/|\"[ -!#-Z]{0,4}\"|\\\\\"|\\\\\\\\|\\\\n|\\\\t|\\\\\r?\n){0,6}",
        prop::sample::select(vec!["\n", "  \n", "\r\n", " # c\n", ";c\n", "\t\\\n \n"]),
    )
        .prop_map(|(head, name, sign, value, end)| [head, name, sign, &value, end].concat());
    let text = prop::collection::vec(prop_oneof![1 => piece, 12 => line], 1..8);
    ("(\u{feff}|)\\[core\\]\n", text).prop_map(|(head, text)| head + &text.concat())
}

#[test]
fn they_are_read_as_git_reads_them() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("git is not installed, so nothing was compared");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    let compared = Cell::new(0);
    let config = ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    // The same texts in every run.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let held = TestRunner::new_with_rng(config, rng).run(&text(), |text| {
        fs::write(&file, &text).unwrap();
        let all = settings(text.as_bytes());
        for (key, name) in NAMES {
            let Some(theirs) = read_by_git(&file, name) else {
                continue;
            };
            compared.set(compared.get() + theirs.len());
            let ours = all.iter().filter(|setting| setting.key == key);
            let ours = ours.map(|setting| setting.value.as_bytes().to_vec());
            let ours: Vec<_> = ours.filter(|value| !value.is_empty()).collect();
            let (ours, theirs) = (without_tabs(ours), without_tabs(theirs));
            prop_assert_eq!(ours, theirs, "{:?}: {}", text, name);
        }
        Ok(())
    });
    held.unwrap();
    assert!(
        compared.get() > 50,
        "{} values were compared",
        compared.get()
    );
}

fn assert_read_only(plan: &Protection, base: &Path, paths: &[&str]) {
    for path in paths {
        assert!(
            plan.read_only.contains(&base.join(path)),
            "{path}: {plan:?}"
        );
    }
}

/// Files may include one another in a cycle.
#[test]
fn hooks_that_an_included_file_names_are_protected() {
    let tree = tree(&[
        (".git/HEAD", ""),
        (".git/config", "[include]\n\tpath = ../shared.conf\n"),
        ("shared.conf", "[include]\n\tpath = more/conf\n"),
        (
            "more/conf",
            "[include]\n\tpath = ../shared.conf\n[core]\n\thooksPath = \"scripts/\\\n  my hooks\"\n",
        ),
        ("scripts/  my hooks/pre-commit", ""),
    ]);
    let plan = Protection::plan(&policy(tree.path()));
    let base = tree.path().canonicalize().unwrap();
    assert_read_only(
        &plan,
        &base,
        &["shared.conf", "more/conf", "scripts/  my hooks"],
    );
}

/// A relative hook path starts at the root of the work tree, wherever the settings are.
#[test]
fn hooks_of_other_work_trees_are_protected() {
    let tree = tree(&[
        ("repository/.git/HEAD", ""),
        ("repository/.git/objects/", ""),
        ("repository/.git/refs/", ""),
        (
            "repository/.git/config",
            "[core]\n\thooksPath = hooks of all\n\tworktree = ../../top\n",
        ),
        ("repository/.git/worktrees/other/HEAD", ""),
        ("repository/.git/worktrees/other/commondir", "../..\n"),
        ("top/hooks of all/pre-commit", ""),
        ("work/hooks of all/pre-commit", ""),
    ]);
    let base = tree.path().canonicalize().unwrap();
    let other = base.join("repository/.git/worktrees/other");
    fs::write(
        base.join("work/.git"),
        format!("gitdir: {}\n", other.display()),
    )
    .unwrap();
    fs::write(
        other.join("gitdir"),
        format!("{}/work/.git\n", base.display()),
    )
    .unwrap();
    let plan = Protection::plan(&policy(&base));
    assert_read_only(&plan, &base, &["top/hooks of all", "work/hooks of all"]);
}

/// Links lead from the usual paths of settings to the workspace; empty values name no path.
#[test]
fn settings_and_hooks_behind_links_are_protected() {
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().canonicalize().unwrap();
    let tree = tree(&[
        (".git/HEAD", ""),
        (
            "shared.conf",
            "[core]\n\thooksPath =\n[include]\n\tpath =\n",
        ),
        ("scripts/pre-commit", ""),
        ("deep/folder/", ""),
    ]);
    let base = tree.path().canonicalize().unwrap();
    symlink(base.join("shared.conf"), outside.join("conf")).unwrap();
    symlink(base.join("scripts"), outside.join("hooks")).unwrap();
    let config = format!(
        "[include]\n\tpath = {0}/conf\n[core]\n\thooksPath = {0}/hooks\n",
        outside.display()
    );
    fs::write(base.join(".git/config"), config).unwrap();
    let plan = Protection::plan(&policy(&base));
    assert_read_only(&plan, &base, &["shared.conf", "scripts", ".git/config"]);
    assert!(!plan.read_only.contains(&base.join(".git")), "{plan:?}");
}

/// Each hook folder may be in each work tree.
#[test]
fn many_work_trees_and_hooks_are_planned_in_bounded_time() {
    let mut config = String::from("[core]\n");
    for number in 0..9_000 {
        config += &format!("\tworktree = ../{number}\n\thooksPath = {number}\n");
    }
    let tree = tree(&[(".git/HEAD", ""), (".git/config", &config)]);
    let plan = Protection::plan(&policy(tree.path()));
    let why = plan.stopped.expect("a reason");
    assert!(why.contains("may configure hooks"), "{why}");
}

/// A project may have more included files than are read.
#[test]
fn many_included_files_are_read_in_bounded_time() {
    let one = "[include]\n".to_owned() + &"\tpath = ../a\n\tpath = ../b\n".repeat(1_000);
    let tree = tree(&[
        (".git/HEAD", ""),
        (".git/config", &one),
        ("a", &one),
        ("b", &one),
    ]);
    for number in 0..1_200 {
        let file = tree.path().join(format!("{number}"));
        fs::write(file, format!("[include]\n\tpath = {}\n", number + 1)).unwrap();
    }
    let plan = Protection::plan(&policy(tree.path()));
    assert!(plan.stopped.is_none(), "{plan:?}");
    fs::write(
        tree.path().join(".git/config"),
        "[include]\n\tpath = ../0\n",
    )
    .unwrap();
    let plan = Protection::plan(&policy(tree.path()));
    let why = plan.stopped.expect("a reason");
    assert!(why.contains("may configure hooks"), "{why}");
}

//! The `grep` and `glob` tools on a large tree, against ripgrep itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use helve::capability::Grants;
use helve::prelude::*;
use helve::sandbox::LocalFs;

use crate::harness::{Bar, Row, alternate, each};

const ROUNDS: usize = 8;

/// The tree: so many folders, in each so many, and so many files in each of those.
const FOLDERS: usize = 100;
const INNER: usize = 10;
const FILES: usize = 100;

/// What is looked for, and in which of so many files it is.
const PATTERN: &str = r"needle_\d+\b";
const EVERY: usize = 500;

/// The names that are looked for: of one folder in a hundred, so that all are shown.
const NAMED: &str = "07/*/file1?.txt";

pub(crate) fn rows() -> Vec<Row> {
    if Command::new("rg").arg("--version").output().is_err() {
        return Vec::new();
    }
    let tree = tree();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let cx = ToolContext::builder()
        .grants(Grants {
            files: Some(Arc::new(LocalFs::new(&tree).unwrap())),
            ..Grants::default()
        })
        .build();
    let tools = helve::tools::files();
    let arguments =
        serde_json::json!({ "pattern": PATTERN, "output": "files", "limit": 10_000 }).to_string();
    let ours = |tool: &str, arguments: &str| {
        let output = runtime.block_on(tools.call(tool, arguments, &cx)).unwrap();
        names(&output.text())
    };
    let theirs = |arguments: &[&str]| {
        let mut command = Command::new("rg");
        let output = command.args(arguments).current_dir(&tree).output();
        names(&String::from_utf8(output.unwrap().stdout).unwrap())
    };
    let row = |what, tool: &str, arguments: &str, rg: &[&str]| {
        assert_eq!(ours(tool, arguments), theirs(rg), "not the same files");
        let once = |found: &dyn Fn() -> Vec<String>| each(1, || assert!(!found().is_empty()));
        Row {
            what,
            against: "rg",
            bar: Bar::Ratio(4.0),
            rounds: alternate(
                ROUNDS,
                || once(&|| ours(tool, arguments)),
                || once(&|| theirs(rg)),
            ),
        }
    };
    let grep =
        serde_json::json!({ "pattern": PATTERN, "output": "files", "limit": 10_000 }).to_string();
    let glob = serde_json::json!({ "pattern": NAMED }).to_string();
    let by_age = ["--files", "-g", NAMED, "--sortr=modified"];
    vec![
        row("`grep` on 100,000 files", "grep", &grep, &["-l", PATTERN]),
        row("`glob` on 100,000 files", "glob", &glob, &by_age),
    ]
}

fn names(text: &str) -> Vec<String> {
    let found = text.lines().filter(|line| line.ends_with(".txt"));
    let mut names: Vec<String> = found.map(str::to_owned).collect();
    names.sort();
    names
}

/// Makes the tree, unless an earlier run did.
fn tree() -> PathBuf {
    let tree = Path::new(env!("CARGO_TARGET_TMPDIR")).join("grep-100000");
    let complete = tree.with_extension("complete");
    if complete.is_file() {
        return tree;
    }
    let _ = fs::remove_dir_all(&tree);
    let filler =
        "The quick brown fox jumps over the lazy dog, and a noodle is no needle.\n".repeat(12);
    for number in 0..FOLDERS * INNER {
        let folder = tree.join(format!("{:02}/{}", number / INNER, number % INNER));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..FILES {
            let index = number * FILES + file;
            let mut text = filler.clone();
            if index.is_multiple_of(EVERY) {
                text.push_str(&format!("here is needle_{index} at last\n"));
            }
            fs::write(folder.join(format!("file{file:02}.txt")), text).unwrap();
        }
    }
    fs::write(complete, "").unwrap();
    tree
}

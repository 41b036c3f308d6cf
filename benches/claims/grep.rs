//! The `grep` tool on a large tree, against ripgrep itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use helve::capability::Grants;
use helve::prelude::*;
use helve::sandbox::LocalFs;

use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

const ROUNDS: usize = 8;

/// The tree: so many folders, in each so many, and so many files in each of those.
const FOLDERS: usize = 100;
const FOLDERS_PER_FOLDER: usize = 10;
const FILES: usize = 100;

/// What is looked for, and in which of so many files it is.
const PATTERN: &str = r"needle_\d+\b";
const MATCH_INTERVAL: usize = 500;

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
    let ours = || {
        let output = runtime
            .block_on(tools.call("grep", &arguments, &cx))
            .unwrap();
        names(&output.text())
    };
    let theirs = || {
        let mut command = Command::new("rg");
        let output = command.args(["-l", PATTERN]).current_dir(&tree).output();
        names(&String::from_utf8(output.unwrap().stdout).unwrap())
    };
    assert_eq!(ours(), theirs(), "not the same files");
    let once = |found: &dyn Fn() -> Vec<String>| nanos_per_run(1, || assert!(!found().is_empty()));
    vec![Row {
        what: "`grep` on 100,000 files",
        against: "rg",
        bar: Bar::Ratio(4.0),
        rounds: measure_alternately(ROUNDS, || once(&ours), || once(&theirs)),
    }]
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
    for number in 0..FOLDERS * FOLDERS_PER_FOLDER {
        let folder = tree.join(format!(
            "{:02}/{}",
            number / FOLDERS_PER_FOLDER,
            number % FOLDERS_PER_FOLDER
        ));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..FILES {
            let index = number * FILES + file;
            let mut text = filler.clone();
            if index.is_multiple_of(MATCH_INTERVAL) {
                text.push_str(&format!("here is needle_{index} at last\n"));
            }
            fs::write(folder.join(format!("file{file:02}.txt")), text).unwrap();
        }
    }
    fs::write(complete, "").unwrap();
    tree
}

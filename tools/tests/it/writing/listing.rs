//! `glob` and `list_dir`.

use std::fs::{File, FileTimes};
use std::time::{Duration, SystemTime};

use serde_json::json;

use crate::writing::support::Tree;

/// Sets the time of a file, so many seconds after the epoch.
fn touch(tree: &Tree, path: &str, seconds: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let file = File::options()
        .write(true)
        .open(tree.root().join(path))
        .unwrap();
    file.set_times(FileTimes::new().set_modified(time)).unwrap();
}

fn project() -> Tree {
    let tree = Tree::new(&[
        (".git/HEAD", ""),
        (".github/ci.yml", ""),
        (".gitignore", "target/\n*.log\n"),
        ("a.rs", "fn a() {}\n"),
        ("src/b.rs", ""),
        ("src/deep/c.rs", ""),
        ("src/deep/c.js", ""),
        ("target/d.rs", ""),
        ("x.log", ""),
    ]);
    for (path, seconds) in [
        ("a.rs", 10),
        ("src/b.rs", 30),
        ("src/deep/c.rs", 20),
        ("src/deep/c.js", 5),
    ] {
        touch(&tree, path, seconds);
    }
    tree.link("src", "link");
    tree.link("/etc", "outside");
    tree.link("nowhere", "broken");
    tree
}

#[tokio::test]
async fn finds_files_the_newest_first() {
    let tree = project();
    let glob = |pattern: &'static str| tree.call("glob", json!({ "pattern": pattern }));
    insta::assert_snapshot!(glob("*.rs").await, @"
    src/b.rs
    src/deep/c.rs
    a.rs
    ");
    insta::assert_snapshot!(glob("src/*.rs").await, @"src/b.rs");
    insta::assert_snapshot!(glob("**/*.{js,ts}").await, @"src/deep/c.js");
    insta::assert_snapshot!(glob(".github/**").await, @".github/ci.yml");
    insta::assert_snapshot!(glob("*.log").await, @"no file in `.` matches `*.log`");
    insta::assert_snapshot!(glob("[").await, @"failed: `pattern` cannot be used: unclosed character class; missing ']'; write it like `*.rs`, `docs/**/*.md` or `src/*.{js,ts}`");
    insta::assert_snapshot!(tree.call("glob", json!({ "pattern": "*.rs", "path": "src/deep" })).await, @"src/deep/c.rs");
    insta::assert_snapshot!(tree.call("glob", json!({ "pattern": "*", "path": "a.rs" })).await, @"failed: `a.rs` is a file; give the folder to search in as `path`");
    insta::assert_snapshot!(tree.call("glob", json!({ "pattern": "*", "path": ".." })).await, @"failed: `..` is outside of the accessible folders; give a path in `DIR/root`");
}

#[tokio::test]
async fn at_most_two_hundred_and_fifty() {
    let tree = Tree::new(&[]);
    for n in 0..260 {
        tree.write(&format!("{n:03}"), "");
    }
    let answer = tree.call("glob", json!({ "pattern": "*" })).await;
    assert_eq!(answer.lines().count(), 251);
    assert!(
        answer.ends_with(
            "[the newest 250 of 260 files; narrow `path` or `pattern` to see the others]\n"
        ),
        "{answer}"
    );
}

#[tokio::test]
async fn lists_a_folder() {
    let tree = project();
    insta::assert_snapshot!(tree.call("list_dir", json!({})).await, @"
    .git/
    .github/
    .gitignore  14 bytes
    a.rs  10 bytes
    broken -> (nothing)
    link -> src
    outside -> (leads outside)
    src/
    target/
    x.log  0 bytes
    ");
    insta::assert_snapshot!(tree.call("list_dir", json!({ "depth": 3 })).await, @"
    .git/  (not listed)
    .github/
      ci.yml  0 bytes
    .gitignore  14 bytes
    a.rs  10 bytes
    broken -> (nothing)
    link -> src
    outside -> (leads outside)
    src/
      b.rs  0 bytes
      deep/
        c.js  0 bytes
        c.rs  0 bytes
    target/  (not listed)
    x.log  0 bytes
    ");
    insta::assert_snapshot!(tree.call("list_dir", json!({ "path": "src/deep" })).await, @"
    c.js  0 bytes
    c.rs  0 bytes
    ");
    insta::assert_snapshot!(tree.call("list_dir", json!({ "path": "a.rs" })).await, @"failed: `a.rs` is not a directory, or a part of it is not; list the folder above it");
    insta::assert_snapshot!(tree.call("list_dir", json!({ "path": "absent" })).await, @"failed: `absent` does not exist; list the folder above it to see what there is");
    std::fs::create_dir(tree.root().join("empty")).unwrap();
    insta::assert_snapshot!(tree.call("list_dir", json!({ "path": "empty" })).await, @"(`empty` is empty)");
}

#[tokio::test]
async fn a_long_listing_is_cut() {
    let tree = Tree::new(&[]);
    for n in 0..1_005 {
        tree.write(&format!("{n:04}"), "");
    }
    let answer = tree.call("list_dir", json!({})).await;
    assert!(
        answer.ends_with(
            "0999  0 bytes\n[5 more names are not shown; list a folder in it, or use `glob`]\n"
        ),
        "{answer}"
    );
    let cx = tree.builder().result_budget(100).build();
    let answer = tree.call_in(&cx, "list_dir", json!({})).await;
    assert!(answer.contains("more names are not shown"), "{answer}");
}

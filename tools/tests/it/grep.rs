//! `grep`, through the front.

#![cfg(all(feature = "files", unix))]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests make their own files"
)]

use crate::support;

use std::time::Duration;

use serde_json::json;
use support::{Tree, call, whole};

fn sources() -> Tree {
    Tree::new(&[
        (
            "src/main.rs",
            "fn main() {\n    run();\n}\n\n\n\nfn run() {}\n",
        ),
        ("src/lib.rs", "pub fn lib() {}\n"),
        ("docs/guide.md", "A fn is a function.\n"),
        (".hidden", "fn hidden() {}\n"),
        (".git/config", "fn git() {}\n"),
        (".gitignore", "/target\n"),
        ("target/out.rs", "fn generated() {}\n"),
    ])
}

#[tokio::test]
async fn shows_lines_under_their_files() {
    let tree = sources();
    insta::assert_snapshot!(tree.grep(json!({ "pattern": r"\bfn \w+" })).await, @"
    docs/guide.md
    1:A fn is a function.

    src/lib.rs
    1:pub fn lib() {}

    src/main.rs
    1:fn main() {
    7:fn run() {}
    ");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "RUN", "case_insensitive": true, "context": 1 })).await, @"
    src/main.rs
    1-fn main() {
    2:    run();
    3-}
    --
    6-
    7:fn run() {}
    ");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn", "output": "files" })).await, @"
    docs/guide.md
    src/lib.rs
    src/main.rs
    ");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn", "output": "count", "path": "src" })).await, @"
    src/lib.rs:1
    src/main.rs:2
    ");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn", "glob": "*.md" })).await, @"
    docs/guide.md
    1:A fn is a function.
    ");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn", "path": ".hidden" })).await, @"
    .hidden
    1:fn hidden() {}
    ");
}

#[tokio::test]
async fn says_what_is_missing() {
    let tree = sources();
    tree.write("bin", b"fn\0");
    tree.write(
        "late",
        [&b"fn one\n"[..], &b"x\n".repeat(100_000), b"\0 fn two\n"].concat(),
    );
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn", "limit": 2 })).await, @"
    docs/guide.md
    1:A fn is a function.

    late
    1:fn one
    [matching lines shown: 2, and there are more; narrow `pattern`, `path` or `glob`, or raise `limit`]
    [not fully searched: `late` (binary; searched up to its first NUL)]
    ");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn", "limit": 1, "output": "files" })).await, @"
    docs/guide.md
    [files shown: 1, and there are more; narrow `pattern`, `path` or `glob`, or raise `limit`]
    ");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "absent" })).await, @"no match for `absent` in `.` (5 files searched)");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn", "glob": "*.py" })).await, @"no match for `fn` in `.` (0 files searched)");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn", "path": "bin" })).await, @"
    no match for `fn` in `bin` (1 file searched)
    [not fully searched: `bin` (binary)]
    ");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn", "path": "late" })).await, @"
    late
    1:fn one
    [not fully searched: `late` (binary; searched up to its first NUL)]
    ");
    let cx = tree.builder().result_budget(40).build();
    insta::assert_snapshot!(whole(call("grep", json!({ "pattern": "fn" }), &cx).await), @r#"
    docs/guide.md
    1:A fn is a function.
    [matching lines shown: 1, and more do not fit; narrow `pattern`, `path` or `glob`, or set `output` to "files"]
    [not fully searched: `late` (binary; searched up to its first NUL)]
    "#);
}

#[tokio::test]
async fn cuts_long_lines() {
    let tree = Tree::new(&[("min.js", &"ab".repeat(1_000))]);
    let answer = tree.grep(json!({ "pattern": "ab" })).await;
    assert!(
        answer.ends_with("ab… [line cut: 500 of 2000 characters]\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn says_what_is_wrong() {
    let tree = sources();
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "fn main(" })).await, @r"failed: `pattern` is not a regular expression: unclosed group, at character 8, `(`; put `\` before a character that is meant literally");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": r"a\nb" })).await, @"failed: `pattern` contains a line break, but each line is searched by itself; search for one of the lines and use `context`");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": r"(\w{1000}){1000}" })).await, @"failed: `pattern` is too large once it is compiled; use smaller repetitions");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "a", "glob": "{a" })).await, @"failed: `glob` cannot be used: error parsing glob '{a': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?); write it like `*.rs`, `docs/**/*.md`, `*.{js,ts}` or `!*.lock`");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "a", "path": "scr" })).await, @"failed: `scr` does not exist; did you mean `src`?");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "a", "path": ".." })).await, @"failed: `..` is outside of the accessible folders; give a path in `DIR/root`");
}

#[tokio::test]
async fn does_not_leave_its_root() {
    let tree = Tree::new(&[("a.txt", "needle\n")]);
    tree.link("../secret", "file");
    tree.link("..", "folder");
    tree.link(tree.outside(), "absolute");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "needle" })).await, @"
    a.txt
    1:needle
    ");
    for path in [
        "file",
        "folder",
        "folder/secret",
        "absolute",
        "absolute/secret",
        "../secret",
        "/etc",
    ] {
        let answer = tree
            .grep(json!({ "pattern": "needle", "path": path }))
            .await;
        assert!(
            answer.starts_with("failed: ")
                && answer.contains("is outside of the accessible folders"),
            "{answer}"
        );
    }
    // An ignore file that is a link to the outside has no rules, and tells nothing.
    tree.link("../secret", ".ignore");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "needle" })).await, @"
    a.txt
    1:needle
    ");
}

#[tokio::test]
async fn a_linked_folder_inside_is_searched_when_it_is_named() {
    let tree = sources();
    tree.link("src", "link");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "lib", "path": "link" })).await, @"
    src/lib.rs
    1:pub fn lib() {}
    ");
}

#[tokio::test]
async fn pipes_and_what_cannot_be_read_do_not_stop_it() {
    let tree = Tree::new(&[("a/x", "needle\n"), ("z", "needle\n")]);
    let made = std::process::Command::new("mkfifo")
        .arg(tree.root().join("b"))
        .status();
    assert!(made.unwrap().success());
    std::os::unix::net::UnixListener::bind(tree.root().join("socket")).unwrap();
    let answer = tokio::time::timeout(
        Duration::from_secs(10),
        tree.grep(json!({ "pattern": "needle" })),
    );
    insta::assert_snapshot!(answer.await.unwrap(), @"
    a/x
    1:needle

    z
    1:needle
    ");
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "needle", "path": "b" })).await, @"failed: `b` is a named pipe; only regular files can be used");
}

#[tokio::test]
async fn strange_names_stay_on_one_line() {
    use std::os::unix::ffi::OsStrExt as _;
    let tree = Tree::new(&[("a\nb", "needle\n")]);
    std::fs::write(
        tree.root().join(std::ffi::OsStr::from_bytes(b"\xff")),
        "needle\n",
    )
    .unwrap();
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "needle", "output": "files" })).await, @r"
    a\nb
    �
    ");
}

#[tokio::test]
async fn what_is_not_permitted_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(&[("a/x", "needle\n"), ("b", "needle\n"), ("c", "needle\n")]);
    for name in ["a", "b"] {
        std::fs::set_permissions(tree.root().join(name), PermissionsExt::from_mode(0o000)).unwrap();
    }
    if std::fs::read(tree.root().join("b")).is_ok() {
        eprintln!("ran nothing: this user may read everything");
        return;
    }
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "needle" })).await, @r"
    c
    1:needle
    [not fully searched: `a` (not permitted), `b` (not permitted)]
    ");
}

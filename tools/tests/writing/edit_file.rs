//! `edit_file`.

use serde_json::{Value, json};

use crate::support::Tree;

fn edit(old: &str, new: &str) -> Value {
    json!({ "path": "a.txt", "old_string": old, "new_string": new })
}

#[tokio::test]
async fn replaces_what_is_there_once() {
    let tree = Tree::new(&[("a.txt", "one\ntwo\nthree\n")]);
    insta::assert_snapshot!(tree.call("edit_file", edit("two\n", "2\n2.5\n")).await, @"");
    assert_eq!(tree.text("a.txt").unwrap(), "one\n2\n2.5\nthree\n");
    insta::assert_snapshot!(tree.call("edit_file", edit("two\n", "2\n2.5\n")).await, @"");
}

#[tokio::test]
async fn says_why_it_does_not_fit() {
    let tree = Tree::new(&[("a.txt", "let x = 1;\nlet y = 1;\n\tif x {\n\t}\n")]);
    let call = |old: &'static str, new: &'static str| tree.call("edit_file", edit(old, new));
    insta::assert_snapshot!(call("= 1", "= 2").await, @"");
    insta::assert_snapshot!(call("z", "q").await, @"");
    insta::assert_snapshot!(call("    if x {\n    }", "").await, @"");
    insta::assert_snapshot!(call("", "q").await, @"");
    insta::assert_snapshot!(call("x", "x").await, @"");
    insta::assert_snapshot!(tree.call("edit_file", json!({ "path": "b.txt", "old_string": "a", "new_string": "b" })).await, @"");
    insta::assert_snapshot!(tree.call("edit_file", json!({ "path": ".", "old_string": "a", "new_string": "b" })).await, @"");
    let all =
        json!({ "path": "a.txt", "old_string": "= 1", "new_string": "= 2", "replace_all": true });
    insta::assert_snapshot!(tree.call("edit_file", all).await, @"");
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_stays() {
    let tree = Tree::new(&[("a.txt", "one\n")]);
    tree.read(json!({ "path": "a.txt" })).await;
    tree.write("a.txt", "one\nmore\n");
    insta::assert_snapshot!(tree.call("edit_file", edit("one", "1")).await, @"");
    let write = json!({ "path": "a.txt", "content": "x" });
    insta::assert_snapshot!(tree.call("write_file", write).await, @"");
    let patch =
        json!({ "patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch" });
    insta::assert_snapshot!(tree.call("apply_patch", patch).await, @"");
    assert_eq!(tree.text("a.txt").unwrap(), "one\nmore\n");
    tree.read(json!({ "path": "a.txt" })).await;
    let answer = tree.call("edit_file", edit("one", "1")).await;
    assert!(answer.starts_with("changed"), "{answer}");
}

#[tokio::test]
async fn the_mode_stays() {
    use std::os::unix::fs::PermissionsExt as _;
    let tree = Tree::new(&[("a.txt", "one\n")]);
    let path = tree.root().join("a.txt");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
    tree.call("edit_file", edit("one", "1")).await;
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(
        (mode & 0o777, tree.text("a.txt").unwrap()),
        (0o751, "1\n".to_owned())
    );
}

#[tokio::test]
async fn a_long_diff_is_cut() {
    let text: String = (0..5_000).map(|n| format!("line {n}\n")).collect();
    let tree = Tree::new(&[("a.txt", &text)]);
    let all =
        json!({ "path": "a.txt", "old_string": "line", "new_string": "row", "replace_all": true });
    let answer = tree.call("edit_file", all).await;
    assert!(
        answer.starts_with("changed `a.txt` in 5000 places\n"),
        "{answer}"
    );
    assert!(answer.len() < 13_000 && answer.contains("more lines are not shown"));
}

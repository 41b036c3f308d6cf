//! `edit_file`.

use serde_json::{Value, json};

use crate::writing::support::Tree;

fn edit(old: &str, new: &str) -> Value {
    json!({ "path": "a.txt", "old_string": old, "new_string": new })
}

#[tokio::test]
async fn replaces_what_is_there_once() {
    let tree = Tree::new(&[("a.txt", "one\ntwo\nthree\n")]);
    insta::assert_snapshot!(tree.call("edit_file", edit("two\n", "2\n2.5\n")).await, @"
    changed `a.txt` in 1 place
    --- a.txt
    +++ a.txt
    @@ -1,3 +1,4 @@
     one
    -two
    +2
    +2.5
     three
    ");
    assert_eq!(tree.text("a.txt").unwrap(), "one\n2\n2.5\nthree\n");
    insta::assert_snapshot!(tree.call("edit_file", edit("two\n", "2\n2.5\n")).await, @"no change: `a.txt` has `new_string` already, at line 2, and `old_string` nowhere");
}

#[tokio::test]
async fn says_why_it_does_not_fit() {
    let tree = Tree::new(&[("a.txt", "let x = 1;\nlet y = 1;\n\tif x {\n\t}\n")]);
    let call = |old: &'static str, new: &'static str| tree.call("edit_file", edit(old, new));
    insta::assert_snapshot!(call("= 1", "= 2").await, @"
    failed: `old_string` is in `a.txt` in 2 places (lines 1, 2); add lines around the one that is meant, or set `replace_all` to change all

      line 1: let x = 1;
      line 2: let y = 1;
    ");
    insta::assert_snapshot!(call("z", "q").await, @"failed: `old_string` is not in `a.txt`; read the file again and copy the text exactly");
    insta::assert_snapshot!(call("    if x {\n    }", "").await, @"
    failed: `old_string` is not in `a.txt`, but line 3 has it with other spaces (· is a space, → a tab, ¶ the end of a line)

    `old_string`:
      ····if·x·{¶
      ····}¶

    `a.txt`, lines 3 to 4:
      →if·x·{¶
      →}¶

    Copy the spaces and tabs as they stand in the file.
    ");
    insta::assert_snapshot!(call("", "q").await, @"failed: `old_string` is empty; give the text to replace, or write a new file with `write_file`");
    insta::assert_snapshot!(call("x", "x").await, @"failed: `old_string` and `new_string` are identical, so nothing would change; give the text as it should become");
    insta::assert_snapshot!(tree.call("edit_file", json!({ "path": "b.txt", "old_string": "a", "new_string": "b" })).await, @"failed: `b.txt` does not exist; did you mean `a.txt`?");
    insta::assert_snapshot!(tree.call("edit_file", json!({ "path": ".", "old_string": "a", "new_string": "b" })).await, @"failed: `.` is a directory; list it, or give the path of a file in it");
    let all =
        json!({ "path": "a.txt", "old_string": "= 1", "new_string": "= 2", "replace_all": true });
    insta::assert_snapshot!(tree.call("edit_file", all).await, @"
    changed `a.txt` in 2 places
    --- a.txt
    +++ a.txt
    @@ -1,4 +1,4 @@
    -let x = 1;
    -let y = 1;
    +let x = 2;
    +let y = 2;
     	if x {
     	}
    ");
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_stays() {
    let tree = Tree::new(&[("a.txt", "one\n")]);
    tree.read(json!({ "path": "a.txt" })).await;
    tree.write("a.txt", "one\nmore\n");
    insta::assert_snapshot!(tree.call("edit_file", edit("one", "1")).await, @"stale_write: `a.txt` has changed since it was read; read it again, then repeat the change");
    let write = json!({ "path": "a.txt", "content": "x" });
    insta::assert_snapshot!(tree.call("write_file", write).await, @"stale_write: `a.txt` has changed since it was read; read it again, then repeat the change");
    let patch =
        json!({ "patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch" });
    insta::assert_snapshot!(tree.call("apply_patch", patch).await, @"stale_write: `a.txt` has changed since it was read; read it again, then repeat the change");
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

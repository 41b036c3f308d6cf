//! `write_file`.

use serde_json::json;

use crate::writing::support::Tree;

#[tokio::test]
async fn makes_files_and_their_folders() {
    let tree = Tree::new(&[]);
    let write = json!({ "path": "x/y/z.txt", "content": "one\ntwo" });
    insta::assert_snapshot!(tree.call("write_file", write).await, @"created `x/y/z.txt`, 2 lines");
    assert_eq!(tree.text("x/y/z.txt").unwrap(), "one\ntwo");
    let again = json!({ "path": "x/y/z.txt", "content": "three\n" });
    insta::assert_snapshot!(tree.call("write_file", again.clone()).await, @r#"
    wrote `x/y/z.txt`
    --- x/y/z.txt
    +++ x/y/z.txt
    @@ -1,2 +1 @@
    -one
    -two
    \ No newline at end of file
    +three
    "#);
    insta::assert_snapshot!(tree.call("write_file", again).await, @"no change: `x/y/z.txt` has this content already");
    assert_eq!(tree.text("x/y/z.txt").unwrap(), "three\n");
}

#[tokio::test]
async fn what_was_not_read_is_not_overwritten() {
    let mut tree = Tree::new(&[("a.txt", "old\n"), ("sub/b", "")]);
    tree.link("a.txt", "link");
    let write = json!({ "path": "a.txt", "content": "new\n" });
    insta::assert_snapshot!(tree.call("write_file", write.clone()).await, @"failed: `a.txt` exists and was not read in this conversation; read it with `read_file` before you write it, or use another path");
    insta::assert_snapshot!(tree.call("write_file", json!({ "path": "sub", "content": "" })).await, @"failed: `sub` is a directory; list it, or give the path of a file in it");
    assert_eq!(tree.text("a.txt").unwrap(), "old\n");
    // A part of it is enough, and so is another name of it.
    tree.read(json!({ "path": "link", "limit": 1 })).await;
    insta::assert_snapshot!(tree.call("write_file", write.clone()).await, @"
    wrote `a.txt`
    --- a.txt
    +++ a.txt
    @@ -1 +1 @@
    -old
    +new
    ");
    assert_eq!(tree.text("a.txt").unwrap(), "new\n");
    tree.new_session();
    let answer = tree.call("write_file", write).await;
    assert!(answer.contains("was not read"), "{answer}");
}

#[tokio::test]
async fn a_failed_read_is_no_read() {
    let tree = Tree::new(&[]);
    tree.write("data", b"a\0b");
    tree.read(json!({ "path": "data" })).await;
    let answer = tree
        .call("write_file", json!({ "path": "data", "content": "x" }))
        .await;
    assert!(
        answer.contains("was not read in this conversation"),
        "{answer}"
    );
}

#[tokio::test]
async fn a_link_stays_a_link() {
    let tree = Tree::new(&[("a.txt", "old\n")]);
    tree.link("a.txt", "link");
    tree.read(json!({ "path": "link" })).await;
    tree.call("write_file", json!({ "path": "link", "content": "new\n" }))
        .await;
    assert_eq!(tree.text("a.txt").unwrap(), "new\n");
    assert!(tree.root().join("link").is_symlink());
}

#[tokio::test]
async fn a_dry_run_tells_and_writes_nothing() {
    let tree = Tree::new(&[("a.txt", "one\ntwo\n")]);
    tree.read(json!({ "path": "a.txt" })).await;
    let cx = tree.builder().dry_run(true).build();
    let write = |path: &str| json!({ "path": path, "content": "one\n2\n" });
    insta::assert_snapshot!(tree.call_in(&cx, "write_file", write("a.txt")).await, @"
    dry run, nothing is written: would write `a.txt`
    --- a.txt
    +++ a.txt
    @@ -1,2 +1,2 @@
     one
    -two
    +2
    ");
    insta::assert_snapshot!(tree.call_in(&cx, "write_file", write("new/b.txt")).await, @"
    dry run, nothing is written: would create `new/b.txt`, 2 lines
    --- /dev/null
    +++ new/b.txt
    @@ -0,0 +1,2 @@
    +one
    +2
    ");
    assert_eq!(tree.text("a.txt").unwrap(), "one\ntwo\n");
    assert!(!tree.root().join("new").exists());
}

#[tokio::test]
async fn mistakes_of_syntax_are_told_and_written_all_the_same() {
    let tree = Tree::new(&[]);
    let write = |path: &str, content: &str| json!({ "path": path, "content": content });
    insta::assert_snapshot!(tree.call("write_file", write("a.json", "{\"a\": }\n")).await, @"
    created `a.json`, 1 line
    [warning: `a.json` is not valid JSON: expected value at line 1 column 7]
    ");
    insta::assert_snapshot!(tree.call("write_file", write("a.toml", "a = \n")).await, @"
    created `a.toml`, 1 line
    [warning: `a.toml` is not valid TOML: string values must be quoted, expected literal string at line 1]
    ");
    insta::assert_snapshot!(tree.call("write_file", write("a.yml", "a: b\n  c: d\n")).await, @"
    created `a.yml`, 2 lines
    [warning: `a.yml` is not valid YAML: mapping values are not allowed in this context at line 2 column 4]
    ");
    insta::assert_snapshot!(tree.call("write_file", write("b.yml", "a: b\n")).await, @"created `b.yml`, 1 line");
    assert_eq!(tree.text("a.json").unwrap(), "{\"a\": }\n");
}

#[tokio::test]
async fn home_is_not_a_folder_called_tilde() {
    let tree = Tree::new(&[]);
    let cx = tree.builder().home("/home/me").build();
    let write = json!({ "path": "~/a.txt", "content": "" });
    insta::assert_snapshot!(tree.call_in(&cx, "write_file", write).await, @"failed: `/home/me/a.txt` is outside of the accessible folders; give a path in `DIR/root`");
    assert!(!tree.root().join("~").exists());
}

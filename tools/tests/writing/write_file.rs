//! `write_file`.

use serde_json::json;

use crate::support::Tree;

#[tokio::test]
async fn makes_files_and_their_folders() {
    let tree = Tree::new(&[]);
    let write = json!({ "path": "x/y/z.txt", "content": "one\ntwo" });
    insta::assert_snapshot!(tree.call("write_file", write).await, @"");
    assert_eq!(tree.text("x/y/z.txt").unwrap(), "one\ntwo");
    let again = json!({ "path": "x/y/z.txt", "content": "three\n" });
    insta::assert_snapshot!(tree.call("write_file", again.clone()).await, @"");
    insta::assert_snapshot!(tree.call("write_file", again).await, @"");
    assert_eq!(tree.text("x/y/z.txt").unwrap(), "three\n");
}

#[tokio::test]
async fn what_was_not_read_is_not_overwritten() {
    let mut tree = Tree::new(&[("a.txt", "old\n"), ("sub/b", "")]);
    tree.link("a.txt", "link");
    let write = json!({ "path": "a.txt", "content": "new\n" });
    insta::assert_snapshot!(tree.call("write_file", write.clone()).await, @"");
    insta::assert_snapshot!(tree.call("write_file", json!({ "path": "sub", "content": "" })).await, @"");
    assert_eq!(tree.text("a.txt").unwrap(), "old\n");
    // A part of it is enough, and so is another name of it.
    tree.read(json!({ "path": "link", "limit": 1 })).await;
    insta::assert_snapshot!(tree.call("write_file", write.clone()).await, @"");
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
    assert!(answer.contains("was not read in this session"), "{answer}");
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
    insta::assert_snapshot!(tree.call_in(&cx, "write_file", write("a.txt")).await, @"");
    insta::assert_snapshot!(tree.call_in(&cx, "write_file", write("new/b.txt")).await, @"");
    assert_eq!(tree.text("a.txt").unwrap(), "one\ntwo\n");
    assert!(!tree.root().join("new").exists());
}

#[tokio::test]
async fn mistakes_of_syntax_are_told_and_written_all_the_same() {
    let tree = Tree::new(&[]);
    let write = |path: &str, content: &str| json!({ "path": path, "content": content });
    insta::assert_snapshot!(tree.call("write_file", write("a.json", "{\"a\": }\n")).await, @"");
    insta::assert_snapshot!(tree.call("write_file", write("a.toml", "a = \n")).await, @"");
    insta::assert_snapshot!(tree.call("write_file", write("a.yml", "a: b\n  c: d\n")).await, @"");
    insta::assert_snapshot!(tree.call("write_file", write("b.yml", "a: b\n")).await, @"");
    assert_eq!(tree.text("a.json").unwrap(), "{\"a\": }\n");
}

#[tokio::test]
async fn home_is_not_a_folder_called_tilde() {
    let tree = Tree::new(&[]);
    let cx = tree.builder().home("/home/me").build();
    let write = json!({ "path": "~/a.txt", "content": "" });
    insta::assert_snapshot!(tree.call_in(&cx, "write_file", write).await, @"");
    assert!(!tree.root().join("~").exists());
}

//! `read_file`, through the front.

#![cfg(all(feature = "files", unix))]

use crate::support;

use helve::transcript::ContentBlock;
use serde_json::json;
use support::{Tree, call};

#[tokio::test]
async fn shows_lines_with_their_numbers() {
    let tree = Tree::new(&[("a.txt", "one\r\ntwo\r\n\r\nfour"), ("sub/b.txt", "b\n")]);
    insta::assert_snapshot!(tree.read(json!({ "path": "a.txt" })).await, @"
    1	one
    2	two
    3	
    4	four
    ");
    insta::assert_snapshot!(tree.read(json!({ "path": "sub/../sub/b.txt" })).await, @"     1	b");
}

#[tokio::test]
async fn says_how_to_go_on() {
    let text: String = (1..=5).map(|n| format!("line {n}\n")).collect();
    let tree = Tree::new(&[("a.txt", &text)]);
    insta::assert_snapshot!(tree.read(json!({ "path": "a.txt", "limit": 2 })).await, @"
         1	line 1
         2	line 2
    [lines 1 to 2 of 5; continue with offset=3]
    ");
    insta::assert_snapshot!(tree.read(json!({ "path": "a.txt", "offset": 3, "limit": 2 })).await, @"
         3	line 3
         4	line 4
    [lines 3 to 4 of 5; continue with offset=5]
    ");
    insta::assert_snapshot!(tree.read(json!({ "path": "a.txt", "offset": 5 })).await, @"
         5	line 5
    [lines 5 to 5 of 5]
    ");
    insta::assert_snapshot!(tree.read(json!({ "path": "a.txt", "offset": 6 })).await, @"failed: `a.txt` has only 5 lines; use an `offset` from 1 to 5");
    let cx = tree.builder().result_budget(40).build();
    let output = support::whole(call("read_file", json!({ "path": "a.txt" }), &cx).await);
    insta::assert_snapshot!(output, @"
         1	line 1
         2	line 2
    [lines 1 to 2 of 5; continue with offset=3]
    ");
}

#[tokio::test]
async fn a_default_call_shows_two_thousand_lines() {
    let text: String = (1..=2_001).map(|n| format!("{n}\n")).collect();
    let tree = Tree::new(&[("a.txt", &text)]);
    let answer = tree.read(json!({ "path": "a.txt" })).await;
    assert!(
        answer.ends_with("  2000\t2000\n[lines 1 to 2000 of 2001; continue with offset=2001]\n"),
        "{answer}"
    );
}

#[tokio::test]
async fn says_what_it_cannot_show() {
    let tree = Tree::new(&[("empty", ""), ("sub/x", "")]);
    tree.write("data", b"ab\0cd");
    tree.write("latin", b"caf\xe9\n");
    tree.write(
        "big.png",
        [&b"\x89PNG\r\n\x1a\n"[..], &vec![0; 4_000_000]].concat(),
    );
    let path = |path: &'static str| json!({ "path": path });
    insta::assert_snapshot!(tree.read(path("empty")).await, @"(`empty` is empty)");
    insta::assert_snapshot!(tree.read(path("data")).await, @"failed: `data` is a binary file (5 bytes); only text, PDF documents and images (PNG, JPEG, GIF, WebP) can be read");
    insta::assert_snapshot!(tree.read(path("latin")).await, @"
         1	café
    [some lines are not UTF-8 and are shown as Latin-1, or with � for bytes that are not text]
    ");
    insta::assert_snapshot!(tree.read(path("big.png")).await, @"failed: `big.png` is an image of 4.0 MB, and at most 3.8 MB can be shown; make it smaller, or use another one");
    insta::assert_snapshot!(tree.read(path("sub")).await, @"failed: `sub` is a directory; list it, or give the path of a file in it");
    insta::assert_snapshot!(tree.read(path("empyt")).await, @"failed: `empyt` does not exist; did you mean `empty`?");
}

#[tokio::test]
async fn shows_an_image() {
    let tree = Tree::new(&[]);
    tree.write("a.png", b"\x89PNG\r\n\x1a\n");
    let cx = tree.builder().build();
    let output = call("read_file", json!({ "path": "a.png" }), &cx)
        .await
        .unwrap();
    let image = ContentBlock::Image {
        data: "iVBORw0KGgo=".into(),
        mime_type: "image/png".into(),
    };
    assert_eq!(output.content(), [image]);
}

#[tokio::test]
async fn does_not_leave_its_root() {
    let tree = Tree::new(&[("a.txt", "a\n")]);
    tree.link("../secret", "relative");
    tree.link(tree.outside().join("secret"), "absolute");
    tree.link("a.txt", "inside");
    tree.link("..", "up");
    let secret = tree.outside().join("secret");
    for path in [
        "../secret",
        "relative",
        "absolute",
        "up/secret",
        secret.to_str().unwrap(),
        "/proc/self/root/etc/passwd",
    ] {
        let answer = tree.read(json!({ "path": path })).await;
        assert!(
            answer.starts_with("failed: ")
                && answer.contains("is outside of the accessible folders"),
            "{answer}"
        );
    }
    insta::assert_snapshot!(tree.read(json!({ "path": "relative" })).await, @"failed: `relative` is outside of the accessible folders; give a path in `DIR/root`");
    insta::assert_snapshot!(tree.read(json!({ "path": "inside" })).await, @"     1	a");
}

#[tokio::test]
async fn without_files_it_is_denied() {
    let answer = call(
        "read_file",
        json!({ "path": "a" }),
        &helve::ToolContext::new(),
    )
    .await;
    insta::assert_snapshot!(support::whole(answer), @"denied: this app does not grant access to files; grant it where the app is built");
}

//! Encodings and line ends stay as they are.

use serde_json::json;

use crate::writing::support::Tree;

fn utf16(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    [0xff, 0xfe].into_iter().chain(units).collect()
}

#[tokio::test]
async fn stay_in_every_tool() {
    for (name, bytes, becomes) in [
        (
            "crlf",
            b"one\r\ntwo\r\n".to_vec(),
            b"one\r\n2\r\n3\r\n".to_vec(),
        ),
        (
            "mark",
            b"\xef\xbb\xbfone\ntwo\n".to_vec(),
            b"\xef\xbb\xbfone\n2\n3\n".to_vec(),
        ),
        (
            "utf16",
            utf16("one\r\ntwo\r\nä"),
            utf16("one\r\n2\r\n3\r\nä"),
        ),
        (
            "latin",
            b"one\ntwo\n\xe4".to_vec(),
            b"one\n2\n3\n\xe4".to_vec(),
        ),
    ] {
        let tree = Tree::new(&[]);
        let edit = json!({ "path": name, "old_string": "two\n", "new_string": "2\n3\n" });
        tree.write(name, &bytes);
        let answer = tree.call("edit_file", edit).await;
        let now = std::fs::read(tree.root().join(name)).unwrap();
        assert_eq!(now, becomes, "{name}: {answer}");
        tree.write(name, &bytes);
        tree.read(json!({ "path": name })).await;
        let patch = format!(
            "*** Begin Patch\n*** Update File: {name}\n@@\n one\n-two\n+2\n+3\n*** End Patch"
        );
        let answer = tree.call("apply_patch", json!({ "patch": patch })).await;
        let now = std::fs::read(tree.root().join(name)).unwrap();
        assert_eq!(now, becomes, "{name}: {answer}");
    }
}

#[tokio::test]
async fn stay_where_a_file_is_written_anew() {
    let tree = Tree::new(&[("crlf", "a\r\nb\r\n"), ("lf", "a\nb\n")]);
    tree.write("utf16", utf16("a\r\n"));
    tree.write("latin", b"\xe4\n");
    for name in ["crlf", "lf", "utf16", "latin"] {
        let shown = tree.read(json!({ "path": name })).await;
        assert!(
            shown.starts_with("     1\ta\n") || shown.starts_with("     1\tä\n"),
            "{shown}"
        );
        tree.call("write_file", json!({ "path": name, "content": "ö\n" }))
            .await;
    }
    assert_eq!(tree.bytes("crlf"), r"\xc3\xb6\r\n");
    assert_eq!(tree.bytes("lf"), r"\xc3\xb6\n");
    assert_eq!(tree.bytes("utf16"), r"\xff\xfe\xf6\x00\r\x00\n\x00");
    assert_eq!(tree.bytes("latin"), r"\xf6\n");
    let arrow = json!({ "path": "latin", "content": "→\n" });
    insta::assert_snapshot!(tree.call("write_file", arrow).await, @"failed: `latin` is Latin-1 (windows-1252), which does not have the character `→`; use another one, or convert the file first");
}

#[tokio::test]
async fn what_is_no_text_is_refused() {
    let tree = Tree::new(&[]);
    tree.write("bin", b"a\0b\n");
    tree.write("mixed", b"\xc3\xa4 \xe4\n");
    tree.write("a.png", b"\x89PNG\r\n\x1a\n");
    let edit = |path: &str| json!({ "path": path, "old_string": "a", "new_string": "b" });
    insta::assert_snapshot!(tree.call("edit_file", edit("bin")).await, @"failed: `bin` is a binary file; only text can be changed: UTF-8, UTF-16 or Latin-1");
    insta::assert_snapshot!(tree.call("edit_file", edit("mixed")).await, @"failed: `mixed` is partly UTF-8 and partly not; only text can be changed: UTF-8, UTF-16 or Latin-1");
    insta::assert_snapshot!(tree.call("edit_file", edit("a.png")).await, @"failed: `a.png` is an image; only text can be changed: UTF-8, UTF-16 or Latin-1");
}

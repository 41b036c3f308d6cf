//! `apply_patch`.

use serde_json::json;

use crate::writing::support::Tree;

async fn patch(tree: &Tree, patch: &str) -> String {
    tree.call("apply_patch", json!({ "patch": patch })).await
}

#[tokio::test]
async fn changes_several_files() {
    let tree = Tree::new(&[
        (
            "src/a.rs",
            "fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n",
        ),
        ("old.txt", "gone\n"),
        ("from.txt", "x\ny\n"),
    ]);
    let answer = patch(
        &tree,
        "*** Begin Patch\n*** Update File: src/a.rs\n@@ fn b() {\n-    one();\n+    two();\n*** Add File: new/n.txt\n\
         +first\n+\n*** Delete File: old.txt\n*** Update File: from.txt\n*** Move to: sub/to.txt\n@@\n x\n-y\n+z\n\
         *** End Patch\n",
    )
    .await;
    insta::assert_snapshot!(answer, @"
    changed 4 files
    M src/a.rs (+1 -1)
    A new/n.txt (2 lines)
    D old.txt
    R from.txt -> sub/to.txt (+1 -1)
    --- src/a.rs
    +++ src/a.rs
    @@ -3,5 +3,5 @@
     }
     
     fn b() {
    -    one();
    +    two();
     }
    --- old.txt
    +++ /dev/null
    @@ -1 +0,0 @@
    -gone
    --- sub/to.txt
    +++ sub/to.txt
    @@ -1,2 +1,2 @@
     x
    -y
    +z
    ");
    assert_eq!(
        tree.text("src/a.rs").unwrap(),
        "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n"
    );
    assert_eq!(tree.text("new/n.txt").unwrap(), "first\n\n");
    assert_eq!(tree.text("sub/to.txt").unwrap(), "x\nz\n");
    assert_eq!((tree.text("old.txt"), tree.text("from.txt")), (None, None));
    // What it wrote counts as read.
    let write = json!({ "path": "sub/to.txt", "content": "q\n" });
    let answer = tree.call("write_file", write).await;
    assert!(answer.starts_with("wrote"), "{answer}");
}

#[tokio::test]
async fn takes_unified_diffs() {
    let tree = Tree::new(&[
        ("a.txt", "1\n2\n3\n"),
        ("b.txt", "b\n"),
        ("c.txt", "c\n"),
        ("d e", "d\n"),
    ]);
    let answer = patch(
        &tree,
        "```diff\ndiff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@ head\n 1\n\
         -2\n+two\n 3\ndiff --git a/n.txt b/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1 @@\n+n\n\
         \\ No newline at end of file\ndiff --git a/b.txt b/b.txt\ndeleted file mode 100644\n--- a/b.txt\n+++ /dev/null\n\
         @@ -1 +0,0 @@\n-b\ndiff --git a/c.txt b/sub/c.txt\nsimilarity index 100%\nrename from c.txt\nrename to \
         sub/c.txt\n--- d e\t2026-01-01\n+++ d e\t2026-01-02\n@@ -1 +1 @@\n-d\n+D\n```\n",
    )
    .await;
    insta::assert_snapshot!(answer, @"
    changed 5 files
    M a.txt (+1 -1)
    A n.txt (1 line)
    D b.txt
    R c.txt -> sub/c.txt (+0 -0)
    M d e (+1 -1)
    --- a.txt
    +++ a.txt
    @@ -1,3 +1,3 @@
     1
    -2
    +two
     3
    --- b.txt
    +++ /dev/null
    @@ -1 +0,0 @@
    -b
    --- d e
    +++ d e
    @@ -1 +1 @@
    -d
    +D
    ");
    assert_eq!(tree.text("a.txt").unwrap(), "1\ntwo\n3\n");
    assert_eq!(tree.text("n.txt").unwrap(), "n");
    assert_eq!(tree.text("sub/c.txt").unwrap(), "c\n");
    assert_eq!(tree.text("d e").unwrap(), "D\n");
    assert_eq!((tree.text("b.txt"), tree.text("c.txt")), (None, None));
}

#[tokio::test]
async fn all_or_nothing() {
    let tree = Tree::new(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("there.txt", "")]);
    let answer = patch(
        &tree,
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+x\n*** Update File: b.txt\n@@\n-stale\n+x\n\
         *** Add File: there.txt\n+x\n*** Delete File: absent.txt\n*** End Patch",
    )
    .await;
    insta::assert_snapshot!(answer, @"
    failed: `b.txt` (line 7 of the patch): its lines are not in the file; it wants
      stale
    and the file has nothing similar; read the file again.

    `there.txt` exists already; change it with `*** Update File`, or choose another path

    `absent.txt` does not exist; list the folder above it to see what there is

    Nothing was changed.
    ");
    assert_eq!(tree.text("a.txt").unwrap(), "a\n");
    // A file in the place of a folder shows only when it is written; what was written before is taken back.
    let answer = patch(
        &tree,
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+x\n*** Add File: b.txt/c\n+x\n*** End Patch",
    )
    .await;
    assert!(answer.starts_with("failed: "), "{answer}");
    assert_eq!(tree.text("a.txt").unwrap(), "a\n");
}

#[tokio::test]
async fn what_is_no_patch_is_told() {
    let tree = Tree::new(&[("a.txt", "a\n")]);
    for (text, says) in [
        ("change a to b", "it is neither a patch between"),
        (
            "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+b\n",
            "the last line is not `*** End Patch`",
        ),
        (
            "*** Begin Patch\n*** End Patch",
            "the patch changes no file",
        ),
        (
            "*** Begin Patch\n*** Update File: a.txt\n*** End Patch",
            "an update has no hunk",
        ),
        (
            "*** Begin Patch\n*** Update File: a.txt\n@@\nb\n*** End Patch",
            "`b` is not a line of a hunk",
        ),
        (
            "*** Begin Patch\n*** Add File: b\nb\n*** End Patch",
            "`b` is not a line of a new file",
        ),
        (
            "*** Begin Patch\n*** Frobnicate: b\n*** End Patch",
            "`*** Frobnicate: b` is neither",
        ),
        (
            "*** Begin Patch\n*** Add File: b\n+b\n*** Add File: ./b\n+b\n*** End Patch",
            "`./b` is named twice",
        ),
        (
            "*** Begin Patch\n*** Add File: .git/config\n+b\n*** End Patch",
            "belongs to git",
        ),
        ("@@ -1 +1 @@\n-a\n+b\n", "a hunk belongs to no file"),
        ("--- a/a.txt\n+++ b/a.txt\n", "it has no hunk"),
    ] {
        let answer = patch(&tree, text).await;
        assert!(
            answer.contains(says) && answer.contains("nothing was changed"),
            "{answer}"
        );
    }
    for path in ["../secret", "/etc/passwd", "~/x"] {
        let text = format!("*** Begin Patch\n*** Add File: {path}\n+b\n*** End Patch");
        let answer = patch(&tree, &text).await;
        assert!(
            answer.contains("outside of the accessible folders"),
            "{path}: {answer}"
        );
    }
    assert_eq!(tree.text("a.txt").unwrap(), "a\n");
}

#[tokio::test]
async fn a_dry_run_tells_every_diff() {
    let tree = Tree::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let cx = tree.builder().dry_run(true).build();
    let text = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+x\n*** Delete File: b.txt\n*** Add File: c\n+c\n*** End Patch";
    insta::assert_snapshot!(tree.call_in(&cx, "apply_patch", json!({ "patch": text })).await, @"
    dry run, nothing is written: would change 3 files
    M a.txt (+1 -1)
    D b.txt
    A c (1 line)
    --- a.txt
    +++ a.txt
    @@ -1 +1 @@
    -a
    +x
    --- b.txt
    +++ /dev/null
    @@ -1 +0,0 @@
    -b
    --- /dev/null
    +++ c
    @@ -0,0 +1 @@
    +c
    ");
    assert_eq!(tree.text("a.txt").unwrap(), "a\n");
    assert!(tree.text("b.txt").is_some() && tree.text("c").is_none());
}

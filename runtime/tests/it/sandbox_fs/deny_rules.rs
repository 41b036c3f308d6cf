//! What is denied to every tool, whichever way leads there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use helve_runtime::sandbox::{Change, FsError, LocalFs, SandboxFs, WriteCondition};

use crate::sandbox_fs::writes::{remove, rename, write};
use crate::sandbox_fs::{Fixture, SECRET, range};

/// A world whose root holds credentials, and links to them.
fn home() -> Fixture {
    let world = Fixture::new();
    let root = world.root();
    fs::create_dir_all(root.join(".ssh/keys")).unwrap();
    fs::write(root.join(".ssh/keys/id"), SECRET).unwrap();
    fs::create_dir(root.join(".docker")).unwrap();
    fs::write(root.join(".docker/config.json"), SECRET).unwrap();
    symlink(".ssh", root.join("harmless")).unwrap();
    symlink(root.join(".ssh/keys/id"), root.join("sub/notes")).unwrap();
    world
}

async fn forbidden(fs: &LocalFs, path: &str) {
    let path = Path::new(path);
    let outcomes = [
        fs.read(path, range(0, 10)).await.err(),
        fs.open(path).await.err(),
        fs.metadata(path).await.err(),
    ];
    for outcome in outcomes {
        let refused = matches!(outcome, Some(FsError::Forbidden { .. }));
        assert!(refused, "{path:?}: {outcome:?}");
    }
}

async fn unwritable(fs: &LocalFs, changes: Vec<Change>) {
    let text = format!("{changes:?}");
    let error = fs.apply(changes).await.unwrap_err();
    assert!(
        matches!(error, FsError::Forbidden { .. }),
        "{text}: {error:?}"
    );
}

#[tokio::test]
async fn credentials_are_refused_by_every_way() {
    let world = home();
    for path in [
        ".ssh",
        ".ssh/keys",
        ".ssh/keys/id",
        "harmless/keys/id",
        "sub/notes",
        "sub/../.ssh/keys/id",
        ".docker/config.json",
    ] {
        forbidden(&world.fs, path).await;
    }
    let error = world.read("sub/notes").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "access to `sub/notes` is denied: `.ssh` is denied to every tool; use another file"
    );
    let always = || WriteCondition::Always;
    for changes in [
        vec![write(".ssh/keys/id", "x", always())],
        vec![write("harmless/new", "x", always())],
        vec![write("sub/notes", "x", always())],
        vec![write("sub/.aws/new/credentials", "x", always())],
        vec![remove(".ssh/keys/id")],
        vec![remove(".ssh")],
        vec![rename(".ssh", "open")],
        vec![rename(".docker", "open")],
        vec![rename("file.txt", ".netrc")],
        vec![rename("file.txt", ".gnupg/x")],
    ] {
        unwritable(&world.fs, changes).await;
    }
    for path in [".ssh", ".docker", "harmless/keys"] {
        let error = world.fs.remove_dir_all(Path::new(path)).await.unwrap_err();
        assert!(matches!(error, FsError::Forbidden { .. }), "{error:?}");
    }
    for path in [".ssh", "harmless/keys"] {
        let listed = world.fs.read_dir(Path::new(path)).await.err();
        let packed = world.fs.pack(Path::new(path)).await.err();
        for error in [listed, packed] {
            assert!(
                matches!(error, Some(FsError::Forbidden { .. })),
                "{error:?}"
            );
        }
    }
    let error = world.fs.create_dir(Path::new("sub/.aws/x")).await;
    assert!(matches!(error, Err(FsError::Forbidden { .. })), "{error:?}");
    assert!(!world.root().join("sub/.aws").exists());
    assert_eq!(world.text(".ssh/keys/id"), SECRET);
    // What only looks like it is fine, and so is what lies beside it.
    world
        .apply(vec![
            write(".sshrc", "x", always()),
            write(".docker/other", "x", always()),
        ])
        .await
        .unwrap();
}

#[tokio::test]
async fn a_root_inside_of_it_was_chosen_on_purpose() {
    let world = home();
    let keys = LocalFs::new(world.root().join(".ssh/keys")).unwrap();
    let text = keys.read_whole(Path::new("id"), 100).await.unwrap();
    assert_eq!(text, SECRET.as_bytes());
}

#[tokio::test]
async fn a_folder_that_holds_it_is_not_removed_in_part() {
    let world = Fixture::new();
    let root = world.root();
    fs::create_dir_all(root.join("a/b/.ssh")).unwrap();
    fs::write(root.join("a/file"), "x").unwrap();
    let before = world.tree();
    let error = world.fs.remove_dir_all(Path::new("a")).await.unwrap_err();
    assert!(matches!(error, FsError::Forbidden { .. }), "{error:?}");
    assert_eq!(world.tree(), before);
}

#[tokio::test]
async fn what_is_protected_is_read_and_not_changed() {
    let world = Fixture::new();
    let root = world.root();
    fs::create_dir_all(root.join("sub/.git/hooks")).unwrap();
    fs::write(root.join("sub/.git/hooks/pre-commit"), "hook").unwrap();
    let fs = world
        .fs
        .clone()
        .deny([".env", ".env.*"])
        .unwrap()
        .protect([".git/hooks", ".git/config"])
        .unwrap();
    let hook = Path::new("sub/.git/hooks/pre-commit");
    assert_eq!(fs.read_whole(hook, 100).await.unwrap(), b"hook");
    let always = || WriteCondition::Always;
    for changes in [
        vec![write("sub/.git/hooks/pre-commit", "x", always())],
        vec![write(".git/hooks/new", "x", always())],
        vec![write("sub/.git/config", "x", always())],
        vec![rename("sub/.git", "sub/git2")],
        vec![remove("sub/.git")],
        vec![rename("sub", ".git")],
        vec![write("sub/.env.local", "x", always())],
    ] {
        unwritable(&fs, changes).await;
    }
    assert!(fs.remove_dir_all(Path::new("sub")).await.is_err());
    fs.apply(vec![write("sub/.git/index", "x", always())])
        .await
        .unwrap();
    assert!(world.fs.clone().deny(["**"]).is_err());
}

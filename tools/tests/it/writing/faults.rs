//! What can go wrong with a file while it is changed: each time a clear error, and nothing is lost.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use helve::BoxFuture;
use helve::sandbox::{
    Change, FileSlice, FsError, Listing, LocalFs, Metadata, PathResolution, ReadHandle, ReadRange,
    ResolvedPath, SandboxFs,
};
use serde_json::json;

use crate::writing::support::{Tree, granted};

/// Files to which something happens just before they are written.
struct Meddled {
    inner: LocalFs,
    before: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl std::fmt::Debug for Meddled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(f)
    }
}

type Answer<'a, T> = BoxFuture<'a, Result<T, FsError>>;

impl SandboxFs for Meddled {
    fn roots(&self) -> &[PathBuf] {
        self.inner.roots()
    }
    fn resolution(&self) -> PathResolution {
        self.inner.resolution()
    }
    fn resolve<'a>(&'a self, path: &'a Path) -> Answer<'a, ResolvedPath> {
        self.inner.resolve(path)
    }
    fn metadata<'a>(&'a self, path: &'a Path) -> Answer<'a, Metadata> {
        self.inner.metadata(path)
    }
    fn read<'a>(&'a self, path: &'a Path, range: ReadRange) -> Answer<'a, FileSlice> {
        self.inner.read(path, range)
    }
    fn open<'a>(&'a self, path: &'a Path) -> Answer<'a, ReadHandle> {
        self.inner.open(path)
    }
    fn read_dir<'a>(&'a self, path: &'a Path) -> Answer<'a, Listing> {
        self.inner.read_dir(path)
    }
    fn apply(&self, changes: Vec<Change>) -> Answer<'_, Vec<Metadata>> {
        if let Some(before) = self.before.lock().unwrap().take() {
            before();
        }
        self.inner.apply(changes)
    }
    fn create_dir<'a>(&'a self, path: &'a Path) -> Answer<'a, ()> {
        self.inner.create_dir(path)
    }
    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> Answer<'a, ()> {
        self.inner.remove_dir_all(path)
    }
    fn pack<'a>(&'a self, path: &'a Path) -> Answer<'a, Box<dyn io::Read + Send>> {
        self.inner.pack(path)
    }
    fn unpack<'a>(&'a self, path: &'a Path, archive: Box<dyn io::Read + Send>) -> Answer<'a, ()> {
        self.inner.unpack(path, archive)
    }
}

/// Changes `a.txt` with every tool, and before it is written something happens to it.
async fn meddled(happens: fn(&Path)) -> Vec<(String, Tree)> {
    let mut answers = Vec::new();
    for (tool, arguments) in [
        (
            "write_file",
            json!({ "path": "a.txt", "content": "mine\n" }),
        ),
        (
            "edit_file",
            json!({ "path": "a.txt", "old_string": "one", "new_string": "mine" }),
        ),
        (
            "apply_patch",
            json!({ "patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+mine\n*** End Patch" }),
        ),
        (
            "apply_patch",
            json!({ "patch": "*** Begin Patch\n*** Delete File: a.txt\n*** Add File: b.txt\n+b\n*** End Patch" }),
        ),
    ] {
        let tree = Tree::new(&[("a.txt", "one\n")]);
        tree.read(json!({ "path": "a.txt" })).await;
        let root = tree.root();
        let fs = Meddled {
            inner: LocalFs::new(tree.root()).unwrap(),
            before: Mutex::new(Some(Box::new(move || happens(&root)))),
        };
        let cx = granted(Arc::new(fs)).session_state(tree.session()).build();
        answers.push((tree.call_in(&cx, tool, arguments).await, tree));
    }
    answers
}

#[tokio::test]
async fn a_file_that_changes_during_the_call_stays() {
    for (answer, tree) in
        meddled(|root| std::fs::write(root.join("a.txt"), "theirs\n").unwrap()).await
    {
        assert_eq!(
            answer,
            "stale_write: `a.txt` has changed since it was read; read it again, then repeat the change"
        );
        assert_eq!(tree.text("a.txt").unwrap(), "theirs\n");
        assert_eq!(tree.text("b.txt"), None);
    }
}

#[tokio::test]
async fn a_file_that_goes_during_the_call_is_not_made_again() {
    for (answer, tree) in meddled(|root| std::fs::remove_file(root.join("a.txt")).unwrap()).await {
        assert!(
            answer.contains("does not exist") || answer.contains("has changed"),
            "{answer}"
        );
        assert_eq!((tree.text("a.txt"), tree.text("b.txt")), (None, None));
    }
}

#[tokio::test]
async fn a_link_that_is_swapped_in_leads_nowhere() {
    let swap = |root: &Path| {
        std::fs::remove_file(root.join("a.txt")).unwrap();
        std::os::unix::fs::symlink("../secret", root.join("a.txt")).unwrap();
    };
    for (answer, tree) in meddled(swap).await {
        assert!(
            answer.contains("is outside of the accessible folders")
                || answer.contains("has changed"),
            "{answer}"
        );
        let secret = std::fs::read_to_string(tree.outside().join("secret")).unwrap();
        assert_eq!(secret, "needle in a secret\n");
        assert_eq!(tree.text("b.txt"), None);
    }
}

#[tokio::test]
async fn a_new_file_that_somebody_else_makes_stays() {
    let tree = Tree::new(&[]);
    let path = tree.root().join("new.txt");
    let fs = Meddled {
        inner: LocalFs::new(tree.root()).unwrap(),
        before: Mutex::new(Some(Box::new(move || {
            std::fs::write(path, "theirs").unwrap()
        }))),
    };
    let cx = granted(Arc::new(fs)).build();
    let write = json!({ "path": "new.txt", "content": "mine" });
    insta::assert_snapshot!(tree.call_in(&cx, "write_file", write).await, @"failed: `new.txt` already exists; read it before you write it, or choose another path");
    assert_eq!(tree.text("new.txt").unwrap(), "theirs");
}

fn is_made(program: &str, arguments: &[&str], path: &Path) -> bool {
    let done = Command::new(program)
        .args(arguments[..1].iter())
        .arg(path)
        .args(&arguments[1..])
        .status();
    done.is_ok_and(|status| status.success())
}

#[tokio::test]
async fn what_is_no_file_is_named() {
    let tree = Tree::new(&[("sub/x", "")]);
    assert!(is_made("mkfifo", &["-m600"], &tree.root().join("pipe")));
    let has_device = is_made(
        "mknod",
        &["-m600", "c", "1", "3"],
        &tree.root().join("null"),
    );
    let _socket = std::os::unix::net::UnixListener::bind(tree.root().join("socket")).unwrap();
    for (path, is) in [
        ("pipe", "is a named pipe"),
        ("null", "is a character device"),
        ("socket", "is a socket"),
        ("sub", "is a directory"),
    ] {
        if path == "null" && !has_device {
            println!("{path}: nothing ran, because devices cannot be made here");
            continue;
        }
        for (tool, arguments) in [
            ("read_file", json!({ "path": path })),
            ("write_file", json!({ "path": path, "content": "x" })),
            (
                "edit_file",
                json!({ "path": path, "old_string": "a", "new_string": "b" }),
            ),
            (
                "apply_patch",
                json!({ "patch": format!("*** Begin Patch\n*** Delete File: {path}\n*** End Patch") }),
            ),
        ] {
            let answer = tree.call(tool, arguments).await;
            assert!(
                answer.starts_with("failed: ") && answer.contains(is),
                "{tool} {path}: {answer}"
            );
        }
    }
    let listed = tree.call("list_dir", json!({})).await;
    assert!(
        listed.contains("pipe  (a named pipe)\n") && listed.contains("socket  (a socket)\n"),
        "{listed}"
    );
}

#[tokio::test]
async fn a_large_file_is_not_changed_here() {
    let tree = Tree::new(&[("sparse", "x")]);
    let file = std::fs::File::options()
        .write(true)
        .open(tree.root().join("sparse"))
        .unwrap();
    file.set_len(1 << 30).unwrap();
    let edit = json!({ "path": "sparse", "old_string": "x", "new_string": "y" });
    insta::assert_snapshot!(tree.call("edit_file", edit).await, @"failed: `sparse` is too large to be changed here: it has 1.1 GB, and at most 8.4 MB can be changed; use a command for it");
    let write = json!({ "path": "new", "content": "x".repeat(9 << 20) });
    insta::assert_snapshot!(tree.call("write_file", write).await, @"failed: `new` would have 9.4 MB, and at most 8.4 MB can be written here; write less, or use a command for it");
}

#[tokio::test]
async fn what_is_not_permitted_is_told() {
    let tree = Tree::new(&[("shut/a.txt", "one\n"), ("b.txt", "b\n")]);
    let shut = tree.root().join("shut");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(shut.join("probe"), "").is_ok() {
        println!("nothing ran, because this user may write everywhere");
        return;
    }
    let patch = "*** Begin Patch\n*** Update File: b.txt\n@@\n-b\n+x\n*** Update File: shut/a.txt\n@@\n-one\n+1\n*** End Patch";
    let answer = tree.call("apply_patch", json!({ "patch": patch })).await;
    assert!(answer.contains("does not permit"), "{answer}");
    assert_eq!(tree.text("b.txt").unwrap(), "b\n");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A disk that goes with its test.
#[cfg(target_os = "linux")]
struct Mounted(PathBuf);
#[cfg(target_os = "linux")]
impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_loses_nothing() {
    let tree = Tree::new(&[]);
    let root = tree.root();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        .arg(&root)
        .output();
    if !mounted.is_ok_and(|mount| mount.status.success()) {
        println!("nothing ran, because nothing can be mounted here");
        return;
    }
    let _mounted = Mounted(root);
    tree.write("a.txt", "one\n");
    tree.read(json!({ "path": "a.txt" })).await;
    let big = "x".repeat(2 << 20);
    let write = json!({ "path": "a.txt", "content": big });
    insta::assert_snapshot!(tree.call("write_file", write).await, @"failed: no space left to write `a.txt`: the disk or the quota is full; nothing was changed");
    let patch = format!(
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Add File: b.txt\n+{big}\n*** End Patch"
    );
    let answer = tree.call("apply_patch", json!({ "patch": patch })).await;
    assert!(answer.contains("no space left to write"), "{answer}");
    assert_eq!(tree.text("a.txt").unwrap(), "one\n");
    assert_eq!(tree.text("b.txt"), None);
}

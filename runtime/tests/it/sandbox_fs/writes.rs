//! Files that are written: conditions, all or none, and what stays as it was.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use helve_runtime::sandbox::{Change, FileVersion, FsError, Metadata, SandboxFs, WriteCondition};

use crate::sandbox_fs::{Fixture, SECRET, bounded};

pub(crate) fn write(path: &str, bytes: &str, condition: WriteCondition) -> Change {
    Change::Write {
        path: path.into(),
        bytes: bytes.into(),
        condition,
    }
}

pub(crate) fn remove(path: &str) -> Change {
    Change::Remove {
        path: path.into(),
        condition: WriteCondition::Always,
    }
}

pub(crate) fn rename(from: &str, to: &str) -> Change {
    Change::Rename {
        from: from.into(),
        to: to.into(),
        condition: WriteCondition::Always,
    }
}

impl Fixture {
    pub(crate) async fn apply(&self, changes: Vec<Change>) -> Result<Vec<Metadata>, FsError> {
        bounded(self.fs.apply(changes)).await
    }

    pub(crate) async fn put(
        &self,
        path: &str,
        bytes: &str,
        condition: WriteCondition,
    ) -> Result<Metadata, FsError> {
        Ok(self
            .apply(vec![write(path, bytes, condition)])
            .await?
            .remove(0))
    }

    pub(crate) async fn version(&self, path: &str) -> FileVersion {
        let metadata = self.fs.metadata(Path::new(path)).await.unwrap();
        metadata.version.unwrap()
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }
}

#[tokio::test]
async fn a_file_is_made_with_its_folders_and_replaced() {
    let world = Fixture::new();
    let made = world
        .put("new/deep/file", "one", WriteCondition::Absent)
        .await
        .unwrap();
    assert_eq!((world.text("new/deep/file").as_str(), made.len), ("one", 3));
    assert_eq!(made.version, Some(world.version("new/deep/file").await));
    let again = world
        .put("new/deep/file", "two", WriteCondition::Always)
        .await
        .unwrap();
    assert_eq!(world.text("new/deep/file"), "two");
    assert_ne!(made.version, again.version);
    assert_eq!(world.strays(), Vec::<String>::new());
}

#[tokio::test]
async fn conditions_hold_or_nothing_is_written() {
    let world = Fixture::new();
    let seen = world.version("file.txt").await;
    let error = world
        .put("file.txt", "x", WriteCondition::Absent)
        .await
        .unwrap_err();
    assert!(matches!(error, FsError::Exists { .. }), "{error:?}");
    fs::write(world.root().join("file.txt"), "9876543210").unwrap();
    let error = world
        .put("file.txt", "x", WriteCondition::Unchanged(seen.clone()))
        .await
        .unwrap_err();
    assert!(matches!(error, FsError::Changed { .. }), "{error:?}");
    assert_eq!(world.text("file.txt"), "9876543210");
    let error = world
        .put("absent", "x", WriteCondition::Unchanged(seen))
        .await
        .unwrap_err();
    assert!(matches!(error, FsError::Changed { .. }), "{error:?}");
    let seen = world.version("file.txt").await;
    world
        .put("file.txt", "x", WriteCondition::Unchanged(seen))
        .await
        .unwrap();
    assert_eq!(world.text("file.txt"), "x");
    // A link that leads nowhere is something already; without the condition, its target is made.
    symlink("sub/target", world.root().join("dangling")).unwrap();
    let error = world
        .put("dangling", "x", WriteCondition::Absent)
        .await
        .unwrap_err();
    assert!(matches!(error, FsError::Exists { .. }), "{error:?}");
    world
        .put("dangling", "y", WriteCondition::Always)
        .await
        .unwrap();
    assert_eq!(world.text("sub/target"), "y");
    assert_eq!(world.strays(), Vec::<String>::new());
}

#[tokio::test]
async fn mode_owner_and_attributes_stay() {
    let world = Fixture::new();
    let path = world.root().join("file.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let root = rustix::process::geteuid().is_root();
    if root {
        std::os::unix::fs::chown(&path, Some(1234), Some(2345)).unwrap();
    }
    let attribute =
        rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty());
    let before = fs::metadata(&path).unwrap();
    let done = world
        .put("file.txt", "new", WriteCondition::Always)
        .await
        .unwrap();
    assert!(done.executable);
    let after = fs::metadata(&path).unwrap();
    assert_ne!(before.ino(), after.ino(), "it was written in place");
    assert_eq!(
        (before.mode(), before.uid(), before.gid()),
        (after.mode(), after.uid(), after.gid())
    );
    if attribute.is_ok() {
        let mut value = [0; 16];
        let len = rustix::fs::getxattr(&path, "user.note", &mut value).unwrap();
        assert_eq!(&value[..len], b"kept");
    } else {
        println!("the file system of the temporary folder has no attributes of users");
    }
}

#[tokio::test]
async fn a_link_inside_is_followed_and_one_that_leaves_is_not() {
    let world = Fixture::new();
    let root = world.root();
    symlink("sub/inner.txt", root.join("relative")).unwrap();
    symlink(root.join("sub/inner.txt"), root.join("absolute")).unwrap();
    symlink("relative", root.join("second")).unwrap();
    for (number, path) in ["relative", "absolute", "second"].into_iter().enumerate() {
        let text = number.to_string();
        world
            .put(path, &text, WriteCondition::Always)
            .await
            .unwrap();
        assert_eq!(world.text("sub/inner.txt"), text, "{path}");
        assert!(root.join(path).is_symlink(), "{path} was replaced itself");
    }
    symlink(world.secret().join("secret.txt"), root.join("out")).unwrap();
    symlink("../secret", root.join("folder")).unwrap();
    symlink("../secret/new.txt", root.join("new")).unwrap();
    for path in [
        "out",
        "folder/secret.txt",
        "folder/new.txt",
        "new",
        "../secret/x",
        "sub/../../x",
    ] {
        let error = world
            .put(path, "x", WriteCondition::Always)
            .await
            .unwrap_err();
        assert!(
            matches!(error, FsError::Outside { .. }),
            "{path}: {error:?}"
        );
    }
    for path in ["folder/", "relative/", "sub", "sub/", "."] {
        let error = world.put(path, "x", WriteCondition::Always).await;
        assert!(error.is_err(), "{path}");
    }
    let kept = fs::read_to_string(world.secret().join("secret.txt")).unwrap();
    assert_eq!(kept, SECRET);
    assert_eq!(fs::read_dir(world.secret()).unwrap().count(), 1);
    // A link itself can be removed and moved, wherever it leads.
    world
        .apply(vec![remove("out"), rename("folder", "moved")])
        .await
        .unwrap();
    assert!(!root.join("out").is_symlink() && root.join("moved").is_symlink());
}

#[tokio::test]
async fn changes_build_on_each_other() {
    let world = Fixture::new();
    world
        .apply(vec![
            remove("sub/inner.txt"),
            remove("sub"),
            write("sub", "now a file", WriteCondition::Absent),
            rename("file.txt", "folder/file.txt"),
            write("file.txt/deep", "now a folder", WriteCondition::Absent),
            rename("folder", "moved"),
        ])
        .await
        .unwrap();
    assert_eq!(world.text("sub"), "now a file");
    assert_eq!(world.text("file.txt/deep"), "now a folder");
    assert_eq!(world.text("moved/file.txt"), "0123456789");
    assert_eq!(world.strays(), Vec::<String>::new());
}

#[tokio::test]
async fn a_failure_takes_all_back_wherever_it_comes() {
    let changes = || {
        vec![
            write("file.txt", "replaced", WriteCondition::Always),
            write("fresh/new", "made", WriteCondition::Absent),
            remove("sub/inner.txt"),
            remove("sub"),
            rename("other", "elsewhere/other"),
            write("fresh/new", "again", WriteCondition::Always),
            remove("fresh/new"),
        ]
    };
    for position in 0..=changes().len() {
        let world = Fixture::new();
        fs::write(world.root().join("other"), "other").unwrap();
        fs::create_dir(world.root().join("full")).unwrap();
        fs::write(world.root().join("full/x"), "x").unwrap();
        let before = world.tree();
        let mut changes = changes();
        changes.insert(position, remove("full"));
        let error = world.apply(changes).await.unwrap_err();
        assert!(matches!(error, FsError::NotEmpty { .. }), "{error:?}");
        assert_eq!(world.tree(), before, "at {position}");
        assert_eq!(world.strays(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn removals_and_moves_have_conditions() {
    let world = Fixture::new();
    let seen = world.version("file.txt").await;
    fs::write(world.root().join("file.txt"), "changed").unwrap();
    let unchanged = WriteCondition::Unchanged(seen);
    for change in [
        Change::Remove {
            path: "file.txt".into(),
            condition: unchanged.clone(),
        },
        Change::Rename {
            from: "file.txt".into(),
            to: "away".into(),
            condition: unchanged.clone(),
        },
    ] {
        let error = world.apply(vec![change]).await.unwrap_err();
        assert!(matches!(error, FsError::Changed { .. }), "{error:?}");
    }
    let error = world
        .apply(vec![rename("file.txt", "sub/inner.txt")])
        .await
        .unwrap_err();
    assert!(matches!(error, FsError::Exists { ref path } if path == "sub/inner.txt"));
    for change in [remove("absent"), rename("absent", "x")] {
        let error = world.apply(vec![change]).await.unwrap_err();
        assert!(matches!(error, FsError::NotFound { .. }), "{error:?}");
    }
    for path in [".", "sub/..", ""] {
        let error = world.apply(vec![remove(path)]).await.unwrap_err();
        assert!(matches!(error, FsError::InvalidPath { .. }), "{error:?}");
    }
    let error = world.apply(vec![rename("sub", "sub/in/it")]).await;
    assert!(
        matches!(error, Err(FsError::InvalidPath { .. })),
        "{error:?}"
    );
    assert_eq!(world.text("file.txt"), "changed");
    assert!(!world.root().join("sub/in").exists());
    let removed = world.apply(vec![remove("file.txt")]).await.unwrap();
    assert_eq!(removed[0].len, 7);
}

#[tokio::test]
async fn a_second_name_of_a_file_keeps_the_old_contents() {
    let world = Fixture::new();
    let root = world.root();
    fs::hard_link(root.join("file.txt"), root.join("second")).unwrap();
    world
        .put("file.txt", "new", WriteCondition::Always)
        .await
        .unwrap();
    assert_eq!(world.text("second"), "0123456789");
}

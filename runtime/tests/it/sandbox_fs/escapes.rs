//! Paths and links: those that leave, and those that only look like it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use helve_runtime::sandbox::{FileKind, FsError, LocalFs, SandboxFs};

use crate::sandbox_fs::{Fixture, part};

#[tokio::test]
async fn links_that_stay_inside_work() {
    let world = Fixture::new();
    let root = world.root();
    symlink("sub", root.join("relative")).unwrap();
    symlink("../file.txt", root.join("sub/up")).unwrap();
    symlink(root.join("sub"), root.join("absolute")).unwrap();
    symlink("absolute/inner.txt", root.join("to-absolute")).unwrap();
    for path in [
        "relative/inner.txt",
        "absolute/inner.txt",
        "to-absolute",
        "sub/../absolute/inner.txt",
    ] {
        assert_eq!(world.read(path).await.unwrap(), "inner", "{path}");
    }
    assert_eq!(world.read("absolute/up").await.unwrap(), "0123456789");
    let at = world.fs.resolve(Path::new("to-absolute")).await.unwrap();
    assert_eq!(at.display, "sub/inner.txt");

    symlink("circle", root.join("circle")).unwrap();
    symlink(root.join("around"), root.join("around")).unwrap();
    for path in ["circle", "around"] {
        let error = world.read(path).await.unwrap_err();
        assert!(matches!(error, FsError::Link { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn dots_and_absolute_paths_do_not_leave() {
    let world = Fixture::new();
    let root = world.root();
    for path in [
        "..",
        "../",
        "../secret",
        "../secret/secret.txt",
        "../root/file.txt",
        "/etc/passwd",
        "/",
    ] {
        world.outside(path).await;
    }
    world.outside("sub/../../secret/secret.txt").await;
    world.outside(world.secret().join("secret.txt")).await;
    world.outside(root.join("../secret/secret.txt")).await;
    // A neighbour whose name begins like the root's.
    fs::create_dir(world.dir.path().join("root2")).unwrap();
    world.outside(world.dir.path().join("root2")).await;
    // Whether something exists out there is not told either.
    world.outside("../absent").await;
    world.outside("../absent/deeper").await;
}

#[tokio::test]
async fn links_that_leave_are_refused() {
    let world = Fixture::new();
    let root = world.root();
    symlink(world.secret().join("secret.txt"), root.join("file-link")).unwrap();
    symlink(world.secret(), root.join("dir-link")).unwrap();
    symlink("../secret", root.join("relative-link")).unwrap();
    symlink("dir-link", root.join("second")).unwrap();
    symlink("/", root.join("top")).unwrap();
    symlink(root.join("../secret"), root.join("dots")).unwrap();
    for path in [
        "file-link",
        "dir-link",
        "dir-link/",
        "dir-link/.",
        "dir-link/secret.txt",
        "dots/",
    ] {
        world.outside(path).await;
    }
    for path in [
        "relative-link/",
        "relative-link/secret.txt",
        "second/secret.txt",
        "top/etc/passwd",
    ] {
        world.outside(path).await;
    }
    world.outside("dots/secret.txt").await;
    world.outside("dir-link/absent").await;
    // A listing names them and does not follow.
    let listing = world.fs.read_dir(Path::new(".")).await.unwrap();
    let link = listing
        .entries
        .iter()
        .find(|entry| entry.name == "dir-link");
    assert_eq!(link.unwrap().kind, FileKind::Symlink);
}

#[tokio::test]
async fn several_roots_and_links_between_them() {
    let world = Fixture::new();
    let other = world.dir.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("o.txt"), "other").unwrap();
    symlink(&other, world.root().join("to-other")).unwrap();
    symlink(&other, world.dir.path().join("alias")).unwrap();
    world.outside("to-other/o.txt").await;

    let alias = world.dir.path().join("alias");
    let both = LocalFs::with_roots([world.root(), alias.clone()]).unwrap();
    for path in [
        Path::new("to-other/o.txt"),
        &other.join("o.txt"),
        &alias.join("o.txt"),
    ] {
        let slice = part(&both, path, 0, 100).await.unwrap();
        assert_eq!(slice.bytes, b"other", "{path:?}");
    }
    let at = both.resolve(Path::new("to-other/o.txt")).await.unwrap();
    assert_eq!(at.display, both.roots()[1].join("o.txt").to_str().unwrap());
    assert_eq!(
        part(&both, &at.display, 0, 100).await.unwrap().bytes,
        b"other"
    );
    let error = part(&both, "o.txt", 0, 100).await.unwrap_err();
    assert!(matches!(error, FsError::NotFound { .. }), "{error:?}");

    let none = LocalFs::with_roots::<&str>([]).unwrap();
    let error = part(&none, "file.txt", 0, 1).await.unwrap_err();
    assert!(
        error.to_string().ends_with("; no folder is accessible"),
        "{error}"
    );
    let absent = LocalFs::new(world.root().join("absent"));
    assert!(matches!(absent, Err(FsError::NotFound { .. })));
    let file = LocalFs::new(world.root().join("file.txt"));
    assert!(matches!(file, Err(FsError::NotADirectory { .. })));
}

#[tokio::test]
async fn links_of_the_kernel_are_not_followed() {
    let top = LocalFs::new("/").unwrap();
    for path in [
        "/proc/self/root/etc/passwd",
        "/proc/self/cwd/Cargo.toml",
        "proc/self/exe",
    ] {
        let error = part(&top, path, 0, 10).await.unwrap_err();
        assert!(matches!(error, FsError::Link { .. }), "{path}: {error:?}");
    }
    assert!(part(&top, "/proc/self/fd/0", 0, 1).await.is_err());
    // A file without a size still says whether there is more.
    let start = part(&top, "/proc/self/status", 0, 5).await.unwrap();
    assert_eq!(
        (start.bytes.as_slice(), start.total),
        (b"Name:".as_slice(), 6)
    );

    let proc = LocalFs::new("/proc").unwrap();
    for path in ["self/root/etc/passwd", "self/cwd/Cargo.toml", "self/root"] {
        let error = part(&proc, path, 0, 10).await.unwrap_err();
        assert!(matches!(error, FsError::Link { .. }), "{path}: {error:?}");
    }
}

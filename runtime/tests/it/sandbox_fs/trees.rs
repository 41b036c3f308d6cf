//! Whole folders: made, removed, packed and unpacked.

use std::fs;
use std::io::{self, Cursor, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use helve_runtime::sandbox::{FsError, SandboxFs};
use tar::{Builder, EntryType, Header};

use crate::sandbox_fs::{Fixture, SECRET, bounded};

async fn packed(world: &Fixture, path: &str) -> Vec<u8> {
    let mut reader = world.fs.pack(Path::new(path)).await.unwrap();
    let job = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        bytes
    });
    job.await.unwrap()
}

async fn unpacked(world: &Fixture, path: &str, archive: Vec<u8>) -> Result<(), FsError> {
    let archive = Box::new(Cursor::new(archive));
    bounded(world.fs.unpack(Path::new(path), archive)).await
}

#[tokio::test]
async fn folders_are_made_where_they_may_be() {
    let world = Fixture::new();
    for path in ["a/b/c", "a/b/c", "a/b/../d", "a/b/c/"] {
        world.fs.create_dir(Path::new(path)).await.unwrap();
    }
    assert!(world.root().join("a/d").is_dir());
    symlink(world.secret(), world.root().join("out")).unwrap();
    for path in ["out/new", "../secret/new", "a/../../new"] {
        let error = world.fs.create_dir(Path::new(path)).await.unwrap_err();
        assert!(
            matches!(error, FsError::Outside { .. }),
            "{path}: {error:?}"
        );
    }
    for path in ["file.txt", "file.txt/new"] {
        let error = world.fs.create_dir(Path::new(path)).await.unwrap_err();
        assert!(matches!(error, FsError::NotADirectory { .. }), "{error:?}");
    }
    assert_eq!(fs::read_dir(world.secret()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_folder_goes_with_all_that_is_in_it_and_nothing_else() {
    let world = Fixture::new();
    let root = world.root();
    fs::create_dir_all(root.join("tree/deep/er")).unwrap();
    fs::write(root.join("tree/deep/er/file"), "x").unwrap();
    symlink(world.secret(), root.join("tree/out")).unwrap();
    symlink("../sub", root.join("tree/deep/in")).unwrap();
    symlink("sub", root.join("link")).unwrap();
    for path in ["link", "link/", "file.txt"] {
        let error = world.fs.remove_dir_all(Path::new(path)).await.unwrap_err();
        assert!(matches!(error, FsError::NotADirectory { .. }), "{error:?}");
    }
    world.fs.remove_dir_all(Path::new("tree")).await.unwrap();
    assert!(!root.join("tree").exists());
    assert_eq!(fs::read_dir(world.secret()).unwrap().count(), 1);
    assert_eq!(world.text("sub/inner.txt"), "inner");
    for path in [".", "..", "sub/.."] {
        assert!(world.fs.remove_dir_all(Path::new(path)).await.is_err());
    }
    assert!(world.fs.remove_dir_all(&root).await.is_err());
    let error = world.fs.remove_dir_all(Path::new("tree")).await;
    assert!(matches!(error, Err(FsError::NotFound { .. })), "{error:?}");
}

#[tokio::test]
async fn a_tree_that_is_too_deep_is_left_with_an_error() {
    let world = Fixture::new();
    let mut folder = rustix::fs::open(
        world.root(),
        rustix::fs::OFlags::PATH,
        rustix::fs::Mode::empty(),
    )
    .unwrap();
    for _ in 0..300 {
        rustix::fs::mkdirat(&folder, "d", rustix::fs::Mode::RWXU).unwrap();
        folder = rustix::fs::openat(
            &folder,
            "d",
            rustix::fs::OFlags::PATH,
            rustix::fs::Mode::empty(),
        )
        .unwrap();
    }
    let error = world.fs.remove_dir_all(Path::new("d")).await.unwrap_err();
    assert!(error.to_string().contains("too deep"), "{error}");
}

#[tokio::test]
async fn a_folder_packs_to_the_same_bytes_and_comes_back() {
    let world = Fixture::new();
    let root = world.root();
    let long = "long-".repeat(40);
    fs::create_dir_all(root.join("tree/sub").join(&long)).unwrap();
    fs::write(root.join("tree/sub").join(&long).join(&long), "deep").unwrap();
    fs::write(root.join("tree/run"), "#!").unwrap();
    fs::set_permissions(root.join("tree/run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(root.join("tree/large"), vec![7; 200_000]).unwrap();
    fs::write(root.join("tree/empty"), "").unwrap();
    symlink("sub", root.join("tree/link")).unwrap();
    symlink("../run", root.join("tree/sub/up")).unwrap();
    symlink("/etc/passwd", root.join("tree/out")).unwrap();
    symlink("../../secret", root.join("tree/sub/out")).unwrap();
    fs::create_dir(root.join("tree/.ssh")).unwrap();
    fs::write(root.join("tree/.ssh/id"), SECRET).unwrap();
    let first = packed(&world, "tree").await;
    fs::set_permissions(root.join("tree/empty"), fs::Permissions::from_mode(0o600)).unwrap();
    assert!(first == packed(&world, "tree").await, "not the same bytes");
    let mut names: Vec<String> = tar::Archive::new(Cursor::new(&first))
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().display().to_string())
        .map(|name| name.replace(&long, "LONG"))
        .collect();
    let found = names.clone();
    names.sort();
    assert_eq!(found, names, "not sorted");
    let expected = [
        "empty",
        "large",
        "link",
        "run",
        "sub",
        "sub/LONG",
        "sub/LONG/LONG",
        "sub/up",
    ];
    assert_eq!(found, expected);

    unpacked(&world, "copy/of", first.clone()).await.unwrap();
    assert!(
        first == packed(&world, "copy/of").await,
        "it came back as another"
    );
    // Once more over itself: what is there is replaced.
    unpacked(&world, "copy/of", first).await.unwrap();
    assert_eq!(
        fs::read_link(root.join("copy/of/link")).unwrap(),
        Path::new("sub")
    );
    assert!(!fs::read(root.join("copy/of/large")).unwrap().is_empty());
}

/// An archive of one entry, whatever its path is.
fn archive(path: &str, kind: EntryType, link: &str, contents: &[u8]) -> Vec<u8> {
    let mut header = Header::new_gnu();
    header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(0o6755);
    header.set_size(contents.len() as u64);
    header.set_link_name_literal(link).unwrap();
    header.set_cksum();
    let mut builder = Builder::new(Vec::new());
    builder.append(&header, contents).unwrap();
    builder.into_inner().unwrap()
}

#[tokio::test]
async fn an_archive_cannot_leave_its_folder() {
    let world = Fixture::new();
    let root = world.root();
    fs::create_dir(root.join("to")).unwrap();
    symlink(world.secret(), root.join("to/out")).unwrap();
    symlink("../sub", root.join("to/aside")).unwrap();
    let file = EntryType::Regular;
    let (link, hard) = (EntryType::Symlink, EntryType::Link);
    for (path, kind, target) in [
        ("../evil", file, ""),
        ("a/../../evil", file, ""),
        ("/tmp/evil", file, ""),
        ("out/evil", file, ""),
        ("aside/evil", file, ""),
        ("out", EntryType::Directory, ""),
        ("link", link, "/etc"),
        ("link", link, "../secret"),
        ("a/link", link, "../../secret"),
        ("link", link, "aside/../../secret"),
        ("hard", hard, "../secret/secret.txt"),
        ("hard", hard, "out/secret.txt"),
        ("hard", hard, "/etc/passwd"),
        ("hard", hard, "absent"),
        ("fifo", EntryType::Fifo, ""),
        ("char", EntryType::Char, ""),
        ("block", EntryType::Block, ""),
        ("sparse", EntryType::GNUSparse, ""),
        (".ssh/authorized_keys", file, ""),
        ("a/.aws/x", EntryType::Directory, ""),
    ] {
        let result = unpacked(&world, "to", archive(path, kind, target, b"")).await;
        let refused = matches!(result, Err(FsError::Archive { .. }));
        assert!(refused, "{path} {kind:?} {target}: {result:?}");
    }
    assert_eq!(fs::read_dir(world.secret()).unwrap().count(), 1);
    assert_eq!(fs::read_dir(root.join("sub")).unwrap().count(), 1);
    assert!(!world.dir.path().join("evil").exists() && !root.join("evil").exists());
    // A link that is in the way is replaced, not followed.
    unpacked(&world, "to", archive("out", file, "", b"mine"))
        .await
        .unwrap();
    assert_eq!(world.text("to/out"), "mine");
    let mode = fs::metadata(root.join("to/out"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o7000, 0, "it runs as its owner");
    let error = unpacked(&world, "../secret", archive("x", file, "", b"")).await;
    assert!(matches!(error, Err(FsError::Outside { .. })), "{error:?}");
}

#[tokio::test]
async fn a_broken_or_endless_archive_is_refused_in_bounded_memory() {
    let world = Fixture::new();
    let whole = archive("file", EntryType::Regular, "", &[1; 5_000]);
    let mut cut = whole.clone();
    cut.truncate(2_000);
    let mut sum = whole.clone();
    sum[0] = b'x';
    let mut huge = Header::new_gnu();
    huge.set_path("huge").unwrap();
    huge.set_entry_type(EntryType::Regular);
    huge.set_size(9 << 30);
    huge.set_cksum();
    let mut name = Header::new_gnu();
    name.set_path("././@LongLink").unwrap();
    name.set_entry_type(EntryType::GNULongName);
    name.set_size(4 << 30);
    name.set_cksum();
    let random: Vec<u8> = (0..4096_u32).map(|n| (n * 7 + 1) as u8).collect();
    for (what, bytes) in [
        ("cut off", cut),
        ("a wrong sum", sum),
        ("noise", random),
        ("a huge file", huge.as_bytes().to_vec()),
    ] {
        let result = unpacked(&world, "to", bytes).await;
        let refused = matches!(result, Err(FsError::Archive { .. }));
        assert!(refused, "{what}: {result:?}");
    }
    let endless = Cursor::new(name.as_bytes().to_vec()).chain(io::repeat(b'n'));
    let endless = bounded(world.fs.unpack(Path::new("to"), Box::new(endless))).await;
    assert!(
        matches!(endless, Err(FsError::Archive { .. })),
        "{endless:?}"
    );
}

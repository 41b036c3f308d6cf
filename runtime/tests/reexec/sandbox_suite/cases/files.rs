//! Files, as commands and as the door see them.

use std::path::Path;

use helve_runtime::sandbox::{Change, FileKind, FsError, ReadRange, SandboxFs, WriteCondition};

use crate::sandbox_suite::fixture::{Fixture, run_script, workspace};

async fn write(files: &dyn SandboxFs, path: &str, text: &str) {
    let wrote = files.write(Path::new(path), text.into(), WriteCondition::Always);
    wrote
        .await
        .unwrap_or_else(|error| panic!("`{path}`: {error}"));
}

async fn read(files: &dyn SandboxFs, path: &str) -> Result<String, FsError> {
    let bytes = files.read_whole(Path::new(path), 1 << 20).await?;
    Ok(String::from_utf8(bytes).unwrap())
}

pub(crate) async fn commands_and_the_door_see_the_same(place: Fixture) {
    let sandbox = place.open().await;
    let files = sandbox.files();
    write(&*files, "new/deep/file.txt", "from the door\n").await;
    assert_eq!(
        run_script(&*sandbox, "cat", "cat new/deep/file.txt").await,
        "from the door\n"
    );
    let script = "printf '#!/bin/sh\\necho ran\\n' > tool; chmod 755 tool; printf 0123456789 > numbers; ln -s numbers link";
    run_script(&*sandbox, "make", script).await;
    let range = ReadRange { offset: 3, max: 4 };
    let slice = files.read(Path::new("link"), range).await.unwrap();
    assert_eq!((&*slice.bytes, slice.total), (&b"3456"[..], 10));
    let absolute = workspace(&*sandbox).join("numbers");
    assert_eq!(files.metadata(&absolute).await.unwrap().len, 10);
    assert!(files.metadata(Path::new("tool")).await.unwrap().executable);
    // A file keeps its mode when it gets other contents.
    write(&*files, "tool", "#!/bin/sh\necho changed\n").await;
    assert_eq!(run_script(&*sandbox, "tool", "./tool").await, "changed\n");
    let listed = files.read_dir(Path::new(".")).await.unwrap();
    let names: Vec<_> = listed
        .entries
        .iter()
        .map(|entry| (entry.text().into_owned(), entry.kind))
        .collect();
    let expected = [
        ("link", FileKind::Symlink),
        ("new", FileKind::Directory),
        ("numbers", FileKind::File),
        ("tool", FileKind::File),
    ];
    assert_eq!(names, expected.map(|(name, kind)| (name.to_owned(), kind)));
}

pub(crate) async fn a_write_has_its_condition(place: Fixture) {
    let sandbox = place.open().await;
    let files = sandbox.files();
    let path = Path::new("file");
    let seen = files
        .write(path, b"one".to_vec(), WriteCondition::Absent)
        .await
        .unwrap();
    let again = files.write(path, b"two".to_vec(), WriteCondition::Absent);
    assert!(matches!(again.await, Err(FsError::Exists { .. })));
    let version = seen.version.expect("a version");
    assert_eq!(
        files.metadata(path).await.unwrap().version,
        Some(version.clone())
    );
    let unchanged = WriteCondition::Unchanged(version.clone());
    let seen = files.write(path, b"two".to_vec(), unchanged).await.unwrap();
    let stale = files.write(path, b"three".to_vec(), WriteCondition::Unchanged(version));
    assert!(matches!(stale.await, Err(FsError::Changed { .. })));
    run_script(&*sandbox, "change", "printf 2wo > file").await;
    let version = seen.version.expect("a version");
    let stale = files.write(path, b"three".to_vec(), WriteCondition::Unchanged(version));
    assert!(matches!(stale.await, Err(FsError::Changed { .. })));
    assert_eq!(read(&*files, "file").await.unwrap(), "2wo");
}

pub(crate) async fn changes_are_made_together(place: Fixture) {
    let sandbox = place.open().await;
    let files = sandbox.files();
    for (path, text) in [("a", "a"), ("b", "b"), ("c", "c")] {
        write(&*files, path, text).await;
    }
    let change = |condition| {
        vec![
            Change::Write {
                path: "a".into(),
                bytes: b"new".to_vec(),
                condition: WriteCondition::Always,
            },
            Change::Rename {
                from: "b".into(),
                to: "moved/b".into(),
                condition: WriteCondition::Always,
            },
            Change::Remove {
                path: "c".into(),
                condition: WriteCondition::Always,
            },
            Change::Write {
                path: "d".into(),
                bytes: b"d".to_vec(),
                condition,
            },
        ]
    };
    write(&*files, "d", "old").await;
    let refused = files.apply(change(WriteCondition::Absent)).await;
    assert!(
        matches!(refused, Err(FsError::Exists { .. })),
        "{refused:?}"
    );
    assert_eq!(
        run_script(&*sandbox, "before", "cat a b c d; ls").await,
        "abcolda\nb\nc\nd\n"
    );
    let made = files.apply(change(WriteCondition::Always)).await.unwrap();
    assert_eq!(made.len(), 4);
    assert_eq!(
        run_script(&*sandbox, "after", "cat a moved/b d; ls").await,
        "newbda\nd\nmoved\n"
    );
}

pub(crate) async fn folders_are_made_and_removed(place: Fixture) {
    let sandbox = place.open().await;
    let files = sandbox.files();
    for _ in 0..2 {
        files.create_dir(Path::new("one/two/three")).await.unwrap();
    }
    write(&*files, "one/two/file", "x").await;
    write(&*files, "kept/file", "x").await;
    run_script(&*sandbox, "link", "ln -s ../../kept one/two/link").await;
    files.remove_dir_all(Path::new("one")).await.unwrap();
    assert_eq!(
        run_script(&*sandbox, "look", "ls; ls kept").await,
        "kept\nfile\n"
    );
    assert!(files.remove_dir_all(Path::new("one")).await.is_err());
    assert!(files.remove_dir_all(Path::new(".")).await.is_err());
}

pub(crate) async fn a_folder_goes_through_an_archive(place: Fixture) {
    let sandbox = place.open().await;
    let files = sandbox.files();
    let script = "mkdir -p from/deep; echo one > from/one; echo two > from/deep/two; chmod 755 from/one; ln -s one from/link";
    run_script(&*sandbox, "make", script).await;
    let mut packed = Vec::new();
    for _ in 0..2 {
        let mut archive = files.pack(Path::new("from")).await.unwrap();
        let bytes = tokio::task::spawn_blocking(move || {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut archive, &mut bytes).map(|_| bytes)
        });
        packed.push(bytes.await.unwrap().unwrap());
    }
    assert_eq!(packed[0], packed[1], "the same files give the same bytes");
    let archive = Box::new(std::io::Cursor::new(packed.swap_remove(0)));
    files.unpack(Path::new("to/here"), archive).await.unwrap();
    let look = "cd to/here && cat one deep/two link && test -x one && ! test -x deep/two";
    assert_eq!(run_script(&*sandbox, "look", look).await, "one\ntwo\none\n");
}

pub(crate) async fn a_path_outside_is_refused(place: Fixture) {
    let sandbox = place.open().await;
    let files = sandbox.files();
    run_script(&*sandbox, "links", "ln -s /etc/passwd out; ln -s / top").await;
    for path in ["../outside", "/etc/passwd", "out", "top/etc/passwd"] {
        let read = read(&*files, path).await;
        assert!(read.is_err(), "`{path}` was read");
        let wrote = files.write(Path::new(path), b"x".to_vec(), WriteCondition::Always);
        assert!(wrote.await.is_err(), "`{path}` was written");
    }
    assert!(matches!(
        read(&*files, "missing").await,
        Err(FsError::NotFound { .. })
    ));
}

//! Files: who can read them, damaged ones, ones of others.

use std::path::Path;

use helve::state::{StateError, WorkQueue};
use insta::assert_snapshot;

use super::{at, new_work};

/// Returns the message of opening a file, with its cause, without the folder.
fn message(folder: &Path, error: &StateError) -> String {
    let source = std::error::Error::source(error).map(|source| format!("\n  {source}"));
    let text = format!("{error}{}", source.unwrap_or_default());
    text.replace(&*folder.to_string_lossy(), "DIR")
}

#[cfg(unix)]
#[test]
fn other_users_have_no_access() {
    use std::os::unix::fs::MetadataExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/down/state.db");
    let queue = WorkQueue::open(&path).unwrap();
    queue.put(&new_work("job", "1", at(0))).unwrap();
    let files = [
        "deep",
        "deep/down",
        "deep/down/state.db",
        "deep/down/state.db-wal",
        "deep/down/state.db-shm",
    ];
    let modes = files.map(|file| {
        let mode = std::fs::metadata(folder.path().join(file)).unwrap().mode();
        format!("{:o} {file}", mode & 0o777)
    });
    assert_snapshot!(modes.join("\n"), @"
    700 deep
    700 deep/down
    600 deep/down/state.db
    600 deep/down/state.db-wal
    600 deep/down/state.db-shm
    ");
}

#[test]
fn a_damaged_file_is_an_error_that_says_what_to_do_and_the_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    let queue = WorkQueue::open(&path).unwrap();
    for number in 0..100 {
        let mut work = new_work("job", &number.to_string(), at(0));
        work.payload = "x".repeat(500).into();
        queue.put(&work).unwrap();
    }
    drop(queue);
    let written = std::fs::read(&path).unwrap();
    let with = |offset: usize, bytes: &[u8]| {
        let mut changed = written.clone();
        changed[offset..offset + bytes.len()].copy_from_slice(bytes);
        changed
    };
    let mut messages = Vec::new();
    for (name, bytes) in [
        ("text", b"this was never a state file".to_vec()),
        ("torn", with(2 * 4096, &[0xa5; 4096])),
        ("cut", written[..written.len() / 2].to_vec()),
        ("another program's", with(68, &[0, 0, 0, 7])),
        ("newer", with(60, &[0, 0, 0, 9])),
    ] {
        std::fs::write(&path, &bytes).unwrap();
        let error = WorkQueue::open(&path).expect_err(name);
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "{name} was changed");
        messages.push(format!("{name}: {}", message(folder.path(), &error)));
    }
    let error = WorkQueue::open(folder.path()).unwrap_err();
    messages.push(format!("a folder: {}", message(folder.path(), &error)));
    assert_snapshot!(messages.join("\n"), @"
    text: `DIR/state.db` is damaged or is not a state file, and was not changed; move it away, with the files `-wal` and `-shm` beside it, to start with an empty one
      file is not a database
    torn: `DIR/state.db` is damaged or is not a state file, and was not changed; move it away, with the files `-wal` and `-shm` beside it, to start with an empty one
      Tree 3 page 3: btreeInitPage() returns error code 11
    cut: `DIR/state.db` is damaged or is not a state file, and was not changed; move it away, with the files `-wal` and `-shm` beside it, to start with an empty one
      database disk image is malformed
    another program's: `DIR/state.db` is damaged or is not a state file, and was not changed; move it away, with the files `-wal` and `-shm` beside it, to start with an empty one
    newer: `DIR/state.db` has the format 9, and this program knows formats up to 2; update the program
    a folder: `DIR` cannot be used to store state
      unable to open database file: DIR
    ");
    // An empty file is a new one.
    std::fs::write(&path, "").unwrap();
    assert_eq!(WorkQueue::open(&path).unwrap().list(None).unwrap(), []);
}

#[test]
fn parts_of_work_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let queue = WorkQueue::open(&folder.path().join("state.db")).unwrap();
    let long = "k".repeat(WorkQueue::MAX_KEY_BYTES + 1);
    let mut large = new_work("job", "1", at(0));
    large.payload = "p".repeat(WorkQueue::MAX_PAYLOAD_BYTES).into();
    let refused = [
        new_work("", "1", at(0)),
        new_work("job", &long, at(0)),
        large,
    ];
    let messages = refused.map(|work| queue.put(&work).unwrap_err().to_string());
    assert_snapshot!(messages.join("\n"), @"
    the kind of work has 1 to 1024 bytes, not 0
    the key of work has 1 to 1024 bytes, not 1025
    the payload of work has 1 to 1048576 bytes, not 1048578
    ");
    assert_eq!(queue.list(None).unwrap(), []);
}

/// For the superuser, no file is read-only.
#[cfg(unix)]
#[test]
fn a_read_only_file_is_an_error_that_says_so() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.db");
    drop(WorkQueue::open(&path).unwrap());
    set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&path).is_ok() {
        return;
    }
    let put = |queue: WorkQueue| queue.put(&new_work("job", "1", at(0)));
    let error = WorkQueue::open(&path).and_then(put).unwrap_err();
    assert!(matches!(error, StateError::ReadOnly { .. }), "{error:?}");
}

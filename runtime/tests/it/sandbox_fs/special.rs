//! What is neither a file nor a directory: never read, never opened, never waited for.

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use helve_runtime::sandbox::{FileKind, FsError, LocalFs, SandboxFs, WriteCondition};
use rustix::fs::{CWD, FileType, Mode, inotify, mknodat};

use crate::sandbox_fs::writes::{remove, rename};
use crate::sandbox_fs::{Fixture, bounded, part};

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[tokio::test]
async fn pipes_sockets_and_devices_are_refused_at_once() {
    let world = Fixture::new();
    let root = world.root();
    fifo(&root.join("pipe"));
    symlink("pipe", root.join("link")).unwrap();
    let _listener = UnixListener::bind(root.join("socket")).unwrap();
    for (path, kind) in [
        ("pipe", FileKind::Fifo),
        ("link", FileKind::Fifo),
        ("socket", FileKind::Socket),
    ] {
        let opened = bounded(world.fs.open(Path::new(path))).await.map(drop);
        for error in [world.read(path).await.unwrap_err(), opened.unwrap_err()] {
            let named = matches!(error, FsError::NotAFile { kind: seen, .. } if seen == kind);
            assert!(named, "{error:?}");
        }
        let metadata = bounded(world.fs.metadata(Path::new(path))).await.unwrap();
        assert_eq!(metadata.kind, kind);
        let listed = bounded(world.fs.read_dir(Path::new(path))).await;
        assert!(matches!(listed, Err(FsError::NotADirectory { .. })));
    }
    let error = world.read("pipe").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`pipe` is a named pipe; only regular files can be used"
    );

    let devices = LocalFs::new("/dev").unwrap();
    for path in ["null", "zero"] {
        let error = part(&devices, path, 0, 1).await.unwrap_err();
        let named = matches!(
            error,
            FsError::NotAFile {
                kind: FileKind::CharDevice,
                ..
            }
        );
        assert!(named, "{error:?}");
    }
}

#[tokio::test]
async fn looking_at_a_pipe_does_not_open_it() {
    let world = Fixture::new();
    let pipe = world.root().join("pipe");
    fifo(&pipe);
    // The kernel notes each opening, so nothing has to be waited for; one would let a writer go on that waits there.
    let notes = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
    inotify::add_watch(&notes, &pipe, inotify::WatchFlags::OPEN).unwrap();
    let noted = || {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 512];
        inotify::Reader::new(&notes, &mut buffer).next().is_ok()
    };
    assert!(world.read("pipe").await.is_err());
    assert!(bounded(world.fs.open(Path::new("pipe"))).await.is_err());
    assert!(bounded(world.fs.metadata(Path::new("pipe"))).await.is_ok());
    let refuse = |file: Result<_, _>| {
        assert!(file.is_err());
        ControlFlow::Continue(())
    };
    let many = world.fs.open_each(vec!["pipe".into()], Box::new(refuse));
    assert!(bounded(many).await.is_ok());
    let many = world.fs.metadata_each(vec!["pipe".into()]);
    assert!(bounded(many).await.is_ok());
    let over = world.put("pipe", "x", WriteCondition::Always).await;
    assert!(matches!(
        over,
        Err(FsError::NotAFile {
            kind: FileKind::Fifo,
            ..
        })
    ));
    for change in [remove("pipe"), rename("pipe", "elsewhere")] {
        let error = world.apply(vec![change]).await.unwrap_err();
        assert!(matches!(error, FsError::NotAFile { .. }), "{error:?}");
    }
    assert!(!noted(), "looking at the pipe opened it");
    let both = fs::OpenOptions::new().read(true).write(true).open(&pipe);
    assert!(both.is_ok() && noted(), "an opening is not noted");
}

#[tokio::test]
async fn a_device_is_not_written() {
    let devices = LocalFs::new("/dev").unwrap();
    let error = devices
        .write(Path::new("null"), b"x".to_vec(), WriteCondition::Always)
        .await
        .unwrap_err();
    let refused = matches!(
        error,
        FsError::NotAFile {
            kind: FileKind::CharDevice,
            ..
        }
    );
    assert!(refused, "{error:?}");
}

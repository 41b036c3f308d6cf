//! What is neither a file nor a directory: never read, never opened, never waited for.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use helve_runtime::sandbox::{FileKind, FsError, LocalFs, SandboxFs};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::{World, bounded, part};

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[tokio::test]
async fn pipes_sockets_and_devices_are_refused_at_once() {
    let world = World::new();
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
async fn a_writer_that_waits_on_a_pipe_is_not_woken() {
    let world = World::new();
    let pipe = world.root().join("pipe");
    fifo(&pipe);
    let opened = Arc::new(AtomicBool::new(false));
    let (seen, path) = (Arc::clone(&opened), pipe.clone());
    let writer = std::thread::spawn(move || {
        let file = fs::OpenOptions::new().write(true).open(path);
        seen.store(true, Ordering::SeqCst);
        file.unwrap()
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(world.read("pipe").await.is_err());
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(
        !opened.load(Ordering::SeqCst),
        "looking at the pipe opened it"
    );
    let _reader = fs::File::open(pipe).unwrap();
    writer.join().unwrap();
}

//! Many files at once: as many single calls would have it, whatever is swapped meanwhile.

use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use helve_runtime::sandbox::{FsError, LocalFs, Metadata, ReadHandle, SandboxFs};
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};

use crate::sandbox_fs::{Fixture, SECRET, bounded};

/// What became of one file, in a form that can be compared.
type Seen = Result<(Metadata, String), String>;

fn seen(file: Result<ReadHandle, FsError>) -> Seen {
    let mut handle = file.map_err(|error| format!("{error:?}"))?;
    let metadata = handle.metadata().clone();
    let mut text = String::new();
    handle.read_to_string(&mut text).unwrap();
    Ok((metadata, text))
}

/// Opens each file; at most so many.
async fn each(fs: &LocalFs, paths: &[PathBuf], most: usize) -> Vec<Seen> {
    let all = Arc::new(Mutex::new(Vec::new()));
    let collected = Arc::clone(&all);
    let visitor = move |file| {
        let mut collected = collected.lock().unwrap();
        collected.push(seen(file));
        match collected.len() < most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    };
    let opened = fs.open_each(paths.to_vec(), Box::new(visitor));
    bounded(opened).await.unwrap();
    std::mem::take(&mut *all.lock().unwrap())
}

/// A world with everything in it that a path can lead to.
fn odd() -> Fixture {
    let world = Fixture::new();
    let root = world.root();
    fs::create_dir_all(root.join("sub/.ssh")).unwrap();
    fs::write(root.join("sub/.ssh/id"), SECRET).unwrap();
    fs::write(root.join("sub/.netrc"), SECRET).unwrap();
    for (target, link) in [
        ("file.txt", "link"),
        ("sub", "folder"),
        ("sub/.ssh", "harmless"),
        ("../secret", "out"),
        ("nowhere", "broken"),
        ("loop", "loop"),
        ("/proc/self/root", "magic"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    symlink(root.join("sub/inner.txt"), root.join("sub/absolute")).unwrap();
    symlink(root.join("sub"), root.join("far")).unwrap();
    mknodat(
        CWD,
        root.join("sub/pipe"),
        FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    world
}

#[tokio::test]
async fn each_of_many_is_what_it_is_alone() {
    let world = odd();
    let _listener = UnixListener::bind(world.root().join("socket")).unwrap();
    let long = "x/".repeat(3000);
    let mut paths: Vec<PathBuf> = [
        "file.txt",
        "sub/inner.txt",
        "sub/absent",
        "./file.txt",
        "sub/./inner.txt",
        "sub/../file.txt",
        "sub",
        "sub/",
        ".",
        "..",
        "",
        "file.txt/",
        "file.txt/.",
        "file.txt/deeper",
        "nul\0",
        &long,
        "link",
        "link/",
        "folder/inner.txt",
        "sub/absolute",
        "far/inner.txt",
        "far/absolute",
        "harmless/id",
        "sub/.ssh/id",
        "sub/.netrc",
        "out/secret.txt",
        "../secret/secret.txt",
        "out/absent",
        "broken",
        "loop",
        "magic/etc/passwd",
        "sub/pipe",
        "folder/pipe",
        "socket",
    ]
    .into_iter()
    .map(PathBuf::from)
    .collect();
    let absolute: Vec<_> = paths.iter().map(|path| world.root().join(path)).collect();
    paths.extend(absolute);
    paths.push(world.secret().join("secret.txt"));
    // In every order of two, so that what is remembered of the one serves the other.
    let turned: Vec<_> = paths.iter().rev().cloned().collect();
    paths.extend(turned);

    let opened = each(&world.fs, &paths, usize::MAX).await;
    let described = world.fs.metadata_each(paths.clone()).await.unwrap();
    assert_eq!(opened.len(), paths.len());
    let mut readable = 0;
    for ((path, opened), described) in paths.iter().zip(opened).zip(described) {
        assert_eq!(opened, seen(world.fs.open(path).await), "{path:?}");
        let alone = world.fs.metadata(path).await;
        let alone = alone.map_err(|error| format!("{error:?}"));
        let described = described.map_err(|error| format!("{error:?}"));
        assert_eq!(described, alone, "{path:?}");
        if let Ok((_, text)) = opened {
            assert_ne!(text, SECRET, "{path:?}");
            readable += 1;
        }
    }
    assert!(readable > 20, "{readable}");
}

#[tokio::test]
async fn a_visitor_ends_it() {
    let world = Fixture::new();
    let paths = vec![PathBuf::from("file.txt"); 5];
    assert_eq!(each(&world.fs, &paths, 2).await.len(), 2);
    let panics = world
        .fs
        .open_each(paths, Box::new(|_| panic!("a visitor's own")));
    assert!(matches!(panics.await, Err(FsError::Io { .. })));
}

#[tokio::test]
async fn a_device_is_not_opened() {
    let devices = LocalFs::new("/dev").unwrap();
    let paths = [PathBuf::from("null"), PathBuf::from("zero")];
    for seen in each(&devices, &paths, usize::MAX).await {
        assert!(seen.unwrap_err().contains("CharDevice"));
    }
}

/// Opens a file over and over, while another thread swaps two names; returns how often it was read and refused.
async fn race(world: &Fixture, path: &str, (a, b): (&str, &str)) -> (usize, usize) {
    let stop = Arc::new(AtomicBool::new(false));
    let (stopped, root) = (Arc::clone(&stop), world.root());
    let (a, b) = (root.join(a), root.join(b));
    let swapper = std::thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap();
        }
    });
    let (mut inside, mut refused) = (0, 0);
    for _ in 0..50 {
        let paths = vec![PathBuf::from(path); 100];
        for seen in each(&world.fs, &paths, usize::MAX).await {
            match seen {
                Ok((_, text)) => {
                    assert_eq!(text, "inside");
                    inside += 1;
                }
                Err(error) => {
                    refused +=
                        usize::from(error.contains("Outside") || error.contains("Forbidden"));
                }
            }
        }
        for found in world.fs.metadata_each(paths).await.unwrap().into_iter() {
            assert!(found.is_err() || found.unwrap().len == 6, "the other file");
        }
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    (inside, refused)
}

#[tokio::test]
async fn what_is_swapped_meanwhile_shows_neither_the_outside_nor_what_is_denied() {
    for (target, path) in [
        ("../secret", "a/secret.txt"),
        (".ssh", "a/secret.txt"),
        ("../secret/secret.txt", "a"),
        (".ssh/secret.txt", "a"),
    ] {
        let world = Fixture::new();
        let root = world.root();
        fs::create_dir(root.join(".ssh")).unwrap();
        fs::write(root.join(".ssh/secret.txt"), SECRET).unwrap();
        if Path::new(path).components().count() == 2 {
            fs::create_dir(root.join("a")).unwrap();
        }
        fs::write(root.join(path), "inside").unwrap();
        symlink(target, root.join("b")).unwrap();
        let (inside, refused) = race(&world, path, ("a", "b")).await;
        assert!(
            inside > 0 && refused > 0,
            "no race: {inside} and {refused}, {target}"
        );
    }
}

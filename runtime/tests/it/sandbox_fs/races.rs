//! Files and folders that are swapped while they are read.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use helve_runtime::sandbox::{FsError, SandboxFs};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::sandbox_fs::{Fixture, SECRET};

/// Reads while another thread swaps; returns how often the inside was read and how often it was refused.
async fn race(world: &Fixture, path: &str, swap: impl Fn() + Send + 'static) -> (usize, usize) {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let swapper = std::thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            swap();
        }
    });
    let (mut inside, mut refused) = (0, 0);
    for _ in 0..5_000 {
        match world.read(path).await {
            Ok(text) => {
                assert_eq!(text, "inside");
                inside += 1;
            }
            Err(FsError::Outside { .. }) => refused += 1,
            // A swap can also leave nothing there for a moment.
            Err(_) => {}
        }
        if let Ok(at) = world.fs.resolve(Path::new(path)).await {
            assert!(at.absolute.starts_with(&world.fs.roots()[0]), "{at:?}");
        }
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    (inside, refused)
}

#[tokio::test]
async fn a_swapped_link_never_shows_the_outside() {
    let world = Fixture::new();
    let root = world.root();
    fs::write(root.join("sub/secret.txt"), "inside").unwrap();
    symlink(root.join("sub"), root.join("a")).unwrap();
    symlink(world.secret(), root.join("b")).unwrap();
    let swap = move || {
        let (a, b) = (root.join("a"), root.join("b"));
        renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
    };
    let (inside, refused) = race(&world, "a/secret.txt", swap).await;
    assert!(inside > 0 && refused > 0, "no race: {inside} and {refused}");
}

#[tokio::test]
async fn a_file_swapped_for_a_link_never_shows_the_outside() {
    let world = Fixture::new();
    let root = world.root();
    fs::write(root.join("a"), "inside").unwrap();
    symlink("../secret/secret.txt", root.join("b")).unwrap();
    let swap = move || {
        let (a, b) = (root.join("a"), root.join("b"));
        renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).unwrap();
    };
    let (inside, refused) = race(&world, "a", swap).await;
    assert!(inside > 0 && refused > 0, "no race: {inside} and {refused}");
}

#[tokio::test]
async fn a_folder_moved_out_never_shows_the_outside() {
    let world = Fixture::new();
    let root = world.root();
    fs::write(root.join("secret.txt"), "inside").unwrap();
    // One level above the root, where `..` leads from the folder once it was moved out.
    fs::create_dir_all(world.dir.path().join("away")).unwrap();
    fs::write(world.dir.path().join("secret.txt"), SECRET).unwrap();
    fs::create_dir_all(root.join("deep/er")).unwrap();
    let (deep, away) = (root.join("deep"), world.dir.path().join("away/deep"));
    fs::write(world.dir.path().join("away/secret.txt"), SECRET).unwrap();
    let swap = move || {
        fs::rename(&deep, &away).unwrap();
        fs::rename(&away, &deep).unwrap();
    };
    let (inside, _) = race(&world, "deep/er/../../secret.txt", swap).await;
    assert!(inside > 0, "never read");
}

#[tokio::test]
async fn an_open_file_stays_the_same_file() {
    let world = Fixture::new();
    let mut handle = world.fs.open(Path::new("file.txt")).await.unwrap();
    fs::remove_file(world.root().join("file.txt")).unwrap();
    symlink(
        world.secret().join("secret.txt"),
        world.root().join("file.txt"),
    )
    .unwrap();
    assert_eq!(handle.metadata().len, 10);
    let text = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        handle.read_to_string(&mut text).unwrap();
        text
    });
    assert_eq!(text.await.unwrap(), "0123456789");
}

#[tokio::test]
async fn a_root_stays_the_same_folder_when_it_is_renamed() {
    let world = Fixture::new();
    fs::rename(world.root(), world.dir.path().join("moved")).unwrap();
    symlink(world.secret(), world.root()).unwrap();
    assert_eq!(world.read("file.txt").await.unwrap(), "0123456789");
    assert!(matches!(
        world.read("secret.txt").await,
        Err(FsError::NotFound { .. })
    ));
}

//! Writes while others write, swap and read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use helve_runtime::sandbox::{FsError, SandboxFs, WriteCondition};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::sandbox_fs::writes::{remove, rename, write};
use crate::sandbox_fs::{Fixture, SECRET};

/// How many rounds a race has.
const ROUNDS: usize = 3_000;

/// Swaps two names of the root until it is told to stop.
fn swapping(world: &Fixture) -> impl FnOnce() + use<> {
    let (a, b) = (world.root().join("a"), world.root().join("b"));
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let thread = std::thread::spawn(move || {
        while !stopped.load(Ordering::Relaxed) {
            // One of them may be gone for a moment.
            let _ = renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE);
        }
    });
    move || {
        stop.store(true, Ordering::Relaxed);
        thread.join().unwrap();
    }
}

fn unharmed(world: &Fixture) {
    let names: Vec<_> = fs::read_dir(world.secret())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(
        names,
        ["secret.txt"],
        "something was made or removed outside"
    );
    let secret = fs::read_to_string(world.secret().join("secret.txt")).unwrap();
    assert_eq!(secret, SECRET, "the outside was written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_swapped_for_a_link_is_never_written_through() {
    let world = Fixture::in_memory();
    fs::create_dir(world.root().join("a")).unwrap();
    symlink(world.secret(), world.root().join("b")).unwrap();
    let stop = swapping(&world);
    let (mut inside, mut refused) = (0, 0);
    for _ in 0..ROUNDS {
        let changes = vec![
            write("a/secret.txt", "x", WriteCondition::Always),
            write("a/new/file", "x", WriteCondition::Always),
        ];
        match world.apply(changes).await {
            Ok(_) => inside += 1,
            Err(_) => refused += 1,
        }
        let _ = world.apply(vec![remove("a/secret.txt")]).await;
        let _ = world.apply(vec![rename("a/new", "a/old")]).await;
        let _ = world.fs.remove_dir_all(Path::new("a/old")).await;
        let _ = world.fs.create_dir(Path::new("a/x/y")).await;
    }
    stop();
    unharmed(&world);
    assert!(inside > 0 && refused > 0, "no race: {inside} and {refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_swapped_for_a_link_is_never_written_through() {
    let world = Fixture::in_memory();
    fs::write(world.root().join("a"), "inside").unwrap();
    symlink("../secret/secret.txt", world.root().join("b")).unwrap();
    let stop = swapping(&world);
    let (mut inside, mut refused) = (0, 0);
    for _ in 0..ROUNDS {
        match world.put("a", "inside", WriteCondition::Always).await {
            Ok(_) => inside += 1,
            Err(_) => refused += 1,
        }
    }
    stop();
    unharmed(&world);
    assert!(inside > 0 && refused > 0, "no race: {inside} and {refused}");
    assert_eq!(world.strays(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trees_are_removed_and_unpacked_inside_while_links_are_swapped() {
    let world = Fixture::in_memory();
    let archive = {
        let mut builder = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_gnu();
        header.set_size(1);
        header.set_mode(0o644);
        builder
            .append_data(&mut header, "a/secret.txt", &b"x"[..])
            .unwrap();
        builder.into_inner().unwrap()
    };
    symlink(world.secret(), world.root().join("b")).unwrap();
    fs::create_dir(world.root().join("a")).unwrap();
    let stop = swapping(&world);
    for _ in 0..ROUNDS {
        let archive = Box::new(std::io::Cursor::new(archive.clone()));
        let _ = world.fs.unpack(Path::new("."), archive).await;
        let _ = world.fs.remove_dir_all(Path::new("a")).await;
        let _ = fs::create_dir(world.root().join("a"));
    }
    stop();
    unharmed(&world);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_writers_lose_nothing() {
    const WRITERS: usize = 16;
    const EACH: usize = 20;
    let world = Arc::new(Fixture::in_memory());
    fs::write(world.root().join("count"), "0").unwrap();
    let retried = Arc::new(AtomicUsize::new(0));
    let mut writers = Vec::new();
    for _ in 0..WRITERS {
        let (world, retried) = (Arc::clone(&world), Arc::clone(&retried));
        writers.push(tokio::spawn(async move {
            for _ in 0..EACH {
                increment(&world, &retried).await;
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(world.text("count"), (WRITERS * EACH).to_string());
    assert_eq!(world.strays(), Vec::<String>::new());
    println!("{} writes met another", retried.load(Ordering::Relaxed));
}

/// Adds one to what is in the file, again and again until nobody else did so meanwhile.
async fn increment(world: &Fixture, retried: &AtomicUsize) {
    loop {
        let handle = world.fs.open(Path::new("count")).await.unwrap();
        let seen = handle.metadata().version.clone().unwrap();
        let count: usize = tokio::task::spawn_blocking(move || {
            let text = std::io::read_to_string(handle).unwrap();
            text.parse().unwrap()
        })
        .await
        .unwrap();
        let next = (count + 1).to_string();
        match world
            .put("count", &next, WriteCondition::Unchanged(seen))
            .await
        {
            Ok(_) => return,
            Err(FsError::Changed { .. }) => retried.fetch_add(1, Ordering::Relaxed),
            Err(error) => panic!("{error:?}"),
        };
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_reads_meanwhile_sees_the_old_or_the_new() {
    let world = Arc::new(Fixture::in_memory());
    let of = |byte: u8| String::from_utf8(vec![byte; 50_000]).unwrap();
    fs::write(world.root().join("file"), of(b'a')).unwrap();
    let mut writers = Vec::new();
    for byte in b'a'..=b'p' {
        let (world, text) = (Arc::clone(&world), of(byte));
        writers.push(tokio::spawn(async move {
            for _ in 0..20 {
                world
                    .put("file", &text, WriteCondition::Always)
                    .await
                    .unwrap();
            }
        }));
    }
    for _ in 0..500 {
        let bytes = world
            .fs
            .read_whole(Path::new("file"), 100_000)
            .await
            .unwrap();
        assert_eq!(bytes.len(), 50_000);
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "torn");
    }
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(world.strays(), Vec::<String>::new());
}

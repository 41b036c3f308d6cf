use std::fs;
use std::path::Path;
use std::thread;

use proptest::prelude::*;

use super::{Spool, SpoolReader, ensure_own_folder};
use crate::sandbox::OutputStream::{Stderr, Stdout};

/// Bytes that depend on their position, and that are no text.
fn bytes(from: u64, length: usize) -> Vec<u8> {
    (from..from + length as u64)
        .map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect()
}

fn on_disk(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).unwrap();
    files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum()
}

#[derive(Debug, Clone)]
enum Step {
    Append(usize),
    Read { back: u64, max: usize },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..20_000_usize).prop_map(Step::Append),
        (0..60_000_u64, 0..30_000_usize).prop_map(|(back, max)| Step::Read { back, max }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_kept_is_what_was_written(limit in 0..50_000_u64, steps in prop::collection::vec(step(), 1..40)) {
        let folder = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(folder.path(), Stdout, limit);
        let reader = SpoolReader::new(folder.path(), Stdout);
        for step in steps {
            match step {
                Step::Append(length) => spool.append(&bytes(spool.total(), length)).unwrap(),
                Step::Read { back, max } => {
                    let offset = spool.total().saturating_sub(back);
                    let chunk = spool.read(offset, max).unwrap();
                    prop_assert_eq!(&chunk, &reader.read(offset, max).unwrap());
                    prop_assert_eq!(chunk.total, spool.total());
                    prop_assert!(chunk.offset >= offset);
                    // Only output older than the limit may be missing, and a chunk is as long as possible.
                    prop_assert!(chunk.offset == offset || chunk.total - chunk.offset >= limit);
                    let there = usize::try_from(chunk.total - chunk.offset).unwrap();
                    prop_assert_eq!(chunk.bytes.len(), there.min(max));
                    prop_assert_eq!(&chunk.bytes, &bytes(chunk.offset, chunk.bytes.len()));
                }
            }
            prop_assert!(on_disk(folder.path()) <= limit + limit / 4 + 8192);
        }
    }
}

#[test]
fn a_reader_that_follows_from_outside_meets_every_byte_in_its_place() {
    const ALL: u64 = 8 << 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let writer = thread::spawn(move || {
        let mut spool = Spool::create(&path, Stderr, 64 << 10);
        while spool.total() < ALL {
            spool.append(&bytes(spool.total(), 3_001)).unwrap();
        }
        spool.end().unwrap();
    });
    let reader = SpoolReader::new(folder.path(), Stderr);
    let mut offset = 0;
    loop {
        let chunk = reader.read(offset, 10_000).unwrap();
        assert!(chunk.offset >= offset, "nothing comes twice");
        assert_eq!(chunk.bytes, bytes(chunk.offset, chunk.bytes.len()));
        offset = chunk.next();
        if chunk.end {
            assert_eq!(offset, chunk.total);
            break;
        }
        thread::yield_now();
    }
    writer.join().unwrap();
    assert!(offset >= ALL);
}

#[test]
fn what_cannot_be_kept_still_counts() {
    let folder = tempfile::tempdir().unwrap();
    let above = folder.path().join("closed");
    ensure_own_folder(&above).unwrap();
    let below = above.join("gone");
    let mut spool = Spool::create(&below, Stdout, 10_000);
    spool.append(b"before").unwrap();
    fs::remove_dir_all(&below).unwrap();
    fs::write(&below, "").unwrap();
    spool.append(&bytes(0, 10_000)).unwrap_err();
    assert_eq!(spool.total(), 10_006);
    fs::remove_file(&below).unwrap();
    spool.append(b"after").unwrap();
    for chunk in [
        spool.read(0, 100).unwrap(),
        SpoolReader::new(&below, Stdout).read(0, 100).unwrap(),
    ] {
        assert_eq!(
            (chunk.offset, &*chunk.bytes, chunk.total),
            (10_006, &b"after"[..], 10_011)
        );
    }
}

#[test]
fn nothing_is_kept_where_others_may_look() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let above = folder.path().join("open");
    fs::create_dir(&above).unwrap();
    fs::set_permissions(&above, fs::Permissions::from_mode(0o755)).unwrap();
    let mut spool = Spool::create(&above.join("process"), Stdout, 100);
    spool.append(b"secret").unwrap_err();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&above, &link).unwrap();
    Spool::create(&link.join("process"), Stdout, 100)
        .append(b"secret")
        .unwrap_err();
    assert_eq!(fs::read_dir(&above).unwrap().count(), 0);
}

#[test]
fn the_end_is_told_with_the_last_byte() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = Spool::create(folder.path(), Stdout, 100);
    spool.append(b"\xff\xfe\0 no text").unwrap();
    assert!(!spool.read(0, 100).unwrap().end);
    spool.end().unwrap();
    let reader = SpoolReader::new(folder.path(), Stdout);
    assert!(!reader.read(0, 5).unwrap().end);
    assert!(reader.read(5, 100).unwrap().end);
    assert_eq!(reader.read(0, 100).unwrap().bytes, b"\xff\xfe\0 no text");
    assert!(spool.read(11, 5).unwrap().end);
    let silent = SpoolReader::new(folder.path(), Stderr).read(7, 5).unwrap();
    assert_eq!((silent.offset, silent.total, silent.end), (7, 0, false));
}

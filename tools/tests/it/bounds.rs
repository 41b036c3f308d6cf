//! Nothing is too large and nothing runs on: memory, cancellation, deadlines. One test, in a process of its own, since it
//! looks at the memory of the whole process.

#![cfg(all(feature = "files", target_os = "linux"))]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "tests make their own files"
)]

use crate::support;

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use helve::sandbox::{
    DirEntry, FileKind, FileSlice, FsError, Listing, Metadata, PathResolution, ReadHandle,
    ReadRange, ResolvedPath, SandboxFs,
};
use serde_json::json;
use support::{Tree, call, granted, whole};

/// A folder in which every file is the same endless, or nearly endless, text.
#[derive(Debug, Clone)]
struct Endless {
    text: &'static [u8],
    len: u64,
    read: Arc<AtomicU64>,
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, FsError>> + Send + 'a>>;

fn answer<'a, T: Send + 'a>(value: T) -> Answer<'a, T> {
    Box::pin(std::future::ready(Ok(value)))
}

impl SandboxFs for Endless {
    fn roots(&self) -> &[PathBuf] {
        &[]
    }
    fn resolution(&self) -> PathResolution {
        PathResolution::Closed
    }
    fn resolve<'a>(&'a self, path: &'a Path) -> Answer<'a, ResolvedPath> {
        answer(ResolvedPath::new(
            path.to_string_lossy(),
            "",
            Path::new("/").join(path),
        ))
    }
    fn metadata<'a>(&'a self, path: &'a Path) -> Answer<'a, Metadata> {
        let kind = if path.ends_with("folder") {
            FileKind::Directory
        } else {
            FileKind::File
        };
        answer(Metadata::new(kind, self.len, None))
    }
    fn read<'a>(&'a self, _: &'a Path, _: ReadRange) -> Answer<'a, FileSlice> {
        answer(FileSlice::new(Vec::new(), 0))
    }
    fn open<'a>(&'a self, _: &'a Path) -> Answer<'a, ReadHandle> {
        let text = Text {
            fs: self.clone(),
            left: self.len,
        };
        answer(ReadHandle::new(
            Metadata::new(FileKind::File, self.len, None),
            text,
        ))
    }
    fn read_dir<'a>(&'a self, _: &'a Path) -> Answer<'a, Listing> {
        let entries = (0..1_000).map(|n| DirEntry::new(format!("{n}"), FileKind::File));
        answer(Listing::new(entries.collect(), false))
    }

    fn apply(
        &self,
        _: Vec<helve::sandbox::Change>,
    ) -> helve::BoxFuture<'_, Result<Vec<Metadata>, FsError>> {
        unreachable!("nothing is written here")
    }

    fn create_dir<'a>(&'a self, _: &'a Path) -> helve::BoxFuture<'a, Result<(), FsError>> {
        unreachable!("nothing is written here")
    }

    fn remove_dir_all<'a>(&'a self, _: &'a Path) -> helve::BoxFuture<'a, Result<(), FsError>> {
        unreachable!("nothing is written here")
    }

    fn pack<'a>(
        &'a self,
        _: &'a Path,
    ) -> helve::BoxFuture<'a, Result<Box<dyn Read + Send>, FsError>> {
        unreachable!("nothing is packed here")
    }

    fn unpack<'a>(
        &'a self,
        _: &'a Path,
        _: Box<dyn Read + Send>,
    ) -> helve::BoxFuture<'a, Result<(), FsError>> {
        unreachable!("nothing is written here")
    }
}

struct Text {
    fs: Endless,
    left: u64,
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let text = self.fs.text.repeat(1 + buffer.len() / self.fs.text.len());
        let room = buffer.len() - buffer.len() % self.fs.text.len();
        let taken = (&text[..room]).take(self.left).read(buffer)?;
        self.left -= taken as u64;
        self.fs.read.fetch_add(taken as u64, Ordering::Relaxed);
        Ok(taken)
    }
}

fn endless(text: &'static [u8], len: u64) -> Arc<Endless> {
    Arc::new(Endless {
        text,
        len,
        read: Arc::default(),
    })
}

/// The most memory that the process has had, in MB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1000
}

/// Says that this process is the one that runs the test alone.
const ALONE: &str = "HELVE_TEST_ALONE";

#[tokio::test(flavor = "multi_thread")]
async fn memory_and_time_are_bounded() {
    if std::env::var_os(ALONE).is_none() {
        let program = std::env::current_exe().unwrap();
        let output = std::process::Command::new(program)
            .args(["--exact", "bounds::memory_and_time_are_bounded"])
            .env(ALONE, "1")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{told}");
        assert!(told.contains("1 passed"), "{told}");
        return;
    }
    long_files_take_little_memory().await;
    a_sparse_file_is_a_line_too().await;
    a_cancelled_call_stops_reading().await;
    a_deadline_keeps_what_was_found().await;
}

async fn long_files_take_little_memory() {
    // Ten gigabytes of lines: the window is read, and a bounded part behind it is counted.
    let fs = endless(b"0123456\n", 10_000_000_000);
    let cx = granted(fs.clone()).build();
    let answer = whole(
        call(
            "read_file",
            json!({ "path": "big", "offset": 100_000, "limit": 2 }),
            &cx,
        )
        .await,
    );
    insta::assert_snapshot!(answer, @"
    100000	0123456
    100001	0123456
    [lines 100000 to 100001 of more than 8496128 (10.0 GB); continue with offset=100002]
    ");
    assert!(fs.read.load(Ordering::Relaxed) < 80_000_000);
    // Two hundred megabytes without a line break.
    let cx = granted(endless(b"x", 200_000_000)).build();
    let answer = whole(call("read_file", json!({ "path": "line" }), &cx).await);
    assert!(answer.contains("xx… [line cut: 2000 of "), "{answer}");
    let answer = whole(call("grep", json!({ "pattern": "xy", "path": "line" }), &cx).await);
    insta::assert_snapshot!(answer, @"
    no match for `xy` in `line` (1 file searched)
    [not fully searched: `line` (a line is longer than 16.8 MB; searched up to it)]
    ");
    assert!(peak() < 128, "{} MB", peak());
}

async fn a_sparse_file_is_a_line_too() {
    let tree = Tree::new(&[("sparse", &"x".repeat(10_000))]);
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(tree.root().join("sparse"))
        .unwrap();
    file.set_len(1 << 30).unwrap();
    let answer = tree.read(json!({ "path": "sparse" })).await;
    assert!(
        answer.contains("xx… [line cut: 2000 of 1073741824 characters]"),
        "{answer}"
    );
    insta::assert_snapshot!(tree.grep(json!({ "pattern": "x" })).await, @"no match for `x` in `.` (1 file searched)");
    assert!(peak() < 128, "{} MB", peak());
}

async fn a_cancelled_call_stops_reading() {
    for (path, tool) in [("folder", "grep"), ("file", "grep"), ("file", "read_file")] {
        let fs = endless(b"0123456\n", u64::MAX);
        let cx = granted(fs.clone()).build();
        let cancellation = cx.cancellation().clone();
        let arguments = match tool {
            "grep" => json!({ "path": path, "pattern": "absent" }),
            _ => json!({ "path": path, "offset": 1_u64 << 60 }),
        };
        let task = tokio::spawn(async move { whole(call(tool, arguments, &cx).await) });
        while fs.read.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        cancellation.cancel();
        let answer = tokio::time::timeout(Duration::from_secs(5), task)
            .await
            .unwrap()
            .unwrap();
        assert!(
            answer.starts_with("cancelled: the call was cancelled"),
            "{answer}"
        );
        stands_still(&fs).await;
    }
}

/// The threads that read stop, too: soon nothing more is read.
async fn stands_still(fs: &Endless) {
    for _ in 0..100 {
        let before = fs.read.load(Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(50)).await;
        if fs.read.load(Ordering::Relaxed) == before {
            return;
        }
    }
    panic!("something still reads");
}

async fn a_deadline_keeps_what_was_found() {
    let fs = endless(b"0123456\n", u64::MAX);
    let deadline = tokio::time::Instant::now() + Duration::from_secs(1);
    let cx = granted(fs.clone()).deadline(deadline).build();
    let started = Instant::now();
    let answer = whole(
        call(
            "grep",
            json!({ "path": "folder", "pattern": "absent" }),
            &cx,
        )
        .await,
    );
    assert!(
        answer.starts_with("[search timed out, so matches are missing (files searched: "),
        "{answer}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
    stands_still(&fs).await;
}

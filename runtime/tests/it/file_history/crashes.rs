//! The process ends between two steps: what is on the disk then is enough.

use std::io::Read;

use futures_util::FutureExt as _;
use futures_util::future::pending;
use helve_runtime::sandbox::{
    Listing, Metadata, PathResolution, ReadHandle, ReadRange, ResolvedPath,
};

use super::*;

type FsFuture<'a, T> = BoxFuture<'a, Result<T, FsError>>;

/// Files whose changes never end: they are made, or not, and the process ends.
#[derive(Debug)]
struct CrashingFiles {
    files: LocalFs,
    log: PathBuf,
    writes: bool,
}

impl SandboxFs for CrashingFiles {
    fn roots(&self) -> &[PathBuf] {
        self.files.roots()
    }

    fn resolution(&self) -> PathResolution {
        self.files.resolution()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ResolvedPath> {
        self.files.resolve(path)
    }

    fn metadata<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Metadata> {
        self.files.metadata(path)
    }

    fn read<'a>(
        &'a self,
        path: &'a Path,
        range: ReadRange,
    ) -> FsFuture<'a, helve_runtime::sandbox::FileSlice> {
        self.files.read(path, range)
    }

    fn open<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ReadHandle> {
        self.files.open(path)
    }

    fn read_dir<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Listing> {
        self.files.read_dir(path)
    }

    fn apply(&self, changes: Vec<Change>) -> FsFuture<'_, Vec<Metadata>> {
        Box::pin(async move {
            // What is there before the change is recorded before the change.
            let log = fs::read_to_string(&self.log).unwrap();
            assert!(log.contains(r#""type":"change""#), "{log}");
            if self.writes {
                self.files.apply(changes).await?;
            }
            pending().await
        })
    }

    fn create_dir<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ()> {
        self.files.create_dir(path)
    }

    fn remove_dir_all<'a>(&'a self, path: &'a Path) -> FsFuture<'a, ()> {
        self.files.remove_dir_all(path)
    }

    fn pack<'a>(&'a self, path: &'a Path) -> FsFuture<'a, Box<dyn Read + Send>> {
        self.files.pack(path)
    }

    fn unpack<'a>(&'a self, path: &'a Path, archive: Box<dyn Read + Send>) -> FsFuture<'a, ()> {
        self.files.unpack(path, archive)
    }
}

/// Ends the process during a write, before or after the file is there; continues in another one.
async fn crash(writes: bool) -> Fixture {
    let world = Fixture::new().await;
    fs::write(world.path("f"), "one").unwrap();
    world.tracker.attach(None).await;
    let files = CrashingFiles {
        files: LocalFs::new(world.project()).unwrap(),
        log: world.dir.path().join("history/log"),
        writes,
    };
    let world = Fixture::with_files(world.dir, Arc::new(files)).await;
    {
        let change = world.apply(vec![write("f", b"two")]).fuse();
        tokio::pin!(change);
        let expected = if writes { "two" } else { "one" };
        let recorded = || {
            fs::metadata(world.dir.path().join("history/log"))
                .unwrap()
                .len()
                > 0
        };
        let is_done = || recorded() && fs::read_to_string(world.path("f")).unwrap() == expected;
        let mut polls = 0;
        while !is_done() {
            assert!((&mut change).now_or_never().is_none());
            tokio::task::yield_now().await;
            polls += 1;
            assert!(polls < 10_000_000, "the write does not begin");
        }
    }
    // A drop writes nothing; the history of the new process is what was on the disk.
    world.reopen().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_before_the_write_leaves_nothing_to_restore() {
    let world = crash(false).await;
    assert_eq!(world.plan(0).await.rows, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_after_the_write_is_put_back() {
    let world = crash(true).await;
    world.rewind(0).await;
    assert_eq!(fs::read_to_string(world.path("f")).unwrap(), "one");
}

#[tokio::test]
async fn a_line_that_was_cut_off_is_as_if_it_was_not_written() {
    let world = Fixture::new().await;
    fs::write(world.path("f"), "one").unwrap();
    world.write("f", b"two").await;
    let log = world.dir.path().join("history/log");
    world.tracker.attach(None).await;
    let whole = fs::read(&log).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    // Without the last line: that of the state after the change.
    let without = whole.len() - lines.last().unwrap().len();
    for end in without..whole.len() {
        fs::write(&log, &whole[..end]).unwrap();
        let project = LocalFs::new(world.project()).unwrap();
        let mut history = FileHistory::open(&world.dir.path().join("history"), project).unwrap();
        assert_eq!(history.position(), lines.len() as u64 - 1);
        let plan = history.plan(0);
        assert_eq!(statuses(&plan), [("f", &RowStatus::Ready)]);
    }
}

#[tokio::test]
async fn a_command_that_was_interrupted_is_named() {
    let world = Fixture::new().await;
    let started = r#"{"type":"command","id":"c1","line":"make install"}"#;
    world.tracker.attach(None).await;
    fs::write(world.dir.path().join("history/log"), format!("{started}\n")).unwrap();
    let world = world.reopen().await;
    let plan = world.plan(0).await;
    let note = "`make install` was interrupted; what it changed is not known";
    assert_eq!(plan.notes, [note]);
}

#[tokio::test]
async fn the_log_of_a_newer_version_is_left_alone() {
    let world = Fixture::new().await;
    world.tracker.attach(None).await;
    let log = world.dir.path().join("history/log");
    fs::write(&log, "{\"type\":\"teleport\"}\n").unwrap();
    let project = LocalFs::new(world.project()).unwrap();
    let error = FileHistory::open(&world.dir.path().join("history"), project).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("line 1: unknown variant `teleport`"),
        "{error}"
    );
    assert_eq!(
        fs::read_to_string(&log).unwrap(),
        "{\"type\":\"teleport\"}\n"
    );
}

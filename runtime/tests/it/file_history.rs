//! The history of files: what tools and commands change is put back, every byte of it, and nothing else is touched.
#![cfg(all(feature = "files", target_os = "linux"))]

mod commands;
mod crashes;
mod hostile;
mod properties;

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, ready};
use helve_host::file_history::{
    FileHistory, FileTracker, RewindPlan, RewindReport, RewindRow, RowStatus,
};
use helve_host::sandbox::LocalFs;
use helve_runtime::sandbox::{
    Change, Enforcement, Exit, FsError, LazySandbox, OutputChunk, ProcessId, ProcessSpec,
    ProcessStatus, ReadOutput, Sandbox, SandboxError, SandboxFs, SandboxId, Signal, TerminalSize,
    WriteCondition,
};
use tempfile::TempDir;

type CommandBody = Box<dyn FnOnce(&Path) + Send>;

/// A project with a history beside it, and the tools' way to both.
struct Fixture {
    dir: TempDir,
    files: Arc<dyn SandboxFs>,
    sandbox: LazySandbox,
    bodies: Arc<Mutex<VecDeque<CommandBody>>>,
    tracker: FileTracker,
    commands: usize,
}

impl Fixture {
    async fn new() -> Self {
        let memory = tempfile::tempdir_in("/dev/shm");
        let dir = memory.unwrap_or_else(|_| tempfile::tempdir().unwrap());
        fs::create_dir(dir.path().join("project")).unwrap();
        Self::open(dir).await
    }

    /// Opens the history of a folder, as a new process does.
    async fn open(dir: TempDir) -> Self {
        let project = LocalFs::new(dir.path().join("project")).unwrap();
        Self::with_files(dir, Arc::new(project)).await
    }

    /// The same, with other files for the tools.
    async fn with_files(dir: TempDir, files: Arc<dyn SandboxFs>) -> Self {
        let tracker = FileTracker::new();
        let project = LocalFs::new(dir.path().join("project")).unwrap();
        let history = FileHistory::open(&dir.path().join("history"), project).unwrap();
        tracker.attach(Some(history)).await;
        let bodies = Arc::default();
        let scripted: Arc<dyn Sandbox> = Arc::new(ScriptedSandbox {
            id: SandboxId::new("scripted").unwrap(),
            enforcement: Enforcement::new("none"),
            project: dir.path().join("project"),
            files: files.clone(),
            bodies: Arc::clone(&bodies),
        });
        Self {
            files: tracker.track_files(files),
            sandbox: tracker.track_sandbox(Arc::new(LazySandbox::from_opened(scripted))),
            bodies,
            tracker,
            dir,
            commands: 0,
        }
    }

    /// Ends the process, and starts another one.
    async fn reopen(self) -> Self {
        self.tracker.attach(None).await;
        Self::open(self.dir).await
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn path(&self, below: &str) -> PathBuf {
        self.project().join(below)
    }

    async fn position(&self) -> u64 {
        let position = self.tracker.with_history(|history| history.position());
        position.await.unwrap()
    }

    async fn plan(&self, position: u64) -> RewindPlan {
        let plan = self
            .tracker
            .with_history(move |history| history.plan(position));
        plan.await.unwrap()
    }

    async fn restore(&self, rows: Vec<RewindRow>) -> RewindReport {
        let restore = self
            .tracker
            .with_history(move |history| history.restore(&rows));
        restore.await.unwrap().unwrap()
    }

    /// Goes back to a position at which everything can be restored.
    async fn rewind(&self, position: u64) {
        let plan = self.plan(position).await;
        let ready = |row: &RewindRow| row.status == RowStatus::Ready;
        assert!(plan.rows.iter().all(ready), "{plan:#?}");
        let report = self.restore(plan.rows).await;
        assert_eq!(report.failed, []);
    }

    async fn apply(&self, changes: Vec<Change>) -> Result<(), FsError> {
        self.files.apply(changes).await.map(drop)
    }

    /// Writes a file as a tool does.
    async fn write(&self, path: &str, bytes: &[u8]) {
        self.apply(vec![write(path, bytes)]).await.unwrap();
    }

    /// Runs a command.
    async fn run(&mut self, line: &str, body: impl FnOnce(&Path) + Send + 'static) {
        self.bodies.lock().unwrap().push_back(Box::new(body));
        self.commands += 1;
        let id = ProcessId::new(&format!("c{}", self.commands)).unwrap();
        let sandbox = self.sandbox.get().await.unwrap();
        sandbox
            .start(ProcessSpec::new(id, ["bash", "-c", line]))
            .await
            .unwrap();
    }

    /// All that is below the project: kinds, permissions, contents.
    fn tree(&self) -> BTreeMap<PathBuf, String> {
        let mut tree = BTreeMap::new();
        list(&self.project(), &mut tree);
        tree
    }
}

fn list(folder: &Path, tree: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stat = fs::symlink_metadata(&path).unwrap();
        let mode = stat.permissions().mode();
        let text = if stat.is_dir() {
            list(&path, tree);
            format!("{mode:o}")
        } else if stat.is_symlink() {
            format!("to {}", fs::read_link(&path).unwrap().display())
        } else {
            format!("{mode:o} {:?}", fs::read(&path).unwrap())
        };
        tree.insert(path, text);
    }
}

fn write(path: &str, bytes: &[u8]) -> Change {
    Change::Write {
        path: path.into(),
        bytes: bytes.to_vec(),
        condition: WriteCondition::Always,
    }
}

fn remove(path: &str) -> Change {
    Change::Remove {
        path: path.into(),
        condition: WriteCondition::Always,
    }
}

/// The paths of rows, with what stands in the way of them.
fn statuses(plan: &RewindPlan) -> Vec<(&str, &RowStatus)> {
    let rows = plan.rows.iter();
    rows.map(|row| (&*row.display, &row.status)).collect()
}

/// A sandbox whose commands are functions of the test, which are over when they have started, except `serve`.
struct ScriptedSandbox {
    id: SandboxId,
    enforcement: Enforcement,
    project: PathBuf,
    files: Arc<dyn SandboxFs>,
    bodies: Arc<Mutex<VecDeque<CommandBody>>>,
}

impl std::fmt::Debug for ScriptedSandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScriptedSandbox").finish_non_exhaustive()
    }
}

fn unused<T: Send + 'static>() -> BoxFuture<'static, Result<T, SandboxError>> {
    Box::pin(ready(Err(SandboxError::Unavailable {
        kind: "scripted".to_owned(),
        why: "no test uses it".to_owned(),
    })))
}

impl Sandbox for ScriptedSandbox {
    fn id(&self) -> &SandboxId {
        &self.id
    }

    fn enforcement(&self) -> &Enforcement {
        &self.enforcement
    }

    fn files(&self) -> Arc<dyn SandboxFs> {
        self.files.clone()
    }

    fn start(&self, spec: ProcessSpec) -> BoxFuture<'_, Result<ProcessStatus, SandboxError>> {
        let body = self.bodies.lock().unwrap().pop_front().unwrap();
        body(&self.project);
        let mut status = ProcessStatus::new(spec.id, spec.argv);
        // Only a server goes on, in the background.
        let is_over = status.argv.last().is_none_or(|line| line != "serve");
        status.exit = is_over.then_some(Exit::Code(0));
        Box::pin(ready(Ok(status)))
    }

    fn read(&self, _: ReadOutput) -> BoxFuture<'_, Result<OutputChunk, SandboxError>> {
        unused()
    }

    fn write<'a>(
        &'a self,
        _: &'a ProcessId,
        _: Vec<u8>,
        _: bool,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        unused()
    }

    fn resize<'a>(
        &'a self,
        _: &'a ProcessId,
        _: TerminalSize,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        unused()
    }

    fn signal<'a>(
        &'a self,
        _: &'a ProcessId,
        _: Signal,
    ) -> BoxFuture<'a, Result<(), SandboxError>> {
        unused()
    }

    fn status<'a>(
        &'a self,
        _: &'a ProcessId,
        _: Duration,
    ) -> BoxFuture<'a, Result<ProcessStatus, SandboxError>> {
        unused()
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<ProcessStatus>, SandboxError>> {
        Box::pin(ready(Ok(Vec::new())))
    }

    fn project<'a>(
        &'a self,
        _: &'a Path,
        _: &'a str,
    ) -> BoxFuture<'a, Result<PathBuf, SandboxError>> {
        unused()
    }

    fn close(&self) -> BoxFuture<'_, Result<(), SandboxError>> {
        unused()
    }
}

#[tokio::test]
async fn ten_changes_are_put_back_and_the_rewind_is_undone() {
    let world = Fixture::new().await;
    fs::write(world.path("script.sh"), "#!/bin/sh\r\necho one\r\n").unwrap();
    fs::set_permissions(world.path("script.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    fs::write(world.path("gone.bin"), [0, 159, 146, 150]).unwrap();
    let before = world.tree();
    let start = world.position().await;
    world.write("script.sh", b"#!/bin/sh\necho two\n").await;
    world.write("deep/er/new.txt", b"new").await;
    world.write("deep/er/new.txt", b"newer").await;
    world.apply(vec![remove("gone.bin")]).await.unwrap();
    let rename = Change::Rename {
        from: "deep".into(),
        to: "moved".into(),
        condition: WriteCondition::Always,
    };
    world.apply(vec![rename]).await.unwrap();
    let after = world.tree();
    let end = world.position().await;
    world.rewind(start).await;
    assert_eq!(world.tree(), before);
    // Another process goes on from there.
    let world = world.reopen().await;
    world.rewind(end).await;
    assert_eq!(world.tree(), after);
    assert_eq!(world.plan(end).await.rows, []);
}

#[tokio::test]
async fn a_link_is_followed_to_the_file_that_is_written() {
    let world = Fixture::new().await;
    fs::write(world.path("real"), "one").unwrap();
    std::os::unix::fs::symlink("real", world.path("link")).unwrap();
    let before = world.tree();
    let start = world.position().await;
    world.write("link", b"two").await;
    world.apply(vec![remove("link")]).await.unwrap();
    world.rewind(start).await;
    assert_eq!(world.tree(), before);
}

#[tokio::test]
async fn only_the_owner_can_read_what_is_kept() {
    let world = Fixture::new().await;
    fs::write(world.path("secret"), "before").unwrap();
    world.write("secret", b"after").await;
    let history = world.dir.path().join("history");
    for path in [&history, &history.join("log"), &history.join("contents")] {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
}

#[tokio::test]
async fn names_that_are_no_text_are_put_back() {
    use std::os::unix::ffi::OsStrExt as _;

    let mut world = Fixture::new().await;
    for name in [&b"a%2f\xff"[..], b"line\nbreak", b"%", "größe".as_bytes()] {
        let path = world.project().join(std::ffi::OsStr::from_bytes(name));
        fs::write(&path, "one").unwrap();
        let before = world.tree();
        let start = world.position().await;
        let condition = WriteCondition::Always;
        world
            .apply(vec![Change::Remove { path, condition }])
            .await
            .unwrap();
        let again = world.reopen().await;
        again.rewind(start).await;
        assert_eq!(again.tree(), before);
        world = again;
    }
}

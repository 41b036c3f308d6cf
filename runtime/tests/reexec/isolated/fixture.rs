//! What every case needs: a workspace, a sandbox over it, and short words for running something.

use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use helve_runtime::sandbox::{
    Exit, IsolatedSandbox, OutputStream, ProcessId, ProcessSpec, ReadOutput, Sandbox, SandboxError,
    SandboxPolicy,
};
use libtest_mimic::Trial;

/// How long anything may take here.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);
/// Says that this process is an app that is going to be killed, and how long its commands sleep.
const APP_VARIABLE: &str = "HELVE_TEST_APP";
/// Says that this process attaches to a sandbox and reads a process of it.
const ATTACH_VARIABLE: &str = "HELVE_TEST_ATTACH";
/// Nobody's ids.
const NOBODY_ID: u32 = 65534;

/// A case by its name.
pub(crate) type IsolatedCase = (&'static str, fn() -> Pin<Box<dyn Future<Output = ()>>>);

/// Is the app or the process that attaches, where a test started this process as one.
pub(crate) fn run_as_role() {
    if let Some(mark) = std::env::var_os(APP_VARIABLE) {
        run_app(&mark.to_string_lossy());
    }
    if let Some(ids) = std::env::var_os(ATTACH_VARIABLE) {
        run_attached(&ids.to_string_lossy());
    }
}

/// Makes a suite of its cases: as whoever runs this, and as root once more as a user without rights.
pub(crate) fn trials(suite: &'static str, cases: Vec<IsolatedCase>) -> Vec<Trial> {
    let user = if rustix::process::geteuid().is_root() {
        "root"
    } else {
        "user"
    };
    let trials = cases.into_iter().map(|(name, case)| {
        Trial::test(format!("{suite}::{user}::{name}"), move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()?;
            runtime.block_on(async { tokio::time::timeout(3 * TIMEOUT, case()).await })?;
            Ok(())
        })
    });
    let mut trials: Vec<Trial> = trials.collect();
    if user == "root" {
        let name = format!("{suite}::as_a_user_without_rights");
        trials.push(Trial::test(name, move || as_nobody(suite)));
    }
    trials
}

/// Runs the same cases as nobody, in folders of its own.
fn as_nobody(suite: &str) -> Result<(), libtest_mimic::Failed> {
    use std::os::unix::process::CommandExt;
    let home = tempfile::tempdir()?;
    std::os::unix::fs::chown(home.path(), Some(NOBODY_ID), Some(NOBODY_ID))?;
    // What is staged is copied from there, not renamed.
    let state = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir_in(home.path()))?;
    std::os::unix::fs::chown(state.path(), Some(NOBODY_ID), Some(NOBODY_ID))?;
    // The program may lie where nobody else can read it.
    let program = home.path().join("program");
    std::fs::copy(std::env::current_exe()?, &program)?;
    let output = std::process::Command::new(&program)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .env("XDG_STATE_HOME", state.path())
        .args([&format!("{suite}::user::"), "--test-threads=2"])
        .current_dir(home.path())
        .uid(NOBODY_ID)
        .gid(NOBODY_ID)
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}{}", String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        Ok(())
    } else {
        Err(text.into_owned().into())
    }
}

/// A workspace and a sandbox over it.
pub(crate) struct IsolatedWorld {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) sandbox: IsolatedSandbox,
    next: std::cell::Cell<u32>,
}

impl IsolatedWorld {
    pub(crate) async fn new() -> Self {
        Self::with_policy(|_| {}).await
    }

    pub(crate) async fn with_policy(change: impl FnOnce(&mut SandboxPolicy)) -> Self {
        Self::with_setup(|_| {}, change).await
    }

    /// Fills the workspace first.
    pub(crate) async fn with_setup(
        fill: impl FnOnce(&Path),
        change: impl FnOnce(&mut SandboxPolicy),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path());
        let mut policy = SandboxPolicy::new(folder.path());
        change(&mut policy);
        let sandbox = IsolatedSandbox::open(policy).await.unwrap();
        Self {
            folder,
            sandbox,
            next: 0.into(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn spec<const N: usize>(&self, argv: [&str; N]) -> ProcessSpec {
        self.next.set(self.next.get() + 1);
        let id = ProcessId::new(&format!("p{}", self.next.get())).unwrap();
        ProcessSpec::new(id, argv)
    }

    /// Starts a script and waits for its end.
    pub(crate) async fn sh(&self, script: &str) -> ProcessOutput {
        self.run(self.spec(["/bin/sh", "-c", script]))
            .await
            .unwrap()
    }

    pub(crate) async fn run(&self, spec: ProcessSpec) -> Result<ProcessOutput, SandboxError> {
        let id = spec.id.clone();
        self.sandbox.start(spec).await?;
        self.wait(&id).await
    }

    pub(crate) async fn wait(&self, id: &ProcessId) -> Result<ProcessOutput, SandboxError> {
        let status = self.sandbox.status(id, TIMEOUT).await?;
        Ok(ProcessOutput {
            exit: status.exit,
            stdout: self.output(id, OutputStream::Stdout, status.stdout).await,
            stderr: self.output(id, OutputStream::Stderr, status.stderr).await,
        })
    }

    pub(crate) async fn output(&self, id: &ProcessId, stream: OutputStream, until: u64) -> String {
        let mut bytes = Vec::new();
        let mut offset = 0;
        while offset < until {
            let chunk = self.sandbox.read(read(id, stream, offset)).await.unwrap();
            assert_eq!(chunk.offset, offset);
            if chunk.bytes.is_empty() {
                break;
            }
            offset = chunk.next();
            bytes.extend(chunk.bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Runs a line of the shell, and returns what the sandbox says about what it did.
    pub(crate) async fn notes_of(&self, line: &str) -> String {
        let spec = self.spec(["/bin/sh", "-c", line]);
        let id = spec.id.clone();
        self.run(spec).await.unwrap();
        let status = self.sandbox.status(&id, Duration::ZERO).await.unwrap();
        status.notes.join("\n")
    }

    pub(crate) async fn close(self) {
        self.sandbox.close().await.unwrap();
    }
}

pub(crate) fn read(id: &ProcessId, stream: OutputStream, offset: u64) -> ReadOutput {
    ReadOutput {
        process: id.clone(),
        stream,
        offset,
        max: 1 << 20,
        wait: TIMEOUT,
    }
}

/// How a process ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct ProcessOutput {
    pub(crate) exit: Option<Exit>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// Opens a sandbox with a sleeping command, says so, and waits for its end.
fn run_app(mark: &str) -> ! {
    runtime().block_on(async {
        let world = IsolatedWorld::new().await;
        let script = format!("setsid sleep {mark} & echo ready; sleep {mark}");
        let spec = world.spec(["/bin/sh", "-c", &script]);
        let id = spec.id.clone();
        world.sandbox.start(spec).await.unwrap();
        world
            .sandbox
            .read(read(&id, OutputStream::Stdout, 0))
            .await
            .unwrap();
        println!("ready");
        let error = world.sandbox.status(&id, 3 * TIMEOUT).await.unwrap_err();
        assert!(matches!(error, SandboxError::Closed { .. }), "{error:?}");
    });
    std::process::exit(0)
}

/// Starts this program as another app with a sandbox of its own.
pub(crate) fn spawn_app(mark: &str) -> std::process::Child {
    let mut app = std::process::Command::new(std::env::current_exe().unwrap())
        .env(APP_VARIABLE, mark)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let output = app.stdout.as_mut().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
    assert_eq!(line, "ready\n");
    app
}

fn run_attached(ids: &str) -> ! {
    let (sandbox, process) = ids.split_once('/').unwrap();
    runtime().block_on(async {
        let id = helve_runtime::sandbox::SandboxId::new(sandbox).unwrap();
        let sandbox = IsolatedSandbox::attach(&id).await.unwrap();
        let process = ProcessId::new(process).unwrap();
        let chunk = sandbox
            .read(read(&process, OutputStream::Stdout, 0))
            .await
            .unwrap();
        print!("{}", String::from_utf8_lossy(&chunk.bytes));
    });
    std::process::exit(0)
}

/// Reads the output of a process in another process of this program.
pub(crate) fn read_attached(
    sandbox: &helve_runtime::sandbox::SandboxId,
    process: &ProcessId,
) -> String {
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .env(ATTACH_VARIABLE, format!("{sandbox}/{process}"))
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Counts processes of this machine that have a word among their arguments.
pub(crate) fn count_processes(word: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let marked = all.filter(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let name = line.split(|&byte| byte == 0).next() == Some(b"sleep");
        name && line
            .split(|&byte| byte == 0)
            .any(|part| part == word.as_bytes())
    });
    marked.count()
}

/// Kills the supervisors that a process started.
pub(crate) fn kill_supervisors_of(parent: u32) {
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let child = stat
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.split(' ').nth(1))
            == Some(&parent.to_string());
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if child && line.starts_with(b"helve-sandbox") {
            let pid = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
                .unwrap();
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
    }
}

/// Waits until something is so.
pub(crate) async fn eventually(so: impl Fn() -> bool) {
    let patience = std::time::Instant::now() + TIMEOUT;
    while !so() {
        assert!(std::time::Instant::now() < patience, "it never came to be");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A time to sleep that no other command of this machine has.
pub(crate) fn unique_sleep(number: u32) -> String {
    format!("7{:07}{number}", std::process::id())
}

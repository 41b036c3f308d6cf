//! What every case needs: a workspace, a sandbox over it, and short words for running something.

use std::path::Path;
use std::time::Duration;

use helve_runtime::sandbox::{
    Exit, IsolatedSandbox, OutputStream, ProcessId, ProcessSpec, ReadOutput, Sandbox, SandboxError,
    SandboxPolicy,
};
use libtest_mimic::{Arguments, Trial};

/// How long anything may take here.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// Says that this process is the one without rights.
const UNPRIVILEGED: &str = "HELVE_TEST_UNPRIVILEGED";
/// Nobody's ids.
const NOBODY: u32 = 65534;

/// Runs the cases as whoever runs this, and as root once more as a user without rights.
pub(crate) fn main() -> ! {
    let arguments = Arguments::from_args();
    let user = if rustix::process::geteuid().is_root() {
        "root"
    } else {
        "user"
    };
    let trials = super::cases::all().into_iter().map(|(name, case)| {
        Trial::test(format!("{user}::{name}"), move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()?;
            runtime.block_on(async { tokio::time::timeout(3 * PATIENCE, case()).await })?;
            Ok(())
        })
    });
    let mut trials: Vec<Trial> = trials.collect();
    if user == "root" && std::env::var_os(UNPRIVILEGED).is_none() {
        trials.push(Trial::test("as_a_user_without_rights", as_nobody));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    std::process::exit(if conclusion.has_failed() { 101 } else { 0 })
}

/// Runs the same cases as nobody, in folders of its own.
fn as_nobody() -> Result<(), libtest_mimic::Failed> {
    use std::os::unix::process::CommandExt;
    let home = tempfile::tempdir()?;
    std::os::unix::fs::chown(home.path(), Some(NOBODY), Some(NOBODY))?;
    // The program may lie where nobody else can read it.
    let program = home.path().join("program");
    std::fs::copy(std::env::current_exe()?, &program)?;
    let output = std::process::Command::new(&program)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .env("XDG_RUNTIME_DIR", home.path())
        .env(UNPRIVILEGED, "1")
        .current_dir(home.path())
        .uid(NOBODY)
        .gid(NOBODY)
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
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) sandbox: IsolatedSandbox,
    next: std::cell::Cell<u32>,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut SandboxPolicy)) -> Self {
        let folder = tempfile::tempdir().unwrap();
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
    pub(crate) async fn sh(&self, script: &str) -> Done {
        self.run(self.spec(["/bin/sh", "-c", script]))
            .await
            .unwrap()
    }

    pub(crate) async fn run(&self, spec: ProcessSpec) -> Result<Done, SandboxError> {
        let id = spec.id.clone();
        self.sandbox.start(spec).await?;
        self.done(&id).await
    }

    pub(crate) async fn done(&self, id: &ProcessId) -> Result<Done, SandboxError> {
        let status = self.sandbox.status(id, PATIENCE).await?;
        Ok(Done {
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
        wait: PATIENCE,
    }
}

/// How a process ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) exit: Option<Exit>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

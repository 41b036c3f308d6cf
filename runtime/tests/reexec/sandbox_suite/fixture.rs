//! One sandbox for one case, and short words for what is done in it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use helve_runtime::sandbox::OutputStream::{Stderr, Stdout};
use helve_runtime::sandbox::{
    Exit, OutputChunk, OutputStream, ProcessId, ProcessSpec, ReadOutput, Sandbox, SandboxPolicy,
};

use crate::sandbox_suite::kinds::SandboxKind;

/// How long anything may take that is to happen.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A folder to work in, and how sandboxes over it are opened.
pub(crate) struct Fixture {
    pub(crate) kind: Arc<SandboxKind>,
    pub(crate) folder: tempfile::TempDir,
}

/// What a command came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SuiteRun {
    pub(crate) exit: Exit,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Fixture {
    pub(crate) fn new(kind: Arc<SandboxKind>) -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        Self { kind, folder }
    }

    /// Works in another folder.
    pub(crate) fn with_folder(self, folder: tempfile::TempDir) -> Self {
        Self { folder, ..self }
    }

    /// The policy of a test: every layer may be missing, since this is not what the suite is about.
    pub(crate) fn policy(&self) -> SandboxPolicy {
        let workspace = self.folder.path().canonicalize().expect("its real path");
        let mut policy = SandboxPolicy::new(workspace);
        policy.accepted = helve_runtime::sandbox::Layer::ALL.into_iter().collect();
        policy
    }

    pub(crate) async fn open(&self) -> Arc<dyn Sandbox> {
        self.open_with(self.policy()).await
    }

    pub(crate) async fn open_with(&self, policy: SandboxPolicy) -> Arc<dyn Sandbox> {
        let opened = (self.kind.open)(policy).await;
        opened.unwrap_or_else(|error| panic!("{} does not open: {error:?}", self.kind.name))
    }
}

pub(crate) fn id(text: &str) -> ProcessId {
    ProcessId::new(text).expect("a handle")
}

/// A text that stands in no other process of this machine.
pub(crate) fn unique() -> String {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock");
    format!("{}{:09}{next:03}", std::process::id(), now.subsec_nanos())
}

pub(crate) fn sh(name: &str, script: &str) -> ProcessSpec {
    ProcessSpec::new(id(name), ["sh", "-c", script])
}

/// Waits for the end of a process.
pub(crate) async fn exit_of(sandbox: &dyn Sandbox, name: &str) -> Exit {
    let status = sandbox
        .status(&id(name), TIMEOUT)
        .await
        .expect("it is known");
    status.exit.unwrap_or_else(|| panic!("`{name}` goes on"))
}

pub(crate) async fn read(
    sandbox: &dyn Sandbox,
    name: &str,
    stream: OutputStream,
    offset: u64,
    wait: Duration,
) -> OutputChunk {
    let read = ReadOutput {
        process: id(name),
        stream,
        offset,
        max: OutputChunk::LIMIT,
        wait,
    };
    sandbox.read(read).await.expect("its output can be read")
}

/// Reads a stream from its beginning to its end; no byte may be missing, none may come twice.
pub(crate) async fn read_all(sandbox: &dyn Sandbox, name: &str, stream: OutputStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let chunk = read(sandbox, name, stream, bytes.len() as u64, TIMEOUT).await;
        assert_eq!(chunk.offset, bytes.len() as u64, "nothing is lost");
        let next = chunk.next();
        bytes.extend(&chunk.bytes);
        if chunk.end {
            assert_eq!(next, chunk.total);
            return bytes;
        }
        assert!(!chunk.bytes.is_empty(), "a wait ends with output");
    }
}

/// Reads until a text stands in the standard output.
pub(crate) async fn read_until(sandbox: &dyn Sandbox, name: &str, wanted: &str) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.contains(wanted) {
            return text;
        }
        let chunk = read(sandbox, name, Stdout, bytes.len() as u64, TIMEOUT).await;
        assert!(
            !chunk.bytes.is_empty(),
            "`{wanted}` never came; there is: {text}"
        );
        bytes.extend(chunk.bytes);
    }
}

/// Runs a process to its end.
pub(crate) async fn run(sandbox: &dyn Sandbox, spec: ProcessSpec) -> SuiteRun {
    let name = spec.id.to_string();
    sandbox.start(spec).await.expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    SuiteRun {
        exit: exit_of(sandbox, &name).await,
        stdout: text(read_all(sandbox, &name, Stdout).await),
        stderr: text(read_all(sandbox, &name, Stderr).await),
    }
}

/// Runs a script that has to succeed, and returns what it writes.
pub(crate) async fn run_script(sandbox: &dyn Sandbox, name: &str, script: &str) -> String {
    let ran = run(sandbox, sh(name, script)).await;
    assert_eq!(ran.exit, Exit::Code(0), "{ran:?}");
    ran.stdout
}

/// Counts the processes whose arguments contain a text, as a command in the sandbox sees them.
pub(crate) async fn count_processes_inside(sandbox: &dyn Sandbox, text: &str) -> usize {
    // The pattern does not match itself.
    let (first, rest) = text.split_at(1);
    let script =
        format!("grep -la '[{first}]{rest}' /proc/[0-9]*/cmdline 2>/dev/null | wc -l; exit 0");
    let counted = run_script(sandbox, &format!("count-{}", unique()), &script).await;
    counted.trim().parse().expect("a number")
}

/// Counts the processes whose arguments contain a text, as this test sees them.
pub(crate) fn count_processes_here(text: &str) -> usize {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| String::from_utf8_lossy(line).contains(text))
        .count()
}

pub(crate) fn workspace(sandbox: &dyn Sandbox) -> PathBuf {
    sandbox.files().roots()[0].clone()
}

//! A process in a sandbox: its specification, its output, and its exit.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ProcessId;

/// The specification of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProcessSpec {
    /// The id, chosen by the caller: starting an id twice is an error, so that a start can be repeated safely.
    pub id: ProcessId,
    /// The program and its arguments; a program without `/` is looked up in the sandbox's `PATH`.
    pub argv: Vec<String>,
    /// The working directory, below the first root if relative; `None` is the first root.
    pub working_folder: Option<PathBuf>,
    /// Variables that are added to the sandbox's environment.
    pub environment: BTreeMap<String, String>,
    /// The standard input.
    pub stdin: Stdin,
    /// The size of the terminal; `None` for no terminal. With a terminal, all output is [`OutputStream::Stdout`].
    pub terminal: Option<TerminalSize>,
    /// The resource limits.
    pub limits: Limits,
    /// The access to files.
    pub access: Access,
    /// The access to the network.
    #[serde(default)]
    pub network: NetworkAccess,
}

impl ProcessSpec {
    /// Creates the specification of a process with an empty input, no terminal and the default limits; its fields are
    /// public.
    pub fn new<A: Into<String>>(id: ProcessId, argv: impl IntoIterator<Item = A>) -> Self {
        Self {
            id,
            argv: argv.into_iter().map(Into::into).collect(),
            working_folder: None,
            environment: BTreeMap::new(),
            stdin: Stdin::Empty,
            terminal: None,
            limits: Limits::default(),
            access: Access::Write,
            network: NetworkAccess::Policy,
        }
    }
}

/// The standard input of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stdin {
    /// An empty input.
    #[default]
    Empty,
    /// The input that is written to the process until it is closed.
    Open,
}

/// The access of a process to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// The process reads what the sandbox shows, and writes only to its private folders, such as `/tmp`.
    Read,
    /// The process writes where the policy of the sandbox allows it.
    #[default]
    Write,
}

/// The access of a process to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkAccess {
    /// No connections, not even to other processes of the sandbox.
    Closed,
    /// The connections that the policy of the sandbox allows.
    #[default]
    Policy,
}

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSize {
    /// The number of rows.
    pub rows: u16,
    /// The number of columns.
    pub columns: u16,
}

/// The resource limits of a process and its children; `None` sets no limit.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::sandbox::Limits;
///
/// let (mut all, mut one) = (Limits::default(), Limits::default());
/// all.memory = Some(1 << 30);
/// one.memory = Some(1 << 20);
/// assert_eq!(all.stricter(&one).memory, Some(1 << 20));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum run time.
    pub wall_time: Option<Duration>,
    /// The maximum CPU time of each process.
    pub cpu_time: Option<Duration>,
    /// The maximum memory, in bytes.
    pub memory: Option<u64>,
    /// The maximum size of a file, in bytes.
    pub file_size: Option<u64>,
    /// The maximum number of processes and threads of the whole sandbox.
    pub processes: Option<u64>,
    /// The maximum number of open files of each process.
    pub open_files: Option<u64>,
    /// The number of bytes of each output stream that are kept; the oldest are dropped first.
    pub output: u64,
}

impl Limits {
    /// The default of [`output`](Self::output): 16 MiB.
    pub const OUTPUT: u64 = 16 << 20;

    /// Combines the limits of a policy and of a command: the lower of each.
    #[must_use]
    pub fn stricter(&self, other: &Self) -> Self {
        fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
            one.into_iter().chain(other).min()
        }
        Self {
            wall_time: lower(self.wall_time, other.wall_time),
            cpu_time: lower(self.cpu_time, other.cpu_time),
            memory: lower(self.memory, other.memory),
            file_size: lower(self.file_size, other.file_size),
            processes: lower(self.processes, other.processes),
            open_files: lower(self.open_files, other.open_files),
            output: self.output.min(other.output),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall_time: None,
            cpu_time: None,
            memory: Some(2 << 30),
            file_size: Some(100 << 20),
            processes: Some(256),
            open_files: Some(1024),
            output: Self::OUTPUT,
        }
    }
}

/// An output stream of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    /// The standard output; all output of a process with a terminal.
    Stdout,
    /// The standard error.
    Stderr,
}

/// A request for a part of a process's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOutput {
    /// The process.
    pub process: ProcessId,
    /// The stream.
    pub stream: OutputStream,
    /// The offset of the first byte, counted from the beginning of the stream.
    pub offset: u64,
    /// The maximum number of bytes to return; values above [`OutputChunk::LIMIT`] are reduced to that limit.
    pub max: usize,
    /// How long to wait if there is no output at the offset yet and the stream has not ended.
    pub wait: Duration,
}

/// A part of a process's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputChunk {
    /// The offset of `bytes`. It exceeds the requested offset if older bytes are no longer kept.
    pub offset: u64,
    /// The bytes; empty if there was no output in time.
    pub bytes: Vec<u8>,
    /// The number of bytes that the process has written to this stream so far.
    pub total: u64,
    /// Whether `bytes` reach the end of a stream that no process can write any more.
    pub end: bool,
}

impl OutputChunk {
    /// The maximum number of bytes of a chunk: 1 MiB.
    pub const LIMIT: usize = 1 << 20;

    /// Creates a chunk.
    pub fn new(offset: u64, bytes: Vec<u8>, total: u64, end: bool) -> Self {
        Self {
            offset,
            bytes,
            total,
            end,
        }
    }

    /// Returns the offset of the next chunk.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

/// A signal that can be sent to a process and all its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// SIGINT, as sent by Ctrl-C.
    Interrupt,
    /// SIGTERM, the request to terminate.
    Terminate,
    /// SIGKILL, which ends the process immediately.
    Kill,
    /// SIGHUP, sent when the terminal is closed.
    Hangup,
}

/// The exit of a process. It is never derived from the output of the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// The process exited with this code.
    Code(i32),
    /// The process was killed by this signal.
    Signal(i32),
    /// The process exceeded its run time, and was killed with its children.
    TimedOut,
    /// The process exceeded this limit.
    Limit(Limit),
    /// The process created something at a protected path, or one of several running commands did; the text describes
    /// what was done about it. For a staged command: none of its changes were applied, for this reason.
    ProtectedPaths(String),
    /// The sandbox failed to run the process, for this reason; no part of it ran.
    SandboxFailed(String),
    /// The exit is unknown because the sandbox ended first.
    Lost,
}

impl Exit {
    /// Reports whether the process exited with code 0.
    #[must_use]
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Code(0))
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "ended by signal {signal}"),
            Self::TimedOut => f.write_str("timed out"),
            Self::Limit(limit) => write!(f, "stopped: {limit}"),
            Self::ProtectedPaths(reason) => write!(f, "stopped: {reason}"),
            Self::SandboxFailed(reason) => {
                write!(f, "the sandbox failed to run the process: {reason}")
            }
            Self::Lost => f.write_str("unknown: the sandbox ended before the process"),
        }
    }
}

/// A limit that ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Limit {
    /// CPU time.
    CpuTime,
    /// Memory.
    Memory,
    /// The size of a file.
    FileSize,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CpuTime => "CPU time limit exceeded",
            Self::Memory => "memory limit exceeded",
            Self::FileSize => "file size limit exceeded",
        })
    }
}

/// The status of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProcessStatus {
    /// The id.
    pub id: ProcessId,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The exit, or `None` while the process runs.
    pub exit: Option<Exit>,
    /// The number of bytes written to the standard output.
    pub stdout: u64,
    /// The number of bytes written to the standard error.
    pub stderr: u64,
    /// Descriptions of the changes that the sandbox reverted: files that appeared at protected paths.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Whether child processes are still running after the exit, as far as the sandbox tracks them; the isolated
    /// sandbox does.
    #[serde(default)]
    pub left_running: bool,
}

impl ProcessStatus {
    /// Creates the status of a process that has just started; its fields are public.
    pub fn new(id: ProcessId, argv: Vec<String>) -> Self {
        Self {
            id,
            argv,
            exit: None,
            stdout: 0,
            stderr: 0,
            notes: Vec::new(),
            left_running: false,
        }
    }
}

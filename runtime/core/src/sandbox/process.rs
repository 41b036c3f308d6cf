//! A process in a sandbox: what starts it, what it writes, and how it ends.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ProcessId;

/// A process to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProcessSpec {
    /// Its name, chosen by the caller: starting it twice is an error, so that a start can be repeated safely.
    pub id: ProcessId,
    /// The program and its arguments; a program without `/` is looked up in the sandbox's `PATH`.
    pub argv: Vec<String>,
    /// The folder that it starts in, below the first root when relative; the first root without one.
    pub working_folder: Option<PathBuf>,
    /// Variables on top of the sandbox's own environment.
    pub environment: BTreeMap<String, String>,
    /// What it reads.
    pub stdin: Stdin,
    /// The size of its terminal, where it gets one; all that it writes is then [`OutputStream::Stdout`].
    pub terminal: Option<TerminalSize>,
    /// How much of the machine it may use.
    pub limits: Limits,
    /// What it may do to files.
    pub access: Access,
    /// What it may reach.
    #[serde(default)]
    pub network: NetworkAccess,
}

impl ProcessSpec {
    /// Describes a process with an empty input, no terminal and the usual limits; its fields are open.
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

/// What a process reads on its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stdin {
    /// Nothing: the end of the input comes at once.
    #[default]
    Empty,
    /// What is written to it, until it is closed.
    Open,
}

/// What a process may do to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It reads what the sandbox shows; only its private folders, such as `/tmp`, can be written.
    Read,
    /// It writes where the sandbox's policy lets it.
    #[default]
    Write,
}

/// What a process may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkAccess {
    /// Nothing: it makes no connection, not even to another process of the sandbox.
    Closed,
    /// What the sandbox's policy lets it.
    #[default]
    Policy,
}

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSize {
    /// How many rows it has.
    pub rows: u16,
    /// How many columns it has.
    pub columns: u16,
}

/// How much of the machine one process and its children may use; `None` sets no bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limits {
    /// How long it may run.
    pub wall_time: Option<Duration>,
    /// How long it may compute, for each process.
    pub cpu_time: Option<Duration>,
    /// How much memory it may use, in bytes.
    pub memory: Option<u64>,
    /// How large a file may become, in bytes.
    pub file_size: Option<u64>,
    /// How many processes and threads the whole sandbox may have.
    pub processes: Option<u64>,
    /// How many files it may hold open, for each process.
    pub open_files: Option<u64>,
    /// How many bytes of each output stream are kept: the oldest go first.
    pub output: u64,
}

impl Limits {
    /// The default limit of the bytes that are kept of each output stream: 16 MiB.
    pub const OUTPUT: u64 = 16 << 20;

    /// Joins the limits of a policy and those of a command: the lower of each.
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

/// One of the two streams that a process writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    /// The standard output, and all that a process with a terminal writes.
    Stdout,
    /// The standard error.
    Stderr,
}

/// Which part of a process's output to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadOutput {
    /// The process.
    pub process: ProcessId,
    /// The stream.
    pub stream: OutputStream,
    /// The first byte wanted, counted from the first that the process ever wrote.
    pub offset: u64,
    /// The most bytes to return; more than [`OutputChunk::LIMIT`] counts as that.
    pub max: usize,
    /// How long to wait while there is nothing at the offset yet and the stream has not ended.
    pub wait: Duration,
}

/// A part of a process's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputChunk {
    /// Where `bytes` start. It exceeds the offset that was asked for where older bytes are no longer kept.
    pub offset: u64,
    /// The bytes; none where there was nothing in time.
    pub bytes: Vec<u8>,
    /// How many bytes the process has written to this stream so far.
    pub total: u64,
    /// Whether `bytes` reach the end of a stream that has no writer any more.
    pub end: bool,
}

impl OutputChunk {
    /// The most bytes of one chunk: 1 MiB.
    pub const LIMIT: usize = 1 << 20;

    /// Gathers a part of an output.
    pub fn new(offset: u64, bytes: Vec<u8>, total: u64, end: bool) -> Self {
        Self {
            offset,
            bytes,
            total,
            end,
        }
    }

    /// Returns the offset to go on from.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

/// A signal that can be sent to a process and all its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// What Ctrl-C sends.
    Interrupt,
    /// The request to end.
    Terminate,
    /// The end, without a word.
    Kill,
    /// The terminal is gone.
    Hangup,
}

/// How a process ended. It is never guessed from what the process wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// It ended by itself, with this code.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
    /// It took longer than it may, and was ended with its children.
    TimedOut,
    /// It used more than it may of something.
    Limit(Limit),
    /// It made something at a protected path, or several commands ran and one of them did; the text says what became of it.
    /// Of a staged command: nothing of what it changed was applied, for this reason.
    ProtectedPaths(String),
    /// The sandbox could not run it, for this reason; nothing of it ran.
    SandboxFailed(String),
    /// The exit is unknown because the sandbox ended first.
    Lost,
}

impl Exit {
    /// Reports whether the process ended by itself with code 0.
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

/// A bound that ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Limit {
    /// Computing time.
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
    /// Its name.
    pub id: ProcessId,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// How it ended, or `None` while it runs.
    pub exit: Option<Exit>,
    /// How many bytes it has written to its standard output.
    pub stdout: u64,
    /// How many bytes it has written to its standard error.
    pub stderr: u64,
    /// What the sandbox undid of its doing, in words: files that appeared at protected paths.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Whether processes that it started run on after its end, as far as the sandbox follows them: the isolated one does.
    #[serde(default)]
    pub left_running: bool,
}

impl ProcessStatus {
    /// Describes a process that has just started; its fields are open.
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

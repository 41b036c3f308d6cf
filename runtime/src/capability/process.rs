//! The door to processes.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::door::Door;
use super::{BackendError, Capability, CapabilityError, Requires};

/// A program to run, without a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// The program, as a name or a path inside the sandbox.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// What it reads on its standard input.
    pub stdin: Vec<u8>,
}

impl Command {
    /// Names a program with its arguments and an empty input; its fields are open.
    pub fn new<A: Into<String>>(
        program: impl Into<String>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            stdin: Vec::new(),
        }
    }
}

/// What a program left; the backend bounds its size.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// Its exit code, or `None` when a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error.
    pub stderr: Vec<u8>,
}

impl Output {
    /// Gathers what a program left.
    pub fn new(code: Option<i32>, stdout: impl Into<Vec<u8>>, stderr: impl Into<Vec<u8>>) -> Self {
        Self {
            code,
            stdout: stdout.into(),
            stderr: stderr.into(),
        }
    }
}

/// Runs programs for tools, inside a sandbox that the host chose.
pub trait ProcessBackend: Send + Sync + std::fmt::Debug {
    /// Runs a program to its end, and ends it when the future is dropped; a [`Refusal`](super::Refusal) in the box
    /// stays a refusal.
    ///
    /// # Errors
    /// When the program is not allowed or cannot be started.
    fn run(&self, command: Command) -> BoxFuture<'_, Result<Output, BackendError>>;
}

/// Processes, as far as a tool may start them.
#[derive(Debug, Clone)]
pub struct Process(Door<dyn ProcessBackend>);

impl Process {
    /// Joins what a tool declared to what its host granted.
    pub fn new(requires: &Requires, backend: Option<Arc<dyn ProcessBackend>>) -> Self {
        Self(Door::new(Capability::Process, requires.process, backend))
    }

    /// Runs a program to its end, whatever its exit code.
    ///
    /// # Errors
    /// When the tool did not declare `requires(process)`, the host granted no processes, or it cannot be started.
    pub async fn run(&self, command: Command) -> Result<Output, CapabilityError> {
        let ran = self.0.open()?.run(command).await;
        ran.map_err(CapabilityError::failed(Capability::Process))
    }
}

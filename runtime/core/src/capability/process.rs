//! The capability to start processes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::handle::CapabilityHandle;
use super::{Capability, CapabilityError, Confinement, Refusal, Requires, run};
use crate::sandbox::{Access, Exit, LazySandbox, ReadOnlySandbox, Sandbox, SandboxError};

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
    /// The folder that it starts in; the sandbox's first root without one.
    pub working_folder: Option<PathBuf>,
    /// Variables on top of the sandbox's own environment.
    pub environment: BTreeMap<String, String>,
    /// What it may do to files.
    pub access: Access,
    /// How long it may run; as long as the call without one.
    pub timeout: Option<Duration>,
    /// How many bytes of each stream are kept: the first ones.
    pub max_output_bytes: usize,
}

impl Command {
    /// The default limit of the bytes that are kept of each stream: 1 MiB.
    pub const DEFAULT_OUTPUT_LIMIT: usize = 1 << 20;

    /// Names a program with its arguments and an empty input; its fields are open.
    pub fn new<A: Into<String>>(
        program: impl Into<String>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            stdin: Vec::new(),
            working_folder: None,
            environment: BTreeMap::new(),
            access: Access::Write,
            timeout: None,
            max_output_bytes: Self::DEFAULT_OUTPUT_LIMIT,
        }
    }
}

/// What a program left.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// How it ended.
    pub exit: Exit,
    /// What it wrote to its standard output, from the beginning.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error, from the beginning.
    pub stderr: Vec<u8>,
    /// Whether it wrote more than was kept.
    pub truncated: bool,
}

impl Output {
    /// Gathers what a program left.
    pub fn new(exit: Exit, stdout: impl Into<Vec<u8>>, stderr: impl Into<Vec<u8>>) -> Self {
        Self {
            exit,
            stdout: stdout.into(),
            stderr: stderr.into(),
            truncated: false,
        }
    }
}

/// Processes, as far as a tool may start them.
#[derive(Debug, Clone)]
pub struct Process {
    handle: CapabilityHandle<LazySandbox>,
    programs: &'static [&'static str],
    confinement: Confinement,
    /// The sandbox as a confined call sees it, once it was opened.
    confined_sandbox: OnceLock<Arc<dyn Sandbox>>,
}

impl Process {
    /// Joins what a tool declared to what its host granted.
    pub fn new(requires: &Requires, sandbox: Option<Arc<LazySandbox>>) -> Self {
        Self {
            handle: CapabilityHandle::new(Capability::Process, requires.process, sandbox),
            programs: requires.programs,
            confinement: Confinement::None,
            confined_sandbox: OnceLock::new(),
        }
    }

    /// Holds every process that is started to what the call is held to.
    pub(crate) fn with_confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self
    }

    /// Returns the sandbox that commands run in, and opens it on the first call.
    ///
    /// It starts any program, so a tool that declared single programs uses [`run`](Process::run).
    ///
    /// # Errors
    /// When the tool did not declare `requires(process)` without names, the host granted no sandbox, or it cannot be
    /// opened.
    pub async fn sandbox(&self) -> Result<&Arc<dyn Sandbox>, CapabilityError> {
        let sandbox = self.handle.backend()?;
        if !self.programs.is_empty() {
            return Err(Refusal::whole_sandbox_not_declared(self.programs).into());
        }
        self.open_confined(sandbox).await
    }

    /// Runs a program to its end, however it ends. Dropping the future ends the program.
    ///
    /// # Errors
    /// When the tool did not declare `requires(process)`, or declared other programs, the host granted no sandbox, or the
    /// program cannot be started.
    pub async fn run(&self, command: Command) -> Result<Output, CapabilityError> {
        // By name alone: a path of the same last name could be any file of the workspace.
        if !self.programs.is_empty() && !self.programs.contains(&&*command.program) {
            return Err(Refusal::binary_not_allowed(&command.program, self.programs).into());
        }
        let sandbox = self.open_confined(self.handle.backend()?).await?;
        run::run(sandbox, command)
            .await
            .map_err(to_capability_error)
    }

    async fn open_confined<'a>(
        &'a self,
        sandbox: &'a LazySandbox,
    ) -> Result<&'a Arc<dyn Sandbox>, CapabilityError> {
        let sandbox = sandbox.get().await.map_err(to_capability_error)?;
        Ok(match self.confinement {
            Confinement::None => sandbox,
            Confinement::ReadOnly => self
                .confined_sandbox
                .get_or_init(|| Arc::new(ReadOnlySandbox(Arc::clone(sandbox)))),
        })
    }
}

fn to_capability_error(error: SandboxError) -> CapabilityError {
    CapabilityError::Failed {
        capability: Capability::Process,
        source: Box::new(error),
    }
}
